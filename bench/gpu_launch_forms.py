#!/usr/bin/env python3
# Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures persistent regions of kernels in other forms than a thread for each point; prints one table.

    bench/gpu_launch_forms.py --binaries build/gpu/bin --gpus 1 2

Each form (bench/gpu/apps/launch_forms.cu) is run as nvcc compiles it, on one GPU, one launch after
the other, and as a region. Arrays must come out the same bit by bit, sums of doubles within 1e-9.
The exit code is 1 if a program fails or results differ.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys

SIZES = {"points": ("256x256x256", "512x512x512"), "doubles": ("256x256x256", "512x512x512"),
         "wave": ("256x256x256", "512x512x512"), "lattice": ("1024x1024x9", "3072x3072x9"),
         "inside": ("256x256x256", "512x512x512"),
         "columns": ("256x256x256", "512x512x512"),
         "queues": ("256x256x256", "512x512x512"), "periodic": ("4096x4096",),
         "line": ("256x256x256", "512x512x512"), "swap": ("4096x4096",), "copy": ("4096x4096",),
         "vectors": ("4096x4096",), "borders": ("4096x4096",), "axpy": ("4096x4096",),
         "axpy_vectors": ("4096x4096",), "dot": ("4096x4096",), "fdtd": ("1024x1024", "4096x4096")}
STEPS = {"1024x1024": 2000, "1024x1024x9": 1000, "3072x3072x9": 100, "256x256x256": 500,
         "512x512x512": 100, "4096x4096": 500}
SECONDS = 60


def measure(command):
    """What the processes print, of which the slowest counts and which must agree; or why not."""
    environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS,
                              env=environment, check=False)
    except subprocess.TimeoutExpired:
        return None, f"took more than {SECONDS} s"
    if done.returncode != 0:
        return None, (done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1]
    found = [json.loads(line) for line in done.stdout.splitlines()]
    if len({one["digest"] for one in found}) != 1:
        return None, "the processes have different arrays"
    return max(found, key=lambda one: one["us"]), ""


def differs(one, other):
    return (one["digest"] != other["digest"]
            or abs(one["sum"] - other["sum"]) > 1e-9 * abs(one["sum"]))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--binaries", type=pathlib.Path, required=True)
    parser.add_argument("--gpus", type=int, nargs="+", default=[1])
    options = parser.parse_args()
    plain, region = options.binaries / "apps_launch_forms_plain", options.binaries / "apps_launch_forms"
    failed = False
    print("| form | size | GPUs | launches | region | ratio |\n|---|---|---|---|---|---|")
    for form, sizes in SIZES.items():
        for size in sizes:
            arguments = [form, size, str(STEPS[size])]
            expected, why = measure([plain, *arguments])
            for gpus in options.gpus if expected else []:
                launcher = ["mpirun", "--bind-to", "none", "-np", str(gpus)] if gpus > 1 else []
                found, why = measure([*launcher, region, *arguments])
                if found and differs(expected, found):
                    found, why = None, "the results differ"
                if not found:
                    break
                print(f"| {form} | {size} | {gpus} | {expected['us']:.4g} µs | {found['us']:.4g} µs | "
                      f"{found['us'] / expected['us']:.2f} |", flush=True)
            if why:
                failed = True
                print(f"| {form} | {size} | failed: {why} | | | |", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
