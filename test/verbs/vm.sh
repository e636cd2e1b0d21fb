#!/bin/bash
# Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# A virtual machine with InfiniBand verbs on a machine that has neither InfiniBand nor KVM: Debian's kernel under QEMU's software
# emulation, with soft-RoCE (rdma_rxe). It sees this machine's files as they are, but what it writes is lost.
#
#   vm.sh make <folder>            kernel and initramfs, made once; 77: this machine cannot (the reason is printed)
#   vm.sh run <folder> <script>    boots, runs the script with bash as root, prints what it prints; exit code: the script's
#
# VM_CORES (2), VM_MEMORY (3072, MiB) and VM_TIMEOUT (1800, seconds) are for run.
set -euo pipefail

cannot() { echo "verbs: skipped: $*" >&2; exit 77; }

# The modules that the guest needs, loaded in this order; the others are what these ask for.
modules=(virtio_pci 9pnet_virtio 9p overlay rdma_rxe ib_uverbs crc32_generic veth sch_netem)

make_machine() {
  local folder=$1 tool package version root line
  [ "$(uname -m)" = x86_64 ] || cannot "the virtual machine is for x86_64, this machine is $(uname -m)"
  for tool in qemu-system-x86_64 busybox cpio modprobe ip rdma tc apt-get dpkg-deb; do
    PATH=$PATH:/usr/sbin:/sbin command -v $tool > /dev/null || cannot "$tool is not installed (test/verbs/debian-packages.txt)"
  done
  [ ! -e "$folder/initramfs" ] || return 0
  mkdir -p "$folder"
  folder=$(cd "$folder" && pwd)
  # Not installed, only unpacked. The cloud flavour has no rdma_rxe.
  package=$(apt-cache depends linux-image-amd64 | sed -n 's/.*Depends: \(linux-image-[^ ]*\).*/\1/p' | head -n 1)
  [ -n "$package" ] || cannot "apt knows no linux-image-amd64 (apt-get update?)"
  rm -rf "$folder/kernel" "$folder"/linux-image-*.deb
  (cd "$folder" && apt-get -q -o APT::Sandbox::User=root download "$package") || cannot "$package cannot be downloaded"
  dpkg-deb -x "$folder"/linux-image-*.deb "$folder/kernel"
  rm "$folder"/linux-image-*.deb
  version=$(ls "$folder/kernel/lib/modules")
  mv "$folder/kernel/boot/vmlinuz-$version" "$folder/vmlinuz"
  /sbin/depmod -b "$folder/kernel" "$version"

  root=$folder/root
  rm -rf "$root"
  mkdir -p "$root"/{bin,proc,sys,dev,host,over,new,modules}
  cp "$(command -v busybox)" "$root/bin/busybox"
  for module in "${modules[@]}"; do
    /sbin/modprobe -d "$folder/kernel" -S "$version" --show-depends "$module" | sed -n 's/^insmod \([^ ]*\).*/\1/p'
  done | awk '!seen[$0]++' | while read -r line; do
    cp "$line" "$root/modules/"
    basename "$line" >> "$root/modules/order"
  done
  cat > "$root/init" <<'END'
#!/bin/busybox sh
/bin/busybox --install -s /bin
export PATH=/bin
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs dev /dev
while read -r module; do insmod "/modules/$module"; done < /modules/order
# The machine's files, with what the guest writes in memory.
mount -t 9p -o trans=virtio,version=9p2000.L,ro,msize=1048576,cache=loose host /host
mount -t tmpfs over /over
mkdir /over/upper /over/work
mount -t overlay -o lowerdir=/host,upperdir=/over/upper,workdir=/over/work overlay /new
mount -o bind /proc /new/proc
mount -o bind /sys /new/sys
mount -o bind /dev /new/dev
mkdir -p /new/dev/shm /new/dev/pts
for folder in /new/dev/shm /new/run; do mount -t tmpfs tmpfs $folder; done
mount -t devpts devpts /new/dev/pts
hostname guest
echo "127.0.0.1 localhost guest" > /new/etc/hosts
ip link set lo up
ulimit -l unlimited
cp /script /new/run/script
HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin chroot /new /bin/bash /run/script
echo "### the guest's script ended with $?"
poweroff -f
END
  chmod +x "$root/init"
  (cd "$root" && find . | cpio -o -H newc -R 0:0 --quiet) > "$folder/initramfs.part"
  mv "$folder/initramfs.part" "$folder/initramfs"
  rm -rf "$root" "$folder/kernel"
}

run_machine() {
  local folder=$1 script=$2 code
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  cp "$script" "$work/script"
  # The kernel unpacks one archive after another.
  { cat "$folder/initramfs"; (cd "$work" && echo script | cpio -o -H newc -R 0:0 --quiet); } > "$work/initramfs"
  timeout "${VM_TIMEOUT:-1800}" qemu-system-x86_64 -accel tcg,thread=multi -cpu max -M pc -smp "${VM_CORES:-2}" \
    -m "${VM_MEMORY:-3072}" -nodefaults -display none -no-reboot -serial stdio -kernel "$folder/vmlinuz" \
    -initrd "$work/initramfs" -append "console=ttyS0 quiet loglevel=1 panic=-1" \
    -virtfs local,path=/,mount_tag=host,security_model=none,readonly=on,multidevs=remap < /dev/null |
    sed -u 's/\r//g' | tee "$work/log" | grep --line-buffered -v '^### ' || :
  code=$(sed -n "s/^### the guest's script ended with //p" "$work/log")
  [ -n "$code" ] || { echo "verbs: the virtual machine did not come to the script's end" >&2; return 1; }
  return "$code"
}

case ${1:-} in
  make) make_machine "$2" ;;
  run) run_machine "$2" "$3" ;;
  *) sed -n '3,10s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
esac
