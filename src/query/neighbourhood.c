/* Rank 0 alone reads. It keeps for each vertex of a row of the query the set of vertices of the graph that can be its
 * image: a superset, which an edge to a vertex with a known set makes known. If both ends of an edge are known, its
 * rows are read at the smaller set, and the other set loses what no row leads to. Inner patterns begin with the sets of
 * the vertices that they share with the outer pattern. */

#include "query/neighbourhood.h"

#include "core/limits.h"
#include "core/quantity.h"
#include "graph/point_reader.h"
#include "match/match_host.h"
#include "partition/derived/neighbourhood_graph.h"
#include "pattern/condition/expr_text.h"
#include "query/anchors.h"

#include <stdlib.h>
#include <string.h>

typedef struct reading {
	const gemp_shard *graph;
	const gemp_point_reader *points;
	gemp_near_rows rows;
	uint64_t left; /* vertices and entries that may still be read */
	bool began;    /* a series of reads */
	bool fits;     /* false: the query reads too much, or what it reads is not known in advance */
} reading;

/* SETS */

static void free_sets(gemp_vertex_set *sets, size_t count)
{
	for (size_t i = 0; i < count; i++)
		gemp_free(sets[i].ids);
}

/* The sets of one pattern. */
typedef struct set_list {
	gemp_vertex_set sets[GEMP_MAX_PATTERN_VERTICES];
} set_list;

static void free_list(set_list *list)
{
	free_sets(list->sets, GEMP_MAX_PATTERN_VERTICES);
}

/* Keeps the vertices that are in the other set, too. Both ascend. */
static void intersect(gemp_vertex_set *set, const gemp_vertex_set *other)
{
	size_t kept = 0;
	for (size_t i = 0, j = 0; i < set->count; i++) {
		while (j < other->count && other->ids[j] < set->ids[i])
			j++;
		if (j < other->count && other->ids[j] == set->ids[i])
			set->ids[kept++] = set->ids[i];
	}
	set->count = kept;
}

/* ROWS */

static void take(reading *r, uint64_t count)
{
	r->fits = r->fits && count <= r->left;
	r->left -= gemp_min(count, r->left);
}

/* Reads a row of each vertex of a set, and adds the neighbours to *found. */
static gemp_code read_rows(reading *r, size_t relation, unsigned part, const gemp_vertex_set *from,
                           gemp_vertex_set *found, size_t *capacity)
{
	uint64_t bounds[2];
	for (size_t i = 0; i < from->count && r->fits; i++) {
		GEMP_TRY(r->points->bounds(r->points->self, relation, part, from->ids[i], bounds));
		take(r, 1 + bounds[1] - bounds[0]);
		if (r->fits)
			GEMP_TRY(gemp_near_rows_read(&r->rows, r->graph, relation, part, from->ids[i], bounds, &found->ids,
			                             &found->count, capacity));
	}
	return GEMP_OK;
}

/* Reads the rows of these relations that leave (out) and enter (in) the vertices of a set. *found becomes the
 * neighbours. */
static gemp_code read_neighbours(reading *r, const bool *relations, bool out, bool in, const gemp_vertex_set *from,
                                 gemp_vertex_set *found)
{
	size_t capacity = 0;
	*found = (gemp_vertex_set){ .known = true };
	for (size_t k = 0; k < r->graph->relation_count && r->fits; k++) {
		if (!relations[k])
			continue;
		if (r->graph->relations[k].merged) {
			GEMP_TRY(read_rows(r, k, GEMP_LOAD_EITHER, from, found, &capacity));
			continue;
		}
		if (out)
			GEMP_TRY(read_rows(r, k, GEMP_LOAD_OUT, from, found, &capacity));
		if (in)
			GEMP_TRY(read_rows(r, k, GEMP_LOAD_IN, from, found, &capacity));
	}
	gemp_vertex_set_sort(found);
	return GEMP_OK;
}

/* Adds to *all what is in *more, and leaves in *more what was not in *all. Both ascend. */
static gemp_code unite(gemp_vertex_set *all, gemp_vertex_set *more)
{
	GEMP_OWNED gemp_vertex *united = NULL;
	size_t count = 0, fresh = 0, i = 0;
	GEMP_TRY(GEMP_NEW(united, all->count + more->count));
	for (size_t j = 0; j < more->count; j++) {
		while (i < all->count && all->ids[i] < more->ids[j])
			united[count++] = all->ids[i++];
		if (i == all->count || all->ids[i] != more->ids[j])
			united[count++] = more->ids[fresh++] = more->ids[j];
	}
	while (i < all->count)
		united[count++] = all->ids[i++];
	more->count = fresh;
	gemp_free(all->ids);
	all->ids = united;
	all->count = count;
	united = NULL;
	return GEMP_OK;
}

/* Follows a pattern edge from the images of one of its ends. *found becomes what can be an image of the other end: of a
 * path of variable length all vertices within its greatest length. */
static gemp_code follow(reading *r, const gemp_pattern_edge *edge, bool from_target, const gemp_vertex_set *from,
                        gemp_vertex_set *found)
{
	const bool either = edge->direction == GEMP_EITHER;
	GEMP_OWNED gemp_vertex *frontier_ids = NULL;
	gemp_vertex_set frontier = { .known = true, .count = from->count };
	if (!edge->path)
		return read_neighbours(r, edge->relations, either || !from_target, either || from_target, from, found);
	*found = (gemp_vertex_set){ .known = true, .count = from->count };
	GEMP_TRY(GEMP_COPY(found->ids, from->ids, from->count));
	GEMP_TRY(GEMP_COPY(frontier_ids, from->ids, from->count));
	frontier.ids = frontier_ids;
	for (uint32_t hop = 0; hop < edge->max_hops && frontier.count && r->fits; hop++) {
		gemp_vertex_set next;
		const gemp_code code = read_neighbours(r, edge->relations, either || !from_target, either || from_target,
		                                       &frontier, &next);
		gemp_free(frontier_ids);
		frontier_ids = next.ids;
		GEMP_TRY(code);
		GEMP_TRY(unite(found, &next));
		frontier = next;
	}
	return GEMP_OK;
}

/* PATTERNS */

/* Follows an edge at least one of whose ends is known. */
static gemp_code follow_edge(reading *r, const gemp_pattern_edge *edge, gemp_vertex_set *sets)
{
	gemp_vertex_set *from = &sets[edge->from], *to = &sets[edge->to];
	const bool from_target = to->known && (!from->known || to->count < from->count);
	gemp_vertex_set *far = from_target ? from : to, found = { 0 };
	gemp_code code = follow(r, edge, from_target, from_target ? to : from, &found);
	if (code == GEMP_OK && far->known) {
		intersect(far, &found);
		gemp_free(found.ids);
	} else if (code == GEMP_OK) {
		*far = found;
	} else {
		gemp_free(found.ids);
	}
	return code;
}

/* The next edge to follow: one whose ends are both known, otherwise the one with the smallest known end; -1: none is
 * left that can be followed. */
static int next_edge(const gemp_pattern *pattern, const gemp_vertex_set *sets, uint64_t followed)
{
	int best = -1;
	size_t best_count = SIZE_MAX;
	for (size_t e = 0; e < pattern->edge_count; e++) {
		const gemp_vertex_set *from = &sets[pattern->edges[e].from], *to = &sets[pattern->edges[e].to];
		if (followed >> e & 1 || (!from->known && !to->known))
			continue;
		const size_t count = from->known && to->known ? 0 : from->known ? from->count : to->count;
		if (best < 0 || count < best_count) {
			best = (int)e;
			best_count = count;
		}
	}
	return best;
}

static gemp_code read_inner(reading *r, const gemp_pattern *pattern, const gemp_expr *expr, gemp_vertex_set *sets);

/* Reads what the conditions of a pattern need, whose sets are known. */
static gemp_code read_conditions(reading *r, const gemp_pattern *pattern, gemp_vertex_set *sets)
{
	for (size_t i = 0; i < pattern->condition_count && r->fits; i++)
		GEMP_TRY(read_inner(r, pattern, pattern->conditions[i].expr, sets));
	return GEMP_OK;
}

/* Reads the rows of a pattern from the vertices whose sets are known, so that all sets become known. */
static gemp_code read_pattern(reading *r, const gemp_pattern *pattern, gemp_vertex_set *sets)
{
	uint64_t followed = 0;
	for (int e; r->fits && (e = next_edge(pattern, sets, followed)) >= 0;) {
		followed |= GEMP_BIT(e);
		GEMP_TRY(follow_edge(r, &pattern->edges[e], sets));
	}
	for (size_t v = 0; v < pattern->vertex_count; v++) {
		r->fits = r->fits && sets[v].known;
		GEMP_TRY(gemp_near_rows_add_vertices(&r->rows, sets[v].ids, sets[v].count));
	}
	return r->fits ? read_conditions(r, pattern, sets) : GEMP_OK;
}

static gemp_code copy_set(gemp_vertex_set *to, const gemp_vertex_set *from)
{
	*to = (gemp_vertex_set){ .known = from->known, .count = from->count };
	return GEMP_COPY(to->ids, from->ids, from->count);
}

/* Reads the pattern of EXISTS or COUNT. */
static gemp_code read_sub(reading *r, const gemp_pattern *pattern, const gemp_expr *expr, const gemp_vertex_set *sets)
{
	const gemp_pattern *sub = pattern->subs[expr->sub];
	GEMP_OWNED_BY(free_list) set_list inner = { 0 };
	for (size_t i = 0; i < sub->arguments; i++)
		GEMP_TRY(copy_set(&inner.sets[i], &sets[expr->children[i]->variable]));
	return read_pattern(r, sub, inner.sets);
}

/* Reads the rows that an expression asks for: of inner patterns, and for degrees. */
static gemp_code read_inner(reading *r, const gemp_pattern *pattern, const gemp_expr *expr, gemp_vertex_set *sets)
{
	if (!r->fits)
		return GEMP_OK;
	if (gemp_expr_is_subpattern(expr))
		return read_sub(r, pattern, expr, sets);
	if (expr->kind == GEMP_DEGREE) {
		gemp_vertex_set found;
		const gemp_code code = read_neighbours(r, expr->relations, expr->direction != 1, expr->direction != 0,
		                                       &sets[expr->variable], &found);
		gemp_free(found.ids);
		return code;
	}
	for (size_t i = 0; i < expr->count; i++)
		GEMP_TRY(read_inner(r, pattern, expr->children[i], sets));
	return GEMP_OK;
}

static bool reads_rows(const gemp_expr *expr)
{
	bool reads = gemp_expr_is_subpattern(expr) || expr->kind == GEMP_DEGREE;
	for (size_t i = 0; i < expr->count; i++)
		reads |= reads_rows(expr->children[i]);
	return reads;
}

static bool clause_reads_rows(const gemp_clause *clause)
{
	bool reads = clause->where && reads_rows(clause->where);
	for (size_t i = 0; i < clause->item_count; i++)
		reads |= reads_rows(clause->items[i].expr);
	return reads;
}

/* Reads OPTIONAL MATCH, whose new vertices follow those of the pattern in `sets`. */
static gemp_code read_optional(reading *r, const gemp_optional *optional, gemp_vertex_set *sets)
{
	const gemp_pattern *pattern = optional->pattern;
	GEMP_OWNED_BY(free_list) set_list inner = { 0 };
	for (size_t i = 0; i < pattern->arguments; i++)
		GEMP_TRY(copy_set(&inner.sets[i], &sets[optional->outer[i]]));
	GEMP_TRY(read_pattern(r, pattern, inner.sets));
	for (size_t v = pattern->arguments; v < pattern->vertex_count; v++) {
		sets[(size_t)optional->first_vertex + v - pattern->arguments] = inner.sets[v];
		inner.sets[v] = (gemp_vertex_set){ 0 };
	}
	return GEMP_OK;
}

/* Reads all rows of a query. Expressions after WITH use columns, not vertices of the pattern. */
static gemp_code read_query(reading *r, const gemp_pattern *pattern, gemp_vertex_set *sets)
{
	const gemp_clause *clause = gemp_pattern_first_clause(pattern);
	GEMP_TRY(read_pattern(r, pattern, sets));
	for (size_t i = 0; i < pattern->optional_count && r->fits; i++)
		GEMP_TRY(read_optional(r, &pattern->optionals[i], sets));
	for (size_t i = 0; i < clause->item_count && r->fits; i++)
		GEMP_TRY(read_inner(r, pattern, clause->items[i].expr, sets));
	const bool later = (clause->where && reads_rows(clause->where)) ||
	                   (clause != &pattern->result && clause_reads_rows(&pattern->result));
	r->fits = r->fits && !later;
	return GEMP_OK;
}

/* THE GRAPH */

/* Local, on rank 0. Finds the first vertices and reads the rows. */
static gemp_code read_all(reading *r, const gemp_pattern *pattern, gemp_text *how)
{
	GEMP_OWNED_BY(free_list) set_list list = { 0 };
	GEMP_TRY(gemp_anchors_find(r->graph, pattern, r->left, list.sets, how));
	for (size_t v = 0; v < pattern->vertex_count; v++)
		take(r, list.sets[v].count);
	GEMP_TRY(gemp_near_rows_init(&r->rows, r->graph));
	GEMP_TRY(read_query(r, pattern, list.sets));
	return how ? gemp_text_status(how) : GEMP_OK;
}

/* Local. The series of reads goes on until the graph is made. */
static gemp_code begin(reading *r, const gemp_pattern *pattern, gemp_text *how)
{
	bool same;
	GEMP_TRY(r->points->begin(r->points->self, &same));
	r->began = true;
	r->fits = same && gemp_anchors_may_exist(r->graph, pattern);
	return r->fits ? read_all(r, pattern, how) : GEMP_OK;
}

/* SAMPLES */

/* Whether every match in a part of the graph is a match in the graph: nothing asks for edges that are absent, or counts
 * edges. */
static bool is_positive(const gemp_pattern *pattern)
{
	const gemp_clause *clause = gemp_pattern_first_clause(pattern);
	bool reads = pattern->sub_count || pattern->optional_count || clause_reads_rows(clause) ||
	             clause_reads_rows(&pattern->result);
	for (size_t i = 0; i < pattern->condition_count; i++)
		reads |= reads_rows(pattern->conditions[i].expr);
	return !reads;
}

/* Local, on rank 0. Reads the rows of the pattern from some images of its first vertex, which are evenly spaced among
 * the ids. Ids are in random order, so these are random vertices. */
static gemp_code read_sample(reading *r, const gemp_pattern *pattern, uint64_t wanted, gemp_text *how)
{
	GEMP_OWNED_BY(free_list) set_list list = { 0 };
	gemp_vertex_set *first = &list.sets[0];
	const uint64_t vertices = r->graph->vertex_count, count = gemp_min(wanted, vertices);
	bool same;
	GEMP_TRY(r->points->begin(r->points->self, &same));
	r->began = true;
	r->fits = same;
	GEMP_TRY(GEMP_NEW(first->ids, count));
	for (uint64_t i = 0; i < count; i++)
		first->ids[i] = (gemp_vertex)(i * (vertices / count));
	first->count = count;
	first->known = true;
	take(r, count);
	GEMP_TRY(gemp_near_rows_init(&r->rows, r->graph));
	GEMP_TRY(read_pattern(r, pattern, list.sets));
	if (how)
		gemp_text_print(how, "  LIMIT: more matches than are wanted near %s\n", gemp_counted(count, "vertex").text);
	return how ? gemp_text_status(how) : GEMP_OK;
}

/* Whether the query could run on a part of the graph at all. All ranks decide alike. */
static bool is_suited(const gemp_runtime *context, const gemp_shard *graph, const gemp_pattern *pattern,
                      const gemp_match_options *options)
{
	const gemp_limits *limits = gemp_limits_now();
	return limits->indexes && limits->neighbourhood_entries && graph->loader.points && !pattern->simple &&
	       options->semantics != GEMP_INDUCED && options->place != GEMP_PLACE_DEVICE &&
	       !gemp_match_asks_for_device(options, &context->budgets) &&
	       gemp_pattern_row_vertices(pattern) <= GEMP_MAX_PATTERN_VERTICES;
}

static void free_reading(reading *r)
{
	gemp_near_rows_free(&r->rows);
}

/* Collective. *how, rank 0's text, gets the same additions on all ranks. */
static gemp_code describe(const gemp_comm *comm, const gemp_shard *made, const gemp_text *by, gemp_text *how)
{
	void *bytes = by->data;
	size_t size = by->size;
	GEMP_TRY(gemp_comm_broadcast(comm, &bytes, &size));
	gemp_text_add(how, bytes, size);
	gemp_text_print(how, "  neighbourhood: %s and %s, read row by row\n",
	                gemp_counted(made->vertex_count, "vertex").text, gemp_counted(gemp_shard_edges(made), "edge").text);
	if (comm->rank != 0)
		gemp_free(bytes);
	return gemp_comm_agree(comm, gemp_text_status(how));
}

/* Collective. sample: images of the first vertex; 0: all that the anchors give. */
static gemp_code new_part(gemp_shard **out, gemp_runtime *context, gemp_shard *graph, const gemp_pattern *pattern,
                          const gemp_match_options *options, uint64_t sample, gemp_text *how)
{
	const gemp_comm *comm = context->comm;
	GEMP_OWNED_BY(free_reading) reading r = { .graph = graph, .points = graph->loader.points };
	GEMP_OWNED_BY(gemp_text_free) gemp_text by = { 0 };
	const double began = gemp_now();
	gemp_code code = GEMP_OK;
	*out = NULL;
	if (!is_suited(context, graph, pattern, options))
		return GEMP_OK;
	r.left = gemp_limits_now()->neighbourhood_entries;
	if (comm->rank == 0)
		code = sample ? read_sample(&r, pattern, sample, how ? &by : NULL) : begin(&r, pattern, how ? &by : NULL);
	code = gemp_comm_agree(comm, code);
	uint64_t fits = r.fits;
	gemp_comm_max(comm, &fits, 1);
	if (fits)
		GEMP_THEN(gemp_neighbourhood_graph_new(out, comm, graph, &r.rows));
	if (r.began)
		r.points->end(r.points->self);
	if (code == GEMP_OK && fits && how)
		code = describe(comm, *out, &by, how);
	if (code != GEMP_OK) {
		gemp_shard_free(*out);
		*out = NULL;
	}
	gemp_timers_add(&context->timers, GEMP_PHASE_READ, began);
	return code;
}

gemp_code gemp_neighbourhood_new(gemp_shard **out, gemp_runtime *context, gemp_shard *graph,
                                 const gemp_pattern *pattern, const gemp_match_options *options, gemp_text *how)
{
	return new_part(out, context, graph, pattern, options, 0, how);
}

/* A graph with few edges is searched as fast as its neighbourhoods are read. */
gemp_code gemp_neighbourhood_sample(gemp_shard **out, gemp_runtime *context, gemp_shard *graph,
                                    const gemp_pattern *pattern, const gemp_match_options *options, uint64_t vertices,
                                    gemp_text *how)
{
	enum { EDGES = 8 }; /* for each entry that may be read */
	*out = NULL;
	if (!is_positive(pattern) || gemp_shard_edges(graph) / EDGES < gemp_limits_now()->neighbourhood_entries)
		return GEMP_OK;
	return new_part(out, context, graph, pattern, options, vertices, how);
}
