/* verify: the checks of answers. A search is right if no edge offers a smaller level or distance, and if each vertex
 * has an edge from its parent that accounts for its level or distance. For PageRank the host computes one more
 * iteration in double. For a product the host repeats all rounds in double, and the values must agree within a bound of
 * the rounding errors. */

#include "analytics/verify/verify.h"

#include "core/bitset.h"
#include "core/memory.h"
#include "core/threads.h"

#include <float.h>
#include <math.h>

/* PATHS */

/* A search's answer for all vertices of the graph, on every rank. Arrays that are not checked are NULL. */
typedef struct paths {
	const gemp_verify_edges *edges;
	uint64_t source;
	void *level, *distance, *real, *parent, *key_rank; /* [vertices] by id */
	/* a bit for each vertex that has an edge from its parent which accounts for its level or distance */
	uint64_t *confirmed;
	verify_fault fault;
} paths;

static uint32_t parent_of(const paths *p, uint64_t v)
{
	return ((const gemp_vertex *)p->parent)[v];
}

/* Checks one edge from vertex a to vertex b. The level of b is at most one more than the level of a. If a could be b's
 * parent, a's key is not smaller than the key of b's parent. */
static void check_level(void *self, uint64_t a, uint64_t b, const gemp_column *weight, uint64_t row)
{
	(void)weight, (void)row;
	paths *p = self;
	const uint32_t *level = p->level, *key_rank = p->key_rank;
	if (level[a] == UINT32_MAX)
		return;
	if (level[b] > level[a] + 1)
		gemp_verify_fault(&p->fault, "has an edge to one that is more than a level behind it:", a, b);
	if (level[b] != level[a] + 1)
		return;
	if (parent_of(p, b) == a)
		gemp_bits64_set_atomic(p->confirmed, b);
	else if (key_rank && parent_of(p, b) < p->edges->graph->vertex_count && key_rank[a] < key_rank[parent_of(p, b)])
		gemp_verify_fault(&p->fault, "has an edge to, and a smaller key than the parent of", a, b);
}

/* Levels, integer distances and real distances have different values for unreached vertices. */
static bool reached(const paths *p, uint64_t v)
{
	if (p->level)
		return ((const uint32_t *)p->level)[v] != UINT32_MAX;
	return p->distance ? ((const uint64_t *)p->distance)[v] != UINT64_MAX : !isinf(((const double *)p->real)[v]);
}

static bool is_zero(const paths *p, uint64_t v)
{
	if (p->level)
		return ((const uint32_t *)p->level)[v] == 0;
	return p->distance ? ((const uint64_t *)p->distance)[v] == 0 : ((const double *)p->real)[v] == 0;
}

/* Checks one edge from vertex a to vertex b: the path through a is at least as long as b's distance. A path whose
 * length exceeds 64 bits is skipped. */
static void check_distance(void *self, uint64_t a, uint64_t b, const gemp_column *weight, uint64_t row)
{
	paths *p = self;
	bool better, same;
	if (!reached(p, a))
		return;
	if (p->distance) {
		const uint64_t *distance = p->distance;
		uint64_t through, length = weight ? (uint64_t)weight->integers[row] : 1;
		bool passed = __builtin_add_overflow(distance[a], length, &through);
		better = !passed && through < distance[b];
		same = !passed && through == distance[b];
	} else {
		const double *distance = p->real;
		double through = distance[a] + verify_weight(weight, row);
		better = through < distance[b];
		same = through == distance[b];
	}
	if (better)
		gemp_verify_fault(&p->fault, "has an edge that is a shorter way to", a, b);
	if (same && p->parent && parent_of(p, b) == a)
		gemp_bits64_set_atomic(p->confirmed, b);
}

/* Checks own vertices: each reached vertex except the source has a parent, and the parent is reached. */
static void check_rows(void *context, size_t range, size_t begin, size_t end)
{
	(void)range;
	paths *p = context;
	for (uint64_t v = p->edges->graph->first_vertex + begin; v < p->edges->graph->first_vertex + end; v++) {
		if (v == p->source && !is_zero(p, v))
			gemp_verify_fault(&p->fault, "is the source, but not at 0:", v, v);
		if (p->level && v != p->source && is_zero(p, v))
			gemp_verify_fault(&p->fault, "is at level 0, but not the source, which is", v, p->source);
		if (p->real && !(((const double *)p->real)[v] >= 0))
			gemp_verify_fault(&p->fault, "has a distance that is none, from", v, p->source);
		if (!p->parent)
			continue;
		bool wanted = reached(p, v) && v != p->source, there = parent_of(p, v) != GEMP_NO_VERTEX;
		if (wanted != there)
			gemp_verify_fault(&p->fault,
			                  wanted ? "is reached without a parent from" : "has a parent, but is not reached from", v,
			                  p->source);
		else if (there && (parent_of(p, v) >= p->edges->graph->vertex_count || !reached(p, parent_of(p, v))))
			gemp_verify_fault(&p->fault, "has a parent that is not reached from", v, p->source);
		else if (there && !gemp_bits64_test(p->confirmed, v))
			gemp_verify_fault(&p->fault, "has no edge that ends a path from its parent", v, parent_of(p, v));
	}
}

typedef struct pointer_jump {
	const gemp_vertex *up; /* [vertices] an ancestor of each vertex */
	gemp_vertex *next;     /* [vertices] becomes the ancestor's ancestor */
	atomic_bool moved;
} pointer_jump;

/* Reads up[] and writes next[], so all threads of a step see the ancestors of the previous step. */
static void jump_pointers(void *context, size_t range, size_t begin, size_t end)
{
	(void)range;
	pointer_jump *h = context;
	bool moved = false;
	for (size_t v = begin; v < end; v++) {
		h->next[v] = h->up[h->up[v]];
		moved |= h->next[v] != h->up[v];
	}
	if (moved)
		atomic_store(&h->moved, true);
}

/* Collective. Checks that the parents of all reached vertices lead to the source. Pointer jumping (Wyllie 1979) halves
 * the path to the root in each step. On a cycle the pointers never stop moving, or stop at vertices of the cycle. */
static gemp_code check_tree(paths *p)
{
	uint64_t vertices = p->edges->graph->vertex_count;
	gemp_vertex *up = p->parent;
	GEMP_OWNED gemp_vertex *next = NULL;
	pointer_jump h = { .moved = true };
	GEMP_TRY(gemp_comm_agree(p->edges->comm, GEMP_NEW(next, vertices)));
	for (uint64_t v = 0; v < vertices; v++)
		if (up[v] == GEMP_NO_VERTEX)
			up[v] = (gemp_vertex)v;
	for (uint64_t length = 1; h.moved && length <= 2 * vertices; length *= 2) {
		h.up = up;
		h.next = next;
		h.moved = false;
		gemp_for_ranges(vertices, jump_pointers, &h);
		gemp_vertex *swap = up;
		up = next;
		next = swap;
	}
	for (uint64_t v = 0; v < vertices; v++)
		if (reached(p, v) && up[v] != p->source)
			gemp_verify_fault(&p->fault, "is on or behind a circle of predecessors, which does not come from", v,
			                  p->source);
	p->parent = up;
	return GEMP_OK;
}

/* Collective. Visits all edges, then checks all own vertices. For distances it also checks that predecessors form a
 * tree, because edges of weight 0 may form cycles. */
static gemp_code check_paths(paths *p, gemp_verify_visit *visit)
{
	const gemp_shard *graph = p->edges->graph;
	uint64_t words = graph->vertex_count / 64 + 1;
	GEMP_TRY(gemp_comm_agree(p->edges->comm, GEMP_NEW(p->confirmed, words)));
	GEMP_TRY(gemp_verify_each_edge(p->edges, visit, p));
	gemp_verify_or(p->edges->comm, p->confirmed, words);
	gemp_for_ranges(graph->rows, check_rows, p);
	GEMP_TRY(gemp_verify_agree(p->edges, &p->fault));
	if (!p->parent || p->level)
		return GEMP_OK;
	GEMP_TRY(check_tree(p));
	return gemp_verify_agree(p->edges, &p->fault);
}

static void paths_free(paths *p)
{
	gemp_free_all(p->level, p->distance, p->real, p->parent, p->key_rank, p->confirmed);
}

/* Takes 12 bytes for each vertex: its level, its parent and its key rank. */
gemp_code gemp_verify_bfs(const gemp_verify_edges *edges, gemp_vertex source, const uint32_t *level,
                          const gemp_vertex *parent, bool least)
{
	GEMP_OWNED_BY(paths_free) paths p = { .edges = edges, .source = source };
	GEMP_TRY(gemp_verify_capacity(edges, 12));
	GEMP_TRY(gemp_shard_load_keys(edges->graph));
	GEMP_TRY(gemp_verify_gather(edges, level, sizeof *level, &p.level));
	GEMP_TRY(gemp_verify_gather(edges, parent, sizeof *parent, &p.parent));
	if (least)
		GEMP_TRY(gemp_verify_gather(edges, edges->graph->key_ranks, sizeof *edges->graph->key_ranks, &p.key_rank));
	return check_paths(&p, check_level);
}

/* Takes 16 bytes for each vertex: 8 for its distance, 4 for its predecessor, and 4 for the second array of
 * check_tree. */
gemp_code gemp_verify_sssp(const gemp_verify_edges *edges, gemp_vertex source, const uint64_t *distance,
                           const double *real, const gemp_vertex *predecessor)
{
	GEMP_OWNED_BY(paths_free) paths p = { .edges = edges, .source = source };
	GEMP_TRY(gemp_verify_capacity(edges, 16));
	if (distance)
		GEMP_TRY(gemp_verify_gather(edges, distance, sizeof *distance, &p.distance));
	else
		GEMP_TRY(gemp_verify_gather(edges, real, sizeof *real, &p.real));
	if (predecessor)
		GEMP_TRY(gemp_verify_gather(edges, predecessor, sizeof *predecessor, &p.parent));
	return check_paths(&p, check_distance);
}

/* PAGERANK */

/* For each edge from a to b, sum[b] += weight * from[a], and magnitude[b] += |weight * from[a]|. */
typedef struct sum_task {
	const double *from;
	double *sum, *magnitude; /* [vertices]; magnitude may be NULL */
} sum_task;

static void add_product(void *self, uint64_t a, uint64_t b, const gemp_column *weight, uint64_t row)
{
	const sum_task *s = self;
	double value = verify_weight(weight, row) * s->from[a];
	verify_add(&s->sum[b], value);
	if (s->magnitude)
		verify_add(&s->magnitude[b], fabs(value));
}

/* self[vertices]: the sums of the weights of the edges that leave each vertex. */
static void add_leaving(void *self, uint64_t a, uint64_t b, const gemp_column *weight, uint64_t row)
{
	(void)b;
	verify_add((double *)self + a, verify_weight(weight, row));
}

/* All ranks have the same values and add them in the same order, so the sums of all ranks are equal to the last bit. */
static double sum_of(const double *values, uint64_t count)
{
	double sum = 0;
	for (uint64_t v = 0; v < count; v++)
		sum += values[v];
	return sum;
}

/* Collective. *residual: the sum over all vertices of |rank after one more iteration - rank[v]|. leaving[vertices] and
 * next[vertices] are 0 on entry. */
static gemp_code iterate(const gemp_verify_edges *edges, double damping, const double *jump, const double *rank,
                         double *leaving, double *next, double *residual)
{
	uint64_t vertices = edges->graph->vertex_count;
	double dangling = 0, jumps = jump ? sum_of(jump, vertices) : (double)vertices, *share = leaving;
	GEMP_TRY(gemp_verify_each_edge(edges, add_leaving, leaving));
	gemp_verify_sum(edges->comm, leaving, vertices);
	for (uint64_t v = 0; v < vertices; v++) {
		dangling += leaving[v] > 0 ? 0 : rank[v];
		share[v] = leaving[v] > 0 ? rank[v] / leaving[v] : 0;
	}
	GEMP_TRY(gemp_verify_each_edge(edges, add_product, &(sum_task){ .from = share, .sum = next }));
	gemp_verify_sum(edges->comm, next, vertices);
	*residual = 0;
	for (uint64_t v = 0; v < vertices; v++) {
		double part = jump ? jump[v] / jumps : 1 / jumps;
		*residual += fabs((1 - damping + damping * dangling) * part + damping * next[v] - rank[v]);
	}
	return GEMP_OK;
}

/* Ranks are right if they sum to 1 and one more iteration changes them little. Takes 32 bytes for each vertex: four
 * arrays of doubles. */
gemp_code gemp_verify_pagerank(const gemp_verify_edges *edges, double damping, const double *jump, const double *rank,
                               double allowed, double *residual)
{
	uint64_t vertices = edges->graph->vertex_count;
	GEMP_OWNED void *jumps = NULL, *ranks = NULL;
	GEMP_OWNED double *leaving = NULL, *next = NULL;
	double found = 0;
	GEMP_TRY(gemp_verify_capacity(edges, 32));
	GEMP_TRY(gemp_verify_gather(edges, rank, sizeof *rank, &ranks));
	if (jump)
		GEMP_TRY(gemp_verify_gather(edges, jump, sizeof *jump, &jumps));
	gemp_code code = gemp_new_all(GEMP_ARRAY(leaving, vertices), GEMP_ARRAY(next, vertices));
	GEMP_TRY(gemp_comm_agree(edges->comm, code));
	GEMP_TRY(iterate(edges, damping, jumps, ranks, leaving, next, &found));
	double sum = sum_of(ranks, vertices);
	if (residual)
		*residual = found;
	if (vertices && !(fabs(sum - 1) <= allowed))
		code = gemp_fail(GEMP_EINTERNAL, "--verify: ranks sum to %.17g, not to 1 within %g", sum, allowed);
	else if (!(found <= allowed))
		code = gemp_fail(GEMP_EINTERNAL, "--verify: one more iteration changes ranks by %g, more than %g", found,
		                 allowed);
	return gemp_comm_agree(edges->comm, code);
}

/* PRODUCTS
 *
 * The host repeats all rounds in double. Before each round the values and errors are multiplied by a power of 2, the
 * largest with which no sum can overflow. */

typedef struct product {
	const gemp_verify_edges *edges;
	const gemp_verify_product *claim;
	uint64_t vertices;
	int exponent;      /* all sums of values below 2^exponent are finite */
	int scale;         /* the true vector is x times 2^scale */
	double *x, *error; /* [vertices] the vector after the last round; a bound for the engine's error */
	double *terms;     /* [vertices] the number of terms of each sum */
	/* [vertices] sums over a row in this round: products, their magnitudes, errors of the sources */
	double *sum, *magnitude, *spread;
} product;

static double max_magnitude(const double *values, uint64_t count)
{
	double greatest = 0;
	for (uint64_t v = 0; v < count; v++)
		greatest = fmax(greatest, fabs(values[v]));
	return greatest;
}

/* Sets the first vector, and bounds the error that the engine makes when it rounds the vector to its precision. */
static void first_vector(const product *p, const double *given)
{
	double greatest = given ? max_magnitude(given, p->vertices) : 1;
	double lost = p->claim->underflow * (p->claim->normal ? greatest : 1);
	for (uint64_t v = 0; v < p->vertices; v++) {
		p->x[v] = given ? given[v] : 1;
		p->error[v] = fabs(p->x[v]) * p->claim->epsilon + lost;
	}
}

/* The error of a source's value, multiplied by the weight, is an error of the target's sum. */
static void add_error(void *self, uint64_t a, uint64_t b, const gemp_column *weight, uint64_t row)
{
	const product *p = self;
	verify_add(&p->spread[b], fabs(verify_weight(weight, row)) * p->error[a]);
}

typedef struct term_counts {
	double *terms;
	double greatest; /* the largest magnitude of a weight */
} term_counts;

static void count_terms(void *self, uint64_t a, uint64_t b, const gemp_column *weight, uint64_t row)
{
	term_counts *e = self;
	(void)a;
	verify_add(&e->terms[b], 1);
	verify_max(&e->greatest, fabs(verify_weight(weight, row)));
}

/* Collective. Counts the terms of each sum, and chooses the largest magnitude of values with which even the sums of
 * errors are finite. */
static gemp_code choose_exponent(product *p)
{
	enum { MAX_EXPONENT = DBL_MAX_EXP - 24 }; /* the factors of an error bound are less than 2^24 */
	term_counts e = { p->terms, 0 };
	GEMP_TRY(gemp_verify_each_edge(p->edges, count_terms, &e));
	gemp_verify_sum(p->edges->comm, p->terms, p->vertices);
	GEMP_MPI(MPI_Allreduce(MPI_IN_PLACE, &e.greatest, 1, MPI_DOUBLE, MPI_MAX, p->edges->comm->world));
	double max_terms = max_magnitude(p->terms, p->vertices);
	int sums = (e.greatest > 0 ? ilogb(e.greatest) + 1 : 0) + (max_terms > 0 ? ilogb(max_terms) + 1 : 0);
	p->exponent = sums > 0 ? MAX_EXPONENT - sums : MAX_EXPONENT;
	return GEMP_OK;
}

/* Multiplies values and errors by a power of 2 that brings the largest of them just below 2^exponent. */
static void rescale(product *p)
{
	double greatest = fmax(max_magnitude(p->x, p->vertices), max_magnitude(p->error, p->vertices));
	if (!(greatest > 0 && isfinite(greatest)))
		return;
	int by = p->exponent - 1 - ilogb(greatest);
	for (uint64_t v = 0; v < p->vertices; v++) {
		p->x[v] = ldexp(p->x[v], by);
		p->error[v] = ldexp(p->error[v], by);
	}
	p->scale -= by;
}

/* Divides x by its largest magnitude. The error of this magnitude becomes an error of all values. */
static void divide(product *p)
{
	double greatest = max_magnitude(p->x, p->vertices), wrong = max_magnitude(p->error, p->vertices);
	if (!(greatest > 0))
		return;
	for (uint64_t v = 0; v < p->vertices; v++) {
		p->x[v] /= greatest;
		p->error[v] = p->error[v] / greatest + fabs(p->x[v]) * (wrong / greatest + 4 * p->claim->epsilon) +
		              (p->terms[v] + 1) * p->claim->underflow;
	}
	p->scale = 0;
}

/* Collective. A sum of n products, each of which is rounded, is off by at most n + 1 roundings of the sum of
 * magnitudes. */
static gemp_code multiply(product *p)
{
	double *const arrays[] = { p->sum, p->magnitude, p->spread };
	rescale(p);
	for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
		memset(arrays[i], 0, p->vertices * sizeof(double));
	GEMP_TRY(gemp_verify_each_edge(p->edges, add_product, &(sum_task){ p->x, p->sum, p->magnitude }));
	GEMP_TRY(gemp_verify_each_edge(p->edges, add_error, p));
	for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
		gemp_verify_sum(p->edges->comm, arrays[i], p->vertices);
	double lost = ldexp(p->claim->normal ? 0 : p->claim->underflow, -p->scale);
	for (uint64_t v = 0; v < p->vertices; v++) {
		double rounding = (p->terms[v] + 3) * 2 * p->claim->epsilon * (p->magnitude[v] + p->spread[v]);
		p->x[v] = p->sum[v];
		p->error[v] = p->spread[v] + rounding + (p->terms[v] + 1) * (lost + DBL_TRUE_MIN);
	}
	if (p->claim->normal)
		divide(p);
	return GEMP_OK;
}

/* The fraction of the allowed error that a value uses. It is at most 1 if the value is right, and infinite if it is
 * wrong or not finite. */
static double error_share(double expected, double error, double got)
{
	double off = got == expected ? 0 : fabs(got - expected);
	if (!isfinite(expected) || !(off <= error))
		return INFINITY;
	return off > 0 ? off / error : 0;
}

/* Collective. *worst: the largest fraction of the allowed error that a value of any rank uses. */
static gemp_code compare(product *p, double *worst)
{
	verify_fault fault = { 0 };
	const gemp_shard *graph = p->edges->graph;
	double greatest = 0;
	for (size_t row = 0; row < graph->rows; row++) {
		uint64_t v = graph->first_vertex + row;
		double part = error_share(p->x[v], p->error[v], ldexp(p->claim->y[row], -p->scale));
		if (!(part <= 1))
			gemp_verify_fault(&fault, "has a sum that rounding does not explain, computed for", v, v);
		greatest = part > greatest ? part : greatest;
	}
	GEMP_MPI(MPI_Allreduce(MPI_IN_PLACE, &greatest, 1, MPI_DOUBLE, MPI_MAX, p->edges->comm->world));
	if (worst)
		*worst = greatest;
	return gemp_verify_agree(p->edges, &fault);
}

static void product_free(product *p)
{
	gemp_free_all(p->x, p->error, p->terms, p->sum, p->magnitude, p->spread);
}

/* Repeats all rounds in double, and carries a bound of the engine's rounding errors from round to round (Higham
 * 2002). */
gemp_code gemp_verify_spmv(const gemp_verify_edges *edges, const gemp_verify_product *claim, double *worst)
{
	uint64_t vertices = edges->graph->vertex_count;
	GEMP_OWNED_BY(product_free) product p = { .edges = edges, .claim = claim, .vertices = vertices };
	GEMP_OWNED void *given = NULL;
	GEMP_TRY(gemp_verify_capacity(edges, 56));
	GEMP_TRY(gemp_shard_load_keys(edges->graph));
	if (claim->x)
		GEMP_TRY(gemp_verify_gather(edges, claim->x, sizeof *claim->x, &given));
	GEMP_TRY(
		gemp_comm_agree(edges->comm, gemp_new_all(GEMP_ARRAY(p.x, vertices), GEMP_ARRAY(p.error, vertices),
	                                              GEMP_ARRAY(p.terms, vertices), GEMP_ARRAY(p.sum, vertices),
	                                              GEMP_ARRAY(p.magnitude, vertices), GEMP_ARRAY(p.spread, vertices))));
	first_vector(&p, given);
	if (claim->rounds)
		GEMP_TRY(choose_exponent(&p));
	for (uint32_t round = 0; round < claim->rounds; round++)
		GEMP_TRY(multiply(&p));
	return compare(&p, worst);
}
