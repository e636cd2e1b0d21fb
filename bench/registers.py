#!/usr/bin/env python3
# Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lists what directives cost the kernels of the examples in registers; prints one table.

    bench/registers.py --gpurmacc build/bin/gpurmacc --architecture sm_90

Each example is lowered once and then compiled twice by nvcc: with gpurma, and with directives that
do nothing (bench/elided). Registers and spilled bytes are those of a thread, shared memory is that
of a block; they are what ptxas reports of the kernel itself, without functions that it calls. No GPU
is needed. The exit code is 1 if something does not compile.
"""

import argparse
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
SECONDS = 300


def run(command):
    """Its standard error, or the end of the program with what it said."""
    done = subprocess.run([str(word) for word in command], stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=SECONDS)
    if done.returncode != 0:
        sys.exit(f"{command[0]} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout + done.stderr


def kernels(report):
    """What ptxas says about each kernel: name to registers, spilled bytes and shared memory."""
    found = {}
    parts = re.split(r"Compiling entry function '(\w+)'", report)
    for name, text in zip(parts[1::2], parts[2::2]):
        own = re.search(rf"Function properties for {name}\s+(\d+) bytes stack frame, "
                        r"(\d+) bytes spill stores, (\d+) bytes spill loads", text)
        used = re.search(r"Used (\d+) registers(.*)", text)
        shared = re.search(r"(\d+) bytes smem", used.group(2))
        found[name] = (int(used.group(1)), int(own.group(2)) + int(own.group(3)),
                       int(shared.group(1)) if shared else 0)
    return found


def readable(name):
    """The kernel's name without its parameters."""
    if shutil.which("c++filt"):
        name = run(["c++filt", name]).strip()
    return re.sub(r"^void ", "", re.sub(r"\(.*", "", name))


def measure(source, gpurmacc, architecture, scratch):
    """One row for each kernel: its name, without directives, with them."""
    lowered = scratch / source.with_suffix(".gpurma.cu").name
    run([gpurmacc, "--gpurma-target=cuda", f"--gpurma-emit-source={lowered}", source])
    if "::gpurma::stages::region<" in lowered.read_text():
        return []  # without the library there is no kernel of which it could be a part
    include = gpurmacc.resolve().parent.parent / "include"
    compile_by = ["nvcc", "-x", "cu", "-std=c++17", "-O3", f"-arch={architecture}", "-cubin",
                  "-Xptxas", "-v", "-DGPURMA_TARGET_CUDA=1", "-include", "gpurma/gpurma.h", "-I",
                  source.parent]
    plain, full = (kernels(run([*compile_by, *folders, lowered, "-o", scratch / "kernels.cubin"]))
                   for folders in (["-I", ROOT / "bench" / "elided", "-I", include],
                                   ["-I", include]))
    return [(readable(name), plain[name], full[name]) for name in full if name in plain]


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gpurmacc", type=pathlib.Path, required=True, metavar="FILE")
    parser.add_argument("--architecture", default="sm_90", metavar="SM")
    arguments = parser.parse_args()
    print("| example | kernel | registers without | with | spilled bytes without | with "
          "| shared bytes without | with |\n" + "|" + "---|" * 8)
    for source in sorted(ROOT.glob("examples/*/*.cu")):
        with tempfile.TemporaryDirectory() as scratch:
            rows = measure(source, arguments.gpurmacc, arguments.architecture,
                           pathlib.Path(scratch))
        for name, plain, full in rows:
            cells = [str(value) for pair in zip(plain, full) for value in pair]
            print(f"| {source.stem} | `{name}` | " + " | ".join(cells) + " |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
