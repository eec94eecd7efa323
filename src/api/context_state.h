/* context_state: what a gemp_context (gemp/context.h) is inside: the ranks, and a runtime that opens with the first function
 * that needs a device. Functions that search use all devices of a rank, others the first one.
 */

#ifndef GEMP_API_CONTEXT_STATE_H
#define GEMP_API_CONTEXT_STATE_H

#include "gemp/context.h"
#include "partition/runtime.h"

struct gemp_context {
	gemp_comm comm;
	char *devices; /* owned; NULL: the library chooses */
	gemp_budgets budgets;
	gemp_runtime *runtime; /* NULL: no function has needed a device so far */
	bool all_devices;      /* the runtime has every device of the rank, not only the first */
};

/* Copies the caller's options into `out`, as many bytes as both know: programs may be older than the library. */
void gemp_options_copy(void *out, size_t size, const void *options);

/* Collective. The runtime, opened if it is not there, with its clocks and counters at zero but for `timers`, which go on.
 * all: with every device of the rank. It belongs to the context. */
gemp_code gemp_context_runtime(gemp_runtime **out, gemp_context *context, bool all, const gemp_timers *timers);

/* Local. Clocks and counters at zero. */
void gemp_runtime_reset(gemp_runtime *runtime);

#endif
