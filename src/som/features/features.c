#include "som/features/features.h"

#include "analytics/dense/pagerank.h"
#include "analytics/layout/layout.h"
#include "core/memory.h"
#include "core/text.h"
#include "match/match.h"
#include "match/match_run.h"
#include "match/vertex_counts.h"
#include "partition/views/resident.h"
#include "pattern/bind/bind.h"
#include "pattern/shapes/named_pattern.h"
#include "topology/components.h"
#include "topology/vertex_degrees.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* The shapes whose occurrences at a vertex are features. */
enum { NEIGHBOURS, TRIANGLES, SHAPES };
static const char *const shape_names[SHAPES] = { "clique:2", "triangle" };

/* Results that several features of one graph need. The first of these features computes them. */
typedef struct feature_context {
	gemp_runtime *context;
	gemp_shard *graph;
	const bool *relations; /* [relation_count] the relations whose edges count */
	bool have_degrees;
	gemp_vertex_degrees directed, undirected; /* degrees by directed edges; degrees by undirected edges */
	uint64_t *counts[SHAPES];                 /* [rows] number of occurrences of a shape that contain each vertex */
} feature_context;

/* A row of the table of features. */
typedef struct feature_kind {
	const char *name;
	/* Collective. values[rows] becomes the feature of this rank's vertices. */
	gemp_code (*compute)(feature_context *work, const struct feature_kind *kind, double *values);
	bool out, in; /* for degrees: count edges that leave a vertex; count edges that reach it */
	int shape;    /* for counts of shapes: the index in shape_names */
} feature_kind;

static const char log_prefix[] = "log:", attribute_prefix[] = "attr:";

/* KINDS */

static void context_free(feature_context *work)
{
	gemp_vertex_degrees_free(&work->directed);
	gemp_vertex_degrees_free(&work->undirected);
	gemp_free_all(work->counts[NEIGHBOURS], work->counts[TRIANGLES]);
}

/* Collective. Counts degrees by directed edges only, or by undirected edges only. */
static gemp_code count_directed(gemp_vertex_degrees *out, const feature_context *w, bool directed)
{
	gemp_shard *graph = w->graph;
	GEMP_OWNED bool *some = NULL;
	GEMP_TRY(gemp_comm_agree(w->context->comm, GEMP_NEW(some, graph->relation_count)));
	for (size_t r = 0; r < graph->relation_count; r++) {
		some[r] = w->relations[r] && graph->relations[r].directed == directed;
		if (some[r])
			GEMP_TRY(gemp_shard_load_relation(graph, r, GEMP_LOAD_OUT));
	}
	return gemp_vertex_degrees_of_graph(out, w->context->comm, graph, some);
}

/* Collective. Degrees are counted once for all features that need them. */
static gemp_code count_degrees(feature_context *w)
{
	if (w->have_degrees)
		return GEMP_OK;
	GEMP_TRY(count_directed(&w->directed, w, true));
	GEMP_TRY(count_directed(&w->undirected, w, false));
	w->have_degrees = true;
	return GEMP_OK;
}

/* Collective. An undirected edge both leaves and reaches each of its ends. */
static gemp_code find_degrees(feature_context *w, const feature_kind *kind, double *values)
{
	GEMP_TRY(count_degrees(w));
	for (size_t row = 0; row < w->graph->rows; row++)
		values[row] = (double)((kind->out ? w->directed.out[row] : 0) + (kind->in ? w->directed.in[row] : 0) +
		                       w->undirected.out[row] + w->undirected.in[row]);
	return GEMP_OK;
}

/* Makes the pattern of a shape, bound to the graph. Its edges have the types of the chosen relations. */
static gemp_code make_shape(gemp_pattern **out, const feature_context *w, const char *name)
{
	GEMP_TRY(gemp_pattern_named(out, name));
	GEMP_TRY(gemp_pattern_bind(*out, w->graph));
	for (size_t e = 0; e < (*out)->edge_count; e++)
		memcpy((*out)->edges[e].relations, w->relations, w->graph->relation_count * sizeof *w->relations);
	return GEMP_OK;
}

/* Collective. Counts the occurrences of a shape that contain each vertex. All vertices of a shape are equivalent, so
 * counting by one of them is enough. A graph without edges has zeros, and no engine is started. */
static gemp_code count_shape(feature_context *w, int which)
{
	const gemp_match_options how = { .semantics = GEMP_ISO,
		                             .distinct = GEMP_BY_ORBIT,
		                             .replicate = GEMP_REPLICATE_AUTO,
		                             .limit = UINT64_MAX,
		                             .count_per = 1 };
	GEMP_OWNED_BY(gemp_pattern_free_at) gemp_pattern *shape = NULL;
	GEMP_OWNED_BY(gemp_match_free_at) gemp_match *match = NULL;
	gemp_match_result result = { 0 };
	uint64_t **out = &w->counts[which];
	int members = 1;
	if (*out)
		return GEMP_OK;
	GEMP_TRY(gemp_comm_agree(w->context->comm, GEMP_NEW(*out, w->graph->rows)));
	if (gemp_shard_edges(w->graph) == 0)
		return GEMP_OK;
	GEMP_TRY(gemp_comm_agree(w->context->comm, make_shape(&shape, w, shape_names[which])));
	GEMP_TRY(gemp_match_prepare(&match, w->context, w->graph, shape, &how));
	GEMP_TRY(gemp_match_run(match, NULL, &result));
	return gemp_match_vertex_counts(match, *out, &members);
}

/* Collective. A column has doubles, which represent all counts below 2^53 exactly. */
static gemp_code find_shape(feature_context *w, const feature_kind *kind, double *values)
{
	GEMP_TRY(count_shape(w, kind->shape));
	for (size_t row = 0; row < w->graph->rows; row++)
		values[row] = (double)w->counts[kind->shape][row];
	return GEMP_OK;
}

/* The local clustering coefficient (Watts and Strogatz 1998) is the number of connected pairs among a vertex's
 * neighbours divided by the number of all pairs. The value is missing if there are fewer than two neighbours. */
static gemp_code find_clustering(feature_context *w, const feature_kind *kind, double *values)
{
	(void)kind;
	GEMP_TRY(count_shape(w, NEIGHBOURS));
	GEMP_TRY(count_shape(w, TRIANGLES));
	for (size_t row = 0; row < w->graph->rows; row++) {
		const double neighbours = (double)w->counts[NEIGHBOURS][row], triangles = (double)w->counts[TRIANGLES][row];
		values[row] = neighbours < 2 ? (double)NAN : 2 * triangles / (neighbours * (neighbours - 1));
	}
	return GEMP_OK;
}

/* Collective. Multiplies PageRank by the number of vertices. The mean is then 1 in graphs of all sizes, so a map that
 * was trained on one graph can be applied to another graph. */
static gemp_code find_pagerank(feature_context *w, const feature_kind *kind, double *values)
{
	gemp_code code = GEMP_OK;
	(void)kind;
	const gemp_layout_options edges = { .relations = w->relations, .direction = GEMP_ALONG, .parts = GEMP_LAYOUT_IN };
	const gemp_dense_options shape = { .fp64 = true };
	const gemp_pagerank_params params = { .damping = 0.85, .tolerance = 1e-9, .rounds = 200 };
	gemp_layout layout = { 0 };
	gemp_pagerank *pagerank = NULL;
	gemp_pagerank_result result = { 0 };
	GEMP_TRY_DONE(gemp_layout_new(&layout, w->context->comm, w->graph, &edges));
	GEMP_TRY_DONE(gemp_pagerank_new(&pagerank, &layout, w->context->device, &shape));
	GEMP_TRY_DONE(gemp_pagerank_run(pagerank, &params, &result));
	for (size_t row = 0; row < w->graph->rows; row++)
		values[row] = (double)w->graph->vertex_count * result.rank[layout.local[row]];
done:
	gemp_pagerank_result_free(&result);
	gemp_pagerank_free(pagerank);
	gemp_layout_free(&layout);
	return code;
}

/* Collective. Finds the weak components by the edges of the chosen relations. */
static gemp_code find_components(gemp_components *out, const feature_context *w)
{
	static const gemp_components_options how = { 0 };
	gemp_shard *graph = w->graph;
	GEMP_OWNED gemp_csr *csr = NULL;
	size_t count = 0;
	GEMP_TRY(gemp_comm_agree(w->context->comm, GEMP_NEW(csr, graph->relation_count)));
	for (size_t r = 0; r < graph->relation_count; r++)
		if (w->relations[r]) {
			GEMP_TRY(gemp_shard_load_relation(graph, r, GEMP_LOAD_OUT));
			csr[count++] = gemp_csr_out(graph, r);
		}
	return gemp_components_find(out, w->context->comm, w->context->device, graph->bounds, csr, count, &how);
}

/* Collective. Gives the size of each vertex's weakly connected component. */
static gemp_code find_component_size(feature_context *w, const feature_kind *kind, double *values)
{
	(void)kind;
	const gemp_shard *graph = w->graph;
	GEMP_OWNED_BY(gemp_components_free) gemp_components result = { 0 };
	GEMP_OWNED uint64_t *size = NULL;
	GEMP_TRY(find_components(&result, w));
	GEMP_TRY(gemp_comm_agree(w->context->comm, GEMP_NEW(size, graph->rows)));
	GEMP_TRY(gemp_component_sizes_by_vertex(size, &result, w->context->comm, graph->bounds));
	for (size_t row = 0; row < graph->rows; row++)
		values[row] = (double)size[row];
	return GEMP_OK;
}

/* Maps store the names of features, so a name must not change its meaning. */
static const feature_kind kinds[] = {
	{ "degree", find_degrees, true, true, 0 },
	{ "in-degree", find_degrees, false, true, 0 },
	{ "out-degree", find_degrees, true, false, 0 },
	{ "neighbours", find_shape, false, false, NEIGHBOURS },
	{ "triangles", find_shape, false, false, TRIANGLES },
	{ "clustering", find_clustering, false, false, 0 },
	{ "pagerank", find_pagerank, false, false, 0 },
	{ "component-size", find_component_size, false, false, 0 },
};
enum { KINDS = sizeof kinds / sizeof *kinds };

void gemp_features_free(gemp_features *features)
{
	for (size_t i = 0; features->items && i < features->count; i++)
		gemp_free(features->items[i].name);
	gemp_free(features->items);
	*features = (gemp_features){ 0 };
}

/* NAMES */

static bool begins(const char *text, const char *prefix)
{
	return strncmp(text, prefix, strlen(prefix)) == 0;
}

/* Takes ownership of `name`. Returns false if no feature has this name. */
static bool parse_name(gemp_feature *f, char *name)
{
	*f = (gemp_feature){
		.name = name, .log = begins(name, log_prefix), .min = (double)NAN, .max = (double)NAN, .mean = (double)NAN
	};
	const char *rest = name + (f->log ? strlen(log_prefix) : 0);
	if (begins(rest, attribute_prefix)) {
		f->attribute = rest + strlen(attribute_prefix);
		return *f->attribute != '\0';
	}
	while (f->kind < KINDS && strcmp(kinds[f->kind].name, rest) != 0)
		f->kind++;
	return f->kind < KINDS;
}

/* Appends "; did you mean 'degree'? There are degree, ...", or "; there are degree, ..." if no name is near, and the
 * use of attr: and log:. */
static gemp_code print_known(gemp_text *out, const char *name)
{
	const char *names[KINDS];
	for (size_t k = 0; k < KINDS; k++)
		names[k] = kinds[k].name;
	const char *nearest = gemp_text_nearest(begins(name, log_prefix) ? name + strlen(log_prefix) : name, names, KINDS);
	if (nearest)
		gemp_text_print(out, "; did you mean '%s'? There are ", nearest);
	else
		gemp_text_print(out, "; there are ");
	for (size_t i = 0; i < KINDS; i++)
		gemp_text_print(out, "%s, ", names[i]);
	gemp_text_print(out, "%sNAME (a number that is an attribute of the vertices), and each with %s in front",
	                attribute_prefix, log_prefix);
	return gemp_text_status(out);
}

/* The message suggests the nearest name and lists all names. */
static gemp_code fail_unknown(const char *name)
{
	GEMP_OWNED_BY(gemp_text_free) gemp_text known = { 0 };
	GEMP_TRY(print_known(&known, name));
	return gemp_fail(GEMP_EUSAGE, "features: '%s' is no feature%s", name, known.data);
}

/* A map may be trained on other vectors, whose columns are no features. Such a map cannot be applied to a graph. */
static gemp_code fail_in_map(const char *path, const char *name)
{
	return gemp_fail(GEMP_EDATA,
	                 "%s: its column '%s' is no feature of vertices, so it was not trained on a graph; of a file "
	                 "of vectors name the dataset, as in F.h5:/vectors",
	                 path, name);
}

/* Takes ownership of `name`. map: path of the map that has the name as a column; NULL if the name is from
 * --features. */
static gemp_code append(gemp_features *f, char *name, const char *map)
{
	if (!name)
		return GEMP_ENOMEM;
	gemp_feature *one = &f->items[f->count++];
	if (!parse_name(one, name))
		return map ? fail_in_map(map, name) : fail_unknown(name);
	for (size_t i = 0; !map && i + 1 < f->count; i++)
		if (strcmp(f->items[i].name, name) == 0)
			return gemp_fail(GEMP_EUSAGE, "features: '%s' is there twice", name);
	return GEMP_OK;
}

/* A feature that is listed twice is refused, since distances would count its column twice. */
gemp_code gemp_features_parse(gemp_features *out, const char *list)
{
	gemp_code code = GEMP_OK;
	size_t count = 1;
	*out = (gemp_features){ 0 };
	for (const char *at = list; *at; at++)
		count += *at == ',';
	GEMP_TRY(GEMP_NEW(out->items, count));
	for (size_t size; code == GEMP_OK; list += size + 1) {
		size = strcspn(list, ",");
		code = append(out, gemp_strndup(list, size), NULL);
		if (!list[size])
			break;
	}
	return code;
}

/* A name that occurs twice is accepted, as the columns must be the columns of the map. */
gemp_code gemp_features_of_map(gemp_features *out, const char *path, char *const *names, size_t count)
{
	gemp_code code = GEMP_OK;
	*out = (gemp_features){ 0 };
	GEMP_TRY(GEMP_NEW(out->items, count));
	for (size_t i = 0; i < count && code == GEMP_OK; i++)
		code = append(out, gemp_strdup(names[i]), path);
	return code;
}

static bool is_number(gemp_type type)
{
	return type == GEMP_INTEGER || type == GEMP_FLOAT || type == GEMP_BOOLEAN;
}

/* column: NULL if there is no such attribute. The message lists the attributes whose values are numbers. */
static gemp_code refuse_attribute(const gemp_feature *f, const gemp_column *column, const gemp_shard *graph,
                                  const char *path)
{
	GEMP_OWNED_BY(gemp_text_free) gemp_text numeric = { 0 };
	for (size_t i = 0; i < graph->attributes.count; i++) {
		const gemp_column *other = &graph->attributes.columns[i];
		if (is_number(other->type))
			gemp_text_print(&numeric, "%s%s", numeric.size ? ", " : "; vertices have the numbers ", other->name);
	}
	if (!numeric.size)
		gemp_text_print(&numeric, "; vertices have no attributes that are numbers");
	GEMP_TRY(gemp_text_status(&numeric));
	if (column)
		return gemp_fail(GEMP_EUSAGE, "%s: %s: attribute '%s' is a %s, and no number%s", path, f->name, f->attribute,
		                 gemp_type_name[column->type], numeric.data);
	return gemp_fail(GEMP_EUSAGE, "%s: %s: vertices have no attribute '%s'%s", path, f->name, f->attribute,
	                 numeric.data);
}

/* All ranks have the same table of attributes, so they get the same result without communication. */
gemp_code gemp_features_check(const gemp_features *features, const gemp_shard *graph, const char *path)
{
	for (size_t i = 0; i < features->count; i++) {
		const gemp_feature *f = &features->items[i];
		const gemp_column *column = f->attribute ? gemp_table_find(&graph->attributes, f->attribute) : NULL;
		if (f->attribute && (!column || !is_number(column->type)))
			return refuse_attribute(f, column, graph, path);
	}
	return GEMP_OK;
}

/* Collective. A boolean becomes 0 or 1. NULL is a missing value. */
static gemp_code find_attribute(const gemp_feature *f, gemp_shard *graph, double *values)
{
	const gemp_column *column = gemp_table_find(&graph->attributes, f->attribute);
	GEMP_TRY(gemp_shard_load_attribute(graph, (size_t)(column - graph->attributes.columns)));
	for (size_t row = 0; row < graph->rows; row++) {
		const gemp_value value = gemp_column_get(column, row);
		values[row] = value.null                   ? (double)NAN
		              : value.type == GEMP_INTEGER ? (double)value.integer
		              : value.type == GEMP_FLOAT   ? value.real
		                                           : (double)value.truth;
	}
	return GEMP_OK;
}

/* Local. Writes values[rows] to the feature's column of x, whose rows are `stride` numbers apart. With log: the value
 * becomes log(1 + |value|) with the sign of the value. NaN passes the check and stays NaN. */
static gemp_code store_values(const gemp_feature *f, const char *path, const double *values, size_t rows, float *x,
                              size_t stride)
{
	for (size_t row = 0; row < rows; row++) {
		const double value = f->log ? copysign(log1p(fabs(values[row])), values[row]) : values[row];
		if (fabs(value) > (double)FLT_MAX)
			return gemp_fail(GEMP_EDATA,
			                 "%s: %s: a vertex has %g, which is more than a float holds; leave the feature out, or "
			                 "put log: in front",
			                 path, f->name, value);
		x[row * stride] = (float)value;
	}
	return GEMP_OK;
}

/* Collective. Sets minimum, maximum, mean and the number of missing values. x: the feature's column. */
static void add_statistics(gemp_feature *f, const gemp_comm *comm, const float *x, size_t rows, size_t stride)
{
	double extremes[2] = { -DBL_MAX, -DBL_MAX },
		   sums[2] = { 0 }; /* maxima of -value and of value; sum and number of the values */
	for (size_t row = 0; row < rows; row++) {
		const double value = (double)x[row * stride];
		if (isnan(value))
			continue;
		extremes[0] = fmax(extremes[0], -value);
		extremes[1] = fmax(extremes[1], value);
		sums[0] += value;
		sums[1]++;
	}
	f->missing = gemp_comm_sum1(comm, rows - (uint64_t)sums[1]);
	GEMP_MPI(MPI_Allreduce(MPI_IN_PLACE, extremes, 2, MPI_DOUBLE, MPI_MAX, comm->world));
	GEMP_MPI(MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_DOUBLE, MPI_SUM, comm->world));
	if (!(sums[1] > 0))
		return;
	f->min = -extremes[0];
	f->max = extremes[1];
	f->mean = sums[0] / sums[1];
}

/* Returns whether both features are computed from the same numbers. The log: prefix makes no difference. */
static bool same_but_for_log(const gemp_feature *one, const gemp_feature *other)
{
	if (one->attribute && other->attribute)
		return strcmp(one->attribute, other->attribute) == 0;
	return one->attribute == other->attribute && one->kind == other->kind;
}

/* Collective. Computes feature i and stores it in its column, and in the columns of later features that differ only by
 * the log: prefix. values[rows] is scratch memory. x: [rows][count]. */
static gemp_code find_one(gemp_features *features, size_t i, feature_context *work, const char *path, double *values,
                          float *x)
{
	const gemp_comm *comm = work->context->comm;
	const size_t rows = work->graph->rows, count = features->count;
	gemp_feature *first = &features->items[i];
	double since = gemp_now();
	GEMP_TRY(first->attribute ? find_attribute(first, work->graph, values)
	                          : kinds[first->kind].compute(work, &kinds[first->kind], values));
	first->seconds = gemp_now() - since;
	for (size_t j = i; j < count; j++) {
		gemp_feature *f = &features->items[j];
		if (!same_but_for_log(first, f))
			continue;
		GEMP_TRY(gemp_comm_agree(comm, store_values(f, path, values, rows, x + j, count)));
		add_statistics(f, comm, x + j, rows, count);
		f->found = true;
	}
	return GEMP_OK;
}

/* Features are computed in the order of the list. If features differ only by the log: prefix, the first of them fills
 * the columns of all of them. */
gemp_code gemp_features_find(gemp_features *features, const gemp_features_source *source, float *x)
{
	const gemp_comm *comm = source->context->comm;
	GEMP_OWNED_BY(context_free)
	feature_context work = { .context = source->context, .graph = source->graph, .relations = source->relations };
	GEMP_OWNED double *values = NULL;
	gemp_code code = gemp_features_check(features, source->graph, source->path);
	GEMP_THEN(GEMP_NEW(values, source->graph->rows));
	GEMP_TRY(gemp_comm_agree(comm, code));
	for (size_t i = 0; i < features->count; i++)
		if (!features->items[i].found)
			GEMP_TRY(find_one(features, i, &work, source->path, values, x));
	return GEMP_OK;
}
