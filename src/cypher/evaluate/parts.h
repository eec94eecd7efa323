/* parts: what evaluate.c calls of the files beside it, and they of it. Internal to src/cypher/evaluate.
 *
 *   arithmetic.c      + - * / % ^ and the sign
 *   access.c          properties, indices, slices, labels, map projections
 *   predicate.c       comparisons, IN, logic, strings
 *   comprehension.c   list comprehensions, quantifiers, reduce
 *   regex.c           =~
 *
 * All functions are total in the kinds of values: what a query may not do is gemp_cypher_fail with the place. */

#ifndef GEMP_CYPHER_EVALUATE_PARTS_H
#define GEMP_CYPHER_EVALUATE_PARTS_H

#include "cypher/evaluate/environment.h"

static inline gemp_datum gemp_datum_of_truth(gemp_truth truth)
{
	return truth == GEMP_IS_UNKNOWN ? gemp_datum_null() : gemp_datum_boolean(truth == GEMP_IS_TRUE);
}

/* GEMP_CY_ADD to GEMP_CY_POWER of two values. */
gemp_code gemp_cypher_compute(const gemp_cypher_environment *environment, const gemp_cypher_expr *expr, gemp_datum a,
                              gemp_datum b, gemp_datum *out);
gemp_code gemp_cypher_negate(const gemp_cypher_environment *environment, const gemp_cypher_expr *expr, gemp_datum *out);

gemp_code gemp_cypher_property(const gemp_cypher_environment *environment, const gemp_cypher_expr *expr,
                               gemp_datum *out);
gemp_code gemp_cypher_index(const gemp_cypher_environment *environment, const gemp_cypher_expr *expr, gemp_datum *out);
gemp_code gemp_cypher_slice(const gemp_cypher_environment *environment, const gemp_cypher_expr *expr, gemp_datum *out);
gemp_code gemp_cypher_has_labels(const gemp_cypher_environment *environment, const gemp_cypher_expr *expr,
                                 gemp_datum *out);
gemp_code gemp_cypher_map(const gemp_cypher_environment *environment, const gemp_cypher_expr *expr, gemp_datum *out);
gemp_code gemp_cypher_map_projection(const gemp_cypher_environment *environment, const gemp_cypher_expr *expr,
                                     gemp_datum *out);

/* GEMP_CY_OR to GEMP_CY_IS_NOT_NULL, except GEMP_CY_REGEX. */
gemp_code gemp_cypher_predicate(const gemp_cypher_environment *environment, const gemp_cypher_expr *expr,
                                gemp_truth *out);
gemp_code gemp_cypher_regex_match(const gemp_cypher_environment *environment, const gemp_cypher_expr *expr,
                                  gemp_datum text, gemp_datum pattern, gemp_truth *out);

/* GEMP_CY_LIST_COMPREHENSION to GEMP_CY_REDUCE. */
gemp_code gemp_cypher_comprehend(const gemp_cypher_environment *environment, const gemp_cypher_expr *expr,
                                 gemp_datum *out);

#endif
