/* The arcs of one rank, which has both ends of all edges: those from the first local vertex, from the second, and so
 * on, each to the range of rows where it leads. */
#include "core/memory.h"
#include "core/threads.h"
#include "gas/layout_parts.h"

enum { ARCS_A_PIECE = 1 << 15, MOST_PIECES = 512 };

typedef struct going {
	const gemp_gas_making *m;
	size_t pieces;
	uint32_t *first;  /* [pieces + 1] local vertices */
	uint64_t *places; /* [pieces][ranges] */
} going;

/* Arcs to where the edges [begin, end) lead. edge: their places among the rows by source; NULL: from begin on. loops:
 * those to `source` count, too. */
static inline __attribute__((always_inline)) void go(const going *g, uint64_t *places, const gemp_gas_type *type,
                                                     const gemp_vertex *ends, const gemp_edge *edge, uint64_t begin,
                                                     uint64_t end, gemp_vertex source, bool loops, uint32_t from,
                                                     unsigned words)
{
	const gemp_gas_arcs *arcs = &g->m->arcs;
	for (uint64_t e = begin; e < end; e++) {
		uint32_t to = ends[e];
		if (!loops && to == source)
			continue;
		uint64_t place = places[to >> arcs->shift]++;
		if (!words)
			continue;
		uint32_t *arc = arcs->word + place * words;
		arc[ARC_TO] = to;
		arc[ARC_FROM] = from;
		if (words > ARC_WEIGHT)
			gemp_gas_weight_load(arc + ARC_WEIGHT, g->m->out->weights, type->weight,
			                     edge ? edge[e] - type->relation->first : e);
	}
}

/* words 0: arcs are counted. */
static inline __attribute__((always_inline)) void go_from(const going *g, size_t piece, unsigned words)
{
	uint64_t *places = g->places + piece * g->m->arcs.ranges;
	for (uint32_t v = g->first[piece]; v < g->first[piece + 1]; v++)
		for (size_t t = 0; t < g->m->type_count; t++) {
			const gemp_gas_type *type = &g->m->types[t];
			const gemp_relation *relation = type->relation;
			gemp_vertex row = g->m->out->id[v];
			if (type->forward)
				go(g, places, type, relation->out, NULL, relation->out_begin[row], relation->out_begin[row + 1], row, true, v,
				   words);
			if (type->backward)
				go(g, places, type, relation->in, relation->in_edge, relation->in_begin[row], relation->in_begin[row + 1], row,
				   !type->forward, v, words);
		}
}

static void count_piece(void *context, unsigned thread, size_t piece)
{
	(void)thread;
	go_from(context, piece, 0);
}

static void move_piece(void *context, unsigned thread, size_t piece)
{
	(void)thread;
	const going *g = context;
	switch (g->m->arcs.words) {
	case 2: go_from(g, piece, 2); return;
	case 3: go_from(g, piece, 3); return;
	default: go_from(g, piece, 4); return;
	}
}

/* Vertices that about as many arcs leave. */
static gemp_code cut(going *g)
{
	gemp_code code = GEMP_OK;
	const gemp_gas_layout *out = g->m->out;
	uint64_t arcs = 0, sum = 0, size;
	for (uint32_t v = 0; v < out->own; v++)
		arcs += out->out_degree[v];
	size = arcs / MOST_PIECES > ARCS_A_PIECE ? arcs / MOST_PIECES : ARCS_A_PIECE;
	GEMP_TRY(GEMP_NEW(g->first, (size_t)(arcs / size) + 2));
	for (uint32_t v = 0; v < out->own; v++) {
		sum += out->out_degree[v];
		if (sum >= (g->pieces + 1) * size || v + 1 == out->own) {
			g->first[++g->pieces] = v + 1;
			while (sum >= (g->pieces + 1) * size)
				g->first[++g->pieces] = v + 1;
		}
	}
done:
	return code;
}

gemp_code gemp_gas_make_arcs_alone(gemp_gas_making *m)
{
	gemp_code code = GEMP_OK;
	gemp_gas_arcs *arcs = &m->arcs;
	going g = { .m = m };
	arcs->words = ARC_WEIGHT + gemp_gas_weight_words(m->out->weights);
	GEMP_TRY(cut(&g));
	for (uint32_t v = 0; v < m->out->own; v++)
		arcs->count += m->out->out_degree[v];
	gemp_gas_ranges(arcs->count, m->graph->rows, &arcs->ranges, &arcs->shift);
	GEMP_TRY(GEMP_NEW(g.places, g.pieces * arcs->ranges));
	GEMP_TRY(GEMP_NEW(arcs->begin, arcs->ranges + 1));
	GEMP_TRY(GEMP_NEW(arcs->word, arcs->count * arcs->words));
	gemp_parallel_for(g.pieces, count_piece, &g);
	gemp_gas_places(g.places, g.pieces, arcs->ranges, 0, arcs->begin);
	gemp_parallel_for(g.pieces, move_piece, &g);
done:
	gemp_free(g.first);
	gemp_free(g.places);
	return code;
}
