#!/usr/bin/env python3
"""Holds the table of tests/README.md to the tests there are: every fault known from neighbouring tools names tests, and those tests exist. Holds the fuzz
targets to what runs them: each has a corpus and stands in fuzz/every_target.cpp and in the page.

    readme_test.py                prints what is wrong; exit 1 if anything is
    readme_test.py --self-test    plants one mistake of each kind and expects to find each
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
ROWS = 42  # faults known when the table was made; it only grows


def names_of_tests(root):
    """Names as ctest shows them: `floor: sentence`."""
    names = set()
    for file in (root / "tests").glob("*/*_test.cpp"):
        text = file.read_text(encoding="utf-8")
        for pieces in re.findall(r'TEST_CASE\(\s*((?:"(?:[^"\\]|\\.)*"\s*)+)', text):
            name = "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', pieces)).replace('\\"', '"')
            names.add(f"{file.parent.name}: {name}")
    for file in (root / "tests/cli").glob("*_test.py"):
        for name in re.findall(r"^    def test_([a-z0-9_]+)\(", file.read_text(encoding="utf-8"), re.M):
            names.add("cli: " + name.replace("_", " "))
    return names


def cells(line):
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def rows_of_table(text):
    """Rows of the table under the heading: kind, symptom, what holds here, names of tests."""
    section = text.split("## Faults known from neighbouring tools", 1)[-1].split("\n## ", 1)[0]
    lines = [line for line in section.splitlines() if line.startswith("|")]
    return [cells(line) for line in lines[2:]]


def mistakes(text, names, least):
    found = []
    rows = rows_of_table(text)
    if len({row[1] for row in rows if len(row) > 1}) < least:
        found.append(f"the table has fewer than {least} faults")
    for row in rows:
        if len(row) != 4:
            found.append(f"a row of {len(row)} cells, 4 are needed: {row}")
            continue
        tests = re.findall(r"`([^`]*)`", row[3])
        if not tests:
            found.append(f"no test is named: {row[1]}")
        found += [f"there is no test \"{test}\": {row[1]}" for test in tests if test not in names]
    return found


def fuzz_mistakes(targets, corpora, every_target, page):
    found = [f"fuzz target {name} has no corpus" for name in targets if name not in corpora]
    found += [f"there is no fuzz target {name}, whose corpus is there" for name in corpora if name not in targets]
    found += [f"fuzz target {name} is not in fuzz/every_target.cpp" for name in targets if f'{{"{name}", run_{name}}}' not in every_target]
    return found + [f"fuzz target {name} is not on the page" for name in targets if f"`{name}`" not in page]


def fuzz_mistakes_of(root):
    fuzz = root / "tests/fuzz"
    return fuzz_mistakes(sorted(file.name[: -len("_fuzz.cpp")] for file in fuzz.glob("*_fuzz.cpp")), sorted(folder.name for folder in (fuzz / "corpus").iterdir()),
                         (fuzz / "every_target.cpp").read_text(encoding="utf-8"), (root / "tests/README.md").read_text(encoding="utf-8"))


def self_test():
    head = "## Faults known from neighbouring tools\n\n| kind | symptom | here | tests |\n|---|---|---|---|\n"
    names = {"sim: One is one", "cli: all is well"}
    good = head + "| energy | lost | kept | `sim: One is one`<br>`cli: all is well` |\n\n## Next\n| a | b |\n"
    cases = [(good, 1, None), (good.replace("One is one", "One is two"), 1, "there is no test"), (good.replace("`", ""), 1, "no test is named"),
             (good.replace("| kept ", ""), 1, "a row of 3 cells"), (good, 2, "fewer than 2 faults"), ("nothing", 1, "fewer than 1 faults")]
    failures = []
    for text, least, expected in cases:
        found = mistakes(text, names, least)
        if (expected is None and found) or (expected and not any(expected in f for f in found)):
            failures.append(f"expected {expected}, found {found}")
    list_of_a = '{"a", run_a}'
    for given, expected in (((["a"], ["a"], list_of_a, "`a`"), 0), ((["a"], [], list_of_a, "`a`"), 1), ((["a"], ["a", "b"], list_of_a, "`a`"), 1),
                            ((["a"], ["a"], "", "`a`"), 1), ((["a"], ["a"], list_of_a, ""), 1)):
        if len(found := fuzz_mistakes(*given)) != expected:
            failures.append(f"expected {expected} mistakes of fuzz targets, found {found}")
    return failures


def main():
    if sys.argv[1:] == ["--self-test"]:
        found = self_test()
    else:
        found = mistakes((ROOT / "tests/README.md").read_text(encoding="utf-8"), names_of_tests(ROOT), ROWS) + fuzz_mistakes_of(ROOT)
    print("\n".join(found) or "every fault has its tests")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
