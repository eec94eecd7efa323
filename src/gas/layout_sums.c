/* Several columns of ranks: edges that lead to one vertex are on all ranks of a row of the grid, which send their sums
 * to its owner. */
#include "comm/exchange.h"
#include "core/memory.h"
#include "core/prefix.h"
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

/* Whoever is met is owned by ranks of this row, and so are those who have met somebody here. */
static gemp_code link_sums(gemp_gas_layout *out, const gemp_gas_met *met)
{
	gemp_code code = GEMP_OK;
	gemp_gas_links *sums = &out->sums;
	size_t columns = (size_t)out->grid.columns, first = (size_t)out->comm->rank / columns * columns;
	GEMP_TRY(GEMP_NEW(sums->send_begin, columns + 1));
	GEMP_TRY(GEMP_NEW(sums->ghost_begin, columns + 1));
	GEMP_TRY(GEMP_NEW(sums->send, met->count));
	for (size_t c = 0; c <= columns; c++) {
		sums->send_begin[c] = met->begin[first + c];
		sums->ghost_begin[c] = out->known + (uint32_t)met->asked_begin[first + c];
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

static gemp_code row_sums(gemp_gas_layout *out, const gemp_gas_met *met)
{
	gemp_code code = GEMP_OK;
	gemp_gas_rows *rows = &out->in_sums;
	uint64_t came = met->asked_begin[out->comm->size], *next = NULL;
	size_t size = gemp_gas_weight_size(out->weights);
	rows->rows = out->own;
	GEMP_TRY(GEMP_NEW(rows->begin, (size_t)out->own + 1));
	GEMP_TRY(GEMP_NEW(rows->end, came));
	if (size)
		GEMP_TRY((rows->weight = gemp_calloc(came, size)) ? GEMP_OK : GEMP_ENOMEM);
	GEMP_TRY(GEMP_NEW(next, out->own));
	for (uint64_t i = 0; i < came; i++)
		rows->begin[met->asked[i] + 1]++;
	gemp_prefix_sums(rows->begin, (size_t)out->own + 1);
	memcpy(next, rows->begin, out->own * sizeof *next);
	for (uint64_t i = 0; i < came; i++) {
		rows->end[next[met->asked[i]]++] = out->known + (uint32_t)i;
		if (size)
			put_one(rows->weight, out->weights, i);
	}
done:
	gemp_free(next);
	return code;
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
	if (code == GEMP_OK)
		code = row_sums(m->out, &met);
	code = gemp_comm_agree(m->comm, code);
done:
	gemp_gas_met_free(&met);
	return code;
}
