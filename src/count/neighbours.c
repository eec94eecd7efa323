/* neighbours_parts: what the two forms of sums over neighbourhoods share. */

#include "count/neighbours.h"

#include "core/memory.h"
#include "count/exact_sum.h"
#include "count/expression.h"
#include "device/launch.h"

#include <stdio.h>

typedef struct gemp_neighbours {
	const gemp_count_graph *graph;
	const gemp_sum *sum;
	gemp_device *device;
	gemp_sum_result *result;
	size_t items, group; /* of a launch */
	gemp_program program;
	gemp_partials partials;
	gemp_timings laps;
	uint64_t max_bytes; /* bytes that one buffer may take */
} gemp_neighbours;

enum { GROUP = 256, SELECT_LANES = 32, FILL_LANES = 8, SUM_LANES = 32, MEMORY_SHARE = 4 };
static const double largest = 4.0e18; /* COUNT_LARGEST of kernels/count/count.clh */

bool gemp_neighbours_codegrees(const gemp_device *device, uint64_t vertices)
{
	uint64_t bytes = vertices < 2 ? 0 : vertices * (vertices - 1) / 2 * sizeof(uint32_t);
	if (!device->gpu)
		return true;
	return vertices < UINT32_MAX / 4 && bytes <= device->memory / MEMORY_SHARE && bytes <= device->max_buffer;
}

/* Does the sum's expression mention the symbol; the table at some place? */
static bool gemp_neighbours_mentions(const gemp_neighbours *a, const char *symbol)
{
	return gemp_expression_mentions(a->sum->expression, symbol);
}

/* Counts the last launch. */
static gemp_code gemp_neighbours_add_timing(gemp_neighbours *a)
{
	a->result->launches++;
	return gemp_timings_add(&a->laps, a->device);
}

/* SOURCE */
static bool mentions_table(const gemp_neighbours *a, int table, int place)
{
	char symbol[32];
	snprintf(symbol, sizeof symbol, "V%d_%d", table, place);
	return gemp_neighbours_mentions(a, symbol);
}

static bool gemp_neighbours_reads_table(const gemp_neighbours *a, int table)
{
	return mentions_table(a, table, 0) || mentions_table(a, table, 1) || mentions_table(a, table, 2);
}

static void emit_tables(const gemp_neighbours *a, gemp_text *text)
{
	gemp_text_print(text, "#define AROUND_TABLES");
	for (int k = 0; k < GEMP_MAX_VERTEX_TABLES; k++)
		if (gemp_neighbours_reads_table(a, k))
			gemp_text_print(text, " __global const long *V%d,", k);
	gemp_text_print(text, "\n%s", gemp_neighbours_mentions(a, "g") ? "#define AROUND_CODEGREES\n" : "");
}

static void emit_places(const gemp_neighbours *a, gemp_text *text, int least, int most)
{
	for (int place = least; place <= most; place++)
		for (int k = 0; k < GEMP_MAX_VERTEX_TABLES; k++)
			if (mentions_table(a, k, place))
				gemp_text_print(text, " long V%d_%d = V%d[slot_%d];", k, place, k, place);
}

/* AROUND_A and so on are defined by the kernels, in the ways that their form has. */
static void emit_symbols(const gemp_neighbours *a, gemp_text *text)
{
	static const char *const inner[][2] = { { "t_12", "AROUND_T" }, { "a", "AROUND_A" }, { "g", "AROUND_G" } };
	gemp_text_print(text, "#define AROUND_OUTER");
	emit_places(a, text, 0, 1);
	if (gemp_neighbours_mentions(a, "t_01"))
		gemp_text_print(text, " long t_01 = support[e];");
	gemp_text_print(text, "\n#define AROUND_INNER");
	emit_places(a, text, 2, 2);
	for (size_t i = 0; i < sizeof inner / sizeof *inner; i++)
		if (gemp_neighbours_mentions(a, inner[i][0]))
			gemp_text_print(text, " long %s = %s;", inner[i][0], inner[i][1]);
	gemp_text_print(text, "\n#define AROUND_VALUE (%s)\n", a->sum->expression ? a->sum->expression : "1");
}

static double symbol_bound(void *self, const char *symbol)
{
	const gemp_neighbours *a = self;
	if (symbol[0] == 'V')
		return a->graph->table_bound[symbol[1] - '0'];
	return symbol[0] == 'a' ? 1 : a->graph->max_degree; /* c, g, t */
}

static gemp_code emit_check(gemp_neighbours *a, gemp_text *text)
{
	gemp_code code = GEMP_OK;
	double bound = 1;
	if (a->sum->expression)
		GEMP_TRY(gemp_expression_bound(a->sum->expression, symbol_bound, a, &bound));
	if (2 * bound * a->graph->max_degree < largest)
		gemp_text_print(text, "#define AROUND_SMALL\n");
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

/* Every term of such a sum has c; if none has it twice, common neighbours can be taken one by one. */
static bool linear(const gemp_neighbours *a)
{
	return a->sum->power == 1;
}

/* Does it tell vertex 1 from one of the common neighbours? */
static bool speaks_of_centre(const gemp_neighbours *a)
{
	bool speaks = gemp_neighbours_mentions(a, "t_01") || gemp_neighbours_mentions(a, "t_12");
	for (int k = 0; k < GEMP_MAX_VERTEX_TABLES; k++)
		speaks |= mentions_table(a, k, 1);
	return speaks;
}

typedef struct lists {
	gemp_neighbours *around;
	cl_kernel list, add;
	gemp_buffer offset, slots, places, scratch;
	uint64_t *first;   /* [entries + 1] where the list of an entry begins */
	uint32_t *support; /* [entries] */
} lists;

static gemp_code emit(gemp_neighbours *a, bool lists, gemp_text *text)
{
	gemp_code code = GEMP_OK;
	char *fixed = NULL;
	GEMP_TRY(gemp_kernel_source(&fixed, lists ? "count_neighbours_lists.cl" : "count_neighbours.cl"));
	gemp_text_print(text, "#define OFFSET %s\n#define GEMP_LANES %d\n#define FILL_LANES %d\n#define SUM_LANES %d\n%s%s",
	                a->graph->wide ? "ulong" : "uint", a->device->nvidia ? SELECT_LANES : 1,
	                a->device->gpu ? FILL_LANES : 1, a->device->gpu ? SUM_LANES : 1,
	                linear(a) ? "#define AROUND_LINEAR\n" : "",
	                linear(a) && !speaks_of_centre(a) ? "#define AROUND_BOTH\n" : "");
	emit_tables(a, text);
	emit_symbols(a, text);
	GEMP_TRY(emit_check(a, text));
	gemp_text_print(text, "%s", fixed);
	GEMP_TRY(gemp_text_status(text));
done:
	gemp_free(fixed);
	return code;
}

typedef struct bits {
	gemp_neighbours *around;
	cl_kernel clear, select, fill, add, codegrees;
	gemp_buffer kept, place, member, base, bits, pairs;
	uint32_t *count; /* [vertices] kept */
	uint64_t *first; /* [vertices] word where a bitmap begins, in its batch */
} bits;

static gemp_code make(bits *b)
{
	gemp_code code = GEMP_OK;
	gemp_neighbours *a = b->around;
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
	if (gemp_neighbours_mentions(a, "g"))
		GEMP_TRY(gemp_kernel_new(&b->codegrees, &a->program, "around_codegrees"));
done:
	return code;
}

static gemp_code select_neighbours(bits *b)
{
	gemp_code code = GEMP_OK;
	gemp_neighbours *a = b->around;
	const gemp_count_graph *g = a->graph;
	const gemp_comm *comm = g->context->comm;
	cl_uint rank = (cl_uint)comm->rank, ranks = (cl_uint)comm->size;
	GEMP_TRY(gemp_launch(a->device, b->select, a->items,
	                     a->device->nvidia ? a->group
	                     : a->device->gpu  ? 32
	                                       : 1,
	                     GEMP_ARG(&g->row_offsets.mem), GEMP_ARG(&g->support.mem), GEMP_ARG(&g->vertices),
	                     GEMP_ARG(&rank), GEMP_ARG(&ranks), GEMP_ARG(&b->kept.mem), GEMP_ARG(&b->place.mem),
	                     GEMP_ARG(&b->member.mem)));
	GEMP_TRY(gemp_neighbours_add_timing(a));
	code = gemp_buffer_read(a->device, &b->kept, 0, g->vertices * sizeof *b->count, b->count);
done:
	return code;
}

static gemp_code clear(bits *b, const gemp_buffer *words, cl_ulong count)
{
	gemp_neighbours *a = b->around;
	gemp_code code = gemp_launch(a->device, b->clear, a->items, a->group, GEMP_ARG(&words->mem), GEMP_ARG(&count));
	return code == GEMP_OK ? gemp_neighbours_add_timing(a) : code;
}

static gemp_code count_pairs(bits *b)
{
	gemp_code code = GEMP_OK;
	gemp_neighbours *a = b->around;
	const gemp_count_graph *g = a->graph;
	uint64_t pairs = (uint64_t)g->vertices * (g->vertices - 1) / 2;
	cl_ulong entries = g->entries;
	if (!b->codegrees)
		return GEMP_OK;
	GEMP_TRY(gemp_buffer_new(&b->pairs, a->device, pairs * sizeof(uint32_t), NULL));
	GEMP_TRY(clear(b, &b->pairs, pairs));
	GEMP_TRY(gemp_launch(a->device, b->codegrees, a->items, a->group, GEMP_ARG(&g->row_offsets.mem),
	                     GEMP_ARG(&g->column_indices.mem), GEMP_ARG(&g->vertices), GEMP_ARG(&entries),
	                     GEMP_ARG(&b->pairs.mem)));
	GEMP_TRY(gemp_neighbours_add_timing(a));
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
		return gemp_fail(GEMP_ENOMEM,
		                 "the neighbourhood of one vertex (%u neighbours in triangles) needs a bitmap of %llu MB, "
		                 "more than a quarter of the device's memory",
		                 b->count[h], (unsigned long long)(bitmap_words(b->count[h]) >> 18));
	return GEMP_OK;
}

static gemp_code add_batch(bits *b, cl_ulong from, cl_ulong to)
{
	gemp_neighbours *a = b->around;
	const gemp_count_graph *g = a->graph;
	gemp_argument arg[16 + GEMP_MAX_VERTEX_TABLES];
	size_t n = 0;
	arg[n++] = GEMP_ARG(&g->row_offsets.mem);
	arg[n++] = GEMP_ARG(&g->column_indices.mem);
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
		if (gemp_neighbours_reads_table(a, k))
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
	gemp_neighbours *a = b->around;
	const gemp_count_graph *g = a->graph;
	size_t size = sizeof *b->first;
	cl_ulong first = g->host_offsets[from], end = g->host_offsets[to];
	if (words == 0)
		return GEMP_OK;
	GEMP_TRY(gemp_buffer_write(a->device, &b->base, from * size, (to - from) * size, b->first + from));
	GEMP_TRY(clear(b, &b->bits, words));
	GEMP_TRY(gemp_launch(a->device, b->fill, a->items, a->group, GEMP_ARG(&g->row_offsets.mem),
	                     GEMP_ARG(&g->column_indices.mem), GEMP_ARG(&g->vertices), GEMP_ARG(&first), GEMP_ARG(&end),
	                     GEMP_ARG(&b->kept.mem), GEMP_ARG(&b->place.mem), GEMP_ARG(&b->base.mem),
	                     GEMP_ARG(&b->bits.mem)));
	GEMP_TRY(gemp_neighbours_add_timing(a));
	GEMP_TRY(add_batch(b, first, end));
	GEMP_TRY(gemp_neighbours_add_timing(a));
	GEMP_TRY(gemp_partials_read(&a->partials, a->device, a->items / a->group));
	a->result->total += gemp_partials_total(&a->partials, 0, a->items / a->group);
done:
	return code;
}

static gemp_code neighbours_bits_run(bits *b)
{
	gemp_code code = GEMP_OK;
	gemp_neighbours *a = b->around;
	uint64_t room = a->max_bytes / sizeof(uint32_t), all = 0, words;
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

/* Local. The sum by bitmaps; by lists. The program is built. */
static gemp_code gemp_neighbours_by_bits(gemp_neighbours *around)
{
	bits b = { .around = around };
	gemp_code code = neighbours_bits_run(&b);
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

enum { ARRAYS = 4 }; /* AROUND_ARRAYS of kernels/count/count_neighbours_lists.cl */

static gemp_code neighbours_lists_make(lists *l)
{
	gemp_code code = GEMP_OK;
	gemp_neighbours *a = l->around;
	const gemp_count_graph *g = a->graph;
	size_t entries = g->entries, scratch = a->items * (size_t)g->vertices * ARRAYS * sizeof(uint32_t);
	GEMP_TRY(GEMP_NEW(l->first, entries + 1));
	GEMP_TRY(GEMP_NEW(l->support, entries));
	GEMP_TRY(gemp_buffer_read(a->device, &g->support, 0, entries * sizeof *l->support, l->support));
	for (size_t e = 0; e < entries; e++)
		l->first[e + 1] = l->first[e] + l->support[e];
	uint64_t bytes = (l->first[entries] + 1) * sizeof(uint32_t);
	if (bytes > a->max_bytes)
		return gemp_fail(GEMP_ENOMEM,
		                 "the common neighbours of the ends of all edges need lists of %llu MB, and a buffer may "
		                 "have %llu MB",
		                 (unsigned long long)(bytes >> 20), (unsigned long long)(a->max_bytes >> 20));
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
	gemp_neighbours *a = l->around;
	const gemp_count_graph *g = a->graph;
	const gemp_comm *comm = g->context->comm;
	cl_uint rank = (cl_uint)comm->rank, ranks = (cl_uint)comm->size;
	gemp_argument arg[16 + GEMP_MAX_VERTEX_TABLES];
	size_t n = 0;
	arg[n++] = GEMP_ARG(&g->row_offsets.mem);
	arg[n++] = GEMP_ARG(&g->column_indices.mem);
	arg[n++] = GEMP_ARG(&g->support.mem);
	arg[n++] = GEMP_ARG(&g->vertices);
	arg[n++] = GEMP_ARG(&rank);
	arg[n++] = GEMP_ARG(&ranks);
	arg[n++] = GEMP_ARG(&l->offset.mem);
	arg[n++] = GEMP_ARG(&l->slots.mem);
	arg[n++] = GEMP_ARG(&l->places.mem);
	arg[n++] = GEMP_ARG(&l->scratch.mem);
	for (int k = 0; k < GEMP_MAX_VERTEX_TABLES; k++)
		if (gemp_neighbours_reads_table(a, k))
			arg[n++] = GEMP_ARG(&g->tables[k].mem);
	arg[n++] = GEMP_ARG(&a->partials.control.mem);
	arg[n++] = GEMP_ARG(&a->partials.out.mem);
	return gemp_launch_with(a->device, l->add, a->items, a->group, arg, n);
}

static gemp_code neighbours_lists_run(lists *l)
{
	gemp_code code = GEMP_OK;
	gemp_neighbours *a = l->around;
	const gemp_count_graph *g = a->graph;
	GEMP_TRY(neighbours_lists_make(l));
	GEMP_TRY(gemp_launch(a->device, l->list, a->items, a->group, GEMP_ARG(&g->row_offsets.mem),
	                     GEMP_ARG(&g->column_indices.mem), GEMP_ARG(&g->support.mem), GEMP_ARG(&g->vertices),
	                     GEMP_ARG(&l->offset.mem), GEMP_ARG(&l->slots.mem), GEMP_ARG(&l->places.mem),
	                     GEMP_ARG(&l->scratch.mem), GEMP_ARG(&a->partials.control.mem)));
	GEMP_TRY(gemp_neighbours_add_timing(a));
	GEMP_TRY(add_up(l));
	GEMP_TRY(gemp_neighbours_add_timing(a));
	GEMP_TRY(gemp_partials_read(&a->partials, a->device, a->items / a->group));
	a->result->total = gemp_partials_total(&a->partials, 0, a->items / a->group);
done:
	return code;
}

static gemp_code gemp_neighbours_by_lists(gemp_neighbours *around)
{
	lists l = { .around = around };
	gemp_code code = neighbours_lists_run(&l);
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

/* RUNNING */
static gemp_code run(gemp_neighbours *a, bool lists, uint64_t most)
{
	gemp_code code = GEMP_OK;
	a->max_bytes = a->device->memory / MEMORY_SHARE;
	if (a->max_bytes > a->device->max_buffer)
		a->max_bytes = a->device->max_buffer;
	if (most && a->max_bytes > most)
		a->max_bytes = most;
	if (a->graph->entries == 0)
		return GEMP_OK;
	GEMP_TRY(gemp_partials_new(&a->partials, a->device, a->items / a->group));
	GEMP_TRY(lists ? gemp_neighbours_by_lists(a) : gemp_neighbours_by_bits(a));
	GEMP_TRY(gemp_timings_seconds(&a->laps, &a->result->seconds));
	if (!a->program.cached)
		code = gemp_program_store(a->device, &a->program);
done:
	return code;
}

gemp_code gemp_neighbours_sum_shaped(const gemp_count_graph *graph, const gemp_sum *sum, bool lists, uint64_t most,
                                     gemp_sum_result *result)
{
	gemp_code code = GEMP_OK;
	gemp_device *device = graph->context->device;
	gemp_neighbours a = { .graph = graph, .sum = sum, .device = device, .result = result };
	gemp_text source = { 0 };
	const gemp_comm *comm = graph->context->comm;
	a.items = device->gpu ? (size_t)device->units * 2048 : device->units;
	a.group = device->gpu ? GROUP : 1;
	*result = (gemp_sum_result){ 0 };
	GEMP_TRY(gemp_comm_agree(comm, emit(&a, lists, &source)));
	GEMP_TRY(gemp_runtime_program(graph->context, &a.program, source.data, NULL));
	GEMP_TRY(gemp_comm_agree(comm, run(&a, lists, most)));
done:
	gemp_partials_free(&a.partials, device);
	gemp_timings_free(&a.laps);
	gemp_program_free(&a.program);
	gemp_text_free(&source);
	return code;
}

gemp_code gemp_neighbours_sum(const gemp_count_graph *graph, const gemp_sum *sum, gemp_sum_result *result)
{
	return gemp_neighbours_sum_shaped(graph, sum, !graph->context->device->gpu, 0, result);
}
