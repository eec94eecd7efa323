/* room: what of a training, or of a search, is on a device at the same time.
 *
 * All, if there is room. Else vectors come and go in parts, then planes of some values at a time are made, and some units at a
 * time are searched (som/parts.h, som/accumulate.h, som/codebook.h). Each finds the same, a little later.
 */
#ifndef GEMP_SOM_ROOM_H
#define GEMP_SOM_ROOM_H

#include "device/device.h"

typedef struct gemp_som_need {
	size_t samples;      /* of this rank */
	uint32_t dims, units;
	bool missing;        /* values of any rank's samples: there is a count for each value */
	size_t keys;         /* bytes of a sample beside its values */
	size_t plane;        /* bytes of a unit in all planes of one value; 0: there are no planes */
	size_t widest;       /* those of them in one buffer */
	size_t other;        /* bytes in any case */
} gemp_som_need;

typedef struct gemp_som_room {
	size_t samples;         /* of a part */
	bool all_samples;       /* all parts stay on the device */
	uint32_t units;         /* of the codebook at a time */
	uint32_t values;        /* whose planes are there at a time */
} gemp_som_room;

/* By what the device has left. GEMP_ENOMEM if it has not room for two samples, a unit, and a value's planes. */
gemp_code gemp_som_room_find(gemp_som_room *out, const gemp_device *device, const gemp_som_need *need);

#endif
