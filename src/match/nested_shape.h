/* nested_shape: how a plan becomes loops within loops, for devices with many lanes.
 *
 * Level i binds the vertex of step i. Levels 0 and 1 are the task (an entry of a row). Levels up to the last but two
 * are gone through by all lanes of a worker together. On the last but one each few lanes have a vertex of their own,
 * and they go through its row, or a list, together: that is the last level. Candidates that would be looked for again
 * and again are kept in lists, or for the last level, as marks in a bitmap.
 */
#ifndef GEMP_MATCH_NESTED_SHAPE_H
#define GEMP_MATCH_NESTED_SHAPE_H

#include "match/emit.h"
#include "match/nested_filters.h"

/* Candidates that are written down as soon as the vertex of `level` is bound. Lists are made on level 1 at the
 * earliest, since a task binds two vertices at once; marks may be those of the first alone. */
typedef struct gemp_nested_set {
	gemp_filters filters;
	gemp_filters rest;    /* what is tested when they are taken from the base; all filters, if there is none */
	int level, base;      /* base: a list, or -1: a row */
} gemp_nested_set;

enum { GEMP_MOST_LEVELS = 12 }; /* of loops within loops; longer plans are left to the state machine */

typedef enum gemp_nested_leaf {
	GEMP_LEAF_SEARCH, /* a row, its entries looked for in the others by halving */
	GEMP_LEAF_MARKED, /* the row of the vertex before, its entries looked up in the bitmap */
	GEMP_LEAF_LISTED  /* a list */
} gemp_nested_leaf;

typedef enum gemp_twin_ways { GEMP_TWINS_UNORDERED, GEMP_TWINS_ORDERED, GEMP_TWINS_FREE } gemp_twin_ways;

typedef struct gemp_nested {
	int levels;
	int twins;             /* vertices from the last level on that have the same candidates: their choices are counted */
	gemp_twin_ways ways;
	gemp_nested_leaf leaf;
	size_t list_count;
	gemp_nested_set lists[GEMP_MAX_PATTERN_VERTICES];
	int list_of[GEMP_MAX_PATTERN_VERTICES]; /* level: which list it goes through, or -1: the row itself */
	gemp_nested_set marks;                  /* GEMP_LEAF_MARKED */
} gemp_nested;

/* May this plan, so emitted, be loops? Else it is left to the state machine. */
bool gemp_nested_takes(const gemp_plan *plan, const gemp_emit_options *options);
void gemp_nested_shape(gemp_nested *out, const gemp_plan *plan, const gemp_emit_options *options);

/* Vertices bound on levels up to `level`. */
uint64_t gemp_nested_seen(const gemp_plan *plan, int level);

#endif
