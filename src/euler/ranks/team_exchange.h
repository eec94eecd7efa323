/* team_exchange: records, bits and requests between teams (team.h).
 *
 * Threads write records, which one exchange delivers (gemp_euler_exchange). Bits are set, and values requested, at the
 * owner of a number: number k of team t is k * teams + t. A rank requests each number once, by a bit, and the answers
 * come back in the order of the numbers. A subset is a bitmap with a count before each word, which gives each member an
 * index. gemp_rank_bitmap (core/bitset.h) would need an eighth of the counts and more loads; the subsets here are
 * looked up once for every edge.
 */

#ifndef GEMP_EULER_RANKS_TEAM_EXCHANGE_H
#define GEMP_EULER_RANKS_TEAM_EXCHANGE_H

#include "core/bitset.h"
#include "euler/ranks/team.h"

typedef struct gemp_euler_word {
	uint64_t bits;
	uint64_t before; /* members in the words before */
} gemp_euler_word;

typedef struct gemp_euler_subset {
	size_t words, count;   /* count: of the members, once the subset is sealed */
	gemp_euler_word *word; /* [words] */
} gemp_euler_subset;

/* Local. An empty subset of the numbers below `bound`; members are added, and then it is sealed. */
gemp_code gemp_euler_subset_new(gemp_euler_subset *subset, uint64_t bound);
/* Several threads may add at the same time. */
static inline void gemp_euler_subset_add(gemp_euler_subset *subset, uint64_t number)
{
	gemp_bits64_set_atomic(&subset->word[number / 64].bits, number % 64);
}
/* Counts the members before each word. */
void gemp_euler_subset_seal(gemp_euler_subset *subset);
/* out[subset->count]: the members, ascending. */
void gemp_euler_subset_list(const gemp_euler_subset *subset, uint64_t *out);
void gemp_euler_subset_free(gemp_euler_subset *subset);

/* Returns the number of members below `number`, which is the index of a member. */
GEMP_INLINE size_t gemp_euler_subset_index(const gemp_euler_subset *subset, uint64_t number)
{
	const gemp_euler_word *word = &subset->word[number >> 6];
	return word->before + gemp_bits64_count_before(word->bits, number);
}

/* A loop over the bits of a word that are set, in ascending order. */
#define GEMP_EACH_BIT(word, bit) \
	for (uint64_t rest_ = (word), bit = 0; rest_ && (bit = (uint64_t)__builtin_ctzll(rest_), 1); rest_ &= rest_ - 1)

enum { GEMP_EULER_MAX_CHUNKS = 64 }; /* of a round */

/* Writes `count` records in a shorter form of at most encoded_max bytes each; returns the number of bytes. */
typedef size_t gemp_euler_encode(const void *context, const char *records, size_t count, char *to);

typedef struct gemp_euler_exchange {
	gemp_euler_team *team;
	size_t size;               /* bytes of a record */
	bool replies;              /* tag[] and position[] are kept, by which answers find the elements that they are for */
	gemp_euler_encode *encode; /* NULL: records are sent as they are; else `received` is not known */
	const void *context;       /* of encode */
	size_t encoded_max;
	char *encoded;            /* [capacity * encoded_max] */
	size_t chunks, capacity;  /* capacity: records of the largest round so far */
	char *stage;              /* [capacity] records as threads write them: those of chunk c from begin[c] on */
	uint32_t *owner;          /* [capacity] the team that each record of stage[] goes to */
	uint32_t *tag, *position; /* [capacity] the caller's tag, and the index in send[] */
	size_t begin[GEMP_EULER_MAX_CHUNKS + 1]; /* the first element of each chunk */
	size_t put[GEMP_EULER_MAX_CHUNKS];       /* records that each chunk has written */
	size_t *count;                           /* [GEMP_EULER_MAX_CHUNKS * teams] records by chunk and team */
	char *send;                              /* [capacity] records by team */
	size_t *send_size, *receive_size;        /* [teams] bytes */
	void *receive;
	size_t receive_capacity; /* bytes */
	size_t received;         /* records in receive[], by team */
} gemp_euler_exchange;

/* Local. Free it also after a failure. */
gemp_code gemp_euler_exchange_new(gemp_euler_exchange *exchange, gemp_euler_team *team, size_t size, bool replies);
/* Local. Begins a round of `count` elements, each of which sends at most one record: chunk c, which is one thread's,
 * has the elements begin[c] to begin[c + 1]. */
gemp_code gemp_euler_exchange_open(gemp_euler_exchange *exchange, size_t count);
/* Collective. Ends the round. code: what gemp_euler_exchange_open and the round's local steps have returned. *left,
 * which may be NULL: on entry the elements that this rank has not begun; on return the sum of these and of the records
 * of all teams. If the sum is 0, nothing is sent. */
gemp_code gemp_euler_exchange_send(gemp_euler_exchange *exchange, gemp_code code, uint64_t *left);
void gemp_euler_exchange_free(gemp_euler_exchange *exchange);

/* Returns the record, which the caller fills in. tag: the element within the round. */
static inline char *gemp_euler_exchange_put(gemp_euler_exchange *exchange, size_t chunk, size_t owner, uint32_t tag)
{
	size_t i = exchange->begin[chunk] + exchange->put[chunk]++;
	exchange->owner[i] = (uint32_t)owner;
	exchange->count[chunk * exchange->team->teams + owner]++;
	if (exchange->replies)
		exchange->tag[i] = tag;
	return exchange->stage + i * exchange->size;
}

/* Collective. Sets the bit of each number in the bitmap of its owner: number x is bit x - bounds[t] of team t, where
 * bounds[t] <= x < bounds[t + 1]; without bounds it is bit x / teams of team x % teams. */
gemp_code gemp_euler_bits_set(gemp_euler_team *team, const uint64_t *numbers, size_t count, const uint64_t *bounds,
                              uint64_t *bits);

typedef struct gemp_euler_request {
	gemp_euler_team *team;
	const gemp_euler_subset *named;                          /* the numbers to request, sealed */
	uint64_t own;                                            /* how many numbers this team has: k < own */
	void (*receive)(void *context, size_t team, uint64_t k); /* called for every request before any answer, or NULL */
	uint64_t (*answer)(const void *context, uint64_t k);     /* the value of number k of this team */
	void *context;
} gemp_euler_request;

/* Collective. *values: [named->count] numbers, in the order of the subset; the caller frees. */
gemp_code gemp_euler_query(const gemp_euler_request *request, void **values);

#endif
