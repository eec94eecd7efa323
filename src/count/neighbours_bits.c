#include "count/neighbours_parts.h"

#include "core/memory.h"

typedef struct bits {
	gemp_around *around;
	cl_kernel clear, select, fill, add, codegrees;
	gemp_buffer kept, place, member, base, bits, pairs;
	uint32_t *count;             /* [vertices] kept */
	uint64_t *first;             /* [vertices] word where a bitmap begins, in its batch */
} bits;

static gemp_code make(bits *b)
{
	gemp_code code = GEMP_OK;
	gemp_around *a = b->around;
	size_t vertices = a->graph->vertices, entries = a->graph->entries;
	GEMP_TRY(GEMP_NEW(b->count, vertices));
	GEMP_TRY(GEMP_NEW(b->first, vertices));
	GEMP_TRY(gemp_buffer_new(&b->kept, a->device, vertices * sizeof *b->count, NULL));
	GEMP_TRY(gemp_buffer_new(&b->place, a->device, entries * sizeof(uint32_t), NULL));
	GEMP_TRY(gemp_buffer_new(&b->member, a->device, entries * sizeof(uint32_t), NULL));
	GEMP_TRY(gemp_buffer_new(&b->base, a->device, vertices * sizeof *b->first, NULL));
	GEMP_TRY(gemp_kernel_new(&b->clear, &a->program, "around_clear"));
	GEMP_TRY(gemp_kernel_new(&b->select, &a->program, "around_select"));
	GEMP_TRY(gemp_kernel_new(&b->fill, &a->program, "around_fill"));
	GEMP_TRY(gemp_kernel_new(&b->add, &a->program, "around_sum"));
	if (gemp_around_mentions(a, "g"))
		GEMP_TRY(gemp_kernel_new(&b->codegrees, &a->program, "around_codegrees"));
done:
	return code;
}

static gemp_code clear(bits *b, const gemp_buffer *words, cl_ulong count)
{
	gemp_around *a = b->around;
	gemp_code code = gemp_launch(a->device, b->clear, a->items, a->group, GEMP_ARG(&words->mem), GEMP_ARG(&count));
	return code == GEMP_OK ? gemp_around_lap(a) : code;
}

static gemp_code select_neighbours(bits *b)
{
	gemp_code code = GEMP_OK;
	gemp_around *a = b->around;
	const gemp_count_graph *g = a->graph;
	const gemp_comm *comm = g->context->comm;
	cl_uint rank = (cl_uint)comm->rank, ranks = (cl_uint)comm->size;
	GEMP_TRY(gemp_launch(a->device, b->select, a->items, a->device->nvidia ? a->group : a->device->gpu ? 32 : 1,
	                     GEMP_ARG(&g->begin.mem), GEMP_ARG(&g->support.mem), GEMP_ARG(&g->vertices), GEMP_ARG(&rank),
	                     GEMP_ARG(&ranks), GEMP_ARG(&b->kept.mem), GEMP_ARG(&b->place.mem), GEMP_ARG(&b->member.mem)));
	GEMP_TRY(gemp_around_lap(a));
	code = gemp_buffer_read(a->device, &b->kept, 0, g->vertices * sizeof *b->count, b->count);
done:
	return code;
}

static gemp_code count_pairs(bits *b)
{
	gemp_code code = GEMP_OK;
	gemp_around *a = b->around;
	const gemp_count_graph *g = a->graph;
	uint64_t pairs = (uint64_t)g->vertices * (g->vertices - 1) / 2;
	cl_ulong entries = g->entries;
	if (!b->codegrees)
		return GEMP_OK;
	GEMP_TRY(gemp_buffer_new(&b->pairs, a->device, pairs * sizeof(uint32_t), NULL));
	GEMP_TRY(clear(b, &b->pairs, pairs));
	GEMP_TRY(gemp_launch(a->device, b->codegrees, a->items, a->group, GEMP_ARG(&g->begin.mem), GEMP_ARG(&g->near.mem),
	                     GEMP_ARG(&g->vertices), GEMP_ARG(&entries), GEMP_ARG(&b->pairs.mem)));
	GEMP_TRY(gemp_around_lap(a));
done:
	return code;
}

static uint64_t bitmap_words(uint64_t kept)
{
	return kept * ((kept + 31) / 32);
}

/* From vertex `from` on, bitmaps that fit into `room` words; *to is the first that does not, *words what they take. */
static gemp_code next_batch(bits *b, uint64_t room, uint32_t from, uint32_t *to, uint64_t *words)
{
	uint32_t h = from;
	uint64_t sum = 0;
	for (; h < b->around->graph->vertices; h++) {
		uint64_t more = bitmap_words(b->count[h]);
		if (sum + more > room)
			break;
		b->first[h] = sum;
		sum += more;
	}
	*to = h;
	*words = sum;
	if (h == from)
		return gemp_fail(GEMP_ENOMEM, "the neighbourhood of one vertex (%u neighbours in triangles) needs a bitmap of %llu MB, "
		                 "more than a quarter of the device's memory", b->count[h],
		                 (unsigned long long)(bitmap_words(b->count[h]) >> 18));
	return GEMP_OK;
}

static gemp_code add_batch(bits *b, cl_ulong from, cl_ulong to)
{
	gemp_around *a = b->around;
	const gemp_count_graph *g = a->graph;
	gemp_argument arg[16 + GEMP_MAX_VERTEX_TABLES];
	size_t n = 0;
	arg[n++] = GEMP_ARG(&g->begin.mem);
	arg[n++] = GEMP_ARG(&g->near.mem);
	arg[n++] = GEMP_ARG(&g->support.mem);
	arg[n++] = GEMP_ARG(&g->vertices);
	arg[n++] = GEMP_ARG(&from);
	arg[n++] = GEMP_ARG(&to);
	arg[n++] = GEMP_ARG(&b->kept.mem);
	arg[n++] = GEMP_ARG(&b->place.mem);
	arg[n++] = GEMP_ARG(&b->member.mem);
	arg[n++] = GEMP_ARG(&b->base.mem);
	arg[n++] = GEMP_ARG(&b->bits.mem);
	for (int k = 0; k < GEMP_MAX_VERTEX_TABLES; k++)
		if (gemp_around_table(a, k))
			arg[n++] = GEMP_ARG(&g->tables[k].mem);
	if (b->codegrees)
		arg[n++] = GEMP_ARG(&b->pairs.mem);
	arg[n++] = GEMP_ARG(&a->partials.control.mem);
	arg[n++] = GEMP_ARG(&a->partials.out.mem);
	arg[n++] = GEMP_LOCAL(2 * a->group * sizeof(cl_long));
	return gemp_launch_with(a->device, b->add, a->items, a->group, arg, n);
}

static gemp_code run_batch(bits *b, uint32_t from, uint32_t to, uint64_t words)
{
	gemp_code code = GEMP_OK;
	gemp_around *a = b->around;
	const gemp_count_graph *g = a->graph;
	size_t size = sizeof *b->first;
	cl_ulong first = g->host_begin[from], end = g->host_begin[to];
	if (words == 0)
		return GEMP_OK;
	GEMP_TRY(gemp_buffer_write(a->device, &b->base, from * size, (to - from) * size, b->first + from));
	GEMP_TRY(clear(b, &b->bits, words));
	GEMP_TRY(gemp_launch(a->device, b->fill, a->items, a->group, GEMP_ARG(&g->begin.mem), GEMP_ARG(&g->near.mem),
	                     GEMP_ARG(&g->vertices), GEMP_ARG(&first), GEMP_ARG(&end), GEMP_ARG(&b->kept.mem),
	                     GEMP_ARG(&b->place.mem), GEMP_ARG(&b->base.mem), GEMP_ARG(&b->bits.mem)));
	GEMP_TRY(gemp_around_lap(a));
	GEMP_TRY(add_batch(b, first, end));
	GEMP_TRY(gemp_around_lap(a));
	GEMP_TRY(gemp_partials_read(&a->partials, a->device, a->items / a->group));
	a->result->total += gemp_partials_total(&a->partials, 0, a->items / a->group);
done:
	return code;
}

static gemp_code run(bits *b)
{
	gemp_code code = GEMP_OK;
	gemp_around *a = b->around;
	uint64_t room = a->most / sizeof(uint32_t), all = 0, words;
	GEMP_TRY(make(b));
	GEMP_TRY(select_neighbours(b));
	GEMP_TRY(count_pairs(b));
	for (uint32_t h = 0; h < a->graph->vertices; h++)
		all += bitmap_words(b->count[h]);
	GEMP_TRY(gemp_buffer_new(&b->bits, a->device, (all < room ? all : room) * sizeof(uint32_t) + 4, NULL));
	for (uint32_t from = 0, to = 0; from < a->graph->vertices; from = to) {
		GEMP_TRY(next_batch(b, room, from, &to, &words));
		GEMP_TRY(run_batch(b, from, to, words));
	}
done:
	return code;
}

gemp_code gemp_around_bits(gemp_around *around)
{
	bits b = { .around = around };
	gemp_code code = run(&b);
	gemp_buffer *const buffers[] = { &b.kept, &b.place, &b.member, &b.base, &b.bits, &b.pairs };
	cl_kernel const kernels[] = { b.clear, b.select, b.fill, b.add, b.codegrees };
	for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
		gemp_buffer_free(buffers[i], around->device);
	for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
		if (kernels[i])
			clReleaseKernel(kernels[i]);
	gemp_free(b.count);
	gemp_free(b.first);
	return code;
}
