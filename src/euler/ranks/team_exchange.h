/* team_exchange: records, bits and requests between teams (team.h).
 *
 * Threads write records, and one exchange delivers them (gemp_euler_exchange). Bits are set, and values are requested,
 * at the owner of a number: number k of team t is k * teams + t. A rank requests each number once, by a bit, and the
 * answers come back in the order of the numbers. A subset is a bitmap with a count before each word, from which the
 * index of a member follows. gemp_rank_bitmap (core/bitset.h) would need an eighth of the counts but more loads, and
 * the subsets here are looked up once for every edge. */

#ifndef GEMP_EULER_RANKS_TEAM_EXCHANGE_H
#define GEMP_EULER_RANKS_TEAM_EXCHANGE_H

#include "core/bitset.h"
#include "euler/ranks/team.h"

typedef struct gemp_euler_word {
	uint64_t bits;
	uint64_t before; /* number of members in the words before */
} gemp_euler_word;

typedef struct gemp_euler_subset {
	size_t words, count;   /* count: number of members, set when the subset is sealed */
	gemp_euler_word *word; /* [words] */
} gemp_euler_subset;

/* Local. Makes an empty subset of the numbers below `bound`. The caller adds members and then seals the subset. */
gemp_code gemp_euler_subset_new(gemp_euler_subset *subset, uint64_t bound);
/* Several threads may add members at the same time. */
static inline void gemp_euler_subset_add(gemp_euler_subset *subset, uint64_t number)
{
	gemp_bits64_set_atomic(&subset->word[number / 64].bits, number % 64);
}
/* Counts the members before each word. After this call no member is added. */
void gemp_euler_subset_seal(gemp_euler_subset *subset);
/* Writes the members to out[subset->count] in ascending order. */
void gemp_euler_subset_list(const gemp_euler_subset *subset, uint64_t *out);
void gemp_euler_subset_free(gemp_euler_subset *subset);

/* Returns the number of members below `number`. This is the index of a member. */
GEMP_INLINE size_t gemp_euler_subset_index(const gemp_euler_subset *subset, uint64_t number)
{
	const gemp_euler_word *word = &subset->word[number >> 6];
	return word->before + gemp_bits64_count_before(word->bits, number);
}

/* A loop over the set bits of a word, in ascending order. */
#define GEMP_EACH_BIT(word, bit) \
	for (uint64_t rest_ = (word), bit = 0; rest_ && (bit = (uint64_t)__builtin_ctzll(rest_), 1); rest_ &= rest_ - 1)

enum { GEMP_EULER_MAX_CHUNKS = 64 }; /* maximum number of chunks of a round */

/* Writes `count` records in a shorter form, with at most encoded_max bytes for each record. Returns the number of
 * bytes. */
typedef size_t gemp_euler_encode(const void *context, const char *records, size_t count, char *to);

typedef struct gemp_euler_exchange {
	gemp_euler_team *team;
	size_t size; /* bytes of a record */
	/* tag[] and position[] are kept, with which the caller finds the element that an answer belongs to */
	bool replies;
	gemp_euler_encode *encode; /* NULL: records are sent unchanged; otherwise `received` has no meaning */
	const void *context;       /* argument of encode */
	size_t encoded_max;
	char *encoded;            /* [capacity * encoded_max] */
	size_t chunks, capacity;  /* capacity: records of the largest round so far */
	char *stage;              /* [capacity] records as threads write them; the records of chunk c begin at begin[c] */
	uint32_t *owner;          /* [capacity] the team to which each record of stage[] goes */
	uint32_t *tag, *position; /* [capacity] the caller's tag of each record, and the record's index in send[] */
	size_t begin[GEMP_EULER_MAX_CHUNKS + 1]; /* the first element of each chunk */
	size_t put[GEMP_EULER_MAX_CHUNKS];       /* number of records that each chunk has written */
	size_t *count;                           /* [GEMP_EULER_MAX_CHUNKS * teams] number of records by chunk and team */
	char *send;                              /* [capacity] records by team */
	size_t *send_size, *receive_size;        /* [teams] bytes */
	void *receive;
	size_t receive_capacity; /* bytes */
	size_t received;         /* number of records in receive[], which lie by team */
} gemp_euler_exchange;

/* Local. The caller frees the exchange, even after a failure. */
gemp_code gemp_euler_exchange_new(gemp_euler_exchange *exchange, gemp_euler_team *team, size_t size, bool replies);
/* Local. Begins a round of `count` elements, each of which sends at most one record. Chunk c belongs to one thread and
 * has the elements begin[c] .. begin[c + 1] - 1. */
gemp_code gemp_euler_exchange_open(gemp_euler_exchange *exchange, size_t count);
/* Collective. Ends the round. code: the code of gemp_euler_exchange_open and of the round's local steps. *left: on
 * entry the number of elements that this rank has not begun; on return the sum of these numbers and of the records of
 * all teams. If the sum is 0, nothing is sent. If left is NULL, nothing is summed, and the exchange always takes
 * place. */
gemp_code gemp_euler_exchange_send(gemp_euler_exchange *exchange, gemp_code code, uint64_t *left);
void gemp_euler_exchange_free(gemp_euler_exchange *exchange);

/* Returns a new record, which the caller fills in. tag: the element within the round. */
static inline char *gemp_euler_exchange_put(gemp_euler_exchange *exchange, size_t chunk, size_t owner, uint32_t tag)
{
	size_t i = exchange->begin[chunk] + exchange->put[chunk]++;
	exchange->owner[i] = (uint32_t)owner;
	exchange->count[chunk * exchange->team->teams + owner]++;
	if (exchange->replies)
		exchange->tag[i] = tag;
	return exchange->stage + i * exchange->size;
}

/* Collective. Sets the bit of each number in the bitmap of its owner. With bounds, number x is bit x - bounds[t] of
 * team t, where bounds[t] <= x < bounds[t + 1]. Without bounds it is bit x / teams of team x % teams. */
gemp_code gemp_euler_bits_set(gemp_euler_team *team, const uint64_t *numbers, size_t count, const uint64_t *bounds,
                              uint64_t *bits);

typedef struct gemp_euler_request {
	gemp_euler_team *team;
	const gemp_euler_subset *named; /* the numbers to request; sealed */
	uint64_t own;                   /* how many numbers this team has, 0 <= k < own */
	/* called for every request before any answer is computed; may be NULL */
	void (*receive)(void *context, size_t team, uint64_t k);
	uint64_t (*answer)(const void *context, uint64_t k); /* the value of number k of this team */
	void *context;
} gemp_euler_request;

/* Collective. *values: [named->count] numbers, in the order of the subset. The caller frees *values. */
gemp_code gemp_euler_query(const gemp_euler_request *request, void **values);

#endif
