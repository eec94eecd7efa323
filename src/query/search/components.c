/* The first half finds the variants of a pattern. It enumerates the assignments of lengths to the pattern's paths,
 * takes one assignment of each class under the pattern's automorphisms, and splits the variant into its components. The
 * second half combines the matches of components, as a nested-loop join without a condition whose inner inputs are in
 * memory. */

#include "query/search/components.h"

#include "core/memory.h"
#include "match/match.h"
#include "pattern/symmetry/automorphism.h"

#include <string.h>

enum { MAX_VARIANTS = 256 };

/* The variants found so far, with the pattern and the options that decide which variants are searched for. */
typedef struct variant_search {
	const gemp_pattern *pattern;
	const gemp_finder_options *options;
	size_t count;
	gemp_variant *variants; /* [MAX_VARIANTS] */
} variant_search;

/* Symmetries matter only if one match stands for its orbit. A search that the caller runs may use the symmetries of the
 * variant whatever it counts. They are those of the whole pattern, which the conditions that are left to candidates
 * restrict. */
static bool needs_symmetry(const variant_search *f)
{
	return f->options->parts || f->options->match.distinct == GEMP_BY_ORBIT;
}

static bool by_orbit(const variant_search *f)
{
	return f->options->match.distinct == GEMP_BY_ORBIT;
}

/* A condition between components is tested on combined rows. `touched` is the set of components that the condition
 * reads. */
static gemp_code find_join_conditions(gemp_variant *v, const int *part)
{
	const gemp_pattern *pattern = v->derived.pattern;
	GEMP_TRY(GEMP_NEW(v->join_conditions, pattern->condition_count));
	for (size_t i = 0; i < pattern->condition_count; i++) {
		const gemp_condition *condition = &pattern->conditions[i];
		uint64_t touched = 0;
		for (uint64_t left = condition->vertices; left; left &= left - 1)
			touched |= UINT64_C(1) << part[__builtin_ctzll(left)];
		for (uint64_t left = condition->edges; left; left &= left - 1)
			touched |= UINT64_C(1) << part[pattern->edges[__builtin_ctzll(left)].from];
		if (touched & (touched - 1))
			v->join_conditions[v->join_condition_count++] = condition;
	}
	return GEMP_OK;
}

/* A pattern with arguments counts as one component, because its arguments join its parts; if they do not, the planner
 * refuses the pattern. Edges are points of the stabilizer chain only if rows have edge columns. */
static gemp_code find_components(variant_search *f, gemp_variant *v, const int *part)
{
	if (v->component_count == 1)
		return GEMP_OK;
	for (size_t i = 0; i < v->component_count; i++)
		GEMP_TRY(gemp_pattern_component(&v->components[i], v->derived.pattern, part, (int)i));
	GEMP_TRY(find_join_conditions(v, part));
	if (!by_orbit(f))
		return GEMP_OK;
	size_t points = v->derived.pattern->vertex_count + (v->edges ? v->derived.pattern->edge_count : 0);
	return gemp_stab_chain_new(&v->chain, v->symmetry, NULL, points);
}

/* Rows need edge columns if the caller wants edges. Rows of components also need them if a condition between components
 * may read an edge, if matches must not repeat an edge of a path, and under edge-iso: the search of a single component
 * does all this by itself. */
static bool needs_edges(const variant_search *f, const gemp_variant *v, bool single)
{
	bool paths = gemp_pattern_has_paths(f->pattern), conditions = false;
	const gemp_pattern *pattern = v->derived.pattern;
	for (size_t i = 0; i < pattern->condition_count; i++)
		conditions = conditions || pattern->conditions[i].edges;
	return f->options->edges || (!single && (conditions || (paths && f->options->match.semantics != GEMP_HOM) ||
	                                         f->options->match.semantics == GEMP_EDGE_ISO));
}

/* *is_needed becomes false if no match can have paths of these lengths. */
static gemp_code derive_variant(variant_search *f, gemp_variant *v, const uint32_t *length, bool *is_needed)
{
	bool impossible;
	int part[GEMP_MAX_PATTERN_VERTICES];
	*v = (gemp_variant){ 0 };
	*is_needed = false;
	GEMP_TRY(gemp_pattern_variant(&v->derived, f->pattern, length, f->options->match.semantics, &impossible));
	if (impossible)
		return GEMP_OK;
	*is_needed = true;
	v->component_count = f->pattern->arguments ? 1 : (size_t)gemp_pattern_components(v->derived.pattern, part);
	v->edges = needs_edges(f, v, v->component_count == 1);
	if (needs_symmetry(f))
		GEMP_TRY(gemp_variant_symmetry(&v->symmetry, f->pattern, length, &v->derived));
	return find_components(f, v, part);
}

/* Steps to the next assignment of lengths like an odometer; the length of the last edge changes fastest. Returns false
 * after the last assignment. */
static bool next_lengths(const gemp_pattern *pattern, uint32_t *length)
{
	for (size_t e = pattern->edge_count; e-- > 0;) {
		if (length[e] < pattern->edges[e].max_hops) {
			length[e]++;
			return true;
		}
		length[e] = pattern->edges[e].min_hops;
	}
	return false;
}

/* components[] and their derived patterns exist only in variants of several components. The single match of another
 * variant searches the derived pattern itself. */
static void free_variant(gemp_variant *v)
{
	for (size_t i = 0; i < v->component_count; i++)
		gemp_match_free(v->matches[i]);
	for (size_t i = 0; v->component_count > 1 && i < v->component_count; i++)
		gemp_derived_free(&v->components[i]);
	gemp_stab_chain_free(v->chain);
	gemp_symmetry_free(v->symmetry);
	gemp_free(v->join_conditions);
	gemp_derived_free(&v->derived);
}

/* Variants that differ only by an automorphism find the same matches, so only the canonical variant is added. */
static gemp_code add_variant(variant_search *f, const gemp_symmetry *symmetry, const uint32_t *length)
{
	bool is_needed = true;
	if (symmetry)
		GEMP_TRY(gemp_variant_is_canonical(symmetry, f->pattern, length, &is_needed));
	if (!is_needed)
		return GEMP_OK;
	if (f->count == MAX_VARIANTS)
		return gemp_fail(GEMP_EUSAGE,
		                 "the paths of variable length can have their lengths in more than %d ways; give "
		                 "narrower bounds",
		                 MAX_VARIANTS);
	gemp_variant *v = &f->variants[f->count];
	gemp_code code = derive_variant(f, v, length, &is_needed);
	if (code != GEMP_OK || !is_needed)
		free_variant(v);
	else
		f->count++;
	return code;
}

/* Frees the variants after a failure. After a success the caller owns the variants. */
static void free_search(variant_search *f)
{
	gemp_variants_free(f->variants, f->count);
}

/* Lengths are enumerated upwards from their lower bounds, and equivalent assignments are skipped. */
gemp_code gemp_variants_find(gemp_variant **out, size_t *count, const gemp_pattern *pattern,
                             const gemp_finder_options *options)
{
	GEMP_OWNED_BY(free_search) variant_search f = { .pattern = pattern, .options = options };
	GEMP_OWNED_BY(gemp_symmetry_free_at) gemp_symmetry *symmetry = NULL;
	uint32_t length[GEMP_MAX_PATTERN_EDGES];
	GEMP_TRY(GEMP_NEW(f.variants, MAX_VARIANTS));
	if (by_orbit(&f))
		GEMP_TRY(gemp_automorphism_find(&symmetry, pattern, true));
	for (size_t e = 0; e < pattern->edge_count; e++)
		length[e] = pattern->edges[e].min_hops;
	do
		GEMP_TRY(add_variant(&f, symmetry, length));
	while (next_lengths(pattern, length));
	*out = f.variants;
	*count = f.count;
	f.variants = NULL;
	return GEMP_OK;
}

void gemp_variants_free(gemp_variant *variants, size_t count)
{
	for (size_t i = 0; variants && i < count; i++)
		free_variant(&variants[i]);
	gemp_free(variants);
}

enum { ROWS_AT_ONCE = 8192 };

/* GATHERING */

/* Collective. All ranks compute the same sum and therefore return the same code. */
static gemp_code check_capacity(const gemp_product *p, size_t part, gemp_runtime *context, uint64_t bytes,
                                size_t max_bytes)
{
	bytes = gemp_comm_sum1(context->comm, bytes);
	if (bytes <= max_bytes)
		return GEMP_OK;
	const gemp_pattern *pattern = p->inputs[part].component->pattern;
	const char *name = pattern->vertices[0].name;
	return gemp_fail(GEMP_ENOMEM,
	                 "the part of the pattern with %s%s has matches of %llu bytes, and every rank needs all of them "
	                 "to combine them with the other parts; narrow it, or give more host-memory",
	                 name ? "" : "an unnamed vertex", name ? name : "", (unsigned long long)bytes);
}

/* Every rank needs all rows of the component, because a rank combines its own streaming rows with all gathered rows. */
gemp_code gemp_product_gather(gemp_product *p, size_t part, gemp_runtime *context, const gemp_row_store *rows,
                              size_t max_bytes)
{
	gemp_product_input *to = &p->inputs[part];
	size_t width = to->component->pattern->vertex_count, edges = to->component->pattern->edge_count;
	GEMP_OWNED size_t *begin = NULL, *edge_begin = NULL;
	size_t bytes = rows->rows * width * sizeof(gemp_vertex);
	size_t edge_bytes = p->edges ? rows->rows * edges * sizeof(gemp_edge) : 0;
	void *all = NULL;
	GEMP_TRY(check_capacity(p, part, context, bytes + edge_bytes, max_bytes));
	GEMP_TRY(gemp_comm_allgather(context->comm, GEMP_OK, rows->vertices, bytes, &all, &begin));
	to->vertices = all;
	to->rows = begin[context->comm->size] / (width * sizeof(gemp_vertex));
	if (p->edges && edges) {
		GEMP_TRY(gemp_comm_allgather(context->comm, GEMP_OK, rows->edges, edge_bytes, &all, &edge_begin));
		to->edges = all;
	}
	return GEMP_OK;
}

/* Frees the gathered rows. The variant owns the components. */
void gemp_product_free(gemp_product *p)
{
	for (size_t i = 0; i < p->input_count; i++)
		gemp_free_all(p->inputs[i].vertices, p->inputs[i].edges);
	gemp_row_store_free(&p->out);
	*p = (gemp_product){ 0 };
}

/* COMBINING. A combination is a row of the whole pattern, whose elements are filled in component by component. */
typedef struct combination {
	gemp_product *product;
	gemp_vertex vertices[GEMP_MAX_PATTERN_VERTICES];
	gemp_edge edges[GEMP_MAX_PATTERN_EDGES];
	uint64_t placed, edges_placed; /* bit sets of the pattern's vertices and edges that have an image already */
} combination;

/* Two vertices may have the same image under hom and edge-iso. A repeatable vertex may share its image under any
 * semantics. */
static bool must_differ(const gemp_product *p, size_t v)
{
	return (p->semantics == GEMP_ISO || p->semantics == GEMP_INDUCED) && !p->pattern->vertices[v].repeatable;
}

/* True if a vertex placed before has the same image although the two images must differ. */
static bool vertex_in_use(const combination *c, size_t v)
{
	for (uint64_t left = must_differ(c->product, v) ? c->placed : 0; left; left &= left - 1) {
		size_t w = (size_t)__builtin_ctzll(left);
		if (must_differ(c->product, w) && c->vertices[w] == c->vertices[v])
			return true;
	}
	return false;
}

/* Two edges of one MATCH have different images, except under hom. */
static bool edge_in_use(const combination *c, size_t e)
{
	const gemp_pattern_edge *edges = c->product->pattern->edges;
	for (uint64_t left = c->product->semantics == GEMP_HOM ? 0 : c->edges_placed; left; left &= left - 1) {
		const size_t f = (size_t)__builtin_ctzll(left);
		if (edges[f].match == edges[e].match && c->edges[f] == c->edges[e])
			return true;
	}
	return false;
}

/* Copies one row of a component into the combination. Returns false if an element that must differ is in use
 * already. */
static bool add_input_row(combination *c, const gemp_product_input *part, const gemp_vertex *vertices,
                          const gemp_edge *edges)
{
	const gemp_pattern *whole = c->product->pattern;
	uint64_t placed = c->placed, edges_placed = c->edges_placed;
	for (size_t v = 0; v < whole->vertex_count; v++) {
		if (part->component->vertex[v] < 0)
			continue;
		c->vertices[v] = vertices[part->component->vertex[v]];
		if (vertex_in_use(c, v))
			return false;
		placed |= UINT64_C(1) << v;
	}
	for (size_t e = 0; c->product->edges && e < whole->edge_count; e++) {
		if (part->component->edge[e] < 0)
			continue;
		c->edges[e] = edges[part->component->edge[e]];
		if (edge_in_use(c, e))
			return false;
		edges_placed |= UINT64_C(1) << e;
	}
	c->placed = placed;
	c->edges_placed = edges_placed;
	return true;
}

/* Each orbit of combinations has exactly one canonical combination, which is its smallest tuple. */
static bool is_canonical(const combination *c)
{
	const gemp_product *p = c->product;
	uint64_t tuple[GEMP_MAX_POINTS], smallest[GEMP_MAX_POINTS];
	size_t points = 0;
	if (!p->chain)
		return true;
	for (size_t v = 0; v < p->pattern->vertex_count; v++)
		tuple[points++] = c->vertices[v];
	for (size_t e = 0; p->edges && e < p->pattern->edge_count; e++)
		tuple[points++] = c->edges[e];
	memcpy(smallest, tuple, points * sizeof *smallest);
	gemp_stab_chain_canonical(p->chain, smallest);
	return memcmp(smallest, tuple, points * sizeof *smallest) == 0;
}

/* Combinations are collected before they are pushed, because the next sink works on batches. */
static gemp_code emit_combination(const combination *c)
{
	gemp_product *p = c->product;
	if (!is_canonical(c))
		return GEMP_OK;
	const gemp_batch row = { .rows = 1,
		                     .vertex_count = (int)p->pattern->vertex_count,
		                     .edge_count = p->edges ? (int)p->pattern->edge_count : 0,
		                     .vertices = c->vertices,
		                     .edges = c->edges };
	GEMP_TRY(gemp_row_store_add(&p->out, &row, 1));
	if (p->out.rows >= ROWS_AT_ONCE)
		GEMP_TRY(gemp_row_store_pass(&p->out, p->next));
	return GEMP_OK;
}

/* Backtracking over the components from index `part` on. The row of the streaming component is in the combination
 * already. */
static gemp_code combine(combination *c, size_t part)
{
	gemp_product *p = c->product;
	if (part == p->streaming)
		return combine(c, part + 1);
	if (part == p->input_count)
		return emit_combination(c);
	const gemp_product_input *from = &p->inputs[part];
	size_t vertices = from->component->pattern->vertex_count, edges = from->component->pattern->edge_count;
	uint64_t placed = c->placed, edges_placed = c->edges_placed;
	for (size_t row = 0; row < from->rows; row++) {
		if (add_input_row(c, from, from->vertices + row * vertices, from->edges ? from->edges + row * edges : NULL))
			GEMP_TRY(combine(c, part + 1));
		c->placed = placed;
		c->edges_placed = edges_placed;
	}
	return GEMP_OK;
}

/* Local. Combines each streaming row with all gathered rows. */
static gemp_code product_consume(void *self, const gemp_batch *batch)
{
	gemp_product *p = self;
	const gemp_product_input *part = &p->inputs[p->streaming];
	for (size_t row = 0; row < batch->rows; row++) {
		combination c = { .product = p };
		const gemp_edge *edges = batch->edge_count ? batch->edges + row * (size_t)batch->edge_count : NULL;
		if (add_input_row(&c, part, batch->vertices + row * (size_t)batch->vertex_count, edges))
			GEMP_TRY(combine(&c, 0));
	}
	return gemp_row_store_pass(&p->out, p->next);
}

/* The rows were passed on during the round, so the product has no rows left at its end. */
static gemp_code product_end_round(void *self, bool last, bool *enough, bool *again)
{
	gemp_product *p = self;
	return p->next->end_round(p->next->self, last, enough, again);
}

/* The caller owns the product, so the sink has nothing to free. */
gemp_sink gemp_product_sink(gemp_product *product)
{
	return (gemp_sink){ .self = product, .consume = product_consume, .end_round = product_end_round };
}
