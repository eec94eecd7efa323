#include "count/neighbours.h"

#include "count/partials.h"
#include "count/sweep_bound.h"

#include "core/memory.h"
#include "core/text.h"
#include "device/laps.h"

#include <stdio.h>
#include <string.h>

enum { GROUP = 256, SELECT_LANES = 32, FILL_LANES = 8, SUM_LANES = 32, MEMORY_SHARE = 4 };
static const double largest = 4.0e18; /* COUNT_LARGEST of kernels/count.clh */

typedef struct around {
	const gemp_count_graph *graph;
	const gemp_sum *sum;
	gemp_device *device;
	gemp_sum_result *result;
	bool wide_group;             /* several lanes go through a row together */
	size_t items, group;
	gemp_program program;
	cl_kernel select, fill, add, codegrees;
	gemp_buffer kept, place, member, base, bits, pairs;
	gemp_partials partials;
	gemp_laps laps;
	uint32_t *count;             /* [vertices] kept */
	uint64_t *first;             /* [vertices] word where a bitmap begins, in its batch */
} around;

bool gemp_neighbours_codegrees(const gemp_device *device, uint64_t vertices)
{
	uint64_t bytes = vertices < 2 ? 0 : vertices * (vertices - 1) / 2 * sizeof(uint32_t);
	return vertices < UINT32_MAX / 4 && bytes <= device->memory / MEMORY_SHARE && bytes <= device->largest;
}

static bool mentions(const around *a, const char *symbol)
{
	return gemp_sum_mentions(a->sum->expression, symbol);
}

/* SOURCE */
static bool mentions_table(const around *a, int table, int place)
{
	char symbol[32];
	snprintf(symbol, sizeof symbol, "V%d_%d", table, place);
	return mentions(a, symbol);
}

static bool mentions_any(const around *a, int table)
{
	return mentions_table(a, table, 0) || mentions_table(a, table, 1) || mentions_table(a, table, 2);
}

static void emit_tables(const around *a, gemp_text *text)
{
	gemp_text_print(text, "#define AROUND_TABLES");
	for (int k = 0; k < GEMP_MAX_VERTEX_TABLES; k++)
		if (mentions_any(a, k))
			gemp_text_print(text, " __global const long *V%d,", k);
	if (mentions(a, "g"))
		gemp_text_print(text, " __global const uint *codegrees,");
	gemp_text_print(text, "\n%s", mentions(a, "g") ? "#define AROUND_CODEGREES\n" : "");
}

static void emit_places(const around *a, gemp_text *text, int least, int most)
{
	for (int place = least; place <= most; place++)
		for (int k = 0; k < GEMP_MAX_VERTEX_TABLES; k++)
			if (mentions_table(a, k, place))
				gemp_text_print(text, " long V%d_%d = V%d[slot_%d];", k, place, k, place);
}

static void emit_symbols(const around *a, gemp_text *text)
{
	gemp_text_print(text, "#define AROUND_OUTER");
	emit_places(a, text, 0, 1);
	if (mentions(a, "t_01"))
		gemp_text_print(text, " long t_01 = support[e];");
	gemp_text_print(text, "\n#define AROUND_INNER");
	emit_places(a, text, 2, 2);
	if (mentions(a, "t_12"))
		gemp_text_print(text, " long t_12 = support[e_2];");
	if (mentions(a, "a"))
		gemp_text_print(text, " long a = bits[WORD(at, size, words, row, j / 32)] >> (j & 31) & 1;");
	if (mentions(a, "g"))
		gemp_text_print(text, " long g = codegrees[pair_of(slot_0, slot_2, vertices)];");
	gemp_text_print(text, "\n#define AROUND_VALUE (%s)\n", a->sum->expression ? a->sum->expression : "1");
}

static double symbol_bound(void *self, const char *symbol)
{
	const around *a = self;
	if (symbol[0] == 'V')
		return a->graph->table_bound[symbol[1] - '0'];
	return symbol[0] == 'a' ? 1 : a->graph->longest; /* c, g, t */
}

static gemp_code emit_check(around *a, gemp_text *text)
{
	gemp_code code = GEMP_OK;
	double bound = 1;
	if (a->sum->expression)
		GEMP_TRY(gemp_expression_bound(a->sum->expression, symbol_bound, a, &bound));
	gemp_text_print(text, "#define AROUND_CHECK");
	if (bound >= largest) {
		gemp_text_print(text, " count_check(");
		gemp_expression_magnitude(text, a->sum->expression);
		gemp_text_print(text, ", control);");
	}
	gemp_text_print(text, "\n");
done:
	return code;
}

static gemp_code emit(around *a, gemp_text *text)
{
	gemp_code code = GEMP_OK;
	char *fixed = NULL;
	GEMP_TRY(gemp_kernel_source(&fixed, "count_neighbours.cl"));
	gemp_text_print(text, "#define OFFSET %s\n#define GEMP_LANES %d\n#define FILL_LANES %d\n#define SUM_LANES %d\n",
	                a->graph->wide ? "ulong" : "uint", a->wide_group ? SELECT_LANES : 1, a->device->gpu ? FILL_LANES : 1,
	                a->device->gpu ? SUM_LANES : 1);
	emit_tables(a, text);
	emit_symbols(a, text);
	GEMP_TRY(emit_check(a, text));
	gemp_text_print(text, "%s", fixed);
	GEMP_TRY(gemp_text_status(text));
done:
	gemp_free(fixed);
	return code;
}

/* RUNNING */
static gemp_code make_buffers(around *a)
{
	gemp_code code = GEMP_OK;
	const gemp_count_graph *g = a->graph;
	size_t vertices = g->vertices + 1, entries = g->entries + 1;
	a->items = a->device->gpu ? (size_t)a->device->units * 2048 : a->device->units;
	a->group = a->device->gpu ? GROUP : 1;
	GEMP_TRY(GEMP_NEW(a->count, vertices));
	GEMP_TRY(GEMP_NEW(a->first, vertices));
	GEMP_TRY(gemp_buffer_new(&a->kept, a->device, vertices * sizeof *a->count, NULL));
	GEMP_TRY(gemp_buffer_new(&a->place, a->device, entries * sizeof(uint32_t), NULL));
	GEMP_TRY(gemp_buffer_new(&a->member, a->device, entries * sizeof(uint32_t), NULL));
	GEMP_TRY(gemp_buffer_new(&a->base, a->device, vertices * sizeof *a->first, NULL));
	GEMP_TRY(gemp_partials_new(&a->partials, a->device, a->items / a->group));
	GEMP_TRY(gemp_kernel_new(&a->select, &a->program, "around_select"));
	GEMP_TRY(gemp_kernel_new(&a->fill, &a->program, "around_fill"));
	GEMP_TRY(gemp_kernel_new(&a->add, &a->program, "around_sum"));
	if (mentions(a, "g"))
		GEMP_TRY(gemp_kernel_new(&a->codegrees, &a->program, "around_codegrees"));
done:
	return code;
}

static gemp_code lap(around *a)
{
	a->result->launches++;
	return gemp_laps_add(&a->laps, a->device);
}

static gemp_code select_neighbours(around *a)
{
	gemp_code code = GEMP_OK;
	const gemp_count_graph *g = a->graph;
	const gemp_comm *comm = g->context->comm;
	cl_uint rank = (cl_uint)comm->rank, ranks = (cl_uint)comm->size;
	GEMP_TRY(gemp_launch(a->device, a->select, a->items, a->wide_group ? a->group : a->device->gpu ? 32 : 1,
	                     GEMP_ARG(&g->begin.mem), GEMP_ARG(&g->support.mem), GEMP_ARG(&g->vertices), GEMP_ARG(&rank),
	                     GEMP_ARG(&ranks), GEMP_ARG(&a->kept.mem), GEMP_ARG(&a->place.mem), GEMP_ARG(&a->member.mem)));
	GEMP_TRY(lap(a));
	code = gemp_buffer_read(a->device, &a->kept, 0, g->vertices * sizeof *a->count, a->count);
done:
	return code;
}

static gemp_code count_pairs(around *a)
{
	gemp_code code = GEMP_OK;
	const gemp_count_graph *g = a->graph;
	uint64_t pairs = (uint64_t)g->vertices * (g->vertices - 1) / 2;
	cl_ulong entries = g->entries;
	if (!a->codegrees)
		return GEMP_OK;
	GEMP_TRY(gemp_buffer_new(&a->pairs, a->device, pairs * sizeof(uint32_t), NULL));
	GEMP_TRY(gemp_buffer_zero(a->device, &a->pairs, 0, pairs * sizeof(uint32_t)));
	GEMP_TRY(gemp_launch(a->device, a->codegrees, a->items, a->group, GEMP_ARG(&g->begin.mem), GEMP_ARG(&g->near.mem),
	                     GEMP_ARG(&g->vertices), GEMP_ARG(&entries), GEMP_ARG(&a->pairs.mem)));
	GEMP_TRY(lap(a));
done:
	return code;
}

static uint64_t bitmap_words(uint64_t kept)
{
	return kept * ((kept + 31) / 32);
}

/* From vertex `from` on, bitmaps that fit into `room` words; *to is the first that does not, *words what they take. */
static gemp_code next_batch(around *a, uint64_t room, uint32_t from, uint32_t *to, uint64_t *words)
{
	uint32_t h = from;
	uint64_t sum = 0;
	for (; h < a->graph->vertices; h++) {
		uint64_t more = bitmap_words(a->count[h]);
		if (sum + more > room)
			break;
		a->first[h] = sum;
		sum += more;
	}
	*to = h;
	*words = sum;
	if (h == from)
		return gemp_fail(GEMP_ENOMEM, "the neighbourhood of one vertex (%u neighbours in triangles) needs a bitmap of %llu MB, "
		                 "more than a quarter of the device's memory; use --count-by enumerate", a->count[h],
		                 (unsigned long long)(bitmap_words(a->count[h]) >> 18));
	return GEMP_OK;
}

static gemp_code add_batch(around *a, cl_ulong from, cl_ulong to)
{
	const gemp_count_graph *g = a->graph;
	gemp_argument arg[16 + GEMP_MAX_VERTEX_TABLES];
	size_t n = 0;
	arg[n++] = GEMP_ARG(&g->begin.mem);
	arg[n++] = GEMP_ARG(&g->near.mem);
	arg[n++] = GEMP_ARG(&g->support.mem);
	arg[n++] = GEMP_ARG(&g->vertices);
	arg[n++] = GEMP_ARG(&from);
	arg[n++] = GEMP_ARG(&to);
	arg[n++] = GEMP_ARG(&a->kept.mem);
	arg[n++] = GEMP_ARG(&a->place.mem);
	arg[n++] = GEMP_ARG(&a->member.mem);
	arg[n++] = GEMP_ARG(&a->base.mem);
	arg[n++] = GEMP_ARG(&a->bits.mem);
	for (int k = 0; k < GEMP_MAX_VERTEX_TABLES; k++)
		if (mentions_any(a, k))
			arg[n++] = GEMP_ARG(&g->tables[k].mem);
	if (a->codegrees)
		arg[n++] = GEMP_ARG(&a->pairs.mem);
	arg[n++] = GEMP_ARG(&a->partials.control.mem);
	arg[n++] = GEMP_ARG(&a->partials.out.mem);
	arg[n++] = GEMP_LOCAL(2 * a->group * sizeof(cl_long));
	return gemp_launch_with(a->device, a->add, a->items, a->group, arg, n);
}

static gemp_code run_batch(around *a, uint32_t from, uint32_t to, uint64_t words)
{
	gemp_code code = GEMP_OK;
	const gemp_count_graph *g = a->graph;
	size_t size = sizeof *a->first;
	cl_ulong first = g->host_begin[from], end = g->host_begin[to];
	if (words == 0)
		return GEMP_OK;
	GEMP_TRY(gemp_buffer_write(a->device, &a->base, from * size, (to - from) * size, a->first + from));
	GEMP_TRY(gemp_buffer_zero(a->device, &a->bits, 0, words * sizeof(uint32_t)));
	GEMP_TRY(gemp_launch(a->device, a->fill, a->items, a->group, GEMP_ARG(&g->begin.mem), GEMP_ARG(&g->near.mem),
	                     GEMP_ARG(&g->vertices), GEMP_ARG(&first), GEMP_ARG(&end), GEMP_ARG(&a->kept.mem),
	                     GEMP_ARG(&a->place.mem), GEMP_ARG(&a->base.mem), GEMP_ARG(&a->bits.mem)));
	GEMP_TRY(lap(a));
	GEMP_TRY(add_batch(a, first, end));
	GEMP_TRY(lap(a));
	GEMP_TRY(gemp_partials_read(&a->partials, a->device, a->items / a->group));
	a->result->total += gemp_partials_total(&a->partials, 0, a->items / a->group);
done:
	return code;
}

static gemp_code run(around *a)
{
	gemp_code code = GEMP_OK;
	uint64_t room = a->device->memory / MEMORY_SHARE / sizeof(uint32_t), all = 0, words;
	if (room > a->device->largest / sizeof(uint32_t))
		room = a->device->largest / sizeof(uint32_t);
	GEMP_TRY(make_buffers(a));
	if (a->graph->entries == 0)
		return GEMP_OK;
	GEMP_TRY(select_neighbours(a));
	GEMP_TRY(count_pairs(a));
	for (uint32_t h = 0; h < a->graph->vertices; h++)
		all += bitmap_words(a->count[h]);
	GEMP_TRY(gemp_buffer_new(&a->bits, a->device, (all < room ? all : room) * sizeof(uint32_t) + 4, NULL));
	for (uint32_t from = 0, to = 0; from < a->graph->vertices; from = to) {
		GEMP_TRY(next_batch(a, room, from, &to, &words));
		GEMP_TRY(run_batch(a, from, to, words));
	}
	GEMP_TRY(gemp_laps_seconds(&a->laps, &a->result->seconds));
	if (!a->program.cached)
		code = gemp_program_store(a->device, &a->program);
done:
	return code;
}

static void release(around *a)
{
	gemp_buffer *const buffers[] = { &a->kept, &a->place, &a->member, &a->base, &a->bits, &a->pairs };
	cl_kernel const kernels[] = { a->select, a->fill, a->add, a->codegrees };
	for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
		gemp_buffer_free(buffers[i], a->device);
	for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
		if (kernels[i])
			clReleaseKernel(kernels[i]);
	gemp_partials_free(&a->partials, a->device);
	gemp_laps_free(&a->laps);
	gemp_program_free(&a->program);
	gemp_free(a->count);
	gemp_free(a->first);
}

gemp_code gemp_neighbours_sum(const gemp_count_graph *graph, const gemp_sum *sum, gemp_sum_result *result)
{
	gemp_code code = GEMP_OK;
	gemp_device *device = graph->context->device;
	around a = { .graph = graph, .sum = sum, .device = device, .result = result, .wide_group = device->nvidia };
	gemp_text source = { 0 };
	const gemp_comm *comm = graph->context->comm;
	*result = (gemp_sum_result){ 0 };
	GEMP_TRY(gemp_comm_agree(comm, emit(&a, &source)));
	GEMP_TRY(gemp_context_program(graph->context, &a.program, source.data, NULL));
	GEMP_TRY(gemp_comm_agree(comm, run(&a)));
done:
	release(&a);
	gemp_text_free(&source);
	return code;
}
