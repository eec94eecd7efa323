/* match_exchange: sends partial matches to the owners of the rows that they need, in rounds of one all-to-all exchange.
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

/* Local. search->capacity has the credits of the first round already; each round renews them. */
gemp_code gemp_match_exchange_new(gemp_match_exchange **out, gemp_search *search);
void gemp_match_exchange_free(gemp_match_exchange *exchange);
GEMP_RELEASE(gemp_match_exchange_free, gemp_match_exchange *)

/* Local. Copies waiting items to the device for stages whose tasks there have all been taken. */
gemp_code gemp_match_exchange_feed(gemp_match_exchange *exchange);

/* Collective. Sends the items of the outbox, receives those of other ranks, renews the credits and clears `blocked` of
 * all stages. *moved becomes the number of items that this rank has sent. */
gemp_code gemp_match_exchange_round(gemp_match_exchange *exchange, uint64_t *moved);

/* Items that were received and that no worker has taken yet. */
uint64_t gemp_match_exchange_waiting(const gemp_match_exchange *exchange);

#endif
