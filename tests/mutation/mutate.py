#!/usr/bin/env python3
"""Plants small faults, one at a time, and says whether the tests of the floor notice.

    mutate.py                       every fault of faults.py
    mutate.py --floor policy        those of a floor
    mutate.py --minutes 20          as many as that time allows
    mutate.py --every 3 --from 1    a sample: the second, fifth, ...
    mutate.py --check               only whether every fault can still be planted (builds nothing)

Needs a finished build (`cmake --preset dev && cmake --build --preset dev --target unit_tests`; --build names another): a fault compiles one file, without
optimising, and links it in front of the libraries of that build with the compiled tests of its floor. Nothing of the tree or of the build is changed. The order
is mixed by a fixed rule, so that the first faults are a fair sample of all. A fault is caught if the floor's tests fail, crash or take longer than ten times
what they take without it (at least 60 s), or if it does not compile. Writes OUT, build/mutation.csv unless --out names another; what stands there is not tried again
(--afresh: it is).
"""
import argparse
import csv
import hashlib
import json
import pathlib
import shlex
import subprocess
import sys
import tempfile
import time

from faults import FAULTS

ROOT = pathlib.Path(__file__).resolve().parents[2]
COLUMNS = ("floor", "file", "fault", "outcome", "test_s")


def plant(text, old, new):
    return text.replace(old, new) if text.count(old) == 1 else None


def unplantable():
    return [f"{file}: {what}" for _, file, old, new, what in FAULTS if plant((ROOT / "src" / file).read_text(encoding="utf-8"), old, new) is None]


class Builder:
    """Compiles and links as a finished build did, with one file exchanged."""

    def __init__(self, build, work):
        self.build, self.work = build.resolve(), work
        entries = json.loads((build / "compile_commands.json").read_text(encoding="utf-8"))
        self.commands = {pathlib.Path(entry["file"]).resolve(): (shlex.split(entry["command"]), entry["directory"]) for entry in entries}
        self.links = {}

    def compile(self, name, text):
        """The object of a file with another text; None if it does not compile."""
        words, folder = next(command for file, command in self.commands.items() if file.parts[-len(pathlib.PurePath(name).parts) - 1:] == ("src", *pathlib.PurePath(name).parts))
        source, made = self.work / pathlib.PurePath(name).name, self.work / "changed.o"
        source.write_text(text, encoding="utf-8")
        words = list(words)
        words[words.index("-c") + 1] = str(source)
        words[words.index("-o") + 1] = str(made)
        # Includes of a file's own folder are found as if it stood there.
        words += ["-O0", "-w", f"-I{(ROOT / 'src' / name).parent}"]
        return made if subprocess.run(words, cwd=folder, capture_output=True, check=False).returncode == 0 else None

    def link(self, floor, first):
        if floor not in self.links:
            last = subprocess.run(["ninja", "-t", "commands", f"test_{floor}"], cwd=self.build, capture_output=True, text=True, check=True).stdout.splitlines()[-1]
            self.links[floor] = shlex.split(last.split(" && ")[1])
        words, made = list(self.links[floor]), self.work / f"test_{floor}"
        words[words.index("-o") + 1] = str(made)
        if first is not None:
            words.insert(1, str(first))  # what it defines is not taken from a library
        done = subprocess.run(words, cwd=self.build, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            sys.exit(f"test_{floor} cannot be linked; is {self.build} a finished build?\n{done.stderr[-2000:]}")
        return made


def run_tests(program, limit_s):
    """Whether all pass, and the seconds it took."""
    begun = time.monotonic()
    try:
        done = subprocess.run([str(program), "--abort"], cwd=ROOT, capture_output=True, timeout=limit_s, check=False)
        return done.returncode == 0, time.monotonic() - begun
    except subprocess.TimeoutExpired:
        return False, time.monotonic() - begun


def mixed_order(faults):
    return sorted(faults, key=lambda fault: hashlib.sha256(f"{fault[1]}: {fault[4]}".encode()).hexdigest())


def before(out):
    if not out.exists():
        return []
    with open(out, newline="", encoding="utf-8") as text:
        return [row for row in csv.DictReader(text)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/dev")
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "build/mutation.csv")
    parser.add_argument("--floor", choices=sorted({fault[0] for fault in FAULTS}))
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--from", type=int, default=0, dest="first")
    parser.add_argument("--minutes", type=float, default=0)
    parser.add_argument("--afresh", action="store_true")
    parser.add_argument("--check", action="store_true")
    given = parser.parse_args()

    gone = unplantable()
    if gone or given.check:
        print("\n".join(f"cannot be planted any more: {fault}" for fault in gone) or f"{len(FAULTS)} faults can be planted")
        return 1 if gone else 0
    rows = [] if given.afresh else before(given.out)
    tried = {(row["file"], row["fault"]) for row in rows}
    chosen = [fault for fault in mixed_order(FAULTS) if given.floor in (None, fault[0])][given.first::given.every]
    end = time.monotonic() + 60 * given.minutes if given.minutes else float("inf")
    usual_s = {}
    with tempfile.TemporaryDirectory(prefix="wattfill-mutation-") as work, open(given.out, "w", newline="", encoding="utf-8") as out:
        builder = Builder(given.build, pathlib.Path(work))
        table = csv.DictWriter(out, COLUMNS, lineterminator="\n")
        table.writeheader()
        table.writerows(rows)
        for floor, name, old, new, what in chosen:
            if (name, what) in tried:
                continue
            if time.monotonic() > end:
                break
            if floor not in usual_s:
                fine, usual_s[floor] = run_tests(builder.link(floor, None), 3600)
                if not fine:
                    sys.exit(f"the tests of {floor} fail without any fault")
            took = 0.0
            made = builder.compile(name, plant((ROOT / "src" / name).read_text(encoding="utf-8"), old, new))
            if made is None:
                outcome = "does not compile"
            else:
                fine, took = run_tests(builder.link(floor, made), max(60, 10 * usual_s[floor]))
                outcome = "SURVIVED" if fine else "caught"
            rows.append(dict(zip(COLUMNS, (floor, name, what, outcome, f"{took:.1f}"))))
            table.writerow(rows[-1])
            out.flush()
            print(f"{outcome:17} {floor:12} {name}: {what}", flush=True)
    survivors = sum(row["outcome"] == "SURVIVED" for row in rows)
    print(f"{len(rows)} of {len(FAULTS)} faults tried, {survivors} survived")
    return 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main())
