#include "count/wedges_grouped.h"

#include "core/memory.h"
#include "core/types.h"
#include "count/codegen.h"

#include <math.h>

enum { PACKED = GEMP_WEDGES_WIDTHS - 1 };

/* The width of a counter in bits: 16, 8, 4 and 2. */
static uint32_t width_of(size_t k)
{
	return 16u >> k;
}

/* from[k] becomes the first slot from which on no row is longer than the maximum of a counter of width k. The scan runs
 * from the end and stops at the first row that needs 32 bits. */
static void find_widths(gemp_wedges_layout *out, const uint64_t *begin)
{
	static const uint64_t maximum[PACKED] = { 65535, 255, 15, 3 };
	size_t k = PACKED;
	for (uint32_t v = out->ends; v > 0 && k > 0; v--)
		for (; k > 0 && begin[v] - begin[v - 1] > maximum[k - 1]; k--)
			out->from[k - 1] = v;
}

/* base[k] may be negative; it is stored modulo 2^32, and the kernels add it modulo 2^32. Each width begins at a whole
 * word, so that no word has counters of two widths. */
void gemp_wedges_layout_new(gemp_wedges_layout *out, const uint64_t *begin, uint32_t ends, bool pack)
{
	*out = (gemp_wedges_layout){ .words = ends, .ends = ends };
	if (!pack)
		return;
	find_widths(out, begin);
	uint64_t bitmaps = (uint64_t)out->from[0] * 32;
	for (size_t k = 0; k < PACKED; k++) {
		uint64_t to = k + 1 < PACKED ? out->from[k + 1] : ends;
		out->base[k] = (cl_uint)(bitmaps - (uint64_t)out->from[k] * width_of(k));
		bitmaps += ((to - out->from[k]) * width_of(k) + 31) / 32 * 32;
	}
	out->packed = bitmaps <= UINT32_MAX;
	if (out->packed)
		out->words = bitmaps / 32;
}

/* Windows begin at words, and a window's first slot is the slot of the first counter that begins in the window. */
uint32_t gemp_wedges_slot_at(const gemp_wedges_layout *layout, uint64_t word)
{
	if (word >= layout->words)
		return layout->ends;
	if (!layout->packed)
		return (uint32_t)word;
	uint32_t bit = (uint32_t)(word * 32);
	for (size_t k = PACKED; k-- > 0;) {
		uint32_t first = layout->base[k] + layout->from[k] * width_of(k);
		if (bit < first)
			continue;
		uint32_t slot = (bit - layout->base[k]) / width_of(k),
				 behind = k + 1 < PACKED ? layout->from[k + 1] : layout->ends;
		return slot < behind ? slot : behind;
	}
	return bit / 32;
}

enum { GROUP = 256, GROUPS_A_UNIT = 8, ITEMS = 4, CHUNK = 1024 }; /* the same numbers as in count_wedges_tasks.cl */

/* Launches a kernel that lists tasks over `wanted` work-items, limited to GROUPS_A_UNIT groups for each compute
 * unit. */
#define launch_tasks_kernel(wedges, name, wanted, ...)                                                             \
	gemp_count_launch_once(&(wedges)->timings, (wedges)->graph->context->device, &(wedges)->tasks_program, (name), \
	                       task_items((wedges)->graph->context->device, (wanted)),                                 \
	                       (wedges)->graph->context->device->gpu ? GROUP : 1, __VA_ARGS__)

static size_t task_items(const gemp_device *device, uint64_t wanted)
{
	return (size_t)gemp_min(wanted, (uint64_t)device->units * GROUPS_A_UNIT * (device->gpu ? GROUP : 1));
}

/* Finds, for each entry from a root to a middle, the part of the middle's row behind the root, and the number of paths
 * of each root. */
static gemp_code find_rows(gemp_wedges *wedges)
{
	const gemp_count_graph *graph = wedges->graph;
	gemp_device *device = graph->context->device;
	gemp_wedges_tasks *tasks = &wedges->grouped.tasks;
	cl_ulong entries = graph->entries;
	size_t offset = graph->wide ? sizeof(cl_ulong) : sizeof(cl_uint);
	size_t paths = wedges->ends * (gemp_wedges_few_paths(graph) ? sizeof(cl_uint) : sizeof(cl_ulong));
	GEMP_TRY(gemp_buffer_new(&tasks->rows, device, graph->entries * 2 * offset, NULL));
	GEMP_TRY(gemp_buffer_new(&tasks->paths, device, paths, NULL));
	GEMP_TRY(gemp_buffer_zero(device, &tasks->paths, 0, paths));
	return launch_tasks_kernel(wedges, "wedges_rows", (entries + CHUNK - 1) / CHUNK * GROUP,
	                           GEMP_ARG(&graph->row_offsets.mem), GEMP_ARG(&graph->column_indices.mem),
	                           GEMP_ARG(&wedges->first), GEMP_ARG(&wedges->step), GEMP_ARG(&wedges->ends),
	                           GEMP_ARG(&entries), GEMP_ARG(&tasks->rows.mem), GEMP_ARG(&tasks->paths.mem));
}

/* Lists the roots by descending bucket of paths (bucket_of), so that long tasks start early. On the device, buckets
 * need few counters; an exact sort would need a counter for each number of paths. */
static gemp_code list_roots(gemp_wedges *wedges, const gemp_buffer *buckets)
{
	gemp_device *device = wedges->graph->context->device;
	gemp_wedges_tasks *tasks = &wedges->grouped.tasks;
	uint32_t place[GEMP_WEDGES_BUCKETS], before = 0;
	GEMP_TRY(gemp_buffer_zero(device, buckets, 0, buckets->size));
	GEMP_TRY(launch_tasks_kernel(wedges, "wedges_classes", wedges->roots, GEMP_ARG(&tasks->paths.mem),
	                             GEMP_ARG(&wedges->first), GEMP_ARG(&wedges->step), GEMP_ARG(&wedges->roots),
	                             GEMP_ARG(&buckets->mem)));
	GEMP_TRY(gemp_buffer_read(device, buckets, 0, sizeof tasks->sizes, tasks->sizes));
	for (size_t b = GEMP_WEDGES_BUCKETS; b-- > 0; before += tasks->sizes[b])
		place[b] = before;
	GEMP_TRY(gemp_buffer_write(device, buckets, 0, sizeof place, place));
	GEMP_TRY(gemp_buffer_new(&tasks->list, device, wedges->roots * sizeof(cl_uint), NULL));
	return launch_tasks_kernel(wedges, "wedges_list", (wedges->roots + ITEMS - 1) / ITEMS, GEMP_ARG(&tasks->paths.mem),
	                           GEMP_ARG(&wedges->first), GEMP_ARG(&wedges->step), GEMP_ARG(&wedges->roots),
	                           GEMP_ARG(&buckets->mem), GEMP_ARG(&tasks->list.mem));
}

/* Local. tasks_program must have been built. The launches are added to the timings of the sum. */
static gemp_code make_tasks(gemp_wedges *wedges)
{
	gemp_buffer buckets = { 0 };
	gemp_code code = find_rows(wedges);
	GEMP_THEN(gemp_buffer_new(&buckets, wedges->graph->context->device, sizeof wedges->grouped.tasks.sizes, NULL));
	GEMP_THEN(list_roots(wedges, &buckets));
	gemp_buffer_free(&buckets, wedges->graph->context->device);
	return code;
}

/* The same function as in count_wedges_tasks.cl: a bucket for each number below 16, then 8 buckets for each power of
 * 2. */
static size_t bucket_of(uint64_t paths)
{
	if (paths < 16)
		return (size_t)paths;
	unsigned log = 63 - (unsigned)__builtin_clzll(paths);
	return 16 + (size_t)(log - 4) * 8 + (size_t)(paths >> (log - 3) & 7);
}

/* Returns the length of a front of the list such that all roots behind it have at most `paths` paths. Whole buckets are
 * counted, so the front may also contain such roots. */
static uint32_t roots_above(const gemp_wedges_tasks *tasks, uint64_t paths)
{
	uint32_t roots = 0;
	for (size_t b = bucket_of(paths + 1); b < GEMP_WEDGES_BUCKETS; b++)
		roots += tasks->sizes[b];
	return roots;
}

/* JOINED reads the counters of all ends together, so it cannot process one window after the other. Its counters beyond
 * the window spill to global memory. */
gemp_code gemp_wedges_grouped_emit(gemp_text *text, gemp_wedges *wedges)
{
	gemp_wedges_grouped *g = &wedges->grouped;
	const gemp_wedges_shape *shape = &wedges->shape;
	uint64_t window = shape->window_words;
	gemp_wedges_layout_new(&g->layout, wedges->graph->host_offsets, wedges->ends, wedges->ends > window);
	g->spills = wedges->sum->kind == GEMP_SUM_JOINED && g->layout.words > window;
	g->spill_words = g->spills ? (cl_uint)(g->layout.words - window) : 0;
	g->windows = g->spills ? 1 : (cl_uint)((g->layout.words + window - 1) / window);
	gemp_text_print(text, "#define GEMP_LANES %u\n#define ROW_LANES %u\n#define WINDOW_WORDS %uu\n", shape->lanes,
	                shape->row_lanes, shape->window_words);
	gemp_text_print(text, "%s%s%s", g->layout.packed ? "#define PACKED\n" : "", g->spills ? "#define SPILLS\n" : "",
	                g->windows > 1 ? "#define WINDOWS\n" : "");
	gemp_text_print(text, "typedef struct layout {\n\tuint from[4], base[4];\n} layout;\n");
	return gemp_text_status(text);
}

/* Returns the number of paths for which a table of this size suffices: a place has two words, key and count, and at
 * most 3 of 4 places are used. */
static uint64_t table_capacity(uint32_t words)
{
	return (uint64_t)words / 2 * 3 / 4;
}

/* Divides the list of roots between windows, two sizes of tables, and workers. */
static void choose_classes(gemp_wedges *wedges)
{
	gemp_wedges_grouped *g = &wedges->grouped;
	const gemp_wedges_shape *shape = &wedges->shape;
	uint32_t with_paths = roots_above(&g->tasks, 0), left = with_paths;
	if (shape->worker_words)
		left = roots_above(&g->tasks, table_capacity(shape->worker_words));
	g->worker_roots = with_paths - left;
	for (size_t k = 0; k < GEMP_MAX_ROOT_TABLES; k++) {
		uint32_t words = shape->tables[k].words, above = left;
		if (words && (g->windows > 1 || g->spills))
			above = roots_above(&g->tasks, table_capacity(words));
		g->table_roots[k] = left - above;
		left = above;
	}
	g->window_roots = left;
}

/* Returns the number of groups whose spilled counters and, for JOINED, lists of touched ends fit into memory. */
static size_t fitting_groups(const gemp_wedges *wedges)
{
	const gemp_wedges_grouped *g = &wedges->grouped;
	const gemp_device *device = wedges->graph->context->device;
	size_t each = g->spill_words * sizeof(cl_uint), groups = wedges->shape.groups;
	if (wedges->sum->kind == GEMP_SUM_JOINED)
		each += wedges->ends * sizeof(cl_uint);
	size_t capacity = device->memory > device->buffer_bytes ? device->memory - device->buffer_bytes : 0;
	if (capacity > device->max_buffer)
		capacity = device->max_buffer;
	if (each && groups > capacity / each)
		groups = capacity / each;
	return groups ? groups : 1;
}

/* Uploads the first slots of the windows and the packed layout. */
static gemp_code upload_windows(gemp_wedges *wedges)
{
	gemp_wedges_grouped *g = &wedges->grouped;
	gemp_device *device = wedges->graph->context->device;
	GEMP_OWNED cl_uint *window = NULL;
	cl_uint layout[2 * (GEMP_WEDGES_WIDTHS - 1)];
	GEMP_TRY(GEMP_NEW(window, g->windows + 1u));
	for (uint64_t w = 1; w < g->windows; w++)
		window[w] = gemp_wedges_slot_at(&g->layout, w * wedges->shape.window_words);
	window[g->windows] = wedges->ends;
	for (size_t k = 0; k < GEMP_WEDGES_WIDTHS - 1; k++) {
		layout[k] = g->layout.from[k];
		layout[GEMP_WEDGES_WIDTHS - 1 + k] = g->layout.base[k];
	}
	GEMP_TRY(gemp_buffer_new(&g->window, device, (g->windows + 1u) * sizeof *window, window));
	return gemp_buffer_new(&g->layouts, device, sizeof layout, layout);
}

/* Table groups are smaller than window groups; together they have the same number of work-items. */
static size_t table_groups(const gemp_wedges *wedges, size_t k)
{
	return wedges->shape.groups * wedges->shape.group / wedges->shape.tables[k].group;
}

/* Task counters: one for windows, one for workers, and one for each kind of table. */
enum { NEXTS = 2 + GEMP_MAX_ROOT_TABLES };

/* Roots are divided before memory is allocated, because the number of partial sums depends on the division. */
gemp_code gemp_wedges_grouped_new(gemp_wedges *wedges)
{
	gemp_wedges_grouped *g = &wedges->grouped;
	const gemp_wedges_shape *shape = &wedges->shape;
	gemp_device *device = wedges->graph->context->device;
	size_t spill_bytes, touched;
	GEMP_TRY(make_tasks(wedges));
	choose_classes(wedges);
	GEMP_TRY(upload_windows(wedges));
	g->groups = fitting_groups(wedges);
	spill_bytes = g->groups * g->spill_words * sizeof(cl_uint);
	touched = wedges->sum->kind == GEMP_SUM_JOINED ? g->groups * wedges->ends * sizeof(cl_uint) : sizeof(cl_uint);
	GEMP_TRY(gemp_buffer_new(&g->spill, device, spill_bytes, NULL));
	GEMP_TRY(gemp_buffer_zero(device, &g->spill, 0, spill_bytes));
	GEMP_TRY(gemp_buffer_new(&g->touched, device, touched, NULL));
	GEMP_TRY(gemp_buffer_new(&g->next, device, NEXTS * sizeof(cl_uint), NULL));
	/* local memory holds the counters of a window or a table for each worker, and at the end a sum for each
	 * work-item */
	g->local_words = (cl_uint)gemp_max(shape->window_words, shape->group * 2);
	g->local_words = (cl_uint)gemp_max(g->local_words, shape->group / shape->lanes * shape->worker_words);
	GEMP_TRY(gemp_kernel_new(&wedges->kernel, &wedges->program, "wedges_windows"));
	GEMP_TRY(gemp_kernel_new(&wedges->tables_kernel, &wedges->program, "wedges_tables"));
	wedges->sums = g->groups;
	for (size_t k = 0; k < GEMP_MAX_ROOT_TABLES; k++)
		wedges->sums += g->table_roots[k] ? table_groups(wedges, k) : 0;
	return GEMP_OK;
}

void gemp_wedges_grouped_free(gemp_wedges *wedges)
{
	gemp_device *device = wedges->graph->context->device;
	gemp_wedges_grouped *g = &wedges->grouped;
	gemp_buffers_free(device, &g->next, &g->touched, &g->spill, &g->layouts, &g->window, &g->tasks.list,
	                  &g->tasks.paths, &g->tasks.rows);
}

enum { MAX_ARGUMENTS = 32 };

/* Launches a kernel of the sum. The arguments of the expression follow the `count` arguments of the kernel. */
static gemp_code launch_sum(gemp_wedges *wedges, cl_kernel kernel, size_t groups, size_t group,
                            gemp_argument *arguments, size_t count)
{
	count += gemp_wedges_value_arguments(wedges->graph, wedges->sum, arguments + count);
	GEMP_CHECK(count <= MAX_ARGUMENTS);
	return gemp_launch_timed_with(&wedges->timings, wedges->graph->context->device, kernel, groups * group, group,
	                              arguments, count);
}

/* The order of arguments is the order of wedges_windows's parameters. The roots of workers are at the end of the list,
 * behind the roots of tables. */
static gemp_code launch_windows(gemp_wedges *wedges)
{
	const gemp_count_graph *graph = wedges->graph;
	const gemp_wedges_grouped *g = &wedges->grouped;
	cl_uint table_root_count = 0;
	for (size_t k = 0; k < GEMP_MAX_ROOT_TABLES; k++)
		table_root_count += g->table_roots[k];
	gemp_argument arguments[MAX_ARGUMENTS];
	size_t count = 0;
	gemp_count_add_arguments(
		arguments, count, GEMP_ARG(&graph->row_offsets.mem), GEMP_ARG(&graph->upper_offsets.mem),
		GEMP_ARG(&graph->column_indices.mem), GEMP_ARG(&g->tasks.rows.mem), GEMP_ARG(&g->tasks.paths.mem),
		GEMP_ARG(&g->tasks.list.mem), GEMP_ARG(&g->window_roots), GEMP_ARG(&table_root_count),
		GEMP_ARG(&g->worker_roots), GEMP_ARG(&g->windows), GEMP_ARG(&g->window.mem), GEMP_ARG(&g->layouts.mem),
		GEMP_ARG(&wedges->ends), GEMP_ARG(&wedges->shape.worker_words), GEMP_ARG(&g->local_words),
		GEMP_ARG(&g->next.mem), GEMP_ARG(&g->spill.mem), GEMP_ARG(&g->spill_words), GEMP_ARG(&g->touched.mem),
		GEMP_ARG(&wedges->values.mem), GEMP_ARG(&wedges->magnitudes.mem), GEMP_LOCAL(g->local_words * sizeof(cl_uint)));
	return launch_sum(wedges, wedges->kernel, g->groups, wedges->shape.group, arguments, count);
}

/* Launches the tables of kind k for the roots [first, first + table_roots[k]) of the list. The partial sums of the
 * groups begin at number `sum`. */
static gemp_code launch_tables(gemp_wedges *wedges, size_t k, cl_uint first, cl_uint sum)
{
	const gemp_count_graph *graph = wedges->graph;
	const gemp_wedges_grouped *g = &wedges->grouped;
	cl_uint words = wedges->shape.tables[k].words, next = (cl_uint)(2 + k);
	size_t group = wedges->shape.tables[k].group;
	cl_uint local_words = (cl_uint)gemp_max(words, group * 2);
	gemp_argument arguments[MAX_ARGUMENTS];
	size_t count = 0;
	gemp_count_add_arguments(
		arguments, count, GEMP_ARG(&graph->row_offsets.mem), GEMP_ARG(&graph->upper_offsets.mem),
		GEMP_ARG(&graph->column_indices.mem), GEMP_ARG(&g->tasks.rows.mem), GEMP_ARG(&g->tasks.paths.mem),
		GEMP_ARG(&g->tasks.list.mem), GEMP_ARG(&first), GEMP_ARG(&g->table_roots[k]), GEMP_ARG(&g->layouts.mem),
		GEMP_ARG(&wedges->ends), GEMP_ARG(&g->next.mem), GEMP_ARG(&next), GEMP_ARG(&words), GEMP_ARG(&sum),
		GEMP_ARG(&wedges->values.mem), GEMP_ARG(&wedges->magnitudes.mem), GEMP_LOCAL(local_words * sizeof(cl_uint)));
	return launch_sum(wedges, wedges->tables_kernel, table_groups(wedges, k), group, arguments, count);
}

/* The roots of larger tables come first in the list, so the loop runs from the largest kind to the smallest. */
gemp_code gemp_wedges_grouped_launch(gemp_wedges *wedges)
{
	const gemp_wedges_grouped *g = &wedges->grouped;
	cl_uint first = g->window_roots, sum = (cl_uint)g->groups;
	GEMP_TRY(gemp_buffer_zero(wedges->graph->context->device, &g->next, 0, NEXTS * sizeof(cl_uint)));
	GEMP_TRY(launch_windows(wedges));
	for (size_t k = GEMP_MAX_ROOT_TABLES; k-- > 0; first += g->table_roots[k]) {
		if (g->table_roots[k] == 0)
			continue;
		GEMP_TRY(launch_tables(wedges, k, first, sum));
		sum += (cl_uint)table_groups(wedges, k);
	}
	return GEMP_OK;
}
