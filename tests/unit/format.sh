#!/usr/bin/env bash
# Every C file has the layout of .clang-format, and comments have at most 120 columns, which clang-format leaves as they are.
# Only clang-format 14 is used, because other versions lay out some lines differently.
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

wide_comments() { # prints the comments of the listed files that are wider than 120 columns, with a tab of 4
	python3 -c '
import re, sys
for path in sys.stdin.read().split():
    for number, line in enumerate(open(path, encoding="utf-8"), 1):
        line = line.rstrip("\n").expandtabs(4)
        if len(line) > 120 and re.match(r"\s*(/\*|\*)\s", line):
            print("%s:%d: a comment has more than 120 columns" % (path, number))'
}
printf '/* %0120d */\n' 0 >"$work/wide.c"
if [ -z "$(wide_comments <<<"$work/wide.c")" ]; then
	echo "a wide comment was not faulted" >&2
	exit 1
fi
wide=$(wide_comments <"$work/files")
if [ -n "$wide" ]; then
	printf '%s\n' "$wide" >&2
	exit 1
fi
echo "$(wc -l <"$work/files") files"
