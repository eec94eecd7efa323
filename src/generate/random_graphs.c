/* G(n, m): m different pairs, each set of m pairs with the same chance (as far as a seeded permutation gives it). The
 * pairs are numbered, and edge k is the pair that a permutation of the numbers puts at k: no pair comes twice. */

#include "core/random.h"
#include "core/types.h"
#include "generate/generator.h"

enum { UNIFORM_VERTICES, UNIFORM_EDGES, UNIFORM_LABELS, UNIFORM_DIRECTED, UNIFORM_WEIGHTS };

static const gemp_parameter uniform_parameters[] = {
	[UNIFORM_VERTICES] = { "vertices", 10000, 0, (double)GEMP_MAX_VERTICES, true, "vertices", NULL },
	[UNIFORM_EDGES] = { "edges", 80000, 0, 0x1p53, true, "edges, all between different pairs, no loops", NULL },
	[UNIFORM_LABELS] = { "labels", 4, 1, 1 << 20, true, "labels L0, L1, ... spread by a hash of the id", NULL },
	[UNIFORM_DIRECTED] = { "directed", 0, 0, 1, true, "1: edges have a direction", NULL },
	[UNIFORM_WEIGHTS] = GEMP_WEIGHTS_PARAMETER,
};

static bool uniform_undirected(const double *values)
{
	return values[UNIFORM_DIRECTED] == 0;
}

/* Undirected pairs are counted once; the division comes first, as the product could overflow. */
static uint64_t pairs(const double *values)
{
	uint64_t n = (uint64_t)values[UNIFORM_VERTICES];
	if (n < 2)
		return 0;
	return uniform_undirected(values) ? (n % 2 ? n * ((n - 1) / 2) : n / 2 * (n - 1)) : n * (n - 1);
}

/* More edges than pairs cannot be all different. */
static gemp_code uniform_check(const double *values)
{
	if ((uint64_t)values[UNIFORM_EDGES] <= pairs(values))
		return GEMP_OK;
	return gemp_fail(GEMP_EUSAGE, "generate uniform: %.0f vertices have only %" PRIu64 " pairs, fewer than %.0f edges",
	                 values[UNIFORM_VERTICES], pairs(values), values[UNIFORM_EDGES]);
}

static gemp_code uniform_declare(gemp_builder *builder, const double *values)
{
	return gemp_generator_declare_weights(builder, values[UNIFORM_WEIGHTS]);
}

/* Undirected pairs are {i, i + d mod n}: n for each d below n / 2, and for an even n half as many for d = n / 2. */
static gemp_code uniform_make_edge(const gemp_generator_run *making, uint64_t number)
{
	uint64_t n = (uint64_t)making->values[UNIFORM_VERTICES];
	uint64_t x = gemp_generator_permute(gemp_generator_state(making->seed, GEMP_FOR_EDGE, 0), pairs(making->values),
	                                    number);
	uint64_t source = x % n, target = (source + x / n + 1) % n;
	gemp_code code = gemp_generator_edge(making, source, target, "E", number);
	return code == GEMP_OK ? gemp_generator_weight(making, source, target, making->values[UNIFORM_WEIGHTS]) : code;
}

/* A permutation of pair numbers gives different pairs without remembering any. */
static gemp_code uniform_make(const gemp_generator_run *making)
{
	gemp_block_range span = gemp_generator_range(making, (uint64_t)making->values[UNIFORM_EDGES]);
	uint64_t vertices = (uint64_t)making->values[UNIFORM_VERTICES];
	gemp_code code = gemp_generator_labelled(making, vertices, (uint64_t)making->values[UNIFORM_LABELS]);
	for (uint64_t number = span.begin; number < span.end && code == GEMP_OK; number++)
		code = uniform_make_edge(making, number);
	return code;
}

const gemp_generator_entry gemp_generator_uniform = {
	.generator = { "uniform", "a random graph with n vertices and m edges",
	               sizeof uniform_parameters / sizeof *uniform_parameters, uniform_parameters },
	.undirected = uniform_undirected,
	.check = uniform_check,
	.declare = uniform_declare,
	.make = uniform_make,
};

/* R-MAT (Chakrabarti, Zhan, Faloutsos 2004): each edge falls into one of four quadrants of the adjacency matrix,
 * `scale` times over. Loops are dropped, ids are shuffled, parallel edges are merged by the builder. */

enum { RMAT_SCALE, RMAT_EDGE_FACTOR, RMAT_A, RMAT_B, RMAT_C, RMAT_LABELS, RMAT_DIRECTED, RMAT_WEIGHTS };

static const gemp_parameter rmat_parameters[] = {
	[RMAT_SCALE] = { "scale", 14, 1, 31, true, "2^scale vertices", NULL },
	[RMAT_EDGE_FACTOR] = { "edge-factor", 8, 0, 1 << 20, true,
	                       "edges drawn per vertex, before loops and parallels are dropped", NULL },
	[RMAT_A] = { "a", 0.57, 0, 1, false, "chance of the quadrant low -> low", NULL },
	[RMAT_B] = { "b", 0.19, 0, 1, false, "chance of the quadrant low -> high", NULL },
	[RMAT_C] = { "c", 0.19, 0, 1, false, "chance of the quadrant high -> low; the rest is high -> high", NULL },
	[RMAT_LABELS] = { "labels", 4, 1, 1 << 20, true, "labels L0, L1, ... spread by a hash of the id", NULL },
	[RMAT_DIRECTED] = { "directed", 0, 0, 1, true, "1: edges keep their direction", NULL },
	[RMAT_WEIGHTS] = GEMP_WEIGHTS_PARAMETER,
};

static bool rmat_undirected(const double *values)
{
	return values[RMAT_DIRECTED] == 0;
}

/* The fourth quadrant has what the other three leave. */
static gemp_code rmat_check(const double *values)
{
	double sum = values[RMAT_A] + values[RMAT_B] + values[RMAT_C];
	if (sum <= 1 + 1e-9)
		return GEMP_OK;
	return gemp_fail(GEMP_EUSAGE, "generate rmat: a + b + c is %g; chances of quadrants cannot pass 1", sum);
}

static gemp_code rmat_declare(gemp_builder *builder, const double *values)
{
	return gemp_generator_declare_weights(builder, values[RMAT_WEIGHTS]);
}

/* Each level of the recursion chooses a quarter of the matrix (Chakrabarti, Zhan and Faloutsos 2004). */
static gemp_code rmat_make_edge(const gemp_generator_run *making, uint64_t number)
{
	const double *values = making->values;
	double a = values[RMAT_A], ab = a + values[RMAT_B], abc = ab + values[RMAT_C];
	uint64_t state = gemp_generator_state(making->seed, GEMP_FOR_EDGE, number), source = 0, target = 0;
	uint64_t order = gemp_generator_state(making->seed, GEMP_FOR_ORDER, 0);
	uint64_t vertices = UINT64_C(1) << (int)values[RMAT_SCALE];
	for (int bit = 0; bit < (int)values[RMAT_SCALE]; bit++) {
		double r = gemp_random_unit(&state);
		source = source << 1 | (r >= ab);
		target = target << 1 | ((r >= a && r < ab) || r >= abc);
	}
	if (source == target)
		return GEMP_OK;
	source = gemp_generator_permute(order, vertices, source);
	target = gemp_generator_permute(order, vertices, target);
	bool turn = rmat_undirected(values) && source > target; /* then it does not matter which of two parallels is kept */
	uint64_t from = turn ? target : source, to = turn ? source : target;
	gemp_code code = gemp_generator_edge(making, from, to, "E", number);
	return code == GEMP_OK ? gemp_generator_weight(making, from, to, values[RMAT_WEIGHTS]) : code;
}

/* Edges may repeat, as in Graph500; the builder keeps or merges them. */
static gemp_code rmat_make(const gemp_generator_run *making)
{
	uint64_t vertices = UINT64_C(1) << (int)making->values[RMAT_SCALE];
	gemp_block_range span = gemp_generator_range(making, vertices * (uint64_t)making->values[RMAT_EDGE_FACTOR]);
	gemp_code code = gemp_generator_labelled(making, vertices, (uint64_t)making->values[RMAT_LABELS]);
	for (uint64_t number = span.begin; number < span.end && code == GEMP_OK; number++)
		code = rmat_make_edge(making, number);
	return code;
}

const gemp_generator_entry gemp_generator_rmat = {
	.generator = { "rmat", "a graph with hubs, as social networks have (R-MAT)",
	               sizeof rmat_parameters / sizeof *rmat_parameters, rmat_parameters },
	.merge_parallel = true,
	.undirected = rmat_undirected,
	.check = rmat_check,
	.declare = rmat_declare,
	.make = rmat_make,
};
