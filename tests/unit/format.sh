#!/usr/bin/env bash
# Every C file has the layout of .clang-format. Only clang-format 14 is used, because other versions lay out some lines
# differently.
set -uo pipefail
cd "${GEMP_SOURCE_DIR:-$(dirname "$0")/../..}" || exit 1
format=$(command -v clang-format-14 || command -v clang-format) || { echo "skipped: clang-format 14 is not installed"; exit 77; }
"$format" --version | grep -q 'version 14\.' || { echo "skipped: $("$format" --version) is not version 14"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

printf 'int  main( void ) { return 0; }\n' >"$work/spoilt.c"
if "$format" --style=file:.clang-format --dry-run -Werror "$work/spoilt.c" 2>/dev/null; then
	echo "a file that is laid out wrongly was not faulted" >&2
	exit 1
fi
find src partition io include examples tests -name '*.[ch]' 2>/dev/null | sort >"$work/files"
if ! xargs -P 2 -n 40 "$format" --dry-run -Werror <"$work/files" 2>"$work/faults"; then
	grep 'error:' "$work/faults" | cut -d: -f1 | sort | uniq -c | sed 's/^ *\([0-9]*\) \(.*\)/\2: \1 places; run clang-format -i \2/' >&2
	exit 1
fi
echo "$(wc -l <"$work/files") files"
