#!/usr/bin/env python3
# Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures applications on GPUs against hand-written programs; prints one table.

    bench/gpu_apps.py --binaries build/bin/bench --gpus 1 2 4 --json results.json
    bench/gpu_apps.py --plot results.json applications.png

jacobi2d and horizontal_diffusion, with the same arithmetic in all variants (bench/gpu/apps):

    staged      CUDA kernels and MPI, one after the other
    overlapped  the same with streams and graphs; with one GPU the plain kernels in a graph
    nvshmem     kernels that put their edges themselves; compiled here if Python has NVSHMEM
    gpurma      annotated kernels

All variants must have the same result, bit by bit, with any number of GPUs. A variant that could not
be measured is shown as that, with its reason, and never counts as a target met. The exit code is 1
if a program fails, results differ or a target is missed.
"""

import pathlib
import shlex
import sys
import tempfile

from gpu import (SOURCES, Runner, application_parser, compile_nvshmem, differing_results,
                 first_gpu, library_path, met_text, parse_applications, report_applications,
                 rounded, size_of)

SECONDS = 60
REPETITIONS, QUICK_REPETITIONS = 5, 2
# Size and steps: bound by latencies, then within the caches of several GPUs, then by memory. So many
# steps that the launch of a kernel that makes them all does not count.
SIZES = {
    "jacobi2d": {"small": "1024x1024:5000", "medium": "4096x4096:2000", "large": "16384x16384:200"},
    "horizontal_diffusion": {"small": "128x128x16:5000", "medium": "512x512x32:2000",
                             "large": "1024x1024x128:200"},
}
HAND_WRITTEN = ("staged", "overlapped", "nvshmem")
VARIANTS = (*HAND_WRITTEN, "gpurma")
# What gpurma must reach: so many times as fast as staged, where there is something to exchange, and
# no more than so many times the time of the best hand-written variant, and of one GPU's graph.
STAGED_FACTOR = 1.25
BEST_FACTOR = 1.03
GRAPH_FACTOR = 1.0


class Programs:
    """Which program measures a variant, how it is called, or why it cannot be."""

    def __init__(self, binaries, gpurma_arguments):
        self.binaries = binaries
        self.gpurma_arguments = gpurma_arguments
        self.nvshmem = None
        self.nvshmem_libraries = None
        self.why_no_nvshmem = ""

    def compile_nvshmem(self, scratch, architecture):
        compiled, self.why_no_nvshmem = compile_nvshmem(SOURCES / "apps" / "nvshmem.cu", scratch,
                                                        architecture)
        if compiled is not None:
            self.nvshmem, self.nvshmem_libraries = compiled

    def obstacle(self, variant, gpus):
        if variant == "nvshmem":
            return "nothing to put on one GPU" if gpus == 1 else self.why_no_nvshmem
        return ""

    def run(self, runner, app, variant, gpus, arguments):
        if variant == "gpurma":
            return runner.run(self.binaries / f"apps_{app}", *self.gpurma_arguments, *arguments,
                              processes=gpus, GPURMA_TIMEOUT=str(SECONDS // 3))
        if variant == "nvshmem":
            return runner.run(self.nvshmem, app, *arguments, processes=gpus,
                              LD_LIBRARY_PATH=library_path(self.nvshmem_libraries),
                              NVSHMEM_SYMMETRIC_SIZE="6G")
        return runner.run(self.binaries / f"apps_{variant}", app, *arguments, processes=gpus)


def measure(programs, runner, arguments):
    """Why variants were not measured: (application, GPUs, variant) to a reason."""
    repetitions = QUICK_REPETITIONS if arguments.quick else REPETITIONS
    reasons = {}
    for gpus in arguments.gpus:
        for app in arguments.apps:
            for variant in arguments.variants:
                reason = programs.obstacle(variant, gpus)
                if not reason:
                    sizes = [SIZES[app][size] for size in arguments.sizes]
                    if not programs.run(runner, app, variant, gpus,
                                        ["--repetitions", str(repetitions), *sizes]):
                        reason = "failed"
                if reason:
                    reasons[app, gpus, variant] = reason
    return reasons


def judge(times, gpus, right):
    """The row's ratios, target in words, and whether it is met: None if a part is missing."""
    ours = times["gpurma"]
    staged = times["staged"]
    others = [times[variant] for variant in HAND_WRITTEN if times[variant] is not None]
    best = min(others, default=None)
    graph = times["overlapped"]
    row = {"ratio to staged": ours / staged if ours and staged else None,
           "ratio to best": ours / best if ours and best else None}
    limits = [ours <= BEST_FACTOR * best if ours and best else None]
    if gpus == 1:
        row["target"] = f"≤ {GRAPH_FACTOR:g} × graph, ≤ {BEST_FACTOR:g} × best"
        limits.append(ours <= GRAPH_FACTOR * graph if ours and graph else None)
    else:
        row["target"] = f"≤ {1 / STAGED_FACTOR:g} × staged, ≤ {BEST_FACTOR:g} × best"
        limits.append(ours * STAGED_FACTOR <= staged if ours and staged else None)
    # A variant that was not measured might have been the best.
    expected = [variant for variant in HAND_WRITTEN if variant != "nvshmem" or gpus > 1]
    if any(times[variant] is None for variant in expected):
        limits.append(None)
    if not right or False in limits:
        row["met"] = False
    else:
        row["met"] = None if None in limits else True
    return row


def make_rows(lines, gpu_counts, apps, sizes):
    wrong = differing_results(lines)
    rows = []
    for app in apps:
        for size in sizes:
            extents = size_of(SIZES[app][size])
            for gpus in gpu_counts:
                times = {variant: next((line["us"] for line in lines
                                        if (line["what"], line["by"], line["gpus"], line["size"])
                                        == (app, variant, gpus, extents)), None)
                         for variant in VARIANTS}
                rows.append({"what": app, "kind": size, "size": extents, "gpus": gpus,
                             "us": times,
                             **judge(times, gpus, (app, extents) not in wrong)})
    return rows


def table(rows):
    lines = ["| application | size | GPUs | " + " | ".join(VARIANTS)
             + " | ratio to staged | ratio to best | target | met |", "|" + "---|" * 11]
    for row in rows:
        times = [rounded(row["us"][variant], ".4g") + " µs" * (row["us"][variant] is not None)
                 for variant in VARIANTS]
        cells = [row["what"], f"{row['kind']}, {row['size']}", str(row["gpus"]), *times,
                 rounded(row["ratio to staged"], ".2f"), rounded(row["ratio to best"], ".2f"),
                 row["target"], met_text(row["met"])]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def main():
    parser = application_parser(__doc__, SIZES, ("small", "medium", "large"), VARIANTS, [1, 2])
    parser.add_argument("--gpurma-arguments", type=shlex.split, default=[], metavar="WORDS",
                        help="more arguments for gpurma's programs: '--threads 512 --blocks 1'")
    arguments = parse_applications(parser, VARIANTS)
    if arguments is None:
        return 0
    gpu = first_gpu(parser, arguments.gpus)

    runner = Runner(SECONDS)
    programs = Programs(arguments.binaries.resolve(), arguments.gpurma_arguments)
    with tempfile.TemporaryDirectory() as scratch:
        if "nvshmem" in arguments.variants and max(arguments.gpus) > 1:
            programs.compile_nvshmem(pathlib.Path(scratch), "sm_" + gpu[2].replace(".", ""))
        reasons = measure(programs, runner, arguments)
    rows = make_rows(runner.lines, arguments.gpus, arguments.apps, arguments.sizes)
    unmeasured = [(app, count, variant, why) for (app, count, variant), why in reasons.items()]
    return report_applications(arguments, gpu, runner, rows, table(rows), unmeasured,
                               differing_results(runner.lines))


if __name__ == "__main__":
    sys.exit(main())
