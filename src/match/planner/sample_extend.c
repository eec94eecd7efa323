#include "match/planner/sample_extend.h"

#include "core/bitset.h"
#include "core/memory.h"
#include "core/random.h"
#include "core/search.h"
#include "match/codegen/adjacency_marks.h"

/* Walks are not longer, whatever the limit. A row so many times longer than another is not walked, as in emit_loops. */
enum { WALK_SIZES = 13, LONGEST_WALK = 1 << (WALK_SIZES - 1), WALKED_IS_LONGER = 8 };

/* Slots descend by degree, so that a hub comes before its neighbours. */
static bool before(const gemp_sampler *s, gemp_vertex a, gemp_vertex b)
{
	return s->class[a] != s->class[b] ? s->class[a] < s->class[b] : a < b;
}

static size_t lower_bound(const gemp_sample_row *row, gemp_vertex x)
{
	return gemp_lower_bound_u32(row->neighbours, row->size, x);
}

bool gemp_sample_row_has(const gemp_sample_row *row, gemp_vertex x)
{
	size_t at = lower_bound(row, x);
	return at < row->size && row->neighbours[at] == x;
}

#define FOR_EACH_BIT(v, mask) \
	for (uint64_t left_ = (mask); left_ && ((v) = __builtin_ctzll(left_), true); left_ &= left_ - 1)

/* Symmetry restrictions compare slots. */
static bool within_order(const gemp_sample_extension *x, gemp_vertex c)
{
	int v;
	FOR_EACH_BIT (v, x->step->less)
		if (!before(x->s, c, x->image[v]))
			return false;
	FOR_EACH_BIT (v, x->step->greater)
		if (!before(x->s, x->image[v], c))
			return false;
	return true;
}

/* Conditions on the order of ids compare key ranks. */
static bool keys_fit(const gemp_sample_extension *x, gemp_vertex c)
{
	const gemp_step *step = x->step;
	const uint32_t *key = x->s->key_rank;
	int v;
	FOR_EACH_BIT (v, step->key_less)
		if (key[c] >= key[x->image[v]])
			return false;
	FOR_EACH_BIT (v, step->key_le)
		if (key[c] > key[x->image[v]])
			return false;
	FOR_EACH_BIT (v, step->key_greater)
		if (key[c] <= key[x->image[v]])
			return false;
	FOR_EACH_BIT (v, step->key_ge)
		if (key[c] < key[x->image[v]])
			return false;
	return true;
}

/* Tests that need no row. */
static bool vertex_fits(const gemp_sample_extension *x, gemp_vertex c)
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

/* Distinct edges, and the order of parallel ones. */
static bool edge_fits(const gemp_sample_extension *x, gemp_edge edge)
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

/* Checks by rows of the new vertex itself wait until few are left (test_loops). */
bool gemp_sample_own_row(const gemp_step *step, size_t check)
{
	return step->checks[check].from == step->vertex;
}

/* Tests the rows of bound vertices. Kernels that mark rows look at a mark before anything else of a candidate, so that
 * their lookups are counted where entries are. */
static bool checks_hold(gemp_sample_extension *x, size_t walked, gemp_vertex c, double weight)
{
	bool counted = x->s->latest;
	for (size_t k = 0; k < x->step->check_count; k++) {
		const gemp_check *check = &x->step->checks[k];
		if (k == walked || gemp_sample_own_row(x->step, k))
			continue;
		x->work.lookups += counted ? 0 : weight;
		counted = false;
		x->s->reads++;
		if (gemp_sample_row_has(&x->row[k], check->to == x->step->vertex ? c : x->image[check->to]) == check->absent)
			return false;
	}
	return true;
}

gemp_code gemp_sample_add_child(gemp_sample_extension *x, gemp_vertex c, gemp_edge edge, double weight)
{
	gemp_sampler *s = x->s;
	if (GEMP_RESERVE(s->children, s->child_capacity, s->child_count + 1) != GEMP_OK)
		return GEMP_ENOMEM;
	s->children[s->child_count++] = (gemp_sample_child){ x->parent, c, edge, weight };
	x->work.passed += weight;
	return GEMP_OK;
}

/* The row that marking kernels walk: that of the latest vertex, unless another is eight times shorter. */
static size_t latest_row(const gemp_sample_extension *x)
{
	size_t best = gemp_latest_source(x->plan, (int)(x->step - x->plan->steps));
	for (size_t k = 0; k < x->step->sources; k++)
		if (x->row[k].size * WALKED_IS_LONGER < x->row[best].size)
			best = k;
	return best;
}

/* The row that the kernel would walk. */
static size_t walked_row(const gemp_sample_extension *x)
{
	size_t best = 0;
	if (x->s->latest)
		return latest_row(x);
	for (size_t k = 1; k < x->step->sources; k++)
		if (before(x->s, x->image[x->step->checks[best].from], x->image[x->step->checks[k].from]))
			best = k;
	return best;
}

/* Walks every k-th entry of a long row, with k times the weight. */
static gemp_code extend(gemp_sample_extension *x)
{
	size_t walked = walked_row(x);
	const gemp_sample_row *row = &x->row[walked];
	size_t every = row->size / x->longest + 1;
	double weight = x->weight * (double)every;
	x->s->reads += row->size / every;
	x->s->chosen |= every > 1;
	for (size_t i = every > 1 ? gemp_random_below(&x->s->random, every) : 0; i < row->size; i += every) {
		gemp_vertex c = row->neighbours[i];
		gemp_edge edge = row->edge ? row->edge[i] : 0;
		if (!within_order(x, c))
			continue;
		x->work.entries += weight;
		x->work.lookups += x->s->latest && x->step->check_count > 1 ? weight : 0;
		if (vertex_fits(x, c) && (x->step->edge < 0 || edge_fits(x, edge)) && checks_hold(x, walked, c, weight))
			GEMP_PROPAGATE(gemp_sample_add_child(x, c, edge, weight));
	}
	return GEMP_OK;
}

/* Parallel edges lie together. */
static gemp_code bind_edge(gemp_sample_extension *x)
{
	const gemp_sample_row *row = &x->row[0];
	gemp_vertex c = x->image[x->step->vertex];
	for (size_t i = lower_bound(row, c); i < row->size && row->neighbours[i] == c; i++) {
		x->work.entries += x->weight;
		if (edge_fits(x, row->edge[i]))
			GEMP_PROPAGATE(gemp_sample_add_child(x, c, row->edge[i], x->weight));
	}
	return GEMP_OK;
}

/* Partial match i of the sample is the one at hand. */
static void select_match(gemp_sample_extension *x, const gemp_sample *in, size_t i)
{
	const gemp_step *step = x->step;
	x->image = in->images + i * (size_t)x->plan->vertex_count;
	x->edges = x->plan->live_edges ? in->edges + i * (size_t)x->plan->edge_count : NULL;
	x->weight = in->weights[i];
	x->parent = (uint32_t)i;
	for (size_t k = 0; k < step->check_count; k++)
		if (step->kind == GEMP_BIND_EDGE || !gemp_sample_own_row(step, k))
			x->row[k] = gemp_sample_rows_get(x->s->rows, x->views[k], x->image[step->checks[k].from]);
}

/* Finds the longest walk with which the step stays within the limit of reads; each entry may be looked for in all
 * other rows. */
static void find_longest(gemp_sample_extension *x, const gemp_sample *in)
{
	uint64_t reads[WALK_SIZES] = { 0 }, rows = 0;
	int size = WALK_SIZES - 1;
	for (size_t k = 0; k < x->step->check_count; k++)
		rows += !gemp_sample_own_row(x->step, k);
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

gemp_code gemp_sample_extend_all(gemp_sample_extension *x, const gemp_sample *in)
{
	bool binds_edge = x->step->kind == GEMP_BIND_EDGE;
	x->longest = LONGEST_WALK;
	if (!binds_edge && x->s->limit < UINT64_MAX)
		find_longest(x, in);
	for (size_t i = 0; i < in->count; i++) {
		select_match(x, in, i);
		GEMP_PROPAGATE(binds_edge ? bind_edge(x) : extend(x));
	}
	return GEMP_OK;
}
