/* gas_pagerank: PageRank by power iteration.
 *
 * A vertex sends x = rank / degree along each out-edge. The rank of a dangling vertex, whose degree is 0, is
 * distributed over all vertices like the jumps (src/analytics/dense/pagerank.h). Each kernel reads the sums of the
 * previous round: the rank of all dangling vertices, and the change, which decides whether iteration has ended. So the
 * host can enqueue many rounds in advance. PAGERANK_WEIGHTED: the degree is the sum of the weights, and an edge gets
 * its proportion. */
#include "gas_dense.clh"

static inline gas_real gas_scatter(gas_real value, gas_weight weight)
{
#ifdef PAGERANK_WEIGHTED
	return value * (gas_real)weight;
#else
	return value;
#endif
}

#define PAGERANK_PARAMETERS                                                                                              \
	__global const gas_real *restrict degree, __global const gas_real *restrict jump, gas_real uniform,              \
	__global gas_real *restrict to, volatile __global long *rounds, uint round, long dangling, long tolerance,       \
	gas_real damping

typedef struct gas_apply {
	__global const gas_real *degree; /* 0 for a dangling vertex */
	__global const gas_real *jump;   /* probability that a jump leads to the vertex; not read if uniform > 0 */
	gas_real uniform;                /* the probability of every vertex if all are equal; otherwise 0 */
	__global const gas_real *from;
	__global gas_real *to;
	gas_real damping, jumps;         /* jumps: the rank that jumps distribute */
	long change, dangled;
} gas_apply;

static inline void gas_apply_row(gas_apply *apply, uint row, gas_real sum)
{
	gas_real degree = apply->degree[row], was = apply->from[row];
	gas_real rank = apply->jumps * (apply->uniform > 0 ? apply->uniform : apply->jump[row]) + apply->damping * sum;
	gas_real is = degree > 0 ? rank / degree : rank;
	apply->to[row] = is;
	apply->change += gas_fixed(fabs(is - was) * (degree > 0 ? degree : 1));
	apply->dangled += degree > 0 ? 0 : gas_fixed(rank);
}

#include "gas_pull.clh"

/* Each worker reads the sums of the previous round and decides whether this round runs. */
static inline bool pagerank_begin(GEMP_GROUP_PARAMETER gas_apply *apply, volatile __global long *rounds, uint round,
                                  uint how, long dangling, long tolerance)
{
	volatile __global long *before = rounds + (ulong)round * GAS_ROUND;
	long change = gas_round_sum(GEMP_GROUP_PASS before, PAGERANK_CHANGE);
	long dangled = gas_round_sum(GEMP_GROUP_PASS before, PAGERANK_DANGLING);
	bool given = how & (GAS_GIVEN | GAS_HOLD);
	apply->jumps = 1 - apply->damping + apply->damping * (gas_real)((double)(given ? dangling : dangled) / GAS_ONE);
	return given || change >= tolerance;
}

static inline void pagerank_end(GEMP_GROUP_PARAMETER const gas_apply *apply, volatile __global long *rounds, uint round)
{
	volatile __global long *sums = rounds + (ulong)(round + 1) * GAS_ROUND;
	gas_round_add(GEMP_GROUP_PASS sums, PAGERANK_CHANGE, apply->change);
	gas_round_add(GEMP_GROUP_PASS sums, PAGERANK_DANGLING, apply->dangled);
}

/* Reads the sums of round `round` and adds to the sums of the next round. */
GAS_KERNEL void pagerank_pull(PULL_PARAMETERS, PAGERANK_PARAMETERS)
{
	PULL_DECLARE
	pull_rows rows = PULL_ROWS;
	gas_apply apply = { degree, jump, uniform, value, to, damping, 0, 0, 0 };
	if (!pagerank_begin(GEMP_GROUP_PASS &apply, rounds, round, how, dangling, tolerance))
		rows.classes = 0; /* no tasks, but the lanes still execute their common barriers */
	pull(&rows, &apply);
	pagerank_end(GEMP_GROUP_PASS &apply, rounds, round);
}

#ifdef GAS_BINNED
#include "gas_binned.clh"

GAS_KERNEL void pagerank_gather(BINNED_PARAMETERS, uint how, PAGERANK_PARAMETERS)
{
	BINNED_DECLARE
	gas_apply apply = { degree, jump, uniform, value, to, damping, 0, 0, 0 };
	bool wanted = pagerank_begin(GEMP_GROUP_PASS &apply, rounds, round, how, dangling, tolerance);
	binned_add(wanted);
}

GAS_KERNEL void pagerank_finish(PULL_PARAMETERS, __global const gas_real *restrict sums, __global const uint *restrict first,
                                uint count, PAGERANK_PARAMETERS)
{
	BINNED_FINISH_DECLARE
	pull_rows rows = PULL_ROWS;
	gas_apply apply = { degree, jump, uniform, value, to, damping, 0, 0, 0 };
	if (!pagerank_begin(GEMP_GROUP_PASS &apply, rounds, round, how, dangling, tolerance))
		count = 0;
	binned_finish(&rows, &apply, sums, first, count);
	pagerank_end(GEMP_GROUP_PASS &apply, rounds, round);
}
#endif

/* Sets the initial ranks to the distribution of the jumps. The initial change exceeds any tolerance, so the first round
 * runs. */
GAS_KERNEL void pagerank_start(uint own, gas_real uniform, __global const gas_real *restrict jump,
                               __global const gas_real *restrict degree, __global gas_real *restrict to,
                               volatile __global long *rounds)
{
	GEMP_GROUP_DECLARE
	long dangled = 0, change = get_global_id(0) == 0 ? (long)(4 * GAS_ONE) : 0;
	for (uint row = (uint)get_global_id(0); row < own; row += (uint)get_global_size(0)) {
		gas_real rank = uniform > 0 ? uniform : jump[row];
		to[row] = degree[row] > 0 ? rank / degree[row] : rank;
		dangled += degree[row] > 0 ? 0 : gas_fixed(rank);
	}
	gas_round_add(GEMP_GROUP_PASS rounds, PAGERANK_CHANGE, change);
	gas_round_add(GEMP_GROUP_PASS rounds, PAGERANK_DANGLING, dangled);
}
