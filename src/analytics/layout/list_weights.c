/* list_weights: the weights of the arcs in in_lists, in the layout's type of weights.
 *
 * The owner of an edge's source has the edge's attributes. The weights of rows by source are here, and those of rows by
 * target are found by the numbers of the edges. If all ranks are on one node, each rank writes the weights of its edges
 * to shared memory, and every rank reads what it needs. Otherwise weights are requested from the owners. Requests and
 * answers are sent in rounds of bounded size: 4 bytes for an edge that another rank has, and the bytes of its weight
 * back. */

#include "analytics/layout/layout_state.h"
#include "comm/exchange.h"
#include "comm/shared.h"
#include "core/limits.h"
#include "core/memory.h"
#include "core/threads.h"

enum { CHUNK = 1 << 15 }; /* entries that a thread requests at a time */

static inline void take_weight(const gemp_layout_state *state, void *to, uint64_t place, const gemp_column *column,
                               uint64_t edge)
{
	uint32_t words[2];
	gemp_layout_weight_load(words, state->out->weights, column, edge);
	gemp_layout_weight_set(to, place, words, gemp_layout_weight_size(state->out->weights));
}

/* Weights of a type. */
typedef struct weight_task {
	const gemp_layout_state *state;
	const gemp_layout_type *type;
	void *weight; /* [entries] of the list */
	size_t ranks;
	uint64_t *bounds;       /* [ranks + 1] first edge of each rank */
	gemp_block_range round; /* entries of this round */
	uint64_t *places;       /* [chunks][ranks] number of requests, then the place of the next one */
	uint32_t *wanted;       /* requested edges, numbered on their owners */
	const void *answers;
	const uint32_t *requested; /* the edges that other ranks request */
	char *replies;
} weight_task;

static void take_own(void *context, size_t begin, size_t end)
{
	const weight_task *w = context;
	for (size_t e = begin; e < end; e++)
		take_weight(w->state, w->weight, e, w->type->weight, e);
}

/* Most edges are of the same rank as the edge before, since they ascend in each row. */
static inline size_t owner_of(const weight_task *w, gemp_edge edge, size_t last)
{
	return edge >= w->bounds[last] && edge < w->bounds[last + 1] ? last : gemp_range_find(w->bounds, w->ranks, edge);
}

/* Moves the place of each owner behind the chunk's requests to it. The requests are written to their places unless
 * `wanted` is NULL. */
static inline void place_requests(const weight_task *w, size_t chunk, size_t begin, size_t end, uint32_t *wanted)
{
	const gemp_edge *edges = w->type->relation->in_edges + w->round.begin;
	uint64_t *places = w->places + chunk * w->ranks;
	const size_t rank = (size_t)w->state->comm->rank;
	size_t owner = rank;
	for (size_t i = begin; i < end; i++) {
		owner = owner_of(w, edges[i], owner);
		if (owner == rank)
			continue;
		if (wanted)
			wanted[places[owner]] = (uint32_t)(edges[i] - w->bounds[owner]);
		places[owner]++;
	}
}

static void count_requests(void *context, size_t chunk, size_t begin, size_t end)
{
	place_requests(context, chunk, begin, end, NULL);
}

static void list_requests(void *context, size_t chunk, size_t begin, size_t end)
{
	const weight_task *w = context;
	place_requests(w, chunk, begin, end, w->wanted);
}

/* list_requests has moved each place to the end of the chunk's requests. So the entries are taken from the last on. */
static void take_answers(void *context, size_t chunk, size_t begin, size_t end)
{
	const weight_task *w = context;
	const gemp_edge *edges = w->type->relation->in_edges + w->round.begin;
	const size_t rank = (size_t)w->state->comm->rank, size = gemp_layout_weight_size(w->state->out->weights);
	uint64_t *places = w->places + chunk * w->ranks;
	size_t owner = rank;
	for (size_t i = end; i-- > begin;) {
		const uint64_t entry = w->round.begin + i;
		owner = owner_of(w, edges[i], owner);
		if (owner == rank)
			take_weight(w->state, w->weight, entry, w->type->weight, edges[i] - w->bounds[rank]);
		else
			memcpy((char *)w->weight + entry * size, (const char *)w->answers + --places[owner] * size, size);
	}
}

static void reply_range(void *context, size_t begin, size_t end)
{
	const weight_task *w = context;
	for (size_t i = begin; i < end; i++)
		take_weight(w->state, w->replies, i, w->type->weight, w->requested[i]);
}

/* The memory of the rounds. */
typedef struct round_memory {
	uint64_t *begin;           /* [ranks + 1] first request to each rank */
	size_t *sizes;             /* [2][ranks] */
	void *requested, *answers; /* received requests and answers */
	size_t requested_capacity, answers_capacity, reply_capacity;
} round_memory;

/* Collective. Requests the weights of a round, and answers the requests of other ranks. */
static gemp_code run_round(weight_task *w, round_memory *m)
{
	const gemp_comm *comm = w->state->comm;
	const size_t ranks = w->ranks, count = (size_t)(w->round.end - w->round.begin);
	const size_t size = gemp_layout_weight_size(w->state->out->weights), chunks = (count + CHUNK - 1) / CHUNK;
	size_t replies = 0;
	memset(w->places, 0, chunks * ranks * sizeof *w->places);
	gemp_for_chunks(count, CHUNK, count_requests, w);
	gemp_layout_bucket_places(w->places, chunks, ranks, m->begin);
	gemp_for_chunks(count, CHUNK, list_requests, w);
	for (size_t r = 0; r < ranks; r++)
		m->sizes[r] = (size_t)(m->begin[r + 1] - m->begin[r]) * sizeof *w->wanted;
	GEMP_TRY(gemp_exchange(comm, GEMP_OK, w->wanted, m->sizes, &m->requested, &m->requested_capacity, m->sizes + ranks,
	                       NULL));
	for (size_t r = 0; r < ranks; r++) {
		const size_t wanted = m->sizes[ranks + r] / sizeof *w->wanted;
		m->sizes[r] = wanted * size;
		replies += wanted;
	}
	w->requested = m->requested;
	gemp_code code = GEMP_RESERVE(w->replies, m->reply_capacity, replies * size);
	if (code == GEMP_OK)
		gemp_for_elements(replies, reply_range, w);
	GEMP_TRY(
		gemp_exchange(comm, code, w->replies, m->sizes, &m->answers, &m->answers_capacity, m->sizes + ranks, NULL));
	w->answers = m->answers;
	gemp_for_chunks(count, CHUNK, take_answers, w);
	return GEMP_OK;
}

/* Collective. Requests the weights of a type's rows by target. */
static gemp_code request_weights(weight_task *w)
{
	gemp_code code = GEMP_OK;
	const gemp_comm *comm = w->state->comm;
	const gemp_relation *relation = w->type->relation;
	const uint64_t entries = relation->in_offsets[w->state->graph->rows];
	const uint64_t step = gemp_max(gemp_limits_now()->layout_round / sizeof *w->wanted, (size_t)1);
	const size_t most = (size_t)gemp_min(entries, step);
	round_memory m = { 0 };
	w->ranks = (size_t)comm->size;
	GEMP_TRY_DONE(
		gemp_comm_agree(comm, gemp_new_all(GEMP_ARRAY(w->bounds, w->ranks + 1), GEMP_ARRAY(m.begin, w->ranks + 1),
	                                       GEMP_ARRAY(m.sizes, 2 * w->ranks), GEMP_ARRAY(w->wanted, most),
	                                       GEMP_ARRAY(w->places, (most + CHUNK - 1) / CHUNK * w->ranks))));
	w->bounds[comm->rank] = relation->first_edge;
	w->bounds[w->ranks] = relation->edge_count;
	GEMP_MPI(MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, w->bounds, 1, MPI_UINT64_T, comm->world));
	const uint64_t rounds = gemp_exchange_rounds(comm, entries, step);
	for (uint64_t round = 0; round < rounds; round++) {
		w->round = gemp_exchange_round(round, entries, step);
		GEMP_TRY_DONE(run_round(w, &m));
	}
done:
	gemp_free_all(w->bounds, w->wanted, w->places, w->replies, m.begin, m.sizes, m.requested, m.answers);
	return code;
}

/* Weights by the numbers of edges, in memory that all ranks share. */
typedef struct shared_weights {
	const weight_task *task;
	char *weight; /* [edges of all ranks] */
} shared_weights;

static void share_own(void *context, size_t begin, size_t end)
{
	const shared_weights *s = context;
	for (size_t e = begin; e < end; e++)
		take_weight(s->task->state, s->weight, s->task->type->relation->first_edge + e, s->task->type->weight, e);
}

static void take_shared(void *context, size_t begin, size_t end)
{
	const shared_weights *s = context;
	const weight_task *w = s->task;
	const size_t size = gemp_layout_weight_size(w->state->out->weights);
	for (size_t e = begin; e < end; e++)
		memcpy((char *)w->weight + e * size, s->weight + w->type->relation->in_edges[e] * size, size);
}

/* Collective. The weights of a type's rows by target. */
static gemp_code fetch_weights(weight_task *w)
{
	const gemp_comm *comm = w->state->comm;
	const gemp_relation *relation = w->type->relation;
	const size_t rows = w->state->graph->rows, size = gemp_layout_weight_size(w->state->out->weights);
	gemp_shared block = { 0 };
	shared_weights s = { .task = w };
	if (comm->node_size < comm->size || !gemp_shared_new(&block, comm, (size_t)relation->edge_count * size))
		return request_weights(w);
	s.weight = block.bytes;
	gemp_for_elements((size_t)relation->out_offsets[rows], share_own, &s);
	gemp_shared_fence(&block);
	gemp_for_elements((size_t)relation->in_offsets[rows], take_shared, &s);
	gemp_shared_free(&block);
	return GEMP_OK;
}

/* The order of lists is that of gemp_layout_list_types. */
gemp_code gemp_layout_list_weights(gemp_layout_state *state)
{
	const size_t size = gemp_layout_weight_size(state->out->weights);
	size_t list = 0;
	GEMP_TRY(gemp_comm_agree(state->comm, GEMP_NEW(state->in_weights, state->list_count)));
	for (size_t t = 0; t < state->type_count; t++) {
		weight_task w = { .state = state, .type = &state->types[t] };
		const uint64_t own = w.type->relation->out_offsets[state->graph->rows];
		for (int backward = 0; backward < 2; backward++) {
			if (!(backward ? w.type->backward : w.type->forward))
				continue;
			const uint64_t entries = backward ? own : w.type->relation->in_offsets[state->graph->rows];
			GEMP_TRY(gemp_comm_agree(state->comm, gemp_new_all(GEMP_ARRAY_OF(state->in_weights[list], entries, size))));
			w.weight = state->in_weights[list++];
			if (backward)
				gemp_for_elements(entries, take_own, &w);
			else
				GEMP_TRY(fetch_weights(&w));
		}
	}
	return GEMP_OK;
}

/* SUMS OF THE WEIGHTS OF ARCS THAT LEAVE A VERTEX */

bool gemp_layout_sums_lists(const gemp_layout_state *state)
{
	bool all = state->listed;
	for (size_t t = 0; t < state->type_count; t++)
		all &= state->types[t].forward;
	return all;
}

/* The weight of an own edge, rounded as it is stored. */
static double own_weight(const gemp_layout_state *state, const gemp_layout_type *type, uint64_t edge)
{
	uint32_t words[2] = { 0 };
	gemp_layout_weight_load(words, state->out->weights, type->weight, edge);
	return gemp_layout_weight_at(state->out->weights, words, 0);
}

/* The first list of a type is that of its edges by target. Loops of a type that leads both ways count once. */
static void sum_rows(void *context, size_t range, size_t begin, size_t end)
{
	(void)range;
	const gemp_layout_state *state = context;
	gemp_layout *out = state->out;
	for (size_t row = begin; row < end; row++) {
		double *sum = &out->out_weight[out->local[row]];
		size_t list = 0;
		for (size_t t = 0; t < state->type_count; list += 1 + state->types[t].backward, t++) {
			const gemp_layout_type *type = &state->types[t];
			const gemp_relation *relation = type->relation;
			for (uint64_t e = relation->out_offsets[row]; e < relation->out_offsets[row + 1]; e++)
				*sum += own_weight(state, type, e);
			for (uint64_t e = relation->in_offsets[row]; type->backward && e < relation->in_offsets[row + 1]; e++)
				if (relation->in_sources[e] != state->graph->first_vertex + row)
					*sum += gemp_layout_weight_at(out->weights, state->in_weights[list], e);
		}
	}
}

/* One thread adds up a row in the order of its edges, so the sum does not depend on the number of threads. */
gemp_code gemp_layout_sum_lists(gemp_layout_state *state)
{
	GEMP_TRY(GEMP_NEW(state->out->out_weight, state->out->own));
	gemp_for_ranges(state->out->own, sum_rows, state);
	return GEMP_OK;
}
