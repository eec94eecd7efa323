/* nested_shape: divides a plan into nested loops, for devices with many lanes.
 *
 * Level i binds the vertex of step i. A task is an entry of a row and binds levels 0 and 1. On the levels up to the
 * last but two, all lanes of a worker work on one candidate together. On the last level but one, the lanes form groups
 * of ROW_LANES. Each group takes one candidate, and its lanes together walk the last level: the candidate's row, or a
 * list. Candidates that would be searched for repeatedly are kept in lists or, for the last level, as marks in a
 * bitmap. The shape depends only on the plan and the options, so all devices of a search use the same shape. */

#ifndef GEMP_MATCH_CODEGEN_NESTED_SHAPE_H
#define GEMP_MATCH_CODEGEN_NESTED_SHAPE_H

#include "kernels/match/nested_abi.h"
#include "match/codegen/kernel_text.h"
#include "partition/views/view.h"

/* Filters are the tests of a candidate that need only vertices bound so far. If the filters of set A are a subset of
 * the filters of set B, then B can be made from A, which is the base of B. */

/* The test that the row of vertex `from` contains the candidate (absent: does not contain it). If from is -1, the test
 * is of the candidate's own row. */
typedef struct gemp_row_filter {
	int view, from;
	bool absent;
	bool source; /* the row contains all candidates, and each of them once */
} gemp_row_filter;

typedef struct gemp_nested_filters {
	size_t row_count;
	gemp_row_filter rows[GEMP_MAX_CHECKS];
	int candidates; /* the pattern vertex whose bitmap is tested; -1: no bitmap */
	/* Sets of pattern vertices, as bits; gemp_step explains them. */
	uint64_t differ, less, greater, same, key_less, key_max, key_greater, key_min;
} gemp_nested_filters;

/* The filters of the step's vertex that depend only on the vertices in `seen`, a set of bits. */
void gemp_nested_filters_of(gemp_nested_filters *out, const gemp_plan *plan, const gemp_step *step, uint64_t seen);

/* The filters of b that a does not have. */
void gemp_nested_filters_minus(gemp_nested_filters *out, const gemp_nested_filters *b, const gemp_nested_filters *a);
/* The source rows as bits: bit i is set if rows[i] contains all candidates. */
uint64_t gemp_nested_filters_sources(const gemp_nested_filters *filters);

/* A set of candidates that is stored as soon as the vertex of `level` is bound. Lists have level 1 or more, since a
 * task binds levels 0 and 1 together. Marks may have level 0. */
typedef struct gemp_nested_set {
	gemp_nested_filters filters;
	gemp_nested_filters rest; /* the filters that are tested when the set is made from its base */
	int level, base;          /* base: the list from which the set is filtered; -1: the set is made from a row */
} gemp_nested_set;

enum { GEMP_MAX_LEVELS = 12 }; /* the greatest depth of the loops; the state machine runs longer plans */

typedef enum gemp_nested_leaf {
	GEMP_LEAF_SEARCH, /* walks a row or a list, and searches the other rows for each entry */
	GEMP_LEAF_MARKED, /* walks the row of the vertex before, and looks each entry up in the bitmap */
	GEMP_LEAF_LISTED  /* walks a list */
} gemp_nested_leaf;

typedef struct gemp_nested {
	int levels;
	int twins; /* number of last vertices with the same candidates, whose choices a formula counts; 1: no twins */
	gemp_twin_ways ways;
	gemp_nested_leaf leaf;
	size_t list_count;
	gemp_nested_set lists[GEMP_MAX_PATTERN_VERTICES];
	int list_of[GEMP_MAX_PATTERN_VERTICES]; /* list_of[i] is the list that level i walks; -1: level i walks a row */
	gemp_nested_set marks;                  /* the candidates of the last level, unless leaf is GEMP_LEAF_SEARCH */
} gemp_nested;

/* True if nested loops can run this plan with these options. The state machine runs all other plans. */
bool gemp_nested_supports(const gemp_plan *plan, const gemp_emit_options *options);
void gemp_nested_shape(gemp_nested *out, const gemp_plan *plan, const gemp_emit_options *options);

/* The vertices that levels 0 to `level` bind, as bits. */
uint64_t gemp_nested_bound(const gemp_plan *plan, int level);

/* An upper bound of the length of any list, at least 1. The views have all rows, by slot; `longest` is the length of
 * the longest row. A list is part of a row. If a restriction says that the list's vertex comes before (after) the row's
 * vertex, the list lies in the part of the row that is before (after) the slot of the row's vertex. The longest such
 * part then bounds the list. */
uint64_t gemp_nested_list_capacity(const gemp_nested *nested, const gemp_view *views, size_t view_count,
                                   uint64_t longest);

#endif
