/* Own edges as arcs to the ranks that they are cut to, in rounds of bounded size; then by ranges of rows. */
#include "core/memory.h"
#include "core/threads.h"
#include "comm/exchange.h"
#include "gas/layout_parts.h"

enum { EDGES_A_PIECE = 1 << 15, MOST_PIECES = 512, LEAST_PIECE = 16 };

size_t gemp_gas_layout_batch = (size_t)64 << 20;

typedef struct arc_piece {
	size_t type;
	uint64_t begin, end; /* edges of this rank */
} arc_piece;

typedef struct sending {
	gemp_gas_making *m;
	arc_piece *pieces;
	size_t count, ranks;
	size_t first;        /* piece of this round */
	uint64_t *places;    /* [pieces][ranks]; the places of a round are those in send[] or own[] */
	uint32_t *send;      /* other ranks' arcs of a round */
	uint32_t *own;       /* all that are cut to this rank */
} sending;

typedef void arc_visit(const sending *s, uint64_t *places, uint32_t to, gemp_vertex from, const gemp_gas_type *type,
                       uint64_t edge, unsigned words);

static inline size_t owner_of(const sending *s, gemp_vertex to)
{
	const gemp_graph *graph = s->m->graph;
	if (to - graph->first < graph->rows)
		return (size_t)graph->rank;
	return (size_t)gemp_graph_owner(graph, to);
}

/* In the row of the target's owner and the column of the source's. */
static inline size_t rank_of(const sending *s, gemp_vertex to, gemp_vertex from)
{
	size_t columns = (size_t)s->m->out->grid.columns, rank = owner_of(s, to);
	return columns == 1 ? rank : rank - rank % columns + owner_of(s, from) % columns;
}

static inline void count_arc(const sending *s, uint64_t *places, uint32_t to, gemp_vertex from,
                             const gemp_gas_type *type, uint64_t edge, unsigned words)
{
	(void)type, (void)edge, (void)words;
	places[rank_of(s, to, from)]++;
}

static inline void move_arc(const sending *s, uint64_t *places, uint32_t to, gemp_vertex from,
                            const gemp_gas_type *type, uint64_t edge, unsigned words)
{
	const gemp_gas_making *m = s->m;
	size_t rank = rank_of(s, to, from), column = rank % (size_t)m->out->grid.columns;
	uint32_t *arc = (rank == (size_t)m->graph->rank ? s->own : s->send) + places[rank]++ * words;
	arc[ARC_TO] = to - (uint32_t)m->graph->bounds[rank - column];
	arc[ARC_FROM] = from;
	if (words > ARC_WEIGHT)
		gemp_gas_weight_load(arc + ARC_WEIGHT, m->out->weights, type->weight, edge);
}

static inline __attribute__((always_inline)) void each_arc(const sending *s, size_t number, arc_visit *visit,
                                                           unsigned words)
{
	const arc_piece *piece = &s->pieces[s->first + number];
	const gemp_gas_type *type = &s->m->types[piece->type];
	const gemp_relation *relation = type->relation;
	uint64_t *places = s->places + (s->first + number) * s->ranks;
	size_t row = gemp_gas_row_of(relation->out_begin, s->m->graph->rows, piece->begin);
	for (uint64_t edge = piece->begin; edge < piece->end; edge++) {
		while (edge >= relation->out_begin[row + 1])
			row++;
		gemp_vertex source = (gemp_vertex)(s->m->graph->first + row), target = relation->out[edge];
		if (type->forward)
			visit(s, places, target, source, type, edge, words);
		if (type->backward && !(type->forward && source == target))
			visit(s, places, source, target, type, edge, words);
	}
}

static void count_piece(void *context, unsigned thread, size_t piece)
{
	(void)thread;
	each_arc(context, piece, count_arc, 0);
}

static void move_piece(void *context, unsigned thread, size_t piece)
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
static gemp_code cut(sending *s)
{
	gemp_code code = GEMP_OK;
	const gemp_gas_making *m = s->m;
	size_t bytes = m->arcs.words * sizeof(uint32_t) * 2, capacity = 0;
	uint64_t edges = 0, size;
	for (size_t t = 0; t < m->type_count; t++)
		edges += m->types[t].relation->out_begin[m->graph->rows];
	size = edges / MOST_PIECES > EDGES_A_PIECE ? edges / MOST_PIECES : EDGES_A_PIECE;
	if (size > gemp_gas_layout_batch / bytes)
		size = gemp_gas_layout_batch / bytes > LEAST_PIECE ? gemp_gas_layout_batch / bytes : LEAST_PIECE;
	for (size_t t = 0; t < m->type_count; t++) {
		uint64_t all = m->types[t].relation->out_begin[m->graph->rows];
		for (uint64_t begin = 0; begin < all; begin += size) {
			GEMP_TRY(GEMP_RESERVE(s->pieces, capacity, s->count + 1));
			s->pieces[s->count++] = (arc_piece){ t, begin, all - begin < size ? all : begin + size };
		}
	}
done:
	return code;
}

/* Pieces that go in one round, from the first on. */
static size_t round_pieces(const sending *s)
{
	size_t bytes = s->m->arcs.words * sizeof(uint32_t) * 2, pieces = 0;
	uint64_t edges = 0;
	while (s->first + pieces < s->count) {
		const arc_piece *piece = &s->pieces[s->first + pieces];
		edges += piece->end - piece->begin;
		if (pieces && edges * bytes > gemp_gas_layout_batch)
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
	if (code == GEMP_OK)
		code = GEMP_NEW(sizes, 2 * ranks);
	if (code == GEMP_OK)
		code = GEMP_NEW(incoming, ranks);
	GEMP_TRY(gemp_comm_agree(comm, code));
	gemp_parallel_for(s->count, count_piece, s);
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
		gemp_parallel_for(pieces, move_piece, s);
		s->first += pieces;
		GEMP_TRY(gemp_exchange(comm, s->send, sizes, &received, &capacity, sizes + ranks, NULL));
		size_t size = 0;
		for (size_t r = 0; r < ranks; r++)
			size += sizes[ranks + r];
		memcpy(*word + (own + came) * words, received, size);
		came += size / arc;
	}
done:
	gemp_free(received);
	gemp_free(incoming);
	gemp_free(sizes);
	return code;
}

gemp_code gemp_gas_make_arcs(gemp_gas_making *m)
{
	gemp_code code = GEMP_OK;
	sending s = { .m = m, .ranks = (size_t)m->comm->size };
	uint32_t *word = NULL;
	uint64_t count = 0;
	m->arcs.words = ARC_WEIGHT + gemp_gas_weight_words(m->out->weights);
	GEMP_TRY(gemp_comm_agree(m->comm, cut(&s)));
	GEMP_TRY(arcs_of_ranks(&s, &word, &count));
	gemp_free(s.send);
	s.send = NULL;
	code = gemp_comm_agree(m->comm, gemp_gas_split_arcs(&m->arcs, word, count, m->targets));
done:
	gemp_free(word);
	gemp_free(s.send);
	gemp_free(s.places);
	gemp_free(s.pieces);
	return code;
}
