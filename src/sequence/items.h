/* items: what ranks have in arrays, named by rank and index, and questions about them. */
#ifndef GEMP_SEQUENCE_ITEMS_H
#define GEMP_SEQUENCE_ITEMS_H

#include "comm/exchange.h"

typedef uint64_t gemp_item;
#define GEMP_NO_ITEM UINT64_MAX

enum { GEMP_ITEM_BITS = 44 }; /* of the index; the rank is above them */

static inline gemp_item gemp_item_of(int rank, size_t index)
{
	return (uint64_t)rank << GEMP_ITEM_BITS | index;
}

static inline int gemp_item_rank(gemp_item item)
{
	return (int)(item >> GEMP_ITEM_BITS);
}

static inline size_t gemp_item_index(gemp_item item)
{
	return (size_t)(item & ((UINT64_C(1) << GEMP_ITEM_BITS) - 1));
}

/* Given all questions that have come to this rank, by rank of who asks; writes an answer to each, where answers are
 * wanted. */
typedef gemp_code gemp_items_answer(void *self, const void *questions, size_t count, void *answers);

typedef struct gemp_questions {
	const void *questions;   /* [count] of `size` bytes */
	size_t count, size;
	const int *owner;        /* [count] the rank that each is for */
	size_t answer_size;      /* 0: there are no answers */
} gemp_questions;

/* Collective. answers[count], by question; NULL where there are none. traffic may be NULL. */
gemp_code gemp_items_ask(const gemp_comm *comm, const gemp_questions *ask, gemp_items_answer *answer, void *self,
                         void *answers,
                   gemp_traffic *traffic);

/* Collective. answers[i] becomes the element of `size` bytes that items[i] names in its rank's table; those of
 * GEMP_NO_ITEM stay as they are. */
gemp_code gemp_items_look_up(const gemp_comm *comm, const gemp_item *items, size_t count, const void *table,
                             size_t size, void *answers, gemp_traffic *traffic);

#endif
