#!/usr/bin/env python3
"""Plants small faults, one at a time, in a copy of the sources and says whether the tests of the floor notice.

    mutate.py                       every fault of faults.py
    mutate.py --floor policy        those of a floor
    mutate.py --every 3 --from 1    a sample: the second, fifth, ...
    mutate.py --check               only whether every fault can still be planted (builds nothing)

Works in build/mutation: a copy of the tracked files, configured as `dev`. A fault is caught if the floor's tests fail, crash or take longer than ten times
what they take without it (at least 60 s), or if it does not compile. Needs ninja, cmake and what the build needs. Writes build/mutation/result.csv.
"""
import argparse
import csv
import pathlib
import shutil
import subprocess
import sys
import time

from faults import FAULTS

ROOT = pathlib.Path(__file__).resolve().parents[2]
WORK = ROOT / "build" / "mutation"
TREE = WORK / "tree"


def plant(text, old, new):
    return text.replace(old, new) if text.count(old) == 1 else None


def unplantable():
    return [f"{file}: {what}" for _, file, old, new, what in FAULTS if plant((ROOT / "src" / file).read_text(encoding="utf-8"), old, new) is None]


def copy_tree():
    """The tracked files; those that did not change keep their times, so that nothing is built twice."""
    files = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\n")
    for name in filter(None, files):
        source, target = ROOT / name, TREE / name
        if not source.is_file() or (target.exists() and target.read_bytes() == source.read_bytes()):
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, target)
        shutil.copymode(source, target)
    shared = TREE.parent / "shared"  # measurements that tests look for beside the tree
    if (ROOT / ".." / "shared").exists() and not shared.exists():
        shared.symlink_to((ROOT / ".." / "shared").resolve())


def build(floor, jobs):
    return subprocess.run(["ninja", "-C", str(TREE / "build/dev"), f"-j{jobs}", f"test_{floor}"], capture_output=True, text=True, check=False)


def run_tests(floor, limit_s):
    """Whether all pass, and the seconds it took."""
    begun = time.monotonic()
    try:
        done = subprocess.run([str(TREE / f"build/dev/tests/test_{floor}"), "--abort"], cwd=TREE, capture_output=True, timeout=limit_s, check=False)
        return done.returncode == 0, time.monotonic() - begun
    except subprocess.TimeoutExpired:
        return False, time.monotonic() - begun


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--floor", choices=sorted({fault[0] for fault in FAULTS}))
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--from", type=int, default=0, dest="first")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--check", action="store_true")
    given = parser.parse_args()

    gone = unplantable()
    if gone or given.check:
        print("\n".join(f"cannot be planted any more: {fault}" for fault in gone) or f"{len(FAULTS)} faults can be planted")
        return 1 if gone else 0
    chosen = [fault for fault in FAULTS if given.floor in (None, fault[0])][given.first::given.every]
    copy_tree()
    if not (TREE / "build/dev/build.ninja").exists():
        subprocess.run(["cmake", "--preset", "dev", "-DWATTFILL_BENCH=OFF"], cwd=TREE, check=True, stdout=subprocess.DEVNULL)
    survivors, usual_s = [], {}
    with open(WORK / "result.csv", "w", newline="", encoding="utf-8") as out:
        table = csv.writer(out, lineterminator="\n")
        table.writerow(("floor", "file", "fault", "outcome", "test_s"))
        for floor, name, old, new, what in sorted(chosen, key=lambda fault: fault[0]):
            if floor not in usual_s:
                done = build(floor, given.jobs)
                fine, usual_s[floor] = run_tests(floor, 1200) if done.returncode == 0 else (False, 0)
                if not fine:
                    sys.exit(f"the tests of {floor} fail without any fault\n{done.stdout[-3000:]}")
            file = TREE / "src" / name
            text = file.read_text(encoding="utf-8")
            file.write_text(plant(text, old, new), encoding="utf-8")
            try:
                took = 0.0
                if build(floor, given.jobs).returncode != 0:
                    outcome = "does not compile"
                else:
                    fine, took = run_tests(floor, max(60, 10 * usual_s[floor]))
                    outcome = "SURVIVED" if fine else "caught"
            finally:
                file.write_text(text, encoding="utf-8")
            table.writerow((floor, name, what, outcome, f"{took:.1f}"))
            out.flush()
            print(f"{outcome:17} {floor:12} {name}: {what}", flush=True)
            if outcome == "SURVIVED":
                survivors.append(what)
    print(f"{len(chosen)} faults, {len(survivors)} survived")
    return 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main())
