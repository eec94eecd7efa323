#include "count/sweep_tasks.h"

#include "count/sweep_emit.h"

#include "core/memory.h"

#include <string.h>

/* PACKED counters: widths of 32, 16, 8, 4 and 2 bits, each from the slot on from which no degree needs more. */
enum { WIDTHS = 5 };

typedef struct layout {
	cl_uint from[WIDTHS - 1]; /* first slots of the narrower ones */
	cl_uint base[WIDTHS - 1]; /* bit of slot w is base + w * width, mod 2^32 */
} layout;

typedef struct grouped {
	gemp_sweep_tasks tasks;
	layout layout;
	bool packed, spills;
	uint64_t words;           /* of all counters */
	cl_uint windows;
	cl_uint spilt_words;      /* of each group */
	cl_uint many, few;        /* roots for windows, and for workers at the end of the list */
	cl_uint middling[GEMP_MOST_TABLES]; /* for each kind of table, in front of those */
	size_t groups;
	uint32_t local_words;
	gemp_buffer layouts, window, next, spilt, touched;
} grouped;

static bool fits(const gemp_sweep *sweep)
{
	return sweep->ends <= sweep->shape.window_words;
}

/* Words of all counters. */
static uint64_t lay_out(layout *out, const gemp_sweep *sweep)
{
	static const uint64_t most[WIDTHS - 1] = { 65535, 255, 15, 3 };
	const uint64_t *begin = sweep->graph->host_begin;
	uint64_t bits = 0;
	size_t k = WIDTHS - 1;
	for (uint32_t v = sweep->ends; v > 0 && k > 0; v--)
		for (; k > 0 && begin[v] - begin[v - 1] > most[k - 1]; k--)
			out->from[k - 1] = v;
	for (; k > 0; k--)
		out->from[k - 1] = 0;
	bits = (uint64_t)out->from[0] * 32;
	for (k = 0; k < WIDTHS - 1; k++) {
		uint64_t width = 16u >> k, to = k + 1 < WIDTHS - 1 ? out->from[k + 1] : sweep->ends;
		out->base[k] = (cl_uint)(bits - out->from[k] * width);
		bits = (bits + (to - out->from[k]) * width + 31) / 32 * 32;
	}
	return bits / 32;
}

/* The slot whose counter begins a word. */
static uint32_t slot_at(const grouped *g, uint64_t word, uint32_t ends)
{
	uint32_t bit = (uint32_t)(word * 32);
	if (!g->packed)
		return word < ends ? (uint32_t)word : ends;
	if (word >= g->words)
		return ends;
	size_t k = WIDTHS - 1;
	for (; k > 0; k--) {
		uint32_t first = g->layout.base[k - 1] + g->layout.from[k - 1] * (16u >> (k - 1));
		if (bit >= first)
			break;
	}
	if (k == 0)
		return bit / 32;
	uint32_t slot = (bit - g->layout.base[k - 1]) / (16u >> (k - 1)), behind = k < WIDTHS - 1 ? g->layout.from[k] : ends;
	return slot < behind ? slot : behind;
}

static void choose_counters(grouped *g, const gemp_sweep *sweep)
{
	g->packed = !fits(sweep);
	g->words = sweep->ends;
	if (g->packed)
		g->words = lay_out(&g->layout, sweep);
	if (g->words > UINT32_MAX / 32) {
		g->packed = false;
		g->words = sweep->ends;
	}
	g->spills = sweep->sum->kind == GEMP_SUM_JOINED && g->words > sweep->shape.window_words;
	g->spilt_words = g->spills ? (cl_uint)(g->words - sweep->shape.window_words) : 0;
	g->windows = g->spills ? 1 : (cl_uint)((g->words + sweep->shape.window_words - 1) / sweep->shape.window_words);
}

static uint32_t larger(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}

gemp_code gemp_sweep_emit_grouped(gemp_text *text, const gemp_sweep *sweep)
{
	grouped g = { 0 };
	const gemp_sweep_shape *shape = &sweep->shape;
	choose_counters(&g, sweep);
	gemp_text_print(text, "#define GEMP_LANES %u\n#define ROW_LANES %u\n#define WINDOW_WORDS %uu\n", shape->lanes,
	                shape->row_lanes, shape->window_words);
	gemp_text_print(text, "%s%s%s", g.packed ? "#define PACKED\n" : "", g.spills ? "#define SPILLS\n" : "",
	                g.windows > 1 ? "#define WINDOWS\n" : "");
	gemp_text_print(text, "typedef struct layout {\n\tuint from[4], base[4];\n} layout;\n");
	return gemp_text_status(text);
}

/* How many paths a table of so many words can hold: 3 of 4 places. */
static uint64_t table_holds(uint32_t words)
{
	return (uint64_t)words / 2 * 3 / 4;
}

static void choose_classes(grouped *g, const gemp_sweep *sweep)
{
	const gemp_sweep_shape *shape = &sweep->shape;
	uint32_t above[GEMP_MOST_TABLES + 1], with_paths = gemp_sweep_roots_above(&g->tasks, 0), left;
	left = shape->worker_words ? gemp_sweep_roots_above(&g->tasks, table_holds(shape->worker_words)) : with_paths;
	g->few = with_paths - left;
	for (size_t k = 0; k < GEMP_MOST_TABLES; k++) {
		above[k] = left;
		if (g->windows > 1 || g->spills)
			if (shape->tables[k].words)
				above[k] = gemp_sweep_roots_above(&g->tasks, table_holds(shape->tables[k].words));
		g->middling[k] = left - above[k];
		left = above[k];
	}
	g->many = left;
}

/* As many groups as there is memory for what they keep. */
static size_t fitting_groups(const grouped *g, const gemp_sweep *sweep)
{
	const gemp_device *device = sweep->graph->context->device;
	size_t each = g->spilt_words * sizeof(cl_uint), groups = sweep->shape.groups;
	if (sweep->sum->kind == GEMP_SUM_JOINED)
		each += sweep->ends * sizeof(cl_uint);
	size_t room = device->memory > device->held ? device->memory - device->held : 0;
	if (room > device->largest)
		room = device->largest;
	if (each && groups > room / each)
		groups = room / each;
	return groups ? groups : 1;
}

static gemp_code upload_windows(grouped *g, gemp_sweep *sweep)
{
	gemp_code code = GEMP_OK;
	gemp_device *device = sweep->graph->context->device;
	cl_uint *window = NULL;
	GEMP_TRY(GEMP_NEW(window, g->windows + 1u));
	for (uint64_t w = 1; w < g->windows; w++)
		window[w] = slot_at(g, w * sweep->shape.window_words, sweep->ends);
	window[g->windows] = sweep->ends;
	GEMP_TRY(gemp_buffer_new(&g->window, device, (g->windows + 1u) * sizeof *window, window));
	GEMP_TRY(gemp_buffer_new(&g->layouts, device, sizeof g->layout, &g->layout));
done:
	gemp_free(window);
	return code;
}

static gemp_code make(grouped *g, gemp_sweep *sweep)
{
	gemp_code code = GEMP_OK;
	gemp_device *device = sweep->graph->context->device;
	size_t spilt, touched;
	choose_counters(g, sweep);
	GEMP_TRY(gemp_sweep_tasks_new(&g->tasks, sweep));
	choose_classes(g, sweep);
	GEMP_TRY(upload_windows(g, sweep));
	g->groups = fitting_groups(g, sweep);
	spilt = g->groups * g->spilt_words * sizeof(cl_uint);
	touched = sweep->sum->kind == GEMP_SUM_JOINED ? g->groups * sweep->ends * sizeof(cl_uint) : sizeof(cl_uint);
	GEMP_TRY(gemp_buffer_new(&g->spilt, device, spilt, NULL));
	GEMP_TRY(gemp_buffer_zero(device, &g->spilt, 0, spilt));
	GEMP_TRY(gemp_buffer_new(&g->touched, device, touched, NULL));
	GEMP_TRY(gemp_buffer_new(&g->next, device, 2 * sizeof(cl_uint), NULL));
	/* Counters, or a table a worker; at the end a sum for each work-item. */
	g->local_words = larger(sweep->shape.window_words, (uint32_t)sweep->shape.group * 2);
	g->local_words = larger(g->local_words, (uint32_t)(sweep->shape.group / sweep->shape.lanes) * sweep->shape.worker_words);
done:
	return code;
}

static void destroy(grouped *g, gemp_device *device)
{
	gemp_buffer_free(&g->next, device);
	gemp_buffer_free(&g->touched, device);
	gemp_buffer_free(&g->spilt, device);
	gemp_buffer_free(&g->layouts, device);
	gemp_buffer_free(&g->window, device);
	gemp_sweep_tasks_free(&g->tasks, device);
}

enum { MOST_ARGUMENTS = 32 };

static gemp_code run_kernel(gemp_sweep *sweep, const char *name, size_t groups, size_t group, gemp_argument *arguments,
                            size_t count)
{
	gemp_code code = GEMP_OK;
	gemp_device *device = sweep->graph->context->device;
	cl_kernel kernel = NULL;
	double seconds = 0;
	count += gemp_sweep_value_arguments(sweep->graph, sweep->sum, arguments + count);
	GEMP_CHECK(count <= MOST_ARGUMENTS);
	GEMP_TRY(gemp_kernel_new(&kernel, &sweep->program, name));
	GEMP_TRY(gemp_launch_with(device, kernel, groups * group, group, arguments, count));
	GEMP_TRY(gemp_launch_seconds(device, &seconds));
	sweep->result->seconds += seconds;
	sweep->result->launches++;
done:
	if (kernel)
		clReleaseKernel(kernel);
	return code;
}

static gemp_code run_windows(grouped *g, gemp_sweep *sweep)
{
	gemp_code code = GEMP_OK;
	const gemp_count_graph *graph = sweep->graph;
	gemp_device *device = graph->context->device;
	gemp_sweep_sums sums = { 0 };
	cl_uint ends = sweep->ends, middling = 0;
	for (size_t k = 0; k < GEMP_MOST_TABLES; k++)
		middling += g->middling[k];
	if (g->many + g->few == 0)
		return GEMP_OK;
	GEMP_TRY(gemp_buffer_zero(device, &g->next, 0, 2 * sizeof(cl_uint)));
	GEMP_TRY(gemp_sweep_sums_new(&sums, device, g->groups));
	gemp_argument arguments[MOST_ARGUMENTS] = {
		GEMP_ARG(&graph->begin.mem), GEMP_ARG(&graph->mid.mem), GEMP_ARG(&graph->near.mem), GEMP_ARG(&g->tasks.rows.mem),
		GEMP_ARG(&g->tasks.paths.mem), GEMP_ARG(&g->tasks.list.mem), GEMP_ARG(&g->many), GEMP_ARG(&middling),
		GEMP_ARG(&g->few), GEMP_ARG(&g->windows), GEMP_ARG(&g->window.mem), GEMP_ARG(&g->layouts.mem), GEMP_ARG(&ends),
		GEMP_ARG(&sweep->shape.worker_words), GEMP_ARG(&g->local_words), GEMP_ARG(&g->next.mem),
		GEMP_ARG(&g->spilt.mem), GEMP_ARG(&g->spilt_words), GEMP_ARG(&g->touched.mem), GEMP_ARG(&sums.values.mem),
		GEMP_ARG(&sums.magnitudes.mem), GEMP_LOCAL((g->local_words + 2u) * sizeof(cl_uint)),
	};
	GEMP_TRY(run_kernel(sweep, "sweep_windows", g->groups, sweep->shape.group, arguments, 22));
	GEMP_TRY(gemp_sweep_collect(sweep, &sums));
done:
	gemp_sweep_sums_free(&sums, device);
	return code;
}

/* Roots first .. first + roots - 1 of the list, with tables of kind k. */
static gemp_code run_tables(grouped *g, gemp_sweep *sweep, size_t k, cl_uint first, cl_uint roots)
{
	gemp_code code = GEMP_OK;
	const gemp_count_graph *graph = sweep->graph;
	gemp_device *device = graph->context->device;
	gemp_sweep_sums sums = { 0 };
	cl_uint ends = sweep->ends, words = sweep->shape.tables[k].words;
	size_t group = sweep->shape.tables[k].group, groups = sweep->shape.groups * sweep->shape.group / group;
	uint32_t local_words = larger(words + 2, (uint32_t)group * 2);
	if (roots == 0)
		return GEMP_OK;
	GEMP_TRY(gemp_buffer_zero(device, &g->next, 0, 2 * sizeof(cl_uint)));
	GEMP_TRY(gemp_sweep_sums_new(&sums, device, groups));
	gemp_argument arguments[MOST_ARGUMENTS] = {
		GEMP_ARG(&graph->begin.mem), GEMP_ARG(&graph->mid.mem), GEMP_ARG(&graph->near.mem), GEMP_ARG(&g->tasks.rows.mem),
		GEMP_ARG(&g->tasks.paths.mem), GEMP_ARG(&g->tasks.list.mem), GEMP_ARG(&first), GEMP_ARG(&roots),
		GEMP_ARG(&g->layouts.mem), GEMP_ARG(&ends), GEMP_ARG(&g->next.mem), GEMP_ARG(&words),
		GEMP_ARG(&sums.values.mem), GEMP_ARG(&sums.magnitudes.mem), GEMP_LOCAL(local_words * sizeof(cl_uint)),
	};
	GEMP_TRY(run_kernel(sweep, "sweep_tables", groups, group, arguments, 15));
	GEMP_TRY(gemp_sweep_collect(sweep, &sums));
done:
	gemp_sweep_sums_free(&sums, device);
	return code;
}

gemp_code gemp_sweep_grouped(gemp_sweep *sweep)
{
	gemp_code code = GEMP_OK;
	gemp_device *device = sweep->graph->context->device;
	grouped g = { 0 };
	cl_uint first;
	GEMP_TRY(make(&g, sweep));
	GEMP_TRY(run_windows(&g, sweep));
	first = g.many;
	for (size_t k = GEMP_MOST_TABLES; k-- > 0; first += g.middling[k])
		GEMP_TRY(run_tables(&g, sweep, k, first, g.middling[k]));
done:
	destroy(&g, device);
	return code;
}
