# Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What run.sh does in the guest; it sets `source`, `build`, `how`, and `shard` and `shards`, which are empty without --shard.
. "$source/test/verbs/network.sh"
. "$source/tools/install-packages.sh"
allow_mpirun_here
export OMPI_MCA_btl=self,vader
# Short times between retries, because what is lost here is lost on purpose, but no shorter than the emulated processor needs.
export GPURMA_TRANSPORT=verbs GPURMA_IB_TIMEOUT=16 GPURMA_CPU_RANKS=3 GPURMA_CPU_WORKERS=2
bin=$build/bin
log=/tmp/log
passed=0 failed=()

outcome() { # outcome <name> <whether it passed: 0>
  if [ "$2" -eq 0 ]; then
    passed=$((passed + 1))
    echo "passed: $1"
  else
    failed+=("$1")
    echo "FAILED: $1"
    tail -n 30 $log
  fi
}

# passes <name> <command>...
passes() {
  local name=$1
  shift
  timeout 300 "$@" > $log 2>&1
  outcome "$name" $?
}

# says <name> <regular expression> <command>...: it has to succeed, with output that matches.
says() {
  local name=$1 expected=$2
  shift 2
  timeout 300 "$@" > $log 2>&1 && grep -Eq "$expected" $log
  outcome "$name" $?
}

# fails <name> <regular expression> <command>...: it has to end by itself, with an error that matches.
fails() {
  local name=$1 expected=$2 code
  shift 2
  timeout 120 "$@" > $log 2>&1
  code=$?
  [ $code -ne 0 ] && [ $code -ne 124 ] && grep -Eq "$expected" $log
  outcome "$name" $?
}

processes() { echo mpirun --timeout 280 -np "$@"; }

# The transport alone, and what a quick run takes of the other tests.
quick_tests() { # quick_tests <name>
  local mode
  for mode in traffic tight pairs pressure parts collectives; do
    passes "$1: transport $mode" $(processes 3) "$bin/transport_test" $mode verbs
  done
  for mode in traffic order exchange payloads counters flood windows launches; do
    passes "$1: rma $mode" $(processes 3) "$bin/rma_test" $mode
  done
  passes "$1: stress" $(processes 3) "$bin/stress_test" --seconds 10
  passes "$1: small queues" env GPURMA_QUEUE_ENTRIES=4 GPURMA_COMMAND_ENTRIES=2 GPURMA_CREDITS=2 GPURMA_EAGER=100 \
    GPURMA_IB_SENDS=8 GPURMA_IB_CHUNK=1K GPURMA_IB_QUEUE_PAIRS=3 $(processes 3) "$bin/stress_test" --seconds 10
  passes "$1: one queue pair" env GPURMA_IB_QUEUE_PAIRS=1 $(processes 2) "$bin/rma_test" payloads
  passes "$1: through buffers" env GPURMA_CPU_STAGING=1 GPURMA_CHUNK=10000 $(processes 3) "$bin/stress_test" --seconds 10
  # Host memory stands for a GPU's: in place, and from 1000 bytes on through buffers at the origin.
  passes "$1: in place" env GPURMA_CPU_STAGING=1 GPURMA_CHUNK=10000 GPURMA_IB_GPU_MEMORY=peermem GPURMA_IB_STAGED_FROM=1000 \
    $(processes 3) "$bin/stress_test" --seconds 10
}

all_tests() { # all_tests <name>
  # Limits of tests are meant for a processor, not for one that is emulated. The guest's files are its own.
  sed -E -i 's/"--timeout" "100"/"--timeout" "500"/; s/--timeout;100/--timeout;500/; s/TIMEOUT "([0-9]+)"/TIMEOUT "\10"/' \
    "$build"/test/mpi/CTestTestfile.cmake "$build"/examples/CTestTestfile.cmake
  # But for those which are about another transport. What is lost of a read's answer costs a time-out, so with many of them a short
  # one, and soft-RoCE's retries without end, because the emulated processor may be late with its answer.
  GPURMA_IB_TIMEOUT=13 GPURMA_IB_RETRIES=7 ctest --test-dir "$build" --output-on-failure --label-regex 'mpi|examples' \
    --exclude-regex 'mpi\.(transport_|process_alone|process_srun|process_transport_auto)|\.cuda$' \
    --tests-information "${shard:-1},,${shards:-1}" 2>&1 | tee $log | grep --line-buffered -v '^ *Start '
  local code=${PIPESTATUS[0]}
  outcome "$1: MPI tests and examples${shard:+, part $shard of $shards}" "$code"
}

# Notified puts between two processes, one way, in microseconds: over verbs in place, through buffers at both ends (as on a GPU that
# the network does not reach), in place where it does, and there from host memory at the origin; and over MPI.
sizes() {
  local bytes way row
  export GPURMA_CPU_RANKS=1 OMPI_MCA_mpi_yield_when_idle=1 # the processes poll, and are more than the cores
  printf '%10s %10s %10s %10s %10s %10s\n' bytes direct buffers gpu_direct gpu_staged mpi
  for bytes in 8 128 1024 4096 65536 1048576; do
    row=$(printf '%10d' $bytes)
    for way in GPURMA_CPU_STAGING=0 GPURMA_CPU_STAGING=1 "GPURMA_CPU_STAGING=1 GPURMA_IB_GPU_MEMORY=peermem" \
      "GPURMA_CPU_STAGING=1 GPURMA_IB_GPU_MEMORY=peermem GPURMA_IB_STAGED_FROM=64" GPURMA_TRANSPORT=mpi; do
      # shellcheck disable=SC2086  # a list of assignments
      env $way timeout 120 $(processes 2) "$bin/bench/put_latency" --bytes $bytes --round-trips $((bytes > 65536 ? 10 : 100)) > $log 2>&1
      outcome "puts of $bytes bytes, $way" $? >&2
      row+=$(printf ' %10.1f' "$(sed -n 's/^notified put: \(.*\) us$/\1/p' $log)")
    done
    echo "$row"
  done
}

finish() {
  if [ ${#failed[@]} -ne 0 ]; then
    printf 'failed: %s\n' "${failed[@]}"
  fi
  echo "verbs: $passed passed, ${#failed[@]} failed"
  exit $((${#failed[@]} != 0))
}

if [ "$how" = sizes ]; then
  make_devices
  sizes
  finish
fi
if [ -n "$shard" ]; then
  make_devices
  lose 1%
  all_tests "1 % loss"
  finish
fi

# What happens where verbs cannot be used: GPURMA_TRANSPORT=verbs is an error, verbs-or-mpi is mpi, in all processes.
lacks() { # lacks <what is missing> <reason> <command>...
  local what=$1 reason=$2
  shift 2
  fails "$what: verbs is demanded" "GPURMA_TRANSPORT is verbs, but $reason" "$@"
  says "$what: verbs-or-mpi takes mpi" "verbs cannot be used, so the transport is mpi: $reason" \
    env GPURMA_TRANSPORT=verbs-or-mpi GPURMA_DEBUG=INFO "$@"
}
lacks "no device" "process 0: there is no InfiniBand or RoCE device" $(processes 2) "$bin/rma_test" traffic
make_devices
lacks "a device that does not exist" "process 0: there is no device rxe7 \(GPURMA_IB_DEVICE\); there are rxe0, rxe1" \
  env GPURMA_IB_DEVICE=rxe7 $(processes 2) "$bin/rma_test" traffic
lacks "a device that one process does not have" "process 1: there is no device rxe7 \(GPURMA_IB_DEVICE\); there are rxe0, rxe1" \
  $(processes 1) "$bin/rma_test" traffic : -np 1 env GPURMA_IB_DEVICE=rxe7 "$bin/rma_test" traffic
chmod 600 /dev/infiniband/uverbs*
lacks "no permission" "process 0: device rxe0 cannot be opened: Permission denied; device rxe1 cannot be opened: Permission denied" \
  setpriv --reuid=65534 --regid=65534 --clear-groups env HOME=/tmp $(processes 2) "$bin/rma_test" traffic
chmod 666 /dev/infiniband/uverbs*
lacks "too little memory may be locked" "process 0: device rxe0, port 1: .* cannot be registered .*ulimit -l, too low.*: Cannot allocate memory" \
  setpriv --reuid=65534 --regid=65534 --clear-groups env HOME=/tmp bash -c 'ulimit -l 64; exec "$@"' - \
  $(processes 2) "$bin/rma_test" traffic
lacks "a GID that does not exist" "process 0: device rxe0, port 1 has no GID 200 \(GPURMA_IB_GID_INDEX\)" \
  env GPURMA_IB_GID_INDEX=200 $(processes 2) "$bin/rma_test" traffic
lacks "dynamic connections that the device does not have" \
  "process 0: device rxe0, port 1 has no dynamic connections, which GPURMA_IB_CONNECTION asks for" \
  env GPURMA_IB_CONNECTION=dc $(processes 2) "$bin/rma_test" traffic
says "verbs-or-mpi takes verbs" "process 0 of 2, .*, transport verbs" \
  env GPURMA_TRANSPORT=verbs-or-mpi GPURMA_DEBUG=INFO $(processes 2) "$bin/rma_test" traffic
says "auto takes mpi" "process 0 of 2, .*, transport mpi" \
  env GPURMA_TRANSPORT=auto GPURMA_DEBUG=INFO $(processes 2) "$bin/rma_test" traffic
passes "the devices are used in turn" sh -c \
  "GPURMA_DEBUG=INFO $(processes 2) $bin/rma_test traffic > /tmp/used 2>&1 &&
   grep -q 'verbs: device rxe0, port 1' /tmp/used && grep -q 'verbs: device rxe1, port 1' /tmp/used"

quick_tests "no loss"
lose 1%
quick_tests "1 % loss"
[ "$how" = quick ] || all_tests "1 % loss"

# The same test with the notification on another queue pair than the data, which is what keeps their order.
passes "notification behind its data" $(processes 2) "$bin/rma_test" payloads
fails "notification on another queue pair" "CHECK" $(processes 2) "$bin/notify_elsewhere_test" payloads
lose 0%

# Requests that come twice, the second one late, when the memory of many payloads is no longer wanted: that of buffers which are
# taken when those of the pool are in use. Without shared memory payloads are read by RDMA.
mount -o remount,size=4k /dev/shm
for device in v0 v1; do
  tc qdisc replace dev $device root netem delay 10ms reorder 90% duplicate 10%
done
passes "late repeats" env OMPI_MCA_btl_vader_backing_directory=/tmp GPURMA_IB_RETRIES=7 GPURMA_IB_TIMEOUT=15 GPURMA_CPU_STAGING=1 \
  GPURMA_CHUNK=1000 GPURMA_EAGER=100 $(processes 2) "$bin/rma_test" payloads
mount -o remount,size=50% /dev/shm
lose 0%

# Without MPI.
by_id=$source/test/verbs/by_id.sh
passes "by a unique id: MPI is not started" env -u GPURMA_TRANSPORT "$by_id" 3 "$bin/process_test" by_id
for mode in exchange payloads windows order nothing; do
  passes "by a unique id: rma $mode" "$by_id" 3 "$bin/rma_test" $mode
done
passes "by a unique id, given in a call" "$bin/rma_test" unique_id
fails "by a unique id: a process is killed" "process 0 has ended without coming to the end of gpurma" \
  "$by_id" 3 "$bin/rma_test" killed
fails "by a unique id: ranks are stuck" "no progress of any rank.*this is what each rank waits for" \
  env GPURMA_TIMEOUT=2 "$by_id" 3 "$bin/rma_test" stall
fails "by a unique id: processes disagree" "processes disagree: .*query of a rank kernel" "$by_id" 3 "$bin/rma_test" early_exit

gone="of rank [0-9]+ for rank [0-9]+, from process [0-9] \(device rxe., port 1\) to process [0-9] \(device rxe., port 1\), has failed: "
# Without --enable-recovery mpirun ends the run before the transport can find out; with it, its own exit code says nothing.
for turn in 1 2 3 4; do # there may be a message on its way when it happens, or none
  fails "a process is killed ($turn)" \
    "verbs: (a message of rank 3 for rank 7|a count of processed messages), from process 0 \(device rxe0, port 1\) to process 1 \(device rxe1, port 1\), has failed: transport retry counter exceeded \(status 12, .*the process has ended" \
    sh -c '"$@"; exit 1' - $(processes 2) --enable-recovery "$bin/transport_test" killed verbs
done
# Both ends find it out, and the first one ends the run.
fails "a key that nobody has given" "verbs: (a put $gone|a receive of process 1 .*from process 0 \(device rxe0, port 1\) has failed: )remote access error \(status 10, " \
  $(processes 2) "$bin/transport_test" bad_key verbs
rm -f $log
(until grep -q 'seed 1' $log 2> /dev/null; do sleep 1; done; sleep 2; ip link set v1 down) &
fails "the link goes down" "verbs: .* $gone.* \(status [0-9]+, " $(processes 2) "$bin/stress_test" --seconds 60

# Not the device itself, which soft-RoCE keeps until no process uses it any more.
ip link set v1 up
ip route replace 10.1.0.1/32 dev v1 src 10.1.0.2 table 101 # which went down with it
passes "the link is up again" $(processes 2) "$bin/rma_test" traffic
rm -f $log
(until grep -q 'seed 1' $log 2> /dev/null; do sleep 1; done; sleep 2; ip link delete v1) &
fails "the network below the device is removed" "verbs: .* $gone.* \(status [0-9]+, " $(processes 2) "$bin/stress_test" --seconds 60

finish
