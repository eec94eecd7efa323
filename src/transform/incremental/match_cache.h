/* match_cache: incremental matching. The rows of a rule's matches are kept from one of its steps to the next, and only
 * the matches near changes are searched again. The rows are those of gemp_rule_matches_rows, in another order.
 *
 * Every own vertex has the time of its last change, every rule the time of its last application, and the rows of a rule
 * have the time of the graph that they belong to. After a step whose changes are local, cached rows are renumbered to
 * the new graph and rows that have lost an element are dropped; otherwise the cache is reset.
 */

#ifndef GEMP_TRANSFORM_INCREMENTAL_MATCH_CACHE_H
#define GEMP_TRANSFORM_INCREMENTAL_MATCH_CACHE_H

#include "partition/exchange/value_exchange.h"
#include "partition/patch/patch.h"
#include "transform/incremental/rule_matches.h"

typedef struct gemp_match_cache gemp_match_cache;

/* One search, over all ranks. */
typedef struct gemp_match_cache_report {
	bool incremental; /* cached rows were used; false: the whole graph was searched */
	uint64_t cached;  /* rows that came from the cache */
	uint64_t anchors; /* vertices whose matches were searched */
} gemp_match_cache_report;

/* Local. The rows of a rule that the control runs only once are never kept. The rules are borrowed. */
gemp_code gemp_match_cache_new(gemp_match_cache **out, const gemp_rule_set *rules, const gemp_shard *graph);
void gemp_match_cache_free(gemp_match_cache *cache); /* takes NULL */

/* Collective. As gemp_rule_matches_rows; rules->rules[index] is bound to the graph. */
gemp_code gemp_match_cache_rows(gemp_match_cache *cache, gemp_frame *out, gemp_runtime *context, gemp_shard *graph,
                                const gemp_rule_set *rules, size_t index, const gemp_match_options *options,
                                uint64_t combinations, gemp_cached_order *order, gemp_match_cache_report *report);
/* Local. Keeps the rows of this step for the next step of the rule, if they are of use; the frame is then empty. */
void gemp_match_cache_keep(gemp_match_cache *cache, size_t index, gemp_frame *frame);
/* Local, with the same result on all ranks. Is it cheaper to update the cache after a step of this rule that touches so
 * many vertices than to reset it? */
bool gemp_match_cache_pays(const gemp_match_cache *cache, size_t index, uint64_t touched, const gemp_shard *graph);
/* Local. Drops all rows and times. */
gemp_code gemp_match_cache_reset(gemp_match_cache *cache, const gemp_shard *graph);
/* Collective. Renumbers cached rows after a step of this rule. owners: of the edges before the step; graph: after
 * it. */
gemp_code gemp_match_cache_update(gemp_match_cache *cache, size_t index, const gemp_comm *comm,
                                  const gemp_edge_owners *owners, const gemp_patch_result *patched,
                                  const gemp_shard *graph);

#endif
