/* rounds: all ranks search together until no work is left anywhere.
 *
 * A round: launches until nothing can run or a time slice is over, one exchange of partial matches, one reduction of work
 * left and status, and one turn of the sink chain. Without crossing and without a sink there is one round.
 */
#ifndef GEMP_MATCH_ROUNDS_H
#define GEMP_MATCH_ROUNDS_H

#include "match/search.h"

typedef struct gemp_rounds_result {
	uint64_t rounds;
	bool complete; /* false: the sink had enough */
} gemp_rounds_result;

/* Collective. */
gemp_code gemp_rounds_run(gemp_search *search, gemp_rounds_result *result);

#endif
