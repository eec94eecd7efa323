/* order_search: the order of binding that promises least work, by samples of all orders.
 *
 * Orders are prefixes that grow, the cheapest so far first (uniform cost search), so that the first whole one is the best as
 * far as the samples tell. Vertices that an automorphism exchanges are tried once, and of prefixes that bind the same vertices
 * only those stay that cost less or leave fewer partial matches.
 */
#ifndef GEMP_MATCH_ORDER_SEARCH_H
#define GEMP_MATCH_ORDER_SEARCH_H

#include "match/sample.h"
#include "pattern/symmetry.h"

/* Larger patterns keep the order that estimates give: there are too many. */
enum { GEMP_MOST_SEARCHED = 8 };

typedef struct gemp_order_question {
	gemp_context *context;
	const gemp_graph *graph;
	const gemp_pattern *pattern;
	const gemp_symmetry *symmetry;
	const gemp_statistics *statistics;
	const gemp_candidates *candidates;
	const gemp_plan_options *options;
	const uint32_t *key_rank;
} gemp_order_question;

/* Work of a step, in entries, of `before` partial matches that it takes. */
double gemp_step_work(const gemp_sample_work *step, double before);

/* Collective. order[vertex_count]: one to improve on, replaced if found; it is not where so little work is not worth a search. */
gemp_code gemp_order_search(const gemp_order_question *question, int *order, bool *found);

#endif
