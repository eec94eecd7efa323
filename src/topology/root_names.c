#include "topology/root_names.h"

#include "core/memory.h"
#include "primitive/distinct.h"
#include "primitive/radix_pass.h"

#define KERNELS "root_names.cl"

gemp_code gemp_root_names_new(gemp_root_names *out, const gemp_comm *comm, gemp_toolbox *box,
                              gemp_device_exchange *exchange, const uint64_t *bounds)
{
	const size_t ranks = (size_t)comm->size, rows = (size_t)(bounds[comm->rank + 1] - bounds[comm->rank]);
	GEMP_OWNED uint32_t *firsts = NULL;
	*out = (gemp_root_names){
		.comm = comm, .box = box, .exchange = exchange, .first = (cl_uint)bounds[comm->rank], .rows = (cl_uint)rows
	};
	GEMP_TRY(gemp_new_all(GEMP_ARRAY(firsts, ranks + 1), GEMP_ARRAY(out->begins, ranks + 1),
	                      GEMP_ARRAY(out->send, ranks), GEMP_ARRAY(out->receive, ranks)));
	for (size_t r = 0; r <= ranks; r++)
		firsts[r] = (uint32_t)bounds[r];
	GEMP_TRY(gemp_buffer_reserve(&out->name, box->device, rows * sizeof(cl_uint)));
	GEMP_TRY(gemp_buffer_new(&out->begins_buffer, box->device, (ranks + 1) * sizeof(cl_uint), NULL));
	GEMP_TRY(gemp_buffer_new(&out->bounds, box->device, (ranks + 1) * sizeof(cl_uint), NULL));
	return gemp_buffer_write(box->device, &out->bounds, 0, (ranks + 1) * sizeof *firsts, firsts);
}

void gemp_root_names_free(gemp_root_names *n)
{
	gemp_free_all(n->begins, n->send, n->receive);
	if (n->box)
		gemp_buffers_free(n->box->device, &n->name, &n->bounds, &n->asked, &n->ids, &n->answers, &n->replies,
		                  &n->begins_buffer, &n->known, &n->found, &n->flags, &n->list);
	*n = (gemp_root_names){ 0 };
}

gemp_code gemp_agree_sum(const gemp_comm *comm, gemp_code code, uint64_t *value)
{
	uint64_t sums[] = { *value, code != GEMP_OK };
	gemp_comm_sum(comm, sums, 2);
	*value = sums[0];
	return sums[1] ? gemp_comm_agree(comm, code) : GEMP_OK;
}

/* Without keys no kernel is launched, and all counts are 0. */
gemp_code gemp_root_names_count_sends(gemp_root_names *n, bool wide, const gemp_buffer *keys, size_t count,
                                      const gemp_buffer *bounds)
{
	const size_t ranks = (size_t)n->comm->size;
	const cl_uint keys_count = (cl_uint)count, bounds_count = (cl_uint)ranks + 1;
	memset(n->begins, 0, bounds_count * sizeof *n->begins);
	if (count) {
		GEMP_TRY(gemp_tool_each(n->box, KERNELS, wide ? "names_begins_wide" : "names_begins", bounds_count,
		                        GEMP_ARG(&keys->mem), GEMP_ARG(&keys_count), GEMP_ARG(&bounds->mem),
		                        GEMP_ARG(&bounds_count), GEMP_ARG(&n->begins_buffer.mem)));
		GEMP_TRY(gemp_buffer_read(n->box->device, &n->begins_buffer, 0, bounds_count * sizeof *n->begins, n->begins));
	}
	for (size_t r = 0; r < ranks; r++)
		n->send[r] = n->begins[r + 1] - n->begins[r];
	return GEMP_OK;
}

/* Local. Answers the requests that this rank has received. */
static gemp_code answer(gemp_root_names *n)
{
	uint64_t count = 0;
	for (int r = 0; r < n->comm->size; r++)
		count += n->receive[r];
	const cl_uint ids = (cl_uint)count;
	GEMP_TRY(gemp_tool_check(n->box, (size_t)count));
	GEMP_TRY(gemp_buffer_reserve(&n->answers, n->box->device, (size_t)count * sizeof(cl_uint)));
	return gemp_tool_each(n->box, KERNELS, "names_answer", (size_t)count, GEMP_ARG(&n->ids.mem), GEMP_ARG(&ids),
	                      GEMP_ARG(&n->name.mem), GEMP_ARG(&n->first), GEMP_ARG(&n->rows), GEMP_ARG(&n->answers.mem));
}

/* Many ids may be equal, and each is requested once. The answers are in the order of the requests, which ascend. */
gemp_code gemp_root_names_request(gemp_root_names *n, gemp_code code, const gemp_buffer *ids, size_t count,
                                  const gemp_buffer *found)
{
	const cl_uint all = (cl_uint)count;
	size_t distinct = 0;
	gemp_buffer_free(&n->asked, n->box->device);
	GEMP_THEN(gemp_distinct_device(n->box, GEMP_KEY_U32, ids, count, &n->asked, &distinct));
	GEMP_THEN(gemp_root_names_count_sends(n, false, &n->asked, distinct, &n->bounds));
	GEMP_TRY(gemp_device_exchange_run(n->exchange, code, &n->asked, n->send, sizeof(cl_uint), &n->ids, n->receive));
	code = answer(n);
	GEMP_TRY(gemp_device_exchange_back(n->exchange, code, &n->answers, sizeof(cl_uint), &n->replies));
	const cl_uint asked = (cl_uint)distinct;
	return gemp_tool_each(n->box, KERNELS, "names_look_up", count, GEMP_ARG(&ids->mem), GEMP_ARG(&all),
	                      GEMP_ARG(&n->asked.mem), GEMP_ARG(&n->replies.mem), GEMP_ARG(&asked), GEMP_ARG(&found->mem));
}

/* Local. Keeps the flagged elements of a list of *count rows; without a list, the numbers of the flags. */
static gemp_code keep_flagged(gemp_root_names *n, gemp_buffer *list, bool from_list, size_t *count)
{
	const cl_uint all = (cl_uint)*count, listed = from_list;
	gemp_buffer kept;
	GEMP_TRY(gemp_compact_places(n->box, &n->flags, *count, count));
	GEMP_TRY(gemp_buffer_reserve(&n->list, n->box->device, *count * sizeof(cl_uint)));
	if (*count)
		GEMP_TRY(gemp_tool_each(n->box, KERNELS, "names_keep", all, GEMP_ARG(&list->mem), GEMP_ARG(&all),
		                        GEMP_ARG(&listed), GEMP_ARG(&n->flags.mem), GEMP_ARG(&n->list.mem)));
	kept = n->list;
	n->list = *list;
	*list = kept;
	return GEMP_OK;
}

/* Local. Sets the names that were found, and keeps the roots whose names may not be roots. */
static gemp_code set_names(gemp_root_names *n, gemp_buffer *roots, size_t *count)
{
	const cl_uint all = (cl_uint)*count;
	GEMP_TRY(gemp_tool_each(n->box, KERNELS, "names_set", *count, GEMP_ARG(&roots->mem), GEMP_ARG(&all),
	                        GEMP_ARG(&n->name.mem), GEMP_ARG(&n->known.mem), GEMP_ARG(&n->found.mem),
	                        GEMP_ARG(&n->flags.mem)));
	return keep_flagged(n, roots, true, count);
}

/* Local. Makes room for a list of `count` roots, and finds the last names that this rank knows. */
static gemp_code prepare(gemp_root_names *n, const gemp_buffer *roots, size_t count)
{
	const cl_uint all = (cl_uint)count;
	gemp_device *device = n->box->device;
	GEMP_TRY(gemp_buffer_reserve(&n->known, device, count * sizeof(cl_uint)));
	GEMP_TRY(gemp_buffer_reserve(&n->found, device, count * sizeof(cl_uint)));
	GEMP_TRY(gemp_buffer_reserve(&n->flags, device, (count + 1) * sizeof(cl_uint)));
	return gemp_tool_each(n->box, KERNELS, "names_known", count, GEMP_ARG(&roots->mem), GEMP_ARG(&all),
	                      GEMP_ARG(&n->name.mem), GEMP_ARG(&n->first), GEMP_ARG(&n->rows), GEMP_ARG(&n->known.mem));
}

gemp_code gemp_root_names_jump(gemp_root_names *n, gemp_code code, gemp_buffer *roots, size_t count)
{
	for (;;) {
		uint64_t all = count;
		GEMP_TRY(gemp_agree_sum(n->comm, code, &all));
		if (!all)
			return GEMP_OK;
		code = prepare(n, roots, count);
		code = gemp_root_names_request(n, code, &n->known, count, &n->found);
		GEMP_THEN(set_names(n, roots, &count));
	}
}

gemp_code gemp_root_names_jump_all(gemp_root_names *n, gemp_code code)
{
	GEMP_OWNED_BY(gemp_buffer_release) gemp_buffer roots = { 0 };
	size_t count = n->rows;
	GEMP_THEN(gemp_buffer_reserve(&n->flags, n->box->device, (count + 1) * sizeof(cl_uint)));
	GEMP_THEN(gemp_buffer_reserve(&roots, n->box->device, sizeof(cl_uint)));
	GEMP_THEN(gemp_tool_each(n->box, KERNELS, "names_moved", count, GEMP_ARG(&n->name.mem), GEMP_ARG(&n->rows),
	                         GEMP_ARG(&n->first), GEMP_ARG(&n->flags.mem)));
	GEMP_THEN(keep_flagged(n, &roots, false, &count));
	return gemp_root_names_jump(n, code, &roots, code == GEMP_OK ? count : 0);
}
