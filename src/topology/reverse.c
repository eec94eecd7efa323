#include "topology/reverse.h"

#include "core/memory.h"
#include "core/threads.h"
#include "primitive/split.h"
#include "topology/reverse_device.h"

enum { EDGES_A_PIECE = 1 << 15 };

/* Edges in ranges of rows. What goes with a target is its source (4 bytes), or with places wanted source << 32 | place, or the
 * place alone where there are 2^32 edges or more. */
typedef struct turning {
	const gemp_csr *csr;
	gemp_reversed *out;
	gemp_split split;
	bool packed;
	void *values, *split_values;
	gemp_vertex *split_rows;
	uint64_t *range;       /* [ranges + 1] where each range begins among the edges */
	uint64_t *next;        /* [rows] where the next edge of a row goes */
} turning;

void gemp_reversed_free(gemp_reversed *reversed)
{
	gemp_free(reversed->begin);
	gemp_free(reversed->source);
	gemp_free(reversed->edge);
	*reversed = (gemp_reversed){ 0 };
}

static void list_piece(void *context, unsigned thread, size_t piece)
{
	(void)thread;
	const turning *t = context;
	uint64_t edge = (uint64_t)piece * EDGES_A_PIECE, edges = gemp_csr_edges(t->csr);
	uint64_t end = edges - edge < EDGES_A_PIECE ? edges : edge + EDGES_A_PIECE;
	for (size_t row = gemp_csr_row(t->csr, edge); edge < end; edge++) {
		while (edge >= t->csr->begin[row + 1])
			row++;
		uint64_t source = t->csr->first + row;
		if (!t->out->edge)
			((gemp_vertex *)t->values)[edge] = (gemp_vertex)source;
		else
			((uint64_t *)t->values)[edge] = t->packed ? source << 32 | edge : edge;
	}
}

static void put_edge(const turning *t, uint64_t from, uint64_t to)
{
	if (!t->out->edge) {
		t->out->source[to] = ((const gemp_vertex *)t->split_values)[from];
		return;
	}
	uint64_t value = ((const uint64_t *)t->split_values)[from];
	t->out->edge[to] = t->packed ? (uint32_t)value : value;
	t->out->source[to] = t->packed ? (gemp_vertex)(value >> 32) : t->csr->first + (gemp_vertex)gemp_csr_row(t->csr, value);
}

/* The rows of one range. */
static void put_range(void *context, unsigned thread, size_t range)
{
	(void)thread;
	const turning *t = context;
	size_t row = range << t->split.shift, end = (range + 1) << t->split.shift;
	uint64_t at = t->range[range];
	end = end < t->csr->rows ? end : t->csr->rows;
	for (uint64_t e = at; e < t->range[range + 1]; e++)
		t->next[t->split_rows[e] - t->csr->first]++;
	for (; row < end; row++) {
		uint64_t count = t->next[row];
		t->out->begin[row] = t->next[row] = at;
		at += count;
	}
	for (uint64_t e = t->range[range]; e < t->range[range + 1]; e++)
		put_edge(t, e, t->next[t->split_rows[e] - t->csr->first]++);
}

static gemp_code reverse_on_host(gemp_reversed *out, const gemp_csr *csr)
{
	gemp_code code = GEMP_OK;
	size_t edges = (size_t)gemp_csr_edges(csr);
	unsigned bits = csr->rows > 1 ? 64 - (unsigned)__builtin_clzll(csr->rows - 1) : 1;
	unsigned size = out->edge ? sizeof(uint64_t) : sizeof(gemp_vertex), kept = bits < GEMP_SPLIT_BITS ? bits : GEMP_SPLIT_BITS;
	turning t = { .csr = csr, .out = out, .packed = edges <= UINT32_MAX,
	              .split = { .key = GEMP_KEY_U32, .value_size = size, .shift = bits - kept, .bits = kept, .least = csr->first } };
	double since = gemp_now();
	t.values = gemp_calloc(edges, size);
	t.split_values = gemp_calloc(edges, size);
	GEMP_TRY(t.values && t.split_values ? GEMP_OK : GEMP_ENOMEM);
	GEMP_TRY(GEMP_NEW(t.split_rows, edges));
	GEMP_TRY(GEMP_NEW(t.range, ((size_t)1 << kept) + 1));
	GEMP_TRY(GEMP_NEW(t.next, csr->rows));
	gemp_parallel_for((edges + EDGES_A_PIECE - 1) / EDGES_A_PIECE, list_piece, &t);
	GEMP_TRY(gemp_split_host(&t.split, csr->target, t.values, edges, t.split_rows, t.split_values, t.range));
	gemp_parallel_for((size_t)1 << kept, put_range, &t);
	out->begin[csr->rows] = edges;
	out->seconds = gemp_now() - since;
done:
	gemp_free(t.values);
	gemp_free(t.split_values);
	gemp_free(t.split_rows);
	gemp_free(t.range);
	gemp_free(t.next);
	return code;
}

gemp_code gemp_reverse(gemp_reversed *out, const gemp_csr *csr, gemp_device *device, gemp_where place, bool edges)
{
	gemp_code code = GEMP_OK;
	size_t count = (size_t)gemp_csr_edges(csr);
	*out = (gemp_reversed){ .rows = csr->rows };
	GEMP_TRY(GEMP_NEW(out->begin, csr->rows + 1));
	GEMP_TRY(GEMP_NEW(out->source, count));
	if (edges)
		GEMP_TRY(GEMP_NEW(out->edge, count));
	if (count == 0)
		goto done;
	if (gemp_reverse_choose_device(device, csr, place))
		GEMP_TRY(gemp_reverse_on_device(out, csr, device));
	else
		GEMP_TRY(reverse_on_host(out, csr));
done:
	if (code != GEMP_OK)
		gemp_reversed_free(out);
	return code;
}
