#include "count/neighbours_parts.h"

#include "core/memory.h"

enum { ARRAYS = 4 }; /* AROUND_ARRAYS of kernels/count_neighbours_lists.cl */

typedef struct lists {
	gemp_around *around;
	cl_kernel list, add;
	gemp_buffer offset, slots, places, scratch;
	uint64_t *first;  /* [entries + 1] where the list of an entry begins */
	uint32_t *support; /* [entries] */
} lists;

static gemp_code make(lists *l)
{
	gemp_code code = GEMP_OK;
	gemp_around *a = l->around;
	const gemp_count_graph *g = a->graph;
	size_t entries = g->entries, scratch = a->items * (size_t)g->vertices * ARRAYS * sizeof(uint32_t);
	GEMP_TRY(GEMP_NEW(l->first, entries + 1));
	GEMP_TRY(GEMP_NEW(l->support, entries));
	GEMP_TRY(gemp_buffer_read(a->device, &g->support, 0, entries * sizeof *l->support, l->support));
	for (size_t e = 0; e < entries; e++)
		l->first[e + 1] = l->first[e] + l->support[e];
	uint64_t bytes = (l->first[entries] + 1) * sizeof(uint32_t);
	if (bytes > a->most)
		return gemp_fail(GEMP_ENOMEM, "the common neighbours of the ends of all edges need lists of %llu MB, and a buffer may "
		                 "have %llu MB", (unsigned long long)(bytes >> 20),
		                 (unsigned long long)(a->most >> 20));
	GEMP_TRY(gemp_buffer_new(&l->offset, a->device, (entries + 1) * sizeof *l->first, l->first));
	GEMP_TRY(gemp_buffer_new(&l->slots, a->device, bytes, NULL));
	GEMP_TRY(gemp_buffer_new(&l->places, a->device, bytes, NULL));
	GEMP_TRY(gemp_buffer_new(&l->scratch, a->device, scratch, NULL));
	GEMP_TRY(gemp_buffer_zero(a->device, &l->scratch, 0, scratch));
	GEMP_TRY(gemp_kernel_new(&l->list, &a->program, "around_lists"));
	GEMP_TRY(gemp_kernel_new(&l->add, &a->program, "around_sum"));
done:
	return code;
}

static gemp_code add_up(lists *l)
{
	gemp_around *a = l->around;
	const gemp_count_graph *g = a->graph;
	const gemp_comm *comm = g->context->comm;
	cl_uint rank = (cl_uint)comm->rank, ranks = (cl_uint)comm->size;
	gemp_argument arg[16 + GEMP_MAX_VERTEX_TABLES];
	size_t n = 0;
	arg[n++] = GEMP_ARG(&g->begin.mem);
	arg[n++] = GEMP_ARG(&g->near.mem);
	arg[n++] = GEMP_ARG(&g->support.mem);
	arg[n++] = GEMP_ARG(&g->vertices);
	arg[n++] = GEMP_ARG(&rank);
	arg[n++] = GEMP_ARG(&ranks);
	arg[n++] = GEMP_ARG(&l->offset.mem);
	arg[n++] = GEMP_ARG(&l->slots.mem);
	arg[n++] = GEMP_ARG(&l->places.mem);
	arg[n++] = GEMP_ARG(&l->scratch.mem);
	for (int k = 0; k < GEMP_MAX_VERTEX_TABLES; k++)
		if (gemp_around_table(a, k))
			arg[n++] = GEMP_ARG(&g->tables[k].mem);
	arg[n++] = GEMP_ARG(&a->partials.control.mem);
	arg[n++] = GEMP_ARG(&a->partials.out.mem);
	return gemp_launch_with(a->device, l->add, a->items, a->group, arg, n);
}

static gemp_code run(lists *l)
{
	gemp_code code = GEMP_OK;
	gemp_around *a = l->around;
	const gemp_count_graph *g = a->graph;
	GEMP_TRY(make(l));
	GEMP_TRY(gemp_launch(a->device, l->list, a->items, a->group, GEMP_ARG(&g->begin.mem), GEMP_ARG(&g->near.mem),
	                     GEMP_ARG(&g->support.mem), GEMP_ARG(&g->vertices), GEMP_ARG(&l->offset.mem),
	                     GEMP_ARG(&l->slots.mem), GEMP_ARG(&l->places.mem), GEMP_ARG(&l->scratch.mem),
	                     GEMP_ARG(&a->partials.control.mem)));
	GEMP_TRY(gemp_around_lap(a));
	GEMP_TRY(add_up(l));
	GEMP_TRY(gemp_around_lap(a));
	GEMP_TRY(gemp_partials_read(&a->partials, a->device, a->items / a->group));
	a->result->total = gemp_partials_total(&a->partials, 0, a->items / a->group);
done:
	return code;
}

gemp_code gemp_around_lists(gemp_around *around)
{
	lists l = { .around = around };
	gemp_code code = run(&l);
	gemp_buffer *const buffers[] = { &l.offset, &l.slots, &l.places, &l.scratch };
	for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
		gemp_buffer_free(buffers[i], around->device);
	if (l.list)
		clReleaseKernel(l.list);
	if (l.add)
		clReleaseKernel(l.add);
	gemp_free(l.first);
	gemp_free(l.support);
	return code;
}
