/* The engines number vertices by degree, and streams by id; layout->id[] maps one to the other. */

#include "bench/production.h"

#include "core/memory.h"

#include <inttypes.h>
#include <math.h>

/* Ranks add up to 1. A hub that a single work-item adds up in single precision has errors of some 1e-5 (PoCL). */
static const double max_rank_error = 1e-3;

void gemp_production_layout(gemp_layout_options *how, gemp_application application)
{
	const bool weighted = application == GEMP_APPLICATION_SSSP || application == GEMP_APPLICATION_SPMV;
	how->parts = GEMP_LAYOUT_IN | GEMP_LAYOUT_OUT;
	how->weight = weighted ? how->weight : NULL;
	how->wanted = application == GEMP_APPLICATION_SSSP ? GEMP_LAYOUT_LENGTHS : GEMP_LAYOUT_SINGLE;
	how->not_negative = application == GEMP_APPLICATION_SSSP;
}

static gemp_code copy_vector(gemp_production *p, const float *x)
{
	GEMP_TRY(GEMP_NEW(p->x, p->layout->own));
	for (uint32_t v = 0; v < p->layout->own; v++)
		p->x[v] = x[p->layout->id[v]];
	return GEMP_OK;
}

gemp_code gemp_production_new(gemp_production *out, gemp_device *device, const gemp_layout *layout,
                              const gemp_streaming_params *params)
{
	*out = (gemp_production){
		.layout = layout, .application = params->application, .source = params->source, .damping = params->damping
	};
	const gemp_dense_options single = { .fp64 = false };
	switch (params->application) {
	case GEMP_APPLICATION_PAGERANK: return gemp_pagerank_new(&out->pagerank, layout, device, &single);
	case GEMP_APPLICATION_BFS: return gemp_bfs_new(&out->bfs, layout, device, &(gemp_bfs_options){ .any = true });
	case GEMP_APPLICATION_SSSP: return gemp_sssp_new(&out->sssp, layout, device, &(gemp_sssp_options){ .any = true });
	default: GEMP_TRY(copy_vector(out, params->x)); return gemp_spmv_new(&out->spmv, layout, device, &single);
	}
}

void gemp_production_free(gemp_production *p)
{
	gemp_pagerank_result_free(&p->ranks);
	gemp_spmv_result_free(&p->products);
	gemp_pagerank_free(p->pagerank);
	gemp_bfs_free(p->bfs);
	gemp_sssp_free(p->sssp);
	gemp_spmv_free(p->spmv);
	gemp_free(p->x);
	*p = (gemp_production){ 0 };
}

static gemp_code run_pagerank(gemp_production *p, uint32_t rounds)
{
	const gemp_pagerank_params params = { .damping = p->damping, .rounds = rounds };
	gemp_pagerank_result_free(&p->ranks);
	GEMP_TRY(gemp_pagerank_run(p->pagerank, &params, &p->ranks));
	p->seconds = p->ranks.report.wall;
	p->rounds = p->ranks.report.rounds;
	return GEMP_OK;
}

/* Streaming multiplies the same vector in every round, so the engine makes one product. */
static gemp_code run_spmv(gemp_production *p)
{
	gemp_spmv_result_free(&p->products);
	GEMP_TRY(gemp_spmv_run(p->spmv, &(gemp_spmv_params){ .x = p->x, .rounds = 1 }, &p->products));
	p->seconds = p->products.report.wall;
	p->rounds = 1;
	return GEMP_OK;
}

gemp_code gemp_production_run(gemp_production *p, uint32_t rounds)
{
	const gemp_traversal_cost *cost = &p->levels.cost;
	switch (p->application) {
	case GEMP_APPLICATION_PAGERANK: return run_pagerank(p, rounds);
	case GEMP_APPLICATION_SPMV: return run_spmv(p);
	case GEMP_APPLICATION_BFS: GEMP_TRY(gemp_bfs_run(p->bfs, p->source, &p->levels)); break;
	default:
		GEMP_TRY(gemp_sssp_run(p->sssp, p->source, &p->lengths));
		cost = &p->lengths.cost;
		break;
	}
	p->seconds = cost->wall;
	p->rounds = cost->rounds;
	return GEMP_OK;
}

/* COMPARISON */

static gemp_code compare_ranks(const gemp_production *p, const float *ours, double *error)
{
	for (uint32_t v = 0; v < p->layout->own; v++)
		*error += fabs(ours[p->layout->id[v]] - p->ranks.rank[v]);
	if (*error <= max_rank_error)
		return GEMP_OK;
	return gemp_fail(GEMP_EINTERNAL, "pagerank by streaming differs by %g from the engine's ranks, which add up to 1",
	                 *error);
}

static double weight_of(const gemp_layout *layout, uint64_t edge)
{
	return layout->in.weight ? ((const float *)layout->in.weight)[edge] : 1;
}

/* A sum of n numbers in single precision errs by at most n 2^-24 times the sum of their magnitudes, to first order, and
 * both sums may err. */
static gemp_code compare_products(const gemp_production *p, const float *ours, double *error)
{
	const gemp_layout *layout = p->layout;
	for (uint32_t v = 0; v < layout->own; v++) {
		const double off = fabs(ours[layout->id[v]] - p->products.y[v]);
		double magnitude = 0;
		for (uint64_t e = layout->in.begin[v]; e < layout->in.begin[v + 1]; e++)
			magnitude += fabs(weight_of(layout, e) * p->x[layout->in.end[e]]);
		const double terms = (double)(layout->in.begin[v + 1] - layout->in.begin[v]) + 2;
		if (!(off <= 2 * terms * 0x1p-24 * magnitude))
			return gemp_fail(GEMP_EINTERNAL, "spmv by streaming: the product of a vertex is %g, the engine's is %g",
			                 (double)ours[layout->id[v]], p->products.y[v]);
		*error = magnitude > 0 ? fmax(*error, off / magnitude) : *error;
	}
	return GEMP_OK;
}

/* After k rounds a streaming search has the vertices up to level k. */
static gemp_code compare_levels(const gemp_production *p, const uint32_t *ours, const gemp_streaming_result *result)
{
	for (uint32_t v = 0; v < p->layout->own; v++) {
		uint32_t level = p->levels.level[v], own = ours[p->layout->id[v]];
		if (!result->complete && level > result->rounds)
			level = GEMP_STREAM_UNREACHED;
		if (own != level)
			return gemp_fail(GEMP_EINTERNAL,
			                 "bfs by streaming: a vertex has level %" PRIu32 ", the engine's is %" PRIu32, own, level);
	}
	return GEMP_OK;
}

/* A search that was cut off may have longer ways than the shortest ones. */
static gemp_code compare_lengths(const gemp_production *p, const uint32_t *ours, const gemp_streaming_result *result)
{
	for (uint32_t v = 0; v < p->layout->own; v++) {
		const uint64_t length = p->lengths.distance[v], own = ours[p->layout->id[v]];
		if (length != GEMP_NO_DISTANCE && length >= GEMP_STREAM_UNREACHED)
			return gemp_fail(GEMP_EUSAGE,
			                 "sssp: a distance of %" PRIu64 " does not fit into a tuple of 8 bytes; scale the "
			                 "weights down",
			                 length);
		const uint64_t expected = length == GEMP_NO_DISTANCE ? GEMP_STREAM_UNREACHED : length;
		if (result->complete ? own != expected : own < expected)
			return gemp_fail(GEMP_EINTERNAL, "sssp by streaming: a distance is %" PRIu64 ", the engine's is %" PRIu64,
			                 own, expected);
	}
	return GEMP_OK;
}

gemp_code gemp_production_compare(const gemp_production *p, const void *numbers, const gemp_streaming_result *result,
                                  double *error)
{
	*error = 0;
	switch (p->application) {
	case GEMP_APPLICATION_PAGERANK: return compare_ranks(p, numbers, error);
	case GEMP_APPLICATION_BFS: return compare_levels(p, numbers, result);
	case GEMP_APPLICATION_SSSP: return compare_lengths(p, numbers, result);
	default: return compare_products(p, numbers, error);
	}
}
