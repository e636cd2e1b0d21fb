#!/bin/bash
# Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# by_id.sh <processes> <command>...: starts the processes of a run on this machine without MPI. The exit code is that of a process
# that has failed, if one has.
export GPURMA_ID=127.0.0.1:47100/$$ GPURMA_PROCESSES=$1
shift
started=()
for ((GPURMA_PROCESS = 0; GPURMA_PROCESS < GPURMA_PROCESSES; ++GPURMA_PROCESS)); do
  export GPURMA_PROCESS
  "$@" &
  started+=($!)
done
code=0
for process in "${started[@]}"; do
  wait "$process" || code=$?
done
exit "$code"
