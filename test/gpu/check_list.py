# Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""check_list.py RUN_PY FILE...: what run.py runs and reads is what gpu_tests builds (FILE...), and it runs all programs of it."""

import subprocess
import sys

PLACEMENTS = ("1p1g", "2p1g.auto", "2p1g.proxy", "2p2g.auto", "2p2g.proxy", "4p4g.auto", "4p4g.proxy", "8p8g.auto", "8p8g.proxy")

runner, built = sys.argv[1], set(sys.argv[2:])
listed = subprocess.run([sys.executable, runner, "--list"], capture_output=True, text=True, check=True).stdout
wrong, used, names = [], set(), set()
for line in listed.splitlines():
    name, *files = line.split()
    if name in names:
        wrong.append(f"two runs are called {name}")
    names.add(name)
    used.update(files)
wrong += [f"run.py needs {file}, which gpu_tests does not build" for file in sorted(used - built)]
wrong += [f"no run of run.py uses {file}" for file in sorted(built - used)
          if file.startswith(("bin/", "expected/"))]
random_regions = [file.removeprefix("bin/") for file in sorted(built) if file.startswith("bin/random_regions_")]
wrong += [f"{name}.{placement} does not run" for name in random_regions for placement in PLACEMENTS
          if f"{name}.{placement}" not in names]
shared = subprocess.run([sys.executable, runner, "--list", "--mps"], capture_output=True, text=True, check=True).stdout
wrong += [f"no run of --mps is of {placement}" for placement in ("2p1g.auto", "4p1g.proxy", "8p1g.auto") if f".{placement} " not in shared]
wrong += [f"--mps runs {line.split()[0]}" for line in shared.splitlines() if "p1g." not in line]
if not random_regions:
    wrong.append("gpu_tests builds no random regions")
print("".join(f"{line}\n" for line in wrong) or f"{len(names)} runs of {len(used)} files")
sys.exit(1 if wrong else 0)
