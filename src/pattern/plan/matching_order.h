/* matching_order: the pivot and the order in which a plan binds vertices, greedily by estimated cardinality.
 *
 * Cardinalities follow from the mean length of rows and the independence of edges (as in System R, Selinger et al.
 * 1979). Orders are connected: every vertex but the first is joined to one before it. At most 32 * 33 orders are
 * tried.
 */

#ifndef GEMP_PATTERN_PLAN_MATCHING_ORDER_H
#define GEMP_PATTERN_PLAN_MATCHING_ORDER_H

#include "pattern/plan/plan.h"

/* order[vertex_count]: connected; rows[i]: estimated partial matches once order[0..i] are bound. From each possible
 * pivot the next vertex is the one that leaves fewest partial matches; the pivot whose order costs least is taken,
 * among equals the one with fewest candidates. first: start from vertex 0 instead (--pivot off).
 *
 * Returns whether to count by two-paths (only if may_leave[v] allows it for the last vertex v): v is joined to the
 * pivot and one other vertex and comes last, and making the table costs less than enumerating v. */
bool gemp_plan_order(const gemp_pattern *pattern, const gemp_statistics *statistics, bool first, const bool *may_leave,
                     int *order, double *rows);

/* GEMP_EUSAGE unless every vertex but the first (or but the arguments) is joined to one before it. */
gemp_code gemp_plan_check_order(const gemp_pattern *pattern, const int *order);
/* rows[] of an order that is forced. */
void gemp_plan_order_rows(const gemp_pattern *pattern, const gemp_statistics *statistics, const int *order,
                          double *rows);

#endif
