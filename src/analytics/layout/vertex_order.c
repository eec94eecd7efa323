/* Owners tell where in their order vertices are that others have met, and remember who has. */

#include "analytics/layout/vertex_order.h"

#include "analytics/layout/edge_weights.h"
#include "comm/exchange.h"
#include "core/bitset.h"
#include "core/memory.h"
#include "core/prefix_sum.h"
#include "core/threads.h"
#include "primitive/sort.h"

#include <stdatomic.h>
#include <string.h>

/* MEETING: vertices that other ranks own, and where they are. */
typedef struct gemp_layout_remote {
	size_t count;
	uint32_t *id;            /* [count] ascending */
	uint32_t *key_rank;      /* [count] */
	uint32_t *order;         /* [count] numbers of them, by owner and then in the order that they have there */
	uint32_t *begin;         /* [ranks + 1] of each owner in order[] */
	uint64_t *request_begin; /* [ranks + 1] */
	uint32_t *requested;     /* own vertices that rank r has met, ascending for each r */
} gemp_layout_remote;

/* What an owner says of a vertex. */
typedef struct place {
	uint32_t local, key_rank;
} place;

/* id[] ascend, and so do their owners. */
static void list_owners(const gemp_layout_remote *met, const gemp_shard *graph, int *owner)
{
	int at = 0;
	for (size_t i = 0; i < met->count; i++) {
		while (met->id[i] >= graph->bounds[at + 1])
			at++;
		owner[i] = at;
	}
}

/* Ids that ranks have met, by rank, become own vertices in their order. */
static gemp_code answer(gemp_layout_remote *met, const gemp_layout *layout, const uint32_t *ids, const size_t *from,
                        place *answers, int *asker)
{
	int ranks = layout->comm->size;
	GEMP_PROPAGATE(GEMP_NEW(met->requested, from[ranks]));
	for (int r = 0; r < ranks; r++) {
		met->request_begin[r + 1] = from[r + 1];
		for (size_t i = from[r]; i < from[r + 1]; i++) {
			uint32_t v = layout->local[ids[i] - layout->graph->first_vertex];
			answers[i] = (place){ v, layout->key_rank[v] };
			asker[i] = r;
			met->requested[i] = v;
		}
		GEMP_PROPAGATE(
			gemp_sort_host(&(gemp_sort){ .key = GEMP_KEY_U32 }, met->requested + from[r], NULL, from[r + 1] - from[r]));
	}
	return GEMP_OK;
}

static gemp_code sort_by_owner(gemp_layout_remote *met, int ranks, const int *owner, const place *places)
{
	gemp_code code = GEMP_OK;
	uint64_t *key = NULL;
	GEMP_TRY(GEMP_NEW(key, met->count));
	for (size_t i = 0; i < met->count; i++) {
		key[i] = (uint64_t)owner[i] << 32 | places[i].local;
		met->order[i] = (uint32_t)i;
		met->key_rank[i] = places[i].key_rank;
		met->begin[owner[i] + 1]++;
	}
	for (int r = 0; r < ranks; r++)
		met->begin[r + 1] += met->begin[r];
	code = gemp_sort_host(&(gemp_sort){ .key = GEMP_KEY_U64, .value_size = sizeof *met->order }, key, met->order,
	                      met->count);
done:
	gemp_free(key);
	return code;
}

/* Collective. met->id and count are given, the rest is made. */
static gemp_code gemp_layout_locate(gemp_layout_remote *met, const gemp_layout *layout)
{
	gemp_code code = GEMP_OK;
	const gemp_comm *comm = layout->comm;
	size_t ranks = (size_t)comm->size, *from = NULL;
	int *owner = NULL, *asker = NULL;
	void *asked = NULL, *replies = NULL;
	place *answers = NULL;
	code = GEMP_NEW(met->key_rank, met->count);
	GEMP_THEN(GEMP_NEW(met->order, met->count));
	GEMP_THEN(GEMP_NEW(met->begin, ranks + 1));
	GEMP_THEN(GEMP_NEW(met->request_begin, ranks + 1));
	GEMP_THEN(GEMP_NEW(owner, met->count));
	GEMP_TRY(gemp_comm_agree(comm, code));
	list_owners(met, layout->graph, owner);
	GEMP_TRY(gemp_exchange_records(comm, met->id, met->count, sizeof *met->id, owner, &asked, &from, NULL));
	code = GEMP_NEW(answers, from[ranks]);
	GEMP_THEN(GEMP_NEW(asker, from[ranks]));
	GEMP_THEN(answer(met, layout, asked, from, answers, asker));
	GEMP_TRY(gemp_comm_agree(comm, code));
	GEMP_TRY(gemp_exchange_records(comm, answers, from[ranks], sizeof *answers, asker, &replies, NULL, NULL));
	code = gemp_comm_agree(comm, sort_by_owner(met, comm->size, owner, replies));
done:
	gemp_free_all(owner, asker, asked, replies, from, answers);
	return code;
}

static void gemp_layout_remote_free(gemp_layout_remote *met)
{
	gemp_free_all(met->id, met->key_rank, met->order, met->begin, met->request_begin, met->requested);
	*met = (gemp_layout_remote){ 0 };
}

/* Several columns of ranks: edges that lead to one vertex are on all ranks of a row of the grid, which send their sums
 * to its owner. */

/* Collective, with several columns. arriving; then, when own vertices are in order, the rows of other ranks' targets, and
 * sums and in_sums. */
/* The ranks of a row own ids that follow one another, so that counts of all targets lie in the order of ranks. */
static gemp_code gemp_layout_make_in_counts(gemp_layout_state *m)
{
	gemp_code code = GEMP_OK;
	const gemp_shard *graph = m->graph;
	size_t ranks = (size_t)m->comm->size, columns = (size_t)m->out->grid.columns, own = graph->rows, capacity = 0;
	size_t first = (size_t)m->comm->rank / columns * columns, *sizes = NULL;
	uint64_t *counts = NULL;
	void *came = NULL;
	code = GEMP_NEW(m->in_counts, own);
	GEMP_THEN(GEMP_NEW(sizes, 2 * ranks));
	GEMP_THEN(GEMP_NEW(counts, m->targets));
	GEMP_TRY(gemp_comm_agree(m->comm, code));
	for (size_t to = 0; to < m->targets; to++)
		counts[to] = m->from_own[to] + m->from_ghost[to];
	for (size_t r = first; r < first + columns; r++)
		sizes[r] = (graph->bounds[r + 1] - graph->bounds[r]) * sizeof *counts;
	GEMP_TRY(gemp_exchange(m->comm, counts, sizes, &came, &capacity, sizes + ranks, NULL));
	for (size_t i = 0; i < columns * own; i++)
		m->in_counts[i % own] += ((const uint64_t *)came)[i];
done:
	gemp_free_all(came, sizes, counts);
	return code;
}

static bool is_met(const gemp_layout_state *m, size_t to)
{
	return !gemp_layout_is_own(m, to) && m->from_own[to] + m->from_ghost[to] > 0;
}

/* Targets of others. */
static gemp_code list_met(gemp_layout_remote *met, const gemp_layout_state *m)
{
	for (size_t to = 0; to < m->targets; to++)
		met->count += is_met(m, to);
	GEMP_PROPAGATE(GEMP_NEW(met->id, met->count));
	for (size_t to = 0, i = 0; to < m->targets; to++)
		if (is_met(m, to))
			met->id[i++] = (uint32_t)(m->first + to);
	return GEMP_OK;
}

static gemp_code place_rows(gemp_layout_state *m, const gemp_layout_remote *met)
{
	const gemp_layout *out = m->out;
	GEMP_PROPAGATE(GEMP_NEW(m->row, m->targets));
	memset(m->row, 0xff, m->targets * sizeof *m->row);
	memcpy(m->row + (m->graph->first_vertex - m->first), out->local, out->own * sizeof *m->row);
	for (size_t i = 0; i < met->count; i++)
		m->row[met->id[met->order[i]] - m->first] = (uint32_t)i;
	m->others = (uint32_t)met->count;
	return GEMP_OK;
}

/* Whoever is met is owned by ranks of this row, and so are those who have met somebody here. */
static gemp_code link_sums(gemp_layout *out, const gemp_layout_remote *met)
{
	gemp_layout_links *sums = &out->sums;
	size_t columns = (size_t)out->grid.columns, first = (size_t)out->comm->rank / columns * columns;
	GEMP_PROPAGATE(GEMP_NEW(sums->send_begin, columns + 1));
	GEMP_PROPAGATE(GEMP_NEW(sums->ghost_begin, columns + 1));
	GEMP_PROPAGATE(GEMP_NEW(sums->send, met->count));
	for (size_t c = 0; c <= columns; c++) {
		sums->send_begin[c] = met->begin[first + c];
		sums->ghost_begin[c] = out->known + (uint32_t)met->request_begin[first + c];
	}
	for (size_t i = 0; i < met->count; i++)
		sums->send[i] = (uint32_t)i;
	return GEMP_OK;
}

static void put_one(void *weight, gemp_layout_weights weights, uint64_t place)
{
	const uint64_t integer = 1;
	const double wide = 1;
	const float narrow = 1;
	size_t size = gemp_layout_weight_size(weights);
	const void *one = &integer;
	if (weights == GEMP_LAYOUT_F32)
		one = &narrow;
	if (weights == GEMP_LAYOUT_F64)
		one = &wide;
	memcpy((char *)weight + place * size, one, size);
}

static gemp_code row_sums(gemp_layout *out, const gemp_layout_remote *met)
{
	gemp_code code = GEMP_OK;
	gemp_layout_rows *rows = &out->in_sums;
	uint64_t came = met->request_begin[out->comm->size], *next = NULL;
	size_t size = gemp_layout_weight_size(out->weights);
	rows->rows = out->own;
	GEMP_TRY(GEMP_NEW(rows->begin, (size_t)out->own + 1));
	GEMP_TRY(GEMP_NEW(rows->end, came));
	if (size)
		GEMP_TRY((rows->weight = gemp_calloc(came, size)) ? GEMP_OK : GEMP_ENOMEM);
	GEMP_TRY(GEMP_NEW(next, out->own));
	for (uint64_t i = 0; i < came; i++)
		rows->begin[met->requested[i] + 1]++;
	gemp_prefix_inclusive(rows->begin, (size_t)out->own + 1);
	memcpy(next, rows->begin, out->own * sizeof *next);
	for (uint64_t i = 0; i < came; i++) {
		rows->end[next[met->requested[i]]++] = out->known + (uint32_t)i;
		if (size)
			put_one(rows->weight, out->weights, i);
	}
done:
	gemp_free(next);
	return code;
}

static gemp_code gemp_layout_make_sums(gemp_layout_state *m)
{
	gemp_code code = GEMP_OK;
	gemp_layout_remote met = { 0 };
	GEMP_TRY(gemp_comm_agree(m->comm, list_met(&met, m)));
	GEMP_TRY(gemp_layout_locate(&met, m->out));
	code = place_rows(m, &met);
	GEMP_THEN(link_sums(m->out, &met));
	GEMP_THEN(row_sums(m->out, &met));
	code = gemp_comm_agree(m->comm, code);
done:
	gemp_layout_remote_free(&met);
	return code;
}

/* Degrees, the order of own vertices, and who is known on which rank. */

/* Arcs to the rows of a range, by where they come from; who is a ghost. */
static void count_range(void *context, unsigned thread, size_t range)
{
	(void)thread;
	const gemp_layout_state *m = context;
	const gemp_layout_arcs *arcs = &m->arcs;
	for (uint64_t i = arcs->begin[range]; i < arcs->begin[range + 1]; i++) {
		const uint32_t *arc = arcs->word + i * arcs->words;
		if (arc[ARC_FROM] - m->graph->first_vertex < m->graph->rows) {
			m->from_own[arc[ARC_TO]]++;
			continue;
		}
		m->from_ghost[arc[ARC_TO]]++;
		gemp_bits64_set_atomic(m->ghosts.words, arc[ARC_FROM]);
	}
}

static uint64_t loops_of(const gemp_shard *graph, const gemp_relation *relation, size_t row)
{
	uint64_t loops = 0;
	for (uint64_t e = relation->out_offsets[row]; e < relation->out_offsets[row + 1]; e++)
		loops += relation->out_targets[e] == graph->first_vertex + row;
	return loops;
}

/* Alone both ends of all edges are there. */
static void count_alone(void *context, size_t range, size_t begin, size_t end)
{
	(void)range;
	const gemp_layout_state *m = context;
	for (size_t row = begin; row < end; row++)
		for (size_t t = 0; t < m->type_count; t++) {
			const gemp_layout_type *type = &m->types[t];
			const gemp_relation *relation = type->relation;
			if (type->forward)
				m->from_own[row] += relation->in_offsets[row + 1] - relation->in_offsets[row];
			if (type->backward)
				m->from_own[row] += relation->out_offsets[row + 1] - relation->out_offsets[row];
			if (type->forward && type->backward)
				m->from_own[row] -= loops_of(m->graph, relation, row);
		}
}

typedef struct ordering {
	gemp_layout_state *m;
	uint64_t *leaving; /* [own] by row */
	uint64_t *key;     /* [own] degree, greatest first, and key */
	uint32_t *row;     /* [own] */
} ordering;

static uint64_t arriving_of(const gemp_layout_state *m, size_t row)
{
	return m->in_counts ? m->in_counts[row] : m->from_own[row] + m->from_ghost[row];
}

/* If edges of all types lead both ways, as many leave as come. Else rows by target are there. */
static uint64_t leaving_of(const gemp_layout_state *m, size_t row)
{
	uint64_t leaving = 0;
	if (m->out->symmetric)
		return arriving_of(m, row);
	for (size_t t = 0; t < m->type_count; t++) {
		const gemp_layout_type *type = &m->types[t];
		const gemp_relation *relation = type->relation;
		if (type->forward)
			leaving += relation->out_offsets[row + 1] - relation->out_offsets[row];
		if (type->backward)
			leaving += relation->in_offsets[row + 1] - relation->in_offsets[row];
		if (type->forward && type->backward)
			leaving -= loops_of(m->graph, relation, row);
	}
	return leaving;
}

static void weigh_rows(void *context, size_t range, size_t begin, size_t end)
{
	(void)range;
	const ordering *o = context;
	const gemp_layout_state *m = o->m;
	for (size_t row = begin; row < end; row++) {
		uint64_t degree = (o->leaving[row] = leaving_of(m, row)) + arriving_of(m, row);
		o->key[row] = (uint64_t) ~(degree < UINT32_MAX ? (uint32_t)degree : UINT32_MAX) << 32 |
		              m->graph->key_ranks[row];
		o->row[row] = (uint32_t)row;
	}
}

static void layout_order_place_rows(void *context, size_t range, size_t begin, size_t end)
{
	(void)range;
	const ordering *o = context;
	gemp_layout *out = o->m->out;
	for (size_t v = begin; v < end; v++) {
		uint32_t row = o->row[v];
		out->local[row] = (uint32_t)v;
		out->id[v] = (gemp_vertex)(o->m->graph->first_vertex + row);
		out->key_rank[v] = o->m->graph->key_ranks[row];
		out->out_degree[v] = o->leaving[row];
	}
}

/* Local. `known` is known: there is room for ghosts, too. */
static gemp_code order_own(gemp_layout_state *m)
{
	gemp_code code = GEMP_OK;
	gemp_layout *out = m->out;
	ordering o = { .m = m };
	GEMP_TRY(GEMP_NEW(out->id, out->known));
	GEMP_TRY(GEMP_NEW(out->key_rank, out->known));
	GEMP_TRY(GEMP_NEW(out->local, out->own));
	GEMP_TRY(GEMP_NEW(out->out_degree, out->own));
	GEMP_TRY(GEMP_NEW(o.leaving, out->own));
	GEMP_TRY(GEMP_NEW(o.key, out->own));
	GEMP_TRY(GEMP_NEW(o.row, out->own));
	gemp_for_ranges(out->own, weigh_rows, &o);
	GEMP_TRY(gemp_sort_host(&(gemp_sort){ .key = GEMP_KEY_U64, .value_size = sizeof *o.row }, o.key, o.row, out->own));
	gemp_for_ranges(out->own, layout_order_place_rows, &o);
done:
	gemp_free_all(o.leaving, o.key, o.row);
	return code;
}

/* In the order of ids. */
static void list_ghosts(const gemp_layout_state *m, uint32_t *ids)
{
	for (uint64_t w = 0, i = 0; w <= m->ghosts.count / 64; w++)
		for (uint64_t bits = m->ghosts.words[w]; bits; bits &= bits - 1)
			ids[i++] = (uint32_t)(w * 64 + (unsigned)__builtin_ctzll(bits));
}

static gemp_code place_ghosts(gemp_layout_state *m, const gemp_layout_remote *met)
{
	gemp_layout *out = m->out;
	GEMP_PROPAGATE(GEMP_NEW(m->ghost_local, met->count));
	for (int r = 0; r <= out->comm->size; r++)
		out->links.ghost_begin[r] = out->own + met->begin[r];
	for (size_t g = 0; g < met->count; g++) {
		uint32_t number = met->order[g];
		m->ghost_local[number] = out->own + (uint32_t)g;
		out->id[out->own + g] = met->id[number];
		out->key_rank[out->own + g] = met->key_rank[number];
	}
	return GEMP_OK;
}

/* Collective. */
static gemp_code meet_ghosts(gemp_layout_state *m)
{
	gemp_code code = GEMP_OK;
	gemp_layout *out = m->out;
	gemp_layout_remote met = { .count = out->known - out->own };
	GEMP_TRY(gemp_comm_agree(m->comm, GEMP_NEW(met.id, met.count)));
	list_ghosts(m, met.id);
	GEMP_TRY(gemp_layout_locate(&met, out));
	memcpy(out->links.send_begin, met.request_begin, ((size_t)m->comm->size + 1) * sizeof *met.request_begin);
	out->links.send = met.requested;
	met.requested = NULL;
	code = gemp_comm_agree(m->comm, place_ghosts(m, &met));
done:
	gemp_layout_remote_free(&met);
	return code;
}

static uint64_t count_ghosts(gemp_rank_bitmap *bits)
{
	uint64_t sum = 0;
	for (uint64_t w = 0; w <= bits->count / 64; w++) {
		if (w % GEMP_RANK_WORDS == 0)
			bits->before[w / GEMP_RANK_WORDS] = sum;
		sum += (uint64_t)__builtin_popcountll(bits->words[w]);
	}
	return sum;
}

gemp_code gemp_layout_make_order(gemp_layout_state *m)
{
	gemp_code code = GEMP_OK;
	gemp_layout *out = m->out;
	bool several = m->comm->size > 1;
	out->own = (uint32_t)m->graph->rows;
	code = GEMP_NEW(m->from_own, m->targets);
	GEMP_THEN(GEMP_NEW(m->from_ghost, m->targets));
	if (code == GEMP_OK && several)
		code = gemp_rank_bitmap_new(&m->ghosts, out->vertices);
	GEMP_THEN(GEMP_NEW(out->links.send_begin, (size_t)m->comm->size + 1));
	GEMP_THEN(GEMP_NEW(out->links.ghost_begin, (size_t)m->comm->size + 1));
	GEMP_TRY(gemp_comm_agree(m->comm, code));
	if (m->one_rank)
		gemp_for_ranges(out->own, count_alone, m);
	else
		gemp_parallel_for(m->arcs.ranges, count_range, m);
	out->known = out->own + (several ? (uint32_t)count_ghosts(&m->ghosts) : 0);
	out->links.ghost_begin[0] = out->links.ghost_begin[1] = out->own;
	if (out->grid.columns > 1)
		GEMP_TRY(gemp_layout_make_in_counts(m));
	GEMP_TRY(gemp_comm_agree(m->comm, order_own(m)));
	if (several)
		GEMP_TRY(meet_ghosts(m));
	if (out->grid.columns > 1)
		code = gemp_layout_make_sums(m);
done:
	return code;
}
