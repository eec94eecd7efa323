#include "gas/frontier_tuples.h"

#include "primitive/split.h"

#include <stdio.h>

enum { MOST_ARGUMENTS = 16, OWN_ARGUMENTS = 4 };

/* Ranges of values that fit local memory beside little else. */
static unsigned shift_of(size_t value_size)
{
	return value_size > sizeof(cl_uint) ? GEMP_SHUFFLE_SHIFT - 1 : GEMP_SHUFFLE_SHIFT;
}

void gemp_frontier_tuples_options(char options[GEMP_TUPLES_OPTIONS_SIZE], size_t value_size)
{
	snprintf(options, GEMP_TUPLES_OPTIONS_SIZE, " -DGAS_SHUFFLE -DGAS_RANGE=%uu", 1u << shift_of(value_size));
}

gemp_code gemp_frontier_tuples_new(gemp_frontier_tuples *out, gemp_frontier *f, size_t value_size)
{
	gemp_code code = GEMP_OK;
	const unsigned shift = shift_of(value_size);
	const uint32_t own = f->layout->own;
	unsigned bits = 1;
	*out = (gemp_frontier_tuples){ .frontier = f, .most = (size_t)f->held.out.edges };
	while (bits <= GEMP_SPLIT_BITS && own > (uint64_t)1 << (bits + shift))
		bits++;
	if (bits > GEMP_SPLIT_BITS || f->held.out.edges > GEMP_DEVICE_MOST)
		return gemp_fail(GEMP_EUSAGE, "--pass shuffle: a rank has %u vertices and %llu edges, and %llu vertices and %zu edges "
		                 "are possible; use more ranks, or --pass push", own, (unsigned long long)f->held.out.edges,
		                 1ull << (GEMP_SPLIT_BITS + shift), GEMP_DEVICE_MOST);
	out->ranges = 1u << bits;
	out->how = (gemp_shuffle){ .layout = GEMP_SHUFFLE_APART, .size = (unsigned)(sizeof(cl_uint) + value_size), .bits = bits,
		                   .shift = shift };
	const size_t most = out->most ? out->most : 1;
	GEMP_TRY(gemp_toolbox_new(&out->box, f->device, GEMP_FORM_AUTO));
	GEMP_TRY(gemp_buffer_new(&out->target, f->device, most * sizeof(cl_uint), NULL));
	GEMP_TRY(gemp_buffer_new(&out->value, f->device, most * value_size, NULL));
	GEMP_TRY(gemp_buffer_new(&out->target_out, f->device, most * sizeof(cl_uint), NULL));
	GEMP_TRY(gemp_buffer_new(&out->value_out, f->device, most * value_size, NULL));
	GEMP_TRY(gemp_buffer_new(&out->begin, f->device, ((size_t)out->ranges + 1) * sizeof(cl_uint), NULL));
	GEMP_TRY(gemp_buffer_new(&out->extent, f->device, 2 * sizeof(cl_uint), NULL));
done:
	return code;
}

void gemp_frontier_tuples_free(gemp_frontier_tuples *t)
{
	if (!t->frontier)
		return;
	gemp_buffer *const buffers[] = { &t->target, &t->value, &t->target_out, &t->value_out, &t->begin, &t->extent };
	gemp_toolbox_free(t->box);
	for (size_t b = 0; b < sizeof buffers / sizeof *buffers; b++)
		gemp_buffer_free(buffers[b], t->frontier->device);
	*t = (gemp_frontier_tuples){ 0 };
}

gemp_code gemp_frontier_tuples_clear(gemp_frontier_tuples *t)
{
	return gemp_buffer_zero(t->frontier->device, &t->extent, 0, t->extent.size);
}

gemp_code gemp_frontier_tuples_gather(gemp_frontier_tuples *t, int kernel, const gemp_argument *arguments, size_t count)
{
	gemp_code code = GEMP_OK;
	const gemp_tuples in = { &t->target, &t->value, t->most, &t->extent };
	const gemp_tuples out = { &t->target_out, &t->value_out, t->most, NULL };
	gemp_argument all[MOST_ARGUMENTS] = { GEMP_ARG(&t->begin.mem), GEMP_ARG(&t->ranges), GEMP_ARG(&t->target_out.mem),
		                              GEMP_ARG(&t->value_out.mem) };
	GEMP_CHECK(OWN_ARGUMENTS + count <= MOST_ARGUMENTS);
	for (size_t i = 0; i < count; i++)
		all[OWN_ARGUMENTS + i] = arguments[i];
	GEMP_TRY(gemp_shuffle_decode(t->box, &t->how, &in, &out, &t->begin));
	code = gemp_frontier_launch(t->frontier, kernel, all, OWN_ARGUMENTS + count);
done:
	return code;
}
