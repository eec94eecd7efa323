/* device_report: reports the OpenCL devices of a machine, the device of each rank, and the work and the speed of each
 * device in a run.
 *
 * Each rank describes its devices in entries of a fixed size. All ranks gather the entries in rank order, and rank 0
 * prints them. A rate of bytes is shown with its ratio to the rate of a copy in the same memory, which is measured at
 * that moment. Only the ratio shows how much faster the work could become. */

#include "api/report.h"
#include "core/memory.h"
#include "core/quantity.h"
#include "core/threads.h"
#include "device/open.h"
#include "device/select.h"

#include <string.h>
#include <unistd.h>

/* With more devices the text omits the work of each device. The JSON has all devices. */
enum { MAX_LINES = 16 };

/* The description of one device that a rank sends to the other ranks. */
typedef struct device_entry {
	char host[64], name[128], platform[64], pci[16], uuid[48];
	int rank, index, gpu, shared_by;
	unsigned units;
	gemp_device_work work;
} device_entry;

/* The arrays of text have the same sizes as in gemp_device, so they are copied whole. */
static void describe_device(device_entry *own, const gemp_runtime *runtime, int rank)
{
	const gemp_device *device = runtime->device;
	gethostname(own->host, sizeof own->host - 1);
	memcpy(own->name, device->name, sizeof own->name);
	memcpy(own->platform, device->platform, sizeof own->platform);
	memcpy(own->pci, device->pci, sizeof own->pci);
	memcpy(own->uuid, device->uuid, sizeof own->uuid);
	own->rank = rank;
	own->index = device->index;
	own->gpu = device->gpu;
	own->shared_by = device->shared_by;
	own->units = device->units;
	own->work = runtime->work;
}

/* Collective. (*out)[*count] becomes the devices of all ranks in rank order, with one entry for each device of a rank.
 * The caller frees *out. */
static gemp_code gather_devices(device_entry **out, size_t *count, const gemp_report *report,
                                const gemp_runtime *runtime)
{
	size_t devices = runtime->other_count + 1;
	GEMP_OWNED size_t *begin = NULL;
	GEMP_OWNED device_entry *own = NULL;
	const gemp_code code = GEMP_NEW(own, devices);
	if (code == GEMP_OK)
		describe_device(&own[0], runtime, report->comm->rank);
	for (size_t i = 0; code == GEMP_OK && i < runtime->other_count; i++)
		describe_device(&own[i + 1], runtime->others[i], report->comm->rank);
	GEMP_TRY(gemp_comm_allgather(report->comm, code, own, devices * sizeof *own, (void **)out, &begin));
	*count = begin[report->comm->size] / sizeof *own;
	return GEMP_OK;
}

/* THE DEVICES OF A MACHINE */

/* Returns whether any device reports a PCI address or a UUID. For CPU devices the column would be empty. */
static bool has_places(const gemp_device_info *devices, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (devices[i].pci[0] || devices[i].uuid[0])
			return true;
	return false;
}

static json_t *text_or_null(const char *text)
{
	return text[0] ? json_string(text) : json_null();
}

/* The JSON has more figures of each device than fit into a line. */
static void print_table(gemp_report *report, const gemp_device_info *devices, size_t count)
{
	json_t *list = json_array();
	gemp_report_print(report, "%6s  %-40s %-28s %-4s %6s %10s%s\n", "device", "name", "platform", "kind", "units",
	                  "memory", has_places(devices, count) ? "  PCI and UUID" : "");
	for (size_t i = 0; i < count; i++) {
		const gemp_device_info *device = &devices[i];
		const char *kind = device->gpu ? "gpu" : "cpu";
		gemp_report_print(report, "%6zu  %-40.40s %-28.28s %-4s %6u %10s%s%s%s%s\n", i, device->name, device->platform,
		                  kind, device->units, gemp_shown_bytes(device->memory).text, device->pci[0] ? "  " : "",
		                  device->pci, device->uuid[0] ? "  " : "", device->uuid);
		json_array_append_new(list, json_pack("{s:I, s:s, s:s, s:s, s:s, s:s, s:I, s:o, s:o, s:o, s:o, s:o}", "index",
		                                      (json_int_t)i, "name", device->name, "vendor", device->vendor, "driver",
		                                      device->driver, "platform", device->platform, "kind", kind, "units",
		                                      (json_int_t)device->units, "memory", gemp_json_count(device->memory),
		                                      "largest", gemp_json_count(device->max_buffer), "local",
		                                      gemp_json_count(device->local_memory), "pci", text_or_null(device->pci),
		                                      "uuid", text_or_null(device->uuid)));
	}
	gemp_report_set(report, "devices", list);
}

/* Prints which rank uses which device. */
static void print_places(gemp_report *report, const device_entry *places, size_t count)
{
	json_t *list = json_array();
	gemp_report_print(report, "\n%6s  %-20s %6s %6s  %s\n", "rank", "host", "device", "units",
	                  "ranks on the same device");
	for (size_t i = 0; i < count; i++) {
		const device_entry *at = &places[i];
		gemp_report_print(report, "%6d  %-20.20s %6d %6u  %d%s%s\n", at->rank, at->host, at->index, at->units,
		                  at->shared_by, at->pci[0] ? ", " : "", at->pci);
		json_array_append_new(list,
		                      json_pack("{s:i, s:s, s:i, s:I, s:i, s:o, s:o}", "rank", at->rank, "host", at->host,
		                                "device", at->index, "units", (json_int_t)at->units, "shared_by", at->shared_by,
		                                "pci", text_or_null(at->pci), "uuid", text_or_null(at->uuid)));
	}
	gemp_report_set(report, "assignment", list);
}

/* The table lists the devices of rank 0's machine. The lines below the table come from all ranks, which may run on
 * other machines. */
gemp_code gemp_context_devices(gemp_context *context, gemp_report *report)
{
	GEMP_OWNED gemp_device_info *list = NULL;
	GEMP_OWNED device_entry *entries = NULL;
	gemp_runtime *runtime = NULL;
	size_t count;
	GEMP_TRY(gemp_comm_agree(&context->comm, gemp_device_list(&list, &count)));
	print_table(report, list, count);
	GEMP_TRY(gemp_context_runtime(&runtime, context, GEMP_NEED_ALL_DEVICES, NULL));
	GEMP_TRY(gather_devices(&entries, &count, report, runtime));
	print_places(report, entries, count);
	return GEMP_OK;
}

/* THE DEVICES OF A RUN */

/* Two devices are counted together if index, kind, name and platform are equal, also on different machines. */
static bool alike(const device_entry *a, const device_entry *b)
{
	return a->index == b->index && a->gpu == b->gpu && !strcmp(a->name, b->name) && !strcmp(a->platform, b->platform);
}

/* Prints "4 x NAME, ..." and sets the same in JSON. Ranks with the same device are counted together. */
static void print_devices(gemp_report *report, const device_entry *entries, size_t count)
{
	json_t *list = json_array();
	gemp_report_detail(report, "  %-10s", "devices");
	for (size_t i = 0, shown = 0; i < count; i++) {
		size_t ranks = 0, earlier = 0;
		for (size_t j = 0; j < count; j++)
			if (alike(&entries[i], &entries[j])) {
				ranks++;
				earlier += j < i;
			}
		if (earlier)
			continue;
		json_array_append_new(list, json_pack("{s:s, s:s, s:i, s:b, s:I}", "name", entries[i].name, "platform",
		                                      entries[i].platform, "index", entries[i].index, "gpu", entries[i].gpu,
		                                      "ranks", (json_int_t)ranks));
		gemp_report_detail(report, "%s%zu x %s", shown++ ? ", " : " ", ranks, entries[i].name);
	}
	gemp_report_detail(report, "\n");
	gemp_report_set(report, "devices", list);
}

/* All ranks or none have open devices. Gathering the entries needs every rank, also the ranks that print nothing. */
gemp_code gemp_report_devices(gemp_report *report, const gemp_runtime *runtime)
{
	GEMP_OWNED device_entry *entries = NULL;
	size_t count = 0;
	if (!runtime || !runtime->device) {
		gemp_report_detail(report, "  %-10s  none used\n", "devices");
		gemp_report_set(report, "devices", json_array());
		return GEMP_OK;
	}
	GEMP_TRY(gather_devices(&entries, &count, report, runtime));
	if (report->comm->rank == 0)
		print_devices(report, entries, count);
	return GEMP_OK;
}

/* The text shows the work of each device only if a rank has several devices, whose load may be uneven. */
static void print_work(gemp_report *report, const device_entry *entries, size_t count)
{
	json_t *list = json_array();
	bool shown = count > (size_t)report->comm->size && count <= MAX_LINES;
	for (size_t i = 0; i < count; i++) {
		const gemp_device_work *work = &entries[i].work;
		json_array_append_new(list,
		                      json_pack("{s:i, s:i, s:s, s:f, s:o, s:o}", "rank", entries[i].rank, "device",
		                                entries[i].index, "name", entries[i].name, "seconds", work->seconds, "launches",
		                                gemp_json_count(work->launches), "matches", gemp_json_count(work->matches)));
		if (shown)
			gemp_report_detail(report, "  %-10s rank %d, device %d: %s s in %s launch%s, %s\n", i ? "" : "work",
			                   entries[i].rank, entries[i].index, gemp_shown_seconds(work->seconds).text,
			                   gemp_grouped(work->launches).text, work->launches == 1 ? "" : "es",
			                   gemp_counted(work->matches, "match").text);
	}
	gemp_report_set(report, "work", list);
}

gemp_code gemp_report_work(gemp_report *report, const gemp_runtime *runtime)
{
	GEMP_OWNED device_entry *entries = NULL;
	size_t count = 0;
	if (runtime->device)
		GEMP_TRY(gather_devices(&entries, &count, report, runtime));
	if (report->comm->rank == 0)
		print_work(report, entries, count);
	return GEMP_OK;
}

/* Duplicates are counted where they were removed, which is at the owner of the hash. If forms were sent several times,
 * their number by rank is unknown. */
static json_t *rank_entry(const gemp_rank_work *share, int rank, bool profiled)
{
	json_t *entry = json_pack("{s:i}", "rank", rank);
	const uint64_t duplicates = share->embeddings - share->forms_sent + share->forms_received - share->matches;
	gemp_json_set_counts(entry, { "pivots", share->pivots }, { "launches", share->launches },
	                     { "partial_matches_sent", share->sent }, { "partial_matches_received", share->received },
	                     { "rows_fetched", share->rows_fetched }, { "embeddings", share->embeddings },
	                     { "forms_sent", share->forms_sent }, { "forms_received", share->forms_received },
	                     { "matches", share->matches });
	json_object_set_new(entry, "duplicates_removed", share->inexact ? json_null() : gemp_json_count(duplicates));
	if (profiled)
		json_object_set_new(entry, "reads", gemp_json_count(share->reads));
	return entry;
}

gemp_code gemp_report_by_rank(gemp_report *report, const gemp_runtime *runtime, bool profiled)
{
	GEMP_OWNED gemp_rank_work *shares = NULL;
	GEMP_OWNED size_t *begin = NULL;
	json_t *list = json_array();
	const gemp_code code = gemp_comm_allgather(report->comm, GEMP_OK, &runtime->share, sizeof runtime->share,
	                                           (void **)&shares, &begin);
	for (int rank = 0; code == GEMP_OK && rank < report->comm->size; rank++)
		json_array_append_new(list, rank_entry(&shares[rank], rank, profiled));
	gemp_report_set(report, "by_rank", list);
	return code;
}

/* RATES */

enum { COPIED = 64 << 20, CHUNK = 1 << 20, TRIES = 3, WORTH_MEASURING = 1 << 20 };

/* Copies chunk number `chunk` of the first half of the bytes to the second half. */
static void copy_chunk(void *context, unsigned thread, size_t chunk)
{
	(void)thread;
	char *bytes = context;
	memcpy(bytes + COPIED + chunk * CHUNK, bytes + chunk * CHUNK, CHUNK);
}

/* Measures the bytes a second that all threads of this rank read and write. A copy of 64 MiB exceeds the caches. The
 * best of three tries is the result. */
static gemp_code host_rate(double *rate)
{
	GEMP_OWNED char *bytes = NULL;
	double min = 1e9;
	GEMP_TRY(GEMP_NEW(bytes, 2 * (size_t)COPIED));
	memset(bytes, 1, 2 * (size_t)COPIED);
	for (int i = 0; i < TRIES; i++) {
		double since = gemp_now(), seconds;
		gemp_parallel_for(COPIED / CHUNK, copy_chunk, bytes);
		seconds = gemp_now() - since;
		min = seconds < min ? seconds : min;
	}
	*rate = 2.0 * COPIED / min;
	return GEMP_OK;
}

gemp_code gemp_report_copy_rate(double *copy, const gemp_comm *comm, const gemp_device *device)
{
	gemp_rates rates = { 0 };
	GEMP_TRY(gemp_comm_agree(comm, gemp_device_rates_kept(device, &rates)));
	double sums[2] = { rates.copy, rates.copy > 0 };
	GEMP_MPI(MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_DOUBLE, MPI_SUM, comm->world));
	*copy = (int)sums[1] == comm->size ? sums[0] : 0;
	return GEMP_OK;
}

/* `bytes` are summed over the ranks before the comparison with WORTH_MEASURING. All ranks then take the same branch,
 * which contains a collective call. */
gemp_code gemp_report_rate(gemp_report *report, gemp_device *device, double seconds, double transfers, uint64_t bytes)
{
	double copy = 0;
	const char *on = device ? "device" : "host";
	double slowest[2] = { seconds, transfers };
	GEMP_MPI(MPI_Allreduce(MPI_IN_PLACE, slowest, 2, MPI_DOUBLE, MPI_MAX, report->comm->world));
	seconds = slowest[0], transfers = slowest[1];
	bytes = gemp_comm_sum1(report->comm, bytes);
	double rate = seconds > 0 ? (double)bytes / seconds : 0;
	gemp_report_detail(report, "  %-10s %10.3f ms on the %s: %.1f GB/s", "work", 1e3 * seconds, on, rate / 1e9);
	if (bytes >= WORTH_MEASURING && device)
		GEMP_TRY(gemp_report_copy_rate(&copy, report->comm, device));
	else if (bytes >= WORTH_MEASURING) {
		GEMP_TRY(gemp_comm_agree(report->comm, host_rate(&copy)));
		GEMP_MPI(MPI_Allreduce(MPI_IN_PLACE, &copy, 1, MPI_DOUBLE, MPI_SUM, report->comm->world));
	}
	if (copy > 0)
		gemp_report_detail(report, ", %.2f of a copy there (%.1f GB/s)", rate / copy, copy / 1e9);
	gemp_report_detail(report, "\n");
	if (device)
		gemp_report_detail(report, "  %-10s %10.3f ms to the device and back\n", "copies", 1e3 * transfers);
	gemp_report_set(report, "rate",
	                json_pack("{s:s, s:f, s:f, s:o, s:f, s:o}", "on", on, "seconds", seconds, "transfer_seconds",
	                          transfers, "bytes", gemp_json_count(bytes), "bytes_per_second", rate,
	                          "copy_bytes_per_second", copy > 0 ? json_real(copy) : json_null()));
	return GEMP_OK;
}
