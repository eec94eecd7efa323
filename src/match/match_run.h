/* match_run: runs a prepared match, from all of its pivots or from a part of them, and reports the result.
 *
 * Every match is found from one pivot, so the matches of disjoint parts of the pivots add up. Part p of n consists of
 * the pivots whose ids are p modulo n. Ids are those of the graph file and the same for every number of ranks, and each
 * rank owns about 1 / ranks of each part. The plan decides which pivot finds a match: the parts of two searches add up
 * only if both have the same gemp_pivot_plan, as two searches for one pattern with one order of binding have.
 */

#ifndef GEMP_MATCH_MATCH_RUN_H
#define GEMP_MATCH_MATCH_RUN_H

#include "comm/exchange.h"
#include "graph/batch.h"
#include "match/planner/match_options.h"

typedef struct gemp_match_result {
	gemp_count matches;    /* as --distinct counts them */
	gemp_count embeddings; /* valid if embeddings_known */
	bool embeddings_known;
	const char *embeddings_reason; /* why they are unknown; NULL if they are known */
	bool complete;                 /* false: the search ended at the limit of rows */
	bool by_sums;                  /* counted without enumerating */
	uint64_t launches, stages_launched;
	uint64_t result_fill_percent; /* mean fill of the result buffer over launches */
	uint64_t pivots;              /* candidates of the pivot, of all ranks */
	uint64_t rounds;
	uint64_t entries_read, lookups;         /* profile: row entries walked and row searches, of all steps and ranks */
	uint64_t rows_passed;                   /* profile: partial matches, of all steps but the last */
	int order_count;                        /* 0: several searches made the result */
	int order[GEMP_MAX_PATTERN_VERTICES];   /* pattern vertices in the order in which they were bound */
	gemp_exchange_mode exchange;            /* AUTO: no rank needed rows of another */
	gemp_traffic traffic;                   /* of all ranks: partial matches and rows */
	uint64_t pull_rounds, oversized_pivots; /* pull: rounds; pivots (or seeds) too large for one round */
	uint64_t rows_read, rows_fetched;       /* pull: rows read by rounds; rows of these that another rank sent */
	uint64_t row_bytes, row_words_bytes;    /* pull: bytes of rows as sent (encoded), and in whole words */
	bool exchange_weighed;                  /* push or pull was chosen by the two expected volumes that follow */
	uint64_t expected_row_bytes, expected_item_bytes;
	uint64_t item_bytes, item_words_bytes; /* push: bytes of partial matches as sent (encoded), and in whole words */
	double local_share;       /* push: share of matches that never crossed ranks; pull: of rows that did not travel */
	uint64_t values_copied;   /* attribute values copied to devices, all ranks */
	uint64_t values_referred; /* attribute values that results refer to, each mention counted */
	double kernel_imbalance;  /* kernel seconds, the slowest device over the mean */
	double match_imbalance;   /* embeddings found, the greatest number of a device over the mean */
	double part_share[GEMP_PART_STEPS]; /* count_parts: matches that lie within one of 2^i parts */
	size_t host_peak, device_peak;      /* bytes, of the largest rank */
	size_t graph_bytes, result_bytes;   /* rows and result buffers on the device, of the largest rank */
	size_t attribute_bytes;             /* columns on the device, of the largest rank */
	uint64_t distinct_passes;
} gemp_match_result;

/* Collective. With sink NULL the match only counts. */
gemp_code gemp_match_run(gemp_match *match, gemp_sink *sink, gemp_match_result *result);
/* Collective. The same for a pattern with given vertices: the rows extend the seeds ids[count * given], which are
 * distinct tuples of vertices of any rank; each tuple is passed on one rank only. The call can be repeated and reuses
 * its buffers. result may be NULL. */
gemp_code gemp_match_run_seeded(gemp_match *match, const gemp_vertex *ids, size_t count, gemp_sink *sink,
                                gemp_match_result *result);

typedef struct gemp_pivot_part {
	uint32_t first, count, of; /* parts [first, first + count) of `of` */
} gemp_pivot_part;

/* Local. Restricts the next runs of a match that was prepared with options.in_parts to the pivots of these parts. */
gemp_code gemp_pivot_part_set(gemp_match *match, const gemp_pivot_part *part);

/* A hash of everything in the plan that decides from which pivot a match is found. */
uint64_t gemp_pivot_plan(const gemp_match *match);
/* Writes the pattern's vertices in the order in which the plan binds them, and returns their number. */
int gemp_pivot_order(const gemp_match *match, int order[GEMP_MAX_PATTERN_VERTICES]);
/* True if only the whole search shows whether a match is a duplicate; the counts of parts then do not add up. */
bool gemp_pivot_parts_overlap(const gemp_match *match);

/* Collective. After a run of a match that was prepared with options.count_per, counts[graph->rows] becomes the number
 * of matches in which each own vertex is the image of the chosen pattern vertex; with --distinct none, of embeddings.
 * The device has one counter a vertex, so no match is listed. Where symmetry is broken, a match stands for its images
 * under all automorphisms, and counts for the images of the whole orbit of the chosen vertex. The sum over all vertices
 * is *members times the number of matches that the result reports. */
gemp_code gemp_match_vertex_counts(gemp_match *match, uint64_t *counts, int *members);

#endif
