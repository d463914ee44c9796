#!/usr/bin/env python3
"""Holds the source tree to its floors and habits; needs nothing but Python.

    includes_test.py [ROOT]           prints every violation; exit 1 if there is one
    includes_test.py --self-test      plants one violation of each kind in a small tree and expects to find each
"""
import pathlib
import re
import sys
import tempfile

# floor: (floors it may include beside its own, other libraries by the start of the include path)
FLOORS = {
    "core": ((), ("Random123/", "openssl/", "immintrin.h")),
    "curve": (("core",), ()),
    "fill": (("core",), ()),
    "flexibility": (("core", "curve"), ("Eigen/", "boost/math/")),
    "training": (("core", "curve"), ("Eigen/", "boost/graph/", "boost/random/")),
    "workload": (("core", "curve"), ("boost/random/",)),
    "facility": (("core", "fill"), ("boost/graph/",)),
    "contract": (("core",), ()),
    "policy": (("core", "curve", "fill", "facility"), ("muParser.h", "glpk.h")),
}
BELOW_SIM = tuple(FLOORS)
FLOORS["sim"] = (BELOW_SIM, ())
FLOORS["study"] = (BELOW_SIM + ("sim",), ("oneapi/tbb/", "boost/random/", "mpi.h", "cuda_runtime.h"))
FLOORS["scenario"] = (BELOW_SIM + ("sim", "study"), ("yaml-cpp/",))
FLOORS["report"] = (("core", "curve", "contract", "facility", "sim", "study"), ("netcdf.h",))
FLOORS["python"] = (tuple(FLOORS), ("pybind11/",))
FLOORS["cli"] = (tuple(floor for floor in FLOORS if floor != "python"), ("boost/program_options",))

# Libraries that one file alone may know, so that replacing one touches one file.
ONE_FILE = {
    "Random123/": "random", "immintrin.h": "random", "openssl/": "sha256", "muParser.h": "expression", "glpk.h": "linear_program", "oneapi/tbb/": "executor", "mpi.h": "communicator",
    "cuda_runtime.h": "cuda_driver",
    "yaml-cpp/": "document", "netcdf.h": "netcdf",
}
# The operating system's own headers, and who may talk to it.
POSIX = re.compile(r"(sys/.*|unistd|sched|fcntl|signal|poll|pthread|spawn)\.h")
POSIX_FLOORS = {"core", "study", "cli"}

# Headers without behaviour of their own: plain data and macros.
NO_TEST_NEEDED = re.compile(r"(.*_)?spec|demand|version|hostdevice|device_view|published_groups")

MAX_LINES = 400
MARKERS = re.compile(r"\b(" + "|".join(("TO" + "DO", "FIX" + "ME", "XX" + "X", "HA" + "CK", "WI" + "P")) + r")\b")
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', re.M)
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.S)
TERMINAL = re.compile(r"\b(?:_?exit|quick_exit|abort|f?printf|f?puts|putchar)\s*\(|\bstd::(?:cout|cerr|clog)\b")
TYPE = re.compile(r"^(?:template [^\n]*\n)?(?:struct|class|enum class) (\w+)(?: final)?(?: :[^:;{][^;{]*)? \{", re.M)
TEMPORARY = re.compile(r"\btemp_directory_path\b|\bmkd?s?temp\b|\btmpnam\b")
BRACKETED = re.compile(r'TEST_CASE\("[^"]*[][]')
SKIPPED = re.compile(r'"SKIPPED')
CODE = {".cpp", ".hpp", ".cu", ".py"}
TREES = ("include", "src", "tests", "bench", "curves", "scenarios", "notebooks", ".ci")


def files_of(root):
    for tree in TREES:
        for file in sorted((root / tree).rglob("*")):
            if file.is_file() and "__pycache__" not in file.parts and "node_modules" not in file.parts:
                yield file


def floor_of(parts):
    """The floor of a file's path below ROOT, None for what stands on no floor."""
    if parts[:2] == ("include", "wattfill") and len(parts) > 3:
        return parts[2]
    if parts == ("src", "main.cpp"):
        return "cli"
    return parts[1] if parts[0] == "src" and len(parts) > 2 and parts[1] in FLOORS else None


def wrong_include(floor, stem, include):
    """What is wrong with this include in a file of this floor, or None."""
    below, libraries = FLOORS[floor]
    start = include.split("/")
    if start[0] == "wattfill":
        if len(start) > 2 and (start[1] == floor or start[1] in below):
            return None
        return "is above this floor or beside it; move what is needed down, or pass it in"
    if start[0] in FLOORS:
        return None if start[0] == floor else "is another floor's private header; make it public or do without"
    if POSIX.fullmatch(include):
        return None if floor in POSIX_FLOORS else f"talks to the operating system; only {', '.join(sorted(POSIX_FLOORS))} may"
    if "/" not in include and "." not in include:
        return None  # the standard library
    library = next((known for known in libraries if include.startswith(known)), None)
    if library is None:
        return "is a library that this floor may not use"
    if library in ONE_FILE and stem != ONE_FILE[library]:
        return f"belongs to the file {ONE_FILE[library]} alone"
    return None


def violations(root):
    """Every violation in the tree, as `file:line: what` texts."""
    found = []
    types = {}  # name: where it is defined; all headers share one namespace, and the linker joins two of a name silently
    for file in files_of(root):
        name = file.relative_to(root)
        try:
            text = file.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue  # pictures and the like

        def report(position, what):
            found.append(f"{name}:{text.count(chr(10), 0, position) + 1}: {what}")

        for marker in MARKERS.finditer(text):
            report(marker.start(), f"left-behind marker {marker.group()}; do it, or file it where work is planned")
        if file.suffix in CODE and text.count("\n") > MAX_LINES:
            report(len(text) - 1, f"{text.count(chr(10))} lines, {MAX_LINES} are allowed; one noun per file")
        if name.parts[0] == "tests" and file.suffix in CODE - {".py"} and name.parts != ("tests", "support", "folder.hpp"):
            for shared_name in TEMPORARY.finditer(text):
                report(shared_name.start(), "temporary files of tests come from support/folder.hpp, whose names no two tests share")
        if name.parts[0] == "tests" and file.suffix in {".cpp", ".hpp"} and name.parts != ("tests", "support", "skip.hpp"):
            for own_words in SKIPPED.finditer(text):
                report(own_words.start(), "what could not run is said by support/skip.hpp, in the same words everywhere")
        if name.parts[0] == "tests" and file.suffix == ".cpp":
            for sentence in BRACKETED.finditer(text):
                report(sentence.start(), "brackets in a test's name: ctest joins it with those that follow and runs none of them")
        floor = floor_of(name.parts)
        if name.parts[:2] == ("include", "wattfill") and floor not in FLOORS:
            report(0, "on no floor; tests/includes_test.py lists the floors")
            continue
        if floor is None or file.suffix not in CODE:
            continue
        for include in INCLUDE.finditer(text):
            what = wrong_include(floor, file.stem, include.group(1))
            if what:
                report(include.start(1), f"{include.group(1)} {what}")
        for defined in TYPE.finditer(text) if file.suffix == ".hpp" else ():
            first = types.setdefault((floor == "cli", defined.group(1)), name)
            if first != name:
                report(defined.start(1), f"{defined.group(1)} is also defined in {first}; two types of one name are one to the linker")
        if floor != "cli":
            code = COMMENT.sub(lambda comment: "\n" * comment.group().count("\n"), text)
            for call in TERMINAL.finditer(code):
                found.append(f"{name}:{code.count(chr(10), 0, call.start()) + 1}: {call.group().strip('( ')} below the command line; return or throw")
        if file.suffix == ".hpp" and name.parts[0] == "include" and not NO_TEST_NEEDED.fullmatch(file.stem):
            test = root / "tests" / floor / f"{file.stem}_test.cpp"
            if not test.exists():
                report(0, f"no test of this name; write {test.relative_to(root)}")
    return found


def self_test():
    planted = {  # file: (text, a piece of the violation expected, or None)
        "include/wattfill/core/good.hpp": ('#include <vector>\n#include "wattfill/core/error.hpp"\n', None),
        "tests/core/good_test.cpp": ("", None),
        "src/core/random.cpp": ("#include <Random123/philox.h>\n#include <unistd.h>\n", None),
        "src/core/text.cpp": ("// exit() is not called\nint printed(); // printf(\n", None),
        "src/cli/run.cpp": ('#include "wattfill/report/study_files.hpp"\n#include <boost/program_options.hpp>\nvoid f() { printf("x"); }\n', None),
        "src/core/up.cpp": ('\n#include "wattfill/curve/x.hpp"\n', "up.cpp:2: wattfill/curve/x.hpp is above"),
        "src/fill/beside.cpp": ('#include "wattfill/curve/x.hpp"\n', "beside.cpp:1: wattfill/curve/x.hpp is above this floor or beside"),
        "src/report/yaml.cpp": ('#include "wattfill/scenario/spec.hpp"\n', "wattfill/scenario/spec.hpp is above"),
        "src/sim/private.cpp": ('#include "policy/rules.hpp"\n', "another floor's private header"),
        "src/study/other.cpp": ("#include <oneapi/tbb/parallel_for.h>\n", "executor alone"),
        "src/scenario/options.cpp": ("#include <boost/program_options.hpp>\n", "library that this floor may not use"),
        "src/curve/system.cpp": ("#include <unistd.h>\n", "operating system"),
        "src/curve/leaves.cpp": ("void f() {\n  std::exit(1);\n}\n", "leaves.cpp:2: exit below"),
        "src/curve/prints.cpp": ('void f() { std::cout << 1; }\n', "std::cout below"),
        "src/curve/marker.cpp": ("// TO" + "DO later\n", "left-behind marker"),
        "tests/curve/long_test.cpp": ("\n" * (MAX_LINES + 1), "lines, 400 are allowed"),
        "include/wattfill/curve/untested.hpp": ("", "write tests/curve/untested_test.cpp"),
        "tests/curve/clash_test.cpp": ("auto file = fs::temp_directory_path() / \"x\";\n", "no two tests share"),
        "tests/curve/left_out_test.cpp": ('std::puts("SKIPPED: no data");\n', "said by support/skip.hpp"),
        "tests/curve/bracket_test.cpp": ('TEST_CASE("draws in [0, 1)") {}\n', "brackets in a test's name"),
        "include/wattfill/attic/x.hpp": ("", "on no floor"),
        "include/wattfill/contract/one_spec.hpp": ("struct Same {\n  int x;\n};\n", None),
        "src/training/two.hpp": ("template <class T>\nclass Same final : public Base {\n};\n", "Same is also defined in"),
    }
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for name, (text, _) in planted.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text, encoding="utf-8")
        found = violations(root)
    failures = [f"not found: {name}: {piece}" for name, (_, piece) in planted.items() if piece and not any(name in f and piece in f for f in found)]
    failures += [f"found wrongly: {f}" for f in found if planted[f.split(":")[0]][1] is None]
    if len(found) != sum(piece is not None for _, piece in planted.values()):
        failures.append("another number of violations than planted: " + "; ".join(found))
    return failures


def main():
    argument = sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parent.parent
    found = self_test() if argument == "--self-test" else violations(pathlib.Path(argument))
    print("\n".join(found) or "floors and habits are kept")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
