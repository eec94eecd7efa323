/* runtime: the ranks, devices, budgets, timers and traffic of one run; and the division of the devices and cores of a
 * node among its ranks. */

#ifndef GEMP_PARTITION_RUNTIME_H
#define GEMP_PARTITION_RUNTIME_H

#include "comm/exchange.h"
#include "core/memory.h"
#include "core/timer.h"
#include "device/program.h"
#include "device/select.h"

/* 0: chosen by the engines. Tests set small values. */
typedef struct gemp_budgets {
	size_t host_memory, device_memory; /* bytes of a rank */
	uint64_t result_buffer;            /* matches that a launch may leave on the device */
	uint64_t outbox;                   /* entries of one stage and destination */
	size_t row_cache;                  /* bytes */
} gemp_budgets;

/* Work of one device: seconds of kernels that search or count; launches and matches of searches. */
typedef struct gemp_device_work {
	double seconds;
	uint64_t launches, matches;
} gemp_device_work;

typedef struct gemp_runtime {
	gemp_comm *comm;     /* borrowed */
	gemp_device *device; /* owned; the rank's first */
	struct gemp_runtime *
		*others; /* [other_count] owned; runtimes of the rank's other devices, each with a comm of this rank alone */
	size_t other_count;
	size_t devices;        /* of all ranks together */
	gemp_device_work work; /* of the first device */
	gemp_budgets budgets;
	gemp_timers timers;
	gemp_traffic traffic;
	size_t program_builds;                                /* not from the cache */
	struct gemp_resident *resident;                       /* rows of graphs, see resident.h */
	void (*evict_resident)(struct gemp_runtime *context); /* frees all of `resident`; NULL until there are some */
	bool keep_resident;                                   /* unused ones stay in `resident` */
	double start_time;                                    /* gemp_now() at start */
} gemp_runtime;

/* Local. The largest peak of buffer bytes of the rank's devices. */
size_t gemp_runtime_device_peak(const gemp_runtime *context);

/* Collective. One rank of a node builds the program; the others load it from the cache. */
gemp_code gemp_runtime_program(gemp_runtime *context, gemp_program *out, const char *source, const char *options);

/* Cluster schedulers show each rank its own devices, so the first device of one rank may be the second of another, or
 * another card. Ranks therefore compare places on the PCI bus and UUIDs, not numbers. */

/* Collective over a node. *count: the ranks of the node that choose among the same devices as this rank; *position: the
 * place of this rank among them. Where the scheduler shows each rank only some devices, they are fewer than the ranks
 * of the node. */
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
