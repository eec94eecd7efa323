#include "euler/euler.h"

#include "core/search.h"
#include "core/threads.h"

#include <string.h>

/* The edges of a single relation are borrowed from the relation. New arrays (own_begin, own_target) are made if several
 * relations are merged, or if an edge that closes a path is added. begin and target always point to the arrays in
 * use. */

/* Selects the relations and checks that they are all directed or all undirected. */
static gemp_code choose_relations(gemp_euler_edges *edges, const gemp_shard *graph, const bool *relations)
{
	GEMP_TRY(GEMP_NEW(edges->relations, graph->relation_count));
	for (size_t r = 0; r < graph->relation_count; r++) {
		const gemp_relation *relation = &graph->relations[r];
		if (relations && !relations[r])
			continue;
		if (edges->relation_count && edges->undirected == relation->directed)
			return gemp_fail(GEMP_EUSAGE, "relation '%s' is %s and '%s' is not; take those of one kind with --relation",
			                 relation->name, relation->directed ? "directed" : "undirected", edges->relations[0]->name);
		edges->undirected = !relation->directed;
		edges->relations[edges->relation_count++] = relation;
		edges->first += relation->first_edge;
		edges->edges += relation->edge_count;
	}
	return GEMP_OK;
}

/* Makes rows of the merged graph. A row consists of the rows of the relations, in the order of relations. */
static void merge_rows(void *self, size_t range, size_t begin, size_t end)
{
	(void)range;
	gemp_euler_edges *edges = self;
	for (size_t row = begin; row < end; row++) {
		gemp_vertex *to = edges->own_target + edges->begin[row];
		for (size_t r = 0; r < edges->relation_count; r++) {
			const gemp_relation *relation = edges->relations[r];
			size_t count = relation->out_offsets[row + 1] - relation->out_offsets[row];
			memcpy(to, relation->out_targets + relation->out_offsets[row], count * sizeof *to);
			to += count;
		}
	}
}

/* The offset of a merged row is the sum of its offsets in all relations. */
static gemp_code merge_relations(gemp_euler_edges *edges)
{
	GEMP_TRY(GEMP_NEW(edges->own_begin, edges->rows + 1));
	for (size_t row = 0; row <= edges->rows; row++)
		for (size_t r = 0; r < edges->relation_count; r++)
			edges->own_begin[row] += edges->relations[r]->out_offsets[row];
	GEMP_TRY(GEMP_NEW(edges->own_target, edges->own_begin[edges->rows]));
	edges->begin = edges->own_begin;
	edges->target = edges->own_target;
	gemp_for_ranges(edges->rows, merge_rows, edges);
	return GEMP_OK;
}

/* The rows of a single relation are borrowed, so the usual case copies no edge. Several relations are merged into new
 * arrays. */
gemp_code gemp_euler_edges_new(gemp_euler_edges *out, const gemp_shard *graph, const bool *relations)
{
	gemp_code code = GEMP_OK;
	*out = (gemp_euler_edges){ .rank = graph->rank,
		                       .ranks = graph->ranks,
		                       .vertices = graph->vertex_count,
		                       .bounds = graph->bounds,
		                       .rows = graph->rows,
		                       .closing = GEMP_NO_EDGE,
		                       .path_start = GEMP_NO_VERTEX,
		                       .path_end = GEMP_NO_VERTEX };
	GEMP_TRY_DONE(choose_relations(out, graph, relations));
	if (out->relation_count == 1) {
		out->begin = out->relations[0]->out_offsets;
		out->target = out->relations[0]->out_targets;
	} else {
		GEMP_TRY_DONE(merge_relations(out));
	}
done:
	if (code != GEMP_OK)
		gemp_euler_edges_free(out);
	return code;
}

/* Adds a slot at the end of `row`. The arrays are copied, since they may belong to the relation. */
static gemp_code insert_slot(gemp_euler_edges *edges, size_t row, gemp_vertex target)
{
	GEMP_OWNED uint64_t *begin = NULL;
	GEMP_OWNED gemp_vertex *targets = NULL;
	size_t before = edges->begin[row + 1], count = edges->begin[edges->rows];
	GEMP_TRY(gemp_new_all(GEMP_ARRAY(begin, edges->rows + 1), GEMP_ARRAY(targets, count + 1)));
	for (size_t r = 0; r <= edges->rows; r++)
		begin[r] = edges->begin[r] + (r > row);
	memcpy(targets, edges->target, before * sizeof *targets);
	targets[before] = target;
	memcpy(targets + before + 1, edges->target + before, (count - before) * sizeof *targets);
	gemp_free_all(edges->own_begin, edges->own_target);
	edges->begin = edges->own_begin = begin;
	edges->target = edges->own_target = targets;
	begin = NULL;
	targets = NULL;
	edges->closing = edges->first + before;
	return GEMP_OK;
}

/* No message is needed. Every rank knows from `bounds` which rank gets the new slot. A rank behind that rank numbers
 * its own slots from one later. */
gemp_code gemp_euler_edges_close(gemp_euler_edges *edges, gemp_vertex start, gemp_vertex end)
{
	uint64_t first = edges->bounds[edges->rank];
	if (end >= first && end < first + edges->rows)
		GEMP_TRY(insert_slot(edges, end - first, start));
	else if (end < first)
		edges->first++;
	edges->edges++;
	edges->path_start = start;
	edges->path_end = end;
	return GEMP_OK;
}

/* Copies only the array of pointers. The relations belong to the graph, which outlives both lists of edges. */
gemp_code gemp_euler_edges_share_relations(gemp_euler_edges *to, const gemp_euler_edges *from)
{
	GEMP_TRY(GEMP_NEW(to->relations, from->relation_count));
	to->relation_count = from->relation_count;
	for (size_t r = 0; r < from->relation_count; r++)
		to->relations[r] = from->relations[r];
	return GEMP_OK;
}

bool gemp_euler_edges_is_valid(const gemp_euler_edges *edges)
{
	uint64_t own = edges->begin ? edges->begin[edges->rows] : UINT64_MAX;
	return edges->begin && edges->begin[0] == 0 && edges->first + own <= edges->edges &&
	       (edges->closing == GEMP_NO_EDGE || edges->closing - edges->first < own);
}

void gemp_euler_edges_free(gemp_euler_edges *edges)
{
	gemp_free_all(edges->relations, edges->own_begin, edges->own_target, edges->own_edge);
	*edges = (gemp_euler_edges){ 0 };
}

gemp_vertex gemp_euler_source(const gemp_euler_edges *edges, gemp_edge slot)
{
	uint64_t local = slot - edges->first;
	return (gemp_vertex)(edges->bounds[edges->rank] + gemp_range_find(edges->begin, edges->rows, local));
}

/* A row consists of the rows of the relations in their order, so subtracting the lengths of these rows leads to the
 * relation. Only the closing edge lies behind all of these rows, and it belongs to no relation. */
gemp_euler_edge gemp_euler_edge_of(const gemp_euler_edges *edges, gemp_vertex source, gemp_edge slot)
{
	size_t row = source - edges->bounds[edges->rank], r = 0;
	if (edges->own_edge)
		return gemp_euler_edge_named(edges->own_edge[slot - edges->first]);
	uint64_t at = slot - edges->first - edges->begin[row];
	for (; r < edges->relation_count; r++) {
		const gemp_relation *relation = edges->relations[r];
		uint64_t count = relation->out_offsets[row + 1] - relation->out_offsets[row];
		if (at < count)
			return (gemp_euler_edge){ r, relation->first_edge + relation->out_offsets[row] + at };
		at -= count;
	}
	return (gemp_euler_edge){ edges->relation_count, GEMP_NO_EDGE };
}

void gemp_euler_result_free(gemp_euler_result *result)
{
	gemp_free_all(result->order.edge, result->order.source, result->circuit, result->joined);
	*result = (gemp_euler_result){ 0 };
}

/* The comment of each stage names the arrays that the stage reads or writes. Numbers have 4 bytes, bitmaps have a bit
 * for each slot, and a sixteenth of the slots is in the sample. */
double gemp_euler_stage_bytes(gemp_euler_stage stage, uint64_t vertices, uint64_t edges, uint64_t splitters)
{
	double n = (double)vertices, m = (double)edges, s = (double)splitters;
	switch (stage) {
	case GEMP_EULER_FILL: /* row starts become cursors; bitmaps, the sample */ return 8 * n + 4 * m / 8 + m / 4;
	case GEMP_EULER_PAIR: /* targets, successors, cursors; the check reads cursors again */ return 8 * m + 16 * n;
	case GEMP_EULER_WALK: /* successors, chunks, segments */ return 8 * m + 8 * s;
	case GEMP_EULER_CIRCUITS: /* segments become a list, and the list becomes parents and roots */ return 32 * s;
	case GEMP_EULER_ORPHANS: /* chunks, visited (read and written), the sample */ return 4 * m + m / 4 + m / 4;
	case GEMP_EULER_GRAPH: /* roots of the segments; few slots get a label */ return 4 * s;
	case GEMP_EULER_UNION: /* the sample, labelled, row starts, roots */ return m / 4 + m / 8 + m / 8 + 8 * s;
	case GEMP_EULER_ROTATE: /* chunks, marks, visited */ return 4 * m + m / 8 + m / 8;
	case GEMP_EULER_REWALK: return s;
	case GEMP_EULER_RANK: /* segments become a list */ return 16 * s;
	case GEMP_EULER_EMIT: /* chunks, the list, the order */ return 8 * m + 9 * s;
	default: return 0;
	}
}

const char *const gemp_euler_stage_name[GEMP_EULER_STAGES] = { "fill",    "pair",  "walk",  "circuits",
	                                                           "orphans", "graph", "union", "rotate",
	                                                           "rewalk",  "rank",  "emit" };

enum { SLOTS_PER_ROUND = 1 << 22 }; /* slots that a rank requests in a round, which bounds the memory of owners */

/* The requests that an owner answers. */
typedef struct slot_requests {
	gemp_euler_answer *answer;
	void *self;
	const gemp_edge *slots; /* the slots of this round, as the owner has received them */
	uint64_t *answers;
} slot_requests;

static void answer_range(void *context, size_t range, size_t begin, size_t end)
{
	(void)range;
	const slot_requests *requests = context;
	for (size_t i = begin; i < end; i++)
		requests->answers[i] = requests->answer(requests->self, requests->slots[i]);
}

/* Request handler: all threads answer. */
static gemp_code answer_slots(void *self, const void *records, size_t count, uint64_t *answers)
{
	slot_requests *requests = self;
	requests->slots = records;
	requests->answers = answers;
	gemp_for_ranges(count, answer_range, requests);
	return GEMP_OK;
}

/* An unknown slot is an error of the caller. Without this check the request would go to the last rank, which would read
 * behind its arrays. */
static gemp_code check_slots(const gemp_euler_edges *edges, const gemp_edge *slots, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (slots[i] >= edges->edges)
			return gemp_fail(GEMP_EINTERNAL, "rank %d: there is no slot %" PRIu64 " among %" PRIu64, edges->rank,
			                 slots[i], edges->edges);
	return GEMP_OK;
}

/* All ranks make the same number of rounds, so a rank with fewer slots takes part in the last rounds without requests.
 * `owner` holds the ranks of one round only. A single rank needs no owners. */
gemp_code gemp_euler_query_slots(const gemp_comm *comm, const gemp_euler_edges *edges, const gemp_edge *slots,
                                 size_t count, gemp_euler_answer *answer, void *self, uint64_t *answers)
{
	size_t ranks = (size_t)comm->size;
	slot_requests requests = { .answer = answer, .self = self };
	GEMP_OWNED uint64_t *bounds = NULL;
	GEMP_OWNED int *owner = NULL;
	gemp_code code = check_slots(edges, slots, count);
	GEMP_THEN(GEMP_NEW(bounds, ranks + 1));
	if (ranks > 1)
		GEMP_THEN(GEMP_NEW(owner, gemp_min(count, SLOTS_PER_ROUND)));
	GEMP_TRY(gemp_comm_agree(comm, code));
	GEMP_MPI(MPI_Allgather(&edges->first, 1, MPI_UINT64_T, bounds, 1, MPI_UINT64_T, comm->world));
	uint64_t rounds = gemp_exchange_rounds(comm, count, SLOTS_PER_ROUND);
	for (uint64_t round = 0; round < rounds; round++) {
		gemp_block_range part = gemp_exchange_round(round, count, SLOTS_PER_ROUND);
		for (size_t i = part.begin; i < part.end && owner; i++)
			owner[i - part.begin] = (int)gemp_range_find(bounds, ranks, slots[i]);
		const gemp_request request = { .records = slots + part.begin,
			                           .count = part.end - part.begin,
			                           .size = sizeof *slots,
			                           .owner = owner,
			                           .handler = answer_slots,
			                           .self = &requests };
		GEMP_TRY(gemp_request_run(comm, GEMP_OK, &request, answers + part.begin));
	}
	return GEMP_OK;
}
