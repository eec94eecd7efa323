/* match_exchange: sends partial matches to the owners of the rows that they need, in rounds of one all-to-all exchange.
 *
 * Memory is bounded, and there is no deadlock. A receiver has `slots` places for the items of each stage and source. A
 * sender uses only the credits (free places) that the last round has announced. Deeper stages run first (search.h), and
 * each stage has its own places, so the deepest stage can always run. A message to a rank has, for each stage, the free
 * places, the number of items, and the items in chunks; a chunk is its number of bytes and the coded items
 * (item_codec.h). Numbers are coded as in partition/fetch/row_code.h. */

#ifndef GEMP_MATCH_EXCHANGE_MATCH_EXCHANGE_H
#define GEMP_MATCH_EXCHANGE_MATCH_EXCHANGE_H

#include "core/memory.h"
#include "match/search/search_state.h"

typedef struct gemp_match_exchange gemp_match_exchange;

/* Local. search->capacity already has the credits of the first round. Each round renews the credits. */
gemp_code gemp_match_exchange_new(gemp_match_exchange **out, gemp_search *search);
void gemp_match_exchange_free(gemp_match_exchange *exchange);
GEMP_RELEASE(gemp_match_exchange_free, gemp_match_exchange *)

/* Local. For each stage whose tasks on the device have all been taken, copies the waiting items to the device. */
gemp_code gemp_match_exchange_feed(gemp_match_exchange *exchange);

/* Collective. Sends the items of the outbox, receives the items of other ranks, renews the credits and clears `blocked`
 * of all stages. *moved becomes the number of items that this rank has sent. */
gemp_code gemp_match_exchange_round(gemp_match_exchange *exchange, uint64_t *moved);

/* The number of received items in the queues. It may include items that workers have taken since the last call of
 * gemp_match_exchange_feed or gemp_match_exchange_round. */
uint64_t gemp_match_exchange_waiting(const gemp_match_exchange *exchange);

#endif
