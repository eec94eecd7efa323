/* ask: a number about each of some slots, asked of the ranks whose slots they are. */
#ifndef GEMP_EULER_ASK_H
#define GEMP_EULER_ASK_H

#include "euler/euler.h"

/* What an owner says of a slot of its own. Several threads call it at the same time. */
typedef uint64_t gemp_euler_answer(void *self, gemp_edge slot);

/* Collective. answers[i] becomes what the owner of slots[i] says. A slot that nobody has is GEMP_EINTERNAL on all
 * ranks. */
gemp_code gemp_euler_ask(const gemp_comm *comm, const gemp_euler_edges *edges, const gemp_edge *slots, size_t count,
                         gemp_euler_answer *answer, void *self, uint64_t *answers);

#endif
