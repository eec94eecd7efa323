/* ranks_engine: the Euler circuit on the hosts of all ranks, in shared memory or by messages (team.h).
 *
 * Stages: pairing gives each edge a successor, an out-edge of the vertex that it leads to, and no two edges the same one; list.h and list_ranking.h find their circuits, join.h joins these, list.h walks
 * the changed stretches again, list_ranking.h ranks the splitters, placement.h places the edges.
 */

#ifndef GEMP_EULER_RANKS_RANKS_ENGINE_H
#define GEMP_EULER_RANKS_RANKS_ENGINE_H

#include "euler/euler.h"

/* Collective; any number of ranks, also one, on the threads of their hosts. */
gemp_code gemp_euler_on_ranks(gemp_euler_result *out, const gemp_comm *comm, const gemp_euler_edges *edges,
                              const gemp_euler_options *options);

#endif
