/* match_exchange: partial matches to the owners of the rows that they need, in rounds of one all-to-all exchange.
 *
 * Memory is bounded, and there is no deadlock: a receiver has `slots` places for each (stage, source); a sender uses
 * only the credits that were announced in the last round; deeper stages run first (search.h), and each stage has places
 * of its own. A message to a rank is, stage by stage: free places, number of items, and the items in chunks, each as
 * its number of bytes and the coded items (item_codec.h); numbers are coded as in partition/fetch/row_code.h.
 */

#ifndef GEMP_MATCH_EXCHANGE_MATCH_EXCHANGE_H
#define GEMP_MATCH_EXCHANGE_MATCH_EXCHANGE_H

#include "core/memory.h"
#include "match/search/search_state.h"

typedef struct gemp_match_exchange gemp_match_exchange;

/* Local; search->capacity becomes the credits. */
gemp_code gemp_match_exchange_new(gemp_match_exchange **out, gemp_search *search);
void gemp_match_exchange_free(gemp_match_exchange *exchange);
GEMP_RELEASE(gemp_match_exchange_free, gemp_match_exchange *)

/* Local. Puts waiting items on the device for stages that have run out of tasks there. */
gemp_code gemp_match_exchange_feed(gemp_match_exchange *exchange);

/* Collective. Sends what the outbox holds, receives, renews credits, clears `blocked`. *moved: items sent by this rank. */
gemp_code gemp_match_exchange_round(gemp_match_exchange *exchange, uint64_t *moved);

/* Items received and not yet taken by a worker. */
uint64_t gemp_match_exchange_waiting(const gemp_match_exchange *exchange);

#endif
