/* crossing: partial matches to the owners of the rows that they need, in rounds of one all-to-all.
 *
 * Bounded memory without deadlock: a receiver has `slots` places a (stage, source); a sender uses only the credits
 * announced in the last round; deeper stages run first (search.h) and each stage has room of its own. A message to a rank,
 * stage by stage: places that are free, number of items, and these in pieces, of each its bytes and the items coded
 * (match/item_code.h); numbers as in partition/row_code.h.
 */
#ifndef GEMP_MATCH_CROSSING_H
#define GEMP_MATCH_CROSSING_H

#include "match/search.h"

typedef struct gemp_crossing gemp_crossing;

/* Local; search->capacity becomes the credits. */
gemp_code gemp_crossing_new(gemp_crossing **out, gemp_search *search);
void gemp_crossing_free(gemp_crossing *crossing);

/* Local. Puts waiting items on the device for stages that have run out of tasks there. */
gemp_code gemp_crossing_feed(gemp_crossing *crossing);

/* Collective. Sends what the outbox holds, receives, renews credits, clears `blocked`. *moved: items sent by this rank. */
gemp_code gemp_crossing_exchange(gemp_crossing *crossing, uint64_t *moved);

/* Items received and not yet taken by a worker. */
uint64_t gemp_crossing_waiting(const gemp_crossing *crossing);

#endif
