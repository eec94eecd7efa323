/* matching_order: the pivot and the order in which a plan binds vertices, greedily by estimated cardinality.
 *
 * Cardinalities follow from the mean length of rows and the independence of edges (as in System R, Selinger et al.
 * 1979). Orders are connected: every vertex but the first is joined to an earlier vertex. At most 32 * 33 orders are
 * tried. */

#ifndef GEMP_PATTERN_PLAN_MATCHING_ORDER_H
#define GEMP_PATTERN_PLAN_MATCHING_ORDER_H

#include "pattern/plan/plan.h"

/* Chooses a connected order[vertex_count]. rows[i] becomes the estimated number of partial matches after order[0..i]
 * are bound. From each possible pivot, the next vertex is the vertex that leaves the fewest partial matches. The pivot
 * whose order costs least is taken; of equal costs, the pivot with the fewest candidates. first: start from vertex 0
 * instead (--pivot off).
 *
 * Returns true if the last vertex v should be counted by two-paths. Then v is joined to the pivot and one other vertex,
 * may_leave[v] is true, and making the table of two-paths costs less than enumerating v. */
bool gemp_plan_order(const gemp_pattern *pattern, const gemp_statistics *statistics, bool first, const bool *may_leave,
                     int *order, double *rows);

/* Returns GEMP_EUSAGE unless every vertex except the first (or except the arguments) is joined to an earlier vertex. */
gemp_code gemp_plan_check_order(const gemp_pattern *pattern, const int *order);
/* Computes rows[] of an order that the user has forced. */
void gemp_plan_order_rows(const gemp_pattern *pattern, const gemp_statistics *statistics, const int *order,
                          double *rows);

#endif
