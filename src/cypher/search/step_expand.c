/* A step along a hop of variable length, in rounds: a round fetches the neighbours of the ends of all trails that grew
 * in the last round, and extends these trails. Rows with the same start share its trails.
 *
 * Shortest paths are a breadth-first search from all starts at once. A start that has reached the ends of all of its
 * rows stops. */

#include "core/memory.h"
#include "core/random.h"
#include "cypher/search/adjacency.h"
#include "cypher/search/grouping.h"
#include "cypher/search/residual.h"
#include "cypher/search/state.h"

#include <stdlib.h>

enum { VISIT_WORDS = 3, VISIT_KEY_WORDS = 2 }; /* start, vertex, length */

/* The trails of one step. */
typedef struct expansion {
	gemp_cypher_answer *answer;
	const gemp_cypher_step *step;
	size_t step_number;
	const gemp_cypher_hop *hop;
	gemp_cypher_adjacency *adjacency;
	gemp_cypher_row_set maps;    /* the different values of step->map */
	gemp_cypher_grouping starts; /* tuples of a vertex and, if the step has a map, the number of its value */
	size_t first, capacity;      /* trails [first, answer->trails.count) are those of this step */
	size_t *start_of;            /* by trail - first */
	size_t results, result_capacity, result_start_capacity;
	size_t *result, *result_start; /* [results] trails that are long enough, and their starts */
	gemp_record_table visited;     /* shortest: lengths of (start, vertex) */
	gemp_record_table targets;     /* shortest, with both ends known: pairs that rows ask for */
	size_t *open;                  /* shortest, with both ends known: [starts] targets that are not reached */
	gemp_cypher_groups by_start;
	gemp_cypher_frame next;
} expansion;

static bool is_shortest(const expansion *x)
{
	return x->step->kind == GEMP_CY_STEP_SHORTEST;
}

static uint64_t max_hops(const expansion *x)
{
	return !x->hop->edge->variable ? 1 : x->hop->edge->has_max ? x->hop->edge->max_hops : UINT32_MAX - 1;
}

static uint64_t min_hops(const expansion *x)
{
	return x->hop->edge->variable ? x->hop->edge->min_hops : 1;
}

/* VISITS. A record is the number of a start, a vertex, and a word. */

static gemp_code add_pair(gemp_record_table *table, size_t start, gemp_vertex vertex, uint32_t word, uint32_t **found,
                          bool *added)
{
	uint32_t record[VISIT_WORDS] = { (uint32_t)start, vertex, word };
	GEMP_TRY(
		gemp_record_table_add(table, record, gemp_hash(record, VISIT_KEY_WORDS * sizeof *record, 0), found, added));
	return *found ? GEMP_OK : gemp_fail(GEMP_ENOMEM, "shortest paths visit more than 2^32 - 1 pairs of nodes");
}

static bool has_pair(const gemp_record_table *table, size_t start, gemp_vertex vertex)
{
	const uint32_t record[VISIT_WORDS] = { (uint32_t)start, vertex };
	return gemp_record_table_find(table, record, gemp_hash(record, VISIT_KEY_WORDS * sizeof *record, 0)) != NULL;
}

/* Decides whether a shortest path may continue with this vertex. Only a first visit, or for all shortest paths another
 * visit in the same round, is one. */
static gemp_code visit(expansion *x, size_t start, gemp_vertex vertex, uint32_t length, bool *continues)
{
	uint32_t *found;
	bool added;
	GEMP_TRY(add_pair(&x->visited, start, vertex, length, &found, &added));
	*continues = added || (x->hop->kind == GEMP_CY_ALL_SHORTEST && found[VISIT_KEY_WORDS] == length && length);
	if (added && x->step->closes && has_pair(&x->targets, start, vertex))
		x->open[start]--;
	return GEMP_OK;
}

/* The pairs of ends that rows ask for. */
static gemp_code collect_targets(expansion *x)
{
	const gemp_cypher_frame *frame = &x->answer->frame;
	const size_t cell = gemp_cypher_vertex_cell(x->hop->reversed ? x->hop->from : x->hop->to);
	GEMP_TRY(GEMP_NEW(x->open, x->starts.count));
	for (size_t row = 0; row < frame->rows && x->step->closes; row++) {
		uint32_t *found;
		bool added;
		GEMP_TRY(add_pair(&x->targets, x->starts.of_row[row], (gemp_vertex)gemp_cypher_frame_row(frame, row)[cell], 0,
		                  &found, &added));
		x->open[x->starts.of_row[row]] += added;
	}
	return GEMP_OK;
}

/* TRAILS */

static gemp_code add_result(expansion *x, size_t trail, size_t start)
{
	GEMP_TRY(GEMP_RESERVE(x->result, x->result_capacity, x->results + 1));
	GEMP_TRY(GEMP_RESERVE(x->result_start, x->result_start_capacity, x->results + 1));
	x->result[x->results] = trail;
	x->result_start[x->results++] = start;
	return GEMP_OK;
}

/* Registers a trail that was added last. */
static gemp_code note_trail(expansion *x, size_t trail, size_t start)
{
	const uint64_t max = x->answer->search->session.options.combinations;
	const uint64_t limit = max ? max : GEMP_MAX_COMBINATIONS;
	GEMP_TRY(GEMP_RESERVE(x->start_of, x->capacity, trail - x->first + 1));
	x->start_of[trail - x->first] = start;
	if (trail - x->first >= limit)
		return gemp_source_fail(&x->answer->search->session.tree->source, x->hop->edge->place.begin,
		                        "there are more than %llu paths of this length; give it a smaller upper bound, or "
		                        "allow more combinations",
		                        (unsigned long long)limit);
	if (x->answer->trails.trails[trail].length >= min_hops(x))
		return add_result(x, trail, start);
	return GEMP_OK;
}

static gemp_code add_roots(expansion *x)
{
	for (size_t start = 0; start < x->starts.count; start++) {
		const gemp_vertex vertex = *gemp_cypher_grouping_tuple(&x->starts, start);
		size_t trail;
		bool continues;
		GEMP_TRY(gemp_cypher_trail_root(&x->answer->trails, vertex, &trail));
		GEMP_TRY(note_trail(x, trail, start));
		if (is_shortest(x))
			GEMP_TRY(visit(x, start, vertex, 0, &continues));
	}
	return GEMP_OK;
}

static gemp_code fulfils_map(const expansion *x, size_t start, gemp_edge edge, bool *passes)
{
	const gemp_datum relationship = { .kind = GEMP_DATUM_RELATIONSHIP, .id = edge };
	if (!x->step->map)
		return GEMP_OK;
	const size_t map = gemp_cypher_grouping_tuple(&x->starts, start)[1];
	return gemp_cypher_test_properties(x->answer, relationship, *gemp_cypher_table_row(&x->maps.rows, map), passes);
}

/* A trail uses each relationship once. */
static gemp_code extend(expansion *x, size_t trail)
{
	const gemp_cypher_trail from = x->answer->trails.trails[trail];
	const size_t start = x->start_of[trail - x->first];
	size_t count;
	const gemp_cypher_neighbour *neighbours = gemp_cypher_adjacency_of(x->adjacency, from.vertex, &count);
	for (size_t i = 0; i < count; i++) {
		size_t longer;
		bool continues = true;
		GEMP_TRY(fulfils_map(x, start, neighbours[i].edge, &continues));
		if (!continues)
			continue;
		if (is_shortest(x))
			GEMP_TRY(visit(x, start, neighbours[i].vertex, from.length + 1, &continues));
		else
			continues = !gemp_cypher_trail_has(&x->answer->trails, trail, neighbours[i].edge);
		if (!continues)
			continue;
		GEMP_TRY(gemp_cypher_trail_add(&x->answer->trails, trail, neighbours[i].edge, neighbours[i].vertex, &longer));
		GEMP_TRY(note_trail(x, longer, start));
	}
	return GEMP_OK;
}

/* False for a shortest path whose start has reached all of its ends. */
static bool grows(const expansion *x, const bool *closed, size_t trail)
{
	return !closed[x->start_of[trail - x->first]];
}

/* Marks the starts that have no open target when a round begins. A round is completed for all starts, since it may find
 * further paths of the same length. */
static void close_starts(const expansion *x, bool *closed)
{
	for (size_t start = 0; start < x->starts.count && is_shortest(x) && x->step->closes; start++)
		closed[start] = x->open[start] == 0;
}

/* Fetches the neighbours of the ends of trails [begin, end), and what the map reads of all of their relationships. */
static gemp_code fetch_neighbours(expansion *x, const bool *closed, size_t begin, size_t end)
{
	gemp_cypher_answer *a = x->answer;
	const gemp_cypher_trail *trails = a->trails.trails;
	for (size_t trail = begin; trail < end; trail++)
		if (grows(x, closed, trail))
			GEMP_TRY(gemp_cypher_adjacency_want(x->adjacency, trails[trail].vertex));
	GEMP_TRY(gemp_cypher_adjacency_fetch(x->adjacency, &a->search->session, a->plan_number, x->step_number,
	                                     x->step->pattern != NULL));
	for (size_t trail = begin; trail < end && x->step->map; trail++) {
		size_t count = 0;
		const gemp_cypher_neighbour *neighbours = grows(x, closed, trail)
		                                              ? gemp_cypher_adjacency_of(x->adjacency, trails[trail].vertex,
		                                                                         &count)
		                                              : NULL;
		for (size_t i = 0; i < count; i++)
			GEMP_TRY(gemp_cypher_store_add_edge(&a->search->store, neighbours[i].edge));
	}
	return GEMP_OK;
}

static gemp_code run_rounds(expansion *x)
{
	GEMP_OWNED bool *closed = NULL;
	size_t begin = x->first;
	const gemp_cypher_trails *trails = &x->answer->trails;
	GEMP_TRY(GEMP_NEW(closed, x->starts.count));
	for (uint64_t length = 0; length < max_hops(x) && begin < trails->count; length++) {
		const size_t end = trails->count;
		close_starts(x, closed);
		GEMP_TRY(fetch_neighbours(x, closed, begin, end));
		for (size_t trail = begin; trail < end; trail++)
			if (grows(x, closed, trail))
				GEMP_TRY(extend(x, trail));
		begin = end;
	}
	return GEMP_OK;
}

/* JOINING ROWS */

static int by_end(const void *a, const void *b, void *context)
{
	const expansion *x = context;
	const gemp_cypher_trail *trails = x->answer->trails.trails;
	const size_t i = x->result[*(const size_t *)a], j = x->result[*(const size_t *)b];
	if (trails[i].vertex != trails[j].vertex)
		return trails[i].vertex < trails[j].vertex ? -1 : 1;
	return (i > j) - (i < j);
}

/* Groups results by start, and sorts each group by the ends of its trails, so that a row with a known end finds its
 * trails by binary search. */
static gemp_code group_results(expansion *x)
{
	GEMP_TRY(gemp_cypher_groups_new(&x->by_start, x->result_start, x->results, x->starts.count));
	for (size_t start = 0; start < x->starts.count && x->step->closes; start++)
		qsort_r(x->by_start.members + x->by_start.begin[start], x->by_start.begin[start + 1] - x->by_start.begin[start],
		        sizeof *x->by_start.members, by_end, x);
	return GEMP_OK;
}

/* The first result of [begin, end) that ends at `vertex` or later. */
static size_t first_with_end(const expansion *x, size_t begin, size_t end, gemp_vertex vertex)
{
	while (begin < end) {
		const size_t middle = begin + (end - begin) / 2;
		if (x->answer->trails.trails[x->result[x->by_start.members[middle]]].vertex < vertex)
			begin = middle + 1;
		else
			end = middle;
	}
	return begin;
}

static gemp_code join_row(expansion *x, const uint64_t *row, size_t start)
{
	const gemp_cypher_trail *trails = x->answer->trails.trails;
	const size_t other = gemp_cypher_vertex_cell(x->hop->reversed ? x->hop->from : x->hop->to);
	size_t i = x->by_start.begin[start];
	const size_t end = x->by_start.begin[start + 1];
	if (x->step->closes)
		i = first_with_end(x, i, end, (gemp_vertex)row[other]);
	for (; i < end; i++) {
		const size_t trail = x->result[x->by_start.members[i]];
		uint64_t *out;
		if (x->step->closes && trails[trail].vertex != row[other])
			break;
		if (!is_shortest(x) && gemp_cypher_row_meets_trail(x->answer, row, trail))
			continue;
		GEMP_TRY(gemp_cypher_frame_add(&x->next, row, &out));
		out[other] = trails[trail].vertex;
		out[gemp_cypher_hop_cell(x->answer->plan, x->step->hop)] = trail;
	}
	return GEMP_OK;
}

static gemp_code expand(expansion *x, const gemp_cypher_environment *environment)
{
	const gemp_cypher_frame *frame = &x->answer->frame;
	const size_t cells[] = { gemp_cypher_vertex_cell(x->hop->reversed ? x->hop->to : x->hop->from),
		                     gemp_cypher_hop_cell(x->answer->plan, x->step->hop) };
	if (x->step->map)
		GEMP_TRY(gemp_cypher_number_maps(x->answer, x->step, environment, &x->maps));
	GEMP_TRY(gemp_cypher_grouping_new(&x->starts, frame, cells, x->step->map ? 2 : 1));
	if (is_shortest(x))
		GEMP_TRY(collect_targets(x));
	GEMP_TRY(add_roots(x));
	GEMP_TRY(run_rounds(x));
	GEMP_TRY(group_results(x));
	for (size_t row = 0; row < frame->rows; row++)
		GEMP_TRY(join_row(x, gemp_cypher_frame_row(frame, row), x->starts.of_row[row]));
	gemp_cypher_frame_replace(&x->answer->frame, &x->next);
	x->answer->bound_hops[x->answer->bound_count++] = x->step->hop;
	return GEMP_OK;
}

static void expansion_free(expansion *x)
{
	gemp_cypher_row_set_free(&x->maps);
	gemp_cypher_grouping_free(&x->starts);
	gemp_cypher_groups_free(&x->by_start);
	gemp_record_table_free(&x->visited);
	gemp_record_table_free(&x->targets);
	gemp_cypher_frame_free(&x->next);
	gemp_free_all(x->start_of, x->result, x->result_start, x->open);
}

/* The meaning of a lower bound above 1 would be the shortest of the longer paths, which a breadth-first search does not
 * find. */
static gemp_code check_shortest(const expansion *x)
{
	if (!is_shortest(x) || min_hops(x) <= 1)
		return GEMP_OK;
	return gemp_source_fail(&x->answer->search->session.tree->source, x->hop->edge->place.begin,
	                        "a shortest path has the lower bound 0 or 1; write -[*..n]-");
}

gemp_code gemp_cypher_step_expand(gemp_cypher_answer *answer, size_t step_number,
                                  const gemp_cypher_environment *environment)
{
	gemp_cypher_step *step = &answer->plan->steps[step_number];
	expansion x = { .answer = answer,
		            .step = step,
		            .step_number = step_number,
		            .hop = &answer->plan->hops[step->hop],
		            .first = answer->trails.count,
		            .next = { .width = answer->frame.width } };
	if (!answer->frame.rows)
		return GEMP_OK;
	GEMP_TRY(check_shortest(&x));
	if (!step->adjacency)
		GEMP_TRY(GEMP_NEW(step->adjacency, 1));
	x.adjacency = step->adjacency;
	gemp_record_table_init(&x.visited, VISIT_WORDS, VISIT_KEY_WORDS, SIZE_MAX / 2);
	gemp_record_table_init(&x.targets, VISIT_WORDS, VISIT_KEY_WORDS, SIZE_MAX / 2);
	gemp_code code = expand(&x, environment);
	expansion_free(&x);
	return code;
}
