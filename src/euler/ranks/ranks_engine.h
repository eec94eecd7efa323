/* ranks_engine: computes the Euler circuit on the hosts of all ranks, in shared memory or by messages (team.h).
 *
 * Stages:
 *   1 pair     gives each edge its own successor among the out-edges of its target; the edges then form circuits
 *   2 contract finds the circuits (list.h and list_ranking.h)
 *   3 join     joins circuits that share a vertex (join.h)
 *   4 rewalk   walks the stretches that joining has changed (list.h)
 *   5 rank     ranks the splitters (list_ranking.h)
 *   6 place    gives each edge its place, on the rank of the place (placement.h) */

#ifndef GEMP_EULER_RANKS_RANKS_ENGINE_H
#define GEMP_EULER_RANKS_RANKS_ENGINE_H

#include "euler/euler.h"

/* Collective. Runs on the threads of any number of ranks. */
gemp_code gemp_euler_on_ranks(gemp_euler_result *out, const gemp_comm *comm, const gemp_euler_edges *edges,
                              const gemp_euler_options *options);

#endif
