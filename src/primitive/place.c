#include "primitive/place.h"

bool gemp_on_device(const gemp_device *device, gemp_where place, uint64_t items, const char *tuning, uint32_t otherwise)
{
	if (!device || place == GEMP_PLACE_HOST)
		return false;
	uint32_t below = gemp_tuning(device, tuning, device->gpu ? otherwise : 0);
	return place == GEMP_PLACE_DEVICE || (below && items >= below);
}
