/* parameter: values NAME=VALUE of $NAME in queries and rules.
 *
 * The syntax tree replaces a parameter by its value as a literal, so that no later step knows parameters, and the text
 * of the user never becomes part of a query's text.
 */

#ifndef GEMP_PATTERN_MODEL_PARAMETER_H
#define GEMP_PATTERN_MODEL_PARAMETER_H

#include "graph/column.h"

typedef struct gemp_query_parameter {
	const char *name;
	gemp_value value; /* strings borrowed */
} gemp_query_parameter;

/* Reads `name=value` or `name:type=value`, type string, int, float or bool. Without a type the value is an integer, a
 * float, true, false or null if it is written as one, and else a string; 'quotes' make any value a string. Errors are
 * GEMP_EUSAGE and name the parameter. The name and strings belong to the parameter: gemp_query_parameter_free. */
gemp_code gemp_query_parameter_read(gemp_query_parameter *out, const char *text);
void gemp_query_parameter_free(gemp_query_parameter *parameter);

#endif
