/* The filter unpacks for calls such as H5Dread. It never packs, since hdf5_packed writes packed chunks. */

#include "io/hdf5/hdf5_filter.h"

#include "core/memory.h"
#include "io/hdf5/bit_planes.h"

#include <hdf5.h>
#include <stdint.h>

/* HDF5 calls this to unpack a chunk. The header of the chunk has its size. */
static size_t filter(unsigned flags, size_t count, const unsigned *parameters, size_t bytes, size_t *capacity,
                     void **buffer)
{
	const size_t size = count > 2 ? parameters[2] : 0;
	size_t unpacked = 0;
	if (!(flags & H5Z_FLAG_REVERSE) || !size || bytes < 12)
		return 0;
	for (int i = 0; i < 8; i++)
		unpacked = unpacked << 8 | ((unsigned char *)*buffer)[i];
	if (unpacked > (size_t)GEMP_H5_CHUNK_BYTES + 8 * size)
		return 0;
	char *out = H5allocate_memory(gemp_max(unpacked, 1), false);
	GEMP_OWNED char *planes = gemp_calloc(gemp_max(unpacked, 1), 1);
	if (!out || !planes || !gemp_planes_unpack(out, *buffer, bytes, size, unpacked / size, planes)) {
		H5free_memory(out);
		return 0;
	}
	H5free_memory(*buffer);
	*buffer = out;
	*capacity = unpacked;
	return unpacked;
}

void gemp_h5_filter_register(void)
{
	static const H5Z_class2_t class = { H5Z_CLASS_T_VERS,        GEMP_H5_FILTER, 1,    1,
		                                "bit planes, Zstandard", NULL,           NULL, filter };
	if (H5Zfilter_avail(GEMP_H5_FILTER) <= 0)
		H5Zregister(&class);
}
