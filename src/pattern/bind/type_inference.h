/* type_inference: types of expressions from their leaves up, and the folding of comparisons between values of
 * different types. Internal to src/pattern.
 *
 * An expression gets type and always_null once, and all later steps read them. Values have four classes (numbers,
 * strings, booleans, lists); only values of one class can be equal or have an order.
 */

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
	const gemp_rule_set *rules; /* names that their updates introduce may be new to the graph; NULL: none */
	const gemp_clause *with;    /* expressions use its items; NULL: they use the pattern's variables */
} gemp_binding;

/* GEMP_EUSAGE unless the expression, whose type is known, is a condition. */
gemp_code gemp_bind_condition(const gemp_binding *b, const gemp_expr *expr);
/* Compiles the regular expression of =~, unless it is no string, which gemp_bind_types refuses. */
gemp_code gemp_bind_regex(const gemp_binding *b, gemp_expr *expr);
/* The type of each expression, from its leaves up; an operand of the wrong type is GEMP_EUSAGE with its place. */
gemp_code gemp_bind_types(const gemp_binding *b, gemp_expr *expr);
/* Comparisons between values of different classes become their result, with a warning. */
gemp_code gemp_bind_fold(const gemp_binding *b, gemp_expr **slot);

#endif
