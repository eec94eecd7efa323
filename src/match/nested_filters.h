/* nested_filters: what binds the image of a pattern vertex, as far as vertices bound before tell. Sets of candidates
 * are compared by their filters: one that asks for less can be the base of one that asks for more. */
#ifndef GEMP_MATCH_NESTED_FILTERS_H
#define GEMP_MATCH_NESTED_FILTERS_H

#include "pattern/plan.h"

/* "The row of `from` has (or, absent, has not) the candidate"; from -1: its own row. */
typedef struct gemp_row_filter {
	int view, from;
	bool absent;
	bool source; /* names each candidate once */
} gemp_row_filter;

typedef struct gemp_filters {
	size_t row_count;
	gemp_row_filter rows[GEMP_MAX_CHECKS];
	int candidates;                      /* pattern vertex whose bitmap; -1: none */
	/* Pattern vertices; see gemp_step. */
	uint64_t differ, less, greater, same, key_less, key_most, key_greater, key_least;
} gemp_filters;

/* What the step asks of its vertex with regard to those in `seen`. */
void gemp_filters_of(gemp_filters *out, const gemp_plan *plan, const gemp_step *step, uint64_t seen);
/* Does every candidate that passes b pass a, too? */
bool gemp_filters_within(const gemp_filters *a, const gemp_filters *b);
/* What b asks beyond a. */
void gemp_filters_minus(gemp_filters *out, const gemp_filters *b, const gemp_filters *a);
/* Rows that can give the candidates; the first bit is rows[0]. */
uint64_t gemp_filters_sources(const gemp_filters *filters);
/* Does it take more than a comparison of slots, beside one row, to test them? */
bool gemp_filters_costly(const gemp_filters *filters);

#endif
