# Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""closed-pipe.py <code> <command>...: runs the command with a standard output that nobody reads; succeeds if the command ends
with that code."""

import os
import subprocess
import sys

reader, writer = os.pipe()
os.close(reader)
code = subprocess.run(sys.argv[2:], stdout=writer).returncode
if code != int(sys.argv[1]):
    sys.exit(f"expected exit code {sys.argv[1]}, got {code}")
