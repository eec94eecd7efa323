/* Union-find of one rank on all threads, and contraction of the sets of all ranks. A sample of each row's edges is
 * united first, which already joins most vertices. Then most other edges find that their ends have the same root
 * (Afforest: Sutton, Ben-Nun and Barak 2018). Across ranks every round hooks roots to smaller roots, and then jumps
 * pointers until all trees are stars (Shiloach and Vishkin 1982). */

#include "topology/disjoint_sets.h"

#include "core/memory.h"
#include "core/search.h"
#include "core/threads.h"
#include "graph/graph.h"
#include "partition/exchange/value_exchange.h"
#include "primitive/sort.h"

#include <string.h>

enum { SAMPLED = 2 }; /* number of edges of each row that are united before all other edges */

/* The edges of one type, which all threads unite. */
typedef struct union_state {
	gemp_disjoint_sets *sets;
	const gemp_csr *csr;
	uint64_t before; /* number of edges of the preceding types */
	unsigned shift;  /* a slot is a hash >> shift */
} union_state;

void gemp_disjoint_sets_free(gemp_disjoint_sets *sets)
{
	gemp_free_all(sets->parent, sets->remote_ids, sets->edge);
	*sets = (gemp_disjoint_sets){ 0 };
}

/* Makes every element the root of its own set. */
static void link_to_itself(void *context, size_t begin, size_t end)
{
	gemp_disjoint_sets *sets = context;
	for (size_t at = begin; at < end; at++) {
		atomic_init(&sets->parent[at], (gemp_vertex)at);
		if (at >= sets->rows)
			atomic_init(&sets->remote_ids[at - sets->rows], GEMP_NO_VERTEX);
		if (sets->edge)
			sets->edge[at] = GEMP_NO_EDGE;
	}
}

/* Compresses the paths of all elements, so each is linked to its root. */
static void link_to_root(void *context, size_t begin, size_t end)
{
	gemp_disjoint_sets *sets = context;
	for (size_t at = begin; at < end; at++)
		gemp_disjoint_find(sets->parent, (gemp_vertex)at);
}

/* Finds or makes the element of another rank's vertex. */
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

/* Unites the ends of an edge. If this unites two sets, the edge becomes an edge of the forest. */
static void unite_edge(const union_state *u, size_t row, uint64_t edge)
{
	gemp_vertex to = u->csr->target[edge] - u->csr->first, hooked;
	if (to >= u->csr->rows)
		to = remote_element(u, u->csr->target[edge]);
	if (gemp_disjoint_union(u->sets->parent, (gemp_vertex)row, to, &hooked) && u->sets->edge)
		u->sets->edge[hooked] = u->before + edge;
}

/* Unites the ends of the first edges of each row. */
static void unite_sample(void *context, size_t begin, size_t end)
{
	const union_state *u = context;
	for (size_t row = begin; row < end; row++) {
		uint64_t edge = u->csr->begin[row], stop = u->csr->begin[row + 1];
		for (stop = stop - edge < SAMPLED ? stop : edge + SAMPLED; edge < stop; edge++)
			unite_edge(u, row, edge);
	}
}

/* Unites the ends of all edges. If both ends are linked to the same root already, this takes only two reads of
 * parent[]. */
static void unite_range(void *context, size_t begin, size_t end)
{
	const union_state *u = context;
	size_t row = gemp_csr_row(u->csr, begin);
	for (uint64_t edge = begin; edge < end; edge++) {
		while (edge >= u->csr->begin[row + 1])
			row++;
		unite_edge(u, row, edge);
	}
}

/* Chooses the number of slots for vertices of other ranks to which edges may lead. It is a power of 2, and at most two
 * thirds of the slots are taken. */
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

/* Makes two passes: over the sample, and over all edges. After each pass all elements are linked to their roots. */
gemp_code gemp_disjoint_sets_new(gemp_disjoint_sets *out, size_t rows, const gemp_csr *csr, size_t count, bool edges)
{
	gemp_code code = GEMP_OK;
	union_state u = { .sets = out };
	*out = (gemp_disjoint_sets){ .rows = rows };
	if (count)
		GEMP_TRY_DONE(choose_slots(out, csr, count, &u.shift));
	GEMP_TRY_DONE(gemp_new_all(GEMP_ARRAY(out->parent, out->rows + out->remote_slots),
	                           GEMP_ARRAY(out->remote_ids, out->remote_slots)));
	if (edges)
		GEMP_TRY_DONE(GEMP_NEW(out->edge, out->rows + out->remote_slots));
	gemp_for_elements(out->rows + out->remote_slots, link_to_itself, out);
	for (int sample = 1; sample >= 0; sample--) {
		u.before = 0;
		for (size_t c = 0; c < count; c++) {
			size_t all = sample ? csr[c].rows : (size_t)gemp_csr_edges(&csr[c]);
			u.csr = &csr[c];
			gemp_for_elements(all, sample ? unite_sample : unite_range, &u);
			u.before += gemp_csr_edges(&csr[c]);
		}
		gemp_for_elements(out->rows + out->remote_slots, link_to_root, out);
	}
done:
	if (code != GEMP_OK)
		gemp_disjoint_sets_free(out);
	return code;
}

/* A list of own roots, as rows. */
typedef struct root_list {
	size_t count, capacity;
	gemp_vertex *rows;
} root_list;

/* The roots that were hooked in this round (now) and in all rounds (ever). */
typedef struct hook_state {
	gemp_contraction *c;
	root_list now, ever;
	gemp_edge *edge; /* [rows] the edge of the link to the smallest root, if edges are wanted */
} hook_state;

void gemp_contraction_free(gemp_contraction *contraction)
{
	gemp_free_all(contraction->ends, contraction->edges, contraction->tree);
	contraction->ends = NULL;
	contraction->edges = contraction->tree = NULL;
}

/* REQUESTS for the names of roots from their owners. Each rank requests each name once. */

/* Local. Sorts the ids together with their indices, and lists each id once in distinct[]. */
static gemp_code list_distinct(gemp_vertex *sorted, uint64_t *index, size_t count, gemp_vertex *distinct,
                               size_t *distinct_count)
{
	static const gemp_sort by_id = { .key = GEMP_KEY_U32, .value_size = sizeof *index };
	for (size_t i = 0; i < count; i++)
		index[i] = i;
	GEMP_TRY(gemp_sort_host(&by_id, sorted, index, count));
	for (size_t i = 0; i < count; i++)
		if (i == 0 || sorted[i] != sorted[i - 1])
			distinct[(*distinct_count)++] = sorted[i];
	return GEMP_OK;
}

/* Collective. On entry names[i] is the id of a root. It becomes the name of this root. */
static gemp_code request_names(gemp_contraction *c, gemp_vertex *names, size_t count)
{
	GEMP_OWNED gemp_vertex *sorted = NULL, *distinct = NULL;
	GEMP_OWNED uint64_t *index = NULL;
	size_t distinct_count = 0;
	gemp_code code = gemp_new_all(GEMP_ARRAY(sorted, count), GEMP_ARRAY(distinct, count), GEMP_ARRAY(index, count));
	if (code == GEMP_OK && count) {
		memcpy(sorted, names, count * sizeof *names);
		code = list_distinct(sorted, index, count, distinct, &distinct_count);
	}
	GEMP_TRY(gemp_vertex_numbers(c->comm, code, c->bounds, c->name, distinct, distinct_count, distinct, &c->traffic));
	for (size_t i = 0, at = 0; i < count; i++) {
		at += i > 0 && sorted[i] != sorted[i - 1];
		names[index[i]] = distinct[at];
	}
	return GEMP_OK;
}

/* Collective. Sends each link to the owner of its source. */
static gemp_code send_links(gemp_contraction *c)
{
	GEMP_OWNED int *owner = NULL;
	GEMP_OWNED size_t *from = NULL;
	GEMP_OWNED void *ends = NULL, *edges = NULL;
	gemp_code code = GEMP_NEW(owner, c->links);
	for (size_t i = 0; i < c->links && code == GEMP_OK; i++)
		owner[i] = (int)gemp_range_find(c->bounds, (size_t)c->comm->size, c->ends[i].source);
	GEMP_TRY(
		gemp_exchange_records(c->comm, code, c->ends, c->links, sizeof *c->ends, owner, &ends, &from, &c->traffic));
	if (c->edges)
		GEMP_TRY(gemp_exchange_records(c->comm, GEMP_OK, c->edges, c->links, sizeof *c->edges, owner, &edges, NULL,
		                               &c->traffic));
	gemp_free(c->ends);
	c->ends = ends;
	ends = NULL;
	if (c->edges) {
		gemp_free(c->edges);
		c->edges = edges;
		edges = NULL;
	}
	c->links = from[c->comm->size];
	return GEMP_OK;
}

/* Turns each link such that its source is the greater root. Drops links whose ends are the same root, and all but one
 * of equal links. */
static gemp_code drop_duplicate_links(gemp_contraction *c)
{
	GEMP_OWNED uint64_t *seen = NULL;
	size_t slots = 2, kept = 0;
	while (slots < 2 * c->links)
		slots *= 2;
	GEMP_TRY(GEMP_NEW(seen, slots));
	for (size_t i = 0; i < c->links; i++) {
		gemp_edge_pair l = c->ends[i];
		if (l.source == l.target)
			continue;
		gemp_vertex high = l.source > l.target ? l.source : l.target, low = l.source > l.target ? l.target : l.source;
		uint64_t pair = (uint64_t)high << 32 | low; /* not 0, since high > low */
		size_t slot = (size_t)(pair * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (slots - 1);
		while (seen[slot] && seen[slot] != pair)
			slot = (slot + 1) & (slots - 1);
		if (seen[slot])
			continue;
		seen[slot] = pair;
		c->ends[kept] = (gemp_edge_pair){ high, low };
		if (c->edges)
			c->edges[kept] = c->edges[i];
		kept++;
	}
	c->links = kept;
	return GEMP_OK;
}

/* Collective. Replaces the target of each link, which may be any vertex, by the root of its set. The owner of the
 * target knows this root, so links are turned and sent there. */
static gemp_code resolve_links(gemp_contraction *c, const gemp_vertex *set_of)
{
	for (size_t i = 0; i < c->links; i++)
		c->ends[i] = (gemp_edge_pair){ c->ends[i].target, c->ends[i].source };
	GEMP_TRY(send_links(c));
	for (size_t i = 0; i < c->links; i++)
		c->ends[i].source = c->first + set_of[c->ends[i].source - c->first];
	return gemp_comm_agree(c->comm, drop_duplicate_links(c));
}

/* Adds a root to a list. A root is listed once in each round in which it is hooked. */
static gemp_code list_root(root_list *list, gemp_vertex row)
{
	GEMP_TRY(GEMP_RESERVE(list->rows, list->capacity, list->count + 1));
	list->rows[list->count++] = row;
	return GEMP_OK;
}

/* Hooks each own root with links to the smallest root among the other ends of its links. */
static gemp_code hook_roots(hook_state *h)
{
	gemp_contraction *c = h->c;
	h->now.count = 0;
	for (size_t i = 0; i < c->links; i++) {
		gemp_vertex row = c->ends[i].source - c->first, low = c->ends[i].target;
		if (c->name[row] == c->ends[i].source)
			GEMP_TRY(list_root(&h->now, row));
		if (low >= c->name[row])
			continue;
		c->name[row] = low;
		if (c->edges)
			h->edge[row] = c->edges[i];
	}
	for (size_t i = 0; i < h->now.count; i++)
		GEMP_TRY(list_root(&h->ever, h->now.rows[i]));
	if (c->edges) {
		GEMP_TRY(GEMP_RESERVE(c->tree, c->tree_capacity, c->tree_count + h->now.count));
		for (size_t i = 0; i < h->now.count; i++)
			c->tree[c->tree_count++] = h->edge[h->now.rows[i]];
	}
	return GEMP_OK;
}

/* Collective. Jumps pointers until the names of the listed roots are roots themselves. The list is empty afterwards. */
static gemp_code jump_pointers(gemp_contraction *c, root_list *list)
{
	GEMP_OWNED gemp_vertex *names = NULL;
	GEMP_TRY(gemp_comm_agree(c->comm, GEMP_NEW(names, list->count)));
	while (gemp_comm_sum1(c->comm, list->count)) {
		size_t left = 0;
		for (size_t i = 0; i < list->count; i++)
			names[i] = c->name[list->rows[i]];
		GEMP_TRY(request_names(c, names, list->count));
		for (size_t i = 0; i < list->count; i++) {
			gemp_vertex row = list->rows[i];
			if (c->name[row] == names[i])
				continue;
			c->name[row] = names[i];
			list->rows[left++] = row;
		}
		list->count = left;
	}
	return GEMP_OK;
}

/* Collective. Replaces both ends of each link by their present roots. */
static gemp_code rename_links(gemp_contraction *c)
{
	GEMP_OWNED gemp_vertex *ends = NULL;
	gemp_code code = GEMP_NEW(ends, c->links);
	for (size_t i = 0; i < c->links && code == GEMP_OK; i++)
		ends[i] = c->ends[i].target;
	GEMP_TRY(gemp_comm_agree(c->comm, code));
	GEMP_TRY(request_names(c, ends, c->links));
	for (size_t i = 0; i < c->links; i++)
		c->ends[i] = (gemp_edge_pair){ c->name[c->ends[i].source - c->first], ends[i] };
	return gemp_comm_agree(c->comm, drop_duplicate_links(c));
}

/* The lists may be empty. */
static void free_hooks(hook_state *h)
{
	gemp_free_all(h->edge, h->now.rows, h->ever.rows);
}

/* The rounds end when no rank has links. A root's new root may have been hooked in a later round, so pointers of all
 * roots that were ever hooked are jumped once more. */
gemp_code gemp_contraction_run(gemp_contraction *contraction, const gemp_vertex *set_of)
{
	gemp_contraction *c = contraction;
	GEMP_OWNED_BY(free_hooks) hook_state h = { .c = c };
	GEMP_TRY(gemp_comm_agree(c->comm, GEMP_NEW(h.edge, c->edges ? c->rows : 0)));
	GEMP_TRY(resolve_links(c, set_of));
	while (gemp_comm_sum1(c->comm, c->links)) {
		GEMP_TRY(send_links(c));
		GEMP_TRY(gemp_comm_agree(c->comm, hook_roots(&h)));
		GEMP_TRY(jump_pointers(c, &h.now));
		GEMP_TRY(rename_links(c));
		c->rounds++;
	}
	return jump_pointers(c, &h.ever);
}
