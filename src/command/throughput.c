#include "command/throughput.h"

#include "command/quantity.h"
#include "core/memory.h"

static void report_steps(gemp_report *report, const gemp_steps *steps)
{
	double own[GEMP_MOST_STEPS] = { 0 }, least[GEMP_MOST_STEPS], sum[GEMP_MOST_STEPS], most[GEMP_MOST_STEPS];
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
		                    json_pack("{s:f, s:f, s:f}", "min", least[i], "avg", sum[i] / report->comm->size, "max",
		                              most[i]));
		gemp_report_detail(report, "%s %s %s", i ? "," : "", steps->step[i].name, gemp_shown_seconds(most[i]).text);
	}
	gemp_report_detail(report, "   (seconds of the slowest rank)\n");
	gemp_report_set(report, "steps", object);
}

void gemp_report_throughput(gemp_report *report, const gemp_steps *steps, uint64_t edges, uint64_t bytes)
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
