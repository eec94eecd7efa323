#include "shuffle/shuffle.h"

#include "primitive/split_device.h"

enum { DESTINATION = 4 };

/* On a CPU device, where slabs are cut by the host. */
static gemp_code read_count(gemp_toolbox *box, const gemp_tuples *in, size_t *count)
{
	cl_uint known;
	gemp_code code = GEMP_OK;
	*count = in->count;
	if (in->extent) {
		GEMP_TRY(gemp_buffer_read(box->device, in->extent, sizeof known, sizeof known, &known));
		*count = known;
	}
done:
	return code;
}

gemp_code gemp_shuffle_decode(gemp_toolbox *box, const gemp_shuffle *how, const gemp_tuples *in, const gemp_tuples *out,
                              const gemp_buffer *begin)
{
	gemp_code code = GEMP_OK;
	bool apart = how->layout == GEMP_SHUFFLE_APART;
	const gemp_split split = { .key = GEMP_KEY_U32, .value_size = apart ? how->size - DESTINATION : 0, .shift = how->shift,
		.bits = how->bits };
	size_t count;
	GEMP_CHECK(apart && (split.value_size == 4 || split.value_size == 8));
	if (box->groups)
		return gemp_split_segments(box, &split, in->destination, in->tuple, in->count, in->extent, 1, out->destination,
		                           out->tuple, begin);
	GEMP_TRY(read_count(box, in, &count));
	code = gemp_split_device(box, &split, in->destination, in->tuple, count, out->destination, out->tuple, begin);
done:
	return code;
}
