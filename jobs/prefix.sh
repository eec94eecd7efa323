#!/usr/bin/env bash
# Puts the libraries and tools that a build needs into a folder. The folder can be copied to a machine without root or network,
# such as a node of a cluster. The machine needs its own compiler, CMake, Ninja, MPI, HDF5 and OpenCL driver. This script runs on
# Debian and Ubuntu.
#
#   jobs/prefix.sh FOLDER        on this machine
#   . FOLDER/env.sh              on the other machine, before cmake and before gemp-mpi
set -euo pipefail
[ $# -eq 1 ] || { echo "usage: $0 FOLDER" >&2; exit 2; }
command -v apt-get >/dev/null || { echo "$0: this machine has no apt" >&2; exit 69; }

source "$(dirname "${BASH_SOURCE[0]}")/packages.sh"
packages=()
for wanted in "${carried_tools[@]#*=}" "${carried_libraries[@]}" "${test_libraries[@]}"; do
	packages+=("$(available "$wanted")")
done
# The loop appends all direct and indirect dependencies, since it also visits the packages that it appends. It leaves out the C
# library, GCC and its libraries, debconf, dpkg, and virtual packages (their names begin with <).
for ((i = 0; i < ${#packages[@]}; i++)); do
	while read -r needed; do
		case " ${packages[*]} " in *" $needed "*) ;; *) packages+=("$needed") ;; esac
	done < <(apt-cache depends --important "${packages[i]}" | sed -nE 's/^ *(Pre)?Depends: //p' | grep -vE '^(<|libc6|libgcc|gcc-|debconf|dpkg)')
done

mkdir -p "$1"
folder=$(cd "$1" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
(cd "$work" && apt-get -qq -o APT::Sandbox::User=root download "${packages[@]}")
for package in "$work"/*.deb; do
	dpkg -x "$package" "$folder"
done
# Copies the libraries of FOLDER/lib to FOLDER/usr/lib. A link of a -dev package to /lib/NAME would leave FOLDER, so it becomes a
# link to the file NAME beside it.
if [ -d "$folder/lib" ] && [ ! -L "$folder/lib" ]; then
	cp -a "$folder/lib/." "$folder/usr/lib/"
fi
find "$folder/usr/lib" -type l -lname '/lib/*' | while read -r link; do
	ln -sf "$(basename "$(readlink "$link")")" "$link"
done
# If a library has a static form, its shared form is removed. gemp-mpi then contains the library, and other programs do not load
# it from the folder that env.sh puts into LD_LIBRARY_PATH.
find "$folder/usr/lib" -name 'lib*.a' | while read -r library; do
	rm -f "${library%.a}".so*
done
rm -rf "${folder:?}"/{lib,etc} "$folder"/usr/lib/*/libnauty?[0-9]* "$folder"/usr/share/{doc,man,info,locale,lintian}

cat >"$folder/env.sh" <<'TEXT'
# Sourced: . FOLDER/env.sh
gemp_prefix=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
export PATH=$gemp_prefix/usr/bin:$PATH M4=$gemp_prefix/usr/bin/m4 BISON_PKGDATADIR=$gemp_prefix/usr/share/bison
export CMAKE_PREFIX_PATH=$gemp_prefix/usr${CMAKE_PREFIX_PATH:+:$CMAKE_PREFIX_PATH}
export LD_LIBRARY_PATH=$gemp_prefix/usr/lib/$(uname -m)-linux-gnu${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
TEXT
du -sh "$folder"
