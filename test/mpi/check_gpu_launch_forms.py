# Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""check_gpu_launch_forms.py SCRIPT: what can be said of bench/gpu_launch_forms.py (SCRIPT) without a GPU.

Programs are made up, which print what a case wants or fail.
"""

import os
import pathlib
import subprocess
import sys
import tempfile

MPIRUN = """#!/bin/sh
while [ "$1" != -np ]; do shift; done
export GPUS=$2
shift 2
"$@" && "$@"
"""
PROGRAM = """#!/bin/sh
[ "$1 $GPUS" = "$FAILS" ] && { echo no memory >&2; exit 1; }
us=US; digest=01; sum=1.0
[ "$1 $GPUS" = "$DIGEST" ] && digest=02
[ "$1 $GPUS" = "$SUM" ] && sum=1.00001
echo "{\\"what\\": \\"$1 $2\\", \\"us\\": $us, \\"digest\\": \\"$digest\\", \\"sum\\": $sum}"
"""


def run(script, folder, **case):
    environment = dict(os.environ, PATH=f"{folder}:{os.environ['PATH']}", **case)
    done = subprocess.run([sys.executable, script, "--binaries", folder, "--gpus", "1", "2"], capture_output=True, text=True,
                          env=environment, check=False)
    return done.returncode, done.stdout


def expect(holds, output):
    if not holds:
        sys.exit(f"not as it should be:\n{output}")


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for program, text in (("mpirun", MPIRUN), ("apps_launch_forms", PROGRAM.replace("us=US", "us=5.0")),
                              ("apps_launch_forms_plain", PROGRAM.replace("us=US", "us=10.0"))):
            (folder / program).write_text(text)
            (folder / program).chmod(0o755)
        code, output = run(sys.argv[1], folder)
        expect(code == 0 and "| columns | 512x512x512 | 2 | 10 µs | 5 µs | 0.50 |" in output and "failed" not in output, output)
        for case, why in ({"FAILS": "borders 2"}, "no memory"), ({"DIGEST": "dot 2"}, "differ"), ({"SUM": "dot 2"}, "differ"):
            code, output = run(sys.argv[1], folder, **case)
            failed = [line for line in output.splitlines() if "failed" in line]
            expect(code == 1 and len(failed) == 1 and why in failed[0], output)
    print("gpu_launch_forms.py does what it says")


main()
