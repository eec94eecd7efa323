/* rounds: the undecided matches of one rank as flat arrays, and the rounds that decide about them.
 *
 * In each round every undecided match enters its priority into its slots, by an atomic minimum for each kind of access.
 * Then a match is selected if no conflicting access has a smaller priority, and rejected if a conflicting match is
 * selected. Every round decides at least about the match with the smallest priority, so the rounds end. Host and device
 * make the same decisions in the same number of rounds (device_rounds.h). */

#ifndef GEMP_TRANSFORM_CONFLICTS_ROUNDS_H
#define GEMP_TRANSFORM_CONFLICTS_ROUNDS_H

#include "transform/conflicts/conflict_keys.h"

typedef struct gemp_conflict_rounds {
	size_t matches;
	size_t *rows;      /* [matches] number of each match in the arrays of the caller */
	uint64_t *offsets; /* [matches + 1] */
	uint64_t *keys; /* [offsets[matches]] gemp_conflict_key with slots below `slots`; the rounds renumber the slots */
	uint64_t *priority; /* [matches] all different; the smallest has precedence */
	uint8_t *decision;  /* [matches] gemp_match_decision; undecided before the rounds */
	uint64_t slots;
} gemp_conflict_rounds;

/* Makes the arrays of the undecided matches. The caller frees *out, also after an error. */
gemp_code gemp_conflict_rounds_new(gemp_conflict_rounds *out, const gemp_conflict_keys *conflict_keys,
                                   const uint64_t *priority, const uint8_t *decisions);
void gemp_conflict_rounds_free(gemp_conflict_rounds *problem);
/* Decides about all matches on the threads of this rank. */
gemp_code gemp_conflict_rounds_host(gemp_conflict_rounds *problem, uint64_t *rounds);

#endif
