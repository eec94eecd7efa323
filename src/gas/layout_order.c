/* Degrees, the order of own vertices, and who is known on which rank. */
#include "core/memory.h"
#include "core/ranges.h"
#include "core/threads.h"
#include "gas/layout_parts.h"
#include "primitive/sort.h"

#include <stdatomic.h>
#include <string.h>

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

static uint64_t arriving_of(const gemp_gas_making *m, size_t row)
{
	return m->arriving ? m->arriving[row] : m->from_own[row] + m->from_ghost[row];
}

/* If edges of all types lead both ways, as many leave as come. Else rows by target are there. */
static uint64_t leaving_of(const gemp_gas_making *m, size_t row)
{
	uint64_t leaving = 0;
	if (m->out->symmetric)
		return arriving_of(m, row);
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
		uint64_t degree = (o->leaving[row] = leaving_of(m, row)) + arriving_of(m, row);
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

/* In the order of ids. */
static void list_ghosts(const gemp_gas_making *m, uint32_t *ids)
{
	for (uint64_t w = 0, i = 0; w <= m->ghosts.count / 64; w++)
		for (uint64_t bits = m->ghosts.words[w]; bits; bits &= bits - 1)
			ids[i++] = (uint32_t)(w * 64 + (unsigned)__builtin_ctzll(bits));
}

static gemp_code place_ghosts(gemp_gas_making *m, const gemp_gas_met *met)
{
	gemp_code code = GEMP_OK;
	gemp_gas_layout *out = m->out;
	GEMP_TRY(GEMP_NEW(m->ghost_local, met->count));
	for (int r = 0; r <= out->comm->size; r++)
		out->links.ghost_begin[r] = out->own + met->begin[r];
	for (size_t g = 0; g < met->count; g++) {
		uint32_t number = met->order[g];
		m->ghost_local[number] = out->own + (uint32_t)g;
		out->id[out->own + g] = met->id[number];
		out->key_rank[out->own + g] = met->key_rank[number];
	}
done:
	return code;
}

/* Collective. */
static gemp_code meet_ghosts(gemp_gas_making *m)
{
	gemp_code code = GEMP_OK;
	gemp_gas_layout *out = m->out;
	gemp_gas_met met = { .count = out->known - out->own };
	GEMP_TRY(gemp_comm_agree(m->comm, GEMP_NEW(met.id, met.count)));
	list_ghosts(m, met.id);
	GEMP_TRY(gemp_gas_meet(&met, out));
	memcpy(out->links.send_begin, met.asked_begin, ((size_t)m->comm->size + 1) * sizeof *met.asked_begin);
	out->links.send = met.asked;
	met.asked = NULL;
	code = gemp_comm_agree(m->comm, place_ghosts(m, &met));
done:
	gemp_gas_met_free(&met);
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
	code = GEMP_NEW(m->from_own, m->targets);
	if (code == GEMP_OK)
		code = GEMP_NEW(m->from_ghost, m->targets);
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
	if (out->grid.columns > 1)
		GEMP_TRY(gemp_gas_make_arriving(m));
	GEMP_TRY(gemp_comm_agree(m->comm, order_own(m)));
	if (several)
		GEMP_TRY(meet_ghosts(m));
	if (out->grid.columns > 1)
		code = gemp_gas_make_sums(m);
done:
	return code;
}
