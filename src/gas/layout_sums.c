/* Several columns of ranks: edges that lead to one vertex are on all ranks of a row of the grid, which send their sums
 * to its owner. */
#include "comm/exchange.h"
#include "core/memory.h"
#include "gas/layout_parts.h"

#include <string.h>

/* The ranks of a row own ids that follow one another, so that counts of all targets lie in the order of ranks. */
gemp_code gemp_gas_make_arriving(gemp_gas_making *m)
{
	gemp_code code = GEMP_OK;
	const gemp_graph *graph = m->graph;
	size_t ranks = (size_t)m->comm->size, columns = (size_t)m->out->grid.columns, own = graph->rows, capacity = 0;
	size_t first = (size_t)m->comm->rank / columns * columns, *sizes = NULL;
	uint64_t *counts = NULL;
	void *came = NULL;
	code = GEMP_NEW(m->arriving, own);
	if (code == GEMP_OK)
		code = GEMP_NEW(sizes, 2 * ranks);
	if (code == GEMP_OK)
		code = GEMP_NEW(counts, m->targets);
	GEMP_TRY(gemp_comm_agree(m->comm, code));
	for (size_t to = 0; to < m->targets; to++)
		counts[to] = m->from_own[to] + m->from_ghost[to];
	for (size_t r = first; r < first + columns; r++)
		sizes[r] = (graph->bounds[r + 1] - graph->bounds[r]) * sizeof *counts;
	GEMP_TRY(gemp_exchange(m->comm, counts, sizes, &came, &capacity, sizes + ranks, NULL));
	for (size_t i = 0; i < columns * own; i++)
		m->arriving[i % own] += ((const uint64_t *)came)[i];
done:
	gemp_free(came);
	gemp_free(sizes);
	gemp_free(counts);
	return code;
}

static bool is_met(const gemp_gas_making *m, size_t to)
{
	return !gemp_gas_is_own(m, to) && m->from_own[to] + m->from_ghost[to] > 0;
}

/* Targets of others. */
static gemp_code list_met(gemp_gas_met *met, const gemp_gas_making *m)
{
	gemp_code code = GEMP_OK;
	for (size_t to = 0; to < m->targets; to++)
		met->count += is_met(m, to);
	GEMP_TRY(GEMP_NEW(met->id, met->count));
	for (size_t to = 0, i = 0; to < m->targets; to++)
		if (is_met(m, to))
			met->id[i++] = (uint32_t)(m->first + to);
done:
	return code;
}

static gemp_code place_rows(gemp_gas_making *m, const gemp_gas_met *met)
{
	gemp_code code = GEMP_OK;
	const gemp_gas_layout *out = m->out;
	GEMP_TRY(GEMP_NEW(m->row, m->targets));
	memset(m->row, 0xff, m->targets * sizeof *m->row);
	memcpy(m->row + (m->graph->first - m->first), out->local, out->own * sizeof *m->row);
	for (size_t i = 0; i < met->count; i++)
		m->row[met->id[met->order[i]] - m->first] = (uint32_t)i;
	m->others = (uint32_t)met->count;
done:
	return code;
}

static gemp_code link_sums(gemp_gas_layout *out, const gemp_gas_met *met)
{
	gemp_code code = GEMP_OK;
	gemp_gas_links *sums = &out->sums;
	size_t ranks = (size_t)out->comm->size;
	GEMP_TRY(GEMP_NEW(sums->send_begin, ranks + 1));
	GEMP_TRY(GEMP_NEW(sums->ghost_begin, ranks + 1));
	GEMP_TRY(GEMP_NEW(sums->send, met->count));
	for (size_t r = 0; r <= ranks; r++) {
		sums->send_begin[r] = met->begin[r];
		sums->ghost_begin[r] = out->known + (uint32_t)met->asked_begin[r];
	}
	for (size_t i = 0; i < met->count; i++)
		sums->send[i] = (uint32_t)i;
done:
	return code;
}

static void put_one(void *weight, gemp_gas_weights weights, uint64_t place)
{
	const uint64_t integer = 1;
	const double wide = 1;
	const float narrow = 1;
	size_t size = gemp_gas_weight_size(weights);
	const void *one = &integer;
	if (weights == GEMP_GAS_F32)
		one = &narrow;
	if (weights == GEMP_GAS_F64)
		one = &wide;
	memcpy((char *)weight + place * size, one, size);
}

static size_t target_of(const gemp_gas_making *m, uint32_t own)
{
	return m->out->id[own] - m->first;
}

/* Places of sums ascend, as the ranks do that they come from. */
void gemp_gas_put_sums(const gemp_gas_making *m, uint64_t *next)
{
	const gemp_gas_layout *out = m->out;
	uint32_t values = gemp_gas_values(out);
	for (uint32_t place = out->known; place < values; place++) {
		uint64_t at = next[target_of(m, m->summed[place - out->known])]++;
		out->in_ghost.end[at] = place;
		if (out->weights)
			put_one(out->in_ghost.weight, out->weights, at);
	}
}

gemp_code gemp_gas_make_sums(gemp_gas_making *m)
{
	gemp_code code = GEMP_OK;
	gemp_gas_met met = { 0 };
	GEMP_TRY(gemp_comm_agree(m->comm, list_met(&met, m)));
	GEMP_TRY(gemp_gas_meet(&met, m->out));
	code = place_rows(m, &met);
	if (code == GEMP_OK)
		code = link_sums(m->out, &met);
	GEMP_TRY(gemp_comm_agree(m->comm, code));
	m->summed = met.asked;
	met.asked = NULL;
	for (uint64_t i = 0; i < met.asked_begin[m->comm->size]; i++)
		m->from_ghost[target_of(m, m->summed[i])]++;
done:
	gemp_gas_met_free(&met);
	return code;
}
