/* G(n, m): m different pairs, each set of m pairs with the same chance (as far as a seeded permutation gives it). The
 * pairs are numbered, and edge k is the pair that a permutation of the numbers puts at k: no pair comes twice. */
#include "io/generate_parts.h"

enum { VERTICES, EDGES, LABELS, DIRECTED, WEIGHTS };

static const gemp_parameter parameters[] = {
	[VERTICES] = { "vertices", 10000, 0, (double)GEMP_MAX_VERTICES, true, "vertices", NULL },
	[EDGES] = { "edges", 80000, 0, 0x1p53, true, "edges, all between different pairs, no loops", NULL },
	[LABELS] = { "labels", 4, 1, 1 << 20, true, "labels L0, L1, ... spread by a hash of the id", NULL },
	[DIRECTED] = { "directed", 0, 0, 1, true, "1: edges have a direction", NULL },
	[WEIGHTS] = GEMP_WEIGHTS_PARAMETER,
};

static bool undirected(const double *values)
{
	return values[DIRECTED] == 0;
}

static uint64_t pairs(const double *values)
{
	uint64_t n = (uint64_t)values[VERTICES];
	if (n < 2)
		return 0;
	return undirected(values) ? (n % 2 ? n * ((n - 1) / 2) : n / 2 * (n - 1)) : n * (n - 1);
}

static gemp_code check(const double *values)
{
	if ((uint64_t)values[EDGES] <= pairs(values))
		return GEMP_OK;
	return gemp_fail(GEMP_EUSAGE, "generate uniform: %.0f vertices have only %" PRIu64 " pairs, fewer than "
	                 "%.0f edges", values[VERTICES], pairs(values), values[EDGES]);
}

static gemp_code declare(gemp_builder *builder, const double *values)
{
	return gemp_declare_weights(builder, values[WEIGHTS]);
}

/* Undirected pairs are {i, i + d mod n}: n for each d below n / 2, and for an even n half as many for d = n / 2. */
static gemp_code make_edge(const gemp_making *making, uint64_t number)
{
	uint64_t n = (uint64_t)making->values[VERTICES];
	uint64_t x = gemp_permute(gemp_stream_state(making->seed, GEMP_FOR_EDGE, 0), pairs(making->values), number);
	uint64_t source = x % n, target = (source + x / n + 1) % n;
	gemp_code code = gemp_make_edge(making, source, target, "E", number);
	return code == GEMP_OK ? gemp_make_weight(making, source, target, making->values[WEIGHTS]) : code;
}

static gemp_code make(const gemp_making *making)
{
	gemp_span span = gemp_making_share(making, (uint64_t)making->values[EDGES]);
	uint64_t vertices = (uint64_t)making->values[VERTICES];
	gemp_code code = gemp_make_labelled(making, vertices, (uint64_t)making->values[LABELS]);
	for (uint64_t number = span.begin; number < span.end && code == GEMP_OK; number++)
		code = make_edge(making, number);
	return code;
}

const gemp_generator_entry gemp_generator_uniform = {
	.generator = { "uniform", "a random graph with n vertices and m edges", sizeof parameters / sizeof *parameters,
	               parameters },
	.undirected = undirected,
	.check = check,
	.declare = declare,
	.make = make,
};
