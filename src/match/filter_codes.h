/* filter_codes: a column of strings as a dictionary: its distinct values, and for each row the number of its value. Host
 * only. What is asked of one value is then answered once for all rows that have it. */
#ifndef GEMP_MATCH_FILTER_CODES_H
#define GEMP_MATCH_FILTER_CODES_H

#include "graph/column.h"

typedef struct gemp_filter_codes {
	uint32_t *codes;    /* [rows]; NULL: the column stays as it is */
	gemp_column values; /* the distinct ones; then, if some row is NULL, one NULL */
} gemp_filter_codes;

/* Columns in which few values are repeated stay as they are: a sample tells, unless `eager` (for tests that cost more
 * than looking up a value); and in any case those with more distinct values than half their rows. */
gemp_code gemp_filter_codes_new(gemp_filter_codes *out, const gemp_column *column, bool eager);
void gemp_filter_codes_free(gemp_filter_codes *codes);

#endif
