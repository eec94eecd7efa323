/* team: ranks that hold a part of the graph in shared memory, or each rank by itself.
 *
 * Either each rank is a team of its own, and teams exchange messages; or all ranks share one node and form one
 * team: then arrays are in shared memory (comm/shared.h), and successors cross ranks without a message. The engine
 * is written once for both.
 *
 * Numbers of edges have 4 bytes each where the graph allows, otherwise 8. The width is a parameter of every access; loops that matter
 * are compiled once for each width (GEMP_WIDTHS), which takes the test out of them.
 *
 * Messages between teams: threads write records, which one exchange delivers (gemp_euler_exchange); bits are set, and values asked for,
 * at the owners of numbers: number k of team t is k * teams + t. A rank asks for each number once, by a bit, and answers come back in
 * the order of numbers. A subset is a bitmap with a count before each word, which gives each member an index. gemp_rank_bitmap
 * (core/bitset.h) needs an eighth of the counts and more loads; the subsets here are looked up once for every edge.
 */

#ifndef GEMP_EULER_RANKS_TEAM_H
#define GEMP_EULER_RANKS_TEAM_H

#include "comm/exchange.h"
#include "comm/shared.h"
#include "core/bitset.h"

#include <string.h>

#define GEMP_INLINE static inline __attribute__((always_inline))

GEMP_INLINE size_t gemp_number_size(bool wide)
{
	return wide ? sizeof(uint64_t) : sizeof(uint32_t);
}

GEMP_INLINE uint64_t gemp_number_at(const void *at, size_t i, bool wide)
{
	return wide ? ((const uint64_t *)at)[i] : ((const uint32_t *)at)[i];
}

GEMP_INLINE void gemp_number_set(void *at, size_t i, uint64_t value, bool wide)
{
	if (wide)
		((uint64_t *)at)[i] = value;
	else
		((uint32_t *)at)[i] = (uint32_t)value;
}

/* Several threads, and processes that share the array. */
GEMP_INLINE uint64_t gemp_number_load(const void *at, size_t i, bool wide)
{
	return wide ? __atomic_load_n((const uint64_t *)at + i, __ATOMIC_RELAXED)
	            : __atomic_load_n((const uint32_t *)at + i, __ATOMIC_RELAXED);
}

GEMP_INLINE void gemp_number_store(void *at, size_t i, uint64_t value, bool wide)
{
	if (wide)
		__atomic_store_n((uint64_t *)at + i, value, __ATOMIC_RELAXED);
	else
		__atomic_store_n((uint32_t *)at + i, (uint32_t)value, __ATOMIC_RELAXED);
}

GEMP_INLINE uint64_t gemp_number_decrement(void *at, size_t i, bool wide) /* the one before it */
{
	return wide ? __atomic_fetch_sub((uint64_t *)at + i, 1, __ATOMIC_RELAXED) - 1
	            : __atomic_fetch_sub((uint32_t *)at + i, 1, __ATOMIC_RELAXED) - 1;
}

GEMP_INLINE bool gemp_number_cas(void *at, size_t i, uint64_t from, uint64_t to, bool wide)
{
	if (wide)
		return __atomic_compare_exchange_n((uint64_t *)at + i, &from, to, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
	uint32_t narrow = (uint32_t)from;
	return __atomic_compare_exchange_n((uint32_t *)at + i, &narrow, (uint32_t)to, false, __ATOMIC_RELAXED,
	                                   __ATOMIC_RELAXED);
}

/* The j-th number of a record that lies anywhere. */
GEMP_INLINE uint64_t gemp_number_read(const char *record, size_t j, bool wide)
{
	uint64_t long_one;
	uint32_t short_one;
	if (wide)
		return memcpy(&long_one, record + j * sizeof long_one, sizeof long_one), long_one;
	return memcpy(&short_one, record + j * sizeof short_one, sizeof short_one), short_one;
}

GEMP_INLINE void gemp_number_write(char *record, size_t j, uint64_t value, bool wide)
{
	uint32_t narrow = (uint32_t)value;
	if (wide)
		memcpy(record + j * sizeof value, &value, sizeof value);
	else
		memcpy(record + j * sizeof narrow, &narrow, sizeof narrow);
}

/* GEMP_WIDTHS makes a body of gemp_parallel_for of name(context, piece, wide), GEMP_CHUNK_WIDTHS one of gemp_for_chunks
 * of name(context, begin, end, wide), GEMP_INDEXED_WIDTHS one of name(context, chunk, begin, end, wide). `wide` is a
 * constant in each of the two copies. */
#define GEMP_INDEXED_WIDTHS(body, name, type)                               \
	static void body(void *context, size_t chunk, size_t begin, size_t end) \
	{                                                                       \
		type *c = context;                                                  \
		if (c->wide)                                                        \
			name(c, chunk, begin, end, true);                               \
		else                                                                \
			name(c, chunk, begin, end, false);                              \
	}

#define GEMP_CHUNK_WIDTHS(body, name, type)                                 \
	static void body(void *context, size_t chunk, size_t begin, size_t end) \
	{                                                                       \
		(void)chunk;                                                        \
		type *c = context;                                                  \
		if (c->wide)                                                        \
			name(c, begin, end, true);                                      \
		else                                                                \
			name(c, begin, end, false);                                     \
	}

#define GEMP_WIDTHS(body, name, type)                              \
	static void body(void *context, unsigned thread, size_t piece) \
	{                                                              \
		(void)thread;                                              \
		type *c = context;                                         \
		if (c->wide)                                               \
			name(c, piece, true);                                  \
		else                                                       \
			name(c, piece, false);                                 \
	}

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

enum { GEMP_EULER_MAX_CHUNKS = 64 }; /* at most, of a round */

/* Writes records, in the order of pieces, in another form of at most `most` bytes each; how many bytes these are. */
typedef size_t gemp_euler_encode(const void *context, const char *records, size_t count, char *to);

typedef struct gemp_euler_team {
	const gemp_comm *comm;
	size_t teams, team;     /* how many, and which is this rank's */
	size_t members, member; /* of this team */
	bool wide;              /* numbers of edges have 8 bytes */
	uint64_t seed;
	uint32_t spacing; /* elements a splitter */
	size_t gather;    /* elements that are listed on all ranks at most */
	size_t in_flight;
	uint64_t circuits; /* that this team has numbered */
	gemp_traffic traffic;
} gemp_euler_team;

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

/* Collective. Sets the bit of each number in the bitmap of its owner: number x is bit x - bounds[t] of team t, where
 * bounds[t] <= x < bounds[t + 1]; without bounds it is bit x / teams of team x % teams. */
gemp_code gemp_euler_bits_set(gemp_euler_team *team, const uint64_t *numbers, size_t count, const uint64_t *bounds,
                              uint64_t *bits);

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

void gemp_euler_team_init(gemp_euler_team *team, const gemp_comm *comm, bool together);

/* Collective over the team: all have come here and see what all have written. */
void gemp_euler_team_fence(const gemp_euler_team *team);
/* Collective over the team. The sum over members before this one, and over all. */
uint64_t gemp_euler_team_before(const gemp_euler_team *team, uint64_t own, uint64_t *all);
/* The part [*first, *end) of `count` things that is this member's. */
void gemp_euler_team_part(const gemp_euler_team *team, size_t count, size_t *first, size_t *end);

/* Zeroed memory of the team. */
typedef struct gemp_euler_block {
	void *at; /* NULL: none */
	size_t size;
	gemp_shared shared;
} gemp_euler_block;

/* Collective over the team, which agrees; of a team of one a local call. */
gemp_code gemp_euler_block_new(gemp_euler_team *team, gemp_euler_block *block, size_t count, size_t size);
/* To a larger size, keeping what is there. */
gemp_code gemp_euler_block_grow(gemp_euler_team *team, gemp_euler_block *block, size_t count, size_t size);
void gemp_euler_block_free(gemp_euler_block *block); /* collective over the team; takes {0} */

#endif
