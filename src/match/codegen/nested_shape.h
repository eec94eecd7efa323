/* nested_shape: how a plan becomes loops within loops, for devices with many lanes.
 *
 * Level i binds the vertex of step i. Levels 0 and 1 are the task, an entry of a row. On levels up to the last but two
 * all lanes of a worker work on one candidate together. On the last level but one each row of lanes has a vertex of its
 * own, and goes through its row, or a list: the last level. Candidates that would be searched for again and again are
 * kept in lists, or for the last level as marks in a bitmap. The shape depends on the plan and the options alone, so
 * that all devices of a search have the same.
 */

#ifndef GEMP_MATCH_CODEGEN_NESTED_SHAPE_H
#define GEMP_MATCH_CODEGEN_NESTED_SHAPE_H

#include "match/codegen/kernel_text.h"
#include "partition/views/view.h"

/* Filters: what binds the image of a pattern vertex, as far as vertices bound before tell. Sets of candidates
 * are compared by their filters: one that asks for less can be the base of one that asks for more. */

/* "The row of `from` has (or, absent, has not) the candidate"; from -1: its own row. */
typedef struct gemp_row_filter {
	int view, from;
	bool absent;
	bool source; /* names each candidate once */
} gemp_row_filter;

typedef struct gemp_nested_filters {
	size_t row_count;
	gemp_row_filter rows[GEMP_MAX_CHECKS];
	int candidates; /* pattern vertex whose bitmap; -1: none */
	/* Pattern vertices; see gemp_step. */
	uint64_t differ, less, greater, same, key_less, key_max, key_greater, key_min;
} gemp_nested_filters;

/* What the step asks of its vertex with regard to those in `seen`. */
void gemp_nested_filters_of(gemp_nested_filters *out, const gemp_plan *plan, const gemp_step *step, uint64_t seen);

/* What b asks beyond a. */
void gemp_nested_filters_minus(gemp_nested_filters *out, const gemp_nested_filters *b, const gemp_nested_filters *a);
/* Rows that can give the candidates; the first bit is rows[0]. */
uint64_t gemp_nested_filters_sources(const gemp_nested_filters *filters);

/* Candidates that are written down as soon as the vertex of `level` is bound. Lists are made on level 1 at the
 * earliest, since a task binds two vertices at once; marks may be those of the first alone. */
typedef struct gemp_nested_set {
	gemp_nested_filters filters;
	gemp_nested_filters rest; /* what is tested when they are taken from the base; all filters, if there is none */
	int level, base;          /* base: a list, or -1: a row */
} gemp_nested_set;

enum { GEMP_MAX_LEVELS = 12 }; /* of loops within loops; longer plans are left to the state machine */

typedef enum gemp_nested_leaf {
	GEMP_LEAF_SEARCH, /* a row, its entries looked for in the others by halving */
	GEMP_LEAF_MARKED, /* the row of the vertex before, its entries looked up in the bitmap */
	GEMP_LEAF_LISTED  /* a list */
} gemp_nested_leaf;

typedef enum gemp_twin_ways { GEMP_TWINS_UNORDERED, GEMP_TWINS_ORDERED, GEMP_TWINS_FREE } gemp_twin_ways;

typedef struct gemp_nested {
	int levels;
	int twins; /* vertices from the last level on that have the same candidates: their choices are counted */
	gemp_twin_ways ways;
	gemp_nested_leaf leaf;
	size_t list_count;
	gemp_nested_set lists[GEMP_MAX_PATTERN_VERTICES];
	int list_of[GEMP_MAX_PATTERN_VERTICES]; /* level: which list it goes through, or -1: the row itself */
	gemp_nested_set marks;                  /* GEMP_LEAF_MARKED */
} gemp_nested;

/* May this plan, so emitted, be loops? Else it is left to the state machine. */
bool gemp_nested_supports(const gemp_plan *plan, const gemp_emit_options *options);
void gemp_nested_shape(gemp_nested *out, const gemp_plan *plan, const gemp_emit_options *options);

/* Vertices bound on levels up to `level`. */
uint64_t gemp_nested_bound(const gemp_plan *plan, int level);

/* Capacity: how long the lists of a nested search can be. Host only. */

/* Entries of the longest list, where the views hold all rows, by slot: a list lies in a row, and where the order of its
 * vertex and of the row's is given, in the part before or after that. The longest row is `longest`. */
uint64_t gemp_nested_list_capacity(const gemp_nested *nested, const gemp_view *views, size_t view_count,
                                   uint64_t longest);

#endif
