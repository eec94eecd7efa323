/* match: finds every occurrence of a pattern in a distributed graph. Results go to a sink, not to a file.
 *
 *     gemp_match_prepare -> gemp_match_explain (if wanted) -> gemp_match_run -> gemp_match_free
 *
 * A pattern with given vertices (pattern->given) does not start from pivots but from seeds: gemp_match_run_seeded.
 */
#ifndef GEMP_MATCH_MATCH_H
#define GEMP_MATCH_MATCH_H

#include "graph/table.h"
#include "partition/resident.h"
#include "pattern/pattern.h"
#include "pattern/symmetry.h"

typedef enum gemp_when { GEMP_AUTO, GEMP_BEFORE, GEMP_AFTER } gemp_when;

/* How rows of other ranks are met (--exchange): push: partial matches travel to them; pull: they are brought here, in rounds
 * (match/pull.h). */
typedef enum gemp_crossing_way { GEMP_CROSS_AUTO, GEMP_CROSS_PUSH, GEMP_CROSS_PULL } gemp_crossing_way;

enum { GEMP_PART_STEPS = 7 }; /* parts 1, 2, 4, ... 64 */

typedef struct gemp_match_options {
	gemp_semantics semantics;
	gemp_distinct distinct;
	bool symmetry_by_hash;      /* --symmetry hash: find all embeddings, deduplicate by canonical form */
	bool pivot_off;             /* start from the first vertex of the text, from every host vertex */
	gemp_when attributes;       /* --attributes */
	bool listed;                /* rows are wanted, not only counts */
	int64_t replicate;          /* bytes a rank, or GEMP_REPLICATE_* ; 0: none */
	gemp_crossing_way crossing; /* where rows are not all here, or do not fit on the device */
	double launch_factor;       /* C of the launch formula; 0: default */
	bool count_by_formula;      /* --count-by auto: where only a count is asked, what has a formula is not enumerated */
	bool count_parts;           /* --profile: share of matches within one of P parts, P = 1 .. 64 (enumerates) */
	bool profile;               /* --profile: rows that pass each step of the plan are counted, see gemp_match_explain */
	int lanes;                  /* lanes a row; 0: choose by device (1 on a CPU) */
	uint64_t limit;             /* rows wanted; UINT64_MAX: all */
	uint64_t wanted_edges;      /* pattern edges that rows must tell apart, beside those of RETURN and of conditions */
	int count_per;              /* --count-per: 1 + pattern vertex; 0: none. See match/vertex_counts.h */
	bool explained;             /* --dry-run: the search has all but its kernels, and cannot run */
	bool sampled;               /* --estimate: no search is made ready, see match/estimate.h; GEMP_EUSAGE if it cannot be */
	uint64_t order_reads;       /* entries that may be read to find an order, about; 0: as the work to come is worth */
	int order_count;            /* --order: vertices of the pattern in the order to bind them, all of them; 0: chosen */
	int order[GEMP_MAX_PATTERN_VERTICES];
	bool edges;                 /* batches have edge columns, also where nothing asks for them */
	bool in_parts;              /* runs will be from parts of the pivots, see match/pivot_part.h */
	bool first_only;            /* one row of each task (pivot, seed) suffices; there may still be more. Not for sinks that
	                               drop rows */
	const gemp_symmetry *symmetry; /* of a pattern that is part of a greater one; borrowed; NULL: found from the pattern */
	const uint32_t *among;      /* bits by id, the same on every rank: what `among_vertex` can be, which no automorphism
	                               moves; borrowed until the search is prepared; NULL: any vertex */
	int among_vertex;           /* of the pattern; where a query has many patterns, of the first MATCH */
} gemp_match_options;

typedef struct gemp_match_result {
	gemp_count matches;           /* in the chosen sense */
	gemp_count embeddings;        /* if embeddings_known */
	bool embeddings_known;
	const char *embeddings_reason; /* why not */
	bool complete;
	bool by_sums;                  /* counted without enumerating */
	uint64_t launches, stages_launched, result_fill_percent; /* mean fill of the result buffer over launches */
	uint64_t pivots;              /* candidates of the pivot, all ranks */
	uint64_t rounds;
	uint64_t entries_read, lookups; /* profile: of rows, by all steps and ranks: walked; searched for one vertex */
	uint64_t rows_passed;           /* profile: partial matches, of all steps but the last */
	int order_count, order[GEMP_MAX_PATTERN_VERTICES]; /* in which the pattern's vertices were bound; none: several searches */
	gemp_crossing_way crossing;   /* AUTO: neither was needed */
	gemp_traffic traffic;         /* of all ranks: partial matches, rows */
	uint64_t pull_rounds, pivots_alone; /* pull: rounds; pivots (or seeds) too large for one */
	uint64_t rows_read, rows_fetched;   /* pull: by rounds; of these, those that travelled */
	uint64_t row_bytes, row_words_bytes;/* pull: sent, coded; the same in whole words */
	bool crossing_weighed;        /* by bytes that were expected to travel: */
	uint64_t expected_row_bytes, expected_item_bytes;
	uint64_t item_bytes, item_words_bytes; /* push: partial matches sent, coded; the same in whole words */
	double local_share;           /* share of matches that never crossed ranks; pull: of rows that did not travel */
	uint64_t values_copied;       /* attribute values copied to devices, all ranks */
	uint64_t values_referred;     /* attribute values that results refer to, each mention counted */
	double kernel_imbalance;      /* seconds of kernels, the slowest device's over the mean */
	double match_imbalance;       /* embeddings found, the most of a device over the mean */
	double part_share[GEMP_PART_STEPS]; /* count_parts: matches within one of 2^i parts */
	size_t host_peak, device_peak;      /* bytes, the largest rank */
	size_t graph_bytes, result_bytes, attribute_bytes; /* on the device: rows, result buffers, columns; the largest rank */
	uint64_t distinct_passes;
} gemp_match_result;

typedef struct gemp_match gemp_match;

/* Collective. The pattern is bound. Loads what the pattern needs of the graph, evaluates predicates, plans, builds views
 * and kernels. graph and pattern are borrowed. */
gemp_code gemp_match_prepare(gemp_match **out, gemp_context *context, gemp_graph *graph, const gemp_pattern *pattern,
                             const gemp_match_options *options);
/* The plan as a tree of operators (--explain), after runs with options.profile also with what passed each of them; the
 * caller frees (gemp_free). */
char *gemp_match_explain(const gemp_match *match);
/* Collective. sink NULL: only counts. */
gemp_code gemp_match_run(gemp_match *match, gemp_sink *sink, gemp_match_result *result);
/* The same for a pattern with given vertices: rows that extend the seeds, ids[count * given], distinct tuples that each are
 * at one rank alone, of vertices of any rank. As often as wanted, over the same buffers. result may be NULL. */
gemp_code gemp_match_run_seeded(gemp_match *match, const gemp_vertex *ids, size_t count, gemp_sink *sink,
                                gemp_match_result *result);
/* The chain that makes rows canonical: vertices, then edges if rows have them. NULL: --distinct none. */
const gemp_chain *gemp_match_chain(const gemp_match *match);
/* Rows that the plan expects. */
double gemp_match_estimate(const gemp_match *match);
void gemp_match_free(gemp_match *match);

#endif
