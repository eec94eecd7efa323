#include "match/planner/sample.h"

#include "core/random.h"
#include "core/search.h"
#include "match/codegen/adjacency_marks.h"
#include "match/planner/plan_rows.h"
#include "match/planner/sample_pivots.h"

#include <math.h>

/* One extension of a partial match by a step. */
typedef struct sample_child {
	uint32_t parent;
	gemp_vertex vertex;
	gemp_edge edge;
	double weight;
} sample_child;

struct gemp_sampler {
	gemp_runtime *context;
	const gemp_shard *graph;
	const gemp_candidates *candidates;
	const uint32_t *key_rank;
	gemp_sample_rows *rows;
	uint64_t random, reads, limit; /* state of the random generator; reads so far; limit of reads for a step */
	bool latest;                   /* see gemp_sampler_options.walk_latest */
	bool chosen;                   /* some choice was random since the last step of the pivot */
	gemp_sample_pivots pivots;
	size_t child_count, child_capacity, request_count, request_capacity;
	sample_child *children;
	gemp_row_request *requests;
};

/* The extension of the current partial match by a step. */
typedef struct sample_extension {
	gemp_sampler *s;
	const gemp_plan *plan;
	const gemp_step *step;
	int views[GEMP_MAX_CHECKS]; /* by check: number of its view in gemp_sample_rows */
	const gemp_vertex *image;
	const gemp_edge *edges;
	gemp_sample_row row[GEMP_MAX_CHECKS]; /* by check: the row of its bound vertex */
	double weight;
	uint32_t parent;
	size_t longest;        /* length of the longest walk; of longer rows only every k-th entry is walked */
	gemp_sample_work work; /* work of this rank so far */
} sample_extension;

gemp_code gemp_sampler_new(gemp_sampler **out, gemp_runtime *context, gemp_shard *graph, const gemp_pattern *pattern,
                           const gemp_candidates *candidates, const uint32_t *key_rank,
                           const gemp_sampler_options *options)
{
	GEMP_OWNED_BY(gemp_sampler_free_at) gemp_sampler *s = NULL;
	GEMP_TRY(gemp_pattern_load_relations(graph, pattern));
	gemp_code code = GEMP_NEW(s, 1);
	if (code == GEMP_OK) {
		*s = (gemp_sampler){ .context = context,
			                 .graph = graph,
			                 .candidates = candidates,
			                 .key_rank = key_rank,
			                 .limit = options->limit ? options->limit : UINT64_MAX,
			                 .latest = options->walk_latest,
			                 .random = gemp_mix(options->seed + (uint64_t)context->comm->rank) };
		code = gemp_sample_rows_new(&s->rows, context, graph, options->counts_rows);
	}
	GEMP_TRY(gemp_comm_agree(context->comm, code));
	GEMP_TRY(gemp_sample_pivots_new(&s->pivots, context, graph, pattern, candidates));
	*out = s;
	s = NULL;
	return GEMP_OK;
}

/* Candidates and key ranks are borrowed from the match and stay. */
void gemp_sampler_free(gemp_sampler *s)
{
	if (!s)
		return;
	gemp_sample_rows_free(s->rows);
	gemp_sample_pivots_free(&s->pivots);
	gemp_free_all(s->children, s->requests, s);
}

void gemp_sample_free(gemp_sample *sample)
{
	gemp_free_all(sample->images, sample->edges, sample->weights);
	*sample = (gemp_sample){ 0 };
}

/* One random choice on any rank makes the whole sample an estimate. */
bool gemp_sampler_exact(const gemp_sampler *s)
{
	return gemp_comm_sum1(s->context->comm, s->chosen) == 0;
}

/* All ranks must stop together, so the rank with the most reads decides whether the budget is spent. */
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

/* Adds an extension of the current partial match. */
static gemp_code add_child(sample_extension *x, gemp_vertex c, gemp_edge edge, double weight)
{
	gemp_sampler *s = x->s;
	GEMP_TRY(GEMP_RESERVE(s->children, s->child_capacity, s->child_count + 1));
	s->children[s->child_count++] = (sample_child){ x->parent, c, edge, weight };
	x->work.passed += weight;
	return GEMP_OK;
}

static gemp_code take_pivot(void *self, gemp_vertex id, double weight)
{
	return add_child(self, id, 0, weight);
}

/* Each rank draws from its own pivots. */
static gemp_code draw_pivots(sample_extension *x, size_t wanted)
{
	gemp_sampler *s = x->s;
	uint64_t count;
	GEMP_TRY(gemp_sample_pivots_draw(&s->pivots, x->step->vertex, wanted, gemp_random_unit(&s->random), take_pivot, x,
	                                 &count));
	s->chosen = count > wanted;
	x->work.passed = (double)count;
	return GEMP_OK;
}

/* True if the check reads the row of the new vertex itself. Such checks are made after the extensions have been drawn
 * (test_loops), so that few rows are fetched for them. */
static bool own_row(const gemp_step *step, size_t check)
{
	return step->checks[check].from == step->vertex;
}

/* Lists the rows that a step reads for all partial matches: of bound vertices, or of the new vertices (own). */
static gemp_code request_rows(sample_extension *x, const gemp_sample *sample, bool own)
{
	gemp_sampler *s = x->s;
	s->request_count = 0;
	GEMP_TRY(GEMP_RESERVE(s->requests, s->request_capacity, sample->count * x->step->check_count));
	for (size_t i = 0; i < sample->count; i++) {
		const gemp_vertex *image = sample->images + i * (size_t)x->plan->vertex_count;
		for (size_t k = 0; k < x->step->check_count; k++)
			if (x->step->kind == GEMP_BIND_EDGE || own_row(x->step, k) == own)
				s->requests[s->request_count++] = (gemp_row_request){ x->views[k], image[x->step->checks[k].from] };
	}
	return GEMP_OK;
}

/* Adds a drawn extension to the new sample. If `in` is NULL, all other vertices and edges are unbound. */
static gemp_code add_drawn(const sample_extension *x, gemp_sample *out, const gemp_sample *in, const sample_child *c,
                           double weight)
{
	size_t vertices = (size_t)x->plan->vertex_count, edges = x->plan->live_edges ? (size_t)x->plan->edge_count : 0;
	size_t n = out->count;
	GEMP_TRY(GEMP_RESERVE(out->images, out->vertex_capacity, (n + 1) * vertices));
	GEMP_TRY(GEMP_RESERVE(out->edges, out->edge_capacity, (n + 1) * edges + 1));
	GEMP_TRY(GEMP_RESERVE(out->weights, out->weight_capacity, n + 1));
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

/* Draws extensions in proportion to their weights (systematic resampling). If there are at most `wanted`, keeps all of
 * them. */
static gemp_code resample(const sample_extension *x, const gemp_sample *in, gemp_sample *out, size_t wanted)
{
	gemp_sampler *s = x->s;
	double total = 0, sum = 0;
	out->count = 0;
	for (size_t i = 0; i < s->child_count; i++)
		total += s->children[i].weight;
	double stride = total / (double)wanted, next = stride * gemp_random_unit(&s->random);
	s->chosen |= in && s->child_count > wanted;
	for (size_t i = 0; i < s->child_count; i++) {
		const sample_child *c = &s->children[i];
		if (!in || s->child_count <= wanted) {
			GEMP_TRY(add_drawn(x, out, in, c, c->weight));
			continue;
		}
		for (sum += c->weight; next < sum; next += stride)
			GEMP_TRY(add_drawn(x, out, in, c, stride));
	}
	return GEMP_OK;
}

static bool row_has(const gemp_sample_row *row, gemp_vertex x)
{
	size_t at = gemp_lower_bound_u32(row->neighbours, row->size, x);
	return at < row->size && row->neighbours[at] == x;
}

/* Drops partial matches that fail a check by the new vertex's own row, which is fetched only for drawn matches. */
static void test_loops(sample_extension *x, gemp_sample *sample)
{
	size_t vertices = (size_t)x->plan->vertex_count, edges = x->plan->live_edges ? (size_t)x->plan->edge_count : 0;
	size_t kept = 0;
	for (size_t i = 0; i < sample->count; i++) {
		const gemp_vertex *image = sample->images + i * vertices;
		bool good = true;
		for (size_t k = 0; good && k < x->step->check_count; k++) {
			const gemp_check *check = &x->step->checks[k];
			if (!own_row(x->step, k))
				continue;
			const gemp_sample_row row = gemp_sample_rows_get(x->s->rows, x->views[k], image[check->from]);
			good = row_has(&row, image[check->to]) != check->absent;
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

/* Collective. Sums over the ranks. All ranks decide by the sums and must get the same bits, so the numbers are added as
 * integers, in units of 2^-52 of about the greatest number. */
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

/* A walk reads at most LONGEST_WALK entries. WALKED_IS_LONGER is the factor of emit_loops.c. */
enum { WALK_SIZES = 13, LONGEST_WALK = 1 << (WALK_SIZES - 1), WALKED_IS_LONGER = 8 };

#define FOR_EACH_BIT(v, mask) \
	for (uint64_t left_ = (mask); left_ && ((v) = __builtin_ctzll(left_), true); left_ &= left_ - 1)

/* Tests the symmetry restrictions, which compare slots. */
static bool within_order(const sample_extension *x, gemp_vertex c)
{
	int v;
	FOR_EACH_BIT (v, x->step->less)
		if (!gemp_sample_pivots_before(&x->s->pivots, c, x->image[v]))
			return false;
	FOR_EACH_BIT (v, x->step->greater)
		if (!gemp_sample_pivots_before(&x->s->pivots, x->image[v], c))
			return false;
	return true;
}

/* Tests the conditions on the order of ids, which compare key ranks. */
static bool keys_fit(const sample_extension *x, gemp_vertex c)
{
	const gemp_step *step = x->step;
	const uint32_t *key = x->s->key_rank;
	int v;
	FOR_EACH_BIT (v, step->key_less | step->key_le | step->key_greater | step->key_ge) {
		uint32_t own = key[c], other = key[x->image[v]];
		if ((step->key_less >> v & 1 && own >= other) || (step->key_le >> v & 1 && own > other) ||
		    (step->key_greater >> v & 1 && own <= other) || (step->key_ge >> v & 1 && own < other))
			return false;
	}
	return true;
}

/* The tests of a vertex that read no row. */
static bool vertex_fits(const sample_extension *x, gemp_vertex c)
{
	int v;
	FOR_EACH_BIT (v, x->step->differ)
		if (c == x->image[v])
			return false;
	FOR_EACH_BIT (v, x->step->same)
		if (c != x->image[v])
			return false;
	return keys_fit(x, c) && gemp_candidates_has(x->s->candidates, x->step->vertex, c);
}

/* Tests that edges differ, and the order of parallel edges. */
static bool edge_fits(const sample_extension *x, gemp_edge edge)
{
	int e;
	FOR_EACH_BIT (e, x->step->edges_differ)
		if (edge == x->edges[e])
			return false;
	FOR_EACH_BIT (e, x->step->edge_less)
		if (edge >= x->edges[e])
			return false;
	return true;
}

/* Tests the rows of bound vertices. Kernels with marks first look up a mark; extend() has counted this lookup. */
static bool checks_hold(sample_extension *x, size_t walked, gemp_vertex c, double weight)
{
	bool counted = x->s->latest;
	for (size_t k = 0; k < x->step->check_count; k++) {
		const gemp_check *check = &x->step->checks[k];
		if (k == walked || own_row(x->step, k))
			continue;
		x->work.lookups += counted ? 0 : weight;
		counted = false;
		x->s->reads++;
		if (row_has(&x->row[k], check->to == x->step->vertex ? c : x->image[check->to]) == check->absent)
			return false;
	}
	return true;
}

/* The index of the row that the kernel would walk. With marks it is the row of the latest vertex unless another row is
 * far shorter; without marks, the row of the greatest slot. */
static size_t walked_row(const sample_extension *x)
{
	bool latest = x->s->latest;
	size_t best = latest ? gemp_latest_source(x->plan, (int)(x->step - x->plan->steps)) : 0;
	for (size_t k = 0; k < x->step->sources; k++)
		if (latest ? x->row[k].size * WALKED_IS_LONGER < x->row[best].size
		           : gemp_sample_pivots_before(&x->s->pivots, x->image[x->step->checks[best].from],
		                                       x->image[x->step->checks[k].from]))
			best = k;
	return best;
}

/* Extends the current partial match. Of a long row every k-th entry is walked, with k times the weight. */
static gemp_code extend(sample_extension *x)
{
	size_t walked = walked_row(x);
	const gemp_sample_row *row = &x->row[walked];
	size_t every = row->size / x->longest + 1;
	double weight = x->weight * (double)every;
	x->s->reads += row->size / every;
	x->s->chosen |= every > 1;
	for (size_t i = every > 1 ? gemp_random_below(&x->s->random, every) : 0; i < row->size; i += every) {
		gemp_vertex c = row->neighbours[i];
		const gemp_edge edge = gemp_sample_row_edge(row, i);
		if (!within_order(x, c))
			continue;
		x->work.entries += weight;
		x->work.lookups += x->s->latest && x->step->check_count > 1 ? weight : 0;
		if (vertex_fits(x, c) && (x->step->edge < 0 || edge_fits(x, edge)) && checks_hold(x, walked, c, weight))
			GEMP_TRY(add_child(x, c, edge, weight));
	}
	return GEMP_OK;
}

/* Extends the current partial match by each edge to its bound vertex. Parallel edges are adjacent in the row. */
static gemp_code bind_edge(sample_extension *x)
{
	const gemp_sample_row *row = &x->row[0];
	gemp_vertex c = x->image[x->step->vertex];
	size_t first = gemp_lower_bound_u32(row->neighbours, row->size, c);
	for (size_t i = first; i < row->size && row->neighbours[i] == c; i++) {
		x->work.entries += x->weight;
		const gemp_edge edge = gemp_sample_row_edge(row, i);
		if (edge_fits(x, edge))
			GEMP_TRY(add_child(x, c, edge, x->weight));
	}
	return GEMP_OK;
}

/* Makes partial match i of the sample the current one. */
static void select_match(sample_extension *x, const gemp_sample *in, size_t i)
{
	const gemp_step *step = x->step;
	x->image = in->images + i * (size_t)x->plan->vertex_count;
	x->edges = x->plan->live_edges ? in->edges + i * (size_t)x->plan->edge_count : NULL;
	x->weight = in->weights[i];
	x->parent = (uint32_t)i;
	for (size_t k = 0; k < step->check_count; k++)
		if (step->kind == GEMP_BIND_EDGE || !own_row(step, k))
			x->row[k] = gemp_sample_rows_get(x->s->rows, x->views[k], x->image[step->checks[k].from]);
}

/* Finds the longest walk with which the step stays within the limit of reads. For each entry of the walked row the step
 * may search all other rows. */
static void find_longest(sample_extension *x, const gemp_sample *in)
{
	uint64_t reads[WALK_SIZES] = { 0 }, rows = 0;
	int size = WALK_SIZES - 1;
	for (size_t k = 0; k < x->step->check_count; k++)
		rows += !own_row(x->step, k);
	for (size_t i = 0; i < in->count; i++) {
		select_match(x, in, i);
		size_t length = x->row[walked_row(x)].size;
		for (int w = 0; w < WALK_SIZES; w++)
			reads[w] += rows * (length / ((length >> w) + 1));
	}
	while (size > 0 && reads[size] > x->s->limit)
		size--;
	x->longest = (size_t)1 << size;
}

/* Extends each partial match of `in` in all ways. The rows of bound vertices have been fetched. */
static gemp_code extend_all(sample_extension *x, const gemp_sample *in)
{
	bool binds_edge = x->step->kind == GEMP_BIND_EDGE;
	x->longest = LONGEST_WALK;
	if (!binds_edge && x->s->limit < UINT64_MAX)
		find_longest(x, in);
	for (size_t i = 0; i < in->count; i++) {
		select_match(x, in, i);
		GEMP_TRY(binds_edge ? bind_edge(x) : extend(x));
	}
	return GEMP_OK;
}

/* A step fetches rows at most twice: the rows of bound vertices, and the rows of the new vertices that were drawn. */
gemp_code gemp_sampler_step(gemp_sampler *s, const gemp_plan *plan, size_t step, const gemp_sample *in,
                            gemp_sample *out, size_t size, gemp_sample_work *work)
{
	gemp_code code = GEMP_OK;
	sample_extension x = { .s = s, .plan = plan, .step = &plan->steps[step] };
	size_t wanted = size / (size_t)s->graph->ranks + 1;
	bool loops = false;
	s->child_count = 0;
	for (size_t k = 0; k < x.step->check_count; k++)
		GEMP_THEN(gemp_sample_rows_view(s->rows, &plan->views[x.step->checks[k].view], &x.views[k]));
	if (!in)
		GEMP_THEN(draw_pivots(&x, wanted));
	if (in) {
		GEMP_THEN(request_rows(&x, in, false));
		GEMP_TRY(gemp_comm_agree(s->context->comm, code));
		GEMP_TRY(gemp_sample_rows_fetch(s->rows, s->requests, s->request_count));
		code = extend_all(&x, in);
	}
	GEMP_THEN(resample(&x, in, out, wanted));
	for (size_t k = 0; k < x.step->check_count; k++)
		loops |= x.step->kind != GEMP_BIND_EDGE && own_row(x.step, k);
	if (loops) {
		GEMP_THEN(request_rows(&x, out, true));
		GEMP_TRY(gemp_comm_agree(s->context->comm, code));
		GEMP_TRY(gemp_sample_rows_fetch(s->rows, s->requests, s->request_count));
		test_loops(&x, out);
	}
	GEMP_TRY(gemp_comm_agree(s->context->comm, code));
	*work = x.work;
	sum_exactly(s->context->comm, work);
	return GEMP_OK;
}
