#include "match/planner/sample.h"

#include "core/memory.h"
#include "core/random.h"
#include "partition/views/view.h"

#include <math.h>

/* Degrees over all relations that the pattern names, in either direction; pivots are drawn in proportion to them. */
static gemp_code measure_degrees(gemp_sampler *s, const gemp_pattern *pattern, uint8_t **mine)
{
	GEMP_OWNED uint64_t *degree = NULL;
	GEMP_OWNED bool *relations = NULL;
	size_t count = s->graph->relation_count;
	GEMP_PROPAGATE(GEMP_NEW(degree, s->graph->rows));
	GEMP_PROPAGATE(GEMP_NEW(relations, count));
	GEMP_PROPAGATE(GEMP_NEW(*mine, s->graph->rows));
	GEMP_PROPAGATE(GEMP_NEW(s->size, s->graph->rows));
	for (size_t e = 0; e < pattern->edge_count; e++)
		for (size_t r = 0; r < count; r++)
			relations[r] |= pattern->edges[e].relations[r];
	gemp_view_degrees(s->graph, &(gemp_view_key){ relations, GEMP_VIEW_EITHER, false, false }, degree);
	for (size_t v = 0; v < s->graph->rows; v++) {
		(*mine)[v] = (uint8_t)(255 - gemp_degree_class(degree[v]));
		s->size[v] = 1 + (double)degree[v];
	}
	return GEMP_OK;
}

/* Collective. Degree classes of all vertices are gathered, a byte a vertex, since slots do not exist yet. */
gemp_code gemp_sampler_new(gemp_sampler **out, gemp_runtime *context, const gemp_shard *graph,
                           const gemp_pattern *pattern, const gemp_candidates *candidates, const uint32_t *key_rank,
                           uint64_t seed)
{
	gemp_code code = GEMP_OK;
	gemp_sampler *s = NULL;
	uint8_t *mine = NULL;
	size_t *begin = NULL;
	code = GEMP_NEW(s, 1);
	if (code == GEMP_OK) {
		*s = (gemp_sampler){ .context = context,
			                 .graph = graph,
			                 .candidates = candidates,
			                 .key_rank = key_rank,
			                 .limit = UINT64_MAX,
			                 .random = gemp_mix(seed + (uint64_t)context->comm->rank) };
		code = gemp_sample_rows_new(&s->rows, context, graph);
	}
	GEMP_THEN(measure_degrees(s, pattern, &mine));
	GEMP_TRY(gemp_comm_agree(context->comm, code));
	GEMP_TRY(gemp_comm_allgather(context->comm, mine, graph->rows, (void **)&s->class, &begin));
	*out = s;
	s = NULL;
done:
	gemp_free_all(mine, begin);
	gemp_sampler_free(s);
	return code;
}

void gemp_sampler_free(gemp_sampler *s)
{
	if (!s)
		return;
	gemp_sample_rows_free(s->rows);
	gemp_free_all(s->size, s->class, s->children, s->requests, s);
}

void gemp_sample_free(gemp_sample *sample)
{
	gemp_free_all(sample->images, sample->edges, sample->weights);
	*sample = (gemp_sample){ 0 };
}

void gemp_sampler_walk_latest(gemp_sampler *s)
{
	s->latest = true;
}

void gemp_sampler_limit(gemp_sampler *s, uint64_t reads)
{
	s->limit = reads;
}

bool gemp_sampler_exact(const gemp_sampler *s)
{
	return gemp_comm_sum1(s->context->comm, s->chosen) == 0;
}

uint64_t gemp_sampler_reads(const gemp_sampler *s)
{
	uint64_t reads = s->reads;
	gemp_comm_max(s->context->comm, &reads, 1);
	return reads;
}

uint64_t gemp_sampler_fetched(const gemp_sampler *s)
{
	uint64_t fetched = gemp_sample_rows_fetched(s->rows);
	gemp_comm_max(s->context->comm, &fetched, 1);
	return fetched;
}

/* Draws pivots in proportion to their degrees by systematic sampling; takes all of them if there are no more than
 * wanted. */
static gemp_code draw_pivots(gemp_sample_extension *x, size_t wanted)
{
	gemp_sampler *s = x->s;
	int pivot = x->step->vertex;
	double total = 0, next, sum = 0;
	size_t count = 0;
	for (size_t v = 0; v < s->graph->rows; v++)
		if (gemp_candidates_has(s->candidates, pivot, (gemp_vertex)(s->graph->first_vertex + v))) {
			total += s->size[v];
			count++;
		}
	double stride = total / (double)wanted;
	s->chosen = count > wanted;
	next = stride * gemp_random_unit(&s->random);
	for (size_t v = 0; v < s->graph->rows; v++) {
		gemp_vertex id = (gemp_vertex)(s->graph->first_vertex + v);
		if (!gemp_candidates_has(s->candidates, pivot, id))
			continue;
		sum += s->size[v];
		if (count <= wanted)
			GEMP_PROPAGATE(gemp_sample_add_child(x, id, 0, 1));
		for (; count > wanted && next < sum; next += stride)
			GEMP_PROPAGATE(gemp_sample_add_child(x, id, 0, stride / s->size[v]));
	}
	x->work.passed = (double)count;
	return GEMP_OK;
}

/* ROWS that the step reads, of all partial matches. */
static gemp_code request_row(gemp_sampler *s, int view, gemp_vertex id)
{
	if (GEMP_RESERVE(s->requests, s->request_capacity, s->request_count + 1) != GEMP_OK)
		return GEMP_ENOMEM;
	s->requests[s->request_count++] = (gemp_row_request){ view, id };
	return GEMP_OK;
}

/* Lists the rows that the step reads for all partial matches: those of bound vertices, or those of the new one (own). */
static gemp_code request_rows(gemp_sample_extension *x, const gemp_sample *sample, bool own)
{
	x->s->request_count = 0;
	for (size_t i = 0; i < sample->count; i++)
		for (size_t k = 0; k < x->step->check_count; k++)
			if (x->step->kind == GEMP_BIND_EDGE || gemp_sample_own_row(x->step, k) == own)
				GEMP_PROPAGATE(
					request_row(x->s, x->views[k],
				                sample->images[i * (size_t)x->plan->vertex_count + (size_t)x->step->checks[k].from]));
	return GEMP_OK;
}

/* Adds a drawn extension with its weight. */
static gemp_code add_drawn(const gemp_sample_extension *x, gemp_sample *out, const gemp_sample *in,
                           const gemp_sample_child *c, double weight)
{
	size_t vertices = (size_t)x->plan->vertex_count, edges = x->plan->live_edges ? (size_t)x->plan->edge_count : 0;
	size_t n = out->count;
	GEMP_PROPAGATE(GEMP_RESERVE(out->images, out->vertex_capacity, (n + 1) * vertices));
	GEMP_PROPAGATE(GEMP_RESERVE(out->edges, out->edge_capacity, (n + 1) * edges + 1));
	GEMP_PROPAGATE(GEMP_RESERVE(out->weights, out->weight_capacity, n + 1));
	for (size_t v = 0; v < vertices; v++)
		out->images[n * vertices + v] = in ? in->images[c->parent * vertices + v] : GEMP_NO_VERTEX;
	for (size_t e = 0; e < edges; e++)
		out->edges[n * edges + e] = in ? in->edges[c->parent * edges + e] : GEMP_NO_EDGE;
	out->images[n * vertices + (size_t)x->step->vertex] = c->vertex;
	if (x->step->edge >= 0)
		out->edges[n * edges + (size_t)x->step->edge] = c->edge;
	out->weights[n] = weight;
	out->count++;
	return GEMP_OK;
}

/* Draws extensions in proportion to their weights (systematic resampling); all stay if there are no more than wanted. */
static gemp_code resample(const gemp_sample_extension *x, const gemp_sample *in, gemp_sample *out, size_t wanted)
{
	gemp_sampler *s = x->s;
	double total = 0, sum = 0;
	out->count = 0;
	for (size_t i = 0; i < s->child_count; i++)
		total += s->children[i].weight;
	double stride = total / (double)wanted, next = stride * gemp_random_unit(&s->random);
	s->chosen |= in && s->child_count > wanted;
	for (size_t i = 0; i < s->child_count; i++) {
		const gemp_sample_child *c = &s->children[i];
		if (!in || s->child_count <= wanted) {
			GEMP_PROPAGATE(add_drawn(x, out, in, c, c->weight));
			continue;
		}
		for (sum += c->weight; next < sum; next += stride)
			GEMP_PROPAGATE(add_drawn(x, out, in, c, stride));
	}
	return GEMP_OK;
}

/* Drops partial matches that fail the checks by the new vertex's own row, which is fetched only for those that were
 * drawn. */
static void test_loops(gemp_sample_extension *x, gemp_sample *sample)
{
	size_t vertices = (size_t)x->plan->vertex_count, edges = x->plan->live_edges ? (size_t)x->plan->edge_count : 0;
	size_t kept = 0;
	for (size_t i = 0; i < sample->count; i++) {
		const gemp_vertex *image = sample->images + i * vertices;
		bool good = true;
		for (size_t k = 0; good && k < x->step->check_count; k++) {
			const gemp_check *check = &x->step->checks[k];
			if (!gemp_sample_own_row(x->step, k))
				continue;
			const gemp_sample_row row = gemp_sample_rows_get(x->s->rows, x->views[k], image[check->from]);
			good = gemp_sample_row_has(&row, image[check->to]) != check->absent;
		}
		if (!good) {
			x->work.passed -= sample->weights[i];
			continue;
		}
		for (size_t v = 0; v < vertices; v++)
			sample->images[kept * vertices + v] = image[v];
		for (size_t e = 0; e < edges; e++)
			sample->edges[kept * edges + e] = sample->edges[i * edges + e];
		sample->weights[kept++] = sample->weights[i];
	}
	sample->count = kept;
}

static gemp_code name_views(gemp_sample_extension *x)
{
	gemp_code code = GEMP_OK;
	for (size_t k = 0; k < x->step->check_count && code == GEMP_OK; k++)
		code = gemp_sample_rows_view(x->s->rows, &x->plan->views[x->step->checks[k].view], &x->views[k]);
	return code;
}

/* Sums over ranks to the same bits on all of them, since ranks decide by the sums: each number is added in units of
 * 2^-52 of about the greatest. */
static void sum_exactly(const gemp_comm *comm, gemp_sample_work *work)
{
	enum { BIAS = 2048, DIGITS = 52 };
	double *const parts[] = { &work->passed, &work->entries, &work->lookups };
	uint64_t whole[3], exponent[3] = { 0 };
	for (int i = 0; i < 3; i++) {
		int binary = 0;
		frexp(*parts[i], &binary);
		exponent[i] = *parts[i] > 0 ? (uint64_t)(binary + BIAS) : 0;
	}
	gemp_comm_max(comm, exponent, 3);
	for (int i = 0; i < 3; i++)
		whole[i] = exponent[i] ? (uint64_t)(ldexp(*parts[i], DIGITS + BIAS - (int)exponent[i]) + 0.5) : 0;
	gemp_comm_sum(comm, whole, 3);
	for (int i = 0; i < 3; i++)
		*parts[i] = exponent[i] ? ldexp((double)whole[i], (int)exponent[i] - BIAS - DIGITS) : 0;
}

/* Two fetches of rows at most: those of bound vertices, then, for loops and own rows, those of the new one. */
gemp_code gemp_sampler_step(gemp_sampler *s, const gemp_plan *plan, size_t step, const gemp_sample *in,
                            gemp_sample *out, size_t size, gemp_sample_work *work)
{
	gemp_code code = GEMP_OK;
	gemp_sample_extension x = { .s = s, .plan = plan, .step = &plan->steps[step] };
	size_t wanted = size / (size_t)s->graph->ranks + 1;
	bool loops = false;
	s->child_count = 0;
	code = name_views(&x);
	if (!in && code == GEMP_OK)
		code = draw_pivots(&x, wanted);
	if (in) {
		GEMP_THEN(request_rows(&x, in, false));
		GEMP_PROPAGATE(gemp_comm_agree(s->context->comm, code));
		GEMP_PROPAGATE(gemp_sample_rows_fetch(s->rows, s->requests, s->request_count));
		code = gemp_sample_extend_all(&x, in);
	}
	GEMP_THEN(resample(&x, in, out, wanted));
	for (size_t k = 0; k < x.step->check_count; k++)
		loops |= x.step->kind != GEMP_BIND_EDGE && gemp_sample_own_row(x.step, k);
	if (loops) {
		GEMP_THEN(request_rows(&x, out, true));
		GEMP_PROPAGATE(gemp_comm_agree(s->context->comm, code));
		GEMP_PROPAGATE(gemp_sample_rows_fetch(s->rows, s->requests, s->request_count));
		test_loops(&x, out);
	}
	GEMP_PROPAGATE(gemp_comm_agree(s->context->comm, code));
	*work = x.work;
	sum_exactly(s->context->comm, work);
	return GEMP_OK;
}
