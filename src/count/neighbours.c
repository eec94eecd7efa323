#include "count/neighbours.h"

#include "core/memory.h"
#include "count/device_graph.h"
#include "count/expression.h"
#include "count/plan.h"
#include "device/launch.h"
#include "device/program.h"
#include "kernels/count/count_abi.h"

/* The state that both forms of a sum, bitmaps and lists, share. */
typedef struct gemp_neighbours {
	const gemp_count_graph *graph;
	const gemp_sum *sum;
	gemp_device *device;
	gemp_sum_result *result;
	size_t items, group; /* items: work-items of a launch; group: work-items of a group */
	gemp_program program;
	gemp_partials partials;
	gemp_timings timings;
	uint64_t max_bytes; /* maximum size of one buffer */
} gemp_neighbours;

enum { MAX_ARGUMENTS = 16 + GEMP_MAX_VERTEX_TABLES };
enum { GROUP = 256, SELECT_LANES = 32, FILL_LANES = 8, SUM_LANES = 32, MEMORY_SHARE = 4 };

/* Only GPUs need the table of pairs. Like the bitmaps, it may take a quarter of the memory. */
bool gemp_neighbours_codegrees(const gemp_device *device, uint64_t vertices)
{
	uint64_t bytes = vertices < 2 ? 0 : vertices * (vertices - 1) / 2 * sizeof(uint32_t);
	if (!device->gpu)
		return true;
	return vertices < UINT32_MAX / 4 && bytes <= device->memory / MEMORY_SHARE && bytes <= device->max_buffer;
}

static bool mentions(const gemp_neighbours *a, const char *symbol)
{
	return gemp_expression_mentions(a->sum->expression, symbol);
}

/* Prints the parameters for the vertex tables, and the macro that makes the kernels count codegrees. */
static void emit_tables(const gemp_neighbours *a, gemp_text *text)
{
	gemp_text_print(text, "#define NEIGHBOURS_TABLES");
	for (int k = 0; k < GEMP_MAX_VERTEX_TABLES; k++)
		if (gemp_expression_reads_table(a->sum->expression, (size_t)k))
			gemp_text_print(text, " __global const long *V%d,", k);
	gemp_text_print(text, "\n%s", mentions(a, "g") ? "#define NEIGHBOURS_CODEGREES\n" : "");
}

/* Declares the vertex tables at places minimum..maximum. */
static void emit_places(const gemp_neighbours *a, gemp_text *text, int minimum, int maximum)
{
	for (int place = minimum; place <= maximum; place++)
		for (int k = 0; k < GEMP_MAX_VERTEX_TABLES; k++)
			if (gemp_expression_mentions_table(a->sum->expression, (size_t)k, place))
				gemp_text_print(text, " long V%d_%d = V%d[slot_%d];", k, place, k, place);
}

/* Prints the declarations of the symbols. NEIGHBOURS_OUTER declares those of vertices 0 and 1, which are read outside
 * the inner loop; NEIGHBOURS_INNER declares those that depend on vertex 2. Each kernel file defines NEIGHBOURS_T, _A
 * and _G in its own way. */
static void emit_symbols(const gemp_neighbours *a, gemp_text *text)
{
	static const char *const inner[][2] = { { "t_12", "NEIGHBOURS_T" },
		                                    { "a", "NEIGHBOURS_A" },
		                                    { "g", "NEIGHBOURS_G" } };
	gemp_text_print(text, "#define NEIGHBOURS_OUTER");
	emit_places(a, text, 0, 1);
	if (mentions(a, "t_01"))
		gemp_text_print(text, " long t_01 = support[e];");
	gemp_text_print(text, "\n#define NEIGHBOURS_INNER");
	emit_places(a, text, 2, 2);
	for (size_t i = 0; i < sizeof inner / sizeof *inner; i++)
		if (mentions(a, inner[i][0]))
			gemp_text_print(text, " long %s = %s;", inner[i][0], inner[i][1]);
	gemp_text_print(text, "\n#define NEIGHBOURS_VALUE (%s)\n", a->sum->expression ? a->sum->expression : "1");
}

/* Prints a run-time check of the values only if their bound on this graph exceeds 64 bits. */
static gemp_code emit_check(gemp_neighbours *a, gemp_text *text)
{
	double bound;
	GEMP_TRY(gemp_count_bound(a->graph, a->sum->expression, &bound));
	if (2 * bound * a->graph->max_degree < GEMP_COUNT_LARGEST)
		gemp_text_print(text, "#define NEIGHBOURS_SMALL\n");
	gemp_text_print(text, "#define NEIGHBOURS_CHECK");
	if (bound >= GEMP_COUNT_LARGEST) {
		gemp_text_print(text, " count_check(");
		gemp_expression_magnitude(text, a->sum->expression);
		gemp_text_print(text, ", control);");
	}
	gemp_text_print(text, "\n");
	return GEMP_OK;
}

/* Every monomial contains c. If none contains a higher power of c, the common neighbours can be added one by one. */
static bool is_linear(const gemp_neighbours *a)
{
	return a->sum->power == 1;
}

/* Does the expression distinguish vertex 1 from the other common neighbours of 0 and 2? */
static bool mentions_centre(const gemp_neighbours *a)
{
	bool mentioned = mentions(a, "t_01") || mentions(a, "t_12");
	for (int k = 0; k < GEMP_MAX_VERTEX_TABLES; k++)
		mentioned |= gemp_expression_mentions_table(a->sum->expression, (size_t)k, 1);
	return mentioned;
}

/* Prints the whole source of the program: the macros, with the numbers of work-items that share a row, and one kernel
 * file. */
static gemp_code emit_program(gemp_neighbours *a, bool lists, gemp_text *text)
{
	gemp_text_print(text, "#define OFFSET %s\n#define GEMP_LANES %d\n#define FILL_LANES %d\n#define SUM_LANES %d\n%s%s",
	                a->graph->wide ? "ulong" : "uint", a->device->nvidia ? SELECT_LANES : 1,
	                a->device->gpu ? FILL_LANES : 1, a->device->gpu ? SUM_LANES : 1,
	                is_linear(a) ? "#define NEIGHBOURS_LINEAR\n" : "",
	                is_linear(a) && !mentions_centre(a) ? "#define NEIGHBOURS_BOTH\n" : "");
	emit_tables(a, text);
	emit_symbols(a, text);
	GEMP_TRY(emit_check(a, text));
	return gemp_kernel_append(text, lists ? "count_neighbours_lists.cl" : "count_neighbours.cl");
}

/* Launches the kernel that sums, and adds its result. The first `count` arguments are those of the form; the arguments
 * that both forms have follow. pairs: the table of codegrees, or NULL. local: bytes of local memory; 0: the kernel has
 * no such argument. The total is read after each launch, so that no partial sum exceeds 64 bits. */
static gemp_code add_up(gemp_neighbours *a, cl_kernel kernel, gemp_argument *arguments, size_t count,
                        const gemp_buffer *pairs, size_t local)
{
	size_t groups = a->items / a->group;
	count += gemp_count_table_arguments(a->graph, a->sum->expression, arguments + count);
	if (pairs)
		arguments[count++] = GEMP_ARG(&pairs->mem);
	gemp_count_add_arguments(arguments, count, GEMP_ARG(&a->partials.control.mem), GEMP_ARG(&a->partials.out.mem));
	if (local)
		arguments[count++] = GEMP_LOCAL(local);
	GEMP_CHECK(count <= MAX_ARGUMENTS);
	GEMP_TRY(gemp_launch_timed_with(&a->timings, a->device, kernel, a->items, a->group, arguments, count));
	GEMP_TRY(gemp_partials_read(&a->partials, a->device, groups));
	a->result->total += gemp_partials_total(&a->partials, 0, groups);
	return GEMP_OK;
}

/* BITMAPS, the form of GPUs. A neighbour of a vertex is kept if it is in a triangle with the vertex. */

/* Buffers and kernels of the form with bitmaps. */
typedef struct bitmap_form {
	gemp_neighbours *neighbours;
	cl_kernel clear, fill, add; /* launched for each batch of vertices */
	gemp_buffer kept, place, member, base, bitmaps, pairs;
	uint32_t *count; /* [vertices] number of kept neighbours */
	uint64_t *first; /* [vertices] word of the batch's buffer where the bitmap begins */
} bitmap_form;

/* The kernels of the loop are made before the first launch, so that a failure leaves no work in the queue. */
static gemp_code prepare_bitmaps(bitmap_form *b)
{
	gemp_neighbours *a = b->neighbours;
	size_t vertices = a->graph->vertices, entries = a->graph->entries;
	GEMP_TRY(gemp_new_all(GEMP_ARRAY(b->count, vertices), GEMP_ARRAY(b->first, vertices)));
	GEMP_TRY(gemp_buffer_new(&b->kept, a->device, vertices * sizeof *b->count, NULL));
	GEMP_TRY(gemp_buffer_new(&b->place, a->device, entries * sizeof(uint32_t), NULL));
	GEMP_TRY(gemp_buffer_new(&b->member, a->device, entries * sizeof(uint32_t), NULL));
	GEMP_TRY(gemp_buffer_new(&b->base, a->device, vertices * sizeof *b->first, NULL));
	GEMP_TRY(gemp_kernel_new(&b->clear, &a->program, "neighbours_clear"));
	GEMP_TRY(gemp_kernel_new(&b->fill, &a->program, "neighbours_fill"));
	return gemp_kernel_new(&b->add, &a->program, "neighbours_sum");
}

/* Numbers the kept neighbours, which become the rows of the bitmap, and reads how many there are. */
static gemp_code select_neighbours(bitmap_form *b)
{
	gemp_neighbours *a = b->neighbours;
	const gemp_count_graph *g = a->graph;
	cl_uint rank = (cl_uint)g->context->comm->rank, ranks = (cl_uint)g->context->comm->size;
	size_t group = a->device->nvidia ? a->group : a->device->gpu ? 32 : 1;
	GEMP_TRY(gemp_count_launch_once(&a->timings, a->device, &a->program, "neighbours_select", a->items, group,
	                                GEMP_ARG(&g->row_offsets.mem), GEMP_ARG(&g->support.mem), GEMP_ARG(&g->vertices),
	                                GEMP_ARG(&rank), GEMP_ARG(&ranks), GEMP_ARG(&b->kept.mem), GEMP_ARG(&b->place.mem),
	                                GEMP_ARG(&b->member.mem)));
	return gemp_buffer_read(a->device, &b->kept, 0, g->vertices * sizeof *b->count, b->count);
}

/* Zeroes words; the kernels set bits by atomic or, and add codegrees. */
static gemp_code clear_words(bitmap_form *b, const gemp_buffer *words, cl_ulong count)
{
	gemp_neighbours *a = b->neighbours;
	return gemp_launch_timed(&a->timings, a->device, b->clear, a->items, a->group, GEMP_ARG(&words->mem),
	                         GEMP_ARG(&count));
}

/* Makes the triangular table of the common neighbours of all pairs. */
static gemp_code count_pairs(bitmap_form *b)
{
	gemp_neighbours *a = b->neighbours;
	const gemp_count_graph *g = a->graph;
	uint64_t pairs = (uint64_t)g->vertices * (g->vertices - 1) / 2;
	cl_ulong entries = g->entries;
	GEMP_TRY(gemp_buffer_new(&b->pairs, a->device, pairs * sizeof(uint32_t), NULL));
	GEMP_TRY(clear_words(b, &b->pairs, pairs));
	return gemp_count_launch_once(&a->timings, a->device, &a->program, "neighbours_codegrees", a->items, a->group,
	                              GEMP_ARG(&g->row_offsets.mem), GEMP_ARG(&g->column_indices.mem),
	                              GEMP_ARG(&g->vertices), GEMP_ARG(&entries), GEMP_ARG(&b->pairs.mem));
}

/* Each row of a bitmap begins at a whole word. */
static uint64_t bitmap_words(uint64_t kept)
{
	return kept * ((kept + 31) / 32);
}

/* Finds the next batch [from, *to): the bitmaps of consecutive vertices that fit into the buffer. A single bitmap that
 * does not fit is an error, since the bitmap of one vertex cannot be divided. */
static gemp_code next_batch(bitmap_form *b, uint64_t capacity, uint32_t from, uint32_t *to, uint64_t *words)
{
	uint32_t h = from;
	*words = 0;
	for (; h < b->neighbours->graph->vertices && *words + bitmap_words(b->count[h]) <= capacity; h++) {
		b->first[h] = *words;
		*words += bitmap_words(b->count[h]);
	}
	*to = h;
	if (h == from)
		return gemp_fail(GEMP_ENOMEM,
		                 "the neighbourhood of one vertex (%u neighbours in triangles) needs a bitmap of %llu MB, "
		                 "more than a quarter of the device's memory",
		                 b->count[h], (unsigned long long)(bitmap_words(b->count[h]) >> 18));
	return GEMP_OK;
}

/* Sums over the vertices [from, to). Their offsets are written first, since in every batch bitmaps begin at word 0 of
 * the buffer. The order of arguments is the order of count_neighbours.cl's parameters. */
static gemp_code run_batch(bitmap_form *b, uint32_t from, uint32_t to, uint64_t words)
{
	gemp_neighbours *a = b->neighbours;
	const gemp_count_graph *g = a->graph;
	gemp_argument arguments[MAX_ARGUMENTS];
	size_t count = 0;
	size_t size = sizeof *b->first;
	cl_ulong first = g->host_offsets[from], end = g->host_offsets[to];
	if (words == 0)
		return GEMP_OK;
	GEMP_TRY(gemp_buffer_write(a->device, &b->base, from * size, (to - from) * size, b->first + from));
	GEMP_TRY(clear_words(b, &b->bitmaps, words));
	GEMP_TRY(gemp_launch_timed(&a->timings, a->device, b->fill, a->items, a->group, GEMP_ARG(&g->row_offsets.mem),
	                           GEMP_ARG(&g->column_indices.mem), GEMP_ARG(&g->vertices), GEMP_ARG(&first),
	                           GEMP_ARG(&end), GEMP_ARG(&b->kept.mem), GEMP_ARG(&b->place.mem), GEMP_ARG(&b->base.mem),
	                           GEMP_ARG(&b->bitmaps.mem)));
	gemp_count_add_arguments(arguments, count, GEMP_ARG(&g->row_offsets.mem), GEMP_ARG(&g->column_indices.mem),
	                         GEMP_ARG(&g->support.mem), GEMP_ARG(&g->vertices), GEMP_ARG(&first), GEMP_ARG(&end),
	                         GEMP_ARG(&b->kept.mem), GEMP_ARG(&b->place.mem), GEMP_ARG(&b->member.mem),
	                         GEMP_ARG(&b->base.mem), GEMP_ARG(&b->bitmaps.mem));
	return add_up(a, b->add, arguments, count, mentions(a, "g") ? &b->pairs : NULL, 2 * a->group * sizeof(cl_long));
}

/* The bitmap buffer has the size of all bitmaps, or max_bytes if that is less. */
static gemp_code run_bitmaps(bitmap_form *b)
{
	gemp_neighbours *a = b->neighbours;
	uint64_t capacity = a->max_bytes / sizeof(uint32_t), all = 0, words;
	GEMP_TRY(prepare_bitmaps(b));
	GEMP_TRY(select_neighbours(b));
	if (mentions(a, "g"))
		GEMP_TRY(count_pairs(b));
	for (uint32_t h = 0; h < a->graph->vertices; h++)
		all += bitmap_words(b->count[h]);
	GEMP_TRY(gemp_buffer_new(&b->bitmaps, a->device, gemp_min(all, capacity) * sizeof(uint32_t) + 4, NULL));
	for (uint32_t from = 0, to = 0; from < a->graph->vertices; from = to) {
		GEMP_TRY(next_batch(b, capacity, from, &to, &words));
		GEMP_TRY(run_batch(b, from, to, words));
	}
	return GEMP_OK;
}

static gemp_code sum_by_bitmaps(gemp_neighbours *neighbours)
{
	bitmap_form b = { .neighbours = neighbours };
	gemp_code code = run_bitmaps(&b);
	gemp_buffers_free(neighbours->device, &b.kept, &b.place, &b.member, &b.base, &b.bitmaps, &b.pairs);
	gemp_kernels_free(&b.clear, &b.fill, &b.add);
	gemp_free_all(b.count, b.first);
	return code;
}

/* LISTS, the form of CPU devices: the common neighbours of the two ends of every edge. */

enum { ARRAYS = 4 }; /* NEIGHBOURS_ARRAYS of kernels/count/count_neighbours_lists.cl */

/* Buffers and the kernel of the form with lists. */
typedef struct list_form {
	cl_kernel add;
	gemp_buffer offset, slots, places, scratch;
	uint64_t *first;   /* [entries + 1] position where the list of an entry begins */
	uint32_t *support; /* [entries] */
} list_form;

/* Places the lists: the list of an entry is as long as the entry's support, so offsets are a prefix sum of the
 * supports. Each worker has scratch arrays with a word per vertex, which the kernels expect to be zero. */
static gemp_code prepare_lists(gemp_neighbours *a, list_form *l)
{
	const gemp_count_graph *g = a->graph;
	size_t entries = g->entries, scratch = a->items * (size_t)g->vertices * ARRAYS * sizeof(uint32_t);
	GEMP_TRY(gemp_new_all(GEMP_ARRAY(l->first, entries + 1), GEMP_ARRAY(l->support, entries)));
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
	return gemp_kernel_new(&l->add, &a->program, "neighbours_sum");
}

/* Makes the lists, then sums with them. The order of arguments is the order of count_neighbours_lists.cl's
 * parameters. */
static gemp_code run_lists(gemp_neighbours *a, list_form *l)
{
	const gemp_count_graph *g = a->graph;
	gemp_argument arguments[MAX_ARGUMENTS];
	size_t count = 0;
	cl_uint rank = (cl_uint)g->context->comm->rank, ranks = (cl_uint)g->context->comm->size;
	GEMP_TRY(prepare_lists(a, l));
	GEMP_TRY(gemp_count_launch_once(&a->timings, a->device, &a->program, "neighbours_lists", a->items, a->group,
	                                GEMP_ARG(&g->row_offsets.mem), GEMP_ARG(&g->column_indices.mem),
	                                GEMP_ARG(&g->support.mem), GEMP_ARG(&g->vertices), GEMP_ARG(&l->offset.mem),
	                                GEMP_ARG(&l->slots.mem), GEMP_ARG(&l->places.mem), GEMP_ARG(&l->scratch.mem),
	                                GEMP_ARG(&a->partials.control.mem)));
	gemp_count_add_arguments(arguments, count, GEMP_ARG(&g->row_offsets.mem), GEMP_ARG(&g->column_indices.mem),
	                         GEMP_ARG(&g->support.mem), GEMP_ARG(&g->vertices), GEMP_ARG(&rank), GEMP_ARG(&ranks),
	                         GEMP_ARG(&l->offset.mem), GEMP_ARG(&l->slots.mem), GEMP_ARG(&l->places.mem),
	                         GEMP_ARG(&l->scratch.mem));
	return add_up(a, l->add, arguments, count, NULL, 0);
}

static gemp_code sum_by_lists(gemp_neighbours *neighbours)
{
	list_form l = { 0 };
	gemp_code code = run_lists(neighbours, &l);
	gemp_buffers_free(neighbours->device, &l.offset, &l.slots, &l.places, &l.scratch);
	gemp_kernels_free(&l.add);
	gemp_free_all(l.first, l.support);
	return code;
}

/* RUNNING */

/* Local. Computes the sum in one form. An empty graph has no launches. */
static gemp_code run_form(gemp_neighbours *a, bool lists, uint64_t maximum)
{
	a->max_bytes = gemp_min(a->device->memory / MEMORY_SHARE, a->device->max_buffer);
	if (maximum)
		a->max_bytes = gemp_min(a->max_bytes, maximum);
	if (a->graph->entries == 0)
		return GEMP_OK;
	GEMP_TRY(gemp_partials_new(&a->partials, a->device, a->items / a->group));
	GEMP_TRY(lists ? sum_by_lists(a) : sum_by_bitmaps(a));
	a->result->launches = a->timings.count;
	GEMP_TRY(gemp_timings_seconds(&a->timings, &a->result->seconds));
	return gemp_program_store(a->device, &a->program);
}

gemp_code gemp_neighbours_sum_shaped(const gemp_count_graph *graph, const gemp_sum *sum, bool lists, uint64_t maximum,
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
	GEMP_TRY_DONE(gemp_comm_agree(comm, emit_program(&a, lists, &source)));
	GEMP_TRY_DONE(gemp_runtime_program(graph->context, &a.program, source.data, NULL));
	GEMP_TRY_DONE(gemp_comm_agree(comm, run_form(&a, lists, maximum)));
done:
	gemp_partials_free(&a.partials, device);
	gemp_timings_free(&a.timings);
	gemp_program_free(&a.program);
	gemp_text_free(&source);
	return code;
}

gemp_code gemp_neighbours_sum(const gemp_count_graph *graph, const gemp_sum *sum, gemp_sum_result *result)
{
	return gemp_neighbours_sum_shaped(graph, sum, !graph->context->device->gpu, 0, result);
}
