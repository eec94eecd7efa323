/* devices: the OpenCL devices of a machine, and which rank takes which of them. */

#include "api/report_state.h"
#include "core/memory.h"
#include "core/quantity.h"
#include "device/select.h"

#include <string.h>
#include <unistd.h>

/* Where a rank found itself, with one of its devices. */
typedef struct device_place {
	char host[64], pci[16], uuid[48];
	int rank, index, shared_by;
	unsigned units;
} device_place;

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

static void print_places(gemp_report *report, const device_place *places, size_t count)
{
	json_t *list = json_array();
	gemp_report_print(report, "\n%6s  %-20s %6s %6s  %s\n", "rank", "host", "device", "units",
	                  "ranks on the same device");
	for (size_t i = 0; i < count; i++) {
		const device_place *at = &places[i];
		gemp_report_print(report, "%6d  %-20.20s %6d %6u  %d%s%s\n", at->rank, at->host, at->index, at->units,
		                  at->shared_by, at->pci[0] ? ", " : "", at->pci);
		json_array_append_new(list,
		                      json_pack("{s:i, s:s, s:i, s:I, s:i, s:o, s:o}", "rank", at->rank, "host", at->host,
		                                "device", at->index, "units", (json_int_t)at->units, "shared_by", at->shared_by,
		                                "pci", text_or_null(at->pci), "uuid", text_or_null(at->uuid)));
	}
	gemp_report_set(report, "assignment", list);
}

static void find(device_place *own, const gemp_runtime *context, int rank)
{
	const gemp_device *device = context->device;
	gethostname(own->host, sizeof own->host - 1);
	memcpy(own->pci, device->pci, sizeof own->pci);
	memcpy(own->uuid, device->uuid, sizeof own->uuid);
	own->rank = rank;
	own->index = device->index;
	own->shared_by = device->shared_by;
	own->units = device->units;
}

/* Collective. */
static gemp_code report_places(gemp_report *report, const gemp_comm *comm)
{
	gemp_runtime *context = NULL;
	GEMP_OWNED device_place *own = NULL, *places = NULL;
	GEMP_OWNED size_t *begin = NULL;
	GEMP_PROPAGATE(gemp_context_runtime(&context, report->context, true, NULL));
	size_t count = context->other_count + 1;
	GEMP_PROPAGATE(gemp_comm_agree(comm, GEMP_NEW(own, count)));
	find(&own[0], context, comm->rank);
	for (size_t i = 0; i < context->other_count; i++)
		find(&own[i + 1], context->others[i], comm->rank);
	GEMP_PROPAGATE(gemp_comm_allgather(comm, own, count * sizeof *own, (void **)&places, &begin));
	print_places(report, places, begin[comm->size] / sizeof *own);
	return GEMP_OK;
}

gemp_code gemp_context_devices(gemp_context *context, gemp_report *report)
{
	GEMP_OWNED gemp_device_info *list = NULL;
	size_t count;
	GEMP_PROPAGATE(gemp_comm_agree(&context->comm, gemp_device_list(&list, &count)));
	print_table(report, list, count);
	return report_places(report, &context->comm);
}
