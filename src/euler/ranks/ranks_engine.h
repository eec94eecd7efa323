#ifndef GEMP_EULER_RANKS_RANKS_ENGINE_H
#define GEMP_EULER_RANKS_RANKS_ENGINE_H

#include "euler/euler.h"

/* Collective; any number of ranks, also one, on the threads of their hosts. */
gemp_code gemp_euler_on_ranks(gemp_euler_result *out, const gemp_comm *comm, const gemp_euler_edges *edges,
                              const gemp_euler_options *options);

#endif
