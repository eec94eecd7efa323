/* sample: a plan's steps carried out for a random few of its partial matches, on the host.
 *
 * A sample of partial matches has weights: what it says of a step (rows that pass, entries read, lookups), times the
 * weights, is an unbiased estimate of what the search would do. A step extends each partial match in all ways, and of
 * all these a few are drawn again, in proportion to their weights (sequential Monte Carlo with systematic resampling);
 * pivots are drawn in proportion to their degrees, since hubs dominate. Every rank draws from its own pivots and
 * fetches the rows it needs.
 */

#ifndef GEMP_MATCH_PLANNER_SAMPLE_H
#define GEMP_MATCH_PLANNER_SAMPLE_H

#include "match/planner/sample_extend.h"

/* Collective. For plans of the pattern without given vertices; key_rank may be NULL where no plan compares keys. All is
 * borrowed. */
gemp_code gemp_sampler_new(gemp_sampler **out, gemp_runtime *context, const gemp_shard *graph,
                           const gemp_pattern *pattern, const gemp_candidates *candidates, const uint32_t *key_rank,
                           uint64_t seed);
/* Of several rows that can give the candidates the one of the latest vertex is walked, unless another is far shorter,
 * and not the shortest: as kernels do that mark rows. */
void gemp_sampler_walk_latest(gemp_sampler *sampler);
/* About so many entries and lookups a step and rank at most (but one a partial match): of long rows every k-th entry is
 * walked, from a random one on. Without a limit only rows of thousands of entries are walked so. */
void gemp_sampler_limit(gemp_sampler *sampler, uint64_t reads);
void gemp_sampler_free(gemp_sampler *sampler);

/* Collective. Carries out one step of the plan: from `in`, a sample after the step before (NULL for the pivot's), to
 * `out`, of about `size` partial matches on all ranks together. */
gemp_code gemp_sampler_step(gemp_sampler *sampler, const gemp_plan *plan, size_t step, const gemp_sample *in,
                            gemp_sample *out, size_t size, gemp_sample_work *work);
/* Collective. Have all samples since the last pivots been the whole: nothing left to chance? Entries and lookups, of
 * the rank that read most, since the sampler was made; entries of the rows that were brought here for it, likewise. */
bool gemp_sampler_exact(const gemp_sampler *sampler);
uint64_t gemp_sampler_reads(const gemp_sampler *sampler);
uint64_t gemp_sampler_fetched(const gemp_sampler *sampler);

void gemp_sample_free(gemp_sample *sample);

#endif
