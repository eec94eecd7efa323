/* placing: each slot gets its place in the circuit, and goes to the rank that owns the place. */

#ifndef GEMP_EULER_DEVICES_PLACING_H
#define GEMP_EULER_DEVICES_PLACING_H

#include "euler/devices/state.h"

/* Collective. Makes out->order of this rank's places, from the list of gemp_euler_rank_segments with places. */
gemp_code gemp_euler_place(gemp_euler_state *e);

#endif
