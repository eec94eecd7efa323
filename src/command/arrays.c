#include "command/arrays.h"

#include "command/work_rate.h"

#include <string.h>

/* Fewer numbers than that are not worth opening a device. */
enum { DEVICE_LEAST = 1 << 16 };

static gemp_code check(const gemp_comm *comm, const gemp_options *options)
{
	gemp_code code = GEMP_OK;
	if (options->count && options->output)
		code = gemp_fail(GEMP_EUSAGE, "--count asks for no values, and --output for a file of them; give one of them");
	if (code == GEMP_OK && options->output)
		return gemp_numbers_may_write(comm, options->output);
	return code;
}

/* Collective. The word auto comes first in the choices. */
static gemp_code read(gemp_array_run *r)
{
	gemp_key_kind kind = r->options->value_type ? (gemp_key_kind)(r->options->value_type - 1) : GEMP_NUMBERS_AUTO;
	double since = gemp_now();
	gemp_code code = gemp_numbers_read(&r->numbers, r->comm, r->options->arguments[0], kind);
	gemp_timers_add(&r->arrays.timers, GEMP_READ, since);
	return code;
}

static gemp_code open_device(gemp_array_run *r)
{
	gemp_code code = GEMP_OK;
	const gemp_options *o = r->options;
	const gemp_budgets budgets = { .device_memory = o->device_memory };
	r->arrays.place = (gemp_where)o->on;
	if (o->on == GEMP_PLACE_HOST || (o->on == GEMP_PLACE_AUTO && r->numbers.all < DEVICE_LEAST))
		return GEMP_OK;
	double since = gemp_now();
	code = gemp_context_new_one(&r->context, r->comm, o->devices, &budgets);
	if (code == GEMP_ENODEVICE && o->on == GEMP_PLACE_AUTO)
		return GEMP_OK;
	GEMP_TRY(code);
	r->arrays.device = r->context->device;
	GEMP_TRY(gemp_comm_agree(r->comm, gemp_toolbox_new(&r->arrays.box, r->arrays.device, GEMP_FORM_AUTO)));
	gemp_timers_add(&r->arrays.timers, GEMP_BUILD, since);
done:
	return code;
}

gemp_code gemp_array_write(gemp_array_run *r, const void *values, size_t count)
{
	if (!r->options->output)
		return GEMP_OK;
	double since = gemp_now();
	gemp_code code = gemp_numbers_write(r->comm, r->options->output, r->numbers.kind, values, count);
	gemp_timers_add(&r->arrays.timers, GEMP_WRITE, since);
	return code;
}

/* Collective. A number of this rank that is read or written counts once. */
static gemp_code report_rate(gemp_array_run *r)
{
	const gemp_arrays *a = &r->arrays;
	const double *seconds = a->timers.seconds;
	double transfers = seconds[GEMP_UPLOAD] + seconds[GEMP_DOWNLOAD];
	return gemp_report_rate(r->report, a->on_device ? a->device : NULL, seconds[GEMP_KERNEL] + seconds[GEMP_RESOLVE],
	                        transfers, r->moved * gemp_key_size(r->numbers.kind));
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
	gemp_report_set(r->report, "numbers", gemp_json_count(r->numbers.all));
	gemp_report_set(r->report, "file_bytes", gemp_json_count(r->numbers.bytes));
	gemp_report_set(r->report, "work_seconds", json_real(r->seconds));
	GEMP_TRY(report_rate(r));
	report_exchange(r);
	GEMP_TRY(gemp_report_devices(r->report, r->context));
	gemp_report_seconds(r->report, &r->arrays.timers, false);
	gemp_report_memory(r->report, r->context ? gemp_context_device_peak(r->context) : 0);
done:
	return code;
}

gemp_code gemp_array_command(gemp_comm *comm, const gemp_options *options, gemp_array_work *work)
{
	gemp_report report;
	gemp_array_run r = { .comm = comm, .options = options, .report = &report };
	gemp_code code = check(comm, options);
	bool on_stdout = options->output && strcmp(options->output, "-") == 0;
	if (code == GEMP_OK)
		code = gemp_report_new(&report, comm, options, on_stdout);
	if (code != GEMP_OK)
		return code;
	GEMP_TRY(read(&r));
	GEMP_TRY(open_device(&r));
	GEMP_TRY(work(&r));
	GEMP_TRY(finish_report(&r));
done:
	code = gemp_report_finish(&report, code);
	gemp_toolbox_free(r.arrays.box);
	gemp_context_free(r.context);
	gemp_numbers_free(&r.numbers);
	return code;
}
