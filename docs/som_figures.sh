#!/usr/bin/env bash
# The pictures of docs/som-examples.md: docs/som_figures.sh, from the root of the tree, after a build. It runs what the
# page shows, in a folder that it removes. Needs X11's rgb.txt and apt's lists (Debian: x11-common; apt-get update).
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
