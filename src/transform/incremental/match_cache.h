/* match_cache: incremental matching. The cache keeps the rows of a rule's matches from one step of the rule to its next
 * step. Only the matches near changes are then searched again. The rows are the rows of gemp_rule_matches_rows in
 * another order.
 *
 * Time is the number of changes of the graph. Every own vertex has the time of its last change, and every rule the time
 * of its last application. The rows of a rule have the time of the graph to which they belong. After a step with local
 * changes, cached rows are renumbered to the new graph, and rows that have lost an element are dropped. After any other
 * step the cache is reset. */

#ifndef GEMP_TRANSFORM_INCREMENTAL_MATCH_CACHE_H
#define GEMP_TRANSFORM_INCREMENTAL_MATCH_CACHE_H

#include "partition/exchange/value_exchange.h"
#include "partition/patch/patch.h"
#include "transform/incremental/rule_matches.h"

typedef struct gemp_match_cache gemp_match_cache;

/* The figures of one search over all ranks. */
typedef struct gemp_match_cache_report {
	bool incremental; /* true: cached rows were used; false: the whole graph was searched */
	uint64_t cached;  /* number of rows from the cache */
	uint64_t anchors; /* number of vertices whose matches were searched */
} gemp_match_cache_report;

/* Local. The rules are borrowed. Rows are never kept for a rule that the rule set's control program (gemp_control) runs
 * only once. */
gemp_code gemp_match_cache_new(gemp_match_cache **out, const gemp_rule_set *rules, const gemp_shard *graph);
void gemp_match_cache_free(gemp_match_cache *cache); /* does nothing for NULL */

/* Collective. Finds the rows of gemp_rule_matches_rows in another order. rules->rules[index] must be bound to the
 * graph. */
gemp_code gemp_match_cache_rows(gemp_match_cache *cache, gemp_frame *out, gemp_runtime *context, gemp_shard *graph,
                                const gemp_rule_set *rules, size_t index, const gemp_match_options *options,
                                uint64_t combinations, gemp_cached_order *order, gemp_match_cache_report *report);
/* Local. Keeps the rows of this step if the next step of the rule can use them. The frame is then empty. */
void gemp_match_cache_keep(gemp_match_cache *cache, size_t index, gemp_frame *frame);
/* Local, with the same result on all ranks. Returns whether, after a step of this rule that touches `touched` vertices,
 * an update of the cache is cheaper than a reset. */
bool gemp_match_cache_pays(const gemp_match_cache *cache, size_t index, uint64_t touched, const gemp_shard *graph);
/* Local. Drops all rows and times. */
void gemp_match_cache_reset(gemp_match_cache *cache, const gemp_shard *graph);
/* Local, with the same result on all ranks. Returns whether the update after a step of this rule, which found `frame`,
 * has to renumber edges, for which the patch must have gemp_patch.want_origins. */
bool gemp_match_cache_has_edges(const gemp_match_cache *cache, size_t index, const gemp_frame *frame);
/* Collective. Renumbers cached rows after a step of this rule. `owners` are the owners of the edges before the step,
 * and `graph` is the graph after it. */
gemp_code gemp_match_cache_update(gemp_match_cache *cache, size_t index, const gemp_comm *comm,
                                  const gemp_edge_owners *owners, const gemp_patch_result *patched,
                                  const gemp_shard *graph);

#endif
