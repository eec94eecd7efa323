#include "euler/ranks/ranks_engine.h"

#include "core/bitset.h"
#include "core/limits.h"
#include "core/memory.h"
#include "core/timer.h"
#include "euler/ranks/join.h"
#include "euler/ranks/list_ranking.h"
#include "euler/ranks/pairing.h"
#include "euler/ranks/placement.h"

#include <assert.h>

/* Apart: a round costs less the more walkers there are, and bytes are few where splitters are. */
enum { SPACING_APART = 16, SPACING_TOGETHER = 64 };
enum { GATHER_APART = 1 << 15, GATHER_TOGETHER = 1 << 20, IN_FLIGHT = 1 << 19 };

typedef struct engine_state {
	gemp_euler_result *out;
	const gemp_euler_edges *edges;
	const gemp_euler_options *options;
	gemp_euler_team team;
	uint64_t *bounds; /* [teams + 1] slots of each team */
	gemp_euler_list list;
	gemp_euler_block joined; /* bits */
	gemp_euler_lookup circuits;
	gemp_euler_block values; /* of splitters: their circuits, then their places */
	double stage_begin;
} engine_state;

/* Adds the time since the end of the previous stage. */
static void end_stage(engine_state *f, gemp_euler_stage stage)
{
	double now = gemp_now();
	f->out->seconds[stage] += now - f->stage_begin;
	f->stage_begin = now;
}

/* A number must hold an edge, a label and a splitter of any team (list.h). */
static bool needs_wide(const engine_state *f)
{
	uint64_t max_count = 1, limit = ((uint64_t)1 << 31) - 1;
	for (size_t t = 0; t < f->team.teams; t++)
		max_count = f->bounds[t + 1] - f->bounds[t] >= max_count ? f->bounds[t + 1] - f->bounds[t] + 1 : max_count;
	return gemp_limits_now()->euler_wide || f->edges->edges >= limit || max_count * f->team.teams >= limit;
}

/* Collective. Slots of all teams, links, and the bitmap of joined slots; distances only where places are sent by
 * messages. */
static gemp_code allocate(engine_state *f)
{
	gemp_code code = GEMP_OK;
	gemp_euler_team *team = &f->team;
	const gemp_euler_edges *edges = f->edges;
	gemp_euler_list *list = &f->list;
	size_t own = edges->begin[edges->rows];
	bool path = edges->path_start != GEMP_NO_VERTEX;
	gemp_edge chosen = path ? edges->closing : 0;
	GEMP_TRY(gemp_comm_agree(team->comm, GEMP_NEW(f->bounds, team->teams + 1)));
	if (team->teams > 1)
		GEMP_MPI(MPI_Allgather(&edges->first, 1, MPI_UINT64_T, f->bounds, 1, MPI_UINT64_T, team->comm->world));
	f->bounds[team->teams] = edges->edges;
	team->wide = needs_wide(f);
	*list = (gemp_euler_list){ .team = team,
		                       .wide = team->wide,
		                       .bounds = f->bounds,
		                       .first_number = f->bounds[team->team],
		                       .fixed_splitter = SIZE_MAX };
	list->count = f->bounds[team->team + 1] - list->first_number;
	list->own_begin = edges->first - list->first_number;
	list->own_end = list->own_begin + own;
	if (chosen >= edges->first && chosen - edges->first < own)
		list->fixed_splitter = chosen - list->first_number;
	code = gemp_euler_block_new(team, &list->link, 2 * list->count, gemp_number_size(team->wide));
	if (code == GEMP_OK && team->teams > 1)
		code = gemp_euler_block_new(team, &list->distance, list->count, gemp_number_size(team->wide));
	GEMP_THEN(gemp_euler_block_new(team, &f->joined, list->count / 64 + 1, sizeof(uint64_t)));
	GEMP_TRY(gemp_comm_agree(team->comm, code));
done:
	end_stage(f, GEMP_EULER_FILL);
	return code;
}

/* Collective. The list of splitters as it is now: circuits (total 0) or places. */
static gemp_code rank_splitters(engine_state *f, uint64_t total)
{
	gemp_code code = GEMP_OK;
	GEMP_OWNED_BY(gemp_euler_list_free) gemp_euler_list splitters = { 0 };
	gemp_euler_team *team = &f->team;
	GEMP_OWNED uint64_t *bounds = NULL;
	GEMP_PROPAGATE(gemp_euler_list_of_splitters(&splitters, &bounds, &f->list));
	if (!f->values.at)
		code = gemp_euler_block_new(team, &f->values, splitters.count, gemp_number_size(team->wide));
	GEMP_PROPAGATE(gemp_comm_agree(team->comm, code));
	if (total)
		GEMP_PROPAGATE(gemp_euler_solve_places(&splitters, f->values.at, total));
	else
		GEMP_PROPAGATE(gemp_euler_solve_circuits(&splitters, f->values.at));
	return GEMP_OK;
}

static gemp_code keep_circuits(engine_state *f)
{
	size_t own = f->list.own_end - f->list.own_begin;
	GEMP_PROPAGATE(gemp_new_all(GEMP_ARRAY(f->out->circuit, own), GEMP_ARRAY(f->out->joined, own)));
	for (size_t x = 0; x < own; x++)
		f->out->circuit[x] = (uint32_t)gemp_euler_lookup_at(&f->circuits, f->list.own_begin + x, f->team.wide);
	return GEMP_OK;
}

/* Collective. Pairs the edges and finds the circuits that they form. */
static gemp_code find_circuits(engine_state *f)
{
	gemp_euler_result *out = f->out;
	double walk = 0, orphans = 0;
	GEMP_PROPAGATE(gemp_euler_pair(&f->list, f->edges, &out->unbalanced));
	end_stage(f, GEMP_EULER_PAIR);
	if (out->unbalanced)
		return GEMP_OK;
	GEMP_PROPAGATE(gemp_euler_list_contract(&f->list, &walk, &orphans));
	out->seconds[GEMP_EULER_WALK] = walk;
	out->seconds[GEMP_EULER_ORPHANS] = orphans;
	f->stage_begin = gemp_now();
	GEMP_PROPAGATE(rank_splitters(f, 0));
	GEMP_PROPAGATE(gemp_euler_lookup_new(&f->circuits, &f->list, f->values.at));
	if (f->options->keep_circuits)
		GEMP_PROPAGATE(gemp_comm_agree(f->team.comm, keep_circuits(f)));
	out->splitters = f->team.members > 1 ? f->list.splitters : gemp_comm_sum1(f->team.comm, f->list.splitters);
	out->circuits = f->team.members > 1 ? f->team.circuits : gemp_comm_sum1(f->team.comm, f->team.circuits);
	end_stage(f, GEMP_EULER_CIRCUITS);
	return GEMP_OK;
}

/* Collective. Joins the circuits and walks the changed stretches again. */
static gemp_code join_circuits(engine_state *f)
{
	gemp_euler_result *out = f->out;
	GEMP_OWNED void *starts = NULL;
	size_t count;
	GEMP_PROPAGATE(gemp_euler_join(&f->circuits, f->edges, f->joined.at, &out->joins));
	out->components = out->circuits - out->joins;
	if (f->options->keep_circuits)
		for (size_t x = f->list.own_begin; x < f->list.own_end; x++)
			out->joined[x - f->list.own_begin] = gemp_bits64_test(f->joined.at, x);
	end_stage(f, GEMP_EULER_UNION);
	if (out->components > 1)
		return GEMP_OK;
	GEMP_PROPAGATE(gemp_euler_join_changed(&f->list, f->joined.at, &starts, &count));
	end_stage(f, GEMP_EULER_ROTATE);
	f->list.joined = f->joined.at;
	GEMP_PROPAGATE(gemp_euler_list_walk(&f->list, starts, 0, count));
	end_stage(f, GEMP_EULER_REWALK);
	return GEMP_OK;
}

/* Collective. Stops early where the graph is unbalanced or not connected; the result says which. */
static gemp_code run(engine_state *f)
{
	const gemp_euler_edges *edges = f->edges;
	GEMP_PROPAGATE(allocate(f));
	if (edges->edges == 0)
		return GEMP_OK;
	GEMP_PROPAGATE(find_circuits(f));
	if (f->out->unbalanced)
		return GEMP_OK;
	GEMP_PROPAGATE(join_circuits(f));
	if (f->out->components > 1)
		return GEMP_OK;
	GEMP_PROPAGATE(rank_splitters(f, edges->edges));
	end_stage(f, GEMP_EULER_RANK);
	GEMP_PROPAGATE(gemp_euler_place_edges(&f->out->order, &f->list, edges, f->values.at, f->options->sources));
	end_stage(f, GEMP_EULER_EMIT);
	return GEMP_OK;
}

/* Defaults were measured for either way of communication; options and limits override them. */
static void choose_settings(gemp_euler_team *team, const gemp_euler_options *options)
{
	const size_t in_flight = gemp_limits_now()->euler_in_flight;
	bool apart = team->teams > 1;
	team->seed = options->seed;
	team->spacing = options->spacing ? options->spacing : apart ? SPACING_APART : SPACING_TOGETHER;
	team->gather = options->gather ? options->gather : apart ? GATHER_APART : GATHER_TOGETHER;
	team->in_flight = in_flight ? in_flight : IN_FLIGHT;
}

/* An estimate of the team's shared memory: links, row starts, and the arrays of splitters. */
static size_t shared_bytes(const gemp_euler_edges *edges)
{
	enum { A_EDGE = 20, A_VERTEX = 4 };
	size_t factor = edges->edges >> 31 || gemp_limits_now()->euler_wide ? 2 : 1;
	return factor * (A_EDGE * edges->edges + A_VERTEX * edges->vertices) + 1;
}

/* One attempt, with or without shared memory; everything is freed either way. */
static gemp_code run_with_teams(gemp_euler_result *out, const gemp_comm *comm, const gemp_euler_edges *edges,
                                const gemp_euler_options *options, bool together)
{
	engine_state f = { .out = out, .edges = edges, .options = options, .stage_begin = gemp_now() };
	*out = (gemp_euler_result){ .engine = "ranks" };
	gemp_euler_team_init(&f.team, comm, together);
	choose_settings(&f.team, options);
	gemp_code code = run(&f);
	out->traffic = f.team.traffic;
	gemp_euler_lookup_free(&f.circuits);
	gemp_euler_block_free(&f.values);
	gemp_euler_block_free(&f.joined);
	gemp_euler_list_free(&f.list);
	gemp_free(f.bounds);
	if (code != GEMP_OK)
		gemp_euler_result_free(out);
	return code;
}

/* If shared memory turns out to be too small after all, the ranks start again with messages. */
gemp_code gemp_euler_on_ranks(gemp_euler_result *out, const gemp_comm *comm, const gemp_euler_edges *edges,
                              const gemp_euler_options *options)
{
	assert(gemp_euler_edges_is_valid(edges));
	double begun = gemp_now();
	bool alone = comm->size == 1;
	bool together = alone || (!gemp_limits_now()->euler_separate && comm->node_size == comm->size &&
	                          gemp_shared_fits(comm, shared_bytes(edges)));
	gemp_code code = run_with_teams(out, comm, edges, options, together);
	if (code == GEMP_ENOMEM && together && !alone)
		code = run_with_teams(out, comm, edges, options, false);
	out->total = gemp_now() - begun;
	return code;
}
