#include "topology/device_contraction.h"

#include "core/memory.h"
#include "graph/graph.h"
#include "primitive/radix_pass.h"

#define KERNELS "contraction.cl"

enum { ROOT_BITS = 32 }; /* bits of a root in a link */

gemp_code gemp_device_contraction_new(gemp_device_contraction *out, const gemp_comm *comm, gemp_toolbox *box,
                                      gemp_device_exchange *exchange, const uint64_t *bounds, bool with_edges)
{
	const size_t ranks = (size_t)comm->size;
	const cl_uint edges = with_edges;
	GEMP_OWNED uint64_t *firsts = NULL;
	*out = (gemp_device_contraction){ .with_edges = with_edges };
	GEMP_TRY(gemp_root_names_new(&out->names, comm, box, exchange, bounds));
	const gemp_root_names *n = &out->names;
	GEMP_TRY(GEMP_NEW(firsts, ranks + 1));
	for (size_t r = 0; r <= ranks; r++)
		firsts[r] = bounds[r] << ROOT_BITS;
	GEMP_TRY(gemp_buffer_new(&out->link_bounds, box->device, (ranks + 1) * sizeof *firsts, NULL));
	GEMP_TRY(gemp_buffer_write(box->device, &out->link_bounds, 0, (ranks + 1) * sizeof *firsts, firsts));
	GEMP_TRY(gemp_buffer_reserve(&out->hooked_by, box->device, with_edges ? n->rows * sizeof(cl_ulong) : 0));
	return gemp_tool_each(box, KERNELS, "contraction_begin", n->rows, GEMP_ARG(&n->name.mem),
	                      GEMP_ARG(&out->hooked_by.mem), GEMP_ARG(&n->rows), GEMP_ARG(&n->first), GEMP_ARG(&edges));
}

void gemp_device_contraction_free(gemp_device_contraction *c)
{
	if (c->names.box)
		gemp_buffers_free(c->names.box->device, &c->link_bounds, &c->hooked_by, &c->links.keys[0], &c->links.keys[1],
		                  &c->links.values[0], &c->links.values[1]);
	gemp_root_names_free(&c->names);
}

static void swap_buffers(gemp_buffer *pair)
{
	const gemp_buffer first = pair[0];
	pair[0] = pair[1];
	pair[1] = first;
}

/* Makes room in one buffer of each pair. Values have the same size as links. */
static gemp_code reserve(gemp_device_contraction *c, int which, size_t count)
{
	gemp_device *device = c->names.box->device;
	GEMP_TRY(gemp_buffer_reserve(&c->links.keys[which], device, count * sizeof(cl_ulong)));
	return c->with_edges ? gemp_buffer_reserve(&c->links.values[which], device, count * sizeof(cl_ulong)) : GEMP_OK;
}

gemp_code gemp_device_contraction_reserve(gemp_device_contraction *c, size_t count)
{
	return reserve(c, 0, count);
}

gemp_code gemp_device_contraction_append(gemp_device_contraction *c, size_t count)
{
	const size_t size = c->count * sizeof(cl_ulong);
	if (!count)
		return GEMP_OK;
	GEMP_TRY(gemp_tool_check(c->names.box, c->count + count));
	if (c->links.keys[0].size < size + count * sizeof(cl_ulong)) {
		GEMP_TRY(reserve(c, 1, c->count + count));
		if (size)
			GEMP_TRY(GEMP_CL(clEnqueueCopyBuffer(c->names.box->device->queue, c->links.keys[0].mem,
			                                     c->links.keys[1].mem, 0, 0, size, 0, NULL, NULL)));
		swap_buffers(c->links.keys);
	}
	c->count += count;
	return GEMP_OK;
}

/* Local. Flags the first link of each run of links that are equal above the bit `shift`, and counts the runs. */
static gemp_code find_heads(gemp_device_contraction *c, cl_uint shift, size_t *heads)
{
	gemp_root_names *n = &c->names;
	const cl_uint count = (cl_uint)c->count;
	GEMP_TRY(gemp_buffer_reserve(&n->flags, n->box->device, (c->count + 1) * sizeof(cl_uint)));
	GEMP_TRY(gemp_tool_each(n->box, KERNELS, "contraction_heads", count, GEMP_ARG(&c->links.keys[0].mem),
	                        GEMP_ARG(&count), GEMP_ARG(&shift), GEMP_ARG(&n->flags.mem)));
	return gemp_compact_places(n->box, &n->flags, c->count, heads);
}

gemp_code gemp_device_contraction_sort(gemp_device_contraction *c)
{
	const gemp_sort by_roots = { .key = GEMP_KEY_U64, .value_size = c->with_edges ? sizeof(cl_ulong) : 0 };
	const cl_uint count = (cl_uint)c->count, edges = c->with_edges;
	gemp_root_names *n = &c->names;
	size_t heads = 0;
	if (!c->count)
		return GEMP_OK;
	GEMP_TRY(reserve(c, 1, c->count));
	GEMP_TRY(gemp_sort_device(n->box, &by_roots, &c->links, c->count, 0));
	GEMP_TRY(find_heads(c, 0, &heads));
	GEMP_TRY(gemp_tool_each(n->box, KERNELS, "contraction_keep", c->count, GEMP_ARG(&c->links.keys[0].mem),
	                        GEMP_ARG(&c->links.values[0].mem), GEMP_ARG(&count), GEMP_ARG(&edges),
	                        GEMP_ARG(&n->flags.mem), GEMP_ARG(&c->links.keys[1].mem),
	                        GEMP_ARG(&c->links.values[1].mem)));
	swap_buffers(c->links.keys);
	swap_buffers(c->links.values);
	c->count = heads;
	return GEMP_OK;
}

gemp_code gemp_device_contraction_send(gemp_device_contraction *c, gemp_code code)
{
	gemp_root_names *n = &c->names;
	uint64_t received = 0;
	GEMP_THEN(gemp_root_names_count_sends(n, true, &c->links.keys[0], c->count, &c->link_bounds));
	GEMP_TRY(gemp_device_exchange_run(n->exchange, code, &c->links.keys[0], n->send, sizeof(cl_ulong),
	                                  &c->links.keys[1], n->receive));
	if (c->with_edges)
		GEMP_TRY(gemp_device_exchange_run(n->exchange, GEMP_OK, &c->links.values[0], n->send, sizeof(cl_ulong),
		                                  &c->links.values[1], n->receive));
	swap_buffers(c->links.keys);
	swap_buffers(c->links.values);
	for (int r = 0; r < n->comm->size; r++)
		received += n->receive[r];
	c->count = (size_t)received;
	return gemp_tool_check(n->box, c->count);
}

/* Local. Hooks each own root with links to the smallest root among the other ends. *roots lists the hooked roots. */
static gemp_code hook_roots(gemp_device_contraction *c, gemp_buffer *roots, size_t *hooked)
{
	gemp_root_names *n = &c->names;
	GEMP_TRY(gemp_device_contraction_sort(c));
	const cl_uint count = (cl_uint)c->count, edges = c->with_edges;
	GEMP_TRY(find_heads(c, ROOT_BITS, hooked));
	GEMP_TRY(gemp_buffer_reserve(roots, n->box->device, *hooked * sizeof(cl_uint)));
	return gemp_tool_each(n->box, KERNELS, "contraction_hook", c->count, GEMP_ARG(&c->links.keys[0].mem),
	                      GEMP_ARG(&c->links.values[0].mem), GEMP_ARG(&count), GEMP_ARG(&edges),
	                      GEMP_ARG(&n->flags.mem), GEMP_ARG(&n->first), GEMP_ARG(&n->name.mem),
	                      GEMP_ARG(&c->hooked_by.mem), GEMP_ARG(&roots->mem));
}

/* Local. Lists the smaller roots of all links in names->known. */
static gemp_code list_lows(gemp_device_contraction *c)
{
	gemp_root_names *n = &c->names;
	const cl_uint count = (cl_uint)c->count;
	GEMP_TRY(gemp_buffer_reserve(&n->known, n->box->device, c->count * sizeof(cl_uint)));
	GEMP_TRY(gemp_buffer_reserve(&n->found, n->box->device, c->count * sizeof(cl_uint)));
	return gemp_tool_each(n->box, KERNELS, "contraction_lows", c->count, GEMP_ARG(&c->links.keys[0].mem),
	                      GEMP_ARG(&count), GEMP_ARG(&n->known.mem));
}

/* Collective. Replaces both roots of each link by the roots that have absorbed them. This rank owns the greater root of
 * each of its links. */
static gemp_code rename_links(gemp_device_contraction *c)
{
	gemp_root_names *n = &c->names;
	const cl_uint count = (cl_uint)c->count;
	gemp_code code = list_lows(c);
	code = gemp_root_names_request(n, code, &n->known, c->count, &n->found);
	GEMP_THEN(gemp_tool_each(n->box, KERNELS, "contraction_rename", c->count, GEMP_ARG(&c->links.keys[0].mem),
	                         GEMP_ARG(&count), GEMP_ARG(&n->first), GEMP_ARG(&n->name.mem), GEMP_ARG(&n->found.mem)));
	GEMP_THEN(gemp_device_contraction_sort(c));
	return code;
}

/* Collective. */
static gemp_code run_round(gemp_device_contraction *c)
{
	GEMP_OWNED_BY(gemp_buffer_release) gemp_buffer roots = { 0 };
	size_t hooked = 0;
	gemp_code code = gemp_device_contraction_send(c, GEMP_OK);
	GEMP_THEN(hook_roots(c, &roots, &hooked));
	GEMP_TRY(gemp_root_names_jump(&c->names, code, &roots, hooked));
	c->rounds++;
	return rename_links(c);
}

/* A root's new root may have been hooked in a later round, so pointers are jumped once more in the end. */
gemp_code gemp_device_contraction_run(gemp_device_contraction *c, gemp_code code)
{
	for (;;) {
		uint64_t left = c->count;
		GEMP_TRY(gemp_agree_sum(c->names.comm, code, &left));
		if (!left)
			return gemp_root_names_jump_all(&c->names, GEMP_OK);
		code = run_round(c);
	}
}
