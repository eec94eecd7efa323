/* context_state: the members of a gemp_context (gemp/context.h): the ranks, and a runtime that is opened by the first
 * function that needs a device. Functions that search use all devices of a rank, other functions use the first one.
 * GEMP_SETTINGS defines how public functions read a settings struct of the caller.
 */

#ifndef GEMP_API_CONTEXT_H
#define GEMP_API_CONTEXT_H

#include "gemp/context.h"
#include "partition/runtime.h"

struct gemp_context {
	gemp_comm comm;
	char *devices; /* owned; NULL: the library chooses */
	gemp_budgets budgets;
	gemp_runtime *runtime; /* NULL: no function has needed a device so far */
	bool all_devices;      /* the runtime has every device of the rank, not only the first */
};

/* The value of a pointer, which becomes NULL: what an owner (core/memory.h) hands over, as in *out =
 * GEMP_MOVE(graph). */
#define GEMP_MOVE(pointer)                      \
	({                                          \
		__typeof__(pointer) moved_ = (pointer); \
		(pointer) = NULL;                       \
		moved_;                                 \
	})

/* Copies as many bytes of the caller's options (NULL: none) into `out` as both structs have: the program may have been
 * compiled with an older library, whose struct is shorter. The first member of a struct is its size. */
void gemp_options_copy(void *out, size_t size, const void *options);

/* GEMP_SETTINGS(type, .member = default, ...) defines the public type_init(), which sets the defaults of a settings
 * struct, and a static type_from(given), which returns the defaults overwritten by the caller's settings (NULL: the
 * defaults alone). */
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

/* Collective. Returns the context's runtime, which is opened if it does not exist yet. Its clocks and counters are
 * reset; then the seconds of `timers` (NULL: none) are added. all: with every device of the rank. The runtime belongs
 * to the context. */
gemp_code gemp_context_runtime(gemp_runtime **out, gemp_context *context, bool all, const gemp_timers *timers);

/* Local. Sets clocks and counters to zero. */
void gemp_runtime_reset(gemp_runtime *runtime);

#endif
