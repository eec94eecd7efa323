/* rounds: runs the search of all ranks until no rank has work left.
 *
 * A round has four parts: launches until no stage can run or a time slice is over, one exchange of partial matches, one
 * reduction of the remaining work and of failures, and the end of the round for the chain of sinks. Without an exchange
 * and without a sink there is only one round. */

#ifndef GEMP_MATCH_EXCHANGE_ROUNDS_H
#define GEMP_MATCH_EXCHANGE_ROUNDS_H

#include "match/exchange/pull.h"

typedef struct gemp_rounds_result {
	uint64_t rounds;
	bool complete; /* false: the sink wanted no more rows */
} gemp_rounds_result;

/* Collective. `pull` is NULL unless the search's rows come in the rounds of a pull. Each round of a pull consists of
 * rounds as described above. */
gemp_code gemp_rounds_run(gemp_search *search, gemp_pull *pull, gemp_rounds_result *result);

#endif
