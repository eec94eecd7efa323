#include "topology/component_sizes_device.h"

#include "core/memory.h"
#include "device/transfer.h"
#include "kernels/topology/component_sizes_abi.h"
#include "primitive/radix_pass.h"
#include "topology/components_sampled.h"

#define KERNELS "component_sizes.cl"

_Static_assert(COMPONENT_CLASSES == (int)GEMP_COMPONENT_CLASSES, "the kernels count the classes of gemp_components");
_Static_assert(sizeof(gemp_component_part) == sizeof(cl_uint2), "kernels list parts as pairs");

typedef struct device_sizes {
	gemp_components *out;
	gemp_toolbox *box;
	const gemp_edge_sets *sets;
	const gemp_buffer *set_of, *name;
	gemp_buffer size;    /* u32 [rows] */
	gemp_buffer flags;   /* u32 [rows + 1] */
	gemp_buffer parts;   /* gemp_component_part[] */
	gemp_buffer figures; /* u32 [COMPONENT_FIGURES] */
} device_sizes;

static void free_sizes(device_sizes *s)
{
	gemp_buffers_free(s->box->device, &s->size, &s->flags, &s->parts, &s->figures);
}

/* Local. Counts the rows of each set. */
static gemp_code count_sets(device_sizes *s)
{
	gemp_device *device = s->box->device;
	const cl_uint rows = s->sets->rows;
	const size_t bytes = gemp_max(rows, (cl_uint)1) * sizeof(cl_uint);
	cl_uint frequent = UINT32_MAX;
	GEMP_TRY(gemp_buffer_new(&s->size, device, bytes, NULL));
	GEMP_TRY(gemp_buffer_zero(device, &s->size, 0, bytes));
	GEMP_TRY(gemp_most_frequent_root(device, s->set_of, 0, rows, &frequent));
	return gemp_tool_each(s->box, KERNELS, "sizes_count", rows, GEMP_ARG(&s->set_of->mem), GEMP_ARG(&rows),
	                      GEMP_ARG(&frequent), GEMP_ARG(&s->size.mem));
}

/* Local. Lists the sizes of sets that have another name than their root, and takes them from their roots. */
static gemp_code list_parts(device_sizes *s, gemp_component_part **parts, size_t *count)
{
	gemp_device *device = s->box->device;
	const cl_uint rows = s->sets->rows;
	GEMP_TRY(gemp_buffer_new(&s->flags, device, ((size_t)rows + 1) * sizeof(cl_uint), NULL));
	GEMP_TRY(gemp_tool_each(s->box, KERNELS, "sizes_renamed", rows, GEMP_ARG(&s->size.mem), GEMP_ARG(&s->name->mem),
	                        GEMP_ARG(&rows), GEMP_ARG(&s->sets->first), GEMP_ARG(&s->flags.mem)));
	GEMP_TRY(gemp_compact_places(s->box, &s->flags, rows, count));
	GEMP_TRY(GEMP_NEW(*parts, *count));
	GEMP_TRY(gemp_buffer_reserve(&s->parts, device, *count * sizeof **parts));
	if (!*count)
		return GEMP_OK;
	GEMP_TRY(gemp_tool_each(s->box, KERNELS, "sizes_parts", rows, GEMP_ARG(&s->size.mem), GEMP_ARG(&s->name->mem),
	                        GEMP_ARG(&rows), GEMP_ARG(&s->flags.mem), GEMP_ARG(&s->parts.mem)));
	return gemp_buffer_read(device, &s->parts, 0, *count * sizeof **parts, *parts);
}

/* Local. */
static gemp_code add_parts(device_sizes *s, const gemp_component_part *parts, size_t count)
{
	const cl_uint all = (cl_uint)count;
	if (!count)
		return GEMP_OK;
	GEMP_TRY(gemp_tool_check(s->box, count));
	GEMP_TRY(gemp_buffer_reserve(&s->parts, s->box->device, count * sizeof *parts));
	GEMP_TRY(gemp_buffer_write(s->box->device, &s->parts, 0, count * sizeof *parts, parts));
	return gemp_tool_each(s->box, KERNELS, "sizes_add", all, GEMP_ARG(&s->parts.mem), GEMP_ARG(&all),
	                      GEMP_ARG(&s->sets->first), GEMP_ARG(&s->size.mem));
}

/* Collective. Moves the sizes of sets to the vertices that name their components. The code may differ between ranks. */
static gemp_code move_parts(device_sizes *s, const gemp_comm *comm, gemp_code code, const uint64_t *bounds)
{
	GEMP_OWNED gemp_component_part *parts = NULL, *received = NULL;
	size_t count = 0, arrived = 0;
	GEMP_THEN(list_parts(s, &parts, &count));
	GEMP_TRY(gemp_component_parts_send(comm, code, bounds, parts, count, &received, &arrived, &s->out->traffic));
	return add_parts(s, received, arrived);
}

/* Local. Counts the components that own vertices name. */
static gemp_code count_own(device_sizes *s)
{
	const cl_uint rows = s->sets->rows;
	cl_uint figures[COMPONENT_FIGURES] = { [COMPONENT_LARGEST_ROW] = UINT32_MAX };
	gemp_components *out = s->out;
	GEMP_TRY(gemp_buffer_new(&s->figures, s->box->device, sizeof figures, figures));
	GEMP_TRY(gemp_tool_each(s->box, KERNELS, "sizes_figures", (rows + (size_t)31) / 32, GEMP_ARG(&s->size.mem),
	                        GEMP_ARG(&s->sets->with_edges.mem), GEMP_ARG(&rows), GEMP_ARG(&s->figures.mem)));
	GEMP_TRY(gemp_tool_each(s->box, KERNELS, "sizes_largest", rows, GEMP_ARG(&s->size.mem), GEMP_ARG(&rows),
	                        GEMP_ARG(&s->figures.mem)));
	GEMP_TRY(gemp_buffer_read(s->box->device, &s->figures, 0, sizeof figures, figures));
	for (size_t k = 0; k < GEMP_COMPONENT_CLASSES; k++) {
		out->classes[k] = figures[k];
		out->count += figures[k];
	}
	out->isolated = figures[1];
	out->with_edges = figures[COMPONENT_WITH_EDGES];
	out->largest = figures[COMPONENT_LARGEST];
	out->largest_name = rows ? s->sets->first + figures[COMPONENT_LARGEST_ROW] : 0;
	return out->size ? gemp_transfer_download(s->box->device, &s->size, 0,
	                                          (gemp_transfer_numbers){ .narrow = out->size }, rows)
	                 : GEMP_OK;
}

gemp_code gemp_component_sizes_on_devices(gemp_components *out, const gemp_comm *comm, gemp_code code,
                                          const uint64_t *bounds, gemp_toolbox *box, const gemp_edge_sets *sets,
                                          const gemp_buffer *set_of, const gemp_buffer *name)
{
	GEMP_OWNED_BY(free_sizes)
	device_sizes s = { .out = out, .box = box, .sets = sets, .set_of = set_of, .name = name };
	GEMP_THEN(count_sets(&s));
	if (name)
		code = move_parts(&s, comm, code, bounds);
	GEMP_THEN(count_own(&s));
	GEMP_TRY(gemp_comm_agree(comm, code));
	gemp_component_counts_join(out, comm);
	return GEMP_OK;
}
