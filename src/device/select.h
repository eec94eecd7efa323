/* select: the OpenCL devices of this machine, and which of them each rank uses.
 *
 * A device is identified by its place on the PCI bus and by its UUID, whatever number it has in a list. Drivers of
 * GPUs know both (cl_khr_pci_bus_info or cl_nv_device_attribute_query, cl_khr_device_uuid). A CPU device has neither,
 * and is identified by its platform, name and index. Devices are listed in the order in which the ICD loader gives
 * them. Local: ranks of a node choose by their number on the node, without messages.
 */

#ifndef GEMP_DEVICE_SELECT_H
#define GEMP_DEVICE_SELECT_H

#include "core/status.h"

#include <CL/cl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What `devices` prints; platforms in the order the ICD loader gives them. The caller frees the array (gemp_free). */
typedef struct gemp_device_info {
	char name[128], vendor[64], driver[64], platform[64];
	char pci[16], uuid[48]; /* device/select.h; "": not known */
	bool gpu;
	unsigned units;
	size_t memory, max_buffer, local_memory;
} gemp_device_info;
gemp_code gemp_device_list(gemp_device_info **out, size_t *count);

/* A device that is not open yet. */
typedef struct gemp_device_pick {
	cl_device_id id;
	gemp_device_info info;
	int index;      /* among the devices of this machine, as `devices` lists them */
	int shared_by;  /* ranks of this node on it */
	int position;   /* of this rank among them */
	unsigned cores; /* of a CPU device that this rank may use; 0: its part of all */
} gemp_device_pick;

/* spec: NULL or "auto" (GPUs if there are any, else CPUs), "all" (the same, for ranks to share out), "cpu", "gpu",
 * indices "0,1", places on the PCI bus "65:00.0", UUIDs, or a part of a name; each may be followed by more, comma
 * separated; the devices of one word are taken in PCI order. The node_rank-th of node_size ranks on this machine gets
 * one device, in turn, or several (gemp_device_rank_range): *picks[*count], which the caller frees. shared_by and
 * position are those of ranks that all see these devices. Without a device: GEMP_ENODEVICE; the message says how to
 * install one. */
gemp_code gemp_device_assign(gemp_device_pick **picks, size_t *count, const char *spec, int node_rank, int node_size);
/* A hash of the devices that the text chooses. Ranks of a machine compare it: equal hashes mean the same devices. */
gemp_code gemp_device_spec_hash(uint64_t *digest, const char *spec);

enum { GEMP_IDENTITY_SIZE = 224 };
/* The same text on ranks of a machine for the same device only. index: in the list of devices, for those without a name
 * of their own. */
void gemp_device_identity(char out[GEMP_IDENTITY_SIZE], const gemp_device_info *info, int index);

/* Which of a machine's devices a --devices text means. */

/* chosen[0..*chosen_count), room for `count`, gets indices into devices, each once, in the order of the text, and of
 * one word in PCI order (see gemp_device_choose_one). A part that fits no device is GEMP_ENODEVICE, with what there
 * is. */
gemp_code gemp_device_choose(const char *spec, const gemp_device_info *devices, size_t count, size_t *chosen,
                             size_t *chosen_count);

/* Does the text list devices one by one, or say all? */
bool gemp_device_spec_is_list(const char *spec);
/* Of `chosen` devices those of the node_rank-th of node_size ranks of a machine, *count from *first on: neighbouring
 * ones, shared out evenly, if the text says so and they are more than the ranks; else one, in turn. */
void gemp_device_rank_range(const char *spec, size_t chosen, int node_rank, int node_size, size_t *first,
                            size_t *count);

#endif
