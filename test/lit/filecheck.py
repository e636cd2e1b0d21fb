# Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""FileCheck, on a text in which the test's own directives are missing.

gpurmacc keeps the comments of a program, so that `// CHECK: text` of a test is in the emitted source, too, and would match itself.

usage: filecheck.py FILECHECK ARGUMENT..., with the text on standard input or in --input-file=FILE
"""

import re
import subprocess
import sys

# In a comment, which stays with its line: RUN:, CHECK-NEXT:, TEXT-CHECK:, ...
DIRECTIVE = re.compile(rb"//\s*[A-Z][A-Z0-9_-]*:.*")
INPUT_FILE = "--input-file="


def main(filecheck, *arguments):
    files = [argument[len(INPUT_FILE) :] for argument in arguments if argument.startswith(INPUT_FILE)]
    others = [argument for argument in arguments if not argument.startswith(INPUT_FILE)]
    if files:
        with open(files[-1], "rb") as file:
            text = file.read()
    else:
        text = sys.stdin.buffer.read()
    return subprocess.run([filecheck, *others], input=DIRECTIVE.sub(b"//", text), check=False).returncode


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
