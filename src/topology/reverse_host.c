#include "topology/reverse_host.h"

#include "core/memory.h"
#include "core/threads.h"
#include "primitive/split.h"

enum { EDGES_A_PIECE = 1 << 15 };

/* Edges in ranges of rows. What goes with a target is its source (4 bytes), or with places wanted source << 32 | place,
 * or the place alone where there are 2^32 edges or more. */
typedef struct turning {
	const gemp_targets *edges;
	gemp_reversed *out;
	gemp_split split;
	bool packed;
	void *values, *split_values;
	gemp_vertex *split_rows;
	uint64_t *range;       /* [ranges + 1] where each range begins among the edges */
	uint64_t *next;        /* [rows] where the next edge of a row goes */
} turning;

static void list_piece(void *context, unsigned thread, size_t piece)
{
	(void)thread;
	const turning *t = context;
	const gemp_csr *csr = t->edges->csr;
	uint64_t edge = (uint64_t)piece * EDGES_A_PIECE, edges = t->edges->count;
	uint64_t end = edges - edge < EDGES_A_PIECE ? edges : edge + EDGES_A_PIECE;
	for (size_t row = csr ? gemp_csr_row(csr, edge) : 0; edge < end; edge++) {
		while (csr && edge >= csr->begin[row + 1])
			row++;
		uint64_t source = csr ? csr->first + row : t->edges->source[edge];
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
	uint64_t value = ((const uint64_t *)t->split_values)[from], edge = t->packed ? (uint32_t)value : value;
	const gemp_csr *csr = t->edges->csr;
	t->out->edge[to] = edge;
	if (t->packed)
		t->out->source[to] = (gemp_vertex)(value >> 32);
	else
		t->out->source[to] = csr ? csr->first + (gemp_vertex)gemp_csr_row(csr, edge) : t->edges->source[edge];
}

/* The rows of one range. */
static void put_range(void *context, unsigned thread, size_t range)
{
	(void)thread;
	const turning *t = context;
	size_t row = range << t->split.shift, end = (range + 1) << t->split.shift;
	uint64_t at = t->range[range];
	end = end < t->edges->rows ? end : t->edges->rows;
	for (uint64_t e = at; e < t->range[range + 1]; e++)
		t->next[t->split_rows[e] - t->edges->first]++;
	for (; row < end; row++) {
		uint64_t count = t->next[row];
		t->out->begin[row] = t->next[row] = at;
		at += count;
	}
	for (uint64_t e = t->range[range]; e < t->range[range + 1]; e++)
		put_edge(t, e, t->next[t->split_rows[e] - t->edges->first]++);
}

gemp_code gemp_reverse_on_host(gemp_reversed *out, const gemp_targets *all)
{
	gemp_code code = GEMP_OK;
	size_t edges = all->count;
	unsigned bits = all->rows > 1 ? 64 - (unsigned)__builtin_clzll(all->rows - 1) : 1;
	unsigned size = out->edge ? sizeof(uint64_t) : sizeof(gemp_vertex);
	unsigned kept = bits < GEMP_SPLIT_BITS ? bits : GEMP_SPLIT_BITS;
	turning t = { .edges = all, .out = out, .packed = edges <= UINT32_MAX,
	              .split = { .key = GEMP_KEY_U32, .value_size = size, .shift = bits - kept, .bits = kept,
	                         .least = all->first } };
	double since = gemp_now();
	t.values = gemp_calloc(edges, size);
	t.split_values = gemp_calloc(edges, size);
	GEMP_TRY(t.values && t.split_values ? GEMP_OK : GEMP_ENOMEM);
	GEMP_TRY(GEMP_NEW(t.split_rows, edges));
	GEMP_TRY(GEMP_NEW(t.range, ((size_t)1 << kept) + 1));
	GEMP_TRY(GEMP_NEW(t.next, all->rows));
	gemp_parallel_for((edges + EDGES_A_PIECE - 1) / EDGES_A_PIECE, list_piece, &t);
	GEMP_TRY(gemp_split_host(&t.split, all->target, t.values, edges, t.split_rows, t.split_values, t.range));
	gemp_parallel_for((size_t)1 << kept, put_range, &t);
	out->begin[all->rows] = edges;
	out->seconds = gemp_now() - since;
done:
	gemp_free(t.values);
	gemp_free(t.split_values);
	gemp_free(t.split_rows);
	gemp_free(t.range);
	gemp_free(t.next);
	return code;
}

