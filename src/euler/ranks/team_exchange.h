/* team_exchange: messages of the Euler engine between teams. Records are written by threads and delivered in one
 * exchange (gemp_euler_exchange); bits are set and values are asked for at their owners.
 *
 * A subset is a bitmap with a count before each word, so that each member has an index. gemp_rank_bitmap
 * (partition) needs an eighth of the counts and more loads; the subsets here are looked up once for every edge.
 */

#ifndef GEMP_EULER_RANKS_TEAM_EXCHANGE_H
#define GEMP_EULER_RANKS_TEAM_EXCHANGE_H

#include "core/bitset.h"
#include "euler/ranks/team.h"

#include <string.h>

typedef struct gemp_euler_word {
	uint64_t bits;
	uint64_t before; /* numbers in the words before */
} gemp_euler_word;

typedef struct gemp_euler_subset {
	size_t words, count;
	gemp_euler_word *word; /* [words] */
} gemp_euler_subset;

gemp_code gemp_euler_subset_new(gemp_euler_subset *subset, uint64_t bound);
/* Several threads at once; before it is sealed. */
static inline void gemp_euler_subset_add(gemp_euler_subset *subset, uint64_t number)
{
	gemp_bits64_set_atomic(&subset->word[number / 64].bits, number % 64);
}
void gemp_euler_subset_seal(gemp_euler_subset *subset);
void gemp_euler_subset_free(gemp_euler_subset *subset);

GEMP_INLINE size_t gemp_euler_subset_index(const gemp_euler_subset *subset, uint64_t number)
{
	const gemp_euler_word *word = &subset->word[number >> 6];
	return word->before + gemp_bits64_count_before(word->bits, number);
}

/* The bits of a word that are set, in ascending order. */
#define GEMP_EACH_BIT(word, bit) \
	for (uint64_t rest_ = (word), bit = 0; rest_ && (bit = (uint64_t)__builtin_ctzll(rest_), 1); rest_ &= rest_ - 1)

/* ranks_mail: records that threads address to teams, delivered in one exchange. */

enum { GEMP_EULER_MAX_CHUNKS = 64 }; /* at most, of a round */

/* Writes records, in the order of pieces, in another form of at most `most` bytes each; how many bytes these are. */
typedef size_t gemp_euler_encode(const void *context, const char *records, size_t count, char *to);

typedef struct gemp_euler_exchange {
	gemp_euler_team *team;
	size_t size;               /* of a record */
	bool replies;              /* records have tags, and positions once sent */
	gemp_euler_encode *encode; /* NULL: they are sent as they are; else `received` is not known */
	const void *context;
	size_t encoded_max;
	char *encoded;
	size_t pieces, capacity;
	char *stage; /* [capacity] records in the order of pieces, each piece from its begin */
	uint32_t *owner, *tag, *position;
	size_t begin[GEMP_EULER_MAX_CHUNKS + 1], put[GEMP_EULER_MAX_CHUNKS];
	size_t *count; /* [GEMP_EULER_MAX_CHUNKS * teams] */
	char *send;
	size_t *send_size, *receive_size; /* [teams] bytes */
	void *receive;
	size_t receive_capacity, received; /* records */
} gemp_euler_exchange;

/* Local. */
gemp_code gemp_euler_exchange_new(gemp_euler_exchange *exchange, gemp_euler_team *team, size_t size, bool replies);
/* Local. For a round of `count` things, at most one record each: `pieces` of them, piece p from begin[p] to
 * begin[p + 1]. */
gemp_code gemp_euler_exchange_open(gemp_euler_exchange *exchange, size_t count);
/* Collective; `code` is what became of mail_open and the round here. *left, if not NULL: what will be left to do
 * here without the records; with them, the sum over all teams. receive[] has `received` records, by teams. */
gemp_code gemp_euler_exchange_send(gemp_euler_exchange *exchange, gemp_code code, uint64_t *left);
void gemp_euler_exchange_free(gemp_euler_exchange *exchange);

/* The record to fill in. */
static inline char *gemp_euler_exchange_put(gemp_euler_exchange *exchange, size_t piece, size_t owner, uint32_t tag)
{
	size_t i = exchange->begin[piece] + exchange->put[piece]++;
	exchange->owner[i] = (uint32_t)owner;
	exchange->count[piece * exchange->team->teams + owner]++;
	if (exchange->replies)
		exchange->tag[i] = tag;
	return exchange->stage + i * exchange->size;
}

/* ranks_bits: bits of bitmaps that teams own, set from afar. */

/* Collective. Sets the bit of each number in the bitmap of its owner: number x is bit x - bounds[t] of team t, where
 * bounds[t] <= x < bounds[t + 1]; without bounds it is bit x / teams of team x % teams. */
gemp_code gemp_euler_bits_set(gemp_euler_team *team, const uint64_t *numbers, size_t count, const uint64_t *bounds,
                              uint64_t *bits);

/* ranks_inquire: what the owners of numbers know of them. Number k of team t is k * teams + t.
 *
 * Each rank asks for each number once, by a bit; answers come back in the order of numbers.
 */

typedef struct gemp_euler_request {
	gemp_euler_team *team;
	const gemp_euler_subset *named;                          /* sealed */
	uint64_t own;                                            /* this team's numbers have k below it */
	void (*receive)(void *context, size_t team, uint64_t k); /* NULL, or told of all who ask before any answer */
	uint64_t (*answer)(const void *context, uint64_t k);
	void *context;
} gemp_euler_request;

/* Collective. *values: [named->count] numbers, the caller's. */
gemp_code gemp_euler_query(const gemp_euler_request *request, void **values);

#endif
