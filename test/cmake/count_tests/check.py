#!/usr/bin/env python3
# Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""check.py <cmake> <ctest> <lit.py> <count_tests.py> <folder to work in>: what count_tests.py makes of reports that ctest and
lit have written."""

import os
import shutil
import subprocess
import sys

cmake, ctest, lit, count_tests, work = sys.argv[1:]
source = os.path.dirname(os.path.realpath(__file__))


def run(*command):
    return subprocess.run(command, cwd=work, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def expect(code, lines, *arguments):
    result = run(sys.executable, count_tests, *arguments)
    if result.returncode != code or result.stdout.splitlines() != lines:
        sys.exit(f"count_tests.py {arguments}: code {result.returncode}, expected {code}\n{result.stdout}\nexpected:\n" + "\n".join(lines))


shutil.rmtree(work, ignore_errors=True)
os.makedirs(os.path.join(work, "lit"))
configured = run(cmake, "-S", source, "-B", "ctest", "-G", "Ninja")
if configured.returncode != 0:
    sys.exit(configured.stdout)
for name, selection in (("all", ".*"), ("good", "passes|skips"), ("skipped", "skips"), ("none", "no such test")):
    run(ctest, "--test-dir", "ctest", "--tests-regex", selection, "--output-junit", os.path.join(work, name + ".xml"))

with open(os.path.join(work, "lit", "lit.cfg"), "w") as config:
    config.write('import lit.formats\nconfig.name = "outcomes"\nconfig.test_format = lit.formats.ShTest(False)\nconfig.suffixes = [".test"]\n')
for name, text in (("passes", "RUN: true"), ("fails", "RUN: false"), ("unsupported", "REQUIRES: what-nobody-has\nRUN: false")):
    with open(os.path.join(work, "lit", name + ".test"), "w") as test:
        test.write(text + "\n")
for name, selection in (("lit-all", ".*"), ("lit-good", "passes|unsupported")):
    run(sys.executable, lit, "--filter", selection, "--xunit-xml-output", os.path.join(work, name + ".xml"), os.path.join(work, "lit"))

bad = [f"FAILED {name}: {name}" for name in ("fails", "no_program", "no_file", "setup", "no_fixture")]
expect(1, bad + ["1 passed, 5 failed, 3 skipped"], "all.xml")
expect(0, ["1 passed, 0 failed, 2 skipped"], "good.xml")
expect(1, ["0 passed, 0 failed, 2 skipped"], "skipped.xml")
expect(1, ["FAILED none.xml: no tests in the report", "0 passed, 1 failed, 0 skipped"], "none.xml")
expect(1, ["FAILED none.xml: no tests in the report", "1 passed, 1 failed, 2 skipped"], "good.xml", "none.xml")
expect(1, ["FAILED outcomes.outcomes: fails.test", "1 passed, 1 failed, 1 skipped"], "lit-all.xml")
expect(0, ["2 passed, 0 failed, 4 skipped"], "good.xml", "lit-good.xml")
expect(1, ["FAILED build", "1 passed, 1 failed, 2 skipped"], "good.xml", "--failed", "build")
