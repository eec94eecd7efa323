#include "som/parts.h"

#include "core/memory.h"

static void part_free(gemp_som_part *part, gemp_device *device)
{
	if (part->left)
		clReleaseEvent(part->left);
	gemp_buffer_free(&part->second, device);
	gemp_buffer_free(&part->best, device);
	gemp_som_samples_free(&part->samples);
}

static gemp_code part_new(gemp_som_part *out, gemp_device *device, const gemp_som_need *need, size_t room, bool two)
{
	gemp_code code = GEMP_OK;
	const size_t keys = (room ? room : 1) * sizeof(uint64_t);
	*out = (gemp_som_part){ .number = SIZE_MAX };
	GEMP_TRY(gemp_som_samples_room(&out->samples, device, room, need->dims, need->missing));
	GEMP_TRY(gemp_buffer_new(&out->best, device, keys, NULL));
	if (two)
		code = gemp_buffer_new(&out->second, device, keys, NULL);
done:
	return code;
}

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

gemp_code gemp_som_parts_new(gemp_som_parts *out, gemp_device *device, const float *x, const gemp_som_need *need,
                             const gemp_som_room *room, bool two, bool again)
{
	gemp_code code = GEMP_OK;
	const size_t count = need->samples ? (need->samples + room->samples - 1) / room->samples : 1;
	*out = (gemp_som_parts){ .device = device, .x = x, .samples = need->samples, .dims = need->dims, .each = room->samples,
		.count = count };
	out->held = room->all_samples ? count : least(count, 2);
	GEMP_TRY(GEMP_NEW(out->part, out->held));
	for (size_t k = 0; k < out->held; k++)
		GEMP_TRY(part_new(&out->part[k], device, need, least(out->each, need->samples - k * out->each), two));
	if (again && out->held < count)
		code = GEMP_NEW(out->keys, need->samples);
done:
	if (code != GEMP_OK)
		gemp_som_parts_free(out);
	return code;
}

void gemp_som_parts_free(gemp_som_parts *parts)
{
	for (size_t k = 0; parts->part && k < parts->held; k++)
		part_free(&parts->part[k], parts->device);
	gemp_free(parts->part);
	gemp_free(parts->keys);
	*parts = (gemp_som_parts){ 0 };
}

/* The place of part p: where it is, or where it may come. */
static size_t place_of(const gemp_som_parts *parts, size_t p)
{
	if (parts->held == parts->count)
		return p;
	if (parts->part[parts->last].number == p)
		return parts->last;
	return 1 - parts->last;
}

static gemp_code bring(gemp_som_parts *parts, gemp_som_part *part, size_t p)
{
	gemp_code code = GEMP_OK;
	const size_t first = p * parts->each;
	if (part->number == p)
		return GEMP_OK;
	part->number = SIZE_MAX;
	part->first = first;
	GEMP_TRY(gemp_som_samples_fill(&part->samples, parts->x + first * parts->dims,
	                               least(parts->each, parts->samples - first), part->left));
	part->number = p;
done:
	return code;
}

gemp_code gemp_som_parts_take(gemp_som_parts *parts, size_t p, gemp_som_part **out)
{
	gemp_code code = GEMP_OK;
	const size_t place = place_of(parts, p);
	GEMP_TRY(bring(parts, &parts->part[place], p));
	parts->last = place;
	*out = &parts->part[place];
done:
	return code;
}

gemp_code gemp_som_parts_leave(gemp_som_parts *parts, gemp_som_part *part)
{
	gemp_code code = GEMP_OK;
	if (parts->held == parts->count)
		return GEMP_OK;
	if (part->left)
		clReleaseEvent(part->left);
	part->left = NULL;
	GEMP_TRY(GEMP_CL(clEnqueueMarkerWithWaitList(parts->device->queue, 0, NULL, &part->left)));
	GEMP_TRY(GEMP_CL(clFlush(parts->device->queue)));
	const size_t next = (part->number + 1) % parts->count;
	code = bring(parts, &parts->part[place_of(parts, next)], next);
done:
	return code;
}

gemp_code gemp_som_parts_keep_keys(gemp_som_parts *parts, const gemp_som_part *part)
{
	if (!parts->keys)
		return GEMP_OK;
	return gemp_buffer_read(parts->device, &part->best, 0, part->samples.count * sizeof *parts->keys,
	                        parts->keys + part->first);
}

gemp_code gemp_som_parts_recall_keys(gemp_som_parts *parts, const gemp_som_part *part)
{
	if (!parts->keys)
		return GEMP_OK;
	return gemp_buffer_write(parts->device, &part->best, 0, part->samples.count * sizeof *parts->keys,
	                         parts->keys + part->first);
}
