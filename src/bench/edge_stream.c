/* The threads make the columns of a part: each range of sources counts its edges to the part's destinations, prefix
 * sums of the counts are the places of the ranges, and a second pass writes the edges. */

#include "bench/edge_stream.h"

#include "core/memory.h"
#include "core/threads.h"
#include "primitive/split.h"

/* On a GPU there are at least 2^GPU_RANGE_BITS ranges, if there are enough vertices, since a range has one work-group
 * in most methods. `converge` needs OTHER_LOCAL bytes of local memory beside the sums of a range, for a buffer
 * of four numbers a work-item and 1,024 more (shuffle.cl). */
enum { GPU_RANGE_BITS = 8, OTHER_LOCAL = 12288 + 64 };

/* Chooses as few ranges as the local memory of a work-group allows, since polling reads all tuples once a range. */
static void choose_ranges(gemp_edge_stream *s, unsigned bits)
{
	unsigned number = 0;
	while (s->vertices > 1 && (s->vertices - 1) >> number)
		number++;
	s->shift = (unsigned)gemp_min(GEMP_SHUFFLE_SHIFT, number > 1 ? number - 1 : 1);
	while (s->shift > 1 && (sizeof(uint32_t) << s->shift) + OTHER_LOCAL > s->device->local_memory)
		s->shift--;
	while (s->device->gpu && s->shift > 1 && number < s->shift + GPU_RANGE_BITS)
		s->shift--;
	s->bits = number > s->shift ? number - s->shift : 1;
	s->bits = (unsigned)gemp_min(s->bits, gemp_min(bits ? bits : GEMP_SPLIT_BITS, GEMP_SPLIT_BITS));
}

typedef struct part_task {
	const gemp_layout *layout;
	gemp_edge_stream_part *part;
	size_t weight_size;
	uint64_t places[GEMP_MAX_RANGES + 1]; /* place of the first edge of each range of sources */
	uint32_t *degree;                     /* [vertices] of the stream; set with the first part */
} part_task;

static inline bool is_in_part(const gemp_edge_stream_part *part, uint32_t id)
{
	return id - part->first < part->vertices;
}

static void count_edges(void *context, size_t range, size_t begin, size_t end)
{
	part_task *t = context;
	const gemp_layout_rows *rows = &t->layout->out;
	uint64_t count = 0;
	for (size_t id = begin; id < end; id++) {
		const uint32_t row = t->layout->local[id];
		for (uint64_t e = rows->begin[row]; e < rows->begin[row + 1]; e++)
			count += is_in_part(t->part, (uint32_t)t->layout->id[rows->end[e]]);
		t->degree[id] = (uint32_t)(rows->begin[row + 1] - rows->begin[row]);
	}
	t->places[range + 1] = count;
}

static void write_edges(void *context, size_t range, size_t begin, size_t end)
{
	part_task *t = context;
	const gemp_layout_rows *rows = &t->layout->out;
	gemp_edge_stream_part *part = t->part;
	uint64_t place = t->places[range];
	for (size_t id = begin; id < end; id++) {
		const uint32_t row = t->layout->local[id];
		for (uint64_t e = rows->begin[row]; e < rows->begin[row + 1]; e++) {
			const uint32_t to = (uint32_t)t->layout->id[rows->end[e]];
			if (!is_in_part(part, to))
				continue;
			part->host_source[place] = (uint32_t)id;
			part->host_destination[place] = to - part->first;
			if (t->weight_size)
				gemp_layout_weight_get(&part->host_weight[place], rows->weight, e, t->weight_size);
			place++;
		}
	}
}

static gemp_code make_part(gemp_edge_stream *s, gemp_edge_stream_part *part, const gemp_layout *layout)
{
	part_task task = { .layout = layout, .part = part, .degree = s->degree };
	const size_t ranges = gemp_range_count(s->vertices);
	task.weight_size = gemp_layout_weight_size(layout->weights);
	gemp_for_ranges(s->vertices, count_edges, &task);
	for (size_t range = 0; range < ranges; range++)
		task.places[range + 1] += task.places[range];
	part->edges = (size_t)task.places[ranges];
	GEMP_TRY(gemp_new_all(GEMP_ARRAY(part->host_source, part->edges), GEMP_ARRAY(part->host_destination, part->edges)));
	if (task.weight_size)
		GEMP_TRY(GEMP_NEW(part->host_weight, part->edges));
	gemp_for_ranges(s->vertices, write_edges, &task);
	s->max_part = gemp_max(s->max_part, part->edges);
	const size_t bytes = part->edges * sizeof(uint32_t);
	GEMP_TRY(gemp_buffer_borrow(&part->source, s->device, bytes, part->host_source));
	GEMP_TRY(gemp_buffer_borrow(&part->destination, s->device, bytes, part->host_destination));
	return part->host_weight ? gemp_buffer_borrow(&part->weight, s->device, bytes, part->host_weight) : GEMP_OK;
}

gemp_code gemp_edge_stream_new(gemp_edge_stream *out, gemp_device *device, const gemp_layout *layout, unsigned bits)
{
	*out = (gemp_edge_stream){ .device = device, .vertices = layout->own, .edges = layout->edges };
	GEMP_CHECK(layout->comm->size == 1 && layout->out.end);
	if (gemp_layout_weight_size(layout->weights) > sizeof(uint32_t))
		return gemp_fail(GEMP_EUSAGE, "edges are streamed with whole weights below 2^32, and these are larger or have "
		                              "fractions; scale the weights");
	choose_ranges(out, bits);
	const uint32_t size = UINT32_C(1) << (out->bits + out->shift);
	GEMP_TRY(GEMP_NEW(out->degree, out->vertices));
	GEMP_TRY(GEMP_NEW(out->parts, (out->vertices + (size_t)size - 1) / size));
	for (uint64_t first = 0; first < out->vertices; first += size) {
		gemp_edge_stream_part *part = &out->parts[out->part_count++];
		part->first = (uint32_t)first;
		part->vertices = (uint32_t)gemp_min(size, out->vertices - first);
		part->used = (part->vertices + (1u << out->shift) - 1) >> out->shift;
		GEMP_TRY(make_part(out, part, layout));
	}
	return GEMP_OK;
}

void gemp_edge_stream_free(gemp_edge_stream *s)
{
	for (size_t p = 0; p < s->part_count; p++) {
		gemp_edge_stream_part *part = &s->parts[p];
		gemp_buffers_free(s->device, &part->source, &part->destination, &part->weight);
		gemp_free_all(part->host_source, part->host_destination, part->host_weight);
	}
	gemp_free_all(s->parts, s->degree);
	*s = (gemp_edge_stream){ 0 };
}
