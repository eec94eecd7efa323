/* runtime: ranks, devices, budgets, timers and traffic of one run, which every engine needs; and how the ranks of a node divide its
 * devices and cores among themselves. */

#ifndef GEMP_PARTITION_RUNTIME_H
#define GEMP_PARTITION_RUNTIME_H

#include "comm/exchange.h"
#include "core/memory.h"
#include "core/timer.h"
#include "device/program.h"
#include "device/select.h"

/* 0 = choose. Small values are how tests reach every path. */
typedef struct gemp_budgets {
	size_t host_memory, device_memory; /* bytes a rank */
	uint64_t result_buffer;            /* entries: matches a launch may leave on the device */
	uint64_t outbox;                   /* entries a (stage, destination) */
	size_t row_cache;                  /* bytes */
} gemp_budgets;

/* What was done on a device: seconds of kernels that search or count; launches and matches of searches. */
typedef struct gemp_device_work {
	double seconds;
	uint64_t launches, matches;
} gemp_device_work;

typedef struct gemp_runtime {
	gemp_comm *comm;              /* borrowed */
	gemp_device *device;          /* owned; the rank's first */
	struct gemp_runtime **others; /* [other_count] owned; of the rank's other devices, with comms of this rank alone */
	size_t other_count;
	size_t devices;        /* of all ranks together */
	gemp_device_work work; /* of the first device */
	gemp_budgets budgets;
	gemp_timers timers;
	gemp_traffic traffic;
	size_t program_builds;                                /* not from the cache */
	struct gemp_resident *resident;                       /* rows of graphs, see resident.h */
	void (*evict_resident)(struct gemp_runtime *context); /* frees all of `resident`; NULL: there has been none */
	bool keep_resident;                                   /* also those that nobody uses */
	double start_time;                                    /* gemp_now() at start */
} gemp_runtime;

/* Local. The most that one of the rank's devices has held. */
size_t gemp_runtime_device_peak(const gemp_runtime *context);

/* Collective. One rank a node builds, the others load what it has stored. */
gemp_code gemp_runtime_program(gemp_runtime *context, gemp_program *out, const char *source, const char *options);

/* What a rank calls its first device may be another rank's second, or another card, since cluster schedulers show each rank its own
 * devices. So ranks compare places on the PCI bus and UUIDs, not numbers. */

/* Collective over a node. Which of the ranks that choose among the same devices as this one it is, and how many they
 * are: not all ranks of the node, where the scheduler shows each only some. */
void gemp_device_sharing_rank(const gemp_comm *comm, uint64_t choice, int *position, int *count);

/* Collective. Sets shared_by, position and cores of this rank's picks[count], and how many threads this rank may have
 * (core/threads.h): its part of the cores that it is bound to. Warns of GPUs that several ranks share. */
void gemp_device_sharing_find(const gemp_comm *comm, gemp_device_pick *picks, size_t count);

/* Collective. Opens this rank's devices (spec as gemp_device_assign). */
gemp_code gemp_runtime_new(gemp_runtime **out, gemp_comm *comm, const char *devices, const gemp_budgets *budgets);
/* The same of the first of this rank's devices; rank 0 warns if there are others. */
gemp_code gemp_runtime_new_one(gemp_runtime **out, gemp_comm *comm, const char *devices, const gemp_budgets *budgets);
void gemp_runtime_free(gemp_runtime *context);
GEMP_RELEASE(gemp_runtime_free, gemp_runtime *)

#endif
