/* verify: checks an Euler circuit or path against the edges alone, independently of the engine that has made the
 * order. */

#ifndef GEMP_EULER_VERIFY_H
#define GEMP_EULER_VERIFY_H

#include "euler/euler.h"

/* Collective. Each edge once, each begins where the one before ends, and the circuit closes, or the path goes from
 * path_start to path_end; sources, where they are given. What is wrong is GEMP_EINTERNAL, with the place. */
gemp_code gemp_euler_verify(const gemp_comm *comm, const gemp_euler_edges *edges, const gemp_euler_order *order);

#endif
