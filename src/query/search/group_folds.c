#include "query/search/group_folds.h"

#include "core/limits.h"
#include "core/node_memory.h"
#include "core/threads.h"
#include "match/groups/value_classes.h"
#include "match/match_host.h"
#include "query/rows/frame.h"
#include "query/search/fold_cost.h"

struct gemp_group_folds {
	gemp_fold_source source;
	const gemp_match_options *options;
	gemp_fold_request request;
	int root;          /* pattern vertex: the key, or one that is counted */
	uint64_t *numbers; /* [graph->rows] matches by the image of the root */
	uint64_t matches;  /* of all ranks */
	gemp_fold_table tables[GEMP_FOLD_ARGUMENTS];
	uint64_t *distinct_rows;               /* [graph->rows] NULL: matches are rows */
	gemp_value_classes classes;            /* of the root's images, if their values are the groups */
	size_t groups;                         /* of all ranks; 0: each image of the root is a group */
	uint64_t *counts[GEMP_FOLD_ARGUMENTS]; /* [groups] distinct vertices; NULL: there are none, or they are in tables */
	uint64_t *sums;                        /* [1 + 2 * arguments][groups] numbers, values and times of all ranks */
	gemp_folded_groups rows;
};

/* DECIDING */

/* Local. False if an option says how to search, or asks for more than matches. */
static bool are_possible(const gemp_match_options *o, const gemp_budgets *budgets)
{
	const bool rows = o->listed && o->distinct == GEMP_BY_NOTHING && o->limit == UINT64_MAX && !o->edges;
	const bool plain = !o->count_parts && !o->count_per && !o->profile && !o->sampled && !o->in_parts && !o->first_only;
	const bool free_search = o->count_by_formula && !o->symmetry_by_hash && !o->pivot_off && !o->order_count &&
	                         o->attributes == GEMP_CONDITIONS_AUTO && !gemp_match_asks_for_device(o, budgets);
	return rows && plain && free_search && o->semantics != GEMP_INDUCED && o->place != GEMP_PLACE_DEVICE;
}

/* Collective. The tables of all vertices and of arguments, and rows that are as many. */
static bool fits_memory(const gemp_group_folds *f)
{
	enum { ARGUMENT = 5, OTHERS = 8, SMALL = 1 << 28 }; /* tables, tables, bytes */
	const gemp_runtime *context = f->source.context;
	const size_t tables = f->source.pattern->vertex_count + ARGUMENT * f->request.count + OTHERS;
	const uint64_t bytes = f->source.graph->vertex_count * tables * sizeof(uint64_t);
	if (context->budgets.host_memory || bytes <= SMALL)
		return gemp_pattern_tables_fit(context, f->source.graph, tables);
	return gemp_comm_sum1(context->comm, bytes > gemp_memory_available() / 2 / (uint64_t)context->comm->node_size) == 0;
}

/* Local, and equal on all ranks. */
static bool is_possible(gemp_group_folds *f)
{
	const gemp_pattern *pattern = f->source.pattern;
	gemp_tree_vertex tree[GEMP_MAX_PATTERN_VERTICES];
	int at[GEMP_MAX_PATTERN_VERTICES];
	return gemp_limits_now()->group_folds && are_possible(f->options, &f->source.context->budgets) &&
	       !pattern->arguments && !pattern->simple && !gemp_pattern_has_paths(pattern) &&
	       gemp_pattern_has_vertex_conditions(pattern) && gemp_fold_request_find(&f->request, pattern) &&
	       gemp_pattern_tree(pattern, 0, tree, at);
}

/* A vertex whose distinct images are counted is the root if nothing else decides, since its table counts them. */
static int find_root(const gemp_fold_request *request)
{
	int root = request->key;
	for (size_t i = 0; i < request->count && root < 0; i++)
		if (request->arguments[i].distinct)
			root = request->arguments[i].vertex;
	for (size_t i = 0; i < request->count && root < 0; i++)
		root = request->arguments[i].vertex;
	return root < 0 ? 0 : root;
}

/* Collective. */
static gemp_code find_candidates(gemp_group_folds *f)
{
	const gemp_fold_source *s = &f->source;
	const size_t count = s->pattern->condition_count;
	GEMP_OWNED const gemp_condition **conditions = NULL;
	gemp_code code = GEMP_OK;
	GEMP_TRY(gemp_comm_agree(s->context->comm, GEMP_NEW(conditions, count)));
	for (size_t i = 0; i < count; i++)
		conditions[i] = &s->pattern->conditions[i];
	GEMP_TRY(gemp_pattern_candidates(&f->source.candidates, s->context, s->graph, s->pattern, f->options->semantics,
	                                 conditions, count));
	for (size_t i = 0; i < f->options->among_count; i++)
		GEMP_THEN(gemp_candidates_limit(&f->source.candidates, f->options->among[i].vertex, f->options->among[i].bits));
	return gemp_comm_agree(s->context->comm, code);
}

/* True if the images of `vertex` are counted in groups of values, or of vertices. */
static bool counts_in_groups(const gemp_group_folds *f, const gemp_fold_argument *argument)
{
	return argument->distinct && argument->vertex != f->root;
}

/* False if distinct vertices are counted, and the clause puts several of the groups together, which may have some of
 * the vertices in common. by_value: values of an attribute are groups. */
static bool may_count_distinct(const gemp_group_folds *f, bool by_value)
{
	const gemp_fold_request *request = &f->request;
	bool may = request->key < 0 || request->whole || (request->by_value && by_value);
	for (size_t i = 0; i < request->count && !may; i++)
		if (counts_in_groups(f, &request->arguments[i]))
			return false;
	return true;
}

/* The cost of the tables of all arguments. */
static double tables_cost(const gemp_group_folds *f)
{
	const gemp_fold_source *s = &f->source;
	double cost = 0;
	for (size_t i = 0; i < f->request.count; i++) {
		const gemp_fold_argument *argument = &f->request.arguments[i];
		double passes = argument->vertex >= 0;
		if (counts_in_groups(f, argument))
			passes = (double)(f->groups ? gemp_fold_unit_passes(f->groups)
			                            : gemp_fold_vertex_passes(s, f->root, argument->vertex));
		if (passes > 0)
			cost += passes * gemp_fold_path_cost(s, argument->vertex, f->root);
	}
	if (f->request.other >= 0)
		cost += (double)gemp_fold_vertex_passes(s, f->root, f->request.other) *
		        gemp_fold_path_cost(s, f->request.other, f->root);
	return cost;
}

/* TABLES */

/* Collective. Counts the matches. *fits becomes false if they may exceed 63 bits. */
static gemp_code count_matches(gemp_group_folds *f, bool *fits)
{
	const gemp_comm *comm = f->source.context->comm;
	GEMP_TRY(gemp_fold_matches(&f->numbers, &f->source, f->root));
	const unsigned __int128 own = gemp_vertex_table_sum(f->numbers, f->source.graph->rows);
	*fits = gemp_comm_sum1(comm, own > (uint64_t)(INT64_MAX / comm->size)) == 0;
	f->matches = *fits ? gemp_comm_sum1(comm, (uint64_t)own) : 0;
	return GEMP_OK;
}

/* Collective. *fits becomes false if distinct vertices cannot be counted, since the values are too many for groups. */
static gemp_code find_groups(gemp_group_folds *f, bool *fits)
{
	const gemp_fold_request *request = &f->request;
	f->groups = request->key < 0;
	if (request->attribute && !request->whole) {
		GEMP_TRY(gemp_value_classes_new(&f->classes, f->source.context, f->source.graph, (size_t)request->attribute - 1,
		                                f->source.candidates.bits[f->root]));
		f->groups = f->classes.of ? f->classes.count : 0;
	}
	*fits = f->groups || may_count_distinct(f, false);
	return GEMP_OK;
}

/* The group of an own vertex. */
static size_t group_of(const gemp_group_folds *f, size_t v)
{
	return f->classes.of ? f->classes.of[f->source.graph->first_vertex + v] : 0;
}

/* Collective. The distinct images of a vertex in each group. */
static gemp_code count_distinct(gemp_group_folds *f, size_t i)
{
	const gemp_fold_source *s = &f->source;
	const int vertex = f->request.arguments[i].vertex;
	GEMP_OWNED uint32_t *unit = NULL;
	if (vertex != f->root && !f->groups)
		return gemp_fold_distinct_by_vertex(&f->tables[i].times, s, f->root, vertex, f->numbers);
	gemp_code code = vertex == f->root ? GEMP_NEW(f->tables[i].times, s->graph->rows) : GEMP_NEW(unit, s->graph->rows);
	GEMP_TRY(gemp_comm_agree(s->context->comm, code));
	for (size_t v = 0; v < s->graph->rows; v++)
		if (vertex == f->root)
			f->tables[i].times[v] = f->numbers[v] > 0;
		else
			unit[v] = (uint32_t)group_of(f, v);
	return vertex == f->root
	           ? GEMP_OK
	           : gemp_fold_distinct_in_units(&f->counts[i], s, f->root, vertex, f->numbers, unit, f->groups);
}

/* Collective. *fits becomes false if a number may exceed 64 bits. */
static gemp_code make_tables(gemp_group_folds *f, bool *fits)
{
	const gemp_fold_request *request = &f->request;
	if (request->other >= 0)
		return gemp_fold_distinct_by_vertex(&f->distinct_rows, &f->source, f->root, request->other, f->numbers);
	for (size_t i = 0; i < request->count && *fits; i++) {
		const gemp_fold_argument *argument = &request->arguments[i];
		if (argument->distinct)
			GEMP_TRY(count_distinct(f, i));
		else if (argument->vertex >= 0)
			GEMP_TRY(gemp_fold_argument_table(&f->tables[i], &f->source, f->root, argument, f->matches, fits));
	}
	return GEMP_OK;
}

/* GROUPS */

static bool is_extreme(const gemp_fold_argument *argument)
{
	return argument->kind == GEMP_MIN || argument->kind == GEMP_MAX;
}

/* Adds the numbers of some own vertices to their groups. */
typedef struct sum_task {
	const gemp_group_folds *f;
	size_t chunks, size; /* size: of sums[] */
	uint64_t *parts;     /* [chunks][size] */
} sum_task;

static void add_column(const gemp_group_folds *f, uint64_t *sums, const uint64_t *column, bool extreme, size_t begin,
                       size_t end)
{
	for (size_t v = begin; v < end && column; v++) {
		if (!f->numbers[v])
			continue;
		uint64_t *sum = &sums[group_of(f, v)];
		*sum = extreme ? gemp_max(*sum, column[v]) : *sum + column[v];
	}
}

static void add_chunk(void *context, unsigned thread, size_t chunk)
{
	const sum_task *t = context;
	const gemp_group_folds *f = t->f;
	const size_t rows = f->source.graph->rows;
	const size_t begin = gemp_chunk_begin(rows, t->chunks, chunk), end = gemp_chunk_begin(rows, t->chunks, chunk + 1);
	uint64_t *sums = t->parts + chunk * t->size;
	(void)thread;
	add_column(f, sums, f->numbers, false, begin, end);
	for (size_t i = 0; i < f->request.count; i++) {
		add_column(f, sums + (1 + 2 * i) * f->groups, f->tables[i].values, is_extreme(&f->request.arguments[i]), begin,
		           end);
		add_column(f, sums + (2 + 2 * i) * f->groups, f->tables[i].times, false, begin, end);
	}
}

static void merge_sums(const gemp_group_folds *f, uint64_t *sums, const uint64_t *from, size_t column)
{
	const bool extreme = column % 2 && is_extreme(&f->request.arguments[column / 2]);
	for (size_t g = column * f->groups; g < (column + 1) * f->groups; g++)
		sums[g] = extreme ? gemp_max(sums[g], from[g]) : sums[g] + from[g];
}

/* Collective. The numbers of groups of all ranks. Each thread has an array of its own, if groups are few beside the
 * vertices. */
static gemp_code sum_groups(gemp_group_folds *f)
{
	const gemp_comm *comm = f->source.context->comm;
	const size_t columns = 1 + 2 * f->request.count, most = f->source.graph->rows / (f->groups + 1) / columns;
	sum_task t = { .f = f, .chunks = gemp_max(1, gemp_min(most, gemp_threads())), .size = columns * f->groups };
	GEMP_OWNED uint64_t *parts = NULL;
	GEMP_TRY(gemp_comm_agree(comm, GEMP_NEW(parts, t.chunks * t.size)));
	t.parts = parts;
	gemp_parallel_for(t.chunks, add_chunk, &t);
	for (size_t column = 0; column < columns; column++) {
		uint64_t *sums = parts + column * f->groups;
		for (size_t chunk = 1; chunk < t.chunks; chunk++)
			merge_sums(f, parts, parts + chunk * t.size, column);
		if (column % 2 && is_extreme(&f->request.arguments[column / 2]))
			gemp_comm_max_long(comm, sums, f->groups);
		else
			gemp_comm_sum_long(comm, sums, f->groups);
	}
	f->sums = parts;
	parts = NULL;
	return GEMP_OK;
}

/* ROWS */

/* The numbers from which rows are made, by group or by own vertex. */
typedef struct row_source {
	size_t begin, end;
	const uint64_t *numbers; /* 0: no row */
	const uint64_t *times;
	const uint64_t *values[GEMP_FOLD_ARGUMENTS], *value_times[GEMP_FOLD_ARGUMENTS]; /* NULL: there are none */
} row_source;

/* A rank has the rows of a part of the groups, or of its own vertices. */
static row_source find_source(const gemp_group_folds *f)
{
	const gemp_block_range block = gemp_comm_block(f->source.context->comm, f->groups);
	row_source from = { .end = f->source.graph->rows, .numbers = f->numbers };
	if (f->groups) {
		from.begin = block.begin;
		from.end = block.end;
		from.numbers = f->sums;
	}
	from.times = f->distinct_rows ? f->distinct_rows : from.numbers;
	for (size_t i = 0; i < f->request.count; i++) {
		const gemp_fold_table *table = &f->tables[i];
		from.values[i] = !table->values ? NULL : f->groups ? f->sums + (1 + 2 * i) * f->groups : table->values;
		from.value_times[i] = f->counts[i]    ? f->counts[i]
		                      : !table->times ? NULL
		                      : f->groups     ? f->sums + (2 + 2 * i) * f->groups
		                                      : table->times;
	}
	return from;
}

/* The value of a row, and in *times the number of values. */
static gemp_value value_of(const gemp_fold_argument *argument, gemp_type type, uint64_t bits, uint64_t *times)
{
	gemp_value value = { .type = type };
	if (is_extreme(argument)) {
		*times = bits != 0;
		value = bits ? gemp_order_value(type, argument->kind == GEMP_MIN ? ~bits : bits) : value;
		value.null = !bits;
	} else {
		value.integer = (int64_t)bits;
	}
	return value;
}

static gemp_type type_of(const gemp_group_folds *f, const gemp_fold_argument *argument)
{
	const gemp_shard *graph = f->source.graph;
	if (!is_extreme(argument))
		return GEMP_INTEGER;
	return argument->expr->kind == GEMP_KEY ? graph->keys.type
	                                        : graph->attributes.columns[argument->expr->attribute].type;
}

static gemp_code add_argument(const gemp_group_folds *f, gemp_folded_argument *out, const row_source *from, size_t i)
{
	const gemp_fold_argument *argument = &f->request.arguments[i];
	const gemp_type type = type_of(f, argument);
	const size_t rows = f->rows.rows;
	GEMP_TRY(GEMP_NEW(out->times, rows));
	GEMP_TRY(gemp_column_init(&out->values, "", type));
	GEMP_TRY(gemp_column_reserve(&out->values, rows, 0));
	for (size_t at = from->begin, row = 0; at < from->end; at++) {
		if (!from->numbers[at])
			continue;
		out->times[row] = from->value_times[i] ? from->value_times[i][at] : from->numbers[at];
		const gemp_value value = value_of(argument, type, from->values[i] ? from->values[i][at] : 0, &out->times[row]);
		GEMP_TRY(gemp_column_add(&out->values, &value));
		row++;
	}
	return GEMP_OK;
}

static gemp_code make_rows(gemp_group_folds *f)
{
	gemp_folded_groups *out = &f->rows;
	const row_source from = find_source(f);
	for (size_t at = from.begin; at < from.end; at++)
		out->rows += from.numbers[at] > 0;
	GEMP_TRY(gemp_new_all(GEMP_ARRAY(out->vertices, out->rows), GEMP_ARRAY(out->times, out->rows),
	                      GEMP_ARRAY(out->arguments, f->request.count)));
	for (size_t at = from.begin, row = 0; at < from.end; at++) {
		if (!from.numbers[at])
			continue;
		out->vertices[row] = f->classes.of ? f->classes.first[at]
		                     : f->groups   ? 0
		                                   : (gemp_vertex)(f->source.graph->first_vertex + at);
		out->times[row++] = from.times[at];
	}
	for (; out->argument_count < f->request.count; out->argument_count++)
		GEMP_TRY(add_argument(f, &out->arguments[out->argument_count], &from, out->argument_count));
	return GEMP_OK;
}

/* THE WHOLE */

static void free_tables(gemp_group_folds *f)
{
	gemp_free_all(f->numbers, f->distinct_rows, f->sums);
	f->numbers = f->distinct_rows = f->sums = NULL;
	for (size_t i = 0; i < GEMP_FOLD_ARGUMENTS; i++) {
		gemp_fold_table_free(&f->tables[i]);
		gemp_free(f->counts[i]);
		f->counts[i] = NULL;
	}
	gemp_value_classes_free(&f->classes);
	gemp_candidates_free(&f->source.candidates);
}

/* Collective. *fits becomes false if the groups are not to be folded. */
static gemp_code fold(gemp_group_folds *f, bool *fits)
{
	double matches, cost;
	GEMP_TRY(find_candidates(f));
	*fits = gemp_pattern_differs_by_candidates(f->source.pattern, &f->source.candidates, f->options->semantics);
	if (!*fits)
		return GEMP_OK;
	GEMP_TRY(gemp_fold_estimate(&f->source, f->root, &matches, &cost));
	*fits = gemp_fold_pays(&f->source, f->options->place, matches, cost);
	f->source.implied = f->options->among_count ? 0 : gemp_pattern_implied_vertices(f->source.pattern, f->source.graph);
	if (!*fits || f->options->explained)
		return GEMP_OK;
	GEMP_TRY(count_matches(f, fits));
	if (*fits)
		GEMP_TRY(find_groups(f, fits));
	*fits = *fits && gemp_fold_pays(&f->source, f->options->place, (double)f->matches, tables_cost(f));
	if (*fits)
		GEMP_TRY(make_tables(f, fits));
	if (!*fits)
		return GEMP_OK;
	if (f->groups)
		GEMP_TRY(sum_groups(f));
	return gemp_comm_agree(f->source.context->comm, make_rows(f));
}

gemp_code gemp_group_folds_new(gemp_group_folds **out, gemp_runtime *context, gemp_shard *graph,
                               const gemp_pattern *pattern, const gemp_match_options *options)
{
	GEMP_OWNED_BY(gemp_group_folds_free_at) gemp_group_folds *f = NULL;
	const double began = gemp_now(), before = gemp_timers_sum(&context->timers);
	bool fits;
	*out = NULL;
	GEMP_TRY(gemp_comm_agree(context->comm, GEMP_NEW(f, 1)));
	f->source = (gemp_fold_source){ .context = context, .graph = graph, .pattern = pattern };
	f->options = options;
	if (!is_possible(f) || !fits_memory(f))
		return GEMP_OK;
	f->root = find_root(&f->request);
	f->rows.distinct = f->request.other >= 0;
	if (!may_count_distinct(f, true))
		return GEMP_OK;
	const gemp_code code = fold(f, &fits);
	free_tables(f);
	gemp_timers_add_rest(&context->timers, GEMP_PHASE_KERNEL, began, before);
	if (code == GEMP_EDATA) /* a number exceeds 64 bits */
		return GEMP_OK;
	GEMP_TRY(code);
	if (fits) {
		*out = f;
		f = NULL;
	}
	return GEMP_OK;
}

void gemp_group_folds_free(gemp_group_folds *f)
{
	if (!f)
		return;
	free_tables(f);
	for (size_t i = 0; f->rows.arguments && i < f->request.count; i++) {
		gemp_column_free(&f->rows.arguments[i].values);
		gemp_free(f->rows.arguments[i].times);
	}
	gemp_free_all(f->rows.vertices, f->rows.times, f->rows.arguments, f);
}

const gemp_folded_groups *gemp_group_folds_rows(const gemp_group_folds *f)
{
	return &f->rows;
}

uint64_t gemp_group_folds_matches(const gemp_group_folds *f)
{
	return f->matches;
}

void gemp_group_folds_explain(const gemp_group_folds *f, gemp_text *out)
{
	const gemp_pattern *pattern = f->source.pattern;
	const char *name = gemp_pattern_row_name(pattern, f->root, false);
	gemp_tree_vertex tree[GEMP_MAX_PATTERN_VERTICES];
	int at[GEMP_MAX_PATTERN_VERTICES];
	gemp_text_print(out, "groups folded by the image of (%s), along the edges of the pattern, without enumerating\n",
	                name ? name : "");
	gemp_pattern_tree(pattern, f->root, tree, at);
	for (size_t v = 1; v < pattern->vertex_count; v++)
		gemp_view_index_print(f->source.graph, &tree[v].key, out);
	gemp_text_print(out, "on the host\n");
}
