/* layout_build: makes a layout in the steps of layout_state.h. Every weight is checked once before any edge is sent.
 * All ranks report the first invalid weight alike, with the keys of its edge's ends. The wanted kind of weights and,
 * for integer lengths, the largest length decide the type in which weights are stored. */

#include "analytics/layout/device_layout.h"
#include "analytics/layout/layout_state.h"

#include "core/log.h"
#include "core/memory.h"
#include "core/search.h"
#include "core/threads.h"
#include "core/timer.h"

#include <assert.h>
#include <float.h>
#include <math.h>

/* Selects the types of edges, and the directions in which their edges lead. */
static gemp_code choose_types(gemp_layout_state *state, const gemp_layout_options *options)
{
	const gemp_shard *graph = state->graph;
	state->out->symmetric = true;
	GEMP_TRY(GEMP_NEW(state->types, graph->relation_count));
	for (size_t k = 0; k < graph->relation_count; k++) {
		const gemp_relation *relation = &graph->relations[k];
		if (options->relations && !options->relations[k])
			continue;
		bool both = !relation->directed || options->direction == GEMP_EITHER_WAY;
		state->types[state->type_count++] = (gemp_layout_type){ .relation = relation,
			                                                    .forward = both || options->direction == GEMP_ALONG,
			                                                    .backward = both ||
			                                                                options->direction == GEMP_AGAINST };
		state->out->symmetric &= both;
	}
	return GEMP_OK;
}

/* Are these parts of the rows of all edge types loaded, or can they be loaded? */
static bool has_in(const gemp_layout_state *state, unsigned parts)
{
	bool has = true;
	for (size_t t = 0; t < state->type_count; t++)
		has &= state->graph->loader.load_relation || (state->types[t].relation->loaded & parts) == parts;
	return has;
}

/* Ranks request weights by numbers of 32 bits (list_weights.c). */
static bool has_narrow_edges(const gemp_layout_state *state)
{
	for (size_t t = 0; t < state->type_count; t++)
		if (state->types[t].relation->edge_count > UINT32_MAX)
			return false;
	return true;
}

/* Is the layout made from rows by target? A layout is made faster from both kinds of rows than from one, and several
 * ranks then need not send edges. */
static void choose_rows(gemp_layout_state *state, bool weighted)
{
	state->listed = state->type_count > 0 && state->out->grid.columns == 1 &&
	                has_in(state, GEMP_LOAD_IN | (weighted ? GEMP_LOAD_IN_EDGES : 0u)) &&
	                (!weighted || state->comm->size == 1 || has_narrow_edges(state));
}

/* Collective. Loads rows by source, with weights. Rows by target are loaded if the layout is made from them, and for
 * the degrees of edges that lead against their direction. */
static gemp_code load(gemp_layout_state *state, gemp_shard *graph, const char *weight)
{
	choose_rows(state, weight != NULL);
	GEMP_TRY(gemp_shard_load_keys(graph));
	for (size_t t = 0; t < state->type_count; t++) {
		gemp_layout_type *type = &state->types[t];
		unsigned parts = GEMP_LOAD_OUT | (weight ? GEMP_LOAD_PROPS : 0u);
		type->merged = state->listed && !weight && type->relation->merged && type->forward && type->backward;
		if (state->listed || (type->backward && !state->out->symmetric))
			parts |= GEMP_LOAD_IN;
		if (state->listed && type->forward && weight)
			parts |= GEMP_LOAD_IN_EDGES;
		if (type->merged)
			parts = GEMP_LOAD_EITHER;
		GEMP_TRY(gemp_shard_load_relation(graph, (size_t)(type->relation - graph->relations), parts));
	}
	return GEMP_OK;
}

static void state_free(gemp_layout_state *state)
{
	for (size_t l = 0; state->in_weights && l < state->list_count; l++)
		gemp_free(state->in_weights[l]);
	gemp_free_all(state->types, state->in_lists, state->out_lists, state->in_weights, state->arcs.word,
	              state->arcs.begin, state->from_own, state->from_ghost, state->ghost_local, state->in_counts,
	              state->row);
	gemp_rank_bitmap_free(&state->ghosts);
}

static void free_rows(gemp_layout_rows *rows)
{
	gemp_free_all(rows->begin, rows->end, rows->weight);
	*rows = (gemp_layout_rows){ 0 };
}

/* The number of columns is the largest divisor of `ranks` up to its square root. */
gemp_layout_grid gemp_layout_grid_of(int ranks)
{
	int columns = 1;
	for (int c = 1; c <= ranks / c; c++)
		columns = ranks % c == 0 ? c : columns;
	return (gemp_layout_grid){ ranks / columns, columns };
}

/* Sets the range of ids to which this rank's arcs lead. The ranks of its row of the grid own these ids. */
static void place_in_grid(gemp_layout_state *state, gemp_layout_cut cut)
{
	const gemp_shard *graph = state->graph;
	gemp_layout_grid grid = cut == GEMP_LAYOUT_ON_GRID ? gemp_layout_grid_of(state->comm->size)
	                                                   : (gemp_layout_grid){ state->comm->size, 1 };
	int first = state->comm->rank - state->comm->rank % grid.columns;
	state->out->grid = grid;
	state->first = graph->bounds[first];
	state->targets = graph->bounds[first + grid.columns] - state->first;
}

/* Ends a step of make(), which began at *since, and reports which of the five steps is next. The steps take different
 * times. */
static void end_step(const char *name, unsigned next, double *since)
{
	gemp_trace_add(name, GEMP_LANE_HOST, *since);
	*since = gemp_now();
	gemp_progress("laying out", next, 5, 0);
}

/* WEIGHTS */

/* Statistics of the weights of some edges. */
typedef struct weight_stats {
	double min, max, sum;
	int64_t max_integer;
	uint64_t edges, invalid; /* invalid: the first edge without a valid weight; UINT64_MAX: all are valid */
} weight_stats;

/* A valid weight is at least `min`, and its magnitude is 0 or in [min_magnitude, max]. */
typedef struct weight_range {
	double min, min_magnitude, max;
} weight_range;

static const weight_stats no_weights = { INFINITY, -INFINITY, 0, INT64_MIN, 0, UINT64_MAX };

static void merge_stats(weight_stats *a, const weight_stats *b)
{
	a->min = b->min < a->min ? b->min : a->min;
	a->max = b->max > a->max ? b->max : a->max;
	a->max_integer = b->max_integer > a->max_integer ? b->max_integer : a->max_integer;
	a->sum += b->sum;
	a->edges += b->edges;
	a->invalid = b->invalid < a->invalid ? b->invalid : a->invalid;
}

enum { CHUNK = 1 << 16 };

typedef struct scan_task {
	const gemp_column *column;
	weight_range weight_range;
	weight_stats *chunks; /* [chunks] statistics of each chunk of CHUNK edges */
} scan_task;

/* In single precision min_magnitude excludes subnormal numbers. */
static bool in_range(weight_range r, double weight)
{
	return weight >= r.min && weight <= r.max && (weight == 0 || fabs(weight) >= r.min_magnitude);
}

/* Stops at the first invalid weight, since the following weights of the chunk cannot matter. */
static void scan_chunk(void *context, size_t chunk, size_t begin, size_t end)
{
	const scan_task *scan = context;
	const gemp_column *column = scan->column;
	weight_stats stats = no_weights;
	stats.edges = end - begin;
	for (size_t edge = begin; edge < end; edge++) {
		double weight = column->integers ? (double)column->integers[edge] : column->floats[edge];
		if ((column->null && column->null[edge]) || !in_range(scan->weight_range, weight)) {
			stats.invalid = edge;
			break;
		}
		stats.min = weight < stats.min ? weight : stats.min;
		stats.max = weight > stats.max ? weight : stats.max;
		stats.sum += weight;
		if (column->integers && column->integers[edge] > stats.max_integer)
			stats.max_integer = column->integers[edge];
	}
	scan->chunks[chunk] = stats;
}

/* Edges that lead both ways count twice in the sum, even loops, since the sum is for averages. Chunks have a fixed size
 * and are merged in their order, so the sum is the same for any number of threads. */
static gemp_code scan_column(const gemp_layout_type *type, weight_range weight_range, weight_stats *out)
{
	GEMP_OWNED weight_stats *stats = NULL;
	size_t rows = type->weight->rows, chunks = (rows + CHUNK - 1) / CHUNK;
	*out = no_weights;
	GEMP_TRY(GEMP_NEW(stats, chunks));
	gemp_for_chunks(rows, CHUNK, scan_chunk, &(scan_task){ type->weight, weight_range, stats });
	for (size_t c = 0; c < chunks; c++)
		merge_stats(out, &stats[c]);
	out->sum *= type->forward && type->backward ? 2 : 1;
	return GEMP_OK;
}

/* Local. All ranks have the same columns, so either all ranks fail or none fails. */
static gemp_code find_columns(gemp_layout_state *state, const char *name)
{
	for (size_t t = 0; t < state->type_count; t++) {
		gemp_layout_type *type = &state->types[t];
		type->weight = gemp_table_find(&type->relation->props, name);
		if (!type->weight)
			return gemp_fail(GEMP_EDATA,
			                 "edges of type '%s' have no attribute '%s' to be their weight; "
			                 "choose types that have it",
			                 type->relation->name, name);
		if (type->weight->type != GEMP_INTEGER && type->weight->type != GEMP_FLOAT)
			return gemp_fail(GEMP_EDATA, "attribute '%s' of edges of type '%s' is a %s; weights are numbers", name,
			                 type->relation->name, gemp_type_name[type->weight->type]);
	}
	return GEMP_OK;
}

static weight_range valid_range(const gemp_layout_options *options)
{
	const bool lengths = options->wanted == GEMP_LAYOUT_LENGTHS;
	const bool single = options->wanted == GEMP_LAYOUT_SINGLE;
	const double max = single ? FLT_MAX : DBL_MAX;
	return (weight_range){ lengths || options->not_negative ? 0 : -max, single ? FLT_MIN : 0, max };
}

/* The end of the message about an invalid weight: the rule that the weight breaks, and the remedy. */
static const char *remedy(double weight, weight_range weight_range)
{
	if (!isfinite(weight))
		return "weights are finite numbers";
	if (weight < 0 && weight_range.min == 0)
		return "weights are not negative here; choose types of edges without such ones, or change it";
	return "single precision reaches from 1.2e-38 to 3.4e38; give --precision double, or scale weights";
}

/* Collective. Only failed_rank has the edge, so it sends the edge to all ranks. The message names the edge by the keys
 * of its ends, which other ranks may own. */
static gemp_code report_invalid(const gemp_layout_state *state, int failed_rank, size_t number, uint64_t edge,
                                weight_range weight_range)
{
	const gemp_layout_type *type = &state->types[number];
	struct {
		uint64_t source, target, null;
		double weight;
	} at = { 0 };
	char source[256], target[256];
	if (state->comm->rank == failed_rank) {
		const gemp_column *column = type->weight;
		at.source = state->graph->first_vertex + gemp_range_find(type->relation->out_offsets, state->graph->rows, edge);
		at.target = type->relation->out_targets[edge];
		at.null = column->null && column->null[edge];
		at.weight = column->integers ? (double)column->integers[edge] : column->floats[edge];
	}
	GEMP_MPI(MPI_Bcast(&at, sizeof at, MPI_BYTE, failed_rank, state->comm->world));
	GEMP_TRY(gemp_layout_print_key(state->comm, state->graph, at.source, source, sizeof source));
	GEMP_TRY(gemp_layout_print_key(state->comm, state->graph, at.target, target, sizeof target));
	if (at.null)
		return gemp_fail(GEMP_EDATA,
		                 "the edge from '%s' to '%s' of type '%s' has no '%s'; give it one, or choose other types",
		                 source, target, type->relation->name, type->weight->name);
	return gemp_fail(GEMP_EDATA, "the edge from '%s' to '%s' of type '%s' has '%s' %g; %s", source, target,
	                 type->relation->name, type->weight->name, at.weight, remedy(at.weight, weight_range));
}

/* Collective. Merges the statistics of all ranks. */
static void merge_ranks(const gemp_comm *comm, weight_stats *e)
{
	int64_t max = e->max_integer;
	GEMP_MPI(MPI_Allreduce(MPI_IN_PLACE, &e->min, 1, MPI_DOUBLE, MPI_MIN, comm->world));
	GEMP_MPI(MPI_Allreduce(MPI_IN_PLACE, &e->max, 1, MPI_DOUBLE, MPI_MAX, comm->world));
	GEMP_MPI(MPI_Allreduce(MPI_IN_PLACE, &e->sum, 1, MPI_DOUBLE, MPI_SUM, comm->world));
	GEMP_MPI(MPI_Allreduce(MPI_IN_PLACE, &max, 1, MPI_INT64_T, MPI_MAX, comm->world));
	e->max_integer = max;
	e->edges = gemp_comm_sum1(comm, e->edges);
}

/* Lengths are stored as the narrowest integers that hold all lengths, since a search reads a length with every edge. */
static gemp_layout_weights choose_weights(const gemp_layout_state *state, gemp_layout_weight_kind wanted,
                                          const weight_stats *e)
{
	if (wanted != GEMP_LAYOUT_LENGTHS)
		return wanted == GEMP_LAYOUT_SINGLE ? GEMP_LAYOUT_F32 : GEMP_LAYOUT_F64;
	for (size_t t = 0; t < state->type_count; t++)
		if (state->types[t].weight->type == GEMP_FLOAT)
			return GEMP_LAYOUT_F64;
	if (e->max_integer > (int64_t)UINT32_MAX)
		return GEMP_LAYOUT_U64;
	return e->max_integer > UINT16_MAX  ? GEMP_LAYOUT_U32
	       : e->max_integer > UINT8_MAX ? GEMP_LAYOUT_U16
	                                    : GEMP_LAYOUT_U8;
}

/* Collective. Finds the column of each type, chooses the type of stored weights, and sets the layout's smallest and
 * largest weight and the sum. If several ranks have an invalid weight, the lowest rank reports its weight. */
static gemp_code make_weights(gemp_layout_state *state, const gemp_layout_options *options)
{
	gemp_layout *out = state->out;
	weight_stats all = no_weights;
	const weight_range weight_range = valid_range(options);
	if (!options->weight)
		return GEMP_OK;
	GEMP_TRY(find_columns(state, options->weight));
	for (size_t t = 0; t < state->type_count; t++) {
		weight_stats e;
		GEMP_TRY(gemp_comm_agree(state->comm, scan_column(&state->types[t], weight_range, &e)));
		uint64_t failed_rank = e.invalid == UINT64_MAX ? (uint64_t)state->comm->size : (uint64_t)state->comm->rank;
		GEMP_MPI(MPI_Allreduce(MPI_IN_PLACE, &failed_rank, 1, MPI_UINT64_T, MPI_MIN, state->comm->world));
		if (failed_rank < (uint64_t)state->comm->size)
			GEMP_TRY(report_invalid(state, (int)failed_rank, t, e.invalid, weight_range));
		merge_stats(&all, &e);
	}
	merge_ranks(state->comm, &all);
	out->weights = choose_weights(state, options->wanted, &all);
	if (all.edges) {
		out->min_weight = all.min;
		out->max_weight = all.max;
		out->weight_sum = all.sum;
		out->max_integer = all.max_integer > 0 ? (uint64_t)all.max_integer : 0;
	}
	return GEMP_OK;
}

/* Collective. Runs the steps of layout_state.h in order. */
static gemp_code make(gemp_layout_state *state, const gemp_layout_options *options)
{
	gemp_layout *out = state->out;
	double since = gemp_now();
	const bool weigh = options->parts & GEMP_LAYOUT_OUT_WEIGHT && options->weight;
	const bool by_rows = weigh && !gemp_layout_sums_lists(state); /* out_weight is made from `out` */
	gemp_progress("laying out", 0, 5, 0);
	double step = since;
	GEMP_TRY(make_weights(state, options));
	end_step("check weights", 1, &step);
	GEMP_TRY(gemp_comm_agree(state->comm, gemp_layout_list_types(state)));
	if (!state->listed)
		GEMP_TRY(gemp_layout_make_arcs(state));
	else if (options->weight)
		GEMP_TRY(gemp_layout_list_weights(state));
	end_step(state->listed ? "fetch weights" : "send arcs", 2, &step);
	GEMP_TRY(gemp_layout_make_order(state));
	end_step("order vertices", 3, &step);
	if (state->listed) {
		gemp_code code = weigh && !by_rows ? gemp_layout_sum_lists(state) : GEMP_OK;
		GEMP_THEN(gemp_layout_make_lists(state, by_rows ? NULL : options->device, options->parts));
		GEMP_TRY(gemp_comm_agree(state->comm, code));
	}
	out->edges = gemp_comm_sum1(state->comm, state->arcs.count);
	if (!state->listed)
		GEMP_TRY(gemp_comm_agree(state->comm, gemp_layout_make_in(state)));
	end_step("rows by target", 4, &step);
	if (!gemp_layout_renumbered(state) && (options->parts & GEMP_LAYOUT_OUT || by_rows)) /* ranks differ in `made` */
		GEMP_TRY(gemp_comm_agree(state->comm, out->made ? GEMP_OK : gemp_layout_make_out(out)));
	if (by_rows)
		GEMP_TRY(gemp_layout_make_out_weight(out));
	gemp_trace_add("rows by source", GEMP_LANE_HOST, step);
	out->seconds = gemp_now() - since - (out->made ? out->made->build : 0);
	return GEMP_OK;
}

/* Frees rows that were made only to make other rows. `out` may share the arrays of `in`. */
static void drop_unwanted(gemp_layout *layout, unsigned parts)
{
	bool shared = layout->out.begin == layout->in.begin;
	if (!(parts & GEMP_LAYOUT_OUT) && layout->out.begin) {
		if (shared)
			layout->out = (gemp_layout_rows){ 0 };
		else
			free_rows(&layout->out);
	}
	if (parts & GEMP_LAYOUT_IN)
		return;
	if (shared && layout->out.begin)
		layout->in = (gemp_layout_rows){ 0 };
	else
		free_rows(&layout->in);
	free_rows(&layout->in_ghost);
	free_rows(&layout->in_other);
	free_rows(&layout->in_sums);
}

gemp_code gemp_layout_load(const gemp_comm *comm, gemp_shard *graph, const gemp_layout_options *options)
{
	gemp_layout none = { 0 };
	gemp_layout_state state = { .comm = comm, .graph = graph, .out = &none };
	gemp_code code = gemp_comm_agree(comm, choose_types(&state, options));
	place_in_grid(&state, options->cut);
	GEMP_THEN(load(&state, graph, options->weight));
	state_free(&state);
	return code;
}

/* The ranks agree on the code of each step, so all ranks fail together. After a failure *out is empty. */
gemp_code gemp_layout_new(gemp_layout *out, const gemp_comm *comm, gemp_shard *graph,
                          const gemp_layout_options *options)
{
	gemp_code code = GEMP_OK;
	*out = (gemp_layout){ .comm = comm, .graph = graph, .vertices = graph->vertex_count };
	gemp_layout_state state = { .comm = comm, .graph = graph, .out = out };
	GEMP_TRY_DONE(gemp_comm_agree(comm, choose_types(&state, options)));
	place_in_grid(&state, options->cut);
	GEMP_TRY_DONE(load(&state, graph, options->weight));
	GEMP_TRY_DONE(make(&state, options));
	drop_unwanted(out, options->parts);
	assert(gemp_layout_is_valid(out));
done:
	state_free(&state);
	if (code != GEMP_OK)
		gemp_layout_free(out);
	return code;
}

static void free_links(gemp_layout_links *links)
{
	gemp_free_all(links->send_begin, links->send, links->ghost_begin);
}

/* In a symmetric layout of one rank `in` and `out` have the same arrays, which are freed once. */
void gemp_layout_free(gemp_layout *layout)
{
	if (layout->out.begin != layout->in.begin)
		free_rows(&layout->out);
	free_rows(&layout->in);
	free_rows(&layout->in_ghost);
	free_rows(&layout->in_other);
	free_rows(&layout->in_sums);
	gemp_free_all(layout->id, layout->key_rank, layout->local, layout->out_degree, layout->out_weight, layout->in_lists,
	              layout->out_lists);
	free_links(&layout->links);
	free_links(&layout->sums);
	gemp_made_rows_free(layout->made);
	*layout = (gemp_layout){ 0 };
}

/* The sizes are in the order of gemp_layout_weights. */
size_t gemp_layout_weight_size(gemp_layout_weights weights)
{
	static const size_t size[] = {
		0, sizeof(uint32_t), sizeof(uint64_t), sizeof(float), sizeof(double), sizeof(uint8_t), sizeof(uint16_t)
	};
	return size[weights];
}

/* The owner has the key, and the other ranks add nothing to the gathered text. */
gemp_code gemp_layout_print_key(const gemp_comm *comm, const gemp_shard *graph, uint64_t id, char *text,
                                size_t capacity)
{
	GEMP_OWNED_BY(gemp_text_free) gemp_text own = { 0 };
	GEMP_OWNED void *all = NULL;
	GEMP_OWNED size_t *begin = NULL;
	if (id - graph->first_vertex < graph->rows) {
		gemp_value key = gemp_column_get(&graph->keys, (size_t)(id - graph->first_vertex));
		gemp_value_print(&key, &own);
	}
	gemp_code code = gemp_text_status(&own);
	GEMP_TRY(gemp_comm_allgather(comm, code, own.data, own.size, &all, &begin));
	size_t size = begin[comm->size] < capacity ? begin[comm->size] : capacity - 1;
	memcpy(text, all, size);
	text[size] = '\0';
	return GEMP_OK;
}
