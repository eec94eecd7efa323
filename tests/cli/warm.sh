#!/usr/bin/env bash
# `gemp-mpi warm` builds the kernels that queries share: later runs with the same number of ranks build none of them.
. "$GEMP_SOURCE_DIR/tests/harness/harness.sh"
cd "$work" || exit 1

expect 0 1 generate uniform --vertices 100 --edges 600 --weights 9 -o g.h5 -q
expect 2 1 warm g.h5
says "accepts no argument 'g.h5'"

# On a terminal, and only there, a first run tells that it compiles kernels.
GEMP_CACHE_DIR=$work/first POCL_CACHE_DIR=$work/first "$GEMP_PYTHON" - <<'PYTHON' || fail "a message about compiling"
import os
import subprocess


def stderr_of(on_terminal, *more):
    reader, writer = os.openpty() if on_terminal else os.pipe()
    started = subprocess.Popen([os.environ["GEMP_MPI"], "components", "g.h5", "--on", "device", "--devices", "cpu", *more],
                               stdout=subprocess.DEVNULL, stderr=writer)
    os.close(writer)
    text = b""
    try:
        while part := os.read(reader, 4096):
            text += part
    except OSError:  # the last process has closed the terminal
        pass
    assert started.wait() == 0, text
    return text.decode()


first, later = stderr_of(True), stderr_of(True)
assert "\r\x1b[Kcompiling kernels, first run only" in first and first.endswith("\r\x1b[K"), first
assert later == "", later
os.environ["GEMP_CACHE_DIR"] += "/file"
assert stderr_of(False) == ""
os.environ["GEMP_CACHE_DIR"] += "/quiet"
assert stderr_of(True, "-q") == ""
PYTHON

# A single rank also uses its device for the topology.
expect 0 1 warm --devices cpu -q

# Two ranks share a device, so the cache has a binary of each program.
export GEMP_CACHE_DIR=$work/cache POCL_CACHE_DIR=$work/pocl
binaries() { ls cache | grep -c '^program-'; }
expect 0 2 warm --devices cpu --json report.json
grep -q '^  analytics  ' out || fail "the text has no line for analytics"
equal "$("$GEMP_PYTHON" -c 'import json; v = json.load(open("report.json"))
print([part["kernels"] for part in v["warmed"]], all(part["seconds"] >= 0 for part in v["warmed"]))')" \
	"['conditions', 'counts', 'topology', 'analytics'] True" "parts of the report"
built=$(binaries)
[ "$built" -ge 10 ] || fail "only $built programs were built"
expect 0 2 bfs g.h5 --source 1 --devices cpu -q
expect 0 2 sssp g.h5 --source 1 --weight weight --devices cpu -q
expect 0 2 pagerank g.h5 --devices cpu -q
expect 0 2 match g.h5 --pattern house --count --on device --devices cpu -q
expect 0 2 warm --devices cpu -q
equal "$(binaries)" "$built" "programs after runs that need no others"
# The kernel of a search is generated for its plan.
expect 0 2 match g.h5 --pattern house --count --count-by enumerate --on device --devices cpu -q
equal "$(binaries)" "$((built + 1))" "programs after a search"
finish
