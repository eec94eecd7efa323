/* verify: checks an Euler circuit or path against the edges alone, independently of the engine that has made the
 * order. */

#ifndef GEMP_EULER_VERIFY_H
#define GEMP_EULER_VERIFY_H

#include "euler/euler.h"

/* Collective. Checks that each edge is in the order once, that each edge begins where the previous edge ends, and that
 * the circuit closes, or the path goes from path_start to path_end. If the order has sources, they are checked, too.
 * The first error is GEMP_EINTERNAL, and its message names the place. */
gemp_code gemp_euler_verify(const gemp_comm *comm, const gemp_euler_edges *edges, const gemp_euler_order *order);

#endif
