/* rmat: R-MAT graphs (Chakrabarti, Zhan and Faloutsos 2004). Each edge is put into one of the four quadrants of the
 * adjacency matrix, then into a quadrant of this quadrant, and so on, `scale` times. Loops are dropped, ids are
 * permuted, and the builder merges parallel edges.
 *
 * An edge draws from a stream of its own, which its number selects. A block of edges is drawn level by level, so that
 * the loop over the edges is vectorised: arrays state[BLOCK], source[BLOCK], target[BLOCK], all in the L1 cache. */

#include "generate/generate.h"
#include "generate/permutation.h"

#include "core/random.h"
#include "core/vector.h"

#include <math.h>

enum {
	RMAT_SCALE,
	RMAT_EDGE_FACTOR,
	RMAT_VERTICES,
	RMAT_EDGES,
	RMAT_A,
	RMAT_B,
	RMAT_C,
	RMAT_LABELS,
	RMAT_DIRECTED,
	RMAT_WEIGHTS
};
enum { BLOCK = 256 }; /* edges that are drawn together */

static const gemp_parameter rmat_parameters[] = {
	[RMAT_SCALE] = { "scale", 14, 1, 31, true, "2^scale vertices", NULL },
	[RMAT_EDGE_FACTOR] = { "edge-factor", 8, 0, 1 << 20, true,
	                       "edges drawn per vertex, before loops and parallels are dropped", NULL },
	[RMAT_VERTICES] = { "vertices", 0, 0, 0x1p31, true, "vertices, any number; scale is then not read. 0: 2^scale",
	                    NULL },
	[RMAT_EDGES] = { "edges", 0, 0, 0x1p48, true,
	                 "edges drawn, before loops and parallels are dropped. 0: edge-factor for each vertex", NULL },
	[RMAT_A] = { "a", 0.57, 0, 1, false, "chance of the quadrant low -> low", NULL },
	[RMAT_B] = { "b", 0.19, 0, 1, false, "chance of the quadrant low -> high", NULL },
	[RMAT_C] = { "c", 0.19, 0, 1, false, "chance of the quadrant high -> low; the rest is high -> high", NULL },
	[RMAT_LABELS] = GEMP_LABELS_PARAMETER,
	[RMAT_DIRECTED] = { "directed", 0, 0, 1, true, "1: edges keep their direction", NULL },
	[RMAT_WEIGHTS] = GEMP_WEIGHTS_PARAMETER,
};

static gemp_code rmat_check(const double *values)
{
	double sum = values[RMAT_A] + values[RMAT_B] + values[RMAT_C];
	if (sum <= 1 + 1e-9)
		return GEMP_OK;
	return gemp_fail(GEMP_EUSAGE, "generate rmat: a + b + c is %g; chances of quadrants cannot pass 1", sum);
}

static uint64_t rmat_vertices(const double *values)
{
	return values[RMAT_VERTICES] > 0 ? (uint64_t)values[RMAT_VERTICES] : UINT64_C(1) << (int)values[RMAT_SCALE];
}

/* The number of levels: the matrix has at least as many rows as there are vertices, and less than twice as many. */
static unsigned rmat_levels(const double *values)
{
	unsigned levels = 0;
	while (UINT64_C(1) << levels < rmat_vertices(values))
		levels++;
	return levels;
}

/* The chances of quadrants as bounds of a whole number of 53 bits. number * 2^-53 >= chance is the same as
 * number >= ceil(chance * 2^53), since the product is exact. */
typedef struct quadrants {
	int64_t a, ab, abc;
} quadrants;

static quadrants quadrants_of(const double *values)
{
	double a = values[RMAT_A], ab = a + values[RMAT_B], abc = ab + values[RMAT_C];
	return (quadrants){ (int64_t)ceil(a * 0x1p53), (int64_t)ceil(ab * 0x1p53), (int64_t)ceil(abc * 0x1p53) };
}

/* The end of edge i is in the high half of the rows from `ab` on, and in the high half of the columns between `a` and
 * `ab` and from `abc` on. `state` is the stream of the first edge's number before it is mixed. */
GEMP_VECTOR_BODY void draw_loop(const quadrants *q, unsigned scale, uint64_t state, uint64_t *source, uint64_t *target)
{
	uint64_t states[BLOCK];
	int64_t a = q->a, ab = q->ab, abc = q->abc;
	for (size_t i = 0; i < BLOCK; i++) {
		states[i] = gemp_mix(state + i);
		source[i] = target[i] = 0;
	}
	for (unsigned bit = 0; bit < scale; bit++)
		for (size_t i = 0; i < BLOCK; i++) {
			states[i] += GEMP_RANDOM_STEP;
			int64_t number = (int64_t)(gemp_mix(states[i]) >> 11);
			uint64_t low = number >= ab;
			source[i] = source[i] << 1 | low;
			target[i] = target[i] << 1 | ((uint64_t)(number >= a) ^ low ^ (uint64_t)(number >= abc));
		}
}
GEMP_VECTOR_LOOP(draw, (const quadrants *q, unsigned scale, uint64_t state, uint64_t *source, uint64_t *target),
                 (q, scale, state, source, target))

/* The rows of the matrix beyond the last vertex, which have the fewest edges, become the first vertices again, so that
 * no edge is lost. */
static inline uint64_t fold(uint64_t end, uint64_t vertices)
{
	return end < vertices ? end : end - vertices;
}

/* ends[2 * count] becomes the permuted ends without loops. An undirected edge leads from its smaller end to its larger
 * end, so parallel edges are equal. Returns the number of edges. */
static size_t order_ends(const gemp_generator_run *making, const uint64_t *source, const uint64_t *target, size_t count,
                         uint64_t *ends)
{
	const bool directed = making->values[RMAT_DIRECTED] != 0;
	const uint64_t vertices = rmat_vertices(making->values);
	size_t kept = 0;
	for (size_t i = 0; i < count; i++) {
		ends[2 * kept] = fold(source[i], vertices);
		ends[2 * kept + 1] = fold(target[i], vertices);
		kept += ends[2 * kept] != ends[2 * kept + 1];
	}
	gemp_permute_all(gemp_generator_state(making->seed, GEMP_FOR_ORDER, 0), vertices, ends, 2 * kept);
	for (size_t i = 0; i < kept && !directed; i++) {
		uint64_t from = gemp_min(ends[2 * i], ends[2 * i + 1]), to = gemp_max(ends[2 * i], ends[2 * i + 1]);
		ends[2 * i] = from;
		ends[2 * i + 1] = to;
	}
	return kept;
}

/* Pairs may repeat, as in Graph500. The builder merges them. */
static gemp_code rmat_make(const gemp_generator_run *making)
{
	const quadrants q = quadrants_of(making->values);
	const unsigned levels = rmat_levels(making->values);
	const uint64_t vertices = rmat_vertices(making->values), edges = (uint64_t)making->values[RMAT_EDGES];
	uint64_t source[BLOCK], target[BLOCK], ends[2 * BLOCK];
	gemp_block_range span = gemp_generator_range(making,
	                                             edges ? edges : vertices * (uint64_t)making->values[RMAT_EDGE_FACTOR]);
	GEMP_TRY(gemp_generator_vertices(making, vertices, (uint64_t)making->values[RMAT_LABELS]));
	GEMP_TRY(gemp_builder_reserve_edges(making->builder, span.end - span.begin));
	for (uint64_t number = span.begin; number < span.end; number += BLOCK) {
		draw(&q, levels, gemp_generator_stream_state(making->seed, GEMP_FOR_EDGE) + number, source, target);
		size_t count = order_ends(making, source, target, gemp_min(span.end - number, BLOCK), ends);
		GEMP_TRY(gemp_generator_edges(making, (const int64_t *)ends, count, number, making->values[RMAT_WEIGHTS]));
	}
	return GEMP_OK;
}

/* Ids are permuted, so their order is random. */
static uint64_t rmat_keys(const double *values)
{
	return rmat_vertices(values);
}

const gemp_generator_entry gemp_generator_rmat = {
	.generator = { "rmat", "a graph with hubs, as social networks have (R-MAT)",
	               sizeof rmat_parameters / sizeof *rmat_parameters, rmat_parameters },
	.merge_parallel = true,
	.directed = 1 + RMAT_DIRECTED,
	.weights = 1 + RMAT_WEIGHTS,
	.random_keys = rmat_keys,
	.check = rmat_check,
	.make = rmat_make,
};
