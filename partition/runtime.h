/* runtime: what every engine runs over: ranks, a device, budgets, clocks. */

#ifndef GEMP_PARTITION_RUNTIME_H
#define GEMP_PARTITION_RUNTIME_H

#include "comm/exchange.h"
#include "core/timer.h"
#include "device/program.h"

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
	size_t program_builds;          /* not from the cache */
	struct gemp_resident *resident; /* rows of graphs, see resident.h */
	bool keep_resident;             /* also those that nobody uses */
	double start_time;              /* gemp_now() at start */
} gemp_runtime;

/* Local. The most that one of the rank's devices has held. */
size_t gemp_runtime_device_peak(const gemp_runtime *context);

/* Collective. One rank a node builds, the others load what it has stored. */
gemp_code gemp_runtime_program(gemp_runtime *context, gemp_program *out, const char *source, const char *options);

#endif
