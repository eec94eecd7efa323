/* loop_failure: the first failure of the bodies of a parallel loop (core/threads.h), for the caller of the loop.
 *
 * {0} is no failure. Bodies record their codes; later bodies may ask whether a body has failed, and skip their work. */

#ifndef GEMP_CORE_LOOP_FAILURE_H
#define GEMP_CORE_LOOP_FAILURE_H

#include "core/status.h"

#include <stdatomic.h>
#include <stdbool.h>

typedef struct gemp_loop_failure {
	atomic_int first; /* the first code that is not GEMP_OK; the body that stored it writes the message */
	char message[GEMP_MESSAGE_SIZE];
} gemp_loop_failure;

/* In a body: records the code, with this thread's message, if it is the first failure. */
void gemp_loop_record(gemp_loop_failure *failure, gemp_code code);
static inline bool gemp_loop_failed(const gemp_loop_failure *failure)
{
	return atomic_load_explicit(&failure->first, memory_order_relaxed) != GEMP_OK;
}
/* After the loop: the code, whose message becomes this thread's. */
gemp_code gemp_loop_status(const gemp_loop_failure *failure);

#endif
