/* spmv: gemp_graph_spmv. The vector comes from the caller or from an attribute of the vertices. A product that is not
 * finite is refused with the key of a vertex. analytics/dense/spmv.h has the product. */

#include "analytics/dense/spmv.h"
#include "analytics/verify/verify.h"
#include "api/analytics/analysis.h"
#include "core/memory.h"
#include "core/quantity.h"

#include <math.h>

GEMP_RELEASE(gemp_spmv_free, gemp_spmv *)

static bool is_single(const gemp_analysis *a)
{
	return a->settings.precision == GEMP_PRECISION_SINGLE;
}

/* The number of vertices with a wrong value, and the smallest id of such a vertex. */
typedef struct faults {
	uint64_t count;
	gemp_vertex first;
} faults;

static void count_fault(faults *f, gemp_vertex id)
{
	f->count++;
	f->first = id < f->first ? id : f->first;
}

/* Collective. *f becomes the faults of all ranks, and key[capacity] the key of the first such vertex in the form of
 * messages. */
static gemp_code join_faults(const gemp_analysis *a, faults *f, char *key, size_t capacity)
{
	f->count = gemp_comm_sum1(a->job.comm, f->count);
	if (f->count == 0)
		return GEMP_OK;
	GEMP_MPI(MPI_Allreduce(MPI_IN_PLACE, &f->first, 1, GEMP_MPI_VERTEX, MPI_MIN, a->job.comm->world));
	GEMP_TRY(gemp_shard_load_keys(a->job.shard));
	return gemp_layout_print_key(a->job.comm, a->job.shard, f->first, key, capacity);
}

/* Collective. x[own], indexed by local vertex, becomes the values of the vertices' attribute. */
static gemp_code read_attribute(double *x, gemp_analysis *a, const char *name)
{
	gemp_shard *graph = a->job.shard;
	const char *file = a->job.graph->name;
	const gemp_column *column = gemp_table_find(&graph->attributes, name);
	faults missing = { .first = GEMP_NO_VERTEX };
	char key[256];
	if (!column)
		return gemp_fail(GEMP_EUSAGE,
		                 "x %s: vertices of %s have no such attribute; `gemp-mpi info %s` lists those that they have",
		                 name, file, file);
	if (column->type != GEMP_INTEGER && column->type != GEMP_FLOAT)
		return gemp_fail(GEMP_EUSAGE, "x %s: this attribute is %s; a vector is of integers or floats", name,
		                 gemp_type_name[column->type]);
	GEMP_TRY(gemp_shard_load_attribute(graph, (size_t)(column - graph->attributes.columns)));
	for (size_t row = 0; row < graph->rows; row++) {
		double value = column->type == GEMP_INTEGER ? (double)column->integers[row] : column->floats[row];
		bool null = column->null && column->null[row];
		if (null || !isfinite(value))
			count_fault(&missing, (gemp_vertex)(graph->first_vertex + row));
		x[a->layout.local[row]] = value;
	}
	GEMP_TRY(join_faults(a, &missing, key, sizeof key));
	if (missing.count)
		return gemp_fail(GEMP_EDATA,
		                 "%s: x %s: %" PRIu64 " of %" PRIu64 " vertices have no finite '%s', such as '%s'; give each a "
		                 "value",
		                 file, name, missing.count, graph->vertex_count, name, key);
	return GEMP_OK;
}

/* Collective. (*out)[own], indexed by local vertex, becomes the vector. NULL stands for a vector of ones. The caller
 * frees *out. */
static gemp_code make_vector(double **out, gemp_analysis *a)
{
	*out = NULL;
	if (a->settings.x && a->settings.x_attribute)
		return gemp_fail(GEMP_EUSAGE, "x and x_attribute both give a vector; give one of them");
	if (!a->settings.x && !a->settings.x_attribute)
		return GEMP_OK;
	GEMP_TRY(gemp_comm_agree(a->job.comm, GEMP_NEW(*out, a->layout.own)));
	if (a->settings.x_attribute)
		return read_attribute(*out, a, a->settings.x_attribute);
	for (size_t row = 0; row < a->job.shard->rows; row++)
		(*out)[a->layout.local[row]] = a->settings.x[row];
	return GEMP_OK;
}

/* Collective. Products and sums can overflow the precision of the device. The message then names a vertex and the
 * remedies. */
static gemp_code check_finite(const gemp_analysis *a, const gemp_spmv_result *found)
{
	const bool single = is_single(a);
	faults wrong = { .first = GEMP_NO_VERTEX };
	char key[256];
	for (uint32_t v = 0; v < a->layout.own; v++)
		if (!isfinite(found->y[v]))
			count_fault(&wrong, a->layout.id[v]);
	GEMP_TRY(join_faults(a, &wrong, key, sizeof key));
	if (wrong.count)
		return gemp_fail(GEMP_EDATA,
		                 "%s: y is too great for %s precision at %" PRIu64 " of %" PRIu64 " vertices, such as "
		                 "'%s'; scale weights or x down%s%s",
		                 a->job.graph->name, single ? "single" : "double", wrong.count, a->layout.vertices, key,
		                 a->settings.normalize ? "" : ", or set normalize",
		                 single ? ", or set precision to double" : "");
	return GEMP_OK;
}

/* With `normalize` the largest magnitude of each iteration approaches the largest eigenvalue, as in the power
 * method. */
static void report_greatest(gemp_analysis *a, const gemp_spmv_result *found)
{
	gemp_report *report = a->job.report;
	uint32_t rounds = found->report.rounds;
	json_t *list = json_array();
	for (uint32_t r = 0; r < rounds; r++)
		json_array_append_new(list, gemp_json_real(found->max[r]));
	gemp_report_print(report, "The greatest magnitude was %.9g before it became 1", found->max[rounds - 1]);
	if (rounds > 1)
		gemp_report_print(report, "; the time before %.9g", found->max[rounds - 2]);
	gemp_report_print(report, "\n");
	gemp_report_set(report, "greatest", list);
}

/* Collective. Returns the Euclidean length of y. The values are first divided by their largest magnitude, since their
 * squares may overflow doubles. */
static double length_of(const gemp_analysis *a, const double *y)
{
	double greatest = 0, sum = 0;
	for (uint32_t v = 0; v < a->layout.own; v++)
		greatest = fmax(greatest, fabs(y[v]));
	GEMP_MPI(MPI_Allreduce(MPI_IN_PLACE, &greatest, 1, MPI_DOUBLE, MPI_MAX, a->job.comm->world));
	for (uint32_t v = 0; v < a->layout.own && greatest > 0; v++)
		sum += y[v] / greatest * (y[v] / greatest);
	GEMP_MPI(MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, a->job.comm->world));
	return greatest * sqrt(sum);
}

/* Collective. The sum and the length of y let a user compare runs without a file. */
static gemp_code report_result(gemp_analysis *a, const gemp_spmv_result *found)
{
	gemp_report *report = a->job.report;
	uint32_t rounds = found->report.rounds;
	double sum = 0, length = length_of(a, found->y);
	for (uint32_t v = 0; v < a->layout.own; v++)
		sum += found->y[v];
	GEMP_MPI(MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, a->job.comm->world));
	gemp_report_print(report, "y has the sum %.9g and the length %.9g, after %s in %s precision\n", sum, length,
	                  gemp_counted(rounds, "multiplication").text, is_single(a) ? "single" : "double");
	if (found->max && rounds)
		report_greatest(a, found);
	gemp_report_set(report, "sum", gemp_json_real(sum));
	gemp_report_set(report, "length", gemp_json_real(length));
	gemp_report_set(report, "iterations", gemp_json_count(rounds));
	return gemp_analysis_report_sums(a, &found->report);
}

/* Collective. Multiplies again on the threads of the host, in double precision. */
static gemp_code verify(gemp_analysis *a, const double *x, const gemp_spmv_result *found)
{
	const gemp_verify_edges edges = gemp_analysis_edges(a);
	double since = gemp_now(), worst;
	GEMP_OWNED void *vector = NULL, *y = NULL;
	if (!a->settings.verify)
		return GEMP_OK;
	gemp_code code = gemp_analysis_by_row(&vector, a, x, sizeof *x);
	GEMP_THEN(gemp_analysis_by_row(&y, a, found->y, sizeof *found->y));
	GEMP_TRY(gemp_comm_agree(a->job.comm, code));
	const gemp_verify_product product = { .x = vector,
		                                  .y = y,
		                                  .rounds = found->report.rounds,
		                                  .normal = a->settings.normalize,
		                                  .epsilon = is_single(a) ? 0x1p-24 : 0x1p-53,
		                                  .underflow = gemp_spmv_underflow(!is_single(a), a->settings.normalize) };
	GEMP_TRY(gemp_verify_spmv(&edges, &product, &worst));
	gemp_report_set(a->job.report, "verified_error", json_real(worst));
	gemp_analysis_report_verified(a, "sums of the host's, in double precision, differ by no more than rounding does",
	                              since);
	return GEMP_OK;
}

/* The result is checked for overflow before it is verified or written, so no file gets infinite values. */
gemp_code gemp_graph_spmv(gemp_columns **out, gemp_graph *graph, const gemp_edge_selection *edges,
                          const gemp_analysis_settings *settings, gemp_report *report)
{
	static const gemp_analysis_kind kind = { "spmv", 1, { "y" } };
	GEMP_OWNED_BY(gemp_analysis_free) gemp_analysis a = { 0 };
	GEMP_OWNED_BY(gemp_spmv_result_free) gemp_spmv_result found = { 0 };
	GEMP_OWNED_BY(gemp_spmv_free_at) gemp_spmv *engine = NULL;
	GEMP_OWNED double *x = NULL;
	GEMP_TRY(gemp_analysis_begin(&a, &kind, out, graph, edges, settings, report));
	if (a.settings.repeat < 1 || a.settings.repeat > INT32_MAX)
		return gemp_fail(GEMP_EUSAGE, "repeat must be 1 to 2147483647; got %" PRIu32, a.settings.repeat);
	const bool single = is_single(&a);
	GEMP_TRY(
		gemp_analysis_layout(&a, (gemp_layout_options){ .parts = GEMP_LAYOUT_IN,
	                                                    .cut = a.settings.cut,
	                                                    .wanted = single ? GEMP_LAYOUT_SINGLE : GEMP_LAYOUT_DOUBLE }));
	GEMP_TRY(make_vector(&x, &a));
	const gemp_dense_options shape = { .fp64 = !single, .gather = a.settings.gather };
	GEMP_TRY(gemp_spmv_new(&engine, &a.layout, a.job.device, &shape));
	const gemp_spmv_params ask = { .x = x, .rounds = a.settings.repeat, .normal = a.settings.normalize };
	GEMP_TRY(gemp_spmv_run(engine, &ask, &found));
	gemp_analysis_add_sums(&a, &found.report);
	GEMP_TRY(check_finite(&a, &found));
	GEMP_TRY(verify(&a, x, &found));
	GEMP_TRY(gemp_analysis_column(&a, GEMP_VALUES_DOUBLE, found.y, 0));
	GEMP_TRY(gemp_analysis_write(&a));
	if (a.job.reports)
		GEMP_TRY(report_result(&a, &found));
	gemp_edge_job_hand_over(&a.job, out);
	return GEMP_OK;
}
