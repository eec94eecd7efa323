#!/usr/bin/env bash
# Measures strong and weak scaling of an engine of gemp-mpi for a series of rank counts. Writes tables (CSV, JSON), plots, and a
# model that predicts the time of runs with other numbers of ranks. docs/scaling.md explains the figures.
#
#   jobs/scaling-study.sh strong --scale 18 --ranks 1,2,4,8 -- --pattern cycle:4 --count --count-by enumerate
#   jobs/scaling-study.sh weak --scale 14 --ranks 1,2,4,8 -- --pattern cycle:4 --count --count-by enumerate
#   jobs/scaling-study.sh strong --graph wiki.h5 --launcher "srun --mpi=pmix" -- --pattern clique:5 --count
#   jobs/scaling-study.sh weak --engine pagerank --scale 20 --ranks 1,2,4,8
#   jobs/scaling-study.sh predict FOLDER/strong.json FOLDER/weak.json -o FOLDER
#   jobs/scaling-study.sh plot FOLDER/strong.json           draws a study that was measured elsewhere
#   jobs/scaling-study.sh --help
#
# GEMP_MPI is the program. If GEMP_MPI is not set, the script uses the program that was installed together with it, the one of the
# build folder, or the one of PATH, and builds it if there is none. GEMP_MPIRUN is the command that starts the ranks if --launcher
# is not given.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
if ! command -v "${GEMP_PYTHON:-python3}" >/dev/null; then
	echo "$0: python3 is missing; its standard library is all that is needed" >&2
	exit 69
fi
case " $* " in
*' --help '* | *' -h '* | ' predict '* | ' plot '*) ;;
*)
	# Compute nodes may not be able to build, so a program that is there is used as it is.
	GEMP_MPI=$(any_gemp "$top/jobs") || use_gemp
	export GEMP_MPI
	;;
esac
exec "${GEMP_PYTHON:-python3}" "$top/jobs/scaling/study.py" "$@"
