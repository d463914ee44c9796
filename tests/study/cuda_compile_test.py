#!/usr/bin/env python3
"""What can be known of the CUDA code without a device: it compiles for every architecture asked for, keeps everything in registers, and contracts nothing.

    cuda_compile_test.py SOURCE_DIR     exit 77 where there is no nvcc
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ARCHITECTURES = (75, 80, 90, 100)
KERNELS = ("score_kernel", "fold_kernel", "curve_kernel")
FUSED = re.compile(r"\bfma\.rn\.f64\b")


def main():
    source = pathlib.Path(sys.argv[1]).resolve()
    nvcc = shutil.which("nvcc") or shutil.which("/usr/local/cuda/bin/nvcc")
    if nvcc is None:
        print("SKIPPED: no nvcc here, so that nothing is known of the CUDA code")
        return 77
    flags = re.search(r"COMPILE_LANGUAGE:CUDA>:([^>]*)>", (source / "CMakeLists.txt").read_text(encoding="utf-8")).group(1).split(";")
    failures = [] if "--fmad=false" in flags else ["CMakeLists.txt does not compile CUDA with --fmad=false"]

    def compiled(file, folder, *options):
        done = subprocess.run([nvcc, "-std=c++20", "-O3", "-I", source / "include", "-I", source / "src", *options, source / "src/study" / file], cwd=folder,
                              text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        if done.returncode != 0:
            failures.append(f"{file} does not compile:\n{done.stdout}")
        return done.stdout

    with tempfile.TemporaryDirectory(prefix="wattfill-cuda-") as folder:
        targets = [f"-gencode=arch=compute_{a},code=sm_{a}" for a in ARCHITECTURES]
        report = compiled("cuda_launch.cu", folder, *flags, *targets, "--threads=0", "--keep", "-Xptxas=-v", "-c")
        used = re.findall(rf"Function properties for \S*?({'|'.join(KERNELS)})\S*\n\s*(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads", report)
        if not failures and len(used) != len(ARCHITECTURES) * len(KERNELS):
            failures.append(f"{len(used)} kernels were reported on, {len(ARCHITECTURES) * len(KERNELS)} were expected:\n{report}")
        failures += [f"{name} spills, or keeps memory on the stack: {numbers}" for name, *numbers in used if set(numbers) != {"0"}]
        kept = list(pathlib.Path(folder).glob("*.ptx"))
        if not failures and len(kept) != len(ARCHITECTURES):
            failures.append(f"{len(kept)} files of PTX were kept, one for each architecture was expected")
        failures += [f"{file.name} holds a fused multiply-add" for file in kept if FUSED.search(file.read_text(encoding="utf-8"))]
        compiled("cuda_driver.cu", folder, *flags, "-arch=sm_75", "-c")
    with tempfile.TemporaryDirectory(prefix="wattfill-cuda-") as folder:  # the search above can fail: left to itself, the compiler does fuse
        compiled("cuda_launch.cu", folder, "-arch=sm_75", "-ptx", "-o", "fused.ptx")
        if not failures and not FUSED.search((pathlib.Path(folder) / "fused.ptx").read_text(encoding="utf-8")):
            failures.append("no fused multiply-add where the compiler may make some: the search for them finds nothing")
    print("\n".join(failures) or f"no spills, no stack, no fused multiply-add for sm_{', sm_'.join(map(str, ARCHITECTURES))}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
