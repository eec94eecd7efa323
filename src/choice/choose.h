/* choose: which of the matches of all ranks are applied together.
 *
 * The chosen set is that of a greedy pass in the order of priorities: it is maximal, free of conflicts, and the same
 * for every number of ranks. What nobody contends with needs no priority:
 *
 *     gemp_choose_uncontended -> where some are left: priorities -> gemp_choose_all
 */
#ifndef GEMP_CHOICE_CHOOSE_H
#define GEMP_CHOICE_CHOOSE_H

#include "choice/order.h"
#include "choice/tokens.h"
#include "partition/context.h"

typedef enum gemp_choice { GEMP_UNDECIDED, GEMP_CHOSEN, GEMP_LEFT_OUT } gemp_choice;

/* All take choice[tokens->matches]; those that are not undecided before take no part and have no tokens. */

/* Collective. Chooses matches none of whose seats are such that matches could conflict there. *left: how many of all
 * ranks are undecided still. */
gemp_code gemp_choose_uncontended(const gemp_comm *comm, const gemp_tokens *tokens, uint8_t *choice, uint64_t *left);
/* Who plays the rounds of one rank; several ranks always do so on their hosts. */
typedef enum gemp_choose_on { GEMP_CHOOSE_AUTO, GEMP_CHOOSE_HOST, GEMP_CHOOSE_DEVICE } gemp_choose_on;

typedef struct gemp_chooser {
	const gemp_comm *comm;
	gemp_context *context; /* of these ranks, for its device; NULL: the host chooses */
	gemp_choose_on on;     /* auto: the device, if it is a GPU, there are many tokens and they fit there */
} gemp_chooser;

/* Collective. The lesser priority comes first; priorities of undecided matches are distinct over all ranks. *rounds:
 * that it took. */
gemp_code gemp_choose_all(const gemp_chooser *chooser, const gemp_tokens *tokens, const uint64_t *priority,
                          uint8_t *choice, uint64_t *rounds);
/* Collective. The first of all that are undecided, by priority and then in their order; the others are out. */
gemp_code gemp_choose_one(const gemp_comm *comm, const gemp_ordered *matches, const uint64_t *priority,
                          uint8_t *choice);

#endif
