/* The devices of all ranks, and what each of them did. */
#include "command/quantity.h"
#include "command/report.h"

#include "core/memory.h"

#include <string.h>

enum { MOST_LINES = 16 };

/* What a rank tells rank 0 of one of its devices. */
typedef struct seat {
	char name[128], platform[64];
	int index, gpu, rank;
	gemp_device_work work;
} seat;

static void fill(seat *own, const gemp_context *context, int rank)
{
	const gemp_device *device = context->device;
	memcpy(own->name, device->name, sizeof own->name);
	memcpy(own->platform, device->platform, sizeof own->platform);
	own->index = device->index;
	own->gpu = device->gpu;
	own->rank = rank;
	own->work = context->work;
}

/* Collective. In the order of ranks. */
static gemp_code gather(seat **seats, size_t *count, const gemp_report *report, const gemp_context *context)
{
	gemp_code code = GEMP_OK;
	size_t devices = context->other_count + 1, *begin = NULL;
	seat *own = NULL;
	GEMP_TRY(gemp_comm_agree(report->comm, GEMP_NEW(own, devices)));
	fill(&own[0], context, report->comm->rank);
	for (size_t i = 0; i < context->other_count; i++)
		fill(&own[i + 1], context->others[i], report->comm->rank);
	GEMP_TRY(gemp_comm_gather_all(report->comm, own, devices * sizeof *own, (void **)seats, &begin));
	*count = begin[report->comm->size] / sizeof *own;
done:
	gemp_free(own);
	gemp_free(begin);
	return code;
}

static bool alike(const seat *a, const seat *b)
{
	return a->index == b->index && a->gpu == b->gpu && !strcmp(a->name, b->name) && !strcmp(a->platform, b->platform);
}

/* "4 x NAME (PLATFORM), ..." and the same in JSON: ranks with like devices together. */
static void print_seats(gemp_report *report, const seat *seats, size_t count)
{
	json_t *list = json_array();
	gemp_report_detail(report, "  %-10s", "devices");
	for (size_t i = 0, shown = 0; i < count; i++) {
		size_t ranks = 0, earlier = 0;
		for (size_t j = 0; j < count; j++)
			if (alike(&seats[i], &seats[j])) {
				ranks++;
				earlier += j < i;
			}
		if (earlier)
			continue;
		json_array_append_new(list, json_pack("{s:s, s:s, s:i, s:b, s:I}", "name", seats[i].name, "platform",
		                                      seats[i].platform, "index", seats[i].index, "gpu", seats[i].gpu,
		                                      "ranks", (json_int_t)ranks));
		gemp_report_detail(report, "%s%zu x %s", shown++ ? ", " : " ", ranks, seats[i].name);
	}
	gemp_report_detail(report, "\n");
	gemp_report_set(report, "devices", list);
}

gemp_code gemp_report_devices(gemp_report *report, const gemp_context *context)
{
	seat *seats = NULL;
	size_t count;
	if (!context) {
		gemp_report_set(report, "devices", json_array());
		return GEMP_OK;
	}
	gemp_code code = gather(&seats, &count, report, context);
	if (code == GEMP_OK && report->comm->rank == 0)
		print_seats(report, seats, count);
	gemp_free(seats);
	return code;
}

/* People see it where a rank has several devices. */
static void print_work(gemp_report *report, const seat *seats, size_t count)
{
	json_t *list = json_array();
	bool shown = count > (size_t)report->comm->size && count <= MOST_LINES;
	for (size_t i = 0; i < count; i++) {
		const gemp_device_work *work = &seats[i].work;
		json_array_append_new(list, json_pack("{s:i, s:i, s:s, s:f, s:o, s:o}", "rank", seats[i].rank, "device",
		                                      seats[i].index, "name", seats[i].name, "seconds", work->seconds,
		                                      "launches", gemp_json_count(work->launches), "matches",
		                                      gemp_json_count(work->matches)));
		if (shown)
			gemp_report_detail(report, "  %-10s rank %d, device %d: %s s in %s launch%s, %s\n", i ? "" : "work",
			                   seats[i].rank, seats[i].index, gemp_shown_seconds(work->seconds).text,
			                   gemp_grouped(work->launches).text, work->launches == 1 ? "" : "es",
			                   gemp_counted(work->matches, "match").text);
	}
	gemp_report_set(report, "work", list);
}

gemp_code gemp_report_work(gemp_report *report, const gemp_context *context)
{
	seat *seats = NULL;
	size_t count;
	gemp_code code = gather(&seats, &count, report, context);
	if (code == GEMP_OK && report->comm->rank == 0)
		print_work(report, seats, count);
	gemp_free(seats);
	return code;
}
