/* phases: which conditions of a pattern are tested before the search (bitmaps), in it (a <> b), and after it. */
#ifndef GEMP_MATCH_PHASES_H
#define GEMP_MATCH_PHASES_H

#include "match/match.h"

typedef struct gemp_condition_phases {
	size_t before_count, after_count;
	const gemp_condition **before; /* on one vertex: labels always, attributes unless --attributes after */
	const gemp_condition **after;  /* the rest */
	uint64_t unequal[GEMP_MAX_PATTERN_VERTICES]; /* a <> b between vertices, by vertex */
	uint64_t mentions;             /* attribute values that a match refers to */
} gemp_condition_phases;

gemp_code gemp_phases_new(gemp_condition_phases *out, const gemp_pattern *pattern, const gemp_match_options *options);
void gemp_phases_free(gemp_condition_phases *phases);

#endif
