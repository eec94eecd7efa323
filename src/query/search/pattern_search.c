/* The implementation of finder.h. The file is not named finder.c because apply.c includes finder.h and this file
 * includes apply.h, which would be a circle between modules. A finder runs its variants one after the other. A variant
 * with several components is a product: all components but the largest are gathered on every rank, and the rows of the
 * largest component stream through. */

#include "query/search/finder.h"

#include "core/log.h"
#include "core/memory.h"
#include "core/text.h"
#include "match/filter/computed_columns.h"
#include "match/filter/residual.h"
#include "match/match.h"
#include "query/search/apply.h"
#include "query/search/components.h"

#include <string.h>

/* A pattern with its variants. Each variant is one search, or the product of several searches. */
struct gemp_finder {
	gemp_runtime *context;
	gemp_shard *graph;
	const gemp_pattern *pattern;
	gemp_finder_options options;
	size_t variant_count;
	gemp_variant *variants;
	gemp_apply *apply; /* NULL if no condition needs a search */
	bool parts;        /* the caller runs the variants */
};

/* Induced matching is defined for the vertices of one pattern only, so a sub-pattern is matched under iso instead. */
gemp_finder_options gemp_finder_inner(const gemp_finder_options *options)
{
	gemp_finder_options inner = *options;
	inner.values = inner.parts = false;
	inner.match.groups = (gemp_group_request){ 0 };
	inner.match.distinct = GEMP_BY_NOTHING;
	inner.match.among_count = 0;
	if (inner.match.semantics == GEMP_INDUCED)
		inner.match.semantics = GEMP_ISO;
	return inner;
}

/* Adds candidates of a vertex of the whole pattern, if the vertex belongs to the component. */
static void add_candidates(const gemp_variant *v, size_t part, int vertex, const uint32_t *bits,
                           gemp_match_options *options)
{
	int own = v->derived.vertex[vertex];
	if (v->component_count > 1)
		own = v->components[part].vertex[own];
	if (bits && own >= 0)
		options->among[options->among_count++] = (gemp_among){ .vertex = own, .bits = bits };
}

/* The candidates are those of the caller's options and those that the tables of sub-patterns leave. */
static void add_among(const gemp_finder *f, const gemp_variant *v, size_t part, gemp_match_options *options)
{
	const gemp_match_options *all = &f->options.match;
	options->among_count = 0;
	for (size_t i = 0; i < all->among_count; i++)
		add_candidates(v, part, all->among[i].vertex, all->among[i].bits, options);
	for (size_t u = 0; u < f->pattern->vertex_count && f->apply; u++)
		add_candidates(v, part, (int)u, gemp_apply_candidates(f->apply, u), options);
}

/* The components of a variant with several components are enumerated without symmetry, because the canonical
 * combination is selected after the components are joined. */
static gemp_match_options match_options(const gemp_finder *f, const gemp_variant *v, size_t part)
{
	gemp_match_options options = f->options.match;
	options.listed = true;
	options.limit = UINT64_MAX;
	options.symmetry = options.distinct == GEMP_BY_ORBIT ? v->symmetry : NULL;
	if (v->component_count > 1) {
		options.distinct = GEMP_BY_NOTHING;
		options.symmetry = NULL;
	}
	options.edges = v->edges;
	options.wanted_edges = 0;
	add_among(f, v, part, &options);
	return options;
}

/* True if the caller can run the variants as they are. Duplicates by image are removed by the whole pattern, and a
 * variant of paths has rows of its own. */
static bool has_parts(const gemp_finder *f)
{
	const gemp_match_options *match = &f->options.match;
	bool parts = f->options.parts && f->variant_count && !f->pattern->arguments &&
	             !(f->apply && gemp_apply_has_sink(f->apply));
	for (size_t i = 0; i < f->variant_count; i++)
		parts = parts && f->variants[i].component_count == 1;
	if (match->listed)
		return parts && !gemp_pattern_has_paths(f->pattern) &&
		       (match->distinct == GEMP_BY_NOTHING || match->distinct == GEMP_BY_ORBIT);
	return parts && match->distinct == GEMP_BY_NOTHING;
}

size_t gemp_finder_parts(const gemp_finder *f)
{
	return f->parts ? f->variant_count : 0;
}

/* Formulas know no vertices that may be equal although others differ. */
const gemp_pattern *gemp_finder_part(const gemp_finder *f, size_t index, gemp_match_options *options)
{
	const gemp_variant *v = &f->variants[index];
	const gemp_pattern *pattern = v->derived.pattern;
	const bool free_vertices = f->options.match.semantics == GEMP_EDGE_ISO || f->options.match.semantics == GEMP_HOM;
	*options = f->options.match;
	options->symmetry = v->symmetry;
	options->edges = v->edges;
	add_among(f, v, 0, options);
	for (size_t u = 0; u < pattern->vertex_count && !free_vertices; u++)
		if (pattern->vertices[u].repeatable)
			options->count_by_formula = false;
	return pattern;
}

/* A cross product is legal but rarely intended, so it gives a warning. */
static void warn_of_components(const gemp_finder *f)
{
	GEMP_OWNED_BY(gemp_text_free) gemp_text text = { 0 };
	int part[GEMP_MAX_PATTERN_VERTICES], parts = gemp_pattern_components(f->pattern, part);
	if (parts == 1 || f->pattern->arguments || f->context->comm->rank != 0)
		return;
	gemp_pattern_print_components(f->pattern, part, parts, &text);
	gemp_text_print(&text,
	                "; every combination of their matches is a match: join them by an edge if that is not meant");
	if (gemp_text_status(&text) == GEMP_OK)
		gemp_warn("%s", text.data);
}

/* Collective. Prepares one search for each component of each variant. */
static gemp_code prepare_matches(gemp_finder *f)
{
	for (size_t i = 0; i < f->variant_count; i++) {
		gemp_variant *v = &f->variants[i];
		for (size_t p = 0; p < v->component_count; p++) {
			const gemp_match_options options = match_options(f, v, p);
			const gemp_pattern *pattern = v->component_count > 1 ? v->components[p].pattern : v->derived.pattern;
			GEMP_TRY(gemp_match_prepare(&v->matches[p], f->context, f->graph, pattern, &options));
		}
	}
	return GEMP_OK;
}

/* A condition that needs a search is tested on rows and may read an edge column. */
bool gemp_finder_needs_edges(const gemp_pattern *pattern)
{
	for (size_t i = 0; i < pattern->condition_count; i++)
		if (pattern->conditions[i].edges && gemp_pattern_needs_search(pattern, pattern->conditions[i].expr))
			return true;
	return false;
}

/* Finding variants needs no communication. The ranks agree on its status once, before they prepare searches. Tables of
 * sub-patterns come first, since they narrow the candidates. */
gemp_code gemp_finder_new(gemp_finder **out, gemp_runtime *context, gemp_shard *graph, const gemp_pattern *pattern,
                          const gemp_finder_options *options)
{
	GEMP_OWNED_BY(gemp_finder_free_at) gemp_finder *f = NULL;
	gemp_code code = GEMP_NEW(f, 1);
	if (code == GEMP_OK) {
		*f = (gemp_finder){ .context = context, .graph = graph, .pattern = pattern, .options = *options };
		f->options.edges = options->edges || gemp_finder_needs_edges(pattern);
		code = gemp_variants_find(&f->variants, &f->variant_count, pattern, &f->options);
	}
	GEMP_TRY(gemp_comm_agree(context->comm, code));
	warn_of_components(f);
	unsigned purposes = GEMP_APPLY_CONDITIONS | (options->values ? GEMP_APPLY_CLAUSES : 0);
	if (gemp_apply_needed(pattern, purposes))
		GEMP_TRY(gemp_apply_new(&f->apply, context, graph, pattern, options, purposes));
	f->parts = has_parts(f);
	if (!f->parts) {
		f->options.match.groups = (gemp_group_request){ 0 }; /* its vertices are those of the whole query */
		GEMP_TRY(prepare_matches(f));
	}
	*out = f;
	f = NULL;
	return GEMP_OK;
}

/* The finder may be NULL or only partly made. */
void gemp_finder_free(gemp_finder *f)
{
	if (!f)
		return;
	gemp_apply_free(f->apply);
	gemp_variants_free(f->variants, f->variant_count);
	gemp_free(f);
}

/* Appends the plans of all searches, indented below the operator that runs the searches. */
void gemp_finder_explain(const gemp_finder *f, int depth, gemp_text *out)
{
	for (size_t i = 0; i < f->variant_count && !f->parts; i++)
		for (size_t p = 0; p < f->variants[i].component_count; p++) {
			GEMP_OWNED char *plan = gemp_match_explain(f->variants[i].matches[p]);
			for (char *line = plan, *end; line && *line; line = end) {
				end = strchr(line, '\n');
				end = end ? end + 1 : line + strlen(line);
				gemp_text_print(out, "%*s%.*s", 2 * depth, "", (int)(end - line), line);
			}
		}
	if (f->apply)
		gemp_apply_explain(f->apply, depth, out);
}

/* RUNNING. A relay passes the rows of the variants to the caller's sink. */
typedef struct variant_relay {
	const gemp_finder *finder;
	const gemp_variant *variant;
	bool final; /* true for the last variant */
	bool enough, again;
	gemp_row_store out;
	gemp_sink *next;
} variant_relay;

/* True if the rows of a variant are rows of the pattern: the variant has no paths. */
static bool has_rows_of_pattern(const gemp_finder *f, const gemp_derived *d, const gemp_batch *batch)
{
	bool same = (size_t)batch->vertex_count == f->pattern->vertex_count &&
	            (!f->options.edges || (size_t)batch->edge_count == f->pattern->edge_count);
	for (size_t v = 0; v < f->pattern->vertex_count && same; v++)
		same = d->vertex[v] == (int)v;
	for (size_t e = 0; e < f->pattern->edge_count && same && f->options.edges; e++)
		same = d->edge[e] == (int)e && !f->pattern->edges[e].path;
	return same;
}

/* Turns rows of a variant into rows of the pattern. The inner vertices of paths are dropped, and a path has
 * GEMP_NO_EDGE. */
static gemp_code relay_consume(void *self, const gemp_batch *batch)
{
	variant_relay *r = self;
	const gemp_derived *d = &r->variant->derived;
	const gemp_pattern *pattern = r->finder->pattern;
	const size_t width = pattern->vertex_count, edges = r->finder->options.edges ? pattern->edge_count : 0;
	gemp_row_store *out = &r->out;
	if (has_rows_of_pattern(r->finder, d, batch)) {
		gemp_batch same = *batch;
		same.edge_count = (int)edges;
		same.edges = edges ? batch->edges : NULL;
		return r->next->consume(r->next->self, &same);
	}
	GEMP_TRY(GEMP_RESERVE(out->vertices, out->vertex_capacity, batch->rows * width));
	GEMP_TRY(GEMP_RESERVE(out->edges, out->edge_capacity, batch->rows * edges));
	for (size_t row = 0; row < batch->rows; row++) {
		const gemp_vertex *from = batch->vertices + row * (size_t)batch->vertex_count;
		for (size_t v = 0; v < width; v++)
			out->vertices[row * width + v] = from[d->vertex[v]];
		for (size_t e = 0; e < edges; e++)
			out->edges[row * edges + e] = pattern->edges[e].path
			                                  ? GEMP_NO_EDGE
			                                  : batch->edges[row * (size_t)batch->edge_count + (size_t)d->edge[e]];
	}
	out->vertex_count = (int)width;
	out->edge_count = (int)edges;
	out->rows = batch->rows;
	return gemp_row_store_pass(out, r->next);
}

/* The next sink sees a last round only once: the last round of the last variant. */
static gemp_code relay_end_round(void *self, bool last, bool *enough, bool *again)
{
	variant_relay *r = self;
	(void)again;
	gemp_code code = r->next->end_round(r->next->self, last && r->final, &r->enough, &r->again);
	*enough |= r->enough;
	return code;
}

static void add_residual(gemp_residual_figures *total, const gemp_residual_figures *one)
{
	total->tested += one->tested;
	total->kept += one->kept;
	total->copied += one->copied;
	total->copied_bytes += one->copied_bytes;
	total->referred += one->referred;
	total->host_bytes = gemp_max(total->host_bytes, one->host_bytes);
	total->device_bytes = gemp_max(total->device_bytes, one->device_bytes);
}

void gemp_finder_add_result(gemp_match_result *total, const gemp_match_result *one)
{
	if (!total)
		return;
	total->matches += one->matches;
	total->launches += one->launches;
	total->stages_launched += one->stages_launched;
	total->pivots += one->pivots;
	total->rounds += one->rounds;
	total->values_copied += one->values_copied;
	add_residual(&total->residual, &one->residual);
	total->values_referred += one->values_referred;
	total->traffic = one->traffic; /* the traffic counter of the context includes all earlier searches */
	total->local_share = one->local_share;
	total->exchange = one->exchange > total->exchange ? one->exchange : total->exchange;
	total->pull_rounds += one->pull_rounds;
	total->oversized_pivots += one->oversized_pivots;
	total->rows_read += one->rows_read;
	total->rows_fetched += one->rows_fetched;
	total->row_bytes += one->row_bytes;
	total->row_words_bytes += one->row_words_bytes;
	total->result_fill_percent = one->result_fill_percent;
	total->distinct_passes += one->distinct_passes;
	total->left_out += one->left_out;
	total->checked_pivots += one->checked_pivots;
	total->checked_matches += one->checked_matches;
	total->complete = total->complete && one->complete;
	total->on_host = total->on_host && one->on_host;
	total->kernel_imbalance = one->kernel_imbalance;
	total->match_imbalance = one->match_imbalance;
	memcpy(total->part_share, one->part_share, sizeof total->part_share);
	total->host_peak = gemp_max(total->host_peak, one->host_peak);
	total->device_peak = gemp_max(total->device_peak, one->device_peak);
	total->graph_bytes += one->graph_bytes;
	total->result_bytes += one->result_bytes;
	total->attribute_bytes += one->attribute_bytes;
}

/* Gathered rows may take half of the memory budget, or 1 GiB without a budget. */
static size_t gather_limit(const gemp_finder *f)
{
	size_t budget = f->context->budgets.host_memory;
	return budget ? budget / 2 : (size_t)1 << 30;
}

/* Collective. Searches for all components but the streaming one and gathers their rows on every rank. */
static gemp_code gather_components(const gemp_finder *f, const gemp_variant *v, gemp_product *product,
                                   gemp_match_result *total)
{
	GEMP_OWNED_BY(gemp_row_store_free) gemp_row_store rows = { 0 };
	gemp_match_result one = { 0 };
	for (size_t p = 0; p < v->component_count; p++) {
		gemp_sink sink = gemp_row_store_sink(&rows);
		if (p == product->streaming)
			continue;
		GEMP_TRY(gemp_match_run(v->matches[p], &sink, &one));
		gemp_finder_add_result(total, &one);
		GEMP_TRY(gemp_product_gather(product, p, f->context, &rows, gather_limit(f)));
		gemp_row_store_free(&rows);
	}
	return GEMP_OK;
}

/* The component with the largest estimated number of matches streams, because the rows of the other components must fit
 * into memory. */
static size_t largest_component(const gemp_variant *v)
{
	size_t largest = 0;
	for (size_t p = 1; p < v->component_count; p++)
		if (gemp_match_estimate(v->matches[p]) > gemp_match_estimate(v->matches[largest]))
			largest = p;
	return largest;
}

gemp_code gemp_finder_check_combinations(double all, uint64_t combinations)
{
	uint64_t max_combinations = combinations ? combinations : GEMP_MAX_COMBINATIONS;
	if (all <= (double)max_combinations)
		return GEMP_OK;
	return gemp_fail(GEMP_EUSAGE,
	                 "about %.3g combinations of matches of the pattern's parts are more than combinations %llu; "
	                 "join the parts by an edge, narrow them, or allow more",
	                 all, (unsigned long long)max_combinations);
}

/* The estimate is equal on all ranks, so all ranks return the same code. */
static gemp_code check_combinations(const gemp_finder *f, const gemp_variant *v, const gemp_product *product)
{
	double all = gemp_match_estimate(v->matches[product->streaming]);
	for (size_t p = 0; p < v->component_count; p++)
		if (p != product->streaming)
			all *= (double)product->inputs[p].rows;
	return gemp_finder_check_combinations(all, f->options.combinations);
}

/* Collective. A residual filter tests the conditions between components on the combined rows. */
static gemp_code run_product(const gemp_finder *f, const gemp_variant *v, gemp_sink *next, gemp_match_result *total)
{
	GEMP_OWNED_BY(gemp_sink_free) gemp_sink residual = { 0 };
	gemp_sink sink;
	gemp_match_result one = { 0 };
	GEMP_OWNED_BY(gemp_product_free)
	gemp_product product = { .pattern = v->derived.pattern,
		                     .semantics = f->options.match.semantics,
		                     .edges = v->edges,
		                     .chain = v->chain,
		                     .input_count = v->component_count,
		                     .streaming = largest_component(v),
		                     .next = next };
	for (size_t p = 0; p < v->component_count; p++)
		product.inputs[p].component = &v->components[p];
	GEMP_TRY(gather_components(f, v, &product, total));
	GEMP_TRY(gemp_comm_agree(f->context->comm, check_combinations(f, v, &product)));
	if (v->join_condition_count) {
		bool loops = gemp_degree_loops(f->options.match.semantics);
		gemp_code code = gemp_residual_new(&residual, f->context, f->graph, v->join_conditions, v->join_condition_count,
		                                   NULL, loops, next);
		GEMP_TRY(gemp_comm_agree(f->context->comm, code));
		product.next = &residual;
	}
	sink = gemp_product_sink(&product);
	GEMP_TRY(gemp_match_run(v->matches[product.streaming], &sink, &one));
	gemp_finder_add_result(total, &one);
	return GEMP_OK;
}

/* Collective. Runs one search, or the product of the searches of several components. */
static gemp_code run_variant(const gemp_finder *f, const gemp_variant *v, const gemp_vertex *seeds, size_t count,
                             variant_relay *r, gemp_match_result *total)
{
	gemp_match_result one = { 0 };
	gemp_sink sink = { .self = r, .consume = relay_consume, .end_round = relay_end_round };
	if (v->component_count > 1)
		return run_product(f, v, &sink, total);
	if (f->pattern->arguments)
		GEMP_TRY(gemp_match_run_seeded(v->matches[0], seeds, count, &sink, &one));
	else
		GEMP_TRY(gemp_match_run(v->matches[0], &sink, &one));
	gemp_finder_add_result(total, &one);
	return GEMP_OK;
}

/* Collective. Runs all variants once. *again becomes true if a sink needs all rows a second time. */
static gemp_code run_all(const gemp_finder *f, const gemp_vertex *seeds, size_t count, gemp_sink *next,
                         gemp_match_result *total, bool *again)
{
	variant_relay r = { .finder = f, .next = next };
	gemp_code code = f->variant_count ? GEMP_OK : next->end_round(next->self, true, &r.enough, &r.again);
	for (size_t i = 0; i < f->variant_count && !r.enough; i++) {
		r.variant = &f->variants[i];
		r.final = i + 1 == f->variant_count;
		GEMP_THEN(run_variant(f, r.variant, seeds, count, &r, total));
	}
	*again = r.again;
	gemp_row_store_free(&r.out);
	return code;
}

/* A pattern without variants has no match, but its sink must still see a last round. */
gemp_code gemp_finder_run(gemp_finder *f, const gemp_vertex *seeds, size_t count, gemp_sink *sink,
                          gemp_match_result *result)
{
	GEMP_OWNED_BY(gemp_sink_free) gemp_sink apply = { 0 };
	bool again;
	if (result)
		*result = (gemp_match_result){ .complete = true, .on_host = f->variant_count > 0 };
	if (f->apply && gemp_apply_has_sink(f->apply))
		GEMP_TRY(gemp_apply_sink(&apply, f->apply, sink));
	do
		GEMP_TRY(run_all(f, seeds, count, apply.self ? &apply : sink, result, &again));
	while (again);
	return GEMP_OK;
}
