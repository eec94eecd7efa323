/* match_run: running a prepared match, from all of its pivots or from a part of them, and what is reported afterwards.
 *
 * Every match is found from one pivot, so that the matches of disjoint parts of the pivots add up. Part p of n has the
 * pivots whose ids are p modulo n: ids are those of the graph file, the same for every number of ranks, and each rank
 * has about its share of each part. Which pivot finds a match also depends on the plan: parts of searches add up if
 * their gemp_pivot_plan is the same, as it is for the same question with the same order of binding.
 */

#ifndef GEMP_MATCH_MATCH_RUN_H
#define GEMP_MATCH_MATCH_RUN_H

#include "comm/exchange.h"
#include "graph/batch.h"
#include "match/planner/match_options.h"

typedef struct gemp_match_result {
	gemp_count matches;    /* in the chosen sense */
	gemp_count embeddings; /* if embeddings_known */
	bool embeddings_known;
	const char *embeddings_reason; /* why not */
	bool complete;
	bool by_sums;                                            /* counted without enumerating */
	uint64_t launches, stages_launched, result_fill_percent; /* mean fill of the result buffer over launches */
	uint64_t pivots;                                         /* candidates of the pivot, all ranks */
	uint64_t rounds;
	uint64_t entries_read, lookups; /* profile: of rows, by all steps and ranks: walked; searched for one vertex */
	uint64_t rows_passed;           /* profile: partial matches, of all steps but the last */
	int order_count,
		order[GEMP_MAX_PATTERN_VERTICES];   /* in which the pattern's vertices were bound; none: several searches */
	gemp_exchange_mode exchange;            /* AUTO: neither was needed */
	gemp_traffic traffic;                   /* of all ranks: partial matches, rows */
	uint64_t pull_rounds, oversized_pivots; /* pull: rounds; pivots (or seeds) too large for one */
	uint64_t rows_read, rows_fetched;       /* pull: by rounds; of these, those that travelled */
	uint64_t row_bytes, row_words_bytes;    /* pull: sent, coded; the same in whole words */
	bool exchange_weighed;                  /* by bytes that were expected to travel: */
	uint64_t expected_row_bytes, expected_item_bytes;
	uint64_t item_bytes, item_words_bytes; /* push: partial matches sent, coded; the same in whole words */
	double local_share;       /* share of matches that never crossed ranks; pull: of rows that did not travel */
	uint64_t values_copied;   /* attribute values copied to devices, all ranks */
	uint64_t values_referred; /* attribute values that results refer to, each mention counted */
	double kernel_imbalance;  /* seconds of kernels, the slowest device's over the mean */
	double match_imbalance;   /* embeddings found, the most of a device over the mean */
	double part_share[GEMP_PART_STEPS]; /* count_parts: matches within one of 2^i parts */
	size_t host_peak, device_peak;      /* bytes, the largest rank */
	size_t graph_bytes, result_bytes,
		attribute_bytes; /* on the device: rows, result buffers, columns; the largest rank */
	uint64_t distinct_passes;
} gemp_match_result;

/* Collective. sink NULL: only counts. */
gemp_code gemp_match_run(gemp_match *match, gemp_sink *sink, gemp_match_result *result);
/* The same for a pattern with given vertices: rows that extend the seeds, ids[count * given], distinct tuples that each are
 * at one rank alone, of vertices of any rank. As often as wanted, over the same buffers. result may be NULL. */
gemp_code gemp_match_run_seeded(gemp_match *match, const gemp_vertex *ids, size_t count, gemp_sink *sink,
                                gemp_match_result *result);

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

/* Vertex counts: in how many matches each host vertex is, at one pattern vertex: counters on the device, one a vertex,
 * so that no match has to be listed.
 *
 * Where symmetry is broken a match stands for all that automorphisms make of it: then it counts for the images of all
 * pattern vertices that automorphisms carry to the one asked for.
 * */

/* Collective. After a run of a match prepared with options.count_per: counts[graph->rows] of own vertices, in the
 * chosen sense: with --distinct none embeddings, else matches. Over all vertices their sum is `members` times that of
 * the report. */
gemp_code gemp_match_vertex_counts(gemp_match *match, uint64_t *counts, int *members);

#endif
