#!/bin/bash
# Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The verbs transport on soft-RoCE, in a virtual machine (vm.sh): installs what is missing and runs on what is built.
#
#   test/verbs/run.sh [quick|all|sizes] [build folder]
#
# quick (some minutes): transport tests, some of the MPI tests and examples, without and with 1 % of packets lost; the seeded
# bug; what happens when the link goes down and when a process is killed. all (half an hour or more): all MPI tests and examples
# with lost packets, too. sizes (needs GPURMA_BUILD_BENCH): only that notified puts of all sizes arrive, by each of the ways that
# data takes, and a table of their times. The last line counts what failed; the exit code is 0 only if nothing did, and 77 if this machine cannot
# run it. Times in the machine mean nothing.
set -euo pipefail
cd "$(dirname "$0")/../.."
how=${1:-quick}
build=$(cd "${2:-build}" && pwd)
case $how in quick | all | sizes) ;; *) sed -n '3,11s/^# \{0,1\}//p' "$0" >&2; exit 2 ;; esac
[ -x "$build/bin/notify_elsewhere_test" ] ||
  { echo "verbs: skipped: $build has no verbs transport, or is not built (cmake --build; libibverbs-dev)" >&2; exit 77; }
[ "$how" != sizes ] || [ -x "$build/bin/bench/put_latency" ] ||
  { echo "verbs: skipped: $build has no put_latency (cmake -DGPURMA_BUILD_BENCH=ON)" >&2; exit 77; }
. tools/install-packages.sh
install_missing_packages test/verbs/debian-packages.txt ||
  { echo "verbs: skipped: packages cannot be installed" >&2; exit 77; }
test/verbs/vm.sh make "$build/verbs-machine"
script=$(mktemp)
trap 'rm -f "$script"' EXIT
printf 'source=%q build=%q how=%q\n. "$source/test/verbs/guest.sh"\n' "$PWD" "$build" "$how" > "$script"
VM_TIMEOUT=${VM_TIMEOUT:-7200} test/verbs/vm.sh run "$build/verbs-machine" "$script"
