#include "topology/disjoint_sets.h"

#include "core/memory.h"
#include "core/threads.h"

enum { SAMPLED = 2 }; /* edges of each row that are united before all others */

/* One edge type whose edges all threads unite. */
typedef struct union_state {
	gemp_disjoint_sets *sets;
	const gemp_csr *csr;
	uint64_t before; /* edges of the types before this one */
	unsigned shift;  /* of hashes */
} union_state;

void gemp_disjoint_sets_free(gemp_disjoint_sets *sets)
{
	gemp_free_all(sets->parent, sets->remote_ids, sets->edge);
	*sets = (gemp_disjoint_sets){ 0 };
}

/* Every element is the root of its own set. */
static void link_to_itself(void *context, size_t range, size_t begin, size_t end)
{
	(void)range;
	gemp_disjoint_sets *sets = context;
	for (size_t at = begin; at < end; at++) {
		atomic_init(&sets->parent[at], (gemp_vertex)at);
		if (at >= sets->rows)
			atomic_init(&sets->remote_ids[at - sets->rows], GEMP_NO_VERTEX);
		if (sets->edge)
			sets->edge[at] = GEMP_NO_EDGE;
	}
}

/* Path compression for all elements at once. */
static void link_to_root(void *context, size_t range, size_t begin, size_t end)
{
	(void)range;
	gemp_disjoint_sets *sets = context;
	for (size_t at = begin; at < end; at++)
		gemp_disjoint_find(sets->parent, (gemp_vertex)at);
}

/* The element of another rank's vertex. */
static gemp_vertex remote_element(const union_state *u, gemp_vertex id)
{
	gemp_disjoint_sets *sets = u->sets;
	size_t slot = (size_t)((uint64_t)id * UINT64_C(0x9e3779b97f4a7c15) >> u->shift);
	for (;; slot = (slot + 1) & (sets->remote_slots - 1)) {
		gemp_vertex there = gemp_set_parent_get(sets->remote_ids, (gemp_vertex)slot);
		if (there == GEMP_NO_VERTEX && atomic_compare_exchange_strong(&sets->remote_ids[slot], &there, id))
			there = id;
		if (there == id)
			return (gemp_vertex)(sets->rows + slot);
	}
}

/* The edge that unites two sets is an edge of the forest. */
static void unite_edge(const union_state *u, size_t row, uint64_t edge)
{
	gemp_vertex to = u->csr->target[edge] - u->csr->first, hooked;
	if (to >= u->csr->rows)
		to = remote_element(u, u->csr->target[edge]);
	if (gemp_disjoint_union(u->sets->parent, (gemp_vertex)row, to, &hooked) && u->sets->edge)
		u->sets->edge[hooked] = u->before + edge;
}

/* The first edges of each row. */
static void unite_sample(void *context, size_t range, size_t begin, size_t end)
{
	(void)range;
	const union_state *u = context;
	for (size_t row = begin; row < end; row++) {
		uint64_t edge = u->csr->begin[row], stop = u->csr->begin[row + 1];
		for (stop = stop - edge < SAMPLED ? stop : edge + SAMPLED; edge < stop; edge++)
			unite_edge(u, row, edge);
	}
}

/* Edges whose ends are linked to the same root already need no more than two looks. */
static void unite_range(void *context, size_t range, size_t begin, size_t end)
{
	(void)range;
	const union_state *u = context;
	size_t row = gemp_csr_row(u->csr, begin);
	for (uint64_t edge = begin; edge < end; edge++) {
		while (edge >= u->csr->begin[row + 1])
			row++;
		unite_edge(u, row, edge);
	}
}

/* Slots for all vertices of others that edges may lead to, a power of 2, not more than two thirds taken. */
static gemp_code choose_slots(gemp_disjoint_sets *sets, const gemp_csr *csr, size_t count, unsigned *shift)
{
	uint64_t others = csr[0].vertices - csr[0].rows, away = 0;
	for (size_t c = 0; c < count && others; c++)
		for (uint64_t e = 0; e < gemp_csr_edges(&csr[c]); e++)
			away += csr[c].target[e] - csr[c].first >= csr[c].rows;
	away = away < others ? away : others;
	*shift = 63;
	sets->remote_slots = away ? 2 : 0;
	for (; sets->remote_slots && sets->remote_slots < away + away / 2 + 1; sets->remote_slots *= 2)
		--*shift;
	if (sets->rows + sets->remote_slots <= GEMP_MAX_VERTICES)
		return GEMP_OK;
	return gemp_fail(GEMP_ENOMEM,
	                 "components: a rank has edges to %" PRIu64 " vertices of others, more than it can "
	                 "number; use more ranks",
	                 away);
}

gemp_code gemp_disjoint_sets_new(gemp_disjoint_sets *out, size_t rows, const gemp_csr *csr, size_t count, bool edges)
{
	gemp_code code = GEMP_OK;
	union_state u = { .sets = out };
	*out = (gemp_disjoint_sets){ .rows = rows };
	if (count)
		GEMP_TRY(choose_slots(out, csr, count, &u.shift));
	GEMP_TRY(gemp_new_all(GEMP_ARRAY(out->parent, out->rows + out->remote_slots),
	                      GEMP_ARRAY(out->remote_ids, out->remote_slots)));
	if (edges)
		GEMP_TRY(GEMP_NEW(out->edge, out->rows + out->remote_slots));
	gemp_for_ranges(out->rows + out->remote_slots, link_to_itself, out);
	for (int sample = 1; sample >= 0; sample--) {
		u.before = 0;
		for (size_t c = 0; c < count; c++) {
			size_t all = sample ? csr[c].rows : (size_t)gemp_csr_edges(&csr[c]);
			u.csr = &csr[c];
			gemp_for_ranges(all, sample ? unite_sample : unite_range, &u);
			u.before += gemp_csr_edges(&csr[c]);
		}
		gemp_for_ranges(out->rows + out->remote_slots, link_to_root, out);
	}
done:
	if (code != GEMP_OK)
		gemp_disjoint_sets_free(out);
	return code;
}
