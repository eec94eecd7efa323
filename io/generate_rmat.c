/* R-MAT (Chakrabarti, Zhan, Faloutsos 2004): each edge falls into one of four quadrants of the adjacency matrix,
 * `scale` times over. Loops are dropped, ids are shuffled, parallel edges are merged by the builder. */
#include "io/generate_parts.h"

#include "core/random.h"

enum { SCALE, EDGE_FACTOR, A, B, C, LABELS, DIRECTED, WEIGHTS };

static const gemp_parameter parameters[] = {
	[SCALE] = { "scale", 14, 1, 31, true, "2^scale vertices", NULL },
	[EDGE_FACTOR] = { "edge-factor", 8, 0, 1 << 20, true,
	                  "edges drawn per vertex, before loops and parallels are dropped", NULL },
	[A] = { "a", 0.57, 0, 1, false, "chance of the quadrant low -> low", NULL },
	[B] = { "b", 0.19, 0, 1, false, "chance of the quadrant low -> high", NULL },
	[C] = { "c", 0.19, 0, 1, false, "chance of the quadrant high -> low; the rest is high -> high", NULL },
	[LABELS] = { "labels", 4, 1, 1 << 20, true, "labels L0, L1, ... spread by a hash of the id", NULL },
	[DIRECTED] = { "directed", 0, 0, 1, true, "1: edges keep their direction", NULL },
	[WEIGHTS] = GEMP_WEIGHTS_PARAMETER,
};

static bool undirected(const double *values)
{
	return values[DIRECTED] == 0;
}

static gemp_code check(const double *values)
{
	double sum = values[A] + values[B] + values[C];
	if (sum <= 1 + 1e-9)
		return GEMP_OK;
	return gemp_fail(GEMP_EUSAGE, "generate rmat: a + b + c is %g; chances of quadrants cannot pass 1", sum);
}

static gemp_code declare(gemp_builder *builder, const double *values)
{
	return gemp_declare_weights(builder, values[WEIGHTS]);
}

static gemp_code make_edge(const gemp_making *making, uint64_t number)
{
	const double *values = making->values;
	double a = values[A], ab = a + values[B], abc = ab + values[C];
	uint64_t state = gemp_stream_state(making->seed, GEMP_FOR_EDGE, number), source = 0, target = 0;
	uint64_t order = gemp_stream_state(making->seed, GEMP_FOR_ORDER, 0);
	uint64_t vertices = UINT64_C(1) << (int)values[SCALE];
	for (int bit = 0; bit < (int)values[SCALE]; bit++) {
		double r = gemp_random_unit(&state);
		source = source << 1 | (r >= ab);
		target = target << 1 | ((r >= a && r < ab) || r >= abc);
	}
	if (source == target)
		return GEMP_OK;
	source = gemp_permute(order, vertices, source);
	target = gemp_permute(order, vertices, target);
	bool turn = undirected(values) && source > target; /* then it does not matter which of two parallels is kept */
	uint64_t from = turn ? target : source, to = turn ? source : target;
	gemp_code code = gemp_make_edge(making, from, to, "E", number);
	return code == GEMP_OK ? gemp_make_weight(making, from, to, values[WEIGHTS]) : code;
}

static gemp_code make(const gemp_making *making)
{
	uint64_t vertices = UINT64_C(1) << (int)making->values[SCALE];
	gemp_span span = gemp_making_share(making, vertices * (uint64_t)making->values[EDGE_FACTOR]);
	gemp_code code = gemp_make_labelled(making, vertices, (uint64_t)making->values[LABELS]);
	for (uint64_t number = span.begin; number < span.end && code == GEMP_OK; number++)
		code = make_edge(making, number);
	return code;
}

const gemp_generator_entry gemp_generator_rmat = {
	.generator = { "rmat", "a graph with hubs, as social networks have (R-MAT)",
	               sizeof parameters / sizeof *parameters, parameters },
	.merge_parallel = true,
	.undirected = undirected,
	.check = check,
	.declare = declare,
	.make = make,
};
