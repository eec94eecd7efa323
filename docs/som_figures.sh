#!/usr/bin/env bash
# Makes the pictures of docs/som-examples.md. Run it from the root of the tree, after a build. It runs all commands of the
# page in a temporary folder, and moves the pictures to docs/figures. It needs X11's rgb.txt (Debian: x11-common) and apt's
# lists (apt-get update).
set -eu
root=$PWD
program=${GEMP_MPI:-$root/build/gemp-mpi}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
gemp-mpi() { "$program" "$@"; }
PATH=$root/docs:$PATH
cd "$work"
eval "$(sed -n '/^    /s/^    //p' "$root/docs/som-examples.md")"
mv ./som-*.svg ./som-*.png "$root/docs/figures/"
