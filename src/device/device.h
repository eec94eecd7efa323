/* device: an OpenCL device with its queues, and buffers on it. Local: a rank has one or several devices.
 *
 * GEMP_CL turns the result of an OpenCL call into a gemp_code. Out of memory becomes GEMP_ENOMEM; any other error
 * becomes GEMP_EINTERNAL. The message names error, call, file and line. `queue` runs kernels in order, with profiling;
 * `copy_queue` runs copies concurrently with kernels. Invariant: buffer_bytes is the sum of the counted bytes of all
 * buffers and never exceeds `memory`, the part of the device that this rank may use. */

#ifndef GEMP_DEVICE_DEVICE_H
#define GEMP_DEVICE_DEVICE_H

#define CL_TARGET_OPENCL_VERSION 120

#include "core/status.h"

#include <CL/cl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A program that this process keeps loaded. */
typedef struct gemp_loaded_program {
	uint64_t key[2];
	cl_program program; /* NULL: the entry is free */
	uint64_t used;      /* the value of `uses` of the device when the program was last asked for */
} gemp_loaded_program;

/* Page-locked host memory, which a GPU reads and writes directly. */
typedef struct gemp_pinned {
	cl_mem mem; /* NULL: no memory */
	char *host;
	size_t capacity; /* bytes */
} gemp_pinned;

enum { GEMP_LOADED_PROGRAMS = 32, GEMP_PINNED_POOL = 2 };

typedef struct gemp_device gemp_device;

enum { GEMP_MAX_TUNINGS = 32, GEMP_TUNING_NAME = 128 };

typedef struct gemp_tuning_table {
	uint32_t values[GEMP_MAX_TUNINGS]; /* in the order of gemp_tunables(); 0: the file has no value */
	char source[256];                  /* the file of the values; "": no file */
} gemp_tuning_table;

struct gemp_device {
	cl_device_id id;
	cl_context context;
	cl_command_queue queue;      /* runs kernels in order, with profiling */
	cl_command_queue copy_queue; /* runs copies concurrently with kernels */
	char name[128], vendor[64], driver[64], platform[64];
	char pci[16], uuid[48];   /* pci: place on the PCI bus; both are "" if unknown */
	bool gpu;                 /* false: a CPU device */
	bool nvidia;              /* inline PTX works */
	unsigned units;           /* compute units that this rank may use */
	size_t memory;            /* bytes of global memory that this rank may use */
	size_t max_buffer;        /* maximum bytes of a buffer */
	size_t driver_max_buffer; /* the driver's maximum, regardless of this rank's part of the memory */
	size_t local_memory;      /* bytes of local memory */
	size_t max_group;         /* maximum size of a work-group */
	/* buffer_bytes: counted bytes of all buffers now; buffer_peak: their maximum so far */
	size_t buffer_bytes, buffer_peak;
	int index;     /* number of the device on this machine, as `devices` lists it */
	int shared_by; /* number of ranks of this node that use the device */
	bool sub_device;
	cl_event last_launch;                   /* event of the last launch, or NULL */
	struct gemp_launch_trace *launch_trace; /* launches for --trace (device/launch.h), or NULL */
	/* this process has built a program, so the compiler has been started */
	atomic_bool compiler;
	gemp_loaded_program loaded[GEMP_LOADED_PROGRAMS]; /* the programs that were asked for last */
	uint64_t uses;                                    /* how often a loaded program was asked for */
	struct gemp_compilation *abandoned;               /* compilations that nobody awaits (device/compilation.h) */
	gemp_pinned pinned_pool[GEMP_PINNED_POOL];        /* free blocks (device/staging.h) */
	gemp_tuning_table tuning;                         /* launch geometry, which gemp_tuning() reads */
};

/* GEMP_TRY_DONE(GEMP_CL(clFinish(queue))); */
#define GEMP_CL(call) gemp_cl_check((call), #call, __FILE__, __LINE__)
gemp_code gemp_cl_check(cl_int error, const char *call, const char *file, int line);
const char *gemp_cl_error_name(cl_int error);

/* True if the device has an extension of OpenCL, such as cl_khr_int64_base_atomics. */
bool gemp_device_has(const gemp_device *device, const char *extension);

/* Buffers are counted. A request beyond max_buffer or the remaining memory is GEMP_ENOMEM, and the message has its
 * size. `from` may be NULL. gemp_buffer_borrow uses the caller's memory itself on a CPU device, where it must outlive
 * the buffer, and copies it on other devices. gemp_buffer_share does the same for memory that ranks share, which
 * kernels only read; on a CPU device only `own` bytes of it count for this rank, and the driver's maximum replaces
 * max_buffer. */
typedef struct gemp_buffer {
	cl_mem mem;
	size_t size;    /* bytes of the buffer */
	size_t counted; /* bytes that count against this rank's memory */
	gemp_device *device;
} gemp_buffer;
gemp_code gemp_buffer_new(gemp_buffer *out, gemp_device *device, size_t size, const void *from);
gemp_code gemp_buffer_borrow(gemp_buffer *out, gemp_device *device, size_t size, void *memory);
gemp_code gemp_buffer_share(gemp_buffer *out, gemp_device *device, size_t size, void *memory, size_t own);
/* Makes a buffer of a memory object, which it owns from now on, also after a failure. `own` of its bytes count. */
gemp_code gemp_buffer_adopt(gemp_buffer *out, gemp_device *device, cl_mem mem, size_t size, size_t own);
/* Replaces a buffer, which may be {0}, if it has fewer than `size` bytes. Its content is then lost. */
gemp_code gemp_buffer_reserve(gemp_buffer *buffer, gemp_device *device, size_t size);
void gemp_buffer_free(gemp_buffer *buffer, gemp_device *device);
/* gemp_buffer_free with the buffer's own device, for GEMP_OWNED_BY. */
void gemp_buffer_release(gemp_buffer *buffer);
/* gemp_buffers_free(device, &a, &b) frees each of them. */
#define gemp_buffers_free(device, ...)                                \
	gemp_buffer_list_free((device), (gemp_buffer *[]){ __VA_ARGS__ }, \
	                      sizeof((gemp_buffer *[]){ __VA_ARGS__ }) / sizeof(gemp_buffer *))
void gemp_buffer_list_free(gemp_device *device, gemp_buffer **buffers, size_t count);
gemp_code gemp_buffer_write(gemp_device *device, const gemp_buffer *buffer, size_t at, size_t size, const void *from);
gemp_code gemp_buffer_read(gemp_device *device, const gemp_buffer *buffer, size_t at, size_t size, void *to);
gemp_code gemp_buffer_zero(gemp_device *device, const gemp_buffer *buffer, size_t at, size_t size);

#endif
