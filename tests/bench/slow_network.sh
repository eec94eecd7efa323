#!/bin/bash
# Runs a command with one rank on each of two nodes that a slow network connects, on this machine. A node is a network
# namespace; Open MPI starts a daemon in each, so the ranks share no memory and all bytes between them pass the link.
#
#     tests/bench/slow_network.sh [--rate 1gbit] [--delay 200us] [--ranks N] COMMAND...
#
# Example: tests/bench/slow_network.sh --rate 500mbit build/tests/bench_device_exchange 64 1024 4096
# `netem` gives the link its rate and delay. Kernels without it have `tbf`, which gives the rate alone; the script then
# says that the delay is not emulated. --ranks: ranks of each node. Needs root, iproute2 and Open MPI; exits with 77 and
# the reason if the machine does not allow it.
set -u
rate=1gbit delay=200us ranks=1
while [[ ${1-} == --* ]]; do
	case $1 in
	--rate) rate=$2 ;;
	--delay) delay=$2 ;;
	--ranks) ranks=$2 ;;
	*) echo "slow_network: unknown option $1" >&2 && exit 2 ;;
	esac
	shift 2
done
[ $# -gt 0 ] || { echo "slow_network: give a command" >&2 && exit 2; }

cannot() {
	echo "slow_network: $*" >&2
	exit 77
}
[ "$(id -u)" = 0 ] || cannot "network namespaces need root"
for tool in ip tc unshare mpirun; do
	command -v $tool >/dev/null || cannot "$tool is missing (packages iproute2, util-linux, openmpi-bin)"
done
mpirun --version 2>/dev/null | grep -q "Open MPI" || cannot "needs Open MPI, whose agent starts a daemon in each namespace"

# The interfaces of the bridge have short names, since Linux allows 15 characters.
id=g$$ net=10.213.$(($$ % 250)) folder=$(mktemp -d)
remove() {
	for node in 1 2; do
		ip netns del "$id-$node" 2>/dev/null
	done
	ip link del "$id" 2>/dev/null
	rm -rf "$folder"
}
trap remove EXIT

limit() { # limit INTERFACE [ip netns exec NAME]: limits what leaves the interface
	local interface=$1
	shift
	"$@" tc qdisc replace dev "$interface" root netem rate "$rate" delay "$delay" 2>/dev/null && return
	delay="not emulated, since this kernel has no netem"
	"$@" tc qdisc replace dev "$interface" root tbf rate "$rate" burst 256k latency 100ms 2>"$folder/why" ||
		cannot "neither netem nor tbf limits the rate: $(cat "$folder/why")"
}

ip link add "$id" type bridge 2>"$folder/why" || cannot "no bridge: $(cat "$folder/why")"
ip addr add "$net.254/24" dev "$id"
ip link set "$id" up
for node in 1 2; do
	name=$id-$node
	ip netns add "$name" 2>"$folder/why" || cannot "no network namespace: $(cat "$folder/why")"
	ip link add "${id}v$node" type veth peer name eth0 netns "$name" 2>"$folder/why" ||
		cannot "no pair of interfaces: $(cat "$folder/why")"
	ip link set "${id}v$node" master "$id" up
	ip -n "$name" addr add "$net.$node/24" dev eth0
	ip -n "$name" link set lo up
	ip -n "$name" link set eth0 up
	limit eth0 ip netns exec "$name"
done
echo "two nodes of $ranks ranks; rate $rate, delay $delay" >&2

# The agent gets the name of a node and the command of the daemon, as ssh would. The node has a host name of its own.
cat >"$folder/agent" <<AGENT
#!/bin/bash
node=\$1
shift
exec ip netns exec $id-\${node#node} unshare --uts bash -c 'hostname "\$1"; exec bash -c "\$2"' - "\$node" "\$*"
AGENT
chmod +x "$folder/agent"
OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 mpirun --mca plm_rsh_agent "$folder/agent" \
	--host "node1:$ranks,node2:$ranks" -n $((2 * ranks)) --bind-to none \
	--mca oob_tcp_if_include "$net.0/24" --mca btl_tcp_if_include "$net.0/24" --mca btl self,vader,tcp --mca pml ob1 \
	--mca oob_tcp_disable_ipv6_family 1 --mca mpi_yield_when_idle 1 "$@"
