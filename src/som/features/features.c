#include "som/features/features.h"

#include "core/memory.h"
#include "core/text.h"
#include "som/features/feature_kinds.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const char log_prefix[] = "log:", attribute_prefix[] = "attr:";

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

/* Is `name`, which it takes, a feature? */
static bool take_name(gemp_feature *f, char *name)
{
	*f = (gemp_feature){
		.name = name, .log = begins(name, log_prefix), .min = (double)NAN, .max = (double)NAN, .mean = (double)NAN
	};
	const char *rest = name + (f->log ? strlen(log_prefix) : 0);
	if (begins(rest, attribute_prefix)) {
		f->attribute = rest + strlen(attribute_prefix);
		return *f->attribute != '\0';
	}
	while (f->kind < gemp_feature_kind_count && strcmp(gemp_feature_kinds[f->kind].name, rest) != 0)
		f->kind++;
	return f->kind < gemp_feature_kind_count;
}

/* "...; did you mean 'degree'? There are degree, ..., attr:NAME (an attribute of the vertices), and log:FEATURE". */
static gemp_code print_known(gemp_text *out, const char *name)
{
	const char *names[16] = { 0 };
	size_t count = 0;
	for (; count < gemp_feature_kind_count; count++)
		names[count] = gemp_feature_kinds[count].name;
	const char *near = gemp_text_nearest(begins(name, log_prefix) ? name + strlen(log_prefix) : name, names, count);
	if (near)
		gemp_text_print(out, "; did you mean '%s'? There are ", near);
	else
		gemp_text_print(out, "; there are ");
	for (size_t i = 0; i < count; i++)
		gemp_text_print(out, "%s, ", names[i]);
	gemp_text_print(out, "%sNAME (a number that is an attribute of the vertices), and each with %s in front",
	                attribute_prefix, log_prefix);
	return gemp_text_status(out);
}

static gemp_code fail_unknown(const char *name)
{
	gemp_text known = { 0 };
	gemp_code code = print_known(&known, name);
	GEMP_THEN(gemp_fail(GEMP_EUSAGE, "--features: '%s' is no feature%s", name, known.data));
	gemp_text_free(&known);
	return code;
}

static gemp_code fail_in_map(const char *path, const char *name)
{
	return gemp_fail(GEMP_EDATA,
	                 "%s: its column '%s' is no feature of vertices, so it was not trained on a graph; of a file "
	                 "of vectors name the dataset, as in F.h5:/vectors",
	                 path, name);
}

/* Takes `name`. map: its path; NULL: --features. */
static gemp_code add(gemp_features *f, char *name, const char *map)
{
	if (!name)
		return GEMP_ENOMEM;
	gemp_feature *one = &f->items[f->count++];
	if (!take_name(one, name))
		return map ? fail_in_map(map, name) : fail_unknown(name);
	for (size_t i = 0; !map && i + 1 < f->count; i++)
		if (strcmp(f->items[i].name, name) == 0)
			return gemp_fail(GEMP_EUSAGE, "--features: '%s' is there twice", name);
	return GEMP_OK;
}

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
		code = add(out, gemp_strndup(list, size), NULL);
		if (!list[size])
			break;
	}
done:
	return code;
}

gemp_code gemp_features_of_map(gemp_features *out, const char *path, char *const *names, size_t count)
{
	gemp_code code = GEMP_OK;
	*out = (gemp_features){ 0 };
	GEMP_TRY(GEMP_NEW(out->items, count));
	for (size_t i = 0; i < count && code == GEMP_OK; i++)
		code = add(out, gemp_strdup(names[i]), path);
done:
	return code;
}

/* ATTRIBUTES */

static bool is_number(gemp_type type)
{
	return type == GEMP_INTEGER || type == GEMP_FLOAT || type == GEMP_BOOLEAN;
}

static gemp_code refuse_attribute(const gemp_feature *f, const gemp_column *column, const gemp_shard *graph,
                                  const char *path)
{
	gemp_text those = { 0 };
	for (size_t i = 0; i < graph->attributes.count; i++) {
		const gemp_column *other = &graph->attributes.columns[i];
		if (is_number(other->type))
			gemp_text_print(&those, "%s%s", those.size ? ", " : "; vertices have the numbers ", other->name);
	}
	if (!those.size)
		gemp_text_print(&those, "; vertices have no attributes that are numbers");
	gemp_code code = gemp_text_status(&those);
	if (code == GEMP_OK && column)
		code = gemp_fail(GEMP_EUSAGE, "%s: %s: attribute '%s' is a %s, and no number%s", path, f->name, f->attribute,
		                 gemp_type_name[column->type], those.data);
	else if (code == GEMP_OK)
		code = gemp_fail(GEMP_EUSAGE, "%s: %s: vertices have no attribute '%s'%s", path, f->name, f->attribute,
		                 those.data);
	gemp_text_free(&those);
	return code;
}

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

/* Collective. */
static gemp_code find_attribute(const gemp_feature *f, gemp_shard *graph, double *values)
{
	const gemp_column *column = gemp_table_find(&graph->attributes, f->attribute);
	GEMP_PROPAGATE(gemp_shard_load_attribute(graph, (size_t)(column - graph->attributes.columns)));
	for (size_t row = 0; row < graph->rows; row++) {
		const gemp_value value = gemp_column_get(column, row);
		values[row] = value.null                   ? (double)NAN
		              : value.type == GEMP_INTEGER ? (double)value.integer
		              : value.type == GEMP_FLOAT   ? value.real
		                                           : (double)value.truth;
	}
	return GEMP_OK;
}

/* VALUES */

/* log(1 + value), and as far below 0 for values below. */
static double logarithm(double value)
{
	return copysign(log1p(fabs(value)), value);
}

/* Local. Into its column of x. */
static gemp_code store_values(const gemp_feature *f, const char *path, const double *values, size_t rows, float *x,
                              size_t stride)
{
	for (size_t row = 0; row < rows; row++) {
		const double value = f->log ? logarithm(values[row]) : values[row];
		if (fabs(value) > (double)FLT_MAX)
			return gemp_fail(GEMP_EDATA,
			                 "%s: %s: a vertex has %g, which is more than a float holds; leave the feature out, or "
			                 "put log: in front",
			                 path, f->name, value);
		x[row * stride] = (float)value;
	}
	return GEMP_OK;
}

/* Collective. At its column of x. */
static void add_statistics(gemp_feature *f, const gemp_comm *comm, const float *x, size_t rows, size_t stride)
{
	double ends[2] = { -DBL_MAX, -DBL_MAX },
		   sums[2] = { 0 }; /* of -value and value; of values and how many there are */
	for (size_t row = 0; row < rows; row++) {
		const double value = (double)x[row * stride];
		if (isnan(value))
			continue;
		ends[0] = fmax(ends[0], -value);
		ends[1] = fmax(ends[1], value);
		sums[0] += value;
		sums[1]++;
	}
	f->missing = gemp_comm_sum1(comm, rows - (uint64_t)sums[1]);
	GEMP_MPI(MPI_Allreduce(MPI_IN_PLACE, ends, 2, MPI_DOUBLE, MPI_MAX, comm->world));
	GEMP_MPI(MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_DOUBLE, MPI_SUM, comm->world));
	if (!(sums[1] > 0))
		return;
	f->min = -ends[0];
	f->max = ends[1];
	f->mean = sums[0] / sums[1];
}

static bool same_but_for_log(const gemp_feature *one, const gemp_feature *other)
{
	if (one->attribute && other->attribute)
		return strcmp(one->attribute, other->attribute) == 0;
	return one->attribute == other->attribute && one->kind == other->kind;
}

/* Collective. What feature i is of, in its column and in those of later ones that are of the same. */
static gemp_code find_one(gemp_features *features, size_t i, gemp_feature_work *work, const char *path, double *values,
                          float *x)
{
	const gemp_comm *comm = work->context->comm;
	const size_t rows = work->graph->rows, count = features->count;
	gemp_feature *first = &features->items[i];
	double since = gemp_now();
	GEMP_PROPAGATE(first->attribute ? find_attribute(first, work->graph, values)
	                                : gemp_feature_kinds[first->kind].compute(work, values));
	first->seconds = gemp_now() - since;
	for (size_t j = i; j < count; j++) {
		gemp_feature *f = &features->items[j];
		if (!same_but_for_log(first, f))
			continue;
		GEMP_PROPAGATE(gemp_comm_agree(comm, store_values(f, path, values, rows, x + j, count)));
		add_statistics(f, comm, x + j, rows, count);
		f->found = true;
	}
	return GEMP_OK;
}

gemp_code gemp_features_find(gemp_features *features, const gemp_features_source *source, float *x)
{
	gemp_code code = GEMP_OK;
	const gemp_comm *comm = source->context->comm;
	gemp_feature_work work = { .context = source->context, .graph = source->graph, .relations = source->relations };
	double *values = NULL;
	GEMP_TRY(gemp_comm_agree(comm, gemp_features_check(features, source->graph, source->path)));
	GEMP_TRY(gemp_comm_agree(comm, GEMP_NEW(values, source->graph->rows)));
	for (size_t i = 0; i < features->count; i++)
		if (!features->items[i].found)
			GEMP_TRY(find_one(features, i, &work, source->path, values, x));
done:
	gemp_feature_work_free(&work);
	gemp_free(values);
	return code;
}
