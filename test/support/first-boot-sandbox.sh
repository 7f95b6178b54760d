#!/bin/bash
# Runs a first-boot script on a disk: first-boot-sandbox.sh FOLDER SCRIPT COMMAND
# FOLDER/disk is the image of the disk /dev/xvdf, FOLDER/script the script, FOLDER/fstab the table of the root disk, if it has
# one. COMMAND is run in the sandbox after it. The sandbox is a mount namespace with a writable layer over the root, and a /dev
# that shows the disk behind a link, as on Nitro.
set -eu
folder=$1 command=$2
if [ "${3:-}" != inside ]; then exec unshare --mount "$0" "$folder" "$command" inside; fi
layer=$(mktemp -d)
mount -t tmpfs tmpfs "$layer"
mkdir "$layer"/{upper,work,root}
root=$layer/root
mount -t overlay overlay -o "lowerdir=/,upperdir=$layer/upper,workdir=$layer/work" "$root"
mount -t proc proc "$root/proc"
mount --bind /sys "$root/sys"
mount -t tmpfs tmpfs "$root/dev"
for device in null zero urandom; do touch "$root/dev/$device"; mount --bind "/dev/$device" "$root/dev/$device"; done
mount --bind "$folder" "$root/mnt"
if [ -e "$folder/fstab" ]; then cp "$folder/fstab" "$root/etc/fstab"; else : > "$root/etc/fstab"; fi
loop=$(losetup --find --show "$folder/disk")
trap 'umount -q "$root/data" || true; losetup --detach "$loop"' EXIT
mknod "$root/dev/nvme1n1" b "0x$(stat -c %t "$loop")" "0x$(stat -c %T "$loop")"
ln -s nvme1n1 "$root/dev/xvdf"
chroot "$root" /usr/bin/env python3 /mnt/script >&2
chroot "$root" /bin/bash -c "$command"
