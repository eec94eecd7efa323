/* Arcs to ranges of rows: each piece of them counts what it has for each range, then it is known where its arcs go. */

#include "analytics/layout/arcs.h"

#include "analytics/layout/edge_weights.h"
#include "comm/exchange.h"
#include "core/memory.h"
#include "core/search.h"
#include "core/threads.h"

enum { ARCS_A_PIECE = 1 << 15, ARCS_A_RANGE = 1 << 14, MOST_PIECES = 512, MOST_RANGES = 2048 };

void gemp_layout_bucket_places(uint64_t *count, size_t pieces, size_t buckets, uint64_t first, uint64_t *begin)
{
	for (size_t b = 0; b <= buckets; b++)
		begin[b] = 0;
	for (size_t p = 0; p < pieces; p++)
		for (size_t b = 0; b < buckets; b++)
			begin[b + 1] += count[p * buckets + b];
	begin[0] = first;
	for (size_t b = 0; b < buckets; b++)
		begin[b + 1] += begin[b];
	for (size_t p = 0; p < pieces; p++)
		for (size_t b = 0; b < buckets; b++) {
			uint64_t here = count[p * buckets + b];
			count[p * buckets + b] = begin[b];
			begin[b] += here;
		}
	for (size_t b = buckets; b > 0; b--) /* each is where the next one begins */
		begin[b] = begin[b - 1];
	begin[0] = first;
}

void gemp_layout_choose_ranges(uint64_t count, uint64_t rows, size_t *ranges, unsigned *shift)
{
	unsigned bits = rows > 1 ? 64 - (unsigned)__builtin_clzll(rows - 1) : 0, kept = 0;
	while (kept < bits && (bits - kept > 31 || ((2u << kept) <= MOST_RANGES && count >> kept > ARCS_A_RANGE)))
		kept++;
	*shift = bits - kept;
	*ranges = (size_t)1 << kept;
}

typedef struct splitting {
	const gemp_layout_arcs *arcs;
	const uint32_t *word;
	uint64_t count, piece;
	uint64_t *places; /* [pieces][ranges] */
} splitting;

static void count_piece(void *context, unsigned thread, size_t piece)
{
	(void)thread;
	const splitting *s = context;
	uint64_t *places = s->places + piece * s->arcs->ranges, i = piece * s->piece;
	for (uint64_t end = s->count - i < s->piece ? s->count : i + s->piece; i < end; i++)
		places[s->word[i * s->arcs->words + ARC_TO] >> s->arcs->shift]++;
}

static inline __attribute__((always_inline)) void move(const splitting *s, size_t piece, unsigned words)
{
	uint64_t *places = s->places + piece * s->arcs->ranges, i = piece * s->piece;
	for (uint64_t end = s->count - i < s->piece ? s->count : i + s->piece; i < end; i++) {
		const uint32_t *arc = s->word + i * words;
		gemp_layout_arc_copy(s->arcs->word + places[arc[ARC_TO] >> s->arcs->shift]++ * words, arc, words);
	}
}

static void move_piece(void *context, unsigned thread, size_t piece)
{
	(void)thread;
	const splitting *s = context;
	switch (s->arcs->words) {
	case 2: move(s, piece, 2); return;
	case 3: move(s, piece, 3); return;
	default: move(s, piece, 4); return;
	}
}

/* Local. arcs, of which only `words` is set, becomes word[count * arcs->words] by ranges of rows. */
static gemp_code gemp_layout_split_arcs(gemp_layout_arcs *arcs, const uint32_t *word, uint64_t count, uint64_t rows)
{
	gemp_code code = GEMP_OK;
	splitting s = { .arcs = arcs,
		            .word = word,
		            .count = count,
		            .piece = count / MOST_PIECES > ARCS_A_PIECE ? count / MOST_PIECES : ARCS_A_PIECE };
	size_t pieces = (size_t)((count + s.piece - 1) / s.piece);
	arcs->count = count;
	gemp_layout_choose_ranges(count, rows, &arcs->ranges, &arcs->shift);
	GEMP_TRY(GEMP_NEW(s.places, pieces * arcs->ranges));
	GEMP_TRY(GEMP_NEW(arcs->begin, arcs->ranges + 1));
	GEMP_TRY(GEMP_NEW(arcs->word, count * arcs->words));
	gemp_parallel_for(pieces, count_piece, &s);
	gemp_layout_bucket_places(s.places, pieces, arcs->ranges, 0, arcs->begin);
	gemp_parallel_for(pieces, move_piece, &s);
done:
	gemp_free(s.places);
	return code;
}

/* The arcs of one rank, which has both ends of all edges: those from the first local vertex, from the second, and so
 * on, each to the range of rows where it leads. */

enum { LAYOUT_ALONE_ARCS_A_PIECE = 1 << 15, LAYOUT_ALONE_MOST_PIECES = 512 };

typedef struct going {
	const gemp_layout_state *m;
	size_t pieces;
	uint32_t *first;  /* [pieces + 1] local vertices */
	uint64_t *places; /* [pieces][ranges] */
} going;

/* Arcs to where the edges [begin, end) lead. edge: their places among the rows by source; NULL: from begin on. loops:
 * those to `source` count, too. */
static inline __attribute__((always_inline)) void go(const going *g, uint64_t *places, const gemp_layout_type *type,
                                                     const gemp_vertex *ends, const gemp_edge *edge, uint64_t begin,
                                                     uint64_t end, gemp_vertex source, bool loops, uint32_t from,
                                                     unsigned words)
{
	const gemp_layout_arcs *arcs = &g->m->arcs;
	for (uint64_t e = begin; e < end; e++) {
		uint32_t to = ends[e];
		if (!loops && to == source)
			continue;
		uint64_t place = places[to >> arcs->shift]++;
		if (!words)
			continue;
		uint32_t *arc = arcs->word + place * words;
		arc[ARC_TO] = to;
		arc[ARC_FROM] = from;
		if (words > ARC_WEIGHT)
			gemp_layout_weight_load(arc + ARC_WEIGHT, g->m->out->weights, type->weight,
			                        edge ? edge[e] - type->relation->first_edge : e);
	}
}

/* words 0: arcs are counted. */
static inline __attribute__((always_inline)) void go_from(const going *g, size_t piece, unsigned words)
{
	uint64_t *places = g->places + piece * g->m->arcs.ranges;
	for (uint32_t v = g->first[piece]; v < g->first[piece + 1]; v++)
		for (size_t t = 0; t < g->m->type_count; t++) {
			const gemp_layout_type *type = &g->m->types[t];
			const gemp_relation *relation = type->relation;
			gemp_vertex row = g->m->out->id[v];
			if (type->forward)
				go(g, places, type, relation->out_targets, NULL, relation->out_offsets[row],
				   relation->out_offsets[row + 1], row, true, v, words);
			if (type->backward)
				go(g, places, type, relation->in_sources, relation->in_edges, relation->in_offsets[row],
				   relation->in_offsets[row + 1], row, !type->forward, v, words);
		}
}

static void layout_alone_count_piece(void *context, unsigned thread, size_t piece)
{
	(void)thread;
	go_from(context, piece, 0);
}

static void layout_alone_move_piece(void *context, unsigned thread, size_t piece)
{
	(void)thread;
	const going *g = context;
	switch (g->m->arcs.words) {
	case 2: go_from(g, piece, 2); return;
	case 3: go_from(g, piece, 3); return;
	default: go_from(g, piece, 4); return;
	}
}

/* Vertices that about as many arcs leave. */
static gemp_code cut(going *g)
{
	const gemp_layout *out = g->m->out;
	uint64_t arcs = 0, sum = 0, size;
	for (uint32_t v = 0; v < out->own; v++)
		arcs += out->out_degree[v];
	size = arcs / LAYOUT_ALONE_MOST_PIECES > LAYOUT_ALONE_ARCS_A_PIECE ? arcs / LAYOUT_ALONE_MOST_PIECES
	                                                                   : LAYOUT_ALONE_ARCS_A_PIECE;
	GEMP_PROPAGATE(GEMP_NEW(g->first, (size_t)(arcs / size) + 2));
	for (uint32_t v = 0; v < out->own; v++) {
		sum += out->out_degree[v];
		if (sum >= (g->pieces + 1) * size || v + 1 == out->own) {
			g->first[++g->pieces] = v + 1;
			while (sum >= (g->pieces + 1) * size)
				g->first[++g->pieces] = v + 1;
		}
	}
	return GEMP_OK;
}

gemp_code gemp_layout_make_arcs_alone(gemp_layout_state *m)
{
	gemp_code code = GEMP_OK;
	gemp_layout_arcs *arcs = &m->arcs;
	going g = { .m = m };
	arcs->words = ARC_WEIGHT + gemp_layout_weight_words(m->out->weights);
	GEMP_TRY(cut(&g));
	for (uint32_t v = 0; v < m->out->own; v++)
		arcs->count += m->out->out_degree[v];
	gemp_layout_choose_ranges(arcs->count, m->graph->rows, &arcs->ranges, &arcs->shift);
	GEMP_TRY(GEMP_NEW(g.places, g.pieces * arcs->ranges));
	GEMP_TRY(GEMP_NEW(arcs->begin, arcs->ranges + 1));
	GEMP_TRY(GEMP_NEW(arcs->word, arcs->count * arcs->words));
	gemp_parallel_for(g.pieces, layout_alone_count_piece, &g);
	gemp_layout_bucket_places(g.places, g.pieces, arcs->ranges, 0, arcs->begin);
	gemp_parallel_for(g.pieces, layout_alone_move_piece, &g);
done:
	gemp_free_all(g.first, g.places);
	return code;
}

/* Own edges as arcs to the ranks that they are cut to, in rounds of bounded size; then by ranges of rows. */

enum { EDGES_A_PIECE = 1 << 15, LAYOUT_ARCS_MOST_PIECES = 512, LEAST_PIECE = 16 };

size_t gemp_layout_batch = (size_t)64 << 20;

typedef struct arc_piece {
	size_t type;
	uint64_t begin, end; /* edges of this rank */
} arc_piece;

typedef struct sending {
	gemp_layout_state *m;
	arc_piece *pieces;
	size_t count, ranks;
	size_t first;     /* piece of this round */
	uint64_t *places; /* [pieces][ranks]; the places of a round are those in send[] or own[] */
	uint32_t *send;   /* other ranks' arcs of a round */
	uint32_t *own;    /* all that are cut to this rank */
} sending;

typedef void arc_visit(const sending *s, uint64_t *places, uint32_t to, gemp_vertex from, const gemp_layout_type *type,
                       uint64_t edge, unsigned words);

static inline size_t owner_of(const sending *s, gemp_vertex to)
{
	const gemp_shard *graph = s->m->graph;
	if (to - graph->first_vertex < graph->rows)
		return (size_t)graph->rank;
	return (size_t)gemp_shard_owner(graph, to);
}

/* In the row of the target's owner and the column of the source's. */
static inline size_t rank_of(const sending *s, gemp_vertex to, gemp_vertex from)
{
	size_t columns = (size_t)s->m->out->grid.columns, rank = owner_of(s, to);
	return columns == 1 ? rank : rank - rank % columns + owner_of(s, from) % columns;
}

static inline void count_arc(const sending *s, uint64_t *places, uint32_t to, gemp_vertex from,
                             const gemp_layout_type *type, uint64_t edge, unsigned words)
{
	(void)type, (void)edge, (void)words;
	places[rank_of(s, to, from)]++;
}

static inline void move_arc(const sending *s, uint64_t *places, uint32_t to, gemp_vertex from,
                            const gemp_layout_type *type, uint64_t edge, unsigned words)
{
	const gemp_layout_state *m = s->m;
	size_t rank = rank_of(s, to, from), column = rank % (size_t)m->out->grid.columns;
	uint32_t *arc = (rank == (size_t)m->graph->rank ? s->own : s->send) + places[rank]++ * words;
	arc[ARC_TO] = to - (uint32_t)m->graph->bounds[rank - column];
	arc[ARC_FROM] = from;
	if (words > ARC_WEIGHT)
		gemp_layout_weight_load(arc + ARC_WEIGHT, m->out->weights, type->weight, edge);
}

static inline __attribute__((always_inline)) void each_arc(const sending *s, size_t number, arc_visit *visit,
                                                           unsigned words)
{
	const arc_piece *piece = &s->pieces[s->first + number];
	const gemp_layout_type *type = &s->m->types[piece->type];
	const gemp_relation *relation = type->relation;
	uint64_t *places = s->places + (s->first + number) * s->ranks;
	size_t row = gemp_range_find(relation->out_offsets, s->m->graph->rows, piece->begin);
	for (uint64_t edge = piece->begin; edge < piece->end; edge++) {
		while (edge >= relation->out_offsets[row + 1])
			row++;
		gemp_vertex source = (gemp_vertex)(s->m->graph->first_vertex + row), target = relation->out_targets[edge];
		if (type->forward)
			visit(s, places, target, source, type, edge, words);
		if (type->backward && !(type->forward && source == target))
			visit(s, places, source, target, type, edge, words);
	}
}

static void layout_arcs_count_piece(void *context, unsigned thread, size_t piece)
{
	(void)thread;
	each_arc(context, piece, count_arc, 0);
}

static void layout_arcs_move_piece(void *context, unsigned thread, size_t piece)
{
	(void)thread;
	const sending *s = context;
	switch (s->m->arcs.words) {
	case 2: each_arc(s, piece, move_arc, 2); return;
	case 3: each_arc(s, piece, move_arc, 3); return;
	default: each_arc(s, piece, move_arc, 4); return;
	}
}

/* Pieces of as many edges as are worth a thread, and not more than a round sends. */
static gemp_code layout_arcs_cut(sending *s)
{
	const gemp_layout_state *m = s->m;
	size_t bytes = m->arcs.words * sizeof(uint32_t) * 2, capacity = 0;
	uint64_t edges = 0, size;
	for (size_t t = 0; t < m->type_count; t++)
		edges += m->types[t].relation->out_offsets[m->graph->rows];
	size = edges / LAYOUT_ARCS_MOST_PIECES > EDGES_A_PIECE ? edges / LAYOUT_ARCS_MOST_PIECES : EDGES_A_PIECE;
	if (size > gemp_layout_batch / bytes)
		size = gemp_layout_batch / bytes > LEAST_PIECE ? gemp_layout_batch / bytes : LEAST_PIECE;
	for (size_t t = 0; t < m->type_count; t++) {
		uint64_t all = m->types[t].relation->out_offsets[m->graph->rows];
		for (uint64_t begin = 0; begin < all; begin += size) {
			GEMP_PROPAGATE(GEMP_RESERVE(s->pieces, capacity, s->count + 1));
			s->pieces[s->count++] = (arc_piece){ t, begin, all - begin < size ? all : begin + size };
		}
	}
	return GEMP_OK;
}

/* Pieces that go in one round, from the first on. */
static size_t round_pieces(const sending *s)
{
	size_t bytes = s->m->arcs.words * sizeof(uint32_t) * 2, pieces = 0;
	uint64_t edges = 0;
	while (s->first + pieces < s->count) {
		const arc_piece *piece = &s->pieces[s->first + pieces];
		edges += piece->end - piece->begin;
		if (pieces && edges * bytes > gemp_layout_batch)
			break;
		pieces++;
	}
	return pieces;
}

/* The places of a round: own arcs from `at` on; others' in send[] from 0 on, by rank. */
static size_t round_places(sending *s, size_t pieces, uint64_t *at, size_t *send_size)
{
	size_t ranks = s->ranks, arc = s->m->arcs.words * sizeof(uint32_t), sum = 0;
	for (size_t r = 0; r < ranks; r++) {
		bool own = r == (size_t)s->m->comm->rank;
		uint64_t place = own ? *at : sum, first = place;
		for (size_t p = s->first; p < s->first + pieces; p++) {
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

/* Collective. From the graph to the ranks that they are cut to. */
static gemp_code arcs_of_ranks(sending *s, uint32_t **word, uint64_t *count)
{
	gemp_code code = GEMP_OK;
	const gemp_comm *comm = s->m->comm;
	size_t ranks = s->ranks, words = s->m->arcs.words, arc = words * sizeof(uint32_t), capacity = 0, room = 0;
	uint64_t own = 0, came = 0, totals[2] = { 0 };
	size_t *sizes = NULL;
	uint64_t *incoming = NULL;
	void *received = NULL;
	code = GEMP_NEW(s->places, s->count * ranks);
	GEMP_THEN(GEMP_NEW(sizes, 2 * ranks));
	GEMP_THEN(GEMP_NEW(incoming, ranks));
	GEMP_TRY(gemp_comm_agree(comm, code));
	gemp_parallel_for(s->count, layout_arcs_count_piece, s);
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
		size_t pieces = round_pieces(s);
		totals[0] = pieces;
		gemp_comm_max(comm, totals, 1);
		if (!totals[0])
			break;
		size_t outgoing = round_places(s, pieces, &at, sizes);
		GEMP_TRY(gemp_comm_agree(comm, GEMP_RESERVE(s->send, room, outgoing * words + 1)));
		gemp_parallel_for(pieces, layout_arcs_move_piece, s);
		s->first += pieces;
		GEMP_TRY(gemp_exchange(comm, s->send, sizes, &received, &capacity, sizes + ranks, NULL));
		size_t size = 0;
		for (size_t r = 0; r < ranks; r++)
			size += sizes[ranks + r];
		memcpy(*word + (own + came) * words, received, size);
		came += size / arc;
	}
done:
	gemp_free_all(received, incoming, sizes);
	return code;
}

gemp_code gemp_layout_make_arcs(gemp_layout_state *m)
{
	gemp_code code = GEMP_OK;
	sending s = { .m = m, .ranks = (size_t)m->comm->size };
	uint32_t *word = NULL;
	uint64_t count = 0;
	m->arcs.words = ARC_WEIGHT + gemp_layout_weight_words(m->out->weights);
	GEMP_TRY(gemp_comm_agree(m->comm, layout_arcs_cut(&s)));
	GEMP_TRY(arcs_of_ranks(&s, &word, &count));
	gemp_free(s.send);
	s.send = NULL;
	code = gemp_comm_agree(m->comm, gemp_layout_split_arcs(&m->arcs, word, count, m->targets));
done:
	gemp_free_all(word, s.send, s.places, s.pieces);
	return code;
}
