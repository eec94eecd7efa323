/* host_graph: the inputs of sums on the host: rows, supports and vertex tables.
 *
 * They are for small graphs, whose sums a few threads of the host finish before a device is ready. Every rank has all
 * rows and computes all supports and tables, and sums over the vertices v with v % ranks == rank. All functions are
 * local. Positions, supports and tables mean the same as in device_graph.h. */

#ifndef GEMP_COUNT_HOST_GRAPH_H
#define GEMP_COUNT_HOST_GRAPH_H

#include "core/memory.h"
#include "count/expression.h"
#include "partition/views/view.h"

typedef struct gemp_host_graph {
	const gemp_view *view; /* borrowed; simple, EITHER, with all rows */
	uint32_t vertices;
	uint64_t *upper;   /* [vertices] the first entry of row v whose slot is greater than v */
	uint32_t *support; /* [entries] triangles on the edge of this entry; NULL if not needed */
	/* [entries] of these triangles, those whose third vertex has a slot greater than the row's vertex; 0 at entries
	 * that lead to smaller slots; NULL if not needed */
	uint32_t *ordered;
	int64_t *tables[GEMP_MAX_VERTEX_TABLES]; /* [vertices]; tables[0] are the degrees; NULL if not in the plan */
	double bounds[GEMP_SYMBOLS];             /* upper bounds on the magnitudes of symbols */
	int rank, ranks;
} gemp_host_graph;

/* Makes the inputs that the plan's sums read. GEMP_EDATA if a value of a table does not fit into 64 bits. */
gemp_code gemp_host_graph_new(gemp_host_graph *out, const gemp_view *view, const gemp_count_plan *plan, int rank,
                              int ranks);
void gemp_host_graph_free(gemp_host_graph *graph);

/* LOOPS over vertices, on all threads. A worker has what one thread needs between vertices. */
typedef struct gemp_host_worker {
	const gemp_host_graph *graph;
	const gemp_compiled *expression;
	bool narrow;                        /* 64 bits hold all values of the expression */
	bool fits;                          /* 128 bits held all values so far */
	__int128 total;                     /* the sum of this worker */
	uint32_t *marks, *counts, *touched; /* [vertices] marks and counts are 0 between vertices */
	uint64_t *bits;                     /* scratch of cliques */
	const void *context;                /* of the caller */
	int64_t symbols[GEMP_SYMBOLS];
} gemp_host_worker;

typedef void gemp_host_body(gemp_host_worker *worker, uint32_t vertex);

/* Calls the body for each vertex of this rank, or of all ranks if `all`, and adds the totals of the workers to *total.
 * bit_words: words of `bits`. GEMP_EDATA if a value does not fit into 128 bits. */
gemp_code gemp_host_for_vertices(const gemp_host_graph *graph, const gemp_compiled *expression, bool all,
                                 size_t bit_words, const void *context, gemp_host_body *body, __int128 *total);

static inline void gemp_host_add_wide(gemp_host_worker *w, __int128 value, int64_t times)
{
	bool over = __builtin_mul_overflow(value, (__int128)times, &value);
	over |= __builtin_add_overflow(w->total, value, &w->total);
	w->fits &= !over;
}

/* Adds the value of the expression at the worker's symbols, `times` times. */
static inline void gemp_host_add(gemp_host_worker *w, int64_t times)
{
	if (w->narrow)
		w->total += (__int128)gemp_expression_value(w->expression, w->symbols) * times;
	else
		gemp_host_add_wide(w, gemp_expression_wide_value(w->expression, w->symbols, &w->fits), times);
}

static inline bool gemp_host_mentions(const gemp_host_worker *w, int symbol)
{
	return w->expression->symbols >> symbol & 1;
}

/* Stores the values of the vertex tables at a place. */
static inline void gemp_host_bind(gemp_host_worker *w, int place, uint32_t vertex)
{
	const int first = gemp_symbol_table(place, 0);
	if (!(w->expression->symbols >> first & ((1u << GEMP_TABLES) - 1)))
		return;
	for (int k = 0; k < GEMP_TABLES; k++)
		if (gemp_host_mentions(w, first + k))
			w->symbols[first + k] = w->graph->tables[k][vertex];
}

#endif
