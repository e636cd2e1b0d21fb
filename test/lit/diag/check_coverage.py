# Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that every diagnostic of frontend/Diagnostics.def has a page in docs/diagnostics and a test in test/lit that checks its
message with id, line and column; that every note is checked by a test; and that no page or test is about an id that is gone.

Usage: check_coverage.py <source root>"""

import pathlib
import re
import sys

# Internal errors, which no source can bring about as far as is known: a page, but no test.
UNTESTABLE = {158}

# Reported without a place in the source, because the command line is at fault.
WITHOUT_PLACE = {156}

# Programs with persistent regions that are rejected, each with place and id, in region-*.cu and access-*.cu.
REJECTED_REGIONS = 80

SECTIONS = ["## Example", "## Cause", "## What to do"]


def read_table(path):
    """The rows of Diagnostics.def: (name, id, severity, text)."""
    text = re.sub(r'"\s*\n\s*"', "", path.read_text())
    row = r'^GPURMA_DIAG\(\s*(\w+),\s*(\d+),\s*(\w+),\s*"((?:[^"\\]|\\.)*)"\)'
    return [(m[1], int(m[2]), m[3], m[4]) for m in re.finditer(row, text, re.M)]


def pattern_of(text):
    """A regular expression for what Clang may make of a diagnostic's text."""
    pattern = ""
    for part in re.split(r"(%select\{[^}]*\}\d|%\d)", text):
        if part.startswith("%select"):
            pattern += "(" + "|".join(map(pattern_of, re.match(r"%select\{(.*)\}\d", part)[1].split("|"))) + ")"
        else:
            pattern += ".*" if re.fullmatch(r"%\d", part) else re.escape(part)
    return pattern


def main(root):
    rows = read_table(root / "frontend" / "Diagnostics.def")
    problems = []
    ids = [number for _, number, severity, _ in rows if severity != "Note"]
    problems += [f"id {number} is used twice" for number in set(ids) if ids.count(number) > 1]
    problems += [f"{name} is no note, but has id 0" for name, number, severity, _ in rows if severity != "Note" and number == 0]

    tests = [path for path in sorted((root / "test" / "lit").rglob("*")) if path.suffix in (".cu", ".cpp", ".c", ".test")]
    checks = [line for path in tests for line in path.read_text().splitlines() if re.search(r"\b[A-Z0-9_-]*CHECK[A-Z0-9_-]*:", line)]
    rejected = [
        line
        for path in tests
        if path.parent.name == "diag" and re.match(r"(region|access)-.*\.cu", path.name)
        for line in path.read_text().splitlines()
        if re.search(r"CHECK.*:\d+: error: .*\[gpurma-\d{4}\]", line)
    ]
    if len(rejected) < REJECTED_REGIONS:
        problems.append(f"{len(rejected)} rejected programs with persistent regions, expected {REJECTED_REGIONS}")
    pages = root / "docs" / "diagnostics"
    index = (pages / "README.md").read_text()

    for name, number, severity, text in rows:
        if severity == "Note":
            if not any(re.search(r"note: " + pattern_of(text), line) for line in checks):
                problems.append(f"{name}: no test in test/lit checks this note")
            continue
        tag = f"gpurma-{number:04d}"
        page = pages / f"{tag}.md"
        if not page.exists():
            problems.append(f"{name}: {page.relative_to(root)} is missing")
        else:
            content = page.read_text()
            problems += [f"{page.name}: no section '{s}'" for s in SECTIONS if s not in content]
            if not content.startswith(f"# {tag}\n"):
                problems.append(f"{page.name}: does not start with '# {tag}'")
        if f"({tag}.md)" not in index:
            problems.append(f"{name}: docs/diagnostics/README.md does not list {tag}")
        if number in UNTESTABLE:
            continue
        place = "" if number in WITHOUT_PLACE else r":(\[\[@LINE[^\]]*\]\]|\[\[#[^\]]*\]\]|\d+):\d+: "
        if not any(re.search(place + severity.lower() + ": .*" + re.escape(f"[{tag}]"), line) for line in checks):
            problems.append(f"{name}: no test in test/lit checks its message with line, column and [{tag}]")

    for page in pages.glob("gpurma-*.md"):
        if int(page.stem.removeprefix("gpurma-")) not in ids:
            problems.append(f"{page.name}: there is no such diagnostic")
    for line in checks:
        for number in re.findall(r"\[gpurma-(\d{4})\]", line):
            if int(number) not in ids:
                problems.append(f"a test checks [gpurma-{number}], which does not exist")

    print("\n".join(problems) or f"{len(ids)} diagnostics, each with a page and a test; {len(rejected)} rejected regions")
    return 1 if problems else 0


sys.exit(main(pathlib.Path(sys.argv[1])))
