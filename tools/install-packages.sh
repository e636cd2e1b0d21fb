# Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Sourced by quickstart.sh and test.sh: installs what tools/debian-packages.txt lists and this machine lacks.

# install_missing_packages: needs root or sudo only if something is missing.
install_missing_packages() {
  missing=
  while read -r package; do
    case $package in '' | '#'*) continue ;; esac
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || missing="$missing $package"
  done < "$1"
  [ -n "$missing" ] || return 0
  echo "installing:$missing"
  as_root=
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo > /dev/null || { echo "these Debian packages are missing, and there is no sudo to install them:$missing" >&2; return 1; }
    as_root=sudo
  fi
  $as_root apt-get update -q
  # shellcheck disable=SC2086  # a list of words
  $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends $missing
}

# Open MPI refuses root, and more processes than cores, unless told. Containers often forbid its way of copying between processes.
allow_mpirun_here() {
  if [ "$(id -u)" -eq 0 ]; then
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
  fi
  export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none OMPI_MCA_btl_vader_single_copy_mechanism=none
}
