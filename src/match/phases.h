/* phases: which conditions of a pattern are tested before the search (bitmaps), in it (a <> b), and after it. */
#ifndef GEMP_MATCH_PHASES_H
#define GEMP_MATCH_PHASES_H

#include "match/match.h"

/* Where a condition on one vertex is tested, and why: for --explain. */
typedef struct gemp_phase_choice {
	const gemp_condition *condition;
	bool before;
	bool open;             /* --attributes auto, and it reads attributes: chosen by cost (match/narrow.h) */
	double before_cost, after_cost; /* seconds as estimated, all ranks' work together; 0: not by cost */
	char reason[120];
} gemp_phase_choice;

typedef struct gemp_condition_phases {
	size_t before_count, after_count;
	size_t certain;                /* the first of `before` are there whatever they cost; others are open */
	const gemp_condition **before; /* on one vertex: labels always, attributes unless --attributes after */
	const gemp_condition **after;  /* the rest; what asks for sub-patterns is always here */
	size_t choice_count;
	gemp_phase_choice *choices;    /* [choice_count] as the pattern has them */
	uint64_t unequal[GEMP_MAX_PATTERN_VERTICES]; /* a <> b between vertices, by vertex */
	uint64_t mentions;             /* attribute values that a match refers to */
	bool count_loops;              /* in degrees: see gemp_degree_loops */
} gemp_condition_phases;

/* Open conditions are before the search until gemp_narrow has chosen. */
gemp_code gemp_phases_new(gemp_condition_phases *out, const gemp_pattern *pattern, const gemp_match_options *options);
void gemp_phases_free(gemp_condition_phases *phases);

/* Attributes and keys that an expression mentions. */
uint64_t gemp_mentions(const gemp_expr *expr);
/* From `before` to `after`. */
void gemp_phases_defer(gemp_condition_phases *phases, gemp_phase_choice *choice);
/* Of a condition on one vertex. */
gemp_phase_choice *gemp_phases_choice(gemp_condition_phases *phases, const gemp_condition *condition);

#endif
