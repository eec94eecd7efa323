/* Owners are sorted stably by the bits of a rank number, one pass for up to 256 ranks, and move the values along. The
 * begins of the ranks' values in the sorted list are the only numbers that the host reads. */

#include "topology/owner_router.h"

#include "core/limits.h"
#include "core/memory.h"

enum { COUNTED = 1u << 31, GROUP = 256 };

static gemp_code open_buffers(gemp_owner_router *r, const uint64_t *bounds, size_t ranks)
{
	gemp_device *device = r->device;
	GEMP_TRY(gemp_toolbox_new(&r->box, device, GEMP_FORM_AUTO));
	GEMP_TRY(
		gemp_new_all(GEMP_ARRAY(r->list_begin, ranks + 1), GEMP_ARRAY(r->sent, ranks), GEMP_ARRAY(r->from, ranks)));
	GEMP_TRY(gemp_buffer_new(&r->bounds, device, (ranks + 1) * sizeof *bounds, bounds));
	GEMP_TRY(gemp_buffer_new(&r->begins, device, (ranks + 1) * sizeof(cl_uint), NULL));
	for (int b = 0; b < 2; b++) {
		GEMP_TRY(gemp_buffer_new(&r->lists.keys[b], device, r->capacity * sizeof(cl_uint), NULL));
		GEMP_TRY(gemp_buffer_new(&r->lists.values[b], device, r->capacity * r->value_size, NULL));
	}
	return GEMP_OK;
}

/* The exchange is made before the codes are agreed on, since it is collective itself. */
gemp_code gemp_owner_router_new(gemp_owner_router **out, const gemp_comm *comm, gemp_device *device,
                                const uint64_t *bounds, size_t capacity, unsigned value_size)
{
	GEMP_OWNED gemp_owner_router *owned = NULL;
	*out = NULL;
	GEMP_TRY(gemp_comm_agree(comm, GEMP_NEW(owned, 1)));
	gemp_owner_router *r = owned;
	owned = NULL;
	*r = (gemp_owner_router){ .comm = comm, .device = device, .capacity = capacity, .value_size = value_size };
	gemp_code code = gemp_device_exchange_new(&r->exchange, comm, device);
	if (code == GEMP_OK)
		code = gemp_comm_agree(comm, open_buffers(r, bounds, (size_t)comm->size));
	if (code == GEMP_OK)
		*out = r;
	else
		gemp_owner_router_free(r);
	return code;
}

/* The toolbox is freed first, since this waits for the launches. */
void gemp_owner_router_free(gemp_owner_router *r)
{
	if (!r)
		return;
	gemp_toolbox_free(r->box);
	gemp_device_exchange_free(r->exchange);
	gemp_buffers_free(r->device, &r->bounds, &r->begins, &r->received, &r->lists.keys[0], &r->lists.keys[1],
	                  &r->lists.values[0], &r->lists.values[1]);
	gemp_free_all(r->list_begin, r->sent, r->from);
	gemp_free(r);
}

/* In the form in groups a CPU device also gets groups, so that tests run this form. */
static gemp_device_grid grid_of(const gemp_owner_router *r, size_t count)
{
	gemp_device_grid grid = gemp_device_grid_over(r->device, count);
	if (r->box->groups && !r->device->gpu)
		grid.group = gemp_tool_group(r->box, GROUP);
	return grid;
}

static gemp_code kernel_of(gemp_owner_router *r, cl_kernel *out, const char *name)
{
	return gemp_tool_kernel(r->box, out, "owners.cl", name, gemp_tool_group(r->box, GROUP), "%s", "");
}

/* A launch counts so few vertices that the counters of a work-group do not overflow. */
gemp_code gemp_owner_router_count(gemp_owner_router *r, const gemp_buffer *vertices, uint64_t count, uint64_t *counts)
{
	GEMP_OWNED_BY(gemp_buffer_release) gemp_buffer sums = { 0 };
	const cl_uint ranks = (cl_uint)r->comm->size;
	const size_t size = ranks * sizeof *counts;
	cl_kernel kernel;
	GEMP_TRY(kernel_of(r, &kernel, "owners_count"));
	GEMP_TRY(gemp_buffer_new(&sums, r->device, size, NULL));
	GEMP_TRY(gemp_buffer_zero(r->device, &sums, 0, size));
	for (cl_ulong from = 0, to; from < count; from = to) {
		to = count - from < COUNTED ? count : from + COUNTED;
		const gemp_device_grid grid = grid_of(r, (size_t)(to - from));
		GEMP_TRY(gemp_launch_timed(&r->box->timings, r->device, kernel, grid.items, grid.group,
		                           GEMP_ARG(&vertices->mem), GEMP_ARG(&from), GEMP_ARG(&to), GEMP_ARG(&r->bounds.mem),
		                           GEMP_ARG(&ranks), GEMP_ARG(&sums.mem), GEMP_LOCAL(ranks * sizeof(cl_uint))));
	}
	GEMP_TRY(gemp_buffer_read(r->device, &sums, 0, size, r->sent));
	for (cl_uint k = 0; k < ranks; k++)
		counts[k] += r->sent[k];
	return GEMP_OK;
}

gemp_code gemp_owner_router_list(gemp_owner_router *r, const gemp_buffer *vertices, size_t count, size_t at)
{
	const cl_uint ranks = (cl_uint)r->comm->size, length = (cl_uint)count, place = (cl_uint)at;
	const gemp_device_grid grid = grid_of(r, count);
	cl_kernel kernel;
	GEMP_CHECK(r->value_size == sizeof(cl_uint) && at + count <= r->capacity);
	GEMP_TRY(kernel_of(r, &kernel, "owners_list"));
	return gemp_launch_timed(&r->box->timings, r->device, kernel, grid.items, grid.group, GEMP_ARG(&vertices->mem),
	                         GEMP_ARG(&length), GEMP_ARG(&place), GEMP_ARG(&r->bounds.mem), GEMP_ARG(&ranks),
	                         GEMP_ARG(&r->lists.keys[0].mem), GEMP_ARG(&r->lists.values[0].mem));
}

/* Sets sent[] to the numbers of values for each rank. */
static gemp_code sort_lists(gemp_owner_router *r, size_t count)
{
	const gemp_sort by_owner = { .key = GEMP_KEY_U32, .value_size = r->value_size };
	const cl_uint ranks = (cl_uint)r->comm->size, length = (cl_uint)count;
	const unsigned bits = ranks > 1 ? 32 - (unsigned)__builtin_clz(ranks - 1) : 1;
	const gemp_device_grid grid = grid_of(r, ranks + (size_t)1);
	cl_kernel kernel;
	GEMP_CHECK(count <= r->capacity);
	GEMP_TRY(gemp_sort_device(r->box, &by_owner, &r->lists, count, bits));
	GEMP_TRY(kernel_of(r, &kernel, "owners_begins"));
	GEMP_TRY(gemp_launch_timed(&r->box->timings, r->device, kernel, grid.items, grid.group,
	                           GEMP_ARG(&r->lists.keys[0].mem), GEMP_ARG(&length), GEMP_ARG(&ranks),
	                           GEMP_ARG(&r->begins.mem)));
	GEMP_TRY(gemp_buffer_read(r->device, &r->begins, 0, (ranks + 1) * sizeof *r->list_begin, r->list_begin));
	for (cl_uint k = 0; k < ranks; k++)
		r->sent[k] = r->list_begin[k + 1] - r->list_begin[k];
	return GEMP_OK;
}

gemp_code gemp_owner_router_send(gemp_owner_router *r, gemp_code code, size_t count)
{
	GEMP_THEN(sort_lists(r, count));
	return gemp_device_exchange_run(r->exchange, code, &r->lists.values[0], r->sent, r->value_size, &r->received,
	                                r->from);
}
