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
	gemp_pattern *whole; /* the pattern of the text, which may have `pattern` within it */
	const gemp_shard *graph;
	gemp_source source;
	bool lenient;
	/* rules whose updates may introduce names that the graph does not have; NULL: no rules */
	const gemp_rule_set *rules;
	const gemp_clause *with; /* the clause whose items are the variables; NULL: variables are those of the pattern */
} gemp_binding;

/* Returns GEMP_EUSAGE if the expression, whose type is known, is not a condition. */
gemp_code gemp_bind_condition(const gemp_binding *b, const gemp_expr *expr);
/* Compiles the regular expression of =~. An operand that is not a string is left to gemp_bind_types, which refuses
 * it. */
gemp_code gemp_bind_regex(const gemp_binding *b, gemp_expr *expr);
/* Sets the type of each expression, from the leaves up. An operand of the wrong type is GEMP_EUSAGE with its place. */
gemp_code gemp_bind_types(const gemp_binding *b, gemp_expr *expr);
/* Replaces comparisons between values of different classes by their result, with a warning. */
gemp_code gemp_bind_fold(const gemp_binding *b, gemp_expr **slot);

#endif
