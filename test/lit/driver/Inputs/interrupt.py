# Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""interrupt.py <signal> <code> <command>...: sends the signal to the command alone once its backend runs; succeeds if the
command ends with that code. (A shell would start its background jobs with SIGINT ignored.)"""

import os
import signal
import subprocess
import sys
import time

number = getattr(signal, "SIG" + sys.argv[1])
expected = int(sys.argv[2])
if os.path.exists("backend-started"):
    os.remove("backend-started")
process = subprocess.Popen(sys.argv[3:], preexec_fn=lambda: signal.signal(number, signal.SIG_DFL))
while not os.path.exists("backend-started"):
    if process.poll() is not None:
        sys.exit(f"the command ended with {process.returncode} before its backend ran")
    time.sleep(0.05)
process.send_signal(number)
code = process.wait(timeout=60)
os.remove("backend-started")
if code != expected:
    sys.exit(f"expected exit code {expected}, got {code}")
