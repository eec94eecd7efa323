# The templates *.sbatch source this file, which starts the ranks of a job, passes signals on to them, and returns an unfinished job
# to the queue. $jobs is the folder of this file. docs/slurm.md describes all cases. The functions are for bash.
source "$jobs/program.sh"

# CHANGE FOR YOUR SITE: the commands that make MPI and the OpenCL driver available, for all templates.
# module load openmpi hdf5

launch=${GEMP_LAUNCH:-srun}              # or mpirun
most_restarts=${GEMP_MOST_RESTARTS:-100} # after this number of restarts an unfinished job ends with code 75
gemp=$(any_gemp "$jobs") || { echo "$0: gemp-mpi is not on the PATH; set GEMP_MPI to its path" >&2; exit 69; }

# Containers often run as root, and Open MPI refuses to run as root without these two variables.
if [ "$(id -u)" -eq 0 ]; then
	export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
fi

case $launch in
srun) # srun binds tasks to cores as the site's configuration says. It does not inherit --cpus-per-task from sbatch. A rank that
	# exits with code 75 must not end the other ranks, so --kill-on-bad-exit is 0. PMIx still ends the step if a rank is killed.
	ranks=(srun --mpi=pmix --kill-on-bad-exit=0 ${SLURM_CPUS_PER_TASK:+--cpus-per-task="$SLURM_CPUS_PER_TASK"}) ;;
mpirun) # By default mpirun binds each rank to a single core if there are one or two ranks. Without binding, the ranks of a node
	# share all cores of the node. mpirun kills ranks 10 s after it has sent them SIGTERM. It waits for the same 10 s whenever a
	# rank exits with a nonzero code.
	ranks=(mpirun -q --bind-to none -n "$SLURM_NTASKS" --mca odls_base_sigkill_timeout 10) ;;
*)
	echo "GEMP_LAUNCH=$launch: is neither srun nor mpirun" >&2; exit 2 ;;
esac

# has NAME WORDS...: true if one of the words is --NAME or --NAME=VALUE
has() {
	local name=$1 word
	shift
	for word in "$@"; do
		case $word in --"$name" | --"$name"=*) return 0 ;; esac
	done
	return 1
}

# value_of NAME LETTER WORDS...: prints the value of an option, in the forms --NAME VALUE, --NAME=VALUE, -LVALUE and -L VALUE. LETTER
# is empty if the option has none.
value_of() {
	local name=$1 letter=${2:-/} # no option is called -/
	shift 2
	while [ $# -gt 0 ]; do
		case $1 in
		--"$name" | -"$letter") echo "${2:-}"; return ;;
		--"$name"=*) echo "${1#*=}"; return ;;
		-"$letter"*) echo "${1#-?}"; return ;;
		esac
		shift
	done
}

# usage FORM: ends a job with too few arguments
usage() { echo "usage: sbatch [OPTIONS OF SBATCH] $0 $1" >&2; exit 2; }

# run_whole COMMAND ARGUMENTS...: a job without checkpoint. After pre-emption or the failure of a node it starts again. Output files
# appear when they are complete, so no half of a file is left.
run_whole() { exec "${ranks[@]}" "$gemp" "$@"; }

# run_with_checkpoint COMMAND ARGUMENTS...: a command that has --checkpoint. The arguments may have a checkpoint of their own, from
# which a job that starts again continues: without --resume the program refuses the folder.
run_with_checkpoint() {
	local checkpoint=${GEMP_CHECKPOINT:-gemp-$SLURM_JOB_ID.checkpoint} # all nodes see this folder
	if has checkpoint "$@"; then
		checkpoint=$(value_of checkpoint '' "$@")
		[ "${SLURM_RESTART_COUNT:-0}" -eq 0 ] || has resume "$@" || set -- "$@" --resume
	elif [ "$checkpoint" != none ]; then
		set -- "$@" --checkpoint "$checkpoint" --resume
	fi
	run_in_parts "a checkpoint in $checkpoint" "$@"
}

# run_in_parts WHAT_IS_KEPT COMMAND ARGUMENTS...: runs the command, and returns the job to the queue if its time was over.
# SIGUSR2 and SIGTERM are both passed on as SIGUSR2, which both launchers forward to all ranks. SIGUSR2 would end a launcher that
# is still starting, so it is sent no earlier than 10 s after the start of the script. `told` is the signal that was received.
told='' pid=''
tell() {
	told=$1
	[ -z "$pid" ] || (sleep $((SECONDS < 10 ? 10 - SECONDS : 0)); kill -USR2 "$pid" 2>/dev/null) &
}
run_in_parts() {
	local kept=$1 code
	shift
	trap 'tell USR2' USR2
	trap 'tell TERM' TERM
	# The ranks run in the background, since bash runs traps only between commands.
	"${ranks[@]}" "$gemp" "$@" &
	pid=$!
	[ -z "$told" ] || tell "$told" # the signal came before there was a process
	# A trap interrupts `wait`, whose result is then not the code of the launcher. So `wait` is repeated while the launcher runs,
	# and once more at the end, since the launcher may have ended between a trap and `kill -0`.
	wait "$pid"; code=$?
	while kill -0 "$pid" 2>/dev/null; do wait "$pid"; code=$?; done
	[ -z "$told" ] || { wait "$pid"; code=$?; }
	# Only after SIGUSR2, which SLURM sends before the time limit, the job is requeued here. SIGTERM comes from scancel, which
	# shall end the job, or from pre-emption, after which SLURM itself requeues the job.
	if [ "$code" -eq 75 ] && [ "$told" = USR2 ] && [ "${SLURM_RESTART_COUNT:-0}" -lt "$most_restarts" ]; then
		echo "job $SLURM_JOB_ID: back into the queue, with $kept"
		scontrol requeue "$SLURM_JOB_ID"
	fi
	exit "$code"
}
