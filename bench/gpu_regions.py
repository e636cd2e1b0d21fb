#!/usr/bin/env python3
# Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures persistent regions on GPUs against the same kernels without them; prints one table.

    bench/gpu_regions.py --binaries gpu/bin --gpus 1 2 4 --json regions.json
    bench/gpu_regions.py --plot regions.json regions.png

Jacobi, heat and horizontal diffusion in float, each the same kernels in blocks of 256 threads
(bench/gpu/apps/region_apps.h), Jacobi with the norm of the change in every step:

    graph   the program on one GPU, all steps in a CUDA graph
    mpi     MPI and graphs, the edges first, which travel while the other rows are computed
    probe   Jacobi written by hand as one persistent kernel; the best of its shapes
    region  the program as a persistent region; on one GPU also by its launches, if these are
            faster, unless GPURMA_PERSISTENT=always keeps to the kernel

jacobi2d_atomic is a region whose kernel adds to the norm by an atomic for each point, as a program
is first written. As a graph or with MPI nobody would run that: it is compared with what is measured
for jacobi2d, if that is among --apps (mpi and probe are in any case).

All must have the same result, bit by bit, with any number of GPUs, and the same norm but for the
order of its additions. "exchange" is the part of an MPI step that it would not take without its
messages and copies. A variant that could not be measured is shown as that, with its reason, and
never counts as a target met; what a program was to measure after a failure is measured by another
run of it. The exit code is 1 if a program fails, results differ or a target is missed.
"""

import sys

from gpu import (Runner, application_parser, differing_results, first_gpu, met_text,
                 parse_applications, report_applications, rounded)

SECONDS = 90
REPETITIONS, QUICK_REPETITIONS = 5, 3
THREADS = 256
# Size and steps, and the steps if it is to be quick. The norm of Jacobi is looked at after each
# hundred. "tiny" only shows that everything runs, and has no targets.
JACOBI_SIZES = {"tiny": ("64x270", 10, 10), "small": ("1024x1024", 5000, 2000),
                "medium": ("4096x4096", 1500, 500), "large": ("16384x16384", 200, 100)}
SIZES = {
    "jacobi2d": JACOBI_SIZES,
    "jacobi2d_atomic": JACOBI_SIZES,
    "heat3d": {"tiny": ("34x20x64", 6, 6), "small": ("128x128x128", 5000, 2000),
               "medium": ("256x256x256", 1500, 500), "large": ("512x512x512", 300, 100)},
    "horizontal_diffusion": {"tiny": ("34x130x4", 6, 6), "small": ("128x128x16", 3000, 1000),
                             "medium": ("512x512x32", 1000, 300),
                             "large": ("1024x1024x128", 100, 50)},
}
KINDS = ("tiny", "small", "medium", "large")
# A region that is compared with what is measured for another application.
BASELINES_OF = {"jacobi2d_atomic": "jacobi2d"}
# What "region" is compared with comes first.
BASELINES = ("graph", "mpi", "probe")
VARIANTS = (*BASELINES, "region")
# What a region must reach: no more than so many times the time of the graph and of the probe; to be
# so many times as fast as MPI where the exchange is more than that part of its step; and for
# Jacobi so many µs on that many GPUs.
GRAPH_FACTOR = 1.02
PROBE_FACTOR = 1.1
MPI_FACTOR, EXCHANGE_SHARE = 1.3, 0.2
MICROSECONDS = {("1024x1024", 8): 9, ("4096x4096", 8): 13, ("16384x16384", 8): 185}
# Norms differ by the order of their additions.
NORM_TOLERANCE = 0.02
# So many runs of a program that print nothing, and it is not tried again.
VAIN_RUNS = 2


def measured_as(app, variant):
    return app if variant == "region" else BASELINES_OF.get(app, app)


class Programs:
    """Which program measures a variant, and how it is called."""

    def __init__(self, binaries, runner, arguments):
        self.binaries = binaries
        self.runner = runner
        self.quick = arguments.quick

    def measures(self, variant, app, gpus):
        """Whether there is anything to measure; the graph is measured with the region."""
        if variant == "probe":
            return app == "jacobi2d"
        return variant == "region" or variant == "mpi" and gpus > 1

    def words(self, app, kinds):
        size = {kind: SIZES[app][kind] for kind in kinds}
        return ["--repetitions", str(QUICK_REPETITIONS if self.quick else REPETITIONS),
                *(f"{extents}:{quick if self.quick else steps}"
                  for extents, steps, quick in size.values())]

    def run(self, variant, gpus, tasks):
        """Tasks are pairs of an application and a kind of size. Whether all went well."""
        kinds = {}
        for app, kind in tasks:
            kinds.setdefault(app, []).append(kind)
        if variant == "probe":
            return self.runner.run(self.path("persistent_jacobi"), "--gpus", str(gpus),
                                   *self.words("jacobi2d", kinds["jacobi2d"]))
        words = [word for app, of_app in kinds.items()
                 for word in (app, "--threads", str(THREADS), *self.words(app, of_app))]
        if variant == "mpi":
            return self.runner.run(self.path("mpi_graph"), *words, processes=gpus)
        # A region that waits in vain is to say so before it is ended.
        return self.runner.run(self.path("regions"), *words, processes=gpus,
                               GPURMA_TIMEOUT=str(max(self.runner.seconds // 4, 1)))

    def path(self, name):
        """As the target gpu_tests calls it, or as the CPU target's build does."""
        carried = self.binaries / f"apps_{name}"
        return carried if carried.exists() else self.binaries / name


def measure(programs, runner, arguments):
    """Why what was not measured: (application, size, GPUs, variant) to a reason."""
    reasons = {}
    for gpus in arguments.gpus:
        for variant in arguments.variants:
            apps = dict.fromkeys(measured_as(app, variant) for app in arguments.apps)
            tasks = [(app, kind) for app in apps for kind in arguments.sizes
                     if programs.measures(variant, app, gpus)]
            for task, why in measure_tasks(programs, runner, variant, gpus, tasks).items():
                reasons[task[0], SIZES[task[0]][task[1]][0], gpus, variant] = why
    return reasons


def measure_tasks(programs, runner, variant, gpus, tasks):
    """What one variant has to measure with some GPUs. Why tasks have no figure."""
    reasons, vain = {}, 0
    while tasks:
        before = len(runner.lines)
        well = programs.run(variant, gpus, tasks)
        found = {(line["what"], line["size"]) for line in runner.lines[before:]
                 if line["by"] == variant}
        tasks = [(app, kind) for app, kind in tasks if (app, SIZES[app][kind][0]) not in found]
        vain = 0 if found else vain + 1
        if tasks:
            # Tasks are measured in order: the first without a figure is the one that failed.
            last = runner.runs[-1]
            why = "no figure" if well else ": ".join(filter(None, (
                last["why"], (last["messages"].splitlines() or [""])[0])))
            reasons[tasks.pop(0)] = why
        if vain == VAIN_RUNS:
            reasons.update((task, "not tried after that") for task in tasks)
            break
    return reasons


def with_baselines(lines, apps):
    """And those that are measured for another application."""
    return lines + [{**line, "what": app} for app in apps for line in lines
                    if line["what"] == measured_as(app, line["by"]) != app]


def differing_norms(lines):
    """As differing_results(), of the norms of the last step."""
    found = {}
    for line in lines:
        if "norm" in line:
            found.setdefault((line["what"], line["size"]), {})[
                f"{line['by']} on {line['gpus']}"] = line["norm"]
    return {key: "norm " + ", ".join(f"{norm:g} by {by}" for by, norm in norms.items())
            for key, norms in found.items()
            if max(norms.values()) - min(norms.values()) > NORM_TOLERANCE * max(norms.values())}


def judge(row):
    """The row's ratios, target in words, and whether it is met: None if a part is missing."""
    times, ours = row["us"], row["us"]["region"]
    ratios = {by: ours / times[by] if ours and times[by] else None for by in BASELINES}
    targets = []
    if row["gpus"] == 1:
        targets.append((f"≤ {GRAPH_FACTOR:g} × graph", ratios["graph"], GRAPH_FACTOR))
    if measured_as(row["what"], "probe") == "jacobi2d":
        targets.append((f"≤ {PROBE_FACTOR:g} × probe", ratios["probe"], PROBE_FACTOR))
        if (limit := MICROSECONDS.get((row["size"], row["gpus"]))) is not None:
            targets.append((f"≤ {limit} µs", ours, limit))
    elif row["gpus"] > 1 and (row["exchange"] is None or row["exchange"] > EXCHANGE_SHARE):
        targets.append((f"≤ mpi / {MPI_FACTOR:g}", ratios["mpi"], 1 / MPI_FACTOR))
    if row["kind"] == "tiny":
        targets = []
    held = [None if value is None else value <= limit for _, value, limit in targets]
    met = "" if not held else False if False in held else None if None in held else True
    return {**{f"ratio to {by}": ratio for by, ratio in ratios.items()},
            "target": ", ".join(text for text, *_ in targets),
            "met": False if row["wrong"] else met}


def best_line(lines, **fields):
    """The probe has several lines; of a region that was measured twice the better counts, too."""
    found = [line for line in lines if all(line[name] == value for name, value in fields.items())]
    return min(found, key=lambda line: line["us"], default=None)


def make_rows(lines, arguments, reasons, wrong):
    rows = []
    for app in arguments.apps:
        for kind in arguments.sizes:
            size = SIZES[app][kind][0]
            for gpus in arguments.gpus:
                best = {by: best_line(lines, what=app, size=size, gpus=gpus, by=by)
                        for by in VARIANTS}
                mpi, probe = best["mpi"], best["probe"]
                row = {"what": app, "kind": kind, "size": size, "gpus": gpus,
                       "us": {by: line and line["us"] for by, line in best.items()},
                       "failed": [by for by in VARIANTS
                                  if (measured_as(app, by), size, gpus, by) in reasons],
                       "exchange": mpi and max(0.0, 1 - mpi["alone"] / mpi["us"]),
                       "exchanged in": mpi and mpi["exchange"],
                       "set-up": best["region"] and best["region"]["set_up"],
                       "probe's tile": probe and f"{probe['tile']}, {probe['acquires by']}",
                       "wrong": (app, size) in wrong}
                rows.append({**row, **judge(row)})
    return rows


def table(rows):
    lines = ["| program | size | GPUs | " + " | ".join(VARIANTS) + " | to graph | to mpi "
             "| to probe | exchange | set-up | target | met |", "|" + "---|" * 14]
    for row in rows:
        times = ["failed" if by in row["failed"] else "–" if row["us"][by] is None
                 else f"{row['us'][by]:.4g} µs" for by in VARIANTS]
        share = "–" if row["exchange"] is None else f"{100 * row['exchange']:.0f} %"
        cells = [row["what"], row["size"], str(row["gpus"]), *times,
                 *(rounded(row[f"ratio to {by}"], ".2f") for by in BASELINES),
                 share, "–" if row["set-up"] is None else f"{row['set-up'] / 1e3:.3g} ms",
                 row["target"], "results differ" if row["wrong"] else met_text(row["met"])]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def main():
    parser = application_parser(__doc__, SIZES, KINDS, VARIANTS, [1, 2])
    parser.set_defaults(sizes=list(KINDS[1:]))
    parser.add_argument("--seconds", type=int, default=SECONDS, metavar="N",
                        help="how long a program may run (default %(default)s)")
    arguments = parse_applications(parser, VARIANTS)
    if arguments is None:
        return 0
    gpu = first_gpu(parser, arguments.gpus)

    runner = Runner(arguments.seconds)
    reasons = measure(Programs(arguments.binaries.resolve(), runner, arguments), runner, arguments)
    lines = with_baselines(runner.lines, arguments.apps)
    wrong = differing_results(lines)
    for key, text in differing_norms(lines).items():
        wrong[key] = "; ".join(filter(None, (wrong.get(key), text)))
    rows = make_rows(lines, arguments, reasons, wrong)
    unmeasured = [(f"{app} {size}", count, by, why)
                  for (app, size, count, by), why in reasons.items()]
    return report_applications(arguments, gpu, runner, rows, table(rows), unmeasured, wrong)


if __name__ == "__main__":
    sys.exit(main())
