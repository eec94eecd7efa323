/* runtime: the ranks, devices, budgets, timers and traffic of one run. The module also divides the devices and cores of
 * a node among its ranks. Devices are opened when an engine first needs one, on all ranks or on none. */

#ifndef GEMP_PARTITION_RUNTIME_H
#define GEMP_PARTITION_RUNTIME_H

#include "comm/exchange.h"
#include "core/memory.h"
#include "core/timer.h"
#include "device/program.h"
#include "device/select.h"

/* If a budget is 0, the engines choose it. Tests set small values. */
typedef struct gemp_budgets {
	size_t host_memory, device_memory; /* bytes for each rank */
	uint64_t result_buffer;            /* matches that a launch may leave on the device */
	uint64_t outbox;                   /* entries for each stage and destination */
	size_t row_cache;                  /* bytes */
} gemp_budgets;

/* The work of one device: seconds of the kernels that search or count, and launches and matches of searches. */
typedef struct gemp_device_work {
	double seconds;
	uint64_t launches, matches;
} gemp_device_work;

/* The part of this rank in the searches of a run. Sums over the ranks have these relations: `sent` equals `received`,
 * `forms_sent` equals `forms_received`, and embeddings less matches are duplicates. */
typedef struct gemp_rank_work {
	uint64_t pivots, launches;           /* of searches on devices or by threads of the host */
	uint64_t reads;                      /* profile: row entries walked and lookups */
	uint64_t sent, received;             /* partial matches that left for owners of rows, and that arrived */
	uint64_t rows_fetched;               /* rows that owners sent to this rank */
	uint64_t embeddings;                 /* found on this rank */
	uint64_t forms_sent, forms_received; /* canonical forms that left for owners of their hashes, and that arrived */
	uint64_t matches; /* classes of embeddings that this rank owns; without hashing, the embeddings */
	/* forms were sent several times or not at all, since memory was short or a limit ended the search */
	uint64_t inexact;
} gemp_rank_work;

/* A launch of a search: the size that was planned, tasks that were offered and taken, matches that workers found room
 * for or wanted to write, rows of the result buffer (0: matches were only counted), seconds of the kernel. */
typedef struct gemp_launch_size {
	double batch;
	uint64_t tasks, taken, results, capacity;
	double seconds;
} gemp_launch_size;

/* The first launches, if a profile is wanted. */
typedef struct gemp_launch_sizes {
	gemp_launch_size *launches; /* [count] owned */
	size_t count, capacity;
} gemp_launch_sizes;

typedef struct gemp_runtime {
	gemp_comm *comm;         /* borrowed */
	const char *device_spec; /* borrowed; the text that gemp_device_assign takes, or NULL */
	gemp_device *device;     /* owned; the rank's first device; NULL: no device is open */
	/* [other_count] owned; runtimes of the rank's other devices, each with a communicator of this rank alone */
	struct gemp_runtime **others;
	size_t other_count;
	bool first_only;       /* only the rank's first device is open */
	size_t devices;        /* number of open devices of all ranks together */
	gemp_device_work work; /* the work of the first device */
	gemp_rank_work share;
	gemp_budgets budgets;
	gemp_timers timers;
	double hidden_seconds; /* seconds of kernels of a search during which the host did work of other phases */
	gemp_launch_sizes launch_sizes;
	gemp_traffic traffic;
	size_t program_builds;          /* programs that were built and not loaded from the cache */
	struct gemp_resident *resident; /* rows of graphs on the device, see resident.h */
	/* frees all of `resident`; NULL while there are no resident rows */
	void (*evict_resident)(struct gemp_runtime *context);
	bool keep_resident; /* rows that no query uses stay in `resident` */
} gemp_runtime;

/* Local. Counts the canonical forms of one exchange. */
static inline void gemp_runtime_count_forms(gemp_runtime *context, uint64_t sent, uint64_t received)
{
	context->share.forms_sent += sent;
	context->share.forms_received += received;
}

/* Local. Returns the largest peak of buffer bytes among the rank's devices; 0 if no device is open. */
size_t gemp_runtime_device_peak(const gemp_runtime *context);

/* Collective. One rank of a node builds the program, and the other ranks load it from the cache. */
gemp_code gemp_runtime_program(gemp_runtime *context, gemp_program *out, const char *source, const char *options);

/* A cluster scheduler may show each rank its own devices only, so the same number may mean different cards on two
 * ranks. Ranks therefore compare places on the PCI bus and UUIDs, not numbers. */

/* Collective over a node. choice: gemp_device_spec_hash of this rank's list of devices. *count becomes the number of
 * ranks of the node that choose among the same devices as this rank. *position becomes the position of this rank among
 * these ranks. If the scheduler shows each rank only some devices, *count may be smaller than the number of ranks of
 * the node. */
void gemp_device_sharing_rank(const gemp_comm *comm, uint64_t choice, int *position, int *count);

/* Collective. Sets shared_by, position and cores of this rank's picks[count], and the number of threads of this rank
 * (core/threads.h). The threads are this rank's part of the cores that it is bound to. Warns of GPUs that several ranks
 * share. */
void gemp_device_sharing_find(const gemp_comm *comm, gemp_device_pick *picks, size_t count);

/* Collective. Opens no device, since loading the drivers takes longer than a small run. devices: the text that
 * gemp_device_assign takes; it is borrowed. */
gemp_code gemp_runtime_new(gemp_runtime **out, gemp_comm *comm, const char *devices, const gemp_budgets *budgets);
/* Collective. Fails as gemp_runtime_open_devices does if the text names a device that is missing. Opens none, and
 * loads no drivers unless devices are named. */
gemp_code gemp_runtime_check_devices(gemp_runtime *context);
/* Collective. An engine calls it before it first reads `device`, `others` or `devices`. Opens this rank's devices
 * unless they are open. After a failure no device is open, and the function may be called again. */
gemp_code gemp_runtime_open_devices(gemp_runtime *context);
/* Collective. Opens only the first of this rank's devices, unless devices are open. Rank 0 warns if the other devices
 * stay unused. */
gemp_code gemp_runtime_open_first(gemp_runtime *context);
/* Local. True if freeing the runtime would wait for a compiler whose result nobody awaits (device/compilation.h). NULL
 * is allowed. */
bool gemp_runtime_is_compiling(const gemp_runtime *context);
void gemp_runtime_free(gemp_runtime *context);
GEMP_RELEASE(gemp_runtime_free, gemp_runtime *)

#endif
