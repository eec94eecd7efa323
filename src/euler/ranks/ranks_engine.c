#include "euler/ranks/ranks_engine.h"

#include "core/limits.h"
#include "core/search.h"
#include "core/threads.h"
#include "core/timer.h"
#include "euler/ranks/join.h"
#include "euler/ranks/list_ranking.h"
#include "euler/ranks/placement.h"

#include <assert.h>

/* Pairing sets the links of level 0, with which the other stages begin. A team has a cursor for each of its vertices.
 * An edge takes its successor by an atomic decrement of the cursor of its target. So the pairs depend on the order in
 * which threads run and messages arrive, but the number of components and the validity of the circuit do not.
 *
 * The time of a stage is the time on this rank, including the time in which it waits for other ranks. */

enum { EDGES_PER_CHUNK = 1 << 15, ROWS_PER_CHUNK = 1 << 15, PREFETCH_DISTANCE = 24 };

typedef struct pairing {
	gemp_euler_list *list;
	const gemp_euler_edges *edges;
	bool wide;
	uint64_t low_vertex;     /* the first vertex of the team */
	gemp_euler_block cursor; /* [vertices of the team] the slot that was assigned last, numbered within the team */
	size_t round_begin;      /* the first edge of this round, among this rank's edges */
	gemp_euler_exchange exchange;
	void *answers, *slots; /* numbers that this rank sends and receives: one for each request of a round */
	size_t slots_capacity;
	uint64_t unbalanced; /* number of unbalanced vertices of this rank */
} pairing;

/* Cursors start behind the last slot of each row and count down. */
GEMP_INLINE void set_cursors(pairing *p, size_t begin, size_t end, bool wide)
{
	const gemp_euler_edges *edges = p->edges;
	uint64_t vertex = edges->bounds[edges->rank] - p->low_vertex;
	for (size_t row = begin; row < end; row++)
		gemp_number_put(p->cursor.at, vertex + row, p->list->own_begin + edges->begin[row + 1], wide);
}
GEMP_CHUNK_WIDTHS(cursor_body, set_cursors, pairing)

/* A vertex is balanced if its cursor has reached the first slot. */
GEMP_INLINE void check_cursors(pairing *p, size_t begin, size_t end, bool wide)
{
	const gemp_euler_edges *edges = p->edges;
	uint64_t vertex = edges->bounds[edges->rank] - p->low_vertex, wrong = 0;
	for (size_t row = begin; row < end; row++)
		wrong += gemp_number_at(p->cursor.at, vertex + row, wide) != p->list->own_begin + edges->begin[row];
	if (wrong)
		__atomic_fetch_add(&p->unbalanced, wrong, __ATOMIC_RELAXED);
}
GEMP_CHUNK_WIDTHS(check_body, check_cursors, pairing)

GEMP_INLINE void link_to(pairing *p, size_t edge, uint64_t slot, bool wide)
{
	gemp_number_put(p->list->link.at, 2 * (p->list->own_begin + edge), slot, wide);
}

/* All vertices belong to this team, so edges take their successors directly. */
GEMP_INLINE void pair_chunk(pairing *p, size_t begin, size_t end, bool wide)
{
	const gemp_vertex *target = p->edges->target;
	for (size_t e = begin; e < end; e++) {
		if (e + PREFETCH_DISTANCE < end)
			__builtin_prefetch((char *)p->cursor.at + target[e + PREFETCH_DISTANCE] * gemp_number_size(wide), 1);
		link_to(p, e, gemp_number_decrement(p->cursor.at, target[e], wide), wide);
	}
}
GEMP_CHUNK_WIDTHS(pair_body, pair_chunk, pairing)

/* If the target belongs to another team, its next slot is requested. The next slot of an own vertex is taken at
 * once. */
GEMP_INLINE void request_chunk(pairing *p, size_t chunk, bool wide)
{
	const gemp_euler_edges *edges = p->edges;
	const gemp_euler_team *team = p->list->team;
	for (size_t i = p->exchange.begin[chunk]; i < p->exchange.begin[chunk + 1]; i++) {
		gemp_vertex target = edges->target[p->round_begin + i];
		size_t owner = gemp_range_find(edges->bounds, team->teams, target);
		gemp_vertex vertex = (gemp_vertex)(target - edges->bounds[owner]);
		if (owner != team->team)
			memcpy(gemp_euler_exchange_put(&p->exchange, chunk, owner, (uint32_t)i), &vertex, sizeof vertex);
		else
			link_to(p, p->round_begin + i, p->list->first_number + gemp_number_decrement(p->cursor.at, vertex, wide),
			        wide);
	}
}
GEMP_WIDTHS(request_body, request_chunk, pairing)

/* Assigns slots of own vertices to edges of other teams. The prefetch hides the random access to the cursor. */
GEMP_INLINE void answer_chunk(pairing *p, size_t begin, size_t end, bool wide)
{
	const gemp_vertex *vertices = p->exchange.receive;
	for (size_t i = begin; i < end; i++) {
		if (i + PREFETCH_DISTANCE < end)
			__builtin_prefetch((char *)p->cursor.at + vertices[i + PREFETCH_DISTANCE] * gemp_number_size(wide), 1);
		gemp_number_put(p->answers, i, gemp_number_decrement(p->cursor.at, vertices[i], wide), wide);
	}
}
GEMP_CHUNK_WIDTHS(answer_body, answer_chunk, pairing)

/* Answers are in the order in which requests were sent. The tag of a request is its edge. */
GEMP_INLINE void scatter_chunk(pairing *p, size_t chunk, bool wide)
{
	const gemp_euler_exchange *exchange = &p->exchange;
	for (size_t i = exchange->begin[chunk]; i < exchange->begin[chunk] + exchange->put[chunk]; i++)
		link_to(p, p->round_begin + exchange->tag[i],
		        p->list->bounds[exchange->owner[i]] + gemp_number_at(p->slots, exchange->position[i], wide), wide);
}
GEMP_WIDTHS(scatter_body, scatter_chunk, pairing)

/* Collective. Pairs the edges round_begin .. round_begin + count - 1. sizes[2 * teams] is scratch memory. */
static gemp_code pair_round(pairing *p, size_t count, size_t *sizes)
{
	gemp_euler_team *team = p->list->team;
	gemp_euler_exchange *exchange = &p->exchange;
	gemp_code code = gemp_euler_exchange_open(exchange, count);
	if (code == GEMP_OK)
		gemp_parallel_for(exchange->chunks, request_body, p);
	GEMP_TRY(gemp_euler_exchange_send(exchange, code, NULL));
	code = gemp_numbers_new(&p->answers, exchange->received, p->wide);
	if (code == GEMP_OK)
		gemp_for_chunks(exchange->received, EDGES_PER_CHUNK, answer_body, p);
	for (size_t t = 0; t < team->teams; t++)
		sizes[t] = exchange->receive_size[t] / sizeof(gemp_vertex) * gemp_number_size(p->wide);
	code = gemp_exchange(team->comm, code, p->answers, sizes, &p->slots, &p->slots_capacity, sizes + team->teams,
	                     &team->traffic);
	gemp_free(p->answers);
	if (code == GEMP_OK)
		gemp_parallel_for(exchange->chunks, scatter_body, p);
	return code;
}

/* Collective. Rounds bound the number of records in flight. The team with the most edges decides the number of rounds,
 * and all teams take part in each round. */
static gemp_code pair_in_rounds(pairing *p)
{
	gemp_euler_team *team = p->list->team;
	GEMP_OWNED size_t *sizes = NULL;
	gemp_code code = gemp_euler_exchange_new(&p->exchange, team, sizeof(gemp_vertex), true);
	GEMP_THEN(GEMP_NEW(sizes, 2 * team->teams));
	code = gemp_comm_agree(team->comm, code);
	uint64_t rounds = code == GEMP_OK ? gemp_exchange_rounds(team->comm, p->list->count, team->in_flight) : 0;
	for (uint64_t round = 0; round < rounds && code == GEMP_OK; round++) {
		gemp_block_range part = gemp_exchange_round(round, p->list->count, team->in_flight);
		p->round_begin = part.begin;
		code = pair_round(p, part.end - part.begin, sizes);
	}
	gemp_euler_exchange_free(&p->exchange);
	gemp_free(p->slots);
	return code;
}

/* Collective. The owner of a vertex assigns its out-edges to its in-edges, from the last out-edge on. In- and out-edges
 * are stored in similar order, and pairing first with first closes many small circuits: 285,000 on the shallow graph of
 * docs/euler.md (3.1 million edges), against 8,300. Sets the links of the list for this rank's edges. *unbalanced: the
 * number of vertices on all ranks with unequal in- and out-degree. If it is not 0, the links are invalid. */
static gemp_code pair_edges(gemp_euler_list *list, const gemp_euler_edges *edges, uint64_t *unbalanced)
{
	gemp_code code = GEMP_OK;
	gemp_euler_team *team = list->team;
	bool together = team->teams == 1;
	pairing p = { .list = list, .edges = edges, .wide = list->wide };
	p.low_vertex = together ? 0 : edges->bounds[edges->rank];
	size_t vertices = together ? edges->vertices : edges->rows;
	GEMP_TRY_DONE(gemp_euler_block_new(team, &p.cursor, vertices, gemp_number_size(list->wide)));
	gemp_for_chunks(edges->rows, ROWS_PER_CHUNK, cursor_body, &p);
	gemp_euler_team_fence(team);
	if (together)
		gemp_for_chunks(list->own_end - list->own_begin, EDGES_PER_CHUNK, pair_body, &p);
	else
		GEMP_TRY_DONE(pair_in_rounds(&p));
	gemp_euler_team_fence(team);
	gemp_for_chunks(edges->rows, ROWS_PER_CHUNK, check_body, &p);
	*unbalanced = gemp_comm_sum1(team->comm, p.unbalanced);
done:
	gemp_euler_block_free(&p.cursor);
	return code;
}

/* Number of edges for each splitter. With messages (APART) splitters are dense, since more walkers then share the cost
 * of a round. */
enum { SPACING_APART = 16, SPACING_TOGETHER = 64 };
enum { GATHER_APART = 1 << 15, GATHER_TOGETHER = 1 << 20, IN_FLIGHT = 1 << 19 };

typedef struct engine_state {
	gemp_euler_result *out;
	const gemp_euler_edges *edges;
	const gemp_euler_options *options;
	gemp_euler_team team;
	uint64_t *bounds; /* [teams + 1] first slot of each team */
	gemp_euler_list list;
	gemp_euler_block joined;    /* a bit for each slot of the team, and one more bit */
	gemp_euler_lookup circuits; /* gives the circuit of each slot before joining */
	gemp_euler_block values;    /* of the splitters: first their circuits, then their places */
	double stage_begin;
} engine_state;

/* Adds the time since the end of the previous stage to this stage. */
static void end_stage(engine_state *f, gemp_euler_stage stage)
{
	double now = gemp_now();
	f->out->seconds[stage] += now - f->stage_begin;
	f->stage_begin = now;
}

/* Tests whether numbers need 8 bytes. A number holds an edge or a label, which is a splitter of any team and a flag
 * (list.h). */
static bool needs_wide(const engine_state *f)
{
	uint64_t max_count = 0, limit = ((uint64_t)1 << 31) - 1;
	for (size_t t = 0; t < f->team.teams; t++)
		max_count = gemp_max(max_count, f->bounds[t + 1] - f->bounds[t]);
	return gemp_limits_now()->euler_wide || f->edges->edges >= limit || (max_count + 1) * f->team.teams >= limit;
}

/* Collective. Makes the list of level 0 without its links, and the bitmap of joined slots. Distances are kept only if
 * places are sent by messages. A path is cut at its closing edge and a circuit at its first edge, so this edge must
 * become a splitter. */
static gemp_code allocate(engine_state *f)
{
	gemp_code code = GEMP_OK;
	gemp_euler_team *team = &f->team;
	const gemp_euler_edges *edges = f->edges;
	gemp_euler_list *list = &f->list;
	size_t own = edges->begin[edges->rows], size;
	gemp_edge cut = edges->path_start != GEMP_NO_VERTEX ? edges->closing : 0;
	GEMP_TRY_DONE(gemp_comm_agree(team->comm, GEMP_NEW(f->bounds, team->teams + 1)));
	if (team->teams > 1)
		GEMP_MPI(MPI_Allgather(&edges->first, 1, MPI_UINT64_T, f->bounds, 1, MPI_UINT64_T, team->comm->world));
	f->bounds[team->teams] = edges->edges;
	team->wide = needs_wide(f);
	size = gemp_number_size(team->wide);
	*list = (gemp_euler_list){ .team = team,
		                       .wide = team->wide,
		                       .bounds = f->bounds,
		                       .first_number = f->bounds[team->team],
		                       .fixed_splitter = SIZE_MAX };
	list->count = f->bounds[team->team + 1] - list->first_number;
	list->own_begin = edges->first - list->first_number;
	list->own_end = list->own_begin + own;
	if (cut >= edges->first && cut - edges->first < own)
		list->fixed_splitter = cut - list->first_number;
	GEMP_TRY_DONE(gemp_euler_block_new(team, &list->link, 2 * list->count, size));
	if (team->teams > 1)
		GEMP_TRY_DONE(gemp_euler_block_new(team, &list->distance, list->count, size));
	GEMP_TRY_DONE(gemp_euler_block_new(team, &f->joined, list->count / 64 + 1, sizeof(uint64_t)));
done:
	end_stage(f, GEMP_EULER_FILL);
	return code;
}

/* Collective. Sets the values of the splitters, as they are linked now: circuits if total is 0, otherwise places. */
static gemp_code rank_splitters(engine_state *f, uint64_t total)
{
	GEMP_OWNED_BY(gemp_euler_list_free) gemp_euler_list splitters = { 0 };
	gemp_euler_team *team = &f->team;
	GEMP_OWNED uint64_t *bounds = NULL;
	GEMP_TRY(gemp_euler_list_of_splitters(&splitters, &bounds, &f->list));
	if (!f->values.at)
		GEMP_TRY(gemp_euler_block_new(team, &f->values, splitters.count, gemp_number_size(team->wide)));
	return gemp_euler_rank_list(&splitters, f->values.at, total);
}

/* Local. Keeps the circuit of each own slot before joining, for drawings. */
static gemp_code keep_circuits(engine_state *f)
{
	size_t own = f->list.own_end - f->list.own_begin;
	GEMP_TRY(gemp_new_all(GEMP_ARRAY(f->out->circuit, own), GEMP_ARRAY(f->out->joined, own)));
	for (size_t x = 0; x < own; x++)
		f->out->circuit[x] = (uint32_t)gemp_euler_lookup_at(&f->circuits, f->list.own_begin + x, f->team.wide);
	return GEMP_OK;
}

/* Collective. Pairs the edges, and finds the circuits that the pairs form. */
static gemp_code find_circuits(engine_state *f)
{
	gemp_euler_result *out = f->out;
	double seconds[2] = { 0 };
	GEMP_TRY(pair_edges(&f->list, f->edges, &out->unbalanced));
	end_stage(f, GEMP_EULER_PAIR);
	if (out->unbalanced)
		return GEMP_OK;
	GEMP_TRY(gemp_euler_list_contract(&f->list, seconds));
	out->seconds[GEMP_EULER_WALK] = seconds[0];
	out->seconds[GEMP_EULER_ORPHANS] = seconds[1];
	f->stage_begin = gemp_now();
	GEMP_TRY(rank_splitters(f, 0));
	end_stage(f, GEMP_EULER_CIRCUITS);
	GEMP_TRY(gemp_euler_lookup_new(&f->circuits, &f->list, f->values.at));
	if (f->options->keep_circuits)
		GEMP_TRY(gemp_comm_agree(f->team.comm, keep_circuits(f)));
	out->splitters = f->team.members > 1 ? f->list.splitters : gemp_comm_sum1(f->team.comm, f->list.splitters);
	out->circuits = f->team.members > 1 ? f->team.circuits : gemp_comm_sum1(f->team.comm, f->team.circuits);
	end_stage(f, GEMP_EULER_GRAPH);
	return GEMP_OK;
}

/* Collective. Joins the circuits and walks the changed stretches again. */
static gemp_code join_circuits(engine_state *f)
{
	gemp_euler_result *out = f->out;
	GEMP_OWNED void *starts = NULL;
	size_t count;
	GEMP_TRY(gemp_euler_join(&f->circuits, f->edges, f->joined.at, &out->joins));
	out->components = out->circuits - out->joins;
	if (f->options->keep_circuits)
		for (size_t x = f->list.own_begin; x < f->list.own_end; x++)
			out->joined[x - f->list.own_begin] = gemp_bits64_test(f->joined.at, x);
	end_stage(f, GEMP_EULER_UNION);
	if (out->components > 1)
		return GEMP_OK;
	GEMP_TRY(gemp_euler_join_changed(&f->list, f->joined.at, &starts, &count));
	end_stage(f, GEMP_EULER_ROTATE);
	f->list.joined = f->joined.at;
	GEMP_TRY(gemp_euler_list_walk(&f->list, starts, 0, count));
	end_stage(f, GEMP_EULER_REWALK);
	return GEMP_OK;
}

/* Collective. Stops early if the graph is unbalanced or not connected. The counts of the result show the reason. */
static gemp_code run_stages(engine_state *f)
{
	const gemp_euler_edges *edges = f->edges;
	GEMP_TRY(allocate(f));
	if (edges->edges == 0)
		return GEMP_OK;
	GEMP_TRY(find_circuits(f));
	if (f->out->unbalanced)
		return GEMP_OK;
	GEMP_TRY(join_circuits(f));
	if (f->out->components > 1)
		return GEMP_OK;
	GEMP_TRY(rank_splitters(f, edges->edges));
	end_stage(f, GEMP_EULER_RANK);
	GEMP_TRY(gemp_euler_place_edges(&f->out->order, &f->list, edges, f->values.at, f->options->sources));
	end_stage(f, GEMP_EULER_EMIT);
	return GEMP_OK;
}

/* Messages and shared memory have different defaults. Options and limits override them. */
static void choose_settings(gemp_euler_team *team, const gemp_euler_options *options)
{
	const size_t in_flight = gemp_limits_now()->euler_in_flight;
	bool apart = team->teams > 1;
	team->seed = options->seed;
	team->spacing = options->spacing ? options->spacing : apart ? SPACING_APART : SPACING_TOGETHER;
	team->gather = options->gather ? options->gather : apart ? GATHER_APART : GATHER_TOGETHER;
	team->in_flight = in_flight ? in_flight : IN_FLIGHT;
}

/* Estimates the team's shared memory: links, cursors, and the arrays of splitters. */
static size_t shared_bytes(const gemp_euler_edges *edges)
{
	enum { A_EDGE = 20, A_VERTEX = 4 };
	size_t factor = edges->edges >> 31 || gemp_limits_now()->euler_wide ? 2 : 1;
	return factor * (A_EDGE * edges->edges + A_VERTEX * edges->vertices) + 1;
}

/* Makes one attempt, with or without shared memory. Everything except the result is freed at the end. */
static gemp_code run_with_teams(gemp_euler_result *out, const gemp_comm *comm, const gemp_euler_edges *edges,
                                const gemp_euler_options *options, bool together)
{
	engine_state f = { .out = out, .edges = edges, .options = options, .stage_begin = gemp_now() };
	*out = (gemp_euler_result){ .engine = "ranks" };
	gemp_euler_team_init(&f.team, comm, together);
	choose_settings(&f.team, options);
	gemp_code code = run_stages(&f);
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

/* If shared memory turns out to be too small, the ranks start again with messages. */
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
