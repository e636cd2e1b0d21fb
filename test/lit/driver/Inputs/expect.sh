# Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# expect.sh <code> <command>...: succeeds if the command ends with that code.
expected=$1
shift
"$@"
code=$?
[ $code -eq "$expected" ] || { echo "expected exit code $expected, got $code" >&2; exit 1; }
