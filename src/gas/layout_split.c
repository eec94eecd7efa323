/* Arcs to ranges of rows: each piece of them counts what it has for each range, then it is known where its arcs go. */
#include "core/memory.h"
#include "core/threads.h"
#include "gas/layout_parts.h"

enum { ARCS_A_PIECE = 1 << 15, ARCS_A_RANGE = 1 << 14, MOST_PIECES = 512, MOST_RANGES = 2048 };

void gemp_gas_places(uint64_t *count, size_t pieces, size_t buckets, uint64_t first, uint64_t *begin)
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

void gemp_gas_ranges(uint64_t count, uint64_t rows, size_t *ranges, unsigned *shift)
{
	unsigned bits = rows > 1 ? 64 - (unsigned)__builtin_clzll(rows - 1) : 0, kept = 0;
	while (kept < bits && (bits - kept > 31 || ((2u << kept) <= MOST_RANGES && count >> kept > ARCS_A_RANGE)))
		kept++;
	*shift = bits - kept;
	*ranges = (size_t)1 << kept;
}

typedef struct splitting {
	const gemp_gas_arcs *arcs;
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
		gemp_gas_arc_copy(s->arcs->word + places[arc[ARC_TO] >> s->arcs->shift]++ * words, arc, words);
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

gemp_code gemp_gas_split_arcs(gemp_gas_arcs *arcs, const uint32_t *word, uint64_t count, uint64_t rows)
{
	gemp_code code = GEMP_OK;
	splitting s = { .arcs = arcs, .word = word, .count = count,
	                .piece = count / MOST_PIECES > ARCS_A_PIECE ? count / MOST_PIECES : ARCS_A_PIECE };
	size_t pieces = (size_t)((count + s.piece - 1) / s.piece);
	arcs->count = count;
	gemp_gas_ranges(count, rows, &arcs->ranges, &arcs->shift);
	GEMP_TRY(GEMP_NEW(s.places, pieces * arcs->ranges));
	GEMP_TRY(GEMP_NEW(arcs->begin, arcs->ranges + 1));
	GEMP_TRY(GEMP_NEW(arcs->word, count * arcs->words));
	gemp_parallel_for(pieces, count_piece, &s);
	gemp_gas_places(s.places, pieces, arcs->ranges, 0, arcs->begin);
	gemp_parallel_for(pieces, move_piece, &s);
done:
	gemp_free(s.places);
	return code;
}
