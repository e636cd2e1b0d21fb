#!/usr/bin/env python3
# Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures gpurma on the CPU target and prints one table; --json also writes the figures.

    cmake --preset release -DGPURMA_BUILD_BENCH=ON && cmake --build --preset release
    bench/run.py --build build --json results.json

Three things are measured, each several times, and the median and the spread of the repetitions are
given. What is compared runs alternately, so that both see the same noise of the machine. If other
work runs there, start it as root with `chrt -f 1 bench/run.py …`.

  compile    each example: gpurmacc against the backend compiler alone on the lowered source
  put        a notified put of 8 bytes, on one device and between processes, against a plain MPI
             ping-pong of the same size
  diffusion  a step of examples/horizontal_diffusion against the same stencils in plain OpenMP
"""

import argparse
import json
import os
import pathlib
import platform
import re
import shlex
import statistics
import subprocess
import sys
import tempfile
import time

SOURCE = pathlib.Path(__file__).resolve().parent.parent
MPIRUN = ["mpirun", "--allow-run-as-root", "--bind-to", "none"]
TARGETS = {"compile": 1.5, "put": 3.0}


def run(command, **environment):
    """The standard output of a command that must succeed."""
    done = subprocess.run(
        [str(word) for word in command],
        env={**os.environ, **{name: str(value) for name, value in environment.items()}},
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=600)
    if done.returncode != 0:
        sys.exit(f"{shlex.join(map(str, command))}\nended with {done.returncode}:\n"
                 f"{done.stdout}{done.stderr}")
    return done.stdout


def seconds(command):
    start = time.perf_counter()
    run(command)
    return time.perf_counter() - start


def figure(pattern, output):
    found = re.search(pattern, output)
    if not found:
        sys.exit(f"no '{pattern}' in:\n{output}")
    return float(found.group(1))


class Results:
    """Rows of the table: what, ours, the other one's, their ratio, and the target of the ratio."""

    def __init__(self):
        self.rows = []

    def add(self, kind, what, unit, ours, other_name, other):
        ratio = statistics.median(ours) / statistics.median(other)
        self.rows.append({
            "kind": kind, "what": what, "unit": unit, "against": other_name,
            "gpurma": {"median": statistics.median(ours), "all": ours},
            "other": {"median": statistics.median(other), "all": other},
            "ratio": ratio, "target": TARGETS.get(kind)})

    def table(self):
        lines = ["| what | gpurma | against | ratio | target |", "|---|---|---|---|---|"]
        for row in self.rows:
            def cell(side):
                return (f"{row[side]['median']:.3g} {row['unit']} "
                        f"({min(row[side]['all']):.3g}–{max(row[side]['all']):.3g})")
            target = f"≤ {row['target']}" if row["target"] else "–"
            lines.append(f"| {row['what']} | {cell('gpurma')} | {row['against']} {cell('other')} "
                         f"| {row['ratio']:.2f} | {target} |")
        return "\n".join(lines)


def measure_compile(build, repetitions, results, scratch):
    gpurmacc = build / "bin" / "gpurmacc"
    for source in sorted((SOURCE / "examples").glob("*/*.cu")):
        command = [gpurmacc, "--gpurma-target=cpu", "-O3", "-c", source, "-o",
                   scratch / f"{source.stem}.o"]
        # --show prints the lowering first, then what the backend does with its result.
        lowering, *backend = run([*command, "--show"]).splitlines()
        run(shlex.split(lowering))
        whole, alone = [], []
        for _ in range(repetitions):
            whole.append(seconds(command))
            alone.append(sum(seconds(shlex.split(line)) for line in backend))
        results.add("compile", f"compile {source.stem}", "s", whole, "backend alone", alone)


def measure_put(build, repetitions, results):
    program = build / "bin" / "bench" / "put_latency"
    for threads in (1, 8, 32):
        same, between, mpi = [], [], []
        for _ in range(repetitions):
            output = run([*MPIRUN, "-np", 1, program, "--threads", threads], GPURMA_CPU_RANKS=2)
            same.append(figure(r"notified put: ([\d.]+) us", output))
            output = run([*MPIRUN, "-np", 2, program, "--threads", threads], GPURMA_CPU_RANKS=1)
            between.append(figure(r"notified put: ([\d.]+) us", output))
            mpi.append(figure(r"MPI: ([\d.]+) us", output))
        for where, ours in (("same device", same), ("between processes", between)):
            results.add("put", f"notified put, 8 B, {where}, blocks of {threads}, one way", "µs", ours,
                        "MPI", mpi)


def measure_diffusion(build, repetitions, results, steps):
    ours_program = build / "bin" / "examples" / "horizontal_diffusion"
    other_program = build / "bin" / "bench" / "horizontal_diffusion_openmp"
    size = (512, 512, 16)
    cores = len(os.sched_getaffinity(0))
    for processes in (1, 2):
        ours, other = [], []
        for _ in range(repetitions):
            output = run([*MPIRUN, "--oversubscribe", "-np", processes, ours_program,
                          "--steps", steps])
            variance = figure(r"before, ([\d.]+) after", output)
            ours.append(figure(r"time per step: ([\d.]+) ms", output))
            output = run([other_program, *size, steps], OMP_NUM_THREADS=cores)
            other.append(figure(r"time per step: ([\d.]+) ms", output))
            expected = figure(r"variance after: ([\d.]+)", output)
            if abs(variance - expected) > 1e-8:
                sys.exit(f"the variance is {variance}, but {expected} with OpenMP")
        results.add("diffusion", f"horizontal diffusion 512×512×16, {processes} process(es), step",
                    "ms", ours, f"OpenMP, {cores} threads,", other)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, required=True, help="the build folder")
    parser.add_argument("--repetitions", type=int, default=7)
    parser.add_argument("--steps", type=int, default=20, help="of the diffusion")
    parser.add_argument("--only", choices=["compile", "put", "diffusion"])
    parser.add_argument("--json", type=pathlib.Path, help="where to write all figures")
    arguments = parser.parse_args()
    build = arguments.build.resolve()

    results = Results()
    with tempfile.TemporaryDirectory() as scratch:
        if arguments.only in (None, "compile"):
            measure_compile(build, arguments.repetitions, results, pathlib.Path(scratch))
    if arguments.only in (None, "put"):
        measure_put(build, arguments.repetitions, results)
    if arguments.only in (None, "diffusion"):
        measure_diffusion(build, arguments.repetitions, results, arguments.steps)

    print(results.table())
    if arguments.json:
        arguments.json.write_text(json.dumps({
            "machine": {"cores": os.cpu_count(), "processor": platform.processor() or
                        platform.machine(), "load": os.getloadavg()[0]},
            "gpurmacc": run([build / "bin" / "gpurmacc", "--version"]).splitlines(),
            "repetitions": arguments.repetitions, "rows": results.rows}, indent=1) + "\n")
    missed = [row for row in results.rows if row["target"] and row["ratio"] > row["target"]]
    for row in missed:
        print(f"missed: {row['what']}: ratio {row['ratio']:.2f}, target ≤ {row['target']}",
              file=sys.stderr)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
