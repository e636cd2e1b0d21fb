#!/bin/bash
# Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The verbs transport on soft-RoCE, in a virtual machine (vm.sh): installs what is missing and runs on what is built.
#
#   test/verbs/run.sh [quick|all|sizes] [--shard I/N] [build folder]
#
# quick (a quarter of an hour): transport tests, some of the MPI tests and examples, without and with 1 % of packets lost; the seeded
# bug; what happens when the link goes down and when a process is killed. all (hours): all MPI tests and examples with lost packets,
# too; with --shard only these, and of them every Nth from the Ith on, so that a run can be divided. sizes (needs
# GPURMA_BUILD_BENCH): only that notified puts of all sizes arrive, by each of the ways that data takes, and a table of their times.
# The last line counts what failed; the exit code is 0 only if nothing did, and 77 if this machine cannot run it. Times in the
# machine mean nothing.
set -euo pipefail
cd "$(dirname "$0")/../.."
usage() { sed -n '3,13s/^# \{0,1\}//p' test/verbs/run.sh >&2; exit 2; }
how=${1:-quick} shard='' shards=''
shift $(($# > 0))
if [ "${1:-}" = --shard ]; then
  [[ $how = all && ${2:-} =~ ^([1-9][0-9]*)/([1-9][0-9]*)$ ]] && ((BASH_REMATCH[1] <= BASH_REMATCH[2])) || usage
  shard=${BASH_REMATCH[1]} shards=${BASH_REMATCH[2]}
  shift 2
fi
case $how in quick | all | sizes) ;; *) usage ;; esac
build=$(cd "${1:-build}" && pwd)
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
printf 'source=%q build=%q how=%q shard=%q shards=%q\n. "$source/test/verbs/guest.sh"\n' "$PWD" "$build" "$how" "$shard" "$shards" > "$script"
VM_TIMEOUT=${VM_TIMEOUT:-14400} test/verbs/vm.sh run "$build/verbs-machine" "$script"
