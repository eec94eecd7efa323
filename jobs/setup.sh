#!/usr/bin/env bash
# Installs the packages that GEMP-MPI needs and that this machine lacks. It uses apt on Debian and Ubuntu. On other systems it
# prints the list and stops.
#
#   jobs/setup.sh                packages to build and run the program
#   jobs/setup.sh --tests        also the packages that the tests need
#   jobs/setup.sh --reproduce    also the packages that the scripts reproduce-*.sh need
set -euo pipefail
[ $# -eq 0 ] || [ "$*" = --tests ] || [ "$*" = --reproduce ] || { echo "usage: $0 [--tests|--reproduce]" >&2; exit 2; }

source "$(dirname "${BASH_SOURCE[0]}")/packages.sh"

tools=("${site_tools[@]}" "${carried_tools[@]}")
libraries=("${site_libraries[@]}" "${carried_libraries[@]}")
if [ "${1:-}" = --reproduce ]; then
	tools+=("${reproduce_tools[@]}")
elif [ "${1:-}" = --tests ]; then
	tools+=("${test_tools[@]}" "${reproduce_tools[@]}")
	libraries+=("${test_libraries[@]}" "${test_python[@]}")
fi

installed() { # is one of the alternatives installed?
	local package
	for package in ${1//|/ }; do
		dpkg-query -W -f '${db:Status-Status}\n' "$package" 2>/dev/null | grep -qx installed && return
	done
	return 1
}

# Any OpenCL driver is sufficient. PoCL, which runs kernels on CPU cores, is installed if there is none.
has_driver() { compgen -G '/etc/OpenCL/vendors/*.icd' >/dev/null || [ -n "${OCL_ICD_VENDORS:-}" ]; }

# NVIDIA's driver is often installed without the file that registers it with OpenCL.
nvidia_without_icd() {
	"$(command -v ldconfig || echo /sbin/ldconfig)" -p 2>/dev/null | grep -q 'libnvidia-opencl\.so\.1' &&
		! grep -qs nvidia /etc/OpenCL/vendors/*.icd
}

if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
	cat >&2 <<-TEXT
	$0: this machine has no apt. Install with its own package manager, then run: cmake --preset release
	  a C17 compiler, CMake 3.25 or newer, Ninja, flex, bison 3.4 or newer
	  MPI (Open MPI), HDF5 (parallel if possible), an OpenCL ICD loader, OpenCL headers, and a driver (PoCL for CPUs)
	  jansson, Expat, popt, PCRE2, utf8proc, nauty (static library), xxHash, zlib, bzip2, Zstandard, libpng,
	  the time zone database (tzdata)
	  for tests: cmocka, Python 3 with h5py and scipy
	  if you like: PT-Scotch
	TEXT
	exit 69
fi

missing=()
for tool in "${tools[@]}"; do
	command -v "${tool%=*}" >/dev/null || missing+=("${tool#*=}")
done
for library in "${libraries[@]}"; do
	installed "$library" || missing+=("$library")
done
has_driver || nvidia_without_icd || missing+=(pocl-opencl-icd)

apt() { "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 -qq "$@" </dev/null; }
log=$(mktemp)
trap 'rm -f "$log"' EXIT
as_root=()
if [ "$(id -u)" -ne 0 ]; then
	as_root=(sudo)
fi
if [ ${#missing[@]} -gt 0 ]; then
	if [ ${#as_root[@]} -gt 0 ] && ! command -v sudo >/dev/null; then
		echo "$0: run this as root: apt-get install --no-install-recommends ${missing[*]%%|*}" >&2
		exit 69
	fi
	echo "Installing ${missing[*]%%|*}"
	install() {
		local alternatives chosen=()
		for alternatives in "${missing[@]}"; do
			chosen+=("$(available "$alternatives")")
		done
		apt install -y --no-install-recommends "${chosen[@]}"
	}
	# The package lists may be missing or old, so they are fetched before a second try.
	if ! install >"$log" 2>&1 && ! { apt update && install; } >"$log" 2>&1; then
		cat "$log" >&2
		echo "$0: apt-get could not install ${missing[*]%%|*}; its messages are above" >&2
		exit 69
	fi
fi
if ! installed "$optional_library" && apt-cache show "$optional_library" >/dev/null 2>&1 &&
   { [ ${#as_root[@]} -eq 0 ] || command -v sudo >/dev/null; }; then
	echo "Installing $optional_library, which is optional"
	apt install -y --no-install-recommends "$optional_library" >"$log" 2>&1 || echo "It could not be installed: going on without it"
fi
if nvidia_without_icd; then
	echo "Telling OpenCL of NVIDIA's driver in /etc/OpenCL/vendors/nvidia.icd"
	echo libnvidia-opencl.so.1 | "${as_root[@]}" install -D -m 644 /dev/stdin /etc/OpenCL/vendors/nvidia.icd
fi
