/* ahead: epochs that are enqueued and not known to be over, so that a device never waits for the host, and the host hears of each
 * within a fraction of a second.
 */
#ifndef GEMP_SOM_AHEAD_H
#define GEMP_SOM_AHEAD_H

#include "som/judge.h"

typedef struct gemp_som_ahead {
	cl_event ends[GEMP_SOM_SLOTS]; /* of epoch number k: ends[k % GEMP_SOM_SLOTS] */
	uint32_t begun, over;          /* epochs */
	double heard;                  /* when the last one was over; 0: none yet */
	double each;                   /* seconds of an epoch, as they go now */
} gemp_som_ahead; /* {0} */

/* The last launch ends an epoch. There must be room. */
gemp_code gemp_som_ahead_add(gemp_som_ahead *ahead, const gemp_device *device);
/* Is an epoch to be heard of before the next one is enqueued: because it is over, or there are enough? */
bool gemp_som_ahead_due(const gemp_som_ahead *ahead);
/* Waits for the oldest one, which is not ahead any more. */
gemp_code gemp_som_ahead_take(gemp_som_ahead *ahead);
void gemp_som_ahead_free(gemp_som_ahead *ahead);

#endif
