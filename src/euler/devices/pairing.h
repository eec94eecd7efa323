/* pairing: pairs each edge with an out-edge of its target, which the owner of the target assigns. */

#ifndef GEMP_EULER_DEVICES_PAIRING_H
#define GEMP_EULER_DEVICES_PAIRING_H

#include "euler/devices/state.h"

/* Collective. Copies the edges to the device and fills the slots. Their successors are not set. */
gemp_code gemp_euler_upload(gemp_euler_state *e);
/* Collective. Sets the successors of all slots and out->unbalanced. If that is not 0, the successors are invalid. */
gemp_code gemp_euler_pair(gemp_euler_state *e);

#endif
