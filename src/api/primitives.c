/* primitives: arrays of numbers over all ranks. The engine of primitive/arrays_ranks.h sorts them or reduces them to
 * distinct numbers, on the context's device or on the threads of the host. A call works in place, writes the file of
 * the settings, and reports. */

#include "gemp/primitives.h"

#include "api/report.h"
#include "core/memory.h"
#include "core/quantity.h"
#include "io/arrays/numbers.h"
#include "io/arrays/numbers_read.h"
#include "primitive/arrays_ranks.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static_assert((int)GEMP_NUMBER_UINT32 == GEMP_KEY_U32 && (int)GEMP_NUMBER_UINT64 == GEMP_KEY_U64 &&
                  (int)GEMP_NUMBER_INT32 == GEMP_KEY_I32 && (int)GEMP_NUMBER_INT64 == GEMP_KEY_I64 &&
                  (int)GEMP_NUMBER_FLOAT == GEMP_KEY_F32 && (int)GEMP_NUMBER_DOUBLE == GEMP_KEY_F64 &&
                  (int)GEMP_NUMBER_AUTO == GEMP_NUMBERS_AUTO,
              "the public types are the engine's kinds of keys");

/* If the caller leaves the choice of the place to the library, and all ranks together have fewer numbers, the hosts do
 * the work, since opening a device takes longer. */
enum { DEVICE_MIN = 1 << 16 };

struct gemp_array {
	gemp_context *context; /* borrowed */
	gemp_number_array numbers;
	double read_seconds; /* seconds of reading that no report has yet */
};

GEMP_SETTINGS(gemp_array_settings)
GEMP_RELEASE(gemp_array_close, gemp_array *)

/* OPEN AND CLOSE */

/* The engines compare bits, and NaN has many bit patterns. Every NaN becomes C's NAN, which is sorted after
 * infinity. */
static void unify_nans(gemp_key_kind kind, void *values, size_t count)
{
	float *narrow = values;
	double *real = values;
	for (size_t i = 0; kind == GEMP_KEY_F32 && i < count; i++)
		narrow[i] = isnan(narrow[i]) ? NAN : narrow[i];
	for (size_t i = 0; kind == GEMP_KEY_F64 && i < count; i++)
		real[i] = isnan(real[i]) ? (double)NAN : real[i];
}

/* Collective. Makes an array without numbers. */
static gemp_code new_array(gemp_array **out, gemp_context *context)
{
	*out = NULL;
	GEMP_TRY(gemp_comm_agree(&context->comm, GEMP_NEW(*out, 1)));
	(*out)->context = context;
	return GEMP_OK;
}

/* The values are copied, since sorting works in place and NaNs are replaced. `total` is the count over all ranks. */
gemp_code gemp_array_open(gemp_array **out, gemp_context *context, gemp_number_type type, const void *values,
                          size_t count)
{
	GEMP_OWNED_BY(gemp_array_close_at) gemp_array *array = NULL;
	const gemp_key_kind kind = (gemp_key_kind)type;
	*out = NULL;
	if ((unsigned)type > GEMP_NUMBER_DOUBLE)
		return gemp_fail(GEMP_EUSAGE, "type %d is none of gemp_number_type", (int)type);
	GEMP_TRY(new_array(&array, context));
	array->numbers = (gemp_number_array){ .kind = kind,
		                                  .values = gemp_calloc(count, gemp_key_size(kind)),
		                                  .count = count,
		                                  .total = gemp_comm_sum1(&context->comm, count) };
	GEMP_TRY(gemp_comm_agree(&context->comm, array->numbers.values ? GEMP_OK : GEMP_ENOMEM));
	if (count)
		memcpy(array->numbers.values, values, count * gemp_key_size(kind));
	unify_nans(kind, array->numbers.values, count);
	*out = GEMP_MOVE(array);
	return GEMP_OK;
}

gemp_code gemp_array_read(gemp_array **out, gemp_context *context, const char *path, gemp_number_type type)
{
	GEMP_OWNED_BY(gemp_array_close_at) gemp_array *array = NULL;
	double since = gemp_now();
	*out = NULL;
	GEMP_TRY(new_array(&array, context));
	GEMP_TRY(gemp_number_array_read(&array->numbers, &context->comm, path, (gemp_key_kind)type));
	array->read_seconds = gemp_now() - since;
	*out = GEMP_MOVE(array);
	return GEMP_OK;
}

void gemp_array_close(gemp_array *array)
{
	if (!array)
		return;
	gemp_number_array_free(&array->numbers);
	gemp_free(array);
}

const void *gemp_array_values(const gemp_array *array, size_t *count)
{
	*count = array->numbers.count;
	return array->numbers.values;
}

gemp_number_type gemp_array_type(const gemp_array *array)
{
	return (gemp_number_type)array->numbers.kind;
}

/* WORK */

/* The state that the steps of one call share. */
typedef struct array_call {
	gemp_array *array;
	const gemp_comm *comm;
	gemp_array_settings settings;
	gemp_report *report;   /* NULL: none is wanted */
	gemp_runtime *runtime; /* NULL: no device was opened */
	gemp_arrays arrays;
	uint64_t total; /* count of numbers on all ranks before the call */
	double since;   /* gemp_now() when the work began */
	double seconds; /* seconds of the work on this rank */
	uint64_t moved; /* count of numbers that the work reads and writes on this rank, without repeated passes */
} array_call;

/* Collective. Opens the device if it may be used. A machine without a device is a failure only if the caller requires a
 * device. */
static gemp_code open_device(array_call *call)
{
	gemp_arrays *arrays = &call->arrays;
	const bool automatic = arrays->place == GEMP_PLACE_AUTO;
	if (arrays->place == GEMP_PLACE_HOST || (automatic && call->total < DEVICE_MIN))
		return GEMP_OK;
	double since = gemp_now();
	gemp_code code = gemp_context_runtime(&call->runtime, call->array->context, GEMP_NEED_FIRST_DEVICE, NULL);
	if (code == GEMP_ENODEVICE && automatic)
		return GEMP_OK;
	GEMP_TRY(code);
	arrays->device = call->runtime->device;
	GEMP_TRY(gemp_comm_agree(call->comm, gemp_toolbox_new(&arrays->box, arrays->device, GEMP_FORM_AUTO)));
	gemp_timers_add(&arrays->timers, GEMP_PHASE_BUILD, since);
	return GEMP_OK;
}

/* Collective. The caller frees the call, also after a failure. */
static gemp_code begin(array_call *call, gemp_array *array, const gemp_array_settings *settings, gemp_report *report)
{
	*call = (array_call){
		.array = array,
		.comm = &array->context->comm,
		.settings = gemp_array_settings_from(settings),
		.report = report,
		.total = array->numbers.total,
	};
	if (call->settings.output)
		GEMP_TRY(gemp_number_array_check_output(call->comm, call->settings.output));
	call->arrays.place = call->settings.place;
	call->arrays.timers.seconds[GEMP_PHASE_READ] = array->read_seconds;
	array->read_seconds = 0;
	GEMP_TRY(open_device(call));
	call->since = gemp_now();
	return GEMP_OK;
}

static void free_call(array_call *call)
{
	gemp_toolbox_free(call->arrays.box);
}

/* Collective. Ends the report. */
static gemp_code report_work(array_call *call)
{
	gemp_report *report = call->report;
	const gemp_number_array *numbers = &call->array->numbers;
	const gemp_arrays *arrays = &call->arrays;
	const double *seconds = arrays->timers.seconds;
	gemp_report_set(report, "type", json_string(gemp_key_name[numbers->kind]));
	gemp_report_set_counts(report, { "numbers", call->total }, { "file_bytes", numbers->bytes });
	gemp_report_set(report, "work_seconds", json_real(call->seconds));
	GEMP_TRY(gemp_report_rate(
		report, arrays->on_device ? arrays->device : NULL, seconds[GEMP_PHASE_KERNEL] + seconds[GEMP_PHASE_RESOLVE],
		seconds[GEMP_PHASE_UPLOAD] + seconds[GEMP_PHASE_DOWNLOAD], call->moved * gemp_key_size(numbers->kind)));
	gemp_report_traffic(report, &arrays->traffic);
	return gemp_report_resources(report, call->runtime, &arrays->timers);
}

/* Collective. Writes the array if the settings name a file, and ends the report. */
static gemp_code finish(array_call *call)
{
	const gemp_number_array *numbers = &call->array->numbers;
	const char *path = call->settings.output;
	double since = gemp_now();
	if (path) {
		GEMP_TRY(gemp_number_array_write(call->comm, path, numbers->kind, numbers->values, numbers->count));
		gemp_timers_add(&call->arrays.timers, GEMP_PHASE_WRITE, since);
	}
	return call->report ? report_work(call) : GEMP_OK;
}

/* `moved` counts each number once as read and once as written, for any number of passes of the engine. */
gemp_code gemp_array_sort(gemp_array *array, const gemp_array_settings *settings, gemp_report *report)
{
	GEMP_OWNED_BY(free_call) array_call call = { 0 };
	gemp_number_array *numbers = &array->numbers;
	GEMP_TRY(begin(&call, array, settings, report));
	const gemp_sort sort = { .key = numbers->kind, .descending = call.settings.descending };
	GEMP_TRY(gemp_sort_ranks(call.comm, &call.arrays, &sort, &numbers->values, NULL, &numbers->count));
	call.seconds = gemp_now() - call.since;
	call.moved = 2 * numbers->count;
	if (report) {
		gemp_report_print(report, "%s (%s) in %s order\n", gemp_counted(numbers->total, "number").text,
		                  gemp_key_name[numbers->kind], sort.descending ? "descending" : "ascending");
		gemp_report_set(report, "descending", json_boolean(sort.descending));
	}
	return finish(&call);
}

/* -0.0 + 0.0 is 0.0, so both zeros become the same number. */
static void merge_zeros(gemp_key_kind kind, void *values, size_t count)
{
	float *narrow = values;
	double *real = values;
	for (size_t i = 0; kind == GEMP_KEY_F32 && i < count; i++)
		narrow[i] += 0.0f;
	for (size_t i = 0; kind == GEMP_KEY_F64 && i < count; i++)
		real[i] += 0.0;
}

/* Collective. *count becomes the number of distinct values on this rank after the call. */
static gemp_code find_distinct(array_call *call, size_t *count)
{
	gemp_number_array *numbers = &call->array->numbers;
	void *values = NULL;
	merge_zeros(numbers->kind, numbers->values, numbers->count);
	GEMP_TRY(gemp_distinct_ranks(call->comm, &call->arrays, numbers->kind, numbers->values, numbers->count,
	                             call->settings.count_only ? NULL : &values, count));
	if (call->settings.count_only)
		return GEMP_OK;
	gemp_free(numbers->values);
	numbers->values = values;
	numbers->count = *count;
	return GEMP_OK;
}

/* With count_only the array and its total do not change. */
gemp_code gemp_array_distinct(gemp_array *array, const gemp_array_settings *settings, uint64_t *distinct,
                              gemp_report *report)
{
	GEMP_OWNED_BY(free_call) array_call call = { 0 };
	gemp_number_array *numbers = &array->numbers;
	const size_t before = numbers->count;
	size_t count = 0;
	GEMP_TRY(begin(&call, array, settings, report));
	GEMP_TRY(find_distinct(&call, &count));
	call.seconds = gemp_now() - call.since;
	call.moved = before + count;
	const uint64_t all = gemp_comm_sum1(call.comm, count);
	if (!call.settings.count_only)
		numbers->total = all;
	if (distinct)
		*distinct = all;
	if (report) {
		gemp_report_print(report, "%s (%s) of %s\n", gemp_counted(all, "distinct number").text,
		                  gemp_key_name[numbers->kind], gemp_grouped(call.total).text);
		gemp_report_set(report, "distinct", gemp_json_count(all));
	}
	return finish(&call);
}
