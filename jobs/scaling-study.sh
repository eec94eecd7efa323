#!/usr/bin/env bash
# Strong and weak scaling of `gemp-mpi match`: a series of rank counts, tables (CSV, JSON), plots, and a model that
# predicts more ranks. docs/scaling.md says what the figures mean.
#
#   jobs/scaling-study.sh strong --scale 18 --ranks 1,2,4,8 -- --pattern cycle:4 --count --count-by enumerate
#   jobs/scaling-study.sh weak --scale 14 --ranks 1,2,4,8 -- --pattern cycle:4 --count --count-by enumerate
#   jobs/scaling-study.sh strong --graph wiki.h5 --launcher "srun --mpi=pmix" -- --pattern clique:5 --count
#   jobs/scaling-study.sh predict FOLDER/strong.json FOLDER/weak.json -o FOLDER
#   jobs/scaling-study.sh plot FOLDER/strong.json           draws what was measured elsewhere
#   jobs/scaling-study.sh --help
#
# GEMP_MPI is the program (else it is built), GEMP_MPIRUN how ranks are started where --launcher does not say.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
if ! command -v "${GEMP_PYTHON:-python3}" >/dev/null; then
	echo "$0: python3 is missing; its standard library is all that is needed" >&2
	exit 69
fi
case " $* " in
*' --help '* | *' -h '* | ' predict '* | ' plot '*) ;;
*)
	if [ -z "${GEMP_MPI:-}" ]; then
		[ -x "$build/gemp-mpi" ] || build_gemp -DBUILD_TESTING=OFF
		export GEMP_MPI=$build/gemp-mpi
	fi
	;;
esac
exec "${GEMP_PYTHON:-python3}" "$top/jobs/scaling/study.py" "$@"
