#!/usr/bin/env python3
# Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""count_tests.py <junit.xml>... [--failed <step>]...: adds up what ctest and lit report, names each failure, and ends with one
line 'N passed, N failed, N skipped'. A step that did not come as far as reporting counts as one failure, a report without
tests too. Exit code 1 if anything failed or nothing passed."""

import argparse
import sys
import xml.etree.ElementTree as ElementTree


def outcome(case):
    """What happened to one <testcase>; ctest says it in an attribute, lit in child elements alone."""
    status = case.get("status")
    if case.find("failure") is not None or case.find("error") is not None or status == "fail":
        return "failed"
    if status == "disabled":
        return "skipped"
    skipped = case.find("skipped")
    reason = skipped.get("message", "") if skipped is not None else ""
    if status == "notrun":
        # ctest says the same of a test that skips itself and of one that it could not run: no program, no file, no fixture.
        return "skipped" if reason.startswith("SKIP_") else "failed"
    if skipped is not None:
        # lit: a feature is missing, or the test was not selected; "User interrupt" are those that it did not come to.
        return "failed" if reason == "User interrupt" else "skipped"
    return "passed"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("reports", nargs="*")
    parser.add_argument("--failed", action="append", default=[])
    arguments = parser.parse_args()

    count = {"passed": 0, "failed": 0, "skipped": 0}
    failures = list(arguments.failed)
    count["failed"] = len(failures)
    for report in arguments.reports:
        try:
            cases = list(ElementTree.parse(report).getroot().iter("testcase"))
        except (OSError, ElementTree.ParseError) as error:
            failures.append(f"{report}: {error}")
            count["failed"] += 1
            continue
        if not cases:
            failures.append(f"{report}: no tests in the report")
            count["failed"] += 1
        for case in cases:
            result = outcome(case)
            count[result] += 1
            if result == "failed":
                failures.append(f"{case.get('classname')}: {case.get('name')}")
    for failure in failures:
        print(f"FAILED {failure}")
    print(", ".join(f"{count[key]} {key}" for key in ("passed", "failed", "skipped")))
    return 1 if count["failed"] or not count["passed"] else 0


if __name__ == "__main__":
    sys.exit(main())
