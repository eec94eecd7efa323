#include "api/match/match_times.h"

#include "core/quantity.h"

#include <math.h>

/* The parts of a search's time. SEARCH is the sum of the four parts behind it, up to READ_BACK. */
typedef enum part {
	READ,
	CONVERT,
	SEARCH,
	BUILD,
	COPY,
	RUN,
	READ_BACK,
	RESULTS,
	VALUES,
	TEST,
	SELECT,
	FILTER,
	EXCHANGE,
	CHECK,
	PARTS
} part;

/* The seven parts of GEMP are 1 read, 2 convert, 3 search, 4 results, 5 values, 6 test, 7 select. */
static const char *const part_name[PARTS] = { "read",   "convert",   "search",   "build",  "copy",
	                                          "run",    "read_back", "results",  "values", "test",
	                                          "select", "filter",    "exchange", "check" };

/* Phases of the same work. Kernels that ran while the host did work of other parts are not counted twice. */
static void split(double seconds[PARTS], const gemp_runtime *runtime)
{
	const double *phase = runtime->timers.seconds;
	seconds[READ] = phase[GEMP_PHASE_READ];
	seconds[CONVERT] = phase[GEMP_PHASE_CONVERT];
	seconds[BUILD] = phase[GEMP_PHASE_BUILD];
	seconds[COPY] = phase[GEMP_PHASE_UPLOAD];
	seconds[RUN] = phase[GEMP_PHASE_PREPARE] + phase[GEMP_PHASE_LAUNCH] +
	               fmax(0, phase[GEMP_PHASE_KERNEL] - runtime->hidden_seconds);
	seconds[READ_BACK] = phase[GEMP_PHASE_DOWNLOAD];
	seconds[SEARCH] = seconds[BUILD] + seconds[COPY] + seconds[RUN] + seconds[READ_BACK];
	seconds[RESULTS] = phase[GEMP_PHASE_DELIVER] + phase[GEMP_PHASE_DISTINCT] + phase[GEMP_PHASE_ATTRIBUTES] +
	                   phase[GEMP_PHASE_WRITE];
	seconds[VALUES] = phase[GEMP_PHASE_VALUES];
	seconds[TEST] = phase[GEMP_PHASE_RESIDUAL];
	seconds[SELECT] = phase[GEMP_PHASE_SELECT];
	seconds[FILTER] = phase[GEMP_PHASE_FILTER];
	seconds[EXCHANGE] = phase[GEMP_PHASE_EXCHANGE] + phase[GEMP_PHASE_RESOLVE];
	seconds[CHECK] = phase[GEMP_PHASE_VERIFY];
}

static void print_parts(gemp_report *report, const double max[PARTS])
{
	gemp_report_detail(report, "  %-10s", "times");
	for (int p = 0; p < PARTS; p++) {
		if (p > SEARCH && p <= READ_BACK)
			continue;
		gemp_report_detail(report, "%s%s %s", p ? ", " : " ", part_name[p], gemp_shown_seconds(max[p]).text);
		for (int s = BUILD; p == SEARCH && s <= READ_BACK; s++)
			gemp_report_detail(report, "%s%s %s%s", s == BUILD ? " (" : ", ",
			                   s == READ_BACK ? "read back" : part_name[s], gemp_shown_seconds(max[s]).text,
			                   s == READ_BACK ? ")" : "");
	}
	gemp_report_detail(report, " (seconds of the slowest rank)\n");
}

void gemp_match_times_report(gemp_report *report, const gemp_match_report *found)
{
	double own[PARTS], min[PARTS], sum[PARTS], max[PARTS];
	json_t *times = json_object();
	split(own, found->runtime);
	gemp_reduce_spread(report->comm, own, PARTS, min, sum, max);
	if (report->comm->rank == 0) {
		for (int p = 0; p < PARTS; p++)
			json_object_set_new(times, part_name[p],
			                    gemp_json_spread(min[p], "avg", sum[p] / report->comm->size, max[p]));
		if (found->how->profile)
			print_parts(report, max);
	}
	gemp_report_set(report, "times", times);
}

void gemp_match_launches_report(gemp_report *report, const gemp_match_report *found)
{
	const gemp_launch_sizes *sizes = &found->runtime->launch_sizes;
	json_t *list = json_array();
	if (!found->how->profile) {
		json_decref(list);
		return;
	}
	for (size_t i = 0; i < sizes->count; i++) {
		const gemp_launch_size *launch = &sizes->launches[i];
		json_t *one = gemp_json_counts({ "tasks", launch->tasks }, { "taken", launch->taken },
		                               { "results", launch->results }, { "capacity", launch->capacity });
		json_object_set_new(one, "planned", json_real(launch->batch));
		json_object_set_new(one, "seconds", json_real(launch->seconds));
		json_array_append_new(list, one);
	}
	gemp_report_set(report, "launch_sizes", list);
}

void gemp_match_residual_report(gemp_report *report, const gemp_match_report *found)
{
	const gemp_residual_figures *r = &found->result->residual;
	gemp_report_set(report, "residual",
	                gemp_json_counts({ "tested", r->tested }, { "kept", r->kept }, { "values_copied", r->copied },
	                                 { "bytes_copied", r->copied_bytes }, { "values_referred", r->referred },
	                                 { "host_bytes", r->host_bytes }, { "device_bytes", r->device_bytes }));
	if (r->tested)
		gemp_report_detail(report,
		                   "  %-10s %s tested after the search, %s kept; values: %s copied in %s, %s on the "
		                   "host, %s on the device\n",
		                   "conditions", gemp_counted(r->tested, "match").text, gemp_grouped(r->kept).text,
		                   gemp_grouped(r->copied).text, gemp_shown_bytes(r->copied_bytes).text,
		                   gemp_shown_bytes(r->host_bytes).text, gemp_shown_bytes(r->device_bytes).text);
}
