# Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""check_gpu_regions.py SCRIPT PROGRAMS: what can be said of bench/gpu_regions.py (SCRIPT) without a GPU.

PROGRAMS are those of the CPU target, which the script runs with tiny sizes. Then it runs made-up ones, which print what a
case wants, fail or hang.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

MPIRUN = """#!/bin/sh
while [ "$1" != -np ]; do shift; done
export GPUS=$2
shift 2
exec "$@"
"""
# A figure for each task of the command line, as the real programs print them.
PROGRAM = """#!{python}
import json, os, pathlib, sys, time
case = json.loads(os.environ["CASE"])
name = pathlib.Path(sys.argv[0]).name
gpus = int(os.environ.get("GPUS", 1))
app = "jacobi2d"
for word in sys.argv[1:]:
    if word.isdigit() and sys.argv[sys.argv.index(word) - 1] == "--gpus":
        gpus = int(word)
    if word[0].isalpha():
        app = word
    if ":" not in word:
        continue
    size, steps = word.split(":")
    for by in {{"apps_regions": ["graph", "region"] if gpus == 1 and app != "jacobi2d_atomic" else ["region"], "apps_mpi_graph": ["mpi"],
               "apps_persistent_jacobi": ["probe", "probe"]}}[name]:
        said = {{"what": app, "by": by, "gpus": gpus, "size": size, "us": 10.0, "hash": "1"}}
        if app.startswith("jacobi2d"):
            said["norm"] = 1.0
        if by == "mpi":
            said.update(alone=5.0, exchange="staged")
        if by == "region":
            said["set_up"] = 1500.0
        if by == "probe":
            said.update(tile="32x8", us=9.5, **{{"acquires by": "load"}})
        said.update(case.get(f"{{by}} {{app}} {{size}} {{gpus}}", {{}}))
        if said.get("does") == "hang":
            time.sleep(100)
        if said.get("does") == "fail":
            sys.exit("out of luck")
        print(json.dumps(said), flush=True)
"""


def require(condition, what, details=""):
    if not condition:
        sys.exit(f"wrong: {what}\n{details}")


def run(script, programs, *arguments, **environment):
    """The exit code, what it printed, and what it wrote."""
    with tempfile.TemporaryDirectory() as scratch:
        file = pathlib.Path(scratch) / "results.json"
        done = subprocess.run([sys.executable, script, "--binaries", programs, "--json", file, *arguments],
                              env={**os.environ, **environment}, capture_output=True, text=True, timeout=100)
        require(file.exists(), f"{arguments} wrote nothing", done.stdout + done.stderr)
        return done.returncode, done.stdout, json.loads(file.read_text())


def rows_of(results):
    return {(row["what"], row["size"], row["gpus"]): row for row in results["rows"]}


def check_cpu_programs(script, programs):
    code, shown, results = run(script, programs, "--sizes", "tiny", "--gpus", "1", "3", "--quick", GPURMA_CPU_RANKS="2")
    clean = not results["failed"] and not results["differing"] and not results["not measured"]
    require(code == 0 and clean, "programs of the CPU target", shown)
    require(len(results["rows"]) == 8, "the number of rows", shown)
    for (what, _, gpus), row in rows_of(results).items():
        measured = [by for by in ("mpi", "probe", "region") if row["us"][by] is not None]
        expected = ["mpi"] * (gpus > 1) + ["probe"] * what.startswith("jacobi2d") + ["region"]
        require(measured == expected, f"{what} on {gpus} was measured by {measured}", shown)
        require(row["set-up"] > 0, f"what the region's beginning takes: {row['set-up']}", shown)


def check_case(script, programs, tools, case, *arguments):
    # Neither the machine's mpirun nor its GPUs have a part in it.
    return run(script, programs, "--seconds", "2", *arguments, CASE=json.dumps(case),
               PATH=f"{tools}{os.pathsep}{os.environ['PATH']}")


def check_targets(script, programs, tools):
    code, shown, results = check_case(script, programs, tools, {
        "mpi heat3d 256x256x256 2": {"us": 12.9}, "mpi heat3d 512x512x512 2": {"us": 13.1},
        "mpi heat3d 128x128x128 2": {"us": 11, "alone": 9},
        "graph heat3d 128x128x128 1": {"us": 9.7}, "region jacobi2d 1024x1024 8": {"us": 9.1},
        "region jacobi2d 4096x4096 8": {"us": 10.5}, "probe jacobi2d 4096x4096 8": {"us": 9.5},
    }, "--gpus", "1", "2", "8", "--apps", "jacobi2d", "heat3d")
    rows = rows_of(results)
    met = {key: row["met"] for key, row in rows.items()}
    for key, expected in {("heat3d", "256x256x256", 2): False, ("heat3d", "512x512x512", 2): True,
                          ("heat3d", "128x128x128", 2): "", ("heat3d", "128x128x128", 1): False,
                          ("heat3d", "256x256x256", 1): True, ("jacobi2d", "1024x1024", 8): False,
                          ("jacobi2d", "4096x4096", 8): False, ("jacobi2d", "16384x16384", 8): True,
                          ("jacobi2d", "1024x1024", 1): True}.items():
        require(met[key] == expected, f"the target of {key} is met: {met[key]}", shown)
    require(code == 1, f"the exit code with missed targets is {code}", shown)
    require("| 1.5 ms |" in shown, "what a region's beginning takes", shown)
    require(rows["heat3d", "512x512x512", 2]["exchange"] > 0.6 and "| 62 % |" in shown, "the part of the exchange", shown)
    code, shown, results = check_case(script, programs, tools, {}, "--gpus", "1", "--quick")
    require(code == 0 and all(row["met"] is True for row in results["rows"]), "targets that are met", shown)


def check_baselines_of_another(script, programs, tools):
    code, shown, results = check_case(script, programs, tools, {
        "graph jacobi2d 1024x1024 1": {"us": 7}, "probe jacobi2d 4096x4096 1": {"us": 8}, "region jacobi2d_atomic 4096x4096 1": {"us": 6},
        "region jacobi2d_atomic 16384x16384 1": {"hash": "2"}}, "--gpus", "1", "--apps", "jacobi2d", "jacobi2d_atomic")
    rows = rows_of(results)
    row = rows["jacobi2d_atomic", "4096x4096", 1]
    require(row["us"] == {"graph": 10, "mpi": None, "probe": 8, "region": 6} and row["met"] is True, "figures of jacobi2d", shown)
    require(rows["jacobi2d", "4096x4096", 1]["us"]["region"] == 10, "the region of jacobi2d", shown)
    require(rows["jacobi2d_atomic", "1024x1024", 1]["met"] is False, "the target of a region that is slower than another's graph", shown)
    require("RESULTS DIFFER: jacobi2d_atomic 16384x16384: 2: region" in shown and "RESULTS DIFFER: jacobi2d 16384" not in shown,
            "another result than jacobi2d's", shown)
    require(len(results["runs"]) == 2, "what was run", shown)
    code, shown, results = check_case(script, programs, tools, {"probe jacobi2d 1024x1024 2": {"does": "fail"}}, "--gpus", "2",
                                      "--apps", "jacobi2d_atomic", "--sizes", "small")
    require(rows_of(results)["jacobi2d_atomic", "1024x1024", 2]["failed"] == ["probe"] and "| failed |" in shown,
            "a baseline that failed", shown)


def check_failures(script, programs, tools):
    code, shown, results = check_case(script, programs, tools, {
        "region jacobi2d 4096x4096 2": {"does": "hang"}, "region heat3d 128x128x128 2": {"does": "fail"},
        "probe jacobi2d 16384x16384 2": {"hash": "2"}, "mpi heat3d 256x256x256 2": {"does": "fail"},
        "mpi jacobi2d 1024x1024 2": {"norm": 1.1}}, "--gpus", "2", "--apps", "jacobi2d", "heat3d")
    unmeasured = {(one["what"], one["by"]): one["why"] for one in results["not measured"]}
    require(unmeasured == {("jacobi2d 4096x4096", "region"): "took longer than 2 s",
                           ("heat3d 128x128x128", "region"): "ended with 1: out of luck",
                           ("heat3d 256x256x256", "mpi"): "ended with 1: out of luck"}, "what was not measured", unmeasured)
    rows = rows_of(results)
    require(rows["jacobi2d", "4096x4096", 2]["us"]["region"] is None, "a hanging program's figure", shown)
    require(all(rows[key]["us"]["region"] == 10 for key in rows if key[1] in ("16384x16384", "512x512x512")),
            "what follows a failure was not measured", shown)
    require("RESULTS DIFFER: jacobi2d 16384x16384: 1: " in shown and "| results differ |" in shown
            and "RESULTS DIFFER: jacobi2d 1024x1024: norm " in shown, "differing results", shown)
    require(rows["jacobi2d", "16384x16384", 2]["met"] is False and rows["heat3d", "256x256x256", 2]["met"] is None,
            "targets of wrong and of missing results", shown)
    require(code == 1, f"the exit code with failures is {code}", shown)


def check_missing_program(script, tools):
    with tempfile.TemporaryDirectory() as empty:
        code, shown, results = check_case(script, empty, tools, {}, "--gpus", "2", "--apps", "heat3d")
    require(code == 1 and len(results["runs"]) == 4 and len(results["not measured"]) == 6, "programs that are not there", shown)


def main():
    script, programs = sys.argv[1:]
    check_cpu_programs(script, programs)
    with tempfile.TemporaryDirectory() as folder:
        made_up, tools = pathlib.Path(folder) / "bin", pathlib.Path(folder) / "tools"
        made_up.mkdir()
        tools.mkdir()
        files = {tools / "mpirun": MPIRUN, tools / "nvidia-smi": "#!/bin/sh\nexit 1\n"}
        for name in ("regions", "mpi_graph", "persistent_jacobi"):
            files[made_up / f"apps_{name}"] = PROGRAM.format(python=sys.executable)
        for file, text in files.items():
            file.write_text(text)
            file.chmod(0o755)
        check_targets(script, made_up, tools)
        check_baselines_of_another(script, made_up, tools)
        check_failures(script, made_up, tools)
        check_missing_program(script, tools)
    print("gpu_regions.py does what it says")


if __name__ == "__main__":
    main()
