#!/usr/bin/env bash
# Builds the program, checks that each engine gives the same answer on any number of ranks with kernels on the device of every rank,
# and measures the speed-ups. It ends within 8 minutes, and says which measurements it has left out. Ranks beyond the number of GPUs
# share GPUs, so the script also runs on one GPU or on a CPU device.
#
#   jobs/gpus.sh [--ranks 1,2,4,8] [--size small|middle|large] [--only sort,bfs] [--save FOLDER] [OPTIONS of tests/bench/gpus.py]
#
# Without --ranks: 1, 2, 4 and 8, as far as this machine has GPUs, and at least 1 and 2. GEMP_MPI names the program; without it
# the sources around this script are built in GEMP_BUILD, by default /tmp/gemp-bench-build.
set -euo pipefail
began=$SECONDS
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/../tests/bench" && pwd)
source "$here/build.bash"
ranks=$(OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 "$GEMP_MPI" devices --quiet --json - | "${GEMP_PYTHON:-python3}" -c '
import json, sys
gpus = sum(d["kind"] == "gpu" for d in json.load(sys.stdin)["devices"])
print(",".join(str(n) for n in (1, 2, 4, 8) if n <= max(gpus, 2)))')
exec "${GEMP_PYTHON:-python3}" "$here/gpus.py" --ranks "$ranks" --budget $((470 - (SECONDS - began))) "$@"
