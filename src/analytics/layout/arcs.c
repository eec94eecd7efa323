/* arcs: turns edges into arcs, which are grouped by ranges of target rows. Each arc is sent to the rank to which the
 * cut assigns it, in rounds of bounded size. The received arcs are then split into ranges.
 *
 * The split is stable. Every chunk of arcs counts its arcs in each range, prefix sums over ranges and then chunks turn
 * the counts into places, and every chunk moves its arcs to these places. Chunks share no counter, so no operation is
 * atomic. */

#include "analytics/layout/layout_state.h"
#include "comm/exchange.h"
#include "core/limits.h"
#include "core/memory.h"
#include "core/search.h"
#include "core/threads.h"

enum { ARCS_OF_RANGE = 1 << 14, MAX_RANGES = 2048, MIN_CHUNK = 16 };

/* The prefix sums are exclusive. They run over the chunks of a bucket, then over buckets, which makes the split
 * stable. */
void gemp_layout_bucket_places(uint64_t *count, size_t chunks, size_t buckets, uint64_t *begin)
{
	uint64_t place = 0;
	for (size_t b = 0; b < buckets; b++) {
		begin[b] = place;
		for (size_t c = 0; c < chunks; c++) {
			const uint64_t arcs = count[c * buckets + b];
			count[c * buckets + b] = place;
			place += arcs;
		}
	}
	begin[buckets] = place;
}

/* A range should fit a core's cache, but there are at most MAX_RANGES ranges, and the number of a row within its range
 * has at most 31 bits. */
void gemp_layout_choose_ranges(uint64_t count, uint64_t rows, size_t *ranges, unsigned *shift)
{
	unsigned bits = rows > 1 ? 64 - (unsigned)__builtin_clzll(rows - 1) : 0, kept = 0;
	while (kept < bits && (bits - kept > 31 || ((2u << kept) <= MAX_RANGES && count >> kept > ARCS_OF_RANGE)))
		kept++;
	*shift = bits - kept;
	*ranges = (size_t)1 << kept;
}

typedef struct split_task {
	const gemp_layout_arcs *arcs;
	const uint32_t *word;
	uint64_t *places; /* [chunks][ranges] */
} split_task;

/* Counts the arcs of a chunk by range, into the chunk's own row of places[]. */
static void count_chunk(void *context, size_t chunk, size_t begin, size_t end)
{
	const split_task *s = context;
	uint64_t *places = s->places + chunk * s->arcs->ranges;
	for (size_t i = begin; i < end; i++)
		places[s->word[i * s->arcs->words + ARC_TO] >> s->arcs->shift]++;
}

/* Moves the arcs of a chunk to their ranges. `words` is constant after inlining, so the compiler unrolls the copies. */
static inline __attribute__((always_inline)) void move(const split_task *s, size_t chunk, size_t begin, size_t end,
                                                       unsigned words)
{
	uint64_t *places = s->places + chunk * s->arcs->ranges;
	for (size_t i = begin; i < end; i++) {
		const uint32_t *arc = s->word + i * words;
		gemp_layout_arc_copy(s->arcs->word + places[arc[ARC_TO] >> s->arcs->shift]++ * words, arc, words);
	}
}

/* Contains the loop once for each size of an arc. */
static void move_chunk(void *context, size_t chunk, size_t begin, size_t end)
{
	const split_task *s = context;
	switch (s->arcs->words) {
	case 2: move(s, chunk, begin, end, 2); return;
	case 3: move(s, chunk, begin, end, 3); return;
	default: move(s, chunk, begin, end, 4); return;
	}
}

/* Local. Splits word[count * arcs->words] by ranges of rows. On entry only arcs->words is set. */
static gemp_code split_arcs(gemp_layout_arcs *arcs, const uint32_t *word, uint64_t count, uint64_t rows)
{
	GEMP_OWNED uint64_t *places = NULL;
	const uint64_t chunk = gemp_layout_chunk(count);
	const size_t chunks = (size_t)((count + chunk - 1) / chunk);
	arcs->count = count;
	gemp_layout_choose_ranges(count, rows, &arcs->ranges, &arcs->shift);
	GEMP_TRY(gemp_new_all(GEMP_ARRAY(places, chunks * arcs->ranges), GEMP_ARRAY(arcs->begin, arcs->ranges + 1),
	                      GEMP_ARRAY(arcs->word, arcs->count * arcs->words)));
	split_task s = { .arcs = arcs, .word = word, .places = places };
	gemp_for_chunks(count, chunk, count_chunk, &s);
	gemp_layout_bucket_places(places, chunks, arcs->ranges, arcs->begin);
	gemp_for_chunks(count, chunk, move_chunk, &s);
	return GEMP_OK;
}

typedef struct edge_chunk {
	size_t type;
	uint64_t begin, end; /* edges of the type on this rank */
} edge_chunk;

typedef struct send_task {
	gemp_layout_state *state;
	edge_chunk *chunks;
	size_t count, ranks;
	size_t first;     /* first chunk of this round */
	uint64_t *places; /* [chunks][ranks] number of arcs; in a round the next place in send[] or own[] */
	uint32_t *send;   /* arcs of a round for other ranks */
	uint32_t *own;    /* all arcs for this rank */
} send_task;

typedef void arc_visit(const send_task *s, uint64_t *places, uint32_t to, gemp_vertex from,
                       const gemp_layout_type *type, uint64_t edge, unsigned words);

/* Most arcs lead to own vertices, for which no search is needed. */
static inline size_t owner_of(const send_task *s, gemp_vertex to)
{
	const gemp_shard *graph = s->state->graph;
	if (to - graph->first_vertex < graph->rows)
		return (size_t)graph->rank;
	return (size_t)gemp_shard_owner(graph, to);
}

/* The rank to which an arc is cut: in the row of the target's owner and in the column of the source's owner. */
static inline size_t rank_of(const send_task *s, gemp_vertex to, gemp_vertex from)
{
	size_t columns = (size_t)s->state->out->grid.columns, rank = owner_of(s, to);
	return columns == 1 ? rank : rank - rank % columns + owner_of(s, from) % columns;
}

static inline void count_arc(const send_task *s, uint64_t *places, uint32_t to, gemp_vertex from,
                             const gemp_layout_type *type, uint64_t edge, unsigned words)
{
	(void)type, (void)edge, (void)words;
	places[rank_of(s, to, from)]++;
}

/* Writes an arc to the next place of its rank. The target is numbered within the rank's row of the grid. */
static inline void move_arc(const send_task *s, uint64_t *places, uint32_t to, gemp_vertex from,
                            const gemp_layout_type *type, uint64_t edge, unsigned words)
{
	const gemp_layout_state *state = s->state;
	size_t rank = rank_of(s, to, from), column = rank % (size_t)state->out->grid.columns;
	uint32_t *arc = (rank == (size_t)state->graph->rank ? s->own : s->send) + places[rank]++ * words;
	arc[ARC_TO] = to - (uint32_t)state->graph->bounds[rank - column];
	arc[ARC_FROM] = from;
	if (words > ARC_WEIGHT)
		gemp_layout_weight_load(arc + ARC_WEIGHT, state->out->weights, type->weight, edge);
}

/* Calls `visit` for each arc of a chunk of edges. It is inlined for each number of words, and with 0 words for
 * counting. */
static inline __attribute__((always_inline)) void each_arc(const send_task *s, size_t number, arc_visit *visit,
                                                           unsigned words)
{
	const edge_chunk *chunk = &s->chunks[s->first + number];
	const gemp_layout_type *type = &s->state->types[chunk->type];
	const gemp_relation *relation = type->relation;
	uint64_t *places = s->places + (s->first + number) * s->ranks;
	size_t row = gemp_range_find(relation->out_offsets, s->state->graph->rows, chunk->begin);
	for (uint64_t edge = chunk->begin; edge < chunk->end; edge++) {
		while (edge >= relation->out_offsets[row + 1])
			row++;
		gemp_vertex source = (gemp_vertex)(s->state->graph->first_vertex + row), target = relation->out_targets[edge];
		if (type->forward)
			visit(s, places, target, source, type, edge, words);
		if (type->backward && !(type->forward && source == target))
			visit(s, places, source, target, type, edge, words);
	}
}

/* Runs the same loop as move_sent_chunk, so each counted place is filled exactly once. */
static void count_sent_chunk(void *context, unsigned thread, size_t chunk)
{
	(void)thread;
	each_arc(context, chunk, count_arc, 0);
}

static void move_sent_chunk(void *context, unsigned thread, size_t chunk)
{
	(void)thread;
	const send_task *s = context;
	switch (s->state->arcs.words) {
	case 2: each_arc(s, chunk, move_arc, 2); return;
	case 3: each_arc(s, chunk, move_arc, 3); return;
	default: each_arc(s, chunk, move_arc, 4); return;
	}
}

/* Cuts the edges into chunks. A chunk repays the start of a thread, and is at most as large as a round. */
static gemp_code cut_edges(send_task *s)
{
	const gemp_layout_state *state = s->state;
	size_t bytes = state->arcs.words * sizeof(uint32_t) * 2, capacity = 0;
	uint64_t edges = 0, size;
	for (size_t t = 0; t < state->type_count; t++)
		edges += state->types[t].relation->out_offsets[state->graph->rows];
	size = gemp_layout_chunk(edges);
	size_t round = gemp_limits_now()->layout_round / bytes; /* edges */
	if (size > round)
		size = round > MIN_CHUNK ? round : MIN_CHUNK;
	for (size_t t = 0; t < state->type_count; t++) {
		uint64_t all = state->types[t].relation->out_offsets[state->graph->rows];
		for (uint64_t begin = 0; begin < all; begin += size) {
			GEMP_TRY(GEMP_RESERVE(s->chunks, capacity, s->count + 1));
			s->chunks[s->count++] = (edge_chunk){ t, begin, all - begin < size ? all : begin + size };
		}
	}
	return GEMP_OK;
}

/* The number of chunks of one round: as many as fit in gemp_limits.layout_round bytes, but at least one while chunks
 * are left. */
static size_t round_chunks(const send_task *s)
{
	size_t bytes = s->state->arcs.words * sizeof(uint32_t) * 2, chunks = 0;
	const size_t limit = gemp_limits_now()->layout_round;
	uint64_t edges = 0;
	while (s->first + chunks < s->count) {
		const edge_chunk *chunk = &s->chunks[s->first + chunks];
		edges += chunk->end - chunk->begin;
		if (chunks && edges * bytes > limit)
			break;
		chunks++;
	}
	return chunks;
}

/* Sets the places of a round's arcs. This rank's arcs lie in own[] from *at on, which moves on. The other arcs lie in
 * send[], by rank, with send_size[ranks] bytes each. Returns the number of arcs to send. */
static size_t round_places(send_task *s, size_t chunks, uint64_t *at, size_t *send_size)
{
	size_t ranks = s->ranks, arc = s->state->arcs.words * sizeof(uint32_t), sum = 0;
	for (size_t r = 0; r < ranks; r++) {
		bool own = r == (size_t)s->state->comm->rank;
		uint64_t place = own ? *at : sum, first = place;
		for (size_t p = s->first; p < s->first + chunks; p++) {
			uint64_t count = s->places[p * ranks + r];
			s->places[p * ranks + r] = place;
			place += count;
		}
		send_size[r] = own ? 0 : (place - first) * arc;
		if (own)
			*at = place;
		else
			sum = place;
	}
	return sum;
}

/* Collective. Sends arcs to the ranks to which the cut assigns them. *word[*count] becomes the arcs of this rank: first
 * the arcs from its own part of the graph, then the received arcs in the order of rounds. */
static gemp_code exchange_arcs(send_task *s, uint32_t **word, uint64_t *count)
{
	gemp_code code = GEMP_OK;
	const gemp_comm *comm = s->state->comm;
	size_t ranks = s->ranks, words = s->state->arcs.words, arc = words * sizeof(uint32_t), capacity = 0,
		   send_capacity = 0;
	uint64_t own = 0, received_count = 0, totals[2] = { 0 };
	GEMP_OWNED size_t *sizes = NULL;
	GEMP_OWNED uint64_t *incoming = NULL;
	GEMP_OWNED void *received = NULL;
	code = GEMP_NEW(s->places, s->count * ranks);
	GEMP_THEN(GEMP_NEW(sizes, 2 * ranks));
	GEMP_THEN(GEMP_NEW(incoming, ranks));
	GEMP_TRY(gemp_comm_agree(comm, code));
	gemp_parallel_for(s->count, count_sent_chunk, s);
	for (size_t p = 0; p < s->count; p++)
		for (size_t r = 0; r < ranks; r++)
			incoming[r] += s->places[p * ranks + r];
	own = incoming[comm->rank];
	GEMP_MPI(MPI_Alltoall(MPI_IN_PLACE, 1, MPI_UINT64_T, incoming, 1, MPI_UINT64_T, comm->world));
	for (size_t r = 0; r < ranks; r++)
		*count += incoming[r];
	GEMP_TRY(gemp_comm_agree(comm, GEMP_NEW(*word, *count * words)));
	s->own = *word;
	for (uint64_t at = 0;;) {
		size_t chunks = round_chunks(s);
		/* The exchange is collective, so a rank without chunks takes part until no rank has chunks left. */
		totals[0] = chunks;
		gemp_comm_max(comm, totals, 1);
		if (!totals[0])
			break;
		size_t outgoing = round_places(s, chunks, &at, sizes);
		GEMP_TRY(gemp_comm_agree(comm, GEMP_RESERVE(s->send, send_capacity, outgoing * words + 1)));
		gemp_parallel_for(chunks, move_sent_chunk, s);
		s->first += chunks;
		GEMP_TRY(gemp_exchange(comm, GEMP_OK, s->send, sizes, &received, &capacity, sizes + ranks, NULL));
		size_t size = 0;
		for (size_t r = 0; r < ranks; r++)
			size += sizes[ranks + r];
		memcpy(*word + (own + received_count) * words, received, size);
		received_count += size / arc;
	}
	return GEMP_OK;
}

/* Collective. send[] is freed before the split, since the split needs memory for a second copy of all arcs. The first
 * copy is freed after it. */
gemp_code gemp_layout_make_arcs(gemp_layout_state *state)
{
	gemp_code code = GEMP_OK;
	send_task s = { .state = state, .ranks = (size_t)state->comm->size };
	uint32_t *word = NULL;
	uint64_t count = 0;
	state->arcs.words = ARC_WEIGHT + gemp_layout_weight_words(state->out->weights);
	GEMP_TRY_DONE(gemp_comm_agree(state->comm, cut_edges(&s)));
	GEMP_TRY_DONE(exchange_arcs(&s, &word, &count));
	gemp_free(s.send);
	s.send = NULL;
	code = gemp_comm_agree(state->comm, split_arcs(&state->arcs, word, count, state->targets));
done:
	gemp_free_all(word, s.send, s.places, s.chunks);
	return code;
}
