/* pushdown: conditions between two vertices that the search tests itself, as soon as it has bound the second: a <> b,
 * a = b, id(a) < id(b) by the rank of keys, [NOT] EXISTS of an edge by its row. */
#ifndef GEMP_MATCH_PUSHDOWN_H
#define GEMP_MATCH_PUSHDOWN_H

#include "match/phases.h"
#include "pattern/plan.h"

typedef struct gemp_pushdown {
	gemp_vertex_tests tests;
	size_t edge_test_count;
	gemp_edge_test *edge_tests;   /* [edge_test_count] owned; their relations are the pattern's */
	uint32_t *key_rank;           /* [vertices] by id, owned; NULL: keys are not compared */
	uint64_t conditions;          /* taken out of the phases */
} gemp_pushdown;

/* Collective. Takes what it can out of the phases. */
gemp_code gemp_pushdown_new(gemp_pushdown *out, gemp_context *context, gemp_graph *graph, const gemp_pattern *pattern,
                            gemp_condition_phases *phases);
void gemp_pushdown_free(gemp_pushdown *pushdown);

#endif
