#include "count/sweep.h"

#include "count/sweep_emit.h"

#include "core/memory.h"

gemp_code gemp_sweep_grouped_emit(gemp_text *text, gemp_sweep *sweep)
{
	gemp_sweep_grouped *g = &sweep->grouped;
	const gemp_sweep_shape *shape = &sweep->shape;
	uint64_t window = shape->window_words;
	gemp_sweep_layout_new(&g->layout, sweep->graph->host_begin, sweep->ends, sweep->ends > window);
	g->spills = sweep->sum->kind == GEMP_SUM_JOINED && g->layout.words > window;
	g->spilt_words = g->spills ? (cl_uint)(g->layout.words - window) : 0;
	g->windows = g->spills ? 1 : (cl_uint)((g->layout.words + window - 1) / window);
	gemp_text_print(text, "#define GEMP_LANES %u\n#define ROW_LANES %u\n#define WINDOW_WORDS %uu\n", shape->lanes,
	                shape->row_lanes, shape->window_words);
	gemp_text_print(text, "%s%s%s", g->layout.packed ? "#define PACKED\n" : "", g->spills ? "#define SPILLS\n" : "",
	                g->windows > 1 ? "#define WINDOWS\n" : "");
	gemp_text_print(text, "typedef struct layout {\n\tuint from[4], base[4];\n} layout;\n");
	return gemp_text_status(text);
}

/* How many paths a table of so many words can hold: 3 of 4 places. */
static uint64_t table_holds(uint32_t words)
{
	return (uint64_t)words / 2 * 3 / 4;
}

/* Who takes which roots of the list. */
static void choose_classes(gemp_sweep *sweep)
{
	gemp_sweep_grouped *g = &sweep->grouped;
	const gemp_sweep_shape *shape = &sweep->shape;
	uint32_t with_paths = gemp_sweep_roots_above(&g->tasks, 0), left = with_paths;
	if (shape->worker_words)
		left = gemp_sweep_roots_above(&g->tasks, table_holds(shape->worker_words));
	g->few = with_paths - left;
	for (size_t k = 0; k < GEMP_MOST_TABLES; k++) {
		uint32_t words = shape->tables[k].words, above = left;
		if (words && (g->windows > 1 || g->spills))
			above = gemp_sweep_roots_above(&g->tasks, table_holds(words));
		g->middling[k] = left - above;
		left = above;
	}
	g->many = left;
}

/* As many groups as there is memory for what they keep, and work for. */
static size_t fitting_groups(const gemp_sweep *sweep)
{
	const gemp_sweep_grouped *g = &sweep->grouped;
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

static gemp_code upload_windows(gemp_sweep *sweep)
{
	gemp_code code = GEMP_OK;
	gemp_sweep_grouped *g = &sweep->grouped;
	gemp_device *device = sweep->graph->context->device;
	cl_uint *window = NULL, layout[2 * (GEMP_SWEEP_WIDTHS - 1)];
	GEMP_TRY(GEMP_NEW(window, g->windows + 1u));
	for (uint64_t w = 1; w < g->windows; w++)
		window[w] = gemp_sweep_slot_at(&g->layout, w * sweep->shape.window_words);
	window[g->windows] = sweep->ends;
	for (size_t k = 0; k < GEMP_SWEEP_WIDTHS - 1; k++) {
		layout[k] = g->layout.from[k];
		layout[GEMP_SWEEP_WIDTHS - 1 + k] = g->layout.base[k];
	}
	GEMP_TRY(gemp_buffer_new(&g->window, device, (g->windows + 1u) * sizeof *window, window));
	GEMP_TRY(gemp_buffer_new(&g->layouts, device, sizeof layout, layout));
done:
	gemp_free(window);
	return code;
}

static size_t table_groups(const gemp_sweep *sweep, size_t k)
{
	return sweep->shape.groups * sweep->shape.group / sweep->shape.tables[k].group;
}

static cl_uint larger(size_t a, size_t b)
{
	return (cl_uint)(a > b ? a : b);
}

/* A counter of tasks for windows, for workers, and for each kind of table. */
enum { NEXTS = 2 + GEMP_MOST_TABLES };

gemp_code gemp_sweep_grouped_new(gemp_sweep *sweep)
{
	gemp_code code = GEMP_OK;
	gemp_sweep_grouped *g = &sweep->grouped;
	const gemp_sweep_shape *shape = &sweep->shape;
	gemp_device *device = sweep->graph->context->device;
	size_t spilt, touched;
	GEMP_TRY(gemp_sweep_tasks_new(&g->tasks, sweep));
	choose_classes(sweep);
	GEMP_TRY(upload_windows(sweep));
	g->groups = fitting_groups(sweep);
	spilt = g->groups * g->spilt_words * sizeof(cl_uint);
	touched = sweep->sum->kind == GEMP_SUM_JOINED ? g->groups * sweep->ends * sizeof(cl_uint) : sizeof(cl_uint);
	GEMP_TRY(gemp_buffer_new(&g->spilt, device, spilt, NULL));
	GEMP_TRY(gemp_buffer_zero(device, &g->spilt, 0, spilt));
	GEMP_TRY(gemp_buffer_new(&g->touched, device, touched, NULL));
	GEMP_TRY(gemp_buffer_new(&g->next, device, NEXTS * sizeof(cl_uint), NULL));
	/* Counters, or a table a worker; at the end a sum for each work-item. */
	g->local_words = larger(shape->window_words, shape->group * 2);
	g->local_words = larger(g->local_words, shape->group / shape->lanes * shape->worker_words);
	GEMP_TRY(gemp_kernel_new(&sweep->kernel, &sweep->program, "sweep_windows"));
	GEMP_TRY(gemp_kernel_new(&sweep->tables_kernel, &sweep->program, "sweep_tables"));
	sweep->sums = g->groups;
	for (size_t k = 0; k < GEMP_MOST_TABLES; k++)
		sweep->sums += g->middling[k] ? table_groups(sweep, k) : 0;
done:
	return code;
}

void gemp_sweep_grouped_free(gemp_sweep *sweep)
{
	gemp_device *device = sweep->graph->context->device;
	gemp_sweep_grouped *g = &sweep->grouped;
	gemp_buffer_free(&g->next, device);
	gemp_buffer_free(&g->touched, device);
	gemp_buffer_free(&g->spilt, device);
	gemp_buffer_free(&g->layouts, device);
	gemp_buffer_free(&g->window, device);
	gemp_sweep_tasks_free(&g->tasks, device);
}

enum { MOST_ARGUMENTS = 32 };

static gemp_code launch(gemp_sweep *sweep, cl_kernel kernel, size_t groups, size_t group, gemp_argument *arguments,
                        size_t count)
{
	gemp_code code = GEMP_OK;
	gemp_device *device = sweep->graph->context->device;
	count += gemp_sweep_value_arguments(sweep->graph, sweep->sum, arguments + count);
	GEMP_CHECK(count <= MOST_ARGUMENTS);
	GEMP_TRY(gemp_launch_with(device, kernel, groups * group, group, arguments, count));
	GEMP_TRY(gemp_laps_add(&sweep->laps, device));
done:
	return code;
}

static gemp_code launch_windows(gemp_sweep *sweep)
{
	const gemp_count_graph *graph = sweep->graph;
	const gemp_sweep_grouped *g = &sweep->grouped;
	cl_uint middling = 0;
	for (size_t k = 0; k < GEMP_MOST_TABLES; k++)
		middling += g->middling[k];
	gemp_argument arguments[MOST_ARGUMENTS] = {
		GEMP_ARG(&graph->begin.mem), GEMP_ARG(&graph->mid.mem), GEMP_ARG(&graph->near.mem), GEMP_ARG(&g->tasks.rows.mem),
		GEMP_ARG(&g->tasks.paths.mem), GEMP_ARG(&g->tasks.list.mem), GEMP_ARG(&g->many), GEMP_ARG(&middling),
		GEMP_ARG(&g->few), GEMP_ARG(&g->windows), GEMP_ARG(&g->window.mem), GEMP_ARG(&g->layouts.mem),
		GEMP_ARG(&sweep->ends), GEMP_ARG(&sweep->shape.worker_words), GEMP_ARG(&g->local_words), GEMP_ARG(&g->next.mem),
		GEMP_ARG(&g->spilt.mem), GEMP_ARG(&g->spilt_words), GEMP_ARG(&g->touched.mem), GEMP_ARG(&sweep->values.mem),
		GEMP_ARG(&sweep->magnitudes.mem), GEMP_LOCAL(g->local_words * sizeof(cl_uint)),
	};
	return launch(sweep, sweep->kernel, g->groups, sweep->shape.group, arguments, 22);
}

/* Roots first .. first + g->middling[k] - 1 of the list; sums go to `sum` and behind. */
static gemp_code launch_tables(gemp_sweep *sweep, size_t k, cl_uint first, cl_uint sum)
{
	const gemp_count_graph *graph = sweep->graph;
	const gemp_sweep_grouped *g = &sweep->grouped;
	cl_uint words = sweep->shape.tables[k].words, next = (cl_uint)(2 + k);
	size_t group = sweep->shape.tables[k].group;
	cl_uint local_words = larger(words, group * 2);
	gemp_argument arguments[MOST_ARGUMENTS] = {
		GEMP_ARG(&graph->begin.mem), GEMP_ARG(&graph->mid.mem), GEMP_ARG(&graph->near.mem), GEMP_ARG(&g->tasks.rows.mem),
		GEMP_ARG(&g->tasks.paths.mem), GEMP_ARG(&g->tasks.list.mem), GEMP_ARG(&first), GEMP_ARG(&g->middling[k]),
		GEMP_ARG(&g->layouts.mem), GEMP_ARG(&sweep->ends), GEMP_ARG(&g->next.mem), GEMP_ARG(&next), GEMP_ARG(&words),
		GEMP_ARG(&sum), GEMP_ARG(&sweep->values.mem), GEMP_ARG(&sweep->magnitudes.mem),
		GEMP_LOCAL(local_words * sizeof(cl_uint)),
	};
	return launch(sweep, sweep->tables_kernel, table_groups(sweep, k), group, arguments, 17);
}

gemp_code gemp_sweep_grouped_launch(gemp_sweep *sweep)
{
	gemp_code code = GEMP_OK;
	const gemp_sweep_grouped *g = &sweep->grouped;
	cl_uint first = g->many, sum = (cl_uint)g->groups;
	GEMP_TRY(gemp_buffer_zero(sweep->graph->context->device, &g->next, 0, NEXTS * sizeof(cl_uint)));
	GEMP_TRY(launch_windows(sweep));
	for (size_t k = GEMP_MOST_TABLES; k-- > 0; first += g->middling[k]) {
		if (g->middling[k] == 0)
			continue;
		GEMP_TRY(launch_tables(sweep, k, first, sum));
		sum += (cl_uint)table_groups(sweep, k);
	}
done:
	return code;
}
