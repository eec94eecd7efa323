#!/usr/bin/env bash
# Starts a private SLURM on one machine: a controller and four nodes that pretend to have two cores and two GPUs each.
# It is for tests and needs root. It does not touch another SLURM on this machine, and listens only on 127.0.0.1.
#
#   tests/slurm/bed.bash up FOLDER      starts the daemons that do not run yet; then: . FOLDER/env
#   tests/slurm/bed.bash down FOLDER    stops the daemons and removes the folder
#
# Every slurmd has its own namespaces with a host name, /dev/shm and a folder for PMIx. Without these, the ranks of two
# nodes would use each other's files.
set -euo pipefail
export PATH=$PATH:/usr/sbin
[ $# -eq 2 ] || { sed -n '2,6s/^# \{0,1\}//p' "$0" >&2; exit 2; }
mkdir -p "$2"
bed=$(cd "$2" && pwd)
nodes=4 cores=2 gpus=2 port=${GEMP_SLURM_PORT:-19500}

# running NAME PROGRAM: true if the process of NAME.pid runs PROGRAM. Another program may have got this process id
# since.
running() {
	local pid
	pid=$(cat "$bed/$1.pid" 2>/dev/null) && [ -n "$pid" ] && [ "$(cat "/proc/$pid/comm" 2>/dev/null)" = "$2" ] &&
		! grep -q '^State:[[:space:]]*Z' "/proc/$pid/status"
}

stop() {
	local try
	if running "$1" "$2"; then
		kill "$(cat "$bed/$1.pid")"
		for try in {1..50}; do running "$1" "$2" || break; sleep 0.1; done
		! running "$1" "$2" || kill -KILL "$(cat "$bed/$1.pid")"
	fi
	rm -f "$bed/$1.pid"
}

configure() {
	local n
	mkdir -p "$bed"/{state,log,munge,pmix,gpus}
	for ((n = 1; n <= nodes; n++)); do mkdir -p "$bed/spool/node$n"; done
	for ((n = 0; n < gpus; n++)); do [ -c "$bed/gpus/$n" ] || mknod "$bed/gpus/$n" c 1 3; done
	chmod 755 "$bed" "$bed/munge"
	head -c 1024 /dev/urandom >"$bed/munge/key"
	chown -R munge: "$bed/munge"
	chmod 400 "$bed/munge/key"
	cat >"$bed/slurm.conf" <<-TEXT
	ClusterName=gemp
	SlurmctldHost=$(hostname -s)(127.0.0.1)
	SlurmctldPort=$port
	CommunicationParameters=NoInAddrAny,NoCtldInAddrAny
	SlurmUser=root
	SlurmdUser=root
	AuthType=auth/munge
	AuthInfo=socket=$bed/munge/socket,cred_expire=5
	StateSaveLocation=$bed/state
	SlurmdSpoolDir=$bed/spool/%n
	SlurmctldPidFile=$bed/slurmctld.pid
	SlurmdPidFile=$bed/%n.pid
	SlurmctldLogFile=$bed/log/slurmctld
	SlurmdLogFile=$bed/log/%n
	ProctrackType=proctrack/linuxproc
	TaskPlugin=task/none
	SelectType=select/cons_tres
	SelectTypeParameters=CR_CPU
	SchedulerType=sched/backfill
	SchedulerParameters=sched_interval=2,bf_interval=3,batch_sched_delay=0
	SlurmdParameters=config_overrides
	AccountingStorageType=accounting_storage/none
	JobAcctGatherType=jobacct_gather/none
	JobCompType=jobcomp/none
	GresTypes=gpu
	ReturnToService=2
	KillWait=20
	MinJobAge=3600
	SlurmdTimeout=20
	PropagateResourceLimits=NONE
	NodeName=node[1-$nodes] NodeAddr=127.0.0.1 Port=[$((port + 1))-$((port + nodes))] CPUs=$cores RealMemory=1000 Gres=gpu:$gpus
	PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE OverTimeLimit=0
	TEXT
	echo "NodeName=node[1-$nodes] Name=gpu File=$bed/gpus/[0-$((gpus - 1))]" >"$bed/gres.conf"
	echo "PMIxCliTmpDirBase=$bed/pmix" >"$bed/mpi.conf"
	{ cat /etc/hosts; for ((n = 1; n <= nodes; n++)); do echo "127.0.0.1 node$n"; done; } >"$bed/hosts"
	cat >"$bed/env" <<-TEXT
	export SLURM_CONF=$bed/slurm.conf OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
	export OMPI_MCA_oob_tcp_if_include=lo OMPI_MCA_btl_tcp_if_include=lo PMIX_MCA_ptl_tcp_if_include=lo
	export OMPI_MCA_mpi_yield_when_idle=1
	TEXT
}

# start_node NAME: starts a slurmd; runs inside the node's namespaces
start_node() {
	hostname "$1"
	mount -t tmpfs none /dev/shm -o mode=1777
	mount -t tmpfs none "$bed/pmix"
	mount --bind "$bed/hosts" /etc/hosts
	exec slurmd -f "$bed/slurm.conf" -N "$1"
}

up() {
	local n try
	running slurmctld slurmctld || configure
	. "$bed/env"
	if ! running munged munged; then
		setpriv --reuid=munge --regid=munge --clear-groups munged --num-threads=2 --key-file="$bed/munge/key" \
			--socket="$bed/munge/socket" --pid-file="$bed/munge/pid" --log-file="$bed/munge/log" --seed-file="$bed/munge/seed"
		for try in {1..50}; do [ -s "$bed/munge/pid" ] && break; sleep 0.1; done
		cp "$bed/munge/pid" "$bed/munged.pid"
	fi
	running slurmctld slurmctld || slurmctld -f "$SLURM_CONF"
	export -f start_node
	export bed
	for ((n = 1; n <= nodes; n++)); do
		running "node$n" slurmd || unshare --mount --uts bash -euc "start_node node$n"
	done
	for try in {1..300}; do
		[ "$(sinfo -h -N -o %T 2>/dev/null | grep -c '^idle$')" -ne $nodes ] || return 0
		sleep 0.1
	done
	echo "$0: the nodes do not come up; see $bed/log" >&2
	exit 1
}

down() {
	local n
	if running slurmctld slurmctld; then
		SLURM_CONF=$bed/slurm.conf scancel --user=root 2>/dev/null || true
		for n in {1..250}; do [ -n "$(SLURM_CONF=$bed/slurm.conf squeue -h -t R,CG 2>/dev/null)" ] || break; sleep 0.1; done
	fi
	for ((n = 1; n <= nodes; n++)); do stop "node$n" slurmd; done
	stop slurmctld slurmctld
	stop munged munged
	rm -rf "$bed"
}

case $1 in
up) up ;;
down) down ;;
*) echo "$0: '$1' is neither up nor down" >&2; exit 2 ;;
esac
