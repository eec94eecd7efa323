/* context: the members of a gemp_context (gemp/context.h). A context has the ranks, and a runtime for the functions
 * that may need a device. Functions that search use all devices of a rank; all other functions use only its first
 * device. GEMP_SETTINGS defines how public functions read a settings struct of the caller. */

#ifndef GEMP_API_CONTEXT_H
#define GEMP_API_CONTEXT_H

#include "gemp/context.h"
#include "partition/runtime.h"

struct gemp_context {
	gemp_comm comm;
	char *devices; /* owned; NULL: the library chooses */
	gemp_budgets budgets;
	gemp_runtime *runtime; /* NULL: no function has needed a runtime so far */
	bool trust;            /* seals of graph files are ignored */
	bool preloads;         /* the first query that may need a device loads the drivers by a thread */
	double reported;       /* time of the last report of seconds; 0: none so far */
};

/* Returns the value of a pointer and sets the pointer to NULL. An owner (core/memory.h) thus hands its object over, as
 * in *out = GEMP_MOVE(graph). */
#define GEMP_MOVE(pointer)                      \
	({                                          \
		__typeof__(pointer) moved_ = (pointer); \
		(pointer) = NULL;                       \
		moved_;                                 \
	})

/* Copies the caller's options into `out`, as many bytes as both structs have; if `options` is NULL, it copies nothing.
 * A program that was compiled with an older library has a shorter struct. The first member of each struct is its
 * size. */
void gemp_options_copy(void *out, size_t size, const void *options);

/* GEMP_SETTINGS(type, .member = default, ...) defines two functions. The public type_init() sets the defaults of a
 * settings struct. The static type_from(given) returns the defaults, overwritten by the caller's settings unless
 * `given` is NULL. */
#define GEMP_SETTINGS(type, ...)                              \
	void type##_init(type *out)                               \
	{                                                         \
		*out = (type){ .size = sizeof *out, __VA_ARGS__ };    \
	}                                                         \
	static type type##_from(const type *given)                \
	{                                                         \
		type settings;                                        \
		type##_init(&settings);                               \
		gemp_options_copy(&settings, sizeof settings, given); \
		return settings;                                      \
	}

/* The devices that a function needs. */
typedef enum gemp_device_need {
	GEMP_NEED_DEVICES_LATER, /* all devices of the rank, which the engine opens if it needs them */
	GEMP_NEED_FIRST_DEVICE,  /* the first device of the rank, now */
	GEMP_NEED_ALL_DEVICES,   /* all devices of the rank, now */
} gemp_device_need;

/* Collective. *out becomes the runtime of the context, which owns it. If there is no runtime, it is made, and the
 * needed devices are opened unless they are open. The clocks and counters of the runtime are reset, and then the
 * seconds of `timers` are added unless it is NULL. */
gemp_code gemp_context_runtime(gemp_runtime **out, gemp_context *context, gemp_device_need need,
                               const gemp_timers *timers);

/* Local. Returns gemp_now() at the start of gemp_process_begin. Returns 0 if it was not called, and from the second
 * call on, since only the first report contains the start of the process. */
double gemp_process_take_start(void);

/* Local. Loads the drivers by a thread, if the program expects queries (gemp_context_expect_queries). */
void gemp_context_preload(gemp_context *context);

/* Local. Sets the clocks and counters of the runtime to zero. */
void gemp_runtime_reset(gemp_runtime *runtime);

#endif
