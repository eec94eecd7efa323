/* crossing: partial matches to the owners of the rows that they need, in rounds of one all-to-all.
 *
 * Bounded memory without deadlock: a receiver has `slots` places a (stage, source); a sender uses only the credits
 * announced in the last round; deeper stages run first (search.h) and each stage has room of its own. A message to a rank,
 * stage by stage: places that are free, number of items, and these in pieces, of each its bytes and the items coded
 * (match/exchange/item_codec.h); numbers as in partition/fetch/row_code.h.
 */

#ifndef GEMP_MATCH_EXCHANGE_MATCH_EXCHANGE_H
#define GEMP_MATCH_EXCHANGE_MATCH_EXCHANGE_H

#include "match/search/search_state.h"

typedef struct gemp_match_exchange gemp_match_exchange;

/* Local; search->capacity becomes the credits. */
gemp_code gemp_match_exchange_new(gemp_match_exchange **out, gemp_search *search);
void gemp_match_exchange_free(gemp_match_exchange *exchange);

/* Local. Puts waiting items on the device for stages that have run out of tasks there. */
gemp_code gemp_match_exchange_feed(gemp_match_exchange *exchange);

/* Collective. Sends what the outbox holds, receives, renews credits, clears `blocked`. *moved: items sent by this rank. */
gemp_code gemp_match_exchange_round(gemp_match_exchange *exchange, uint64_t *moved);

/* Items received and not yet taken by a worker. */
uint64_t gemp_match_exchange_waiting(const gemp_match_exchange *exchange);

#endif
