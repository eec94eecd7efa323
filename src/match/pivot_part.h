/* pivot_part: a search from some of its pivots only. Every match is found from one pivot, so what parts of the pivots
 * give adds up to what all of them give.
 *
 * Part p of n has the pivots whose ids are p modulo n: ids are those of the graph file, the same for every number of
 * ranks, and each rank has about its share of each part. Which pivot finds a match also depends on the plan: parts of
 * searches add up if their gemp_pivot_plan is the same, as it is for the same question with the same order of
 * binding.
 */
#ifndef GEMP_MATCH_PIVOT_PART_H
#define GEMP_MATCH_PIVOT_PART_H

#include "match/match.h"

typedef struct gemp_pivot_part {
	uint32_t first, count, of; /* parts [first, first + count) of `of` */
} gemp_pivot_part;

/* Local. From which pivots the next runs search, of a match that was prepared with options.in_parts. */
gemp_code gemp_pivot_part_set(gemp_match *match, const gemp_pivot_part *part);

/* A hash of all in the plan that decides from which pivot a match is found. */
uint64_t gemp_pivot_plan(const gemp_match *match);
/* The order in which the plan binds the pattern's vertices: their number. */
int gemp_pivot_order(const gemp_match *match, int order[GEMP_MAX_PATTERN_VERTICES]);
/* Is a match known to be new only when all have been found? Then parts do not add up. */
bool gemp_pivot_parts_overlap(const gemp_match *match);

#endif
