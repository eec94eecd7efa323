/* ranks_engine: the Euler circuit on the hosts of all ranks, in shared memory or by messages (team.h).
 *
 * Stages:
 *   1 pair     each edge gets its own successor among the out-edges of its target; the edges then form circuits
 *   2 contract list.h and list_ranking.h find the circuits
 *   3 join     join.h joins circuits that share a vertex
 *   4 rewalk   list.h walks the stretches that joining has changed
 *   5 rank     list_ranking.h ranks the splitters
 *   6 place    placement.h sends each edge to its place
 */

#ifndef GEMP_EULER_RANKS_RANKS_ENGINE_H
#define GEMP_EULER_RANKS_RANKS_ENGINE_H

#include "euler/euler.h"

/* Collective. Runs on the threads of any number of ranks. */
gemp_code gemp_euler_on_ranks(gemp_euler_result *out, const gemp_comm *comm, const gemp_euler_edges *edges,
                              const gemp_euler_options *options);

#endif
