#include "transform/conflicts/match_number.h"

#include "core/bitset.h"
#include "core/memory.h"
#include "core/pages.h"
#include "core/threads.h"
#include "partition/exchange/value_exchange.h"

/* The first vertices of the rows, and the bits of the marked rows. */
typedef struct number_state {
	const gemp_shard *graph;
	const uint64_t *elements; /* [rows] */
	const uint8_t *marked;    /* [rows] */
	uint32_t *ranks;          /* [rows] the vertices' ids, then the ranks of their keys */
	gemp_rank_bitmap bits;    /* by key rank; a row without the vertex has the last bit */
	uint64_t *number;
} number_state;

static void free_state(number_state *s)
{
	gemp_free(s->ranks);
	gemp_rank_bitmap_free(&s->bits);
}

/* Vertices come first in a tuple, in the order of the columns. */
static const uint64_t *first_vertices(const gemp_frame *frame, bool *some)
{
	for (size_t c = 0; c < frame->count; c++)
		if (frame->columns[c].kind == GEMP_CELL_VERTEX) {
			*some = true;
			return frame->columns[c].elements;
		}
	return NULL;
}

/* A row without the vertex asks for vertex 0, whose rank is ignored. */
static void list_ids(void *self, size_t begin, size_t end)
{
	const number_state *s = self;
	for (size_t row = begin; row < end; row++)
		s->ranks[row] = s->elements[row] == GEMP_NO_ELEMENT ? 0 : (gemp_vertex)s->elements[row];
}

static uint64_t bit_of(const number_state *s, size_t row)
{
	return s->elements[row] == GEMP_NO_ELEMENT ? s->graph->vertex_count : s->ranks[row];
}

static void set_bits(void *self, size_t begin, size_t end)
{
	number_state *s = self;
	for (size_t row = begin; row < end; row++)
		if (s->marked[row])
			gemp_bits64_set_atomic(s->bits.words, bit_of(s, row));
}

static void count_before(void *self, size_t begin, size_t end)
{
	const number_state *s = self;
	for (size_t row = begin; row < end; row++)
		if (s->marked[row])
			s->number[row] = gemp_rank_bitmap_rank(&s->bits, bit_of(s, row));
}

/* The sum of the words of all ranks joins their bits. If two ranks set the same bit, the sum has a carry, and each
 * carry makes one bit less (Kummer's theorem), so the number of bits is the number of marked rows only if no bit was
 * set twice, on one rank or on two. */
gemp_code gemp_match_number_by_vertex(const gemp_comm *comm, gemp_shard *graph, const gemp_frame *frame,
                                      const uint8_t *marked, uint64_t total, uint64_t *number, bool *distinct)
{
	GEMP_OWNED_BY(free_state) number_state s = { .graph = graph, .marked = marked, .number = number };
	*distinct = false;
	s.elements = first_vertices(frame, distinct);
	if (!*distinct)
		return GEMP_OK;
	gemp_code code = GEMP_NEW_UNSET(s.ranks, frame->rows);
	GEMP_THEN(gemp_rank_bitmap_new(&s.bits, graph->vertex_count + 1));
	GEMP_TRY(gemp_comm_agree(comm, code));
	GEMP_TRY(gemp_shard_load_keys(graph));
	gemp_for_elements(frame->rows, list_ids, &s);
	GEMP_TRY(gemp_vertex_numbers(comm, GEMP_OK, graph->bounds, graph->key_ranks, s.ranks, frame->rows, s.ranks, NULL));
	gemp_for_elements(frame->rows, set_bits, &s);
	gemp_comm_sum_long(comm, s.bits.words, s.bits.count / 64 + 1);
	*distinct = gemp_rank_bitmap_count(&s.bits) == total;
	if (*distinct)
		gemp_for_elements(frame->rows, count_before, &s);
	return GEMP_OK;
}
