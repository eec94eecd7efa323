#!/usr/bin/env bash
# Embeds kernels in a small program and compares what the program prints byte by byte with the files: long files, empty
# files, bytes above 127, and a folder without kernels.
set -euo pipefail
top=${GEMP_SOURCE_DIR:-$(cd "$(dirname "$0")/../.." && pwd)}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cat >"$work/print.c" <<'TEXT'
#include "device/program.h"
#include <stdio.h>
#include <string.h>
int main(int argc, char **argv)
{
	if (argc == 1)
		return printf("%zu\n", gemp_embedded_count) < 0;
	for (size_t i = 0; i < gemp_embedded_count; i++)
		if (strcmp(gemp_embedded_files[i].name, argv[1]) == 0)
			return gemp_embedded_files[i].text[gemp_embedded_files[i].size] != 0 ||
			       fwrite(gemp_embedded_files[i].text, 1, gemp_embedded_files[i].size, stdout) !=
			       gemp_embedded_files[i].size;
	return 1;
}
TEXT

# build FOLDER: makes $work/print, a program that prints the kernels embedded from FOLDER
build() {
	cmake -DFOLDER="$1" -DOUT="$work/embedded.c" -P "$top/cmake/EmbedKernels.cmake"
	cc -std=gnu17 -Wall -Werror -Wno-overflow -I"$top/src" -I"$top/include" -o "$work/print" "$work/print.c" "$work/embedded.c"
}

mkdir "$work/some" "$work/none"
seq 1 20000 >"$work/some/long.cl" # 108,894 bytes
: >"$work/some/empty.clh"
printf '"\\n";\t%%s ??/ \303\251 \377 [a;b] $ENV{HOME} @x@\r\n#\\' >"$work/some/odd.clh"
echo "shared with the host" >"$work/some/abi.h"
echo "not a kernel" >"$work/some/notes.md"

build "$work/some"
[ "$("$work/print")" = 4 ] || { echo "4 files expected, not $("$work/print")" >&2; exit 1; }
for file in long.cl empty.clh odd.clh abi.h; do
	"$work/print" "$file" | cmp - "$work/some/$file"
done
! "$work/print" notes.md || { echo "notes.md was embedded" >&2; exit 1; }

build "$work/none"
[ "$("$work/print")" = 0 ] || { echo "no file expected" >&2; exit 1; }

build "$top/kernels"
find "$top/kernels" -name '*.cl' -o -name '*.clh' -o -name '*.h' | while read -r file; do
	"$work/print" "$(basename "$file")" | cmp - "$file"
done
echo "all passed"
