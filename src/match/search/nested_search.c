#include "match/search/nested_search.h"

#include "core/limits.h"
#include "core/log.h"
#include "device/launch.h"
#include "device/tuning.h"
#include "kernels/match/nested_abi.h"

#include <stdlib.h>
#include <string.h>

enum {
	ROW_LANES = 8, /* default of the tuning key nested.lanes */
	GROUP = 128,   /* work-items of a work-group; default of the tuning key nested.group */
	SPARSE = 16,   /* minimum bits of a folded bitmap for each entry of an average row */
	/* a folded bitmap grows up to this number of bits for each entry: more would take local memory from other groups */
	ROOMY = 32,
	MIN_FOLDED = 128, /* minimum words of a folded bitmap */
	TASKS_A_WORKER = 4,
	ROWS_A_LAUNCH = 1 << 22, /* rows after which a worker takes no more tasks in a launch */
};

/* Nested loops are used on GPUs. All devices of a rank must run the same kind of kernel, since they take tasks of the
 * same chunks. */
static bool use_nested(const gemp_search *search)
{
	const char *shape = getenv("GEMP_SHAPE");
	const gemp_runtime *context = search->context;
	bool gpus = context->device->gpu;
	if (shape && !strcmp(shape, "states"))
		return false;
	if (search->options.leader)
		return search->options.leader->nested;
	for (size_t i = 0; i < context->other_count; i++)
		gpus &= context->others[i]->device->gpu;
	return gpus || (shape && (!strcmp(shape, "nested") || !strcmp(shape, "untrimmed")));
}

/* Collective. Makes induced rows, except for rows that come in rounds: the host has already removed unread entries from
 * them. */
static gemp_code make_induced_rows(gemp_nested_search *n, const gemp_search *search, const gemp_view *views,
                                   const gemp_candidates *candidates)
{
	const char *shape = getenv("GEMP_SHAPE");
	const gemp_search *leader = search->options.leader; /* this search has induced rows only if the leader has */
	bool rounds = search->options.round_entries;
	if (!rounds && (!shape || strcmp(shape, "untrimmed") != 0) && (!leader || leader->nested->induced))
		GEMP_TRY(gemp_induced_rows_new(&n->induced, search, views, candidates));
	n->plan = n->induced ? &n->induced->plan : search->plan;
	return GEMP_OK;
}

/* True if the images of u and v differ in every match. */
static bool always_distinct(const gemp_plan *plan, int u, int v)
{
	for (size_t s = 0; s < plan->step_count; s++) {
		const gemp_step *step = &plan->steps[s];
		uint64_t others = step->differ | step->less | step->greater;
		if ((step->vertex == u && others >> v & 1) || (step->vertex == v && others >> u & 1))
			return true;
	}
	return false;
}

/* A lower bound of the number of neighbours that the last vertex has in a view; 0 unless the view has both directions.
 * Sources whose images always differ count one each. */
static uint64_t min_degree(const gemp_plan *plan, const gemp_step *step, size_t view)
{
	uint64_t degree = 0;
	for (size_t j = 0; j < step->sources; j++) {
		bool counts = step->checks[j].view == (int)view;
		for (size_t i = 0; i < j && counts; i++)
			counts = step->checks[i].view != (int)view ||
			         always_distinct(plan, step->checks[i].from, step->checks[j].from);
		degree += counts;
	}
	return plan->views[view].direction == 2 ? degree : 0;
}

/* Collective. Returns a slot from which on all vertices have too few neighbours to be the last vertex. Slots descend by
 * degree, so these vertices are at the end. A rank's rows are replicas (row i is slot i), followed by own rows. */
static uint32_t find_limit(const gemp_search *search, const gemp_nested *shape, const gemp_residency *residency,
                           const gemp_view *views)
{
	uint64_t limit = search->vertices;
	for (size_t v = 0; v < search->plan->view_count; v++) {
		uint64_t least = min_degree(search->plan, &search->plan->steps[shape->levels - 1], v), end;
		const uint64_t *begin = views[v].begin;
		size_t rows = views[v].rows;
		while (rows > 0 && begin[rows] - begin[rows - 1] < least)
			rows--;
		end = rows;
		if (rows > residency->hot)
			end = residency->own_slots[residency->own_count - residency->own + rows - 1 - residency->hot] + UINT64_C(1);
		gemp_comm_max(search->context->comm, &end, 1);
		limit = gemp_min(limit, end);
	}
	return (uint32_t)limit;
}

/* Collective. Returns the length of the longest row. *mean becomes the mean length of rows, in which a row counts once
 * for each of its entries. */
static uint32_t longest_row(const gemp_search *search, const gemp_view *views, double *mean)
{
	uint64_t greatest[2] = { 0 }; /* the longest row; the mean length */
	for (size_t v = 0; v < search->plan->view_count; v++) {
		const gemp_row_lengths lengths = gemp_view_row_lengths(&views[v]);
		double entries = (double)views[v].begin[views[v].rows];
		greatest[0] = gemp_max(greatest[0], lengths.longest);
		if (lengths.squares > (double)greatest[1] * entries)
			greatest[1] = (uint64_t)(lengths.squares / entries) + 1;
	}
	gemp_comm_max(search->context->comm, greatest, 2);
	*mean = (double)greatest[1];
	return (uint32_t)greatest[0];
}

/* Rounds up to a power of two or to three quarters of a power of two, since each size is another kernel to compile. */
static size_t shared_words(size_t words)
{
	size_t size = 64;
	while (size < words)
		size *= 2;
	return words <= size / 4 * 3 ? size / 4 * 3 : size;
}

/* Puts the bitmap of the last level into local memory if a bit for each slot fits there, or if a folded bitmap, in
 * which several slots share a bit, is sparse enough for few false hits. */
static void choose_bitmap(gemp_nested_search *n, const gemp_device *device, double mean_row)
{
	size_t local = gemp_tuning(device, "nested.local", gemp_limits_now()->nested_local);
	size_t whole = shared_words(n->words), folded = 1, words = local / n->options.in_group / sizeof(uint32_t);
	n->options.shared = 0;
	if (n->shape.leaf != GEMP_LEAF_MARKED || local >= device->local_memory)
		return;
	while (2 * folded <= words && (folded < MIN_FOLDED || mean_row * ROOMY > (double)(folded * 32)))
		folded *= 2;
	if (whole <= words) {
		n->options.shared = whole;
	} else if (mean_row * SPARSE <= (double)(folded * 32)) {
		n->options.shared = folded;
		n->options.folded = true;
		n->words = (uint32_t)folded;
	}
}

/* Reduces the number of workers until the lists and bitmaps of all workers fit into a quarter of the free memory. */
static void choose_workers(gemp_nested_search *n, const gemp_search *search)
{
	const gemp_device *device = search->context->device;
	bool marked = n->shape.leaf == GEMP_LEAF_MARKED;
	size_t in_group = n->options.in_group;
	size_t bytes = n->shape.list_count * n->list_capacity * sizeof(uint32_t);
	if (marked && !n->options.shared)
		bytes += n->words * sizeof(uint32_t);
	uint64_t capacity = gemp_min((device->memory - device->buffer_bytes) / 4, device->max_buffer);
	n->workers = search->workers;
	if (bytes)
		n->workers = gemp_min(n->workers, capacity / bytes);
	n->workers = n->workers / in_group * in_group;
}

/* Tasks are so short that each worker gets several tasks. In a plan of three levels, a task has at least one entry for
 * each group of ROW_LANES lanes. */
void gemp_nested_rows(gemp_nested_search *n, const gemp_search *search, const gemp_view *views)
{
	size_t first = (size_t)n->plan->steps[1].checks[0].view;
	n->entries = first < search->plan->view_count ? (uint32_t)views[first].begin[views[first].rows]
	                                              : n->induced->entries[first];
	uint64_t chunk = n->workers ? n->entries / (n->workers * TASKS_A_WORKER) : 1, lanes = (uint64_t)n->options.lanes;
	n->chunk = (uint32_t)gemp_max(gemp_min(chunk, lanes),
	                              n->shape.levels == 3 ? lanes / (uint64_t)n->options.row_lanes : 1);
	n->tasks = (uint32_t)(((uint64_t)n->entries + n->chunk - 1) / n->chunk);
	n->columns = 1;
	gemp_nested_feed(n, (gemp_task_range){ 0, 1 });
}

/* The last row of the table of tasks may be shorter than the other rows. */
void gemp_nested_feed(gemp_nested_search *n, gemp_task_range piece)
{
	size_t rest = n->tasks % n->columns; /* number of tasks in the last row, if it is shorter */
	size_t last = rest <= piece.first ? 0 : gemp_min(rest - piece.first, piece.count);
	n->columns_here = piece;
	n->next = 0;
	n->end = (uint32_t)(n->tasks / n->columns * piece.count + last);
}

/* Collective. If any rank may take any task, all ranks must have the same tasks. */
static void agree_on_tasks(gemp_nested_search *n, const gemp_search *search)
{
	uint64_t chunk = n->chunk;
	if (!gemp_search_balances(search))
		return;
	gemp_comm_max(search->context->comm, &chunk, 1);
	n->chunk = (uint32_t)chunk;
	n->tasks = (uint32_t)(((uint64_t)n->entries + n->chunk - 1) / n->chunk);
}

/* Collective. Chooses the shape, the lanes, the lengths of bitmaps and lists, the workers, and the tasks. Each choice
 * depends on the choices before it. */
static void choose_sizes(gemp_nested_search *n, const gemp_search *search, const gemp_residency *residency,
                         const gemp_view *views)
{
	gemp_device *device = search->context->device;
	double mean;
	gemp_nested_shape(&n->shape, n->plan, &search->emit);
	n->options.lanes = search->emit.lanes;
	int row_lanes = (int)gemp_tuning(device, "nested.lanes", ROW_LANES);
	n->options.row_lanes = n->options.lanes < row_lanes ? n->options.lanes : row_lanes;
	n->group = gemp_worker_group_size(device, (unsigned)n->options.lanes, gemp_tuning(device, "nested.group", GROUP));
	n->options.in_group = n->group > (size_t)n->options.lanes ? n->group / (size_t)n->options.lanes : 1;
	n->limit = find_limit(search, &n->shape, residency, views);
	n->words = n->limit / 32 + 1;
	n->list_capacity = longest_row(search, views, &mean);
	if (search->emit.all_resident && !search->options.round_entries)
		n->list_capacity = (uint32_t)gemp_nested_list_capacity(&n->shape, views, search->plan->view_count,
		                                                       n->list_capacity);
	choose_bitmap(n, device, mean);
	choose_workers(n, search);
	if (n->shape.levels > 3 && (device->nvidia || !device->gpu))
		for (n->queue = 1; n->queue < 2 * n->workers; n->queue *= 2)
			;
	gemp_nested_rows(n, search, views);
	agree_on_tasks(n, search);
}

/* Bitmaps and the queue of waiting workers are zeroed once. Every launch leaves the bitmaps zero, and finish_launch
 * zeroes the used places of the queue. */
static gemp_code make_buffers(gemp_nested_search *n, gemp_device *device)
{
	size_t lists = n->workers * n->shape.list_count * n->list_capacity;
	size_t marks = (n->workers * n->words + 1) * sizeof(uint32_t), parts = (n->queue + 1) * sizeof(gemp_nested_part);
	if (n->shape.list_count)
		GEMP_TRY(gemp_buffer_new(&n->lists, device, (lists + 1) * sizeof(uint32_t), NULL));
	if (n->shape.leaf == GEMP_LEAF_MARKED && !n->options.shared) {
		GEMP_TRY(gemp_buffer_new(&n->marks, device, marks, NULL));
		GEMP_TRY(gemp_buffer_zero(device, &n->marks, 0, marks));
	}
	GEMP_TRY(gemp_buffer_new(&n->parts, device, parts, NULL));
	GEMP_TRY(gemp_buffer_zero(device, &n->parts, 0, parts));
	return gemp_buffer_new(&n->control, device, GEMP_NESTED_WORDS * sizeof(uint32_t), NULL);
}

/* Either all ranks use nested loops or no rank does, since a chunk must stand for the same tasks on all ranks. */
gemp_code gemp_nested_new(gemp_nested_search **out, const gemp_search *search, const gemp_residency *residency,
                          const gemp_view *views, const gemp_candidates *candidates)
{
	gemp_code code = GEMP_OK;
	gemp_nested_search *n = NULL;
	gemp_comm *comm = search->context->comm;
	*out = NULL;
	if (gemp_comm_sum1(comm, !use_nested(search) || !gemp_nested_supports(search->plan, &search->emit)))
		return GEMP_OK;
	GEMP_TRY_DONE(gemp_comm_agree(comm, GEMP_NEW(n, 1)));
	GEMP_TRY_DONE(make_induced_rows(n, search, views, candidates));
	choose_sizes(n, search, residency, views);
	if (gemp_comm_sum1(comm, n->workers * (size_t)n->options.lanes < n->group)) /* not even one work-group fits */
		goto done;
	GEMP_TRY_DONE(gemp_comm_agree(comm, make_buffers(n, search->context->device)));
	*out = n;
	n = NULL;
done:
	gemp_nested_free(n, search->context->device);
	return code;
}

/* The program and the kernel belong to the search and stay. */
void gemp_nested_free(gemp_nested_search *n, gemp_device *device)
{
	if (!n)
		return;
	gemp_induced_rows_free(n->induced, device);
	gemp_buffers_free(device, &n->lists, &n->marks, &n->parts, &n->control);
	gemp_free(n);
}

void gemp_nested_restart(gemp_nested_search *nested, const gemp_search *search)
{
	if (search->balancer)
		nested->next = nested->end = 0;
	else
		gemp_nested_feed(nested, nested->columns_here);
}

/* Local. Launches the kernel for the tasks from `next` on. */
static gemp_code enqueue(gemp_search *search)
{
	gemp_nested_search *n = search->nested;
	gemp_device *device = search->context->device;
	gemp_argument a[2 * GEMP_MAX_VIEWS + 16];
	static const uint32_t zeros[GEMP_NESTED_WORDS];
	size_t count = 0;
	gemp_nested_params params = { .first = n->next,
		                          .tasks = n->end - n->next,
		                          .column = (uint32_t)n->columns_here.first,
		                          .width = (uint32_t)n->columns_here.count,
		                          .columns = n->columns,
		                          .chunk = n->chunk,
		                          .entries = n->entries,
		                          .vertices = search->vertices,
		                          .limit = n->limit,
		                          .words = n->words,
		                          .room = n->list_capacity,
		                          .queue = n->queue,
		                          .budget = ROWS_A_LAUNCH };
	GEMP_TRY(gemp_buffer_write(device, &n->control, 0, sizeof zeros, zeros));
	a[count++] = GEMP_ARG(&params);
	for (size_t v = 0; v < n->plan->view_count; v++) {
		bool trimmed = v >= search->plan->view_count;
		a[count++] = trimmed ? GEMP_ARG(&n->induced->row_offsets[v].mem) : GEMP_ARG(&search->row_offsets[v].mem);
		a[count++] = trimmed ? GEMP_ARG(&n->induced->column_indices[v].mem) : GEMP_ARG(&search->column_indices[v].mem);
	}
	if (search->plan->keys)
		a[count++] = GEMP_ARG(&search->key_rank.mem);
	a[count++] = GEMP_ARG(&search->pivot_bits.mem);
	a[count++] = GEMP_ARG(&search->candidates.mem);
	a[count++] = GEMP_ARG(&search->candidate_words);
	if (n->shape.list_count)
		a[count++] = GEMP_ARG(&n->lists.mem);
	if (n->shape.leaf == GEMP_LEAF_MARKED && !n->options.shared)
		a[count++] = GEMP_ARG(&n->marks.mem);
	a[count++] = GEMP_ARG(&n->parts.mem);
	a[count++] = GEMP_ARG(&n->control.mem);
	GEMP_TRY(gemp_launch_with(device, search->kernel, n->workers * (size_t)n->options.lanes, n->group, a, count));
	return GEMP_CL(clFlush(device->queue));
}

/* Reads the control words, zeroes the places of the queue at which workers have waited, and advances `next` by the
 * number of taken tasks. */
static gemp_code finish_launch(gemp_search *search)
{
	gemp_nested_search *n = search->nested;
	gemp_device *device = search->context->device;
	gemp_search_statistics *s = &search->statistics;
	uint32_t control[GEMP_NESTED_WORDS], left = n->end - n->next;
	double seconds;
	GEMP_TRY(gemp_buffer_read(device, &n->control, 0, sizeof control, control));
	GEMP_TRY(gemp_launch_seconds(device, &seconds));
	search->context->timers.seconds[GEMP_PHASE_KERNEL] += seconds;
	s->kernel_seconds += seconds;
	const size_t waited = gemp_min(control[GEMP_NESTED_WAITING], n->queue);
	if (waited)
		GEMP_TRY(gemp_buffer_zero(device, &n->parts, 0, waited * sizeof(gemp_nested_part)));
	if (control[GEMP_NESTED_OVERFLOW])
		return gemp_fail(GEMP_EDATA, "more than 2^64 - 1 matches");
	uint32_t taken = (uint32_t)gemp_min(control[GEMP_NESTED_NEXT], left);
	n->next += taken;
	n->donated += control[GEMP_NESTED_GIVEN];
	s->launches++;
	s->taken += taken;
	s->found_local += (uint64_t)control[GEMP_NESTED_FOUND] | (uint64_t)control[GEMP_NESTED_FOUND + 1] << 32;
	gemp_log_local(GEMP_DEBUG, "launch of loops: %u of %u tasks, %u parts given, %.6f s", taken, left,
	               control[GEMP_NESTED_GIVEN], seconds);
	return GEMP_OK;
}

/* Progress is reported in pivots. When no task is left, all pivots are done. */
gemp_code gemp_nested_begin(gemp_search *search, bool *ran)
{
	*ran = search->nested->next < search->nested->end;
	if (!*ran)
		search->work[0].next = search->range.count;
	return *ran ? enqueue(search) : GEMP_OK;
}

/* Tasks are ranges of entries and not pivots, so the number of finished pivots is estimated from the fraction of
 * tasks. */
gemp_code gemp_nested_end(gemp_search *search)
{
	gemp_nested_search *n = search->nested;
	gemp_code code = finish_launch(search);
	search->work[0].next = n->next < n->end ? (size_t)((double)search->range.count * n->next / n->end)
	                                        : search->range.count;
	return code;
}
