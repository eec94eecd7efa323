/* nested_parts: what a nested kernel's worker with much to do gives to workers that wait.
 *
 * Of what is left to it, the first of these that it has: entries of its task; candidates of the third vertex; candidates of
 * the fourth one, for the third at which it is. Those deeper are soon done with.
 */
#ifndef GEMP_MATCH_NESTED_PARTS_H
#define GEMP_MATCH_NESTED_PARTS_H

#include "match/nested_loop.h"

/* Are parts cut at this level? */
bool gemp_splits(int level);

/* After `part` was taken. */
void gemp_emit_part(gemp_emitter *e);
/* start and stop: the candidates of a level that this worker is to look at. */
void gemp_emit_bounds(gemp_emitter *e, int level);
/* next: the first candidate of this level that is left. */
void gemp_emit_giving(gemp_emitter *e, int level, const char *next);

#endif
