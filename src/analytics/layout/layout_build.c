#include "analytics/layout/layout_build.h"

#include "analytics/layout/edge_weights.h"
#include "analytics/layout/layout_state.h"
#include "core/log.h"
#include "core/memory.h"
#include "core/timer.h"

#include <assert.h>

/* Which types of edges are wanted, and which ways their edges lead. */
static gemp_code choose_types(gemp_layout_state *state, const gemp_layout_options *options)
{
	const gemp_shard *graph = state->graph;
	state->out->symmetric = true;
	GEMP_PROPAGATE(GEMP_NEW(state->types, graph->relation_count));
	for (size_t k = 0; k < graph->relation_count; k++) {
		const gemp_relation *relation = &graph->relations[k];
		if (options->relations && !options->relations[k])
			continue;
		bool both = !relation->directed || options->direction == GEMP_LAYOUT_BOTH;
		state->types[state->type_count++] = (gemp_layout_type){
			.relation = relation,
			.forward = both || options->direction == GEMP_LAYOUT_FORWARD,
			.backward = both || options->direction == GEMP_LAYOUT_REVERSE
		};
		state->out->symmetric &= both;
	}
	return GEMP_OK;
}

/* Are rows by target loaded, or can they be? */
static bool has_in(const gemp_layout_state *state, unsigned parts)
{
	bool has = true;
	for (size_t t = 0; t < state->type_count; t++)
		has &= state->graph->loader.load_relation || (state->types[t].relation->loaded & parts) == parts;
	return has;
}

/* Collective. Rows by source, with weights. Rows by target are loaded for one rank, whose layout is faster to make
 * from both, and for degrees of edges against their direction. */
static gemp_code load(gemp_layout_state *state, gemp_shard *graph, const char *weight)
{
	state->one_rank = state->comm->size == 1 && has_in(state, GEMP_LOAD_IN | (weight ? GEMP_LOAD_IN_EDGES : 0u));
	GEMP_PROPAGATE(gemp_shard_load_keys(graph));
	for (size_t t = 0; t < state->type_count; t++) {
		unsigned parts = GEMP_LOAD_OUT | (weight ? GEMP_LOAD_PROPS : 0u);
		if (state->one_rank || (state->types[t].backward && !state->out->symmetric))
			parts |= GEMP_LOAD_IN;
		if (state->one_rank && state->types[t].backward && weight)
			parts |= GEMP_LOAD_IN_EDGES;
		GEMP_PROPAGATE(gemp_shard_load_relation(graph, (size_t)(state->types[t].relation - graph->relations), parts));
	}
	return GEMP_OK;
}

static void forget(gemp_layout_state *state)
{
	gemp_free_all(state->types, state->arcs.word, state->arcs.begin, state->from_own, state->from_ghost,
	              state->ghost_local, state->in_counts, state->row);
	gemp_rank_bitmap_free(&state->ghosts);
}

static void free_rows(gemp_layout_rows *rows)
{
	gemp_free_all(rows->begin, rows->end, rows->weight);
	*rows = (gemp_layout_rows){ 0 };
}

/* The largest divisor up to the square root is the number of columns. */
gemp_layout_grid gemp_layout_grid_of(int ranks)
{
	int columns = 1;
	for (int c = 1; c <= ranks / c; c++)
		columns = ranks % c == 0 ? c : columns;
	return (gemp_layout_grid){ ranks / columns, columns };
}

/* The range of ids to which this rank's arcs lead: all that ranks of its row of the grid own. */
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

static void log_step(unsigned step)
{
	gemp_progress("laying out", step, 5, 0);
}

/* Collective. The steps of layout_state.h, in order. */
static gemp_code make(gemp_layout_state *state, const gemp_layout_options *options)
{
	gemp_layout *out = state->out;
	double since = gemp_now();
	bool weigh = options->parts & GEMP_LAYOUT_OUT_WEIGHT && options->weight;
	log_step(0);
	GEMP_PROPAGATE(gemp_layout_make_weights(state, options));
	log_step(1);
	if (!state->one_rank)
		GEMP_PROPAGATE(gemp_layout_make_arcs(state));
	log_step(2);
	GEMP_PROPAGATE(gemp_layout_make_order(state));
	if (state->one_rank)
		GEMP_PROPAGATE(gemp_layout_make_arcs_alone(state));
	out->edges = gemp_comm_sum1(state->comm, state->arcs.count);
	log_step(3);
	GEMP_PROPAGATE(gemp_comm_agree(state->comm, gemp_layout_make_in(state)));
	log_step(4);
	if (options->parts & GEMP_LAYOUT_OUT || weigh)
		GEMP_PROPAGATE(gemp_comm_agree(state->comm, gemp_layout_make_out(out)));
	if (weigh)
		GEMP_PROPAGATE(gemp_layout_make_out_weight(out));
	out->seconds = gemp_now() - since;
	return GEMP_OK;
}

/* Rows that were only needed to make others. `out` may share the arrays of `in`. */
static void drop_unwanted(gemp_layout *layout, unsigned parts)
{
	bool shared = layout->out.end == layout->in.end;
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

gemp_code gemp_layout_new(gemp_layout *out, const gemp_comm *comm, gemp_shard *graph,
                          const gemp_layout_options *options)
{
	gemp_code code = GEMP_OK;
	*out = (gemp_layout){ .comm = comm, .graph = graph, .vertices = graph->vertex_count };
	gemp_layout_state state = { .comm = comm, .graph = graph, .out = out };
	GEMP_TRY(gemp_comm_agree(comm, choose_types(&state, options)));
	GEMP_TRY(load(&state, graph, options->weight));
	place_in_grid(&state, options->cut);
	GEMP_TRY(make(&state, options));
	drop_unwanted(out, options->parts);
	assert(gemp_layout_is_valid(out));
done:
	forget(&state);
	if (code != GEMP_OK)
		gemp_layout_free(out);
	return code;
}

static void free_links(gemp_layout_links *links)
{
	gemp_free_all(links->send_begin, links->send, links->ghost_begin);
}

void gemp_layout_free(gemp_layout *layout)
{
	if (layout->out.end != layout->in.end)
		free_rows(&layout->out);
	free_rows(&layout->in);
	free_rows(&layout->in_ghost);
	free_rows(&layout->in_other);
	free_rows(&layout->in_sums);
	gemp_free_all(layout->id, layout->key_rank, layout->local, layout->out_degree, layout->out_weight);
	free_links(&layout->links);
	free_links(&layout->sums);
	*layout = (gemp_layout){ 0 };
}
