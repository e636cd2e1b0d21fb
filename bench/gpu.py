#!/usr/bin/env python3
# Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures notified access on GPUs against the bare machine and NVSHMEM; prints one table.

    bench/gpu.py --binaries build/bin/bench --gpus 2 --json results.json

In DIR of --binaries lie floor, mpi_pingpong and notified_access of bench/gpu. nvshmem_peer.cu is
compiled here if Python has NVSHMEM's package; otherwise, and with one GPU, that column is empty.
Every program prints one JSON object per figure. The floor is measured before and after everything
else, for the absolute times of a machine drift; the mean of both counts. Of NVSHMEM the best of all
scopes and calls counts. A figure that could not be measured is never replaced by another one. The
exit code is 1 if a target is missed or a program fails.
"""

import argparse
import datetime
import json
import os
import pathlib
import re
import shlex
import signal
import statistics
import subprocess
import sys
import tempfile
import time

SOURCES = pathlib.Path(__file__).resolve().parent / "gpu"
MPIRUN = ["mpirun", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none"]
# A program that uses NVLink multicast can put the GPUs of a machine out of service for others.
ENVIRONMENT = {
    "OMPI_MCA_btl_vader_single_copy_mechanism": "none",
    "NVSHMEM_REMOTE_TRANSPORT": "none",
    "NVSHMEM_DISABLE_NVLS": "1",
    "NVSHMEM_SYMMETRIC_SIZE": "2G",
    "NCCL_NVLS_ENABLE": "0",
}
PROGRAM_SECONDS = 180
UNITS = ("us", "gbps", "per_second")

SAME, PEER, PROXY, HOST = "same device", "peer device", "proxy", "host"
SMALL, MEDIUM, PIPELINE = 8, 8192, 64 << 20

# What gpurma's figures must reach: (what, where, bytes or None for any) to limits. A limit is
# (against, comparison, factor): the ratio of gpurma's figure to the floor's or to NVSHMEM's. What
# stands in the floor's column is named in the end where it is not the same thing done bare.
TARGETS = {
    ("notify (queue)", SAME, None): [("floor", "≤", 1.2)],
    ("notify (queue)", PEER, None): [("floor", "≤", 1.2)],
    ("notify (counter)", SAME, None): [("floor", "≤", 1.2)],
    ("notify (counter)", PEER, None): [("floor", "≤", 1.2)],
    ("put notify", SAME, SMALL): [("floor", "≤", 1.5)],
    ("put notify", PEER, SMALL): [("floor", "≤", 1.5), ("nvshmem", "≤", 0.5)],
    ("put notify", SAME, MEDIUM): [("floor", "≤", 1.15)],
    ("put notify", PEER, MEDIUM): [("floor", "≤", 1.15), ("nvshmem", "<", 1.0)],
    ("put bandwidth", SAME, None): [("floor", "≥", 0.95)],
    ("put bandwidth", PEER, None): [("floor", "≥", 0.95)],
    ("message rate", PEER, None): [("nvshmem", "≥", 1.0)],
    ("wait behind 64 others", SAME, None): [("floor", "≤", 2.0, "gpurma's wait")],
    ("wait behind 64 others", PEER, None): [("floor", "≤", 2.0, "gpurma's wait")],
    ("device barrier", SAME, None): [("floor", "≤", 1.1)],
    ("put notify", PROXY, SMALL): [("floor", "≤", 2.0, "(host round trip + MPI message)")],
    ("put bandwidth", PROXY, PIPELINE): [("floor", "≥", 0.8, "pinned pipeline")],
}
COMPARISONS = {"≤": lambda a, b: a <= b, "<": lambda a, b: a < b, "≥": lambda a, b: a >= b}


class Runner:
    """Runs programs one after the other; keeps what they print, and why one failed."""

    def __init__(self, seconds=PROGRAM_SECONDS):
        self.seconds = seconds
        self.lines = []
        self.runs = []
        self.unavailable = []
        self.failed = []

    def run(self, program, *arguments, processes=0, **environment):
        """Under mpirun with that many processes, or without it for 0."""
        start_by = [*MPIRUN, "-np", str(processes)] if processes else []
        # Results are read elsewhere, so what they show names no folders of this machine.
        shown = shlex.join([f"{name}={value}" for name, value in environment.items()
                            if name.startswith("GPURMA_")] + start_by + [program.name, *arguments])
        print(f"running {shown}", file=sys.stderr)
        start = time.monotonic()
        # Files rather than pipes, so that what was printed before a time-out is still there.
        with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
            code = self.wait_for([*start_by, str(program), *arguments], out, err,
                                 {**os.environ, **ENVIRONMENT, **environment})
            out.seek(0)
            err.seek(0)
            lines, other = figures(out.read())
            messages = "\n".join(filter(None, [other, err.read().strip()]))
        for line in lines:
            self.lines.append({**line, "processes": max(processes, 1), "command": shown})
        why = ""
        if code != 0 or not lines:
            why = {0: "printed no figure", None: f"took longer than {self.seconds} s"}.get(
                code, f"ended with {code}")
        self.runs.append({"command": shown, "code": code, "figures": len(lines), "why": why,
                          "seconds": round(time.monotonic() - start, 1),
                          "messages": messages[-4000:]})
        if why:
            self.failed.append(f"{shown}: {why}, after {len(lines)} figures\n{messages[-2000:]}")
        return code == 0

    def wait_for(self, command, out, err, environment):
        """The exit code, or None if the program had to be ended."""
        try:
            process = subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL,
                                       stdout=out, stderr=err, start_new_session=True)
        except OSError as error:
            err.write(str(error))
            err.flush()
            return 127
        try:
            return process.wait(self.seconds)
        except subprocess.TimeoutExpired:
            # mpirun ends its processes when it is asked to; what is then left is killed.
            for number in (signal.SIGTERM, signal.SIGKILL):
                try:
                    os.killpg(process.pid, number)
                    process.wait(10)
                except (ProcessLookupError, subprocess.TimeoutExpired):
                    pass
            return None


def figures(output):
    """The figures that a program printed, and the rest of its output."""
    lines, other = [], []
    for text in output.splitlines():
        try:
            line = json.loads(text)
        except ValueError:
            line = None
        if isinstance(line, dict) and "what" in line and any(unit in line for unit in UNITS):
            lines.append(line)
        else:
            other.append(text)
    return lines, "\n".join(other)


def query_gpus():
    """Name, driver and architecture of each GPU, as far as nvidia-smi tells."""
    try:
        done = subprocess.run(
            ["nvidia-smi", "--query-gpu=name,driver_version,compute_cap", "--format=csv,noheader"],
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return []
    rows = [[word.strip() for word in row.split(",")] for row in done.stdout.splitlines()]
    return [row for row in rows if len(row) == 3] if done.returncode == 0 else []


def size_of(words):
    """Of an argument like 1024x1024:500, without the steps."""
    return words.partition(":")[0]


def differing_results(lines):
    """For each application and size whose hashes differ, what was found, in words."""
    found = {}
    for line in lines:
        hashes = found.setdefault((line["what"], line["size"]), {})
        by = hashes.setdefault(line["hash"], [])
        if (name := f"{line['by']} on {line['gpus']}") not in by:
            by.append(name)
    return {key: "; ".join(f"{number}: {', '.join(by)}" for number, by in hashes.items())
            for key, hashes in found.items() if len(hashes) > 1}


def met_text(met):
    return {True: "yes", False: "no", None: "not measured"}.get(met, "")


def rounded(value, digits):
    return "–" if value is None else f"{value:{digits}}"


def plot(source, target, variants):
    """Time per step over the number of GPUs, one panel for each application and size."""
    import matplotlib  # only here, so that the machine that measures does without
    matplotlib.use("Agg")
    from matplotlib import pyplot

    results = json.loads(source.read_text())
    rows = results["rows"]
    apps = list(dict.fromkeys(row["what"] for row in rows))
    kinds = list(dict.fromkeys(row["kind"] for row in rows))
    figure, panels = pyplot.subplots(len(apps), len(kinds), squeeze=False,
                                     figsize=(4 * len(kinds), 3.2 * len(apps)))
    for line, app in zip(panels, apps):
        for panel, kind in zip(line, kinds):
            shown = [row for row in rows if (row["what"], row["kind"]) == (app, kind)]
            if not shown:
                panel.set_axis_off()
                continue
            for number, variant in enumerate(variants):
                points = [(row["gpus"], row["us"][variant]) for row in shown
                          if row["us"][variant] is not None]
                if points:
                    # The last is what the others are compared with.
                    panel.plot(*zip(*points), marker="o", label=variant, color=f"C{number}",
                               linewidth=2.5 if variant == variants[-1] else 1.2)
            counts = sorted({row["gpus"] for row in shown})
            panel.set_xscale("log", base=2)
            panel.set_yscale("log")
            panel.set_xticks(counts, [str(count) for count in counts])
            panel.set_title(f"{app} {shown[0]['size']}", fontsize=10)
            panel.set_xlabel("GPUs")
            panel.set_ylabel("µs per step")
            panel.grid(True, which="both", alpha=0.3)
    panels[0][0].legend(fontsize=8)
    figure.suptitle(f"{results['gpu']}, {results['date'][:10]}", fontsize=10)
    figure.tight_layout()
    figure.savefig(target, dpi=130)


def application_parser(description, apps, sizes, variants, gpus):
    """The options that all benchmarks of applications have."""
    parser = argparse.ArgumentParser(description=description,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--plot", nargs=2, type=pathlib.Path, metavar=("JSON", "PNG"),
                        help="only draw what an earlier run has written; needs matplotlib")
    parser.add_argument("--binaries", type=pathlib.Path, metavar="DIR",
                        help="where the programs apps_… lie")
    parser.add_argument("--gpus", type=int, nargs="+", default=gpus, metavar="N",
                        help="with how many GPUs, one after the other")
    parser.add_argument("--apps", nargs="+", choices=apps, default=list(apps))
    parser.add_argument("--sizes", nargs="+", choices=sizes, default=list(sizes))
    parser.add_argument("--variants", nargs="+", choices=variants, default=list(variants))
    parser.add_argument("--quick", action="store_true", help="in less time, with fewer repetitions")
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE",
                        help="where to write all figures")
    return parser


def parse_applications(parser, variants):
    """The arguments, or nothing if all they asked for was a plot, which then has been drawn."""
    arguments = parser.parse_args()
    if arguments.plot:
        plot(*arguments.plot, variants)
        return None
    if arguments.binaries is None:
        parser.error("--binaries is missing")
    return arguments


def first_gpu(parser, counts):
    """Its name, driver and architecture. Ends the program if there are fewer GPUs than asked for."""
    gpus = query_gpus()
    if min(counts) < 1 or gpus and max(counts) > len(gpus):
        parser.error(f"--gpus: this machine has {len(gpus)}")
    return gpus[0] if gpus else ("unknown", "unknown", "9.0")


def report_applications(arguments, gpu, runner, rows, shown, unmeasured, wrong):
    """Prints and writes everything; returns the exit code.

    `unmeasured` are (what, GPUs, by, why), `wrong` texts by application and size.
    """
    name, driver, _ = gpu
    date = datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds")
    print(f"{date}, {name}, driver {driver}\n\n{shown}")
    for what, gpus, by, why in unmeasured:
        print(f"\nnot measured: {by}, {what}, {gpus} GPUs: {why}")
    for text in runner.failed:
        print(f"\nfailed: {text}")
    for (app, size), text in wrong.items():
        print(f"\nRESULTS DIFFER: {app} {size}: {text}")
    if arguments.json:
        arguments.json.write_text(json.dumps({
            "date": date, "gpu": name, "driver": driver, "command": shlex.join(sys.argv),
            "not measured": [dict(zip(("what", "gpus", "by", "why"), one)) for one in unmeasured],
            "differing": list(wrong.values()), "failed": runner.failed, "runs": runner.runs,
            "lines": runner.lines, "rows": rows,
        }, indent=1, ensure_ascii=False) + "\n")
    return 1 if runner.failed or wrong or any(row["met"] is False for row in rows) else 0


def compile_nvshmem(source, scratch, architecture):
    """The program and the folder of NVSHMEM's libraries, or None and why there is none."""
    packages = [pathlib.Path(folder or ".") / "nvidia" / "nvshmem" for folder in sys.path]
    package = next((p for p in packages if (p / "include" / "nvshmem.h").is_file()), None)
    if package is None:
        return None, "NVSHMEM is not among the packages of this Python"
    libraries = package / "lib"
    links = scratch / "lib"
    links.mkdir()
    # The package has versioned names only, which a linker does not look for.
    for library in libraries.glob("*.so.*"):
        link = links / (library.name.split(".so.")[0] + ".so")
        if not link.exists():
            link.symlink_to(library.resolve())
    program = scratch / source.stem
    command = ["nvcc", "-ccbin", "mpicxx", "-O3", "-std=c++17", f"-arch={architecture}",
               "-rdc=true", "-isystem", package / "include", source, "-o", program,
               f"-L{links}", f"-L{libraries}", "-lnvshmem_host", "-lnvshmem_device", "-lcuda"]
    # Not every version of NVSHMEM needs NVML, and not every linker finds it.
    for more in (["-l:libnvidia-ml.so.1"], []):
        try:
            done = subprocess.run([str(word) for word in [*command, *more]],
                                  stdin=subprocess.DEVNULL, capture_output=True, text=True,
                                  timeout=PROGRAM_SECONDS)
        except (OSError, subprocess.TimeoutExpired) as error:
            return None, f"{source.name} could not be compiled: {error}"
        if done.returncode == 0:
            return (program, libraries), ""
    return None, f"{source.name} could not be compiled: {done.stderr[-2000:]}"


def library_path(folder):
    return os.pathsep.join(filter(None, [str(folder), os.environ.get("LD_LIBRARY_PATH")]))


def measure(binaries, gpus, runner, scratch, architecture):
    runner.run(binaries / "floor")
    runner.run(binaries / "mpi_pingpong", processes=2)
    runner.run(binaries / "notified_access")
    if gpus > 1:
        runner.run(binaries / "notified_access", processes=2)
        runner.run(binaries / "notified_access", processes=2, GPURMA_ROUTE="proxy")
        measure_nvshmem(gpus, runner, scratch, architecture)
    else:
        runner.unavailable.append("what is between two GPUs: --gpus is 1")
    runner.run(binaries / "floor")


def measure_nvshmem(gpus, runner, scratch, architecture):
    compiled, why = compile_nvshmem(SOURCES / "nvshmem_peer.cu", scratch, architecture)
    if compiled is None:
        runner.unavailable.append(f"nvshmem: {why}")
        return
    program, libraries = compiled
    path = library_path(libraries)
    # Two, then doubled as far as there are GPUs for it.
    processes = 2
    while processes <= gpus:
        if not runner.run(program, processes=processes, LD_LIBRARY_PATH=path):
            runner.unavailable.append(f"nvshmem with {processes} processes: see below")
            return
        processes *= 2


def unit_of(line):
    return next(unit for unit in UNITS if unit in line)


def value_of(line):
    return line[unit_of(line)]


def place_of(line):
    """Where, and between how many processes if more than two."""
    more = f", {line['processes']} processes" if line.get("processes", 1) > 2 else ""
    return line["where"] + more


def select(lines, by, what, where, **fields):
    return [line for line in lines if line["by"] == by and line["what"] == what
            and place_of(line) == where
            and all(line.get(name) == value for name, value in fields.items())]


def same_shape(line):
    """The fields in which another program's figure must agree to be compared with this one.

    Latencies do not depend on how many other blocks there are; rates and barriers do. A rate of
    messages is that of the whole device, whatever its number of blocks.
    """
    if line["what"] == "put bandwidth":
        return {"bytes": line["bytes"], "blocks": line["blocks"]}
    if line["what"] in ("device barrier", "world barrier"):
        return {"blocks": line["blocks"]}
    return {"bytes": line["bytes"]} if line["what"].startswith("put") else {}


def floor_of(line, lines):
    """The floor's figure and the lines that it is made of; no figure if one of them is missing."""
    what, place, shape = line["what"], place_of(line), same_shape(line)
    if place == PROXY:
        if what == "put notify":
            parts = [select(lines, "floor", "host round trip", HOST),
                     select(lines, "mpi", "message", HOST, bytes=SMALL)]
            parts = parts if line["bytes"] == SMALL else []
        else:
            parts = [select(lines, "floor", "pinned pipeline", HOST, bytes=line["bytes"])]
            parts = parts if what == "put bandwidth" else []
    elif what == "wait behind 64 others":
        parts = [select(lines, "gpurma", "wait", place)]
    elif what == "device barrier":
        # Other devices have no part in it, so one process's floor serves all.
        parts = [select(lines, "floor", what, SAME, **shape)]
    else:
        parts = [select(lines, "floor", re.sub(r" \(.*\)$", "", what), place, **shape)]
    used = [part_line for part in parts for part_line in part]
    if not parts or not all(parts):
        return None, used
    return sum(statistics.mean(map(value_of, part)) for part in parts), used


def nvshmem_of(line, lines):
    """The best of NVSHMEM's figures and all of them."""
    found = select(lines, "nvshmem", re.sub(r" \(.*\)$", "", line["what"]), place_of(line),
                   **same_shape(line))
    if not found:
        return None, found
    best = min if unit_of(line) == "us" else max
    return best(map(value_of, found)), found


def make_rows(lines):
    """One row for each of gpurma's figures, then what none of these is compared with."""
    rows, used = [], set()
    for line in (line for line in lines if line["by"] == "gpurma"):
        floor, from_floor = floor_of(line, lines)
        nvshmem, from_nvshmem = nvshmem_of(line, lines)
        used.update(id(part) for part in from_floor + from_nvshmem)
        ours = value_of(line)
        row = {"what": line["what"], "where": place_of(line), "bytes": line["bytes"],
               "blocks": line["blocks"], "threads": line.get("threads", 0), "unit": unit_of(line),
               "gpurma": ours, "floor": floor, "nvshmem": nvshmem,
               "ratio to floor": ours / floor if floor else None,
               "ratio to nvshmem": ours / nvshmem if nvshmem else None}
        rows.append({**row, **judge(row)})
    for (what, where, size), limits in TARGETS.items():
        if not any(target_of(row) == (what, where, size) for row in rows):
            rows.append({"what": what, "where": where, "bytes": size, "blocks": None, "threads": 0,
                         "unit": "us", "gpurma": None, "floor": None, "nvshmem": None,
                         "ratio to floor": None, "ratio to nvshmem": None,
                         "target": describe(limits), "met": None})
    return rows + other_rows([line for line in lines
                              if line["by"] != "gpurma" and id(line) not in used])


def other_rows(lines):
    """One for each kind of figure: MPI's stand with the floor's, whose parts they are."""
    groups = {}
    for line in lines:
        column = "nvshmem" if line["by"] == "nvshmem" else "floor"
        key = (line["what"], place_of(line), line["bytes"], line["blocks"], unit_of(line))
        groups.setdefault(key, {}).setdefault(column, []).append(value_of(line))
    rows = []
    for (what, where, size, blocks, unit), columns in groups.items():
        best = min if unit == "us" else max
        rows.append({"what": what, "where": where, "bytes": size, "blocks": blocks, "threads": 0,
                     "unit": unit, "gpurma": None,
                     "floor": statistics.mean(columns["floor"]) if "floor" in columns else None,
                     "nvshmem": best(columns["nvshmem"]) if "nvshmem" in columns else None,
                     "ratio to floor": None, "ratio to nvshmem": None, "target": "", "met": ""})
    return rows


def target_of(row):
    """The key of the row's target, or None."""
    for key in ((row["what"], row["where"], row["bytes"]), (row["what"], row["where"], None)):
        if key in TARGETS:
            return key
    return None


def describe(limits):
    return ", ".join(f"{comparison} {factor:g} × {(*name, against)[0]}"
                     for against, comparison, factor, *name in limits)


def judge(row):
    """The row's target in words, and whether it is met: None if a part was not measured."""
    key = target_of(row)
    if key is None:
        return {"target": "", "met": ""}
    ratios = [(row[f"ratio to {against}"], comparison, factor)
              for against, comparison, factor, *_ in TARGETS[key]]
    held = [None if ratio is None else COMPARISONS[comparison](ratio, factor)
            for ratio, comparison, factor in ratios]
    met = False if False in held else None if None in held else True
    return {"target": describe(TARGETS[key]), "met": met}


def amount(value, unit):
    if value is None:
        return "–"
    if unit == "us":
        return f"{value:.3g} µs" if value < 1000 else f"{value:.0f} µs"
    if unit == "gbps":
        return f"{value:.3g} GB/s" if value < 1000 else f"{value:.0f} GB/s"
    return f"{value / 1e6:.3g} M/s"


def size_text(size):
    if size is None:
        return "any"
    for unit, name in ((1 << 20, "MiB"), (1 << 10, "KiB")):
        if size >= unit and size % unit == 0:
            return f"{size // unit} {name}"
    return str(size)


def table(rows):
    lines = ["| what | where | bytes | blocks | gpurma | floor | ratio to floor | best nvshmem "
             "| ratio to nvshmem | target | met |", "|" + "---|" * 11]
    for row in rows:
        def ratio(name):
            return "–" if row[name] is None else f"{row[name]:.2f}"
        blocks = "–" if not row["blocks"] else str(row["blocks"])
        blocks += f" × {row['threads']}" if row["threads"] else ""
        cells = [row["what"], row["where"], size_text(row["bytes"]), blocks,
                 amount(row["gpurma"], row["unit"]), amount(row["floor"], row["unit"]),
                 ratio("ratio to floor"), amount(row["nvshmem"], row["unit"]),
                 ratio("ratio to nvshmem"), row["target"], met_text(row["met"])]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binaries", type=pathlib.Path, required=True, metavar="DIR",
                        help="where floor, mpi_pingpong and notified_access lie")
    parser.add_argument("--gpus", type=int, default=2, metavar="N", help="how many GPUs to use")
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE",
                        help="where to write all figures")
    arguments = parser.parse_args()
    gpus = query_gpus()
    if gpus and not 1 <= arguments.gpus <= len(gpus):
        parser.error(f"--gpus {arguments.gpus}: this machine has {len(gpus)}")
    name, driver, capability = gpus[0] if gpus else ("unknown", "unknown", "9.0")

    date = datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds")
    runner = Runner()
    with tempfile.TemporaryDirectory() as scratch:
        measure(arguments.binaries.resolve(), arguments.gpus, runner, pathlib.Path(scratch),
                "sm_" + capability.replace(".", ""))
    rows = make_rows(runner.lines)

    print(f"{date}, {arguments.gpus} × {name}, driver {driver}\n\n{table(rows)}")
    for text in runner.unavailable:
        print(f"\nnot available: {text}")
    for text in runner.failed:
        print(f"\nfailed: {text}")
    if arguments.json:
        arguments.json.write_text(json.dumps({
            "date": date, "gpu": name, "driver": driver, "gpus": arguments.gpus,
            "command": shlex.join(sys.argv), "not available": runner.unavailable,
            "failed": runner.failed, "runs": runner.runs, "lines": runner.lines, "rows": rows,
        }, indent=1, ensure_ascii=False) + "\n")
    return 1 if runner.failed or any(row["met"] is False for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
