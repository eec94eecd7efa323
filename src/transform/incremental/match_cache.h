/* match_cache: incremental matching. The rows of a rule's matches are kept from one of its steps to the next, and
 * only the matches near changes are searched again. The rows are those of gemp_rule_matches_rows, in another
 * order.
 *
 * Every own vertex has the time of its last change, every rule the time of its last application; a rule's rows
 * have the time of the graph that they belong to. After a step whose changes are local, cached rows are renumbered
 * to the new graph and rows that have lost an element are dropped; otherwise the cache is reset.
 */

#ifndef GEMP_TRANSFORM_INCREMENTAL_MATCH_CACHE_H
#define GEMP_TRANSFORM_INCREMENTAL_MATCH_CACHE_H

#include "partition/exchange/value_exchange.h"
#include "partition/patch/patch.h"
#include "transform/incremental/rule_matches.h"

typedef struct gemp_match_cache gemp_match_cache;

/* Of one search, all ranks. */
typedef struct gemp_match_cache_report {
	bool incremental; /* rows were kept; else all were looked for */
	uint64_t cached;  /* rows */
	uint64_t anchors; /* vertices near changes, where rows were looked for */
} gemp_match_cache_report;

/* Local. Rules that their control runs once are not kept. */
gemp_code gemp_match_cache_new(gemp_match_cache **out, const gemp_rule_set *rules, const gemp_shard *graph);
void gemp_match_cache_free(gemp_match_cache *cache); /* takes NULL */

/* Collective. As gemp_rule_matches_rows; rules->rules[index] is bound to the graph. */
gemp_code gemp_match_cache_rows(gemp_match_cache *cache, gemp_frame *out, gemp_runtime *context, gemp_shard *graph,
                                const gemp_rule_set *rules, size_t index, const gemp_match_options *options,
                                uint64_t combinations, gemp_cached_order *order, gemp_match_cache_report *report);
/* Local. The rows that were found, for the next step of this rule, which may empty the frame. */
void gemp_match_cache_keep(gemp_match_cache *cache, size_t index, gemp_frame *frame);
/* Is it worth while to follow a step of this rule that touches so many vertices? Alike on all ranks. */
bool gemp_match_cache_pays(const gemp_match_cache *cache, size_t index, uint64_t touched, const gemp_shard *graph);
/* Local. All is forgotten: the graph is another one. */
gemp_code gemp_match_cache_reset(gemp_match_cache *cache, const gemp_shard *graph);
/* Collective. What is kept follows the graph that a step of this rule has changed; owners: of the edges before. */
gemp_code gemp_match_cache_update(gemp_match_cache *cache, size_t index, const gemp_comm *comm,
                                  const gemp_edge_owners *owners, const gemp_patch_result *patched,
                                  const gemp_shard *graph);

#endif
