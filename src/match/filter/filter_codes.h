/* filter_codes: dictionaries of columns of strings, on the host, so that a condition is evaluated once for each
 * distinct value. Local. */

#ifndef GEMP_MATCH_FILTER_FILTER_CODES_H
#define GEMP_MATCH_FILTER_FILTER_CODES_H

#include "graph/column.h"

/* A column of strings as a dictionary: its distinct values, and for each row the number of its value. A condition is
 * then evaluated once for all rows with the same value. The dictionary is in host memory. */
typedef struct gemp_filter_codes {
	uint32_t *codes;    /* [rows] each row's number among `values`; NULL: there is no dictionary */
	gemp_column values; /* the distinct values, followed by one NULL if some row is NULL */
} gemp_filter_codes;

/* Makes no dictionary in two cases: a sample has few repeated values, or more than half of the rows have distinct
 * values. `eager` skips the sample, for conditions that cost more than looking up a value. */
gemp_code gemp_filter_codes_new(gemp_filter_codes *out, const gemp_column *column, bool eager);
void gemp_filter_codes_free(gemp_filter_codes *codes);

#endif
