#!/usr/bin/env bash
# Tests jobs/setup.sh with stand-ins for apt and dpkg: it installs only the missing packages, and says what it cannot
# do. Tests jobs/prefix.sh with the same: it carries every library except MPI and HDF5, and what these libraries depend
# on.
set -uo pipefail
top=${GEMP_SOURCE_DIR:-$(cd "$(dirname "$0")/../.." && pwd)}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0
fail() { echo "FAILED: $*" >&2; sed 's/^/    /' "$work/said" >&2; failures=$((failures + 1)); }

# machine USER PACKAGE...: makes a machine of this user with these packages, the tools of these packages, and no sudo.
machine() {
	rm -rf "${work:?}/bin" "$work/log"
	mkdir "$work/bin"
	for tool in bash env cat grep mktemp rm dirname; do
		ln -s "$(command -v $tool)" "$work/bin/$tool"
	done
	stand_in id "echo $1"
	shift
	printf '%s\n' "$@" >"$work/packages"
	stand_in dpkg-query "grep -qxF -- \"\${!#}\" $work/packages && echo installed"
	stand_in apt-cache 'case $2 in libnauty2-dev) exit 1;; *) exit 0;; esac'
	stand_in apt-get "echo \"\$*\" >>$work/log"
	stand_in ldconfig 'exit 0'
	for tool in gcc cmake ninja flex bison mpirun h5dump pkg-config zstd gzip python3 gnuplot dot; do
		stand_in $tool 'exit 0'
	done
}
stand_in() { printf '#!%s\n%s\n' "$(command -v bash)" "$2" >"$work/bin/$1"; chmod +x "$work/bin/$1"; }

# setup CODE ARGUMENTS...: runs jobs/setup.sh, which must exit with CODE
setup() {
	local wanted=$1
	shift
	PATH=$work/bin OCL_ICD_VENDORS=some "$top/jobs/setup.sh" "$@" >"$work/said" 2>&1 </dev/null
	local code=$?
	[ $code -eq "$wanted" ] || fail "code $code, not $wanted: setup.sh $*"
}
installed() { grep -c ' install ' "$work/log" 2>/dev/null; }

build=(libc6-dev tzdata libopenmpi-dev ocl-icd-opencl-dev opencl-headers libjansson-dev libexpat1-dev libpopt-dev libpcre2-dev libutf8proc-dev libnauty2-dev
       libhdf5-openmpi-dev libxxhash-dev zlib1g-dev libbz2-dev libzstd-dev libpng-dev libptscotch-dev)
tests=(libcmocka-dev python3 python3-h5py python3-scipy python3-networkx python3-igraph)

machine 0 "${build[@]}"
setup 2 --everything
setup 0
[ ! -e "$work/log" ] || fail "nothing was missing, but apt-get ran"
[ ! -s "$work/said" ] || fail "nothing was missing, but it spoke"

machine 0 "${build[@]/libhdf5-openmpi-dev/libhdf5-dev}"
setup 0
[ ! -e "$work/log" ] || fail "serial HDF5 is enough, but apt-get ran"

machine 0 "${build[@]/libjansson-dev/}"
rm "$work/bin/flex"
setup 0
[ "$(installed)" = 1 ] && grep -q 'no-install-recommends flex libjansson-dev$' "$work/log" || fail "flex and jansson alone"

machine 0 "${build[@]/libnauty2-dev/}"
setup 0
grep -q 'recommends libnauty-dev$' "$work/log" || fail "the name that this release has"

machine 0 "${build[@]}" python3
setup 0 --tests
grep -q 'recommends libcmocka-dev python3-h5py python3-scipy python3-networkx python3-igraph$' "$work/log" || fail "what tests need"
machine 0 "${build[@]}" "${tests[@]}"
setup 0 --tests
[ ! -e "$work/log" ] || fail "tests need nothing more, but apt-get ran"

machine 0 "${build[@]}"
rm "$work/bin/gnuplot"
setup 0 --reproduce
[ "$(installed)" = 1 ] && grep -q 'recommends gnuplot-nox$' "$work/log" || fail "what the published experiments need"

# An optional package is installed by a call of its own, whose failure is ignored.
machine 0 "${build[@]/libptscotch-dev/}"
setup 0
grep -q 'recommends libptscotch-dev$' "$work/log" || fail "what is optional"
stand_in apt-get 'exit 100'
setup 0
grep -q 'going on without it' "$work/said" || fail "a word on what is optional"
machine 1000 "${build[@]/libptscotch-dev/}"
setup 0
[ ! -e "$work/log" ] || fail "what is optional, without sudo"

# With outdated package lists the first installation fails. It succeeds after an update.
machine 0 "${build[@]/libpopt-dev/}"
stand_in apt-get "echo \"\$*\" >>$work/log; case \"\$*\" in *update*) echo >$work/new;; *) [ -e $work/new ];; esac"
setup 0
[ "$(installed)" = 2 ] || fail "two tries"
rm -f "$work/new"

machine 0 "${build[@]/libpopt-dev/}"
stand_in apt-get 'echo "E: no network" >&2; exit 100'
setup 69
grep -q 'E: no network' "$work/said" && grep -q 'could not install libpopt-dev' "$work/said" || fail "apt-get's own words"

machine 1000 "${build[@]/libpopt-dev/}"
setup 69
grep -q 'as root: apt-get install --no-install-recommends libpopt-dev' "$work/said" || fail "what to do without sudo"
stand_in sudo "echo sudo >>$work/sudo; exec \"\$@\""
setup 0
[ -s "$work/sudo" ] && [ "$(installed)" = 1 ] || fail "through sudo"

machine 0 "${build[@]}"
rm "$work/bin/apt-get"
setup 69
for name in CMake flex bison MPI HDF5 OpenCL jansson popt nauty xxHash zlib bzip2 Zstandard libpng cmocka h5py; do
	grep -q "$name" "$work/said" || fail "the list for other systems lacks $name"
done

machine 0
for tool in mkdir cp find du ln basename readlink sed; do
	ln -s "$(command -v $tool)" "$work/bin/$tool"
done
stand_in dpkg 'mkdir -p "$3/usr/lib"'
stand_in apt-cache 'case "$1 ${!#}" in "show libnauty2-dev") exit 1;; "depends bison") echo "  Depends: m4";;
	"depends m4") printf "  PreDepends: libsigsegv2\n  Depends: libc6\n";; "depends libpng-dev") printf "  Depends: libpng16-16t64\n  Depends: <x>\n";; esac'
PATH=$work/bin "$top/jobs/prefix.sh" "$work/prefix" >"$work/said" 2>&1 || fail "prefix.sh"
[ -s "$work/prefix/env.sh" ] || fail "prefix.sh wrote no env.sh"
for package in "${build[@]}" libcmocka-dev libnauty-dev flex bison m4 libsigsegv2 libpng16-16t64; do
	case $package in libc6-dev | tzdata | libopenmpi-dev | libhdf5-* | libptscotch-dev | libnauty2-dev) wanted=0 ;; *) wanted=1 ;; esac
	[ "$(tr ' ' '\n' <"$work/log" | grep -cx "$package")" = $wanted ] || fail "prefix.sh: $package is carried $wanted times"
done
! grep -qE ' (libc6|<x>)( |$)' "$work/log" || fail "prefix.sh carries the C library"

[ $failures -eq 0 ] && echo "all passed"
