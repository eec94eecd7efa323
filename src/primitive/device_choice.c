/* Two reductions decide. With GEMP_PLACE_HOST there is nothing to agree on. */

#include "primitive/device_choice.h"

bool gemp_use_all_devices(const gemp_comm *comm, const gemp_device *device, gemp_placement place, uint64_t items,
                          const char *tuning, uint32_t otherwise)
{
	if (place == GEMP_PLACE_HOST)
		return false;
	gemp_comm_max(comm, &items, 1);
	uint64_t refuses = !gemp_use_device(device, place, items, tuning, otherwise);
	gemp_comm_max(comm, &refuses, 1);
	return !refuses;
}
