#include "shuffle/shuffle.h"

#include "primitive/split_device.h"
#include "shuffle/stable.h"
#include "shuffle/tuples.h"

/* Where slabs are cut by the host. */
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
	bool apart = how->layout == GEMP_SHUFFLE_APART, record = gemp_tuple_record(how) != 0;
	const gemp_split split = { .key = GEMP_KEY_U32, .value_size = gemp_tuple_value(how), .record = gemp_tuple_record(how),
		.shift = gemp_tuple_shift(how), .bits = how->bits };
	gemp_split_arrays arrays = { .keys = apart ? in->destination : in->tuple, .out_keys = apart ? out->destination : out->tuple,
		.values = apart ? in->tuple : NULL, .out_values = apart ? out->tuple : NULL, .count = in->count,
		.column = record ? in->destination : NULL, .segment_begin = in->extent, .segments = 1, .begin = begin };
	if (box->groups && !how->stable)
		return gemp_split_segments(box, &split, &arrays);
	GEMP_TRY(read_count(box, in, &arrays.count));
	if (box->groups)
		code = gemp_shuffle_stable(box, how, &(gemp_tuples){ in->destination, in->tuple, arrays.count, NULL }, out, begin);
	else
		code = gemp_split_by_items(box, &split, &arrays);
done:
	return code;
}
