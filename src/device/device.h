/* device: an OpenCL device with its queues, buffers and programs.
 *
 * Every OpenCL call goes through GEMP_CL, which names call and error; out of device memory is GEMP_ENOMEM, a failed build
 * carries the log, anything else is GEMP_EINTERNAL with file:line.
 */
#ifndef GEMP_DEVICE_DEVICE_H
#define GEMP_DEVICE_DEVICE_H

#include "core/status.h"
#include "core/timer.h"
#include "device/tuning.h"

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A program that this process has at hand. */
typedef struct gemp_loaded_program {
	uint64_t key[2];
	cl_program program; /* NULL: none */
} gemp_loaded_program;

/* Page-locked host memory that a GPU writes to by itself. */
typedef struct gemp_locked {
	cl_mem mem;   /* NULL: none */
	char *host;
	size_t room;  /* bytes */
} gemp_locked;

enum { GEMP_LOADED_PROGRAMS = 32, GEMP_LOCKED_LEFT = 2 };

struct gemp_device {
	cl_device_id id;
	cl_context context;
	cl_command_queue queue;    /* kernels, in order, with profiling */
	cl_command_queue transfer; /* a second queue for copies beside kernels */
	char name[128], vendor[64], driver[64], platform[64];
	char pci[16], uuid[48];    /* "": not known */
	bool gpu;                  /* else a CPU device */
	bool nvidia;               /* inline PTX works */
	unsigned units;            /* compute units this rank may use */
	size_t memory;             /* bytes of global memory this rank may use */
	size_t largest;            /* bytes of the largest buffer */
	size_t driver_largest;     /* the same, whatever this rank's part of the memory */
	size_t local;              /* bytes of local memory */
	size_t group;              /* largest work-group */
	size_t held, peak;         /* bytes of buffers now and at most */
	int index;                 /* among the devices of this machine, as `devices` lists them */
	int shared_by;             /* ranks of this node on the same device */
	bool sub_device;
	cl_event launched;         /* the last launch; NULL: none yet */
	struct gemp_traced *traced; /* launches for --trace (device/traced.h); NULL: none */
	bool compiler;             /* has built a program: its compiler has started */
	gemp_loaded_program loaded[GEMP_LOADED_PROGRAMS]; /* the newest */
	size_t loads;              /* of programs, so far */
	gemp_locked locked[GEMP_LOCKED_LEFT]; /* that nobody uses (device/readback.h) */
	gemp_tuning_table tuning;  /* launch geometry: gemp_tuning() */
};

/* GEMP_TRY(GEMP_CL(clFinish(queue))); */
#define GEMP_CL(call) gemp_cl_check((call), #call, __FILE__, __LINE__)
gemp_code gemp_cl_check(cl_int error, const char *call, const char *file, int line);
const char *gemp_cl_error_name(cl_int error);

/* What `devices` prints; platforms in the order the ICD loader gives them. The caller frees the array (gemp_free). */
typedef struct gemp_device_info {
	char name[128], vendor[64], driver[64], platform[64];
	char pci[16], uuid[48]; /* device/identity.h; "": not known */
	bool gpu;
	unsigned units;
	size_t memory, largest, local;
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

/* spec: NULL or "auto" (GPUs if there are any, else CPUs), "all" (the same, for ranks to share out), "cpu", "gpu", indices "0,1",
 * places on the PCI bus "65:00.0", UUIDs, or a part of a name; each may be followed by more, comma separated; what one word
 * stands for is taken in PCI order. The node_rank-th of node_size ranks on this machine gets one device, in turn, or several
 * (gemp_device_share): *picks[*count], which the caller frees. shared_by and position are those of ranks that all see these
 * devices. No device: GEMP_ENODEVICE with what was looked for and how to install one. */
gemp_code gemp_device_choose_own(gemp_device_pick **picks, size_t *count, const char *spec, int node_rank, int node_size);
/* The same number on ranks of a machine which by this text choose among the same devices, and hardly on others. */
gemp_code gemp_device_choice(uint64_t *digest, const char *spec);
/* Ranks that share a CPU device share its cores, and those that share a GPU its memory. memory_limit 0: no limit. Self-tests
 * the device (remembered in the cache). */
gemp_code gemp_device_open_pick(gemp_device **out, const gemp_device_pick *pick, size_t memory_limit);
/* Both, of the first. */
gemp_code gemp_device_open(gemp_device **out, const char *spec, int node_rank, int node_size, size_t memory_limit);
void gemp_device_close(gemp_device *device);

/* BUFFERS. Counted; a request over the largest buffer or the limit is GEMP_ENOMEM and says what was asked for. `from` may
 * be NULL. borrow: on a CPU device use the caller's memory itself (it must outlive the buffer); elsewhere a copy. share: the
 * same for memory that ranks have in common, of which this rank counts `own` bytes; kernels only read it. */
typedef struct gemp_buffer {
	cl_mem mem;
	size_t size; /* bytes */
	size_t own;  /* bytes of these that are counted */
} gemp_buffer;
gemp_code gemp_buffer_new(gemp_buffer *out, gemp_device *device, size_t size, const void *from);
gemp_code gemp_buffer_borrow(gemp_buffer *out, gemp_device *device, size_t size, void *memory);
gemp_code gemp_buffer_share(gemp_buffer *out, gemp_device *device, size_t size, void *memory, size_t own);
void gemp_buffer_free(gemp_buffer *buffer, gemp_device *device);
gemp_code gemp_buffer_write(gemp_device *device, const gemp_buffer *buffer, size_t at, size_t size, const void *from);
gemp_code gemp_buffer_read(gemp_device *device, const gemp_buffer *buffer, size_t at, size_t size, void *to);
gemp_code gemp_buffer_zero(gemp_device *device, const gemp_buffer *buffer, size_t at, size_t size);

/* PROGRAMS. Source is looked up among the newest programs of this process, then in the cache on disk (GEMP_CACHE_DIR, else XDG_CACHE_HOME/gemp-mpi, else ~/.cache/gemp-mpi;
 * "" or an unwritable folder: no cache) by device, driver, platform, source and options; a miss builds and stores: one process
 * of those that ask for it at the same time, the others wait and load. A build that fails for a cold PoCL cache is tried once
 * more. GEMP_GPU and GEMP_NVIDIA are defined in kernels where they hold. */
typedef struct gemp_program {
	cl_program program;
	uint64_t key[2]; /* its name in the cache */
	bool cached;     /* came from the cache */
	double seconds;  /* to build or load */
} gemp_program;
gemp_code gemp_program_new(gemp_program *out, gemp_device *device, const char *source, const char *options);
void gemp_program_free(gemp_program *program);
void gemp_programs_forget(gemp_device *device); /* those at hand */
gemp_code gemp_kernel_new(cl_kernel *out, const gemp_program *program, const char *name);
/* Refresh the cached binary after first launches (PoCL compiles work-groups then). Does nothing for a program that came
 * from the cache. */
gemp_code gemp_program_store(gemp_device *device, const gemp_program *program);

/* The text of an embedded kernel file ("filter.cl", "group.clh"), or of the same file in GEMP_KERNEL_DIR if that is set; its
 * own `#include "x.clh"` lines are replaced by the files. The caller frees (gemp_free). */
gemp_code gemp_kernel_source(char **out, const char *file);

/* ARGUMENTS: GEMP_TRY(gemp_launch(device, kernel, global, group, GEMP_ARG(&buffer.mem), GEMP_ARG(&n), GEMP_LOCAL(256))); */
typedef struct gemp_argument {
	size_t size;
	const void *value; /* NULL: that many bytes of local memory */
} gemp_argument;
#define GEMP_ARG(pointer) ((gemp_argument){ sizeof *(pointer), (pointer) })
#define GEMP_LOCAL(bytes) ((gemp_argument){ (bytes), NULL })
/* One dimension, on device->queue; group 0: the driver chooses, else global is rounded up to a multiple of it; nothing
 * happens for global 0. Does not wait. */
#define gemp_launch(device, kernel, global, group, ...)                                                   \
	gemp_launch_with((device), (kernel), (global), (group), (const gemp_argument[]){ __VA_ARGS__ },   \
	                 sizeof((gemp_argument[]){ __VA_ARGS__ }) / sizeof(gemp_argument))
gemp_code gemp_launch_with(gemp_device *device, cl_kernel kernel, size_t global, size_t group,
                           const gemp_argument *arguments, size_t count);

/* Waits for the last launch and tells how long the device worked on it, by its own clock. */
gemp_code gemp_launch_seconds(gemp_device *device, double *seconds);
/* Has the last launch ended, well or not? */
bool gemp_launch_over(const gemp_device *device);
void gemp_forget_launch(gemp_device *device);

/* The work-group for kernels with workers of `lanes` lanes (kernels/group.clh), of about `wanted` work-items where there is
 * a choice. Launch workers * lanes work-items. */
size_t gemp_worker_group(const gemp_device *device, unsigned lanes, size_t wanted);

#endif
