/* match_run: runs a prepared match, from all of its pivots or from a part of them, and reports the result.
 *
 * Every match is found from one pivot, so the numbers of matches of disjoint parts of the pivots can be added. Part p
 * of n consists of the pivots whose ids are p modulo n. Ids are the ids of the graph file, which are the same for every
 * number of ranks, and each rank owns about 1 / ranks of each part. The plan decides which pivot finds a match. The
 * parts of two searches can therefore be added only if both searches have the same gemp_pivot_plan. Two searches for
 * one pattern with the same order of binding have the same gemp_pivot_plan. */

#ifndef GEMP_MATCH_MATCH_RUN_H
#define GEMP_MATCH_MATCH_RUN_H

#include "comm/exchange.h"
#include "graph/batch.h"
#include "match/filter/residual.h"
#include "match/planner/match_options.h"

typedef struct gemp_match_result {
	gemp_count matches;    /* counted as --distinct says */
	gemp_count embeddings; /* valid if embeddings_known */
	bool embeddings_known;
	const char *embeddings_reason; /* why the embeddings are unknown; NULL if they are known */
	bool complete;                 /* false: the search ended at the limit of rows */
	bool by_sums;                  /* a formula counted, without enumeration */
	bool on_host;                  /* threads of the host found the matches or computed the sums, without a device */
	uint64_t launches, stages_launched;
	uint64_t result_fill_percent; /* mean fill of the result buffer over launches */
	uint64_t pivots;              /* number of candidates of the pivot, summed over ranks */
	uint64_t rounds;
	uint64_t entries_read, lookups;       /* profile: row entries walked and lookups, summed over steps and ranks */
	uint64_t rows_passed;                 /* profile: partial matches, summed over all steps except the last */
	int order_count;                      /* length of order[]; 0: several searches made the result */
	int order[GEMP_MAX_PATTERN_VERTICES]; /* pattern vertices in the order in which they were bound */
	gemp_exchange_mode exchange;          /* AUTO: no rank needed rows of another rank */
	gemp_traffic traffic;                 /* partial matches and rows, of all ranks */
	/* pull: number of rounds; number of pivots (or seeds) too large for a round */
	uint64_t pull_rounds, oversized_pivots;
	uint64_t rows_read, rows_fetched;    /* pull: rows that rounds read; how many of these rows another rank sent */
	uint64_t row_bytes, row_words_bytes; /* pull: bytes of the sent rows: encoded; in whole words */
	bool exchange_weighed;               /* push or pull was chosen by comparing the next two members */
	uint64_t expected_row_bytes, expected_item_bytes;
	uint64_t item_bytes, item_words_bytes; /* push: bytes of the sent partial matches: encoded; in whole words */
	/* push: fraction of matches that never crossed ranks; pull: fraction of rows that were not sent */
	double local_share;
	uint64_t values_copied;   /* attribute values copied to devices, of all ranks */
	uint64_t values_referred; /* attribute values that conditions read of the results; each mention counts */
	double kernel_imbalance;  /* kernel seconds: maximum over all devices, divided by the mean */
	double match_imbalance;   /* embeddings found: maximum over all devices, divided by the mean */
	/* count_parts: [i] is the fraction of matches that lie within one of 2^i parts */
	double part_share[GEMP_PART_STEPS];
	size_t host_peak, device_peak; /* bytes, of the rank with the most */
	/* bytes of rows and of result buffers on the device, of the rank with the most */
	size_t graph_bytes, result_bytes;
	size_t attribute_bytes; /* bytes of attribute columns on the device, of the rank with the most */
	/* the conditions that were tested after the search: counts of all ranks, bytes of the rank with the most; 0:
	 * none */
	gemp_residual_figures residual;
	uint64_t distinct_passes;
	uint64_t left_out; /* rows that devices have left out as duplicates of earlier rows (match/distinct/device_set.h) */
	/* rows that devices have grouped, and the groups that they have passed on (match/groups/grouping.h) */
	uint64_t grouped_rows, groups;
	/* the sample that the host has counted, too (match/sample_check.h): pivots, and their matches as the plan counts
	 * them; 0 pivots: nothing was checked */
	uint64_t checked_pivots, checked_matches;
	/* pivots from which threads of the host searched before the device began, and the seconds that they took on this
	 * rank (match/early_search.h); 0: none */
	uint64_t early_pivots;
	double early_seconds;
} gemp_match_result;

/* Collective. If sink is NULL, matches are only counted. */
gemp_code gemp_match_run(gemp_match *match, gemp_sink *sink, gemp_match_result *result);
/* Collective. Runs a pattern with given vertices. The rows extend the seeds ids[count * given], which are distinct
 * tuples of vertices of any rank. Each tuple is passed on one rank only. The call can be repeated and reuses its
 * buffers. result may be NULL. */
gemp_code gemp_match_run_seeded(gemp_match *match, const gemp_vertex *ids, size_t count, gemp_sink *sink,
                                gemp_match_result *result);

/* Local. Makes the next runs end when about this number of matches is known, as options.limit does; UINT64_MAX: never.
 * Only a match that removes duplicates has a limit of its own. Otherwise the caller's sink says when it has enough. */
void gemp_match_limit(gemp_match *match, uint64_t rows);

typedef struct gemp_pivot_part {
	uint32_t first, count, of; /* parts [first, first + count) of `of` */
} gemp_pivot_part;

/* Local. Restricts the next runs of a match that was prepared with options.in_parts to the pivots of these parts. */
gemp_code gemp_pivot_part_set(gemp_match *match, const gemp_pivot_part *part);

/* A hash of everything in the plan that decides from which pivot a match is found. */
uint64_t gemp_pivot_plan(const gemp_match *match);
/* Writes the pattern's vertices in the order in which the plan binds them, and returns their number. */
int gemp_pivot_order(const gemp_match *match, int order[GEMP_MAX_PATTERN_VERTICES]);
/* True if only the whole search shows whether a match is a duplicate. The counts of parts then cannot be added. */
bool gemp_pivot_parts_overlap(const gemp_match *match);

#endif
