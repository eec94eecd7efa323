/* rates: how fast work was. A rate of bytes stands beside that of a copy in the same memory, measured at that moment, since only the
 * ratio says whether there is room for improvement. Copies of 64 MiB leave the caches; the best of three is taken.
 */

#include "api/rates.h"

#include "core/memory.h"
#include "core/quantity.h"
#include "core/threads.h"
#include "device/open.h"

#include <string.h>

enum { COPIED = 64 << 20, PIECE = 1 << 20, TRIES = 3, WORTH_MEASURING = 1 << 20 };

/* One piece of the copy that gemp_report_rate compares with. */
static void copy_piece(void *context, unsigned thread, size_t piece)
{
	(void)thread;
	char *bytes = context;
	memcpy(bytes + COPIED + piece * PIECE, bytes + piece * PIECE, PIECE);
}

/* Bytes read and written a second by all threads of this rank. */
static gemp_code host_rate(double *rate)
{
	GEMP_OWNED char *bytes = NULL;
	double least = 1e9;
	GEMP_TRY(GEMP_NEW(bytes, 2 * (size_t)COPIED));
	memset(bytes, 1, 2 * (size_t)COPIED);
	for (int i = 0; i < TRIES; i++) {
		double since = gemp_now(), seconds;
		gemp_parallel_for(COPIED / PIECE, copy_piece, bytes);
		seconds = gemp_now() - since;
		least = seconds < least ? seconds : least;
	}
	*rate = 2.0 * COPIED / least;
	return GEMP_OK;
}

gemp_code gemp_report_rate(gemp_report *report, gemp_device *device, double seconds, double transfers, uint64_t bytes)
{
	gemp_code code = GEMP_OK;
	gemp_rates rates = { 0 };
	double copy = 0;
	const char *on = device ? "device" : "host";
	GEMP_MPI(MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, report->comm->world));
	bytes = gemp_comm_sum1(report->comm, bytes);
	double rate = seconds > 0 ? (double)bytes / seconds : 0;
	gemp_report_detail(report, "  %-10s %10.3f ms on the %s: %.1f GB/s", "work", 1e3 * seconds, on, rate / 1e9);
	if (bytes >= WORTH_MEASURING) {
		code = device ? gemp_device_rates(device, &rates) : host_rate(&rates.copy);
		GEMP_TRY(gemp_comm_agree(report->comm, code));
		GEMP_MPI(MPI_Allreduce(&rates.copy, &copy, 1, MPI_DOUBLE, MPI_SUM, report->comm->world));
		gemp_report_detail(report, ", %.2f of a copy there (%.1f GB/s)", rate / copy, copy / 1e9);
	}
	gemp_report_detail(report, "\n");
	if (device)
		gemp_report_detail(report, "  %-10s %10.3f ms to the device and back\n", "copies", 1e3 * transfers);
	gemp_report_set(report, "rate",
	                json_pack("{s:s, s:f, s:f, s:o, s:f, s:o}", "on", on, "seconds", seconds, "transfer_seconds",
	                          transfers, "bytes", gemp_json_count(bytes), "bytes_per_second", rate,
	                          "copy_bytes_per_second", copy > 0 ? json_real(copy) : json_null()));
	return GEMP_OK;
}

/* Steps are the same on all ranks; the text shows the slowest rank, which the others wait for. */
static void report_steps(gemp_report *report, const gemp_step_times *steps)
{
	double own[GEMP_MAX_STEP_TIMES] = { 0 }, least[GEMP_MAX_STEP_TIMES], sum[GEMP_MAX_STEP_TIMES],
		   most[GEMP_MAX_STEP_TIMES];
	int count = (int)steps->count;
	json_t *object = json_object();
	for (int i = 0; i < count; i++)
		own[i] = steps->step[i].seconds;
	GEMP_MPI(MPI_Reduce(own, least, count, MPI_DOUBLE, MPI_MIN, 0, report->comm->world));
	GEMP_MPI(MPI_Reduce(own, sum, count, MPI_DOUBLE, MPI_SUM, 0, report->comm->world));
	GEMP_MPI(MPI_Reduce(own, most, count, MPI_DOUBLE, MPI_MAX, 0, report->comm->world));
	gemp_report_detail(report, "  %-10s", "steps");
	for (int i = 0; i < count && report->comm->rank == 0; i++) {
		json_object_set_new(object, steps->step[i].name,
		                    gemp_json_spread(least[i], "avg", sum[i] / report->comm->size, most[i]));
		gemp_report_detail(report, "%s %s %s", i ? "," : "", steps->step[i].name, gemp_shown_seconds(most[i]).text);
	}
	gemp_report_detail(report, "   (seconds of the slowest rank)\n");
	gemp_report_set(report, "steps", object);
}

/* Rates over the whole time since the report began, reading and writing included. */
void gemp_report_throughput(gemp_report *report, const gemp_step_times *steps, uint64_t edges, uint64_t bytes)
{
	double seconds = gemp_now() - report->began;
	uint64_t resident = gemp_memory_resident_peak();
	gemp_comm_max(report->comm, &resident, 1);
	report_steps(report, steps);
	double edge_rate = seconds > 0 ? (double)edges / seconds : 0, byte_rate = seconds > 0 ? (double)bytes / seconds : 0;
	json_t *object = json_pack("{s:f, s:f}", "seconds", seconds, "edges_per_second", edge_rate);
	gemp_report_detail(report, "  %-10s %s edges/s", "throughput", gemp_grouped((uint64_t)edge_rate).text);
	if (bytes) {
		json_object_set_new(object, "input_bytes", gemp_json_count(bytes));
		json_object_set_new(object, "bytes_per_second", json_real(byte_rate));
		gemp_report_detail(report, ", %s of %s input/s", gemp_shown_bytes((uint64_t)byte_rate).text,
		                   gemp_shown_bytes(bytes).text);
	}
	json_object_set_new(object, "resident_bytes", gemp_json_count(resident));
	gemp_report_detail(report, "; peak of the largest rank in memory %s\n", gemp_shown_bytes(resident).text);
	gemp_report_set(report, "throughput", object);
}
