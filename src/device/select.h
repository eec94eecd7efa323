/* select: the OpenCL devices of this machine, and the devices that each rank uses.
 *
 * A device is identified by its place on the PCI bus and by its UUID, independent of its number in a list. Drivers of
 * GPUs know both (cl_khr_pci_bus_info or cl_nv_device_attribute_query, cl_khr_device_uuid). A CPU device has neither,
 * and is identified by its platform, name and index. Devices are listed in the order in which the ICD loader gives
 * them. Local: ranks of a node choose by their number on the node, without messages. */

#ifndef GEMP_DEVICE_SELECT_H
#define GEMP_DEVICE_SELECT_H

#include "core/status.h"

#include <CL/cl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The devices that `devices` prints, by platform in the order of the ICD loader. The caller frees the array
 * (gemp_free). */
typedef struct gemp_device_info {
	char name[128], vendor[64], driver[64], platform[64];
	char pci[16], uuid[48]; /* pci: place on the PCI bus; both are "" if unknown */
	bool gpu;
	unsigned units;
	size_t memory, max_buffer, local_memory;
} gemp_device_info;
gemp_code gemp_device_list(gemp_device_info **out, size_t *count);

/* A device that is not open yet. */
typedef struct gemp_device_pick {
	cl_device_id id;
	gemp_device_info info;
	int index;      /* number of the device on this machine, as `devices` lists it */
	int shared_by;  /* number of ranks of this node that use the device */
	int position;   /* position of this rank among these ranks */
	unsigned cores; /* number of cores of a CPU device that this rank may use; 0: an equal part of all cores */
} gemp_device_pick;

/* Assigns devices to the rank with number node_rank of node_size ranks on this machine. spec is NULL or words separated
 * by commas: "auto" (GPUs if there are any, else CPUs), "all" (the same, divided among the ranks), "cpu", "gpu",
 * indices "0,1", places on the PCI bus "65:00.0", UUIDs, or a part of a name. The devices of one word are in PCI order.
 * The rank gets one device, in turn, or several (gemp_device_rank_range): *picks[*count], which the caller frees.
 * shared_by and position assume that all ranks see the same devices. GEMP_ENODEVICE if there is no device; the message
 * says how to install one. */
gemp_code gemp_device_assign(gemp_device_pick **picks, size_t *count, const char *spec, int node_rank, int node_size);
/* A hash of the devices that the text chooses. Ranks of a machine compare it: equal hashes mean the same devices. */
gemp_code gemp_device_spec_hash(uint64_t *digest, const char *spec);

enum { GEMP_IDENTITY_SIZE = 224 };
/* Writes a text that two ranks of one machine have in common exactly if it stands for the same device. index: the
 * number in the list of devices, which identifies a device without PCI place and UUID. */
void gemp_device_identity(char out[GEMP_IDENTITY_SIZE], const gemp_device_info *info, int index);

/* Choice of devices by a --devices text. */

/* chosen[count] gets the indices of the chosen devices, *chosen_count of them, each once, in the order of the text and
 * for one word in PCI order. A word that fits no device is GEMP_ENODEVICE, and the message lists the devices. */
gemp_code gemp_device_choose(const char *spec, const gemp_device_info *devices, size_t count, size_t *chosen,
                             size_t *chosen_count);

/* Does the text select GPUs, if there are any? False for a list, whose devices are found by other properties. */
bool gemp_device_spec_prefers_gpus(const char *spec);
/* Does the text list several devices, or is it "all"? */
bool gemp_device_spec_is_list(const char *spec);
/* Computes which of the `chosen` devices the rank with number node_rank of node_size ranks uses: *count devices from
 * *first on. A text that is a list of more devices than ranks gives each rank neighbouring devices, evenly divided.
 * Otherwise each rank has one device, in turn. */
void gemp_device_rank_range(const char *spec, size_t chosen, int node_rank, int node_size, size_t *first,
                            size_t *count);

#endif
