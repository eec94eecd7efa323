/* bind: what binding names and inferring types share. Internal to src/pattern. */

#ifndef GEMP_PATTERN_BIND_TYPE_INFERENCE_H
#define GEMP_PATTERN_BIND_TYPE_INFERENCE_H

#include "graph/graph.h"
#include "pattern/model/rule.h"
#include "pattern/model/source.h"

typedef struct gemp_binding {
	gemp_pattern *pattern;
	const gemp_shard *graph;
	gemp_source source;
	bool lenient;
	const gemp_rule_set *rules; /* names that their updates give may be new to the graph; NULL: none */
	const gemp_clause *with;    /* expressions speak of its items; NULL: of the pattern's variables */
} gemp_binding;

/* Whose type is known: may it stand as a condition? */
gemp_code gemp_bind_condition(const gemp_binding *b, const gemp_expr *expr);
/* The regular expression of =~, if it is a string. */
gemp_code gemp_bind_regex(const gemp_binding *b, gemp_expr *expr);
/* The type of each expression, from its leaves up; what has none is GEMP_EUSAGE with its place. */
gemp_code gemp_bind_types(const gemp_binding *b, gemp_expr *expr);
/* Comparisons of what cannot be equal become what they come to, with a warning. */
gemp_code gemp_bind_fold(const gemp_binding *b, gemp_expr **slot);

#endif
