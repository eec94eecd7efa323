#!/bin/bash
# Measures the string predicate CONTAINS over ten million distinct strings of 32 bytes, for several texts. Compares the kernel's GB/s with
# a copy of the same bytes on the device and with the seconds of `LC_ALL=C grep -c`, all in one run. The counts must be
# equal.
#
#     tests/bench/strings.sh BUILD [--rows N] [--size BYTES] [--part TEXT]... [--repeat N] [--devices SPEC] [--save]
#
# BUILD is a configured build folder, in which bench_strings is built. --save keeps the figures as
# results/strings-DATE.jsonl.
set -u -o pipefail
here=$(cd "$(dirname "$0")" && pwd)
[ $# -gt 0 ] || { sed -n '2,9s/^# \{0,1\}//p' "$0"; exit 2; }
build=$1; shift
cmake --build "$build" --target bench_strings >/dev/null || exit 1
exec "${GEMP_PYTHON:-/usr/bin/python3}" "$here/strings.py" "$build/tests/bench_strings" "$@"
