/* Degrees, the order of own vertices, and who is known on which rank. */
#include "comm/exchange.h"
#include "core/memory.h"
#include "core/ranges.h"
#include "core/threads.h"
#include "gas/layout_parts.h"
#include "primitive/sort.h"

#include <stdatomic.h>

/* Arcs to the rows of a range, by where they come from; who is a ghost. */
static void count_range(void *context, unsigned thread, size_t range)
{
	(void)thread;
	const gemp_gas_making *m = context;
	const gemp_gas_arcs *arcs = &m->arcs;
	for (uint64_t i = arcs->begin[range]; i < arcs->begin[range + 1]; i++) {
		const uint32_t *arc = arcs->word + i * arcs->words;
		uint64_t bit = UINT64_C(1) << arc[ARC_FROM] % 64;
		if (arc[ARC_FROM] - m->graph->first < m->graph->rows) {
			m->from_own[arc[ARC_TO]]++;
			continue;
		}
		m->from_ghost[arc[ARC_TO]]++;
		_Atomic uint64_t *word = (_Atomic uint64_t *)&m->ghosts.words[arc[ARC_FROM] / 64];
		if (!(atomic_load_explicit(word, memory_order_relaxed) & bit))
			atomic_fetch_or_explicit(word, bit, memory_order_relaxed);
	}
}

static uint64_t loops_of(const gemp_graph *graph, const gemp_relation *relation, size_t row)
{
	uint64_t loops = 0;
	for (uint64_t e = relation->out_begin[row]; e < relation->out_begin[row + 1]; e++)
		loops += relation->out[e] == graph->first + row;
	return loops;
}

/* Alone both ends of all edges are there. */
static void count_alone(void *context, size_t range, size_t begin, size_t end)
{
	(void)range;
	const gemp_gas_making *m = context;
	for (size_t row = begin; row < end; row++)
		for (size_t t = 0; t < m->type_count; t++) {
			const gemp_gas_type *type = &m->types[t];
			const gemp_relation *relation = type->relation;
			if (type->forward)
				m->from_own[row] += relation->in_begin[row + 1] - relation->in_begin[row];
			if (type->backward)
				m->from_own[row] += relation->out_begin[row + 1] - relation->out_begin[row];
			if (type->forward && type->backward)
				m->from_own[row] -= loops_of(m->graph, relation, row);
		}
}

typedef struct ordering {
	gemp_gas_making *m;
	uint64_t *leaving; /* [own] by row */
	uint64_t *key;     /* [own] degree, greatest first, and key */
	uint32_t *row;     /* [own] */
} ordering;

/* If edges of all types lead both ways, as many leave as come. Else rows by target are there. */
static uint64_t leaving_of(const gemp_gas_making *m, size_t row)
{
	uint64_t leaving = 0;
	if (m->out->symmetric)
		return m->from_own[row] + m->from_ghost[row];
	for (size_t t = 0; t < m->type_count; t++) {
		const gemp_gas_type *type = &m->types[t];
		const gemp_relation *relation = type->relation;
		if (type->forward)
			leaving += relation->out_begin[row + 1] - relation->out_begin[row];
		if (type->backward)
			leaving += relation->in_begin[row + 1] - relation->in_begin[row];
		if (type->forward && type->backward)
			leaving -= loops_of(m->graph, relation, row);
	}
	return leaving;
}

static void weigh_rows(void *context, size_t range, size_t begin, size_t end)
{
	(void)range;
	const ordering *o = context;
	const gemp_gas_making *m = o->m;
	for (size_t row = begin; row < end; row++) {
		uint64_t degree = (o->leaving[row] = leaving_of(m, row)) + m->from_own[row] + m->from_ghost[row];
		o->key[row] = (uint64_t)~(degree < UINT32_MAX ? (uint32_t)degree : UINT32_MAX) << 32 | m->graph->key_rank[row];
		o->row[row] = (uint32_t)row;
	}
}

static void place_rows(void *context, size_t range, size_t begin, size_t end)
{
	(void)range;
	const ordering *o = context;
	gemp_gas_layout *out = o->m->out;
	for (size_t v = begin; v < end; v++) {
		uint32_t row = o->row[v];
		out->local[row] = (uint32_t)v;
		out->id[v] = (gemp_vertex)(o->m->graph->first + row);
		out->key_rank[v] = o->m->graph->key_rank[row];
		out->out_degree[v] = o->leaving[row];
	}
}

/* Local. `known` is known: there is room for ghosts, too. */
static gemp_code order_own(gemp_gas_making *m)
{
	gemp_code code = GEMP_OK;
	gemp_gas_layout *out = m->out;
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
	gemp_for_ranges(out->own, place_rows, &o);
done:
	gemp_free(o.leaving);
	gemp_free(o.key);
	gemp_free(o.row);
	return code;
}

/* What an owner says of a vertex. */
typedef struct place {
	uint32_t local, key_rank;
} place;

/* Ids that ranks have asked for, by rank, become what each of them is sent, in the owner's order. */
static gemp_code make_send(gemp_gas_layout *out, const uint32_t *ids, const size_t *from, place *answers, int *asker)
{
	gemp_code code = GEMP_OK;
	int ranks = out->comm->size;
	GEMP_TRY(GEMP_NEW(out->links.send, from[ranks]));
	for (int r = 0; r < ranks; r++) {
		out->links.send_begin[r + 1] = from[r + 1];
		for (size_t i = from[r]; i < from[r + 1]; i++) {
			uint32_t v = out->local[ids[i] - out->graph->first];
			answers[i] = (place){ v, out->key_rank[v] };
			asker[i] = r;
			out->links.send[i] = v;
		}
		GEMP_TRY(gemp_sort_host(&(gemp_sort){ .key = GEMP_KEY_U32 }, out->links.send + from[r], NULL,
		                        from[r + 1] - from[r]));
	}
done:
	return code;
}

/* ids[] ascend, and so do their owners. */
static gemp_code place_ghosts(gemp_gas_making *m, const uint32_t *ids, const int *owner, const place *places)
{
	gemp_code code = GEMP_OK;
	gemp_gas_layout *out = m->out;
	size_t count = out->known - out->own;
	uint64_t *key = NULL;
	uint32_t *index = NULL;
	GEMP_TRY(GEMP_NEW(key, count));
	GEMP_TRY(GEMP_NEW(index, count));
	GEMP_TRY(GEMP_NEW(m->ghost_local, count));
	for (int r = 0; r <= out->comm->size; r++)
		out->links.ghost_begin[r] = out->own;
	for (size_t i = 0; i < count; i++) {
		key[i] = (uint64_t)owner[i] << 32 | places[i].local;
		index[i] = (uint32_t)i;
		out->links.ghost_begin[owner[i] + 1] = out->own + (uint32_t)i + 1;
	}
	for (int r = 0; r < out->comm->size; r++)
		if (out->links.ghost_begin[r + 1] < out->links.ghost_begin[r])
			out->links.ghost_begin[r + 1] = out->links.ghost_begin[r];
	GEMP_TRY(gemp_sort_host(&(gemp_sort){ .key = GEMP_KEY_U64, .value_size = sizeof *index }, key, index, count));
	for (size_t g = 0; g < count; g++) {
		m->ghost_local[index[g]] = out->own + (uint32_t)g;
		out->id[out->own + g] = ids[index[g]];
		out->key_rank[out->own + g] = places[index[g]].key_rank;
	}
done:
	gemp_free(index);
	gemp_free(key);
	return code;
}

static void list_ghosts(const gemp_gas_making *m, uint32_t *ids, int *owner)
{
	const gemp_graph *graph = m->graph;
	int at = 0;
	for (uint64_t w = 0, i = 0; w <= m->ghosts.count / 64; w++)
		for (uint64_t bits = m->ghosts.words[w]; bits; bits &= bits - 1, i++) {
			uint64_t id = w * 64 + (unsigned)__builtin_ctzll(bits);
			while (id >= graph->bounds[at + 1])
				at++;
			ids[i] = (uint32_t)id;
			owner[i] = at;
		}
}

/* Collective. Owners tell where ghosts are in their order. */
static gemp_code meet_owners(gemp_gas_making *m)
{
	gemp_code code = GEMP_OK;
	gemp_gas_layout *out = m->out;
	const gemp_comm *comm = m->comm;
	size_t count = out->known - out->own;
	uint32_t *ids = NULL;
	int *owner = NULL, *asker = NULL;
	void *asked = NULL, *replies = NULL;
	size_t *from = NULL;
	place *answers = NULL;
	code = GEMP_NEW(ids, count);
	if (code == GEMP_OK)
		code = GEMP_NEW(owner, count);
	GEMP_TRY(gemp_comm_agree(comm, code));
	list_ghosts(m, ids, owner);
	GEMP_TRY(gemp_exchange_records(comm, ids, count, sizeof *ids, owner, &asked, &from, NULL));
	code = GEMP_NEW(answers, from[comm->size]);
	if (code == GEMP_OK)
		code = GEMP_NEW(asker, from[comm->size]);
	if (code == GEMP_OK)
		code = make_send(out, asked, from, answers, asker);
	GEMP_TRY(gemp_comm_agree(comm, code));
	GEMP_TRY(gemp_exchange_records(comm, answers, from[comm->size], sizeof *answers, asker, &replies, NULL, NULL));
	code = gemp_comm_agree(comm, place_ghosts(m, ids, owner, replies));
done:
	gemp_free(ids);
	gemp_free(owner);
	gemp_free(asker);
	gemp_free(asked);
	gemp_free(replies);
	gemp_free(from);
	gemp_free(answers);
	return code;
}

static uint64_t count_ghosts(gemp_bit_ranks *bits)
{
	uint64_t sum = 0;
	for (uint64_t w = 0; w <= bits->count / 64; w++) {
		if (w % GEMP_RANK_WORDS == 0)
			bits->before[w / GEMP_RANK_WORDS] = sum;
		sum += (uint64_t)__builtin_popcountll(bits->words[w]);
	}
	return sum;
}

gemp_code gemp_gas_make_order(gemp_gas_making *m)
{
	gemp_code code = GEMP_OK;
	gemp_gas_layout *out = m->out;
	bool several = m->comm->size > 1;
	out->own = (uint32_t)m->graph->rows;
	code = GEMP_NEW(m->from_own, out->own);
	if (code == GEMP_OK)
		code = GEMP_NEW(m->from_ghost, out->own);
	if (code == GEMP_OK && several)
		code = gemp_bit_ranks_new(&m->ghosts, out->vertices);
	if (code == GEMP_OK)
		code = GEMP_NEW(out->links.send_begin, (size_t)m->comm->size + 1);
	if (code == GEMP_OK)
		code = GEMP_NEW(out->links.ghost_begin, (size_t)m->comm->size + 1);
	GEMP_TRY(gemp_comm_agree(m->comm, code));
	if (m->alone)
		gemp_for_ranges(out->own, count_alone, m);
	else
		gemp_parallel_for(m->arcs.ranges, count_range, m);
	out->known = out->own + (several ? (uint32_t)count_ghosts(&m->ghosts) : 0);
	out->links.ghost_begin[0] = out->links.ghost_begin[1] = out->own;
	GEMP_TRY(gemp_comm_agree(m->comm, order_own(m)));
	if (several)
		code = meet_owners(m);
done:
	return code;
}
