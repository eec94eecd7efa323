#include "count/host_graph.h"

#include "core/search.h"
#include "core/threads.h"

#include <math.h>
#include <string.h>

enum { CHUNK = 32 }; /* vertices that a thread takes at a time; the first chunk has the hubs */

/* One loop over vertices. */
typedef struct vertex_loop {
	gemp_host_worker *workers; /* [gemp_threads()] */
	gemp_host_body *body;
	uint32_t first, step, vertices; /* vertices first, first + step, ... below `vertices` */
} vertex_loop;

static void run_chunk(void *context, unsigned thread, size_t chunk)
{
	const vertex_loop *loop = context;
	uint64_t step = loop->step;
	for (size_t i = chunk * CHUNK; i < (chunk + 1) * CHUNK; i++) {
		uint64_t v = loop->first + i * step;
		if (v >= loop->vertices)
			return;
		loop->body(&loop->workers[thread], (uint32_t)v);
	}
}

/* The scratch of all workers is one block. */
typedef struct scratch {
	uint32_t *words;
	uint64_t *bits;
} scratch;

static gemp_code make_workers(gemp_host_worker **workers, scratch *s, const gemp_host_worker *model, size_t bit_words)
{
	size_t threads = gemp_threads(), n = model->graph->vertices;
	GEMP_TRY(gemp_new_all(GEMP_ARRAY(*workers, threads), GEMP_ARRAY(s->words, 3 * threads * n),
	                      GEMP_ARRAY(s->bits, threads * bit_words)));
	for (size_t t = 0; t < threads; t++) {
		gemp_host_worker *w = &(*workers)[t];
		*w = *model;
		w->marks = s->words + 3 * t * n;
		w->counts = w->marks + n;
		w->touched = w->counts + n;
		w->bits = s->bits + t * bit_words;
	}
	return GEMP_OK;
}

/* Below 2^62, sums and negations of values fit into 64 bits, too. */
gemp_code gemp_host_for_vertices(const gemp_host_graph *graph, const gemp_compiled *expression, bool all,
                                 size_t bit_words, const void *context, gemp_host_body *body, __int128 *total)
{
	GEMP_OWNED gemp_host_worker *workers = NULL;
	scratch s = { 0 };
	gemp_code code = GEMP_OK;
	const gemp_host_worker model = {
		.graph = graph,
		.expression = expression,
		.context = context,
		.narrow = gemp_expression_bound(expression, graph->bounds) < 0x1p62,
		.fits = true,
	};
	vertex_loop loop = { .body = body,
		                 .first = all ? 0 : (uint32_t)graph->rank,
		                 .step = all ? 1 : (uint32_t)graph->ranks,
		                 .vertices = graph->vertices };
	bool fits = true;
	GEMP_TRY_DONE(make_workers(&workers, &s, &model, bit_words));
	loop.workers = workers;
	size_t count = graph->vertices > loop.first ? (graph->vertices - loop.first + loop.step - 1) / loop.step : 0;
	gemp_parallel_for((count + CHUNK - 1) / CHUNK, run_chunk, &loop);
	for (size_t t = 0; t < gemp_threads(); t++) {
		fits &= workers[t].fits && !__builtin_add_overflow(*total, workers[t].total, total);
	}
	if (!fits)
		code = gemp_fail(GEMP_EDATA,
		                 "what is counted here does not fit into sums of 128 bits; count-by enumerate does not "
		                 "sum, and remains");
done:
	gemp_free_all(s.words, s.bits);
	return code;
}

/* Marks the row of v, and counts the marked vertices in the rows of the neighbours after v. Each edge is counted at its
 * first end, which writes both entries, so no entry is written twice. */
static void count_support(gemp_host_worker *w, uint32_t v)
{
	const gemp_host_graph *g = w->graph;
	const uint64_t *begin = g->view->begin;
	const gemp_vertex *row = g->view->neighbours;
	if (g->upper[v] == begin[v + 1])
		return;
	for (uint64_t i = begin[v]; i < begin[v + 1]; i++)
		w->marks[row[i]] = 1;
	for (uint64_t i = g->upper[v]; i < begin[v + 1]; i++) {
		gemp_vertex x = row[i];
		uint64_t at = begin[x] + gemp_lower_bound_u32(row + begin[x], begin[x + 1] - begin[x], v), k;
		uint32_t before = 0, after = 0;
		for (k = begin[x]; k < at; k++)
			before += w->marks[row[k]];
		for (; k < begin[x + 1]; k++)
			after += w->marks[row[k]];
		g->support[i] = g->support[at] = before + after;
		if (g->ordered)
			g->ordered[i] = after;
	}
	for (uint64_t i = begin[v]; i < begin[v + 1]; i++)
		w->marks[row[i]] = 0;
}

static gemp_code make_supports(gemp_host_graph *g, const gemp_count_plan *plan)
{
	static const gemp_compiled none;
	__int128 total = 0;
	size_t entries = (size_t)g->view->begin[g->vertices];
	GEMP_TRY(GEMP_NEW(g->support, entries));
	if (plan->ordered_support)
		GEMP_TRY(GEMP_NEW(g->ordered, entries));
	return gemp_host_for_vertices(g, &none, true, 0, NULL, count_support, &total);
}

/* The worker's total becomes the sum over this row alone. */
static void sum_row(gemp_host_worker *w, uint32_t v)
{
	const gemp_host_graph *g = w->graph;
	int64_t *table = *(int64_t *const *)w->context;
	w->total = 0;
	gemp_host_bind(w, 0, v);
	for (uint64_t i = g->view->begin[v]; i < g->view->begin[v + 1]; i++) {
		gemp_vertex x = g->view->neighbours[i];
		gemp_host_bind(w, 1, x);
		w->symbols[gemp_symbol_support(0, 1)] = g->support ? g->support[i] : 0;
		w->symbols[GEMP_SYMBOL_ORDER] = x > v;
		w->symbols[GEMP_SYMBOL_OVER] = g->ordered ? g->ordered[i] : 0;
		gemp_host_add(w, 1);
	}
	table[v] = (int64_t)w->total;
	w->fits &= w->total == table[v];
	w->total = 0;
}

/* The tables are computed in order, since a table may read the tables before it. */
static gemp_code make_tables(gemp_host_graph *g, const gemp_count_plan *plan)
{
	for (size_t k = 1; k < plan->table_count; k++) {
		gemp_compiled expression;
		__int128 total = 0;
		double most = 0;
		GEMP_TRY(GEMP_NEW(g->tables[k], g->vertices));
		GEMP_TRY(gemp_expression_compile(&expression, plan->tables[k].expression));
		GEMP_TRY(gemp_host_for_vertices(g, &expression, true, 0, &g->tables[k], sum_row, &total));
		for (size_t v = 0; v < g->vertices; v++)
			most = fmax(most, fabs((double)g->tables[k][v]));
		for (int place = 0; place < GEMP_PLACES; place++)
			g->bounds[gemp_symbol_table(place, (int)k)] = most;
	}
	return GEMP_OK;
}

/* No symbol but a table exceeds the maximum degree. */
static gemp_code make_degrees(gemp_host_graph *g)
{
	const uint64_t *begin = g->view->begin;
	uint64_t most = 1;
	GEMP_TRY(gemp_new_all(GEMP_ARRAY(g->upper, g->vertices), GEMP_ARRAY(g->tables[0], g->vertices)));
	for (size_t v = 0; v < g->vertices; v++) {
		size_t degree = (size_t)(begin[v + 1] - begin[v]);
		g->upper[v] = begin[v] + gemp_lower_bound_u32(g->view->neighbours + begin[v], degree, v);
		g->tables[0][v] = (int64_t)degree;
		most = gemp_max(most, degree);
	}
	for (int s = 0; s < GEMP_SYMBOLS; s++)
		g->bounds[s] = (double)most;
	return GEMP_OK;
}

gemp_code gemp_host_graph_new(gemp_host_graph *out, const gemp_view *view, const gemp_count_plan *plan, int rank,
                              int ranks)
{
	*out = (gemp_host_graph){ .view = view, .vertices = (uint32_t)view->rows, .rank = rank, .ranks = ranks };
	GEMP_TRY(make_degrees(out));
	if (plan->support)
		GEMP_TRY(make_supports(out, plan));
	return make_tables(out, plan);
}

void gemp_host_graph_free(gemp_host_graph *graph)
{
	gemp_free_all(graph->upper, graph->support, graph->ordered);
	for (size_t k = 0; k < GEMP_MAX_VERTEX_TABLES; k++)
		gemp_free(graph->tables[k]);
	*graph = (gemp_host_graph){ 0 };
}
