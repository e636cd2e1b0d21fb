#!/bin/bash
# Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Installs what is missing, builds, and runs all tests: those of the release build, with a short run of the fuzzer, and the unit
# tests under the sanitizers. Ends with one line that counts them; exit code 0 only if none failed. Logs are in build*/test-*.
set -u
cd "$(dirname "$0")/.." || exit 1
. tools/install-packages.sh
install_missing_packages tools/debian-packages.txt || exit 1
allow_mpirun_here
# When it ends, mpirun removes the folder of its user if that is empty, perhaps while another mpirun makes its own folder in it.
sessions=$(mktemp -d)
trap 'rm -rf "$sessions"' EXIT
for host in "$(uname -n)" "$(uname -n | cut -d. -f1)"; do
  mkdir -p "$sessions/ompi.$host.$(id -u)/stays"
done
export OMPI_MCA_orte_tmpdir_base=$sessions
# Otherwise Open MPI looks for networks, 0.2 s long, in each of a thousand runs.
export OMPI_MCA_pml=ob1
jobs=$(nproc)
reports=()
failed_steps=()

heading() {
  echo "== $1 (after $SECONDS s)"
}

# step <name> <command>...: the name of a step that fails counts as a failed test.
step() {
  local name=$1
  shift
  heading "$name"
  if ! "$@"; then
    failed_steps+=(--failed "$name")
    return 1
  fi
}

# configure_and_build <preset> <folder> <target> <cmake options>...
configure_and_build() {
  local preset=$1 folder=$2 target=$3 log=$2/test-configure.log
  shift 3
  mkdir -p "$folder"
  cmake --preset "$preset" "$@" > "$log" 2>&1 || { cat "$log"; return 1; }
  cmake --build "$folder" --parallel "$jobs" --target "$target"
}

# run_ctest <folder> <ctest options>...
run_ctest() {
  local folder=$1
  shift
  rm -f "$folder/test-ctest.xml"
  # Failures are counted from the report; a missing report is one, too. Two more tests than there are cores: many wait, and those of
  # several processes count as two.
  ctest --test-dir "$folder" --parallel "$((jobs + 2))" --output-on-failure --output-junit test-ctest.xml "$@"
  reports+=("$folder/test-ctest.xml")
}

run_lit() {
  local site=build/test/lit python lit
  python=$(sed -n 's/^GPURMA_LIT_PYTHON:FILEPATH=//p' build/CMakeCache.txt)
  lit=$(sed -n 's/^GPURMA_LIT:FILEPATH=//p' build/CMakeCache.txt)
  rm -f build/test-lit.xml
  # Here, too, some wait.
  "$python" "$lit" -j "$((jobs + 1))" -v --time-tests --xunit-xml-output build/test-lit.xml "$site"/*/
  reports+=(build/test-lit.xml)
}

if step "build" configure_and_build release build all -DGPURMA_BUILD_TESTS=ON -DGPURMA_BUILD_FUZZER=ON; then
  heading "tests of the release build"
  # lit runs by itself below, so that its tests are counted one by one.
  run_ctest build --exclude-regex '^lit\.'
  heading "lit"
  run_lit
fi
for sanitizer in asan tsan; do
  if step "build with $sanitizer" configure_and_build "$sanitizer" "build-$sanitizer" gpurma_unit_tests; then
    heading "unit tests with $sanitizer"
    run_ctest "build-$sanitizer" --label-regex unit
  fi
done
/usr/bin/env python3 tools/count_tests.py "${reports[@]}" "${failed_steps[@]}"
