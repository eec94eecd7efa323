#include "analytics/layout/device_layout.h"

#include "core/memory.h"
#include "core/timer.h"
#include "device/transfer.h"

#include <assert.h>
#include <stdio.h>

/* Offsets have 32 bits if they fit, since kernels read two offsets for each row. The host's offsets have 64 bits, so
 * even a CPU device then needs a copy. */
static gemp_code load_begin(gemp_device_rows *out, gemp_device *device, const gemp_layout_rows *rows, bool wide)
{
	size_t count = (size_t)rows->rows + 1;
	if (wide)
		return gemp_buffer_load(&out->begin, device, count * sizeof *rows->begin, rows->begin);
	if (device->gpu) {
		GEMP_TRY(gemp_buffer_new(&out->begin, device, count * sizeof(uint32_t), NULL));
		return gemp_transfer_upload(device, &out->begin, (gemp_transfer_numbers){ .wide = rows->begin }, count);
	}
	GEMP_TRY(GEMP_NEW(out->narrow, count));
	for (size_t row = 0; row < count; row++)
		out->narrow[row] = (uint32_t)rows->begin[row];
	return gemp_buffer_borrow(&out->begin, device, count * sizeof *out->narrow, out->narrow);
}

/* Makes the rows on the device from lists of the graph's rows. */
static gemp_code make_rows(gemp_device_layout *held, gemp_device_rows *out, const gemp_layout_rows *rows,
                           const gemp_id_rows *lists)
{
	const gemp_layout *layout = held->layout;
	const gemp_renumber renumber = { .lists = lists,
		                             .list_count = layout->list_count,
		                             .vertices = layout->own,
		                             .row_of = layout->id,
		                             .numbers = layout->own,
		                             .number_of = layout->local,
		                             .begin = rows->begin };
	gemp_renumbered made;
	*out = (gemp_device_rows){ .rows = rows->rows, .edges = gemp_layout_row_edges(rows) };
	GEMP_TRY(gemp_renumber_make(&made, held->device, &renumber, held->wide, &held->build));
	out->begin = made.begin;
	out->end = made.entries;
	return gemp_buffer_new(&out->weight, held->device, 0, NULL);
}

static gemp_code load_rows(gemp_device_rows *out, gemp_device *device, const gemp_layout_rows *rows, size_t weight_size,
                           bool wide)
{
	*out = (gemp_device_rows){ .rows = rows->rows, .edges = gemp_layout_row_edges(rows) };
	GEMP_TRY(load_begin(out, device, rows, wide));
	GEMP_TRY(gemp_buffer_load(&out->end, device, (size_t)out->edges * sizeof *rows->end, rows->end));
	return gemp_buffer_load(&out->weight, device, (size_t)out->edges * weight_size, rows->weight);
}

/* The buffer of offsets may borrow narrow[], so it is freed first. */
static void free_rows(gemp_device_rows *rows, gemp_device *device)
{
	gemp_buffers_free(device, &rows->begin, &rows->end, &rows->weight);
	gemp_free(rows->narrow);
	*rows = (gemp_device_rows){ 0 };
}

void gemp_made_rows_free(gemp_made_rows *made)
{
	if (!made)
		return;
	if (made->out.begin.mem != made->in.begin.mem)
		free_rows(&made->out, made->device);
	free_rows(&made->in, made->device);
	free_rows(&made->in_ghost, made->device);
	gemp_free(made);
}

/* Takes the rows that the device has already. */
static gemp_code borrow_rows(gemp_device_layout *out, unsigned parts)
{
	const gemp_made_rows *made = out->layout->made;
	GEMP_CHECK(made->device == out->device);
	out->borrowed = true;
	out->seconds = out->build = made->build; /* the other seconds are those of the layout */
	if (parts & GEMP_LAYOUT_IN) {
		out->in = made->in;
		out->in_ghost = made->in_ghost;
	}
	if (parts & GEMP_LAYOUT_OUT)
		out->out = made->out;
	return GEMP_OK;
}

/* A program is compiled for one width of offsets (GAS_WIDE), so the rows with the most edges decide the width of all
 * offsets. In a symmetric layout of one rank `in` and `out` have the same host arrays, which are uploaded once. */
gemp_code gemp_device_layout_new(gemp_device_layout *out, gemp_device *device, const gemp_layout *layout,
                                 unsigned parts)
{
	gemp_code code = GEMP_OK;
	double since = gemp_now();
	size_t size = gemp_layout_weight_size(layout->weights);
	assert(gemp_layout_is_valid(layout));
	*out = (gemp_device_layout){ .device = device, .layout = layout };
	if (layout->made)
		return borrow_rows(out, parts);
	out->wide = gemp_layout_wide(gemp_layout_row_edges(&layout->in)) ||
	            gemp_layout_wide(gemp_layout_row_edges(&layout->in_ghost)) ||
	            gemp_layout_wide(gemp_layout_row_edges(&layout->in_other)) ||
	            gemp_layout_wide(gemp_layout_row_edges(&layout->out));
	if (parts & GEMP_LAYOUT_IN) {
		if (layout->in_lists)
			GEMP_TRY_DONE(make_rows(out, &out->in, &layout->in, layout->in_lists));
		else
			GEMP_TRY_DONE(load_rows(&out->in, device, &layout->in, size, out->wide));
		GEMP_TRY_DONE(load_rows(&out->in_ghost, device, &layout->in_ghost, size, out->wide));
		if (layout->in_other.begin) {
			GEMP_TRY_DONE(load_rows(&out->in_other, device, &layout->in_other, size, out->wide));
			GEMP_TRY_DONE(load_rows(&out->in_sums, device, &layout->in_sums, size, out->wide));
		}
	}
	out->shared_out = parts & GEMP_LAYOUT_IN && parts & GEMP_LAYOUT_OUT && layout->out.begin == layout->in.begin;
	if (out->shared_out)
		out->out = out->in;
	else if (parts & GEMP_LAYOUT_OUT && layout->out_lists)
		GEMP_TRY_DONE(make_rows(out, &out->out, &layout->out, layout->out_lists));
	else if (parts & GEMP_LAYOUT_OUT)
		GEMP_TRY_DONE(load_rows(&out->out, device, &layout->out, size, out->wide));
	out->seconds = gemp_now() - since;
done:
	if (code != GEMP_OK)
		gemp_device_layout_free(out);
	return code;
}

/* If `in` and `out` have the same buffers, these are freed once. */
void gemp_device_layout_free(gemp_device_layout *layout)
{
	if (layout->device && !layout->borrowed) {
		if (!layout->shared_out)
			free_rows(&layout->out, layout->device);
		free_rows(&layout->in, layout->device);
		free_rows(&layout->in_ghost, layout->device);
		free_rows(&layout->in_other, layout->device);
		free_rows(&layout->in_sums, layout->device);
	}
	*layout = (gemp_device_layout){ 0 };
}

void gemp_device_layout_options(const gemp_device_layout *layout, char options[GEMP_LAYOUT_OPTIONS_SIZE])
{
	snprintf(options, GEMP_LAYOUT_OPTIONS_SIZE, "%s -DGAS_WEIGHTS=%d", layout->wide ? " -DGAS_WIDE" : "",
	         (int)layout->layout->weights);
}
