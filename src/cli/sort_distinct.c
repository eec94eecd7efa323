/* arrays: what sort and distinct have in common: numbers of a file, a device if one is wanted, a report. */

#include "api/array_engine.h"
#include "api/rates.h"
#include "cli/report/report_run.h"
#include "core/memory.h"
#include "core/quantity.h"
#include "io/arrays/numbers.h"
#include "io/arrays/numbers_read.h"
#include "primitive/arrays.h"

#include <string.h>

typedef struct gemp_array_run {
	gemp_comm *comm;
	const gemp_options *options;
	gemp_report *report;
	gemp_runtime *context; /* NULL: no device was opened */
	gemp_arrays arrays;
	gemp_number_array numbers;
	double seconds; /* of sorting or finding, on this rank */
	uint64_t moved; /* numbers of this rank that come in and go out */
} gemp_array_run;

/* Collective. Runs a command: the options are checked, the numbers read, a device opened if it may be used; then `work` is
 * called, and the report written, which has rates beside the device's copy bandwidth. */
typedef gemp_code gemp_array_work(gemp_array_run *run);

static gemp_code sort_numbers(gemp_array_run *r);

static gemp_code check(const gemp_comm *comm, const gemp_options *options)
{
	gemp_code code = GEMP_OK;
	if (options->count && options->output)
		code = gemp_fail(GEMP_EUSAGE, "--count asks for no values, and --output for a file of them; give one of them");
	if (code == GEMP_OK && options->output)
		return gemp_number_array_check_output(comm, options->output);
	return code;
}

/* Collective. The word auto comes first in the choices. */
static gemp_code read(gemp_array_run *r)
{
	gemp_key_kind kind = r->options->value_type ? (gemp_key_kind)(r->options->value_type - 1) : GEMP_NUMBERS_AUTO;
	double since = gemp_now();
	gemp_code code = gemp_number_array_read(&r->numbers, r->comm, r->options->arguments[0], kind);
	gemp_timers_add(&r->arrays.timers, GEMP_PHASE_READ, since);
	return code;
}

/* Collective. Writes this rank's part to --output, if there is one. */
static gemp_code gemp_array_write(gemp_array_run *r, const void *values, size_t count)
{
	if (!r->options->output)
		return GEMP_OK;
	double since = gemp_now();
	gemp_code code = gemp_number_array_write(r->comm, r->options->output, r->numbers.kind, values, count);
	gemp_timers_add(&r->arrays.timers, GEMP_PHASE_WRITE, since);
	return code;
}

/* Collective. A number of this rank that is read or written counts once. */
static gemp_code report_rate(gemp_array_run *r)
{
	const gemp_arrays *a = &r->arrays;
	const double *seconds = a->timers.seconds;
	double transfers = seconds[GEMP_PHASE_UPLOAD] + seconds[GEMP_PHASE_DOWNLOAD];
	return gemp_report_rate(r->report, a->on_device ? a->device : NULL,
	                        seconds[GEMP_PHASE_KERNEL] + seconds[GEMP_PHASE_RESOLVE], transfers,
	                        r->moved * gemp_key_size(r->numbers.kind));
}

/* Collective. Of all ranks. */
static void report_exchange(gemp_array_run *r)
{
	uint64_t sums[2] = { r->arrays.traffic.bytes, r->arrays.traffic.messages }, rounds = r->arrays.traffic.rounds;
	gemp_comm_sum(r->comm, sums, 2);
	gemp_comm_max(r->comm, &rounds, 1);
	gemp_report_exchange(r->report, &(gemp_traffic){ sums[0], sums[1], rounds }, -1, NULL);
}

static gemp_code finish_report(gemp_array_run *r)
{
	gemp_code code = GEMP_OK;
	gemp_report_set(r->report, "type", json_string(gemp_key_name[r->numbers.kind]));
	gemp_report_set(r->report, "numbers", gemp_json_count(r->numbers.total));
	gemp_report_set(r->report, "file_bytes", gemp_json_count(r->numbers.bytes));
	gemp_report_set(r->report, "work_seconds", json_real(r->seconds));
	GEMP_TRY(report_rate(r));
	report_exchange(r);
	GEMP_TRY(gemp_report_devices(r->report, r->context));
	gemp_report_seconds(r->report, &r->arrays.timers, false);
	gemp_report_memory(r->report, r->context ? gemp_runtime_device_peak(r->context) : 0);
done:
	return code;
}

static gemp_code gemp_array_command(gemp_context *context, const gemp_options *options, gemp_report *report,
                                    gemp_array_work *work)
{
	gemp_array_run r = { .comm = &context->comm, .options = options, .report = report };
	gemp_code code = GEMP_OK;
	GEMP_TRY(check(&context->comm, options));
	GEMP_TRY(read(&r));
	r.arrays.place = (gemp_placement)options->on;
	GEMP_TRY(gemp_array_engine_open(&r.arrays, &r.context, context, r.numbers.total));
	GEMP_TRY(work(&r));
	GEMP_TRY(finish_report(&r));
done:
	gemp_toolbox_free(r.arrays.box);
	gemp_number_array_free(&r.numbers);
	return code;
}

static gemp_code sort(gemp_context *context, const gemp_options *options, gemp_report *report)
{
	return gemp_array_command(context, options, report, sort_numbers);
}

static gemp_code sort_numbers(gemp_array_run *r)
{
	gemp_code code = GEMP_OK;
	const gemp_sort sort = { .key = r->numbers.kind, .descending = r->options->descending };
	double since = gemp_now();
	GEMP_TRY(gemp_sort_ranks(r->comm, &r->arrays, &sort, &r->numbers.values, NULL, &r->numbers.count));
	r->seconds = gemp_now() - since;
	r->moved = 2 * r->numbers.count;
	gemp_report_print(r->report, "%s (%s) in %s order\n", gemp_counted(r->numbers.total, "number").text,
	                  gemp_key_name[r->numbers.kind], sort.descending ? "descending" : "ascending");
	gemp_report_set(r->report, "descending", json_boolean(sort.descending));
	code = gemp_array_write(r, r->numbers.values, r->numbers.count);
done:
	return code;
}

const gemp_command gemp_command_sort = {
	.name = "sort",
	.bit = GEMP_ON_SORT,
	.arguments = "FILE [--type TYPE] [--descending] [-o OUT]",
	.summary = "Sorts the numbers of a file",
	.text =
		"FILE has one number a line (plain, .gz or .zst), or is an array of numpy (.npy), or a dataset of an HDF5 file, as in "
		"G.h5:/values; so is OUT, by its ending, and - is text on stdout. A radix sort, on the device or on the threads of the "
		"host; several ranks share the numbers, and each writes an equal part of them.\n"
		"-0.0 comes before 0.0, and NaN behind inf; all NaN are the same.\n",
	.examples = "gemp-mpi sort numbers.txt -o sorted.txt\n"
				"mpirun -n 8 gemp-mpi sort large.npy --descending -o sorted.npy --json -\n",
	.min_arguments = 1,
	.max_arguments = 1,
	.run = sort,
};

static gemp_code find_distinct(gemp_array_run *r)
{
	gemp_code code = GEMP_OK;
	void *values = NULL;
	size_t count = 0;
	bool counted = r->options->count && r->comm->size == 1;
	double since = gemp_now();
	gemp_array_merge_zeros(r->numbers.kind, r->numbers.values, r->numbers.count);
	if (counted)
		GEMP_TRY(gemp_arrays_distinct(&r->arrays, r->numbers.kind, r->numbers.values, r->numbers.count, NULL, &count));
	else
		GEMP_TRY(gemp_distinct_ranks(r->comm, &r->arrays, r->numbers.kind, r->numbers.values, r->numbers.count, &values,
		                             &count));
	r->seconds = gemp_now() - since;
	r->moved = r->numbers.count + count;
	uint64_t all = gemp_comm_sum1(r->comm, count);
	gemp_report_print(r->report, "%s (%s) of %s\n", gemp_counted(all, "distinct number").text,
	                  gemp_key_name[r->numbers.kind], gemp_grouped(r->numbers.total).text);
	gemp_report_set(r->report, "distinct", gemp_json_count(all));
	code = gemp_array_write(r, values, count);
done:
	gemp_free(values);
	return code;
}

static gemp_code distinct(gemp_context *context, const gemp_options *options, gemp_report *report)
{
	return gemp_array_command(context, options, report, find_distinct);
}

const gemp_command gemp_command_distinct = {
	.name = "distinct",
	.bit = GEMP_ON_DISTINCT,
	.arguments = "FILE [--type TYPE] [--count] [-o OUT]",
	.summary = "Finds the distinct numbers of a file",
	.text =
		"FILE has one number a line (plain, .gz or .zst), or is an array of numpy (.npy), or a dataset of an HDF5 file, as in "
		"G.h5:/values; so is OUT, by its ending, and - is text on stdout: each number once, in ascending order. Dense numbers "
		"become bits of bitmaps that fit a cache, others are sorted.\n"
		"0.0 and -0.0 are the same number, and all NaN are, behind inf.\n",
	.examples = "gemp-mpi distinct numbers.txt --count\n"
				"mpirun -n 8 gemp-mpi distinct large.npy -o distinct.npy\n",
	.min_arguments = 1,
	.max_arguments = 1,
	.run = distinct,
};
