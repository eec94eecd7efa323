/* background: a function on a thread of its own, while the caller goes on.
 *
 * The thread blocks signals (gemp_signals_block). The function calls no MPI, and its
 * loops are plain ones, since a loop on all threads would take the helpers from the loops of the caller. */

#ifndef GEMP_CORE_BACKGROUND_H
#define GEMP_CORE_BACKGROUND_H

#include <pthread.h>
#include <stdbool.h>

typedef struct gemp_background {
	pthread_t thread;
	bool running; /* the thread is to be joined */
} gemp_background;

/* Returns false if no thread can be started; the function is not called then. */
bool gemp_background_start(gemp_background *background, void *(*function)(void *), void *context);
/* Returns when the function has returned; at once if it was not started. */
void gemp_background_wait(gemp_background *background);

#endif
