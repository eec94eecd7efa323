#include "analytics/dense/spmv.h"
#include "analytics/layout/edge_weights.h"
#include "analytics/verify/verify.h"
#include "analytics/vertex_columns.h"
#include "cli/analytics/analysis.h"
#include "core/memory.h"
#include "core/quantity.h"

#include <math.h>

typedef struct work {
	gemp_spmv *engine;
	gemp_spmv_result found;
} work;

static const char *const names[] = { "y" };

/* As the words of --precision. */
enum { AUTO, SINGLE, DOUBLE };

static gemp_code check(const gemp_options *options)
{
	if (options->repeat > INT32_MAX)
		return gemp_fail(GEMP_EUSAGE, "--repeat %" PRIu64 ": at most 2147483647", options->repeat);
	return GEMP_OK;
}

/* Rows of A gather what their targets have. */
static gemp_layout_direction direction(const gemp_options *options)
{
	return options->transpose ? GEMP_LAYOUT_FORWARD : GEMP_LAYOUT_REVERSE;
}

static double number(const gemp_column *column, size_t row)
{
	return column->type == GEMP_INTEGER ? (double)column->integers[row] : column->floats[row];
}

/* Of vertices with something wrong: how many, and the first one's id. */
typedef struct faults {
	uint64_t count;
	gemp_vertex first;
} faults;

static void count_fault(faults *f, gemp_vertex id)
{
	f->count++;
	f->first = id < f->first ? id : f->first;
}

/* Collective. Of all ranks; key: the first one's, as messages name it. */
static gemp_code join_faults(const gemp_analysis *a, faults *f, char *key, size_t room)
{
	gemp_code code = GEMP_OK;
	f->count = gemp_comm_sum1(a->job.comm, f->count);
	if (f->count == 0)
		return GEMP_OK;
	GEMP_MPI(MPI_Allreduce(MPI_IN_PLACE, &f->first, 1, GEMP_MPI_VERTEX, MPI_MIN, a->job.comm->world));
	GEMP_TRY(gemp_shard_load_keys(a->job.graph));
	code = gemp_layout_print_key(a->job.comm, a->job.graph, f->first, key, room);
done:
	return code;
}

/* Collective. (*out)[own] by local vertex; NULL: ones. The caller frees. */
static gemp_code read_vector(double **out, gemp_analysis *a)
{
	gemp_code code = GEMP_OK;
	gemp_shard *graph = a->job.graph;
	const char *name = a->job.options->vector, *file = a->job.options->arguments[0];
	const gemp_column *column = name ? gemp_table_find(&graph->attributes, name) : NULL;
	faults missing = { .first = GEMP_NO_VERTEX };
	char key[256];
	*out = NULL;
	if (!name)
		return GEMP_OK;
	if (!column)
		return gemp_fail(GEMP_EUSAGE,
		                 "--x %s: vertices of %s have no such attribute; `gemp-mpi info %s` lists those that "
		                 "they have",
		                 name, file, file);
	if (column->type != GEMP_INTEGER && column->type != GEMP_FLOAT)
		return gemp_fail(GEMP_EUSAGE, "--x %s: this attribute is %s; a vector is of integers or floats", name,
		                 gemp_type_name[column->type]);
	GEMP_TRY(gemp_shard_load_attribute(graph, (size_t)(column - graph->attributes.columns)));
	GEMP_TRY(gemp_comm_agree(a->job.comm, GEMP_NEW(*out, a->layout.own)));
	for (size_t row = 0; row < graph->rows; row++) {
		double value = number(column, row);
		bool null = column->null && column->null[row];
		if (null || !isfinite(value))
			count_fault(&missing, (gemp_vertex)(graph->first_vertex + row));
		(*out)[a->layout.local[row]] = value;
	}
	GEMP_TRY(join_faults(a, &missing, key, sizeof key));
	if (missing.count)
		code = gemp_fail(GEMP_EDATA,
		                 "%s: --x %s: %" PRIu64 " of %" PRIu64 " vertices have no finite '%s', such as '%s'; "
		                 "give each a value",
		                 file, name, missing.count, graph->vertex_count, name, key);
done:
	return code;
}

/* Collective. Sums and products may be greater than the precision takes. */
static gemp_code check_finite(const gemp_analysis *a, const gemp_spmv_result *found)
{
	const gemp_options *options = a->job.options;
	const bool single = options->precision == SINGLE;
	gemp_code code = GEMP_OK;
	faults wrong = { .first = GEMP_NO_VERTEX };
	char key[256];
	for (uint32_t v = 0; v < a->layout.own; v++)
		if (!isfinite(found->y[v]))
			count_fault(&wrong, a->layout.id[v]);
	GEMP_TRY(join_faults(a, &wrong, key, sizeof key));
	if (wrong.count)
		code = gemp_fail(GEMP_EDATA,
		                 "%s: y is too great for %s precision at %" PRIu64 " of %" PRIu64 " vertices, such as "
		                 "'%s'; scale weights or x down%s%s",
		                 options->arguments[0], single ? "single" : "double", wrong.count, a->layout.vertices, key,
		                 options->normalize ? "" : ", or give --normalize", single ? ", or --precision double" : "");
done:
	return code;
}

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

/* Collective. Its squares may be greater than doubles are. */
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

/* Collective. */
static gemp_code report_result(gemp_analysis *a, void *self)
{
	const gemp_spmv_result *found = &((work *)self)->found;
	gemp_report *report = a->job.report;
	uint32_t rounds = found->report.rounds;
	double sum = 0, length = length_of(a, found->y);
	for (uint32_t v = 0; v < a->layout.own; v++)
		sum += found->y[v];
	GEMP_MPI(MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, a->job.comm->world));
	gemp_report_print(report, "y has the sum %.9g and the length %.9g, after %s in %s precision\n", sum, length,
	                  gemp_counted(rounds, "multiplication").text,
	                  a->job.options->precision == SINGLE ? "single" : "double");
	if (found->max && rounds)
		report_greatest(a, found);
	gemp_report_set(report, "sum", gemp_json_real(sum));
	gemp_report_set(report, "length", gemp_json_real(length));
	gemp_report_set(report, "iterations", gemp_json_count(rounds));
	return gemp_analysis_report_sums(a, &found->report);
}

/* Collective. */
static gemp_code verify(gemp_analysis *a, const double *x, const gemp_spmv_result *found)
{
	gemp_code code = GEMP_OK;
	gemp_verify_edges edges = gemp_analysis_edges(a);
	double since = gemp_now(), worst;
	const bool twofold = a->job.options->precision != SINGLE;
	void *vector = NULL, *y = NULL;
	if (!a->job.options->verify_order)
		return GEMP_OK;
	edges.direction = direction(a->job.options);
	code = gemp_analysis_by_row(&vector, a, x, sizeof *x);
	if (code == GEMP_OK)
		code = gemp_analysis_by_row(&y, a, found->y, sizeof *found->y);
	GEMP_TRY(gemp_comm_agree(a->job.comm, code));
	const gemp_verify_product product = { .x = vector,
		                                  .y = y,
		                                  .rounds = found->report.rounds,
		                                  .normal = a->job.options->normalize,
		                                  .epsilon = twofold ? 0x1p-53 : 0x1p-24,
		                                  .underflow = gemp_spmv_underflow(twofold, a->job.options->normalize) };
	GEMP_TRY(gemp_verify_spmv(&edges, &product, &worst));
	gemp_report_set(a->job.report, "verified_error", json_real(worst));
	gemp_analysis_report_verified(a, "sums of the host's, in double precision, differ by no more than rounding does",
	                              since);
done:
	gemp_free(vector);
	gemp_free(y);
	return code;
}

/* Collective. */
static gemp_code compute(gemp_analysis *a, void *self)
{
	gemp_code code = GEMP_OK;
	work *w = self;
	gemp_spmv_result *found = &w->found;
	const gemp_options *options = a->job.options;
	bool single = options->precision == SINGLE;
	double *x = NULL;
	const gemp_layout_options how = { .direction = direction(options),
		                              .weight = options->weight,
		                              .parts = GEMP_LAYOUT_IN,
		                              .cut = (gemp_layout_cut)options->cut,
		                              .wanted = single ? GEMP_LAYOUT_SINGLE : GEMP_LAYOUT_DOUBLE };
	const gemp_dense_options shape = { .fp64 = !single, .gather = (gemp_gather)options->gather };
	gemp_spmv_params ask = { .rounds = (uint32_t)options->repeat, .normal = options->normalize };
	GEMP_TRY(gemp_analysis_layout(a, how));
	GEMP_TRY(read_vector(&x, a));
	ask.x = x;
	GEMP_TRY(gemp_spmv_new(&w->engine, &a->layout, a->job.device, &shape));
	GEMP_TRY(gemp_spmv_run(w->engine, &ask, found));
	gemp_analysis_add_sums(a, &found->report);
	GEMP_TRY(check_finite(a, found));
	GEMP_TRY(verify(a, x, found));
	code = gemp_comm_agree(a->job.comm, gemp_vertex_columns_double(&a->columns, names[0], &a->layout, found->y));
done:
	gemp_free(x);
	return code;
}

static void work_free(void *self)
{
	work *w = self;
	gemp_spmv_free(w->engine);
	gemp_spmv_result_free(&w->found);
}

static gemp_code spmv(gemp_context *context, const gemp_options *options, gemp_report *report)
{
	static const gemp_analysis_kind kind = { names, 1, check, compute, report_result, work_free };
	return gemp_analysis_run(context, options, report, &kind, &(work){ 0 });
}

const gemp_command gemp_command_spmv = {
	.name = "spmv",
	.bit = GEMP_ON_SPMV,
	.arguments = "G.h5 [--weight COLUMN] [--x ATTRIBUTE] [--transpose] [--repeat K] [-o FILE] [--into H.h5]",
	.summary = "Multiplies the graph's matrix with a vector",
	.text =
		"y = A x, where A has the weight of an edge in the row of its source and the column of its target, as scipy reads "
		"the graph file; parallel edges add up. Edges without a direction count both ways. x is an attribute of the "
		"vertices, or ones: y is then the number, or the weight, of the edges that leave a vertex. Rows of FILE are key and "
		"y. With --repeat y becomes x again; with --normalize the greatest magnitude is made 1 each time, which leads to an "
		"eigenvector of the greatest eigenvalue, if there is one.\n",
	.examples = "gemp-mpi spmv flows.h5 --weight litres --x price -o cost.tsv\n"
				"gemp-mpi spmv social.h5 --repeat 50 --normalize --into social.h5 --column centrality\n",
	.min_arguments = 1,
	.max_arguments = 1,
	.run = spmv,
};
