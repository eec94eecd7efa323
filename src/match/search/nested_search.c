#include "match/search/nested_search.h"

#include "core/limits.h"
#include "core/log.h"
#include "core/memory.h"
#include "device/launch.h"
#include "device/tuning.h"
#include "kernels/match/nested_abi.h"
#include "match/codegen/nested_kernel.h"

#include <stdlib.h>
#include <string.h>

enum {
	ROW_LANES = 8,         /* unless tuned: "nested.lanes" */
	GROUP = 128,           /* work-items; "nested.group" */
	SPARSE = 16,           /* least bits of a folded bitmap for each entry of a row that an entry lies in on average */
	ROOMY = 32,            /* as many are enough, since more would take the place of other groups */
	LEAST_FOLDED = 128,    /* words */
	MOST_ZEROED = 1 << 30, /* bytes at a time: drivers do not survive some GiB */
	TASKS_A_WORKER = 4,
	ROWS_A_LAUNCH = 1 << 22, /* of a worker */
};

/* Nested loops pay on GPUs; all devices of a rank run the same kind of kernel, since they share pieces. */
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

/* Collective. Rows that come in rounds are trimmed by the host already. */
static gemp_code make_induced_rows(gemp_nested_search *n, const gemp_search *search, const gemp_view *views,
                                   const gemp_candidates *candidates)
{
	const char *shape = getenv("GEMP_SHAPE");
	const gemp_search *like = search->options.leader; /* whose tasks are the same */
	bool rounds = search->options.round_entries;      /* whose rows are without what nobody reads */
	if (!rounds && (!shape || strcmp(shape, "untrimmed") != 0) && (!like || like->nested->induced))
		GEMP_TRY(gemp_induced_rows_new(&n->induced, search, views, candidates));
	n->plan = n->induced ? &n->induced->plan : search->plan;
	return GEMP_OK;
}

/* Must the images of u and v differ? */
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

/* How many neighbours the last vertex has at least in a view: one for each source whose image must differ from the
 * others'. */
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

/* The slot of a row of this rank: replicas come first, then own rows. */
static gemp_vertex slot_of_row(const gemp_residency *residency, size_t row)
{
	return row < residency->hot ? (gemp_vertex)row
	                            : residency->own_slots[residency->own_count - residency->own + row - residency->hot];
}

/* Collective. Slots descend by degree: returns the first slot from which on all vertices have too few neighbours to be
 * the last vertex. */
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
		end = rows ? slot_of_row(residency, rows - 1) + UINT64_C(1) : 0;
		gemp_comm_max(search->context->comm, &end, 1);
		limit = end < limit ? end : limit;
	}
	return (uint32_t)limit;
}

/* Collective. Returns the length of the longest row; *mean becomes the mean length of the rows that entries lie in. */
static uint32_t longest_row(const gemp_search *search, const gemp_view *views, double *mean)
{
	uint64_t most[2] = { 0 }; /* of the longest row; of the mean */
	for (size_t v = 0; v < search->plan->view_count; v++) {
		double squares = 0, entries = (double)views[v].begin[views[v].rows];
		for (size_t r = 0; r < views[v].rows; r++) {
			uint64_t length = views[v].begin[r + 1] - views[v].begin[r];
			squares += (double)length * (double)length;
			if (length > most[0])
				most[0] = length;
		}
		if (squares > (double)most[1] * entries)
			most[1] = (uint64_t)(squares / entries) + 1;
	}
	gemp_comm_max(search->context->comm, most, 2);
	*mean = (double)most[1];
	uint64_t longest = most[0];
	return (uint32_t)longest;
}

/* Rounds up to a power of two or three quarters of one: each size is another kernel to compile. */
static size_t shared_words(size_t words)
{
	size_t size = 64;
	while (size < words)
		size *= 2;
	return words <= size / 4 * 3 ? size / 4 * 3 : size;
}

/* The bitmap of the last level is in local memory: a bit a slot where that fits, else a folded bitmap, if it stays
 * sparse enough for few false hits. */
static void choose_bitmap(gemp_nested_search *n, const gemp_device *device, double mean_row)
{
	size_t most = gemp_tuning(device, "nested.local", gemp_limits_now()->nested_local);
	size_t whole = shared_words(n->words), folded = 1, words = most / n->options.in_group / sizeof(uint32_t);
	n->options.shared = 0;
	if (n->shape.leaf != GEMP_LEAF_MARKED || most >= device->local_memory)
		return;
	while (2 * folded <= words && (folded < LEAST_FOLDED || mean_row * ROOMY > (double)(folded * 32)))
		folded *= 2;
	if (whole <= words) {
		n->options.shared = whole;
	} else if (mean_row * SPARSE <= (double)(folded * 32)) {
		n->options.shared = folded;
		n->options.folded = true;
		n->words = (uint32_t)folded;
	}
}

/* Workers are fewer where their lists and bitmaps would not fit into a quarter of the free memory. */
static void choose_workers(gemp_nested_search *n, const gemp_search *search)
{
	const gemp_device *device = search->context->device;
	bool marked = n->shape.leaf == GEMP_LEAF_MARKED;
	size_t in_group = n->options.in_group;
	size_t bytes = n->shape.list_count * n->list_capacity * sizeof(uint32_t);
	if (marked && !n->options.shared)
		bytes += n->words * sizeof(uint32_t);
	uint64_t room = (device->memory - device->buffer_bytes) / 4;
	n->workers = search->workers;
	if (room > device->max_buffer)
		room = device->max_buffer;
	if (bytes && n->workers > room / bytes)
		n->workers = room / bytes;
	n->workers = n->workers / in_group * in_group;
}

/* Tasks are as long as lets each worker have some of them. */
void gemp_nested_rows(gemp_nested_search *n, const gemp_search *search, const gemp_view *views)
{
	size_t first = (size_t)n->plan->steps[1].checks[0].view;
	n->entries = first < search->plan->view_count ? (uint32_t)views[first].begin[views[first].rows]
	                                              : n->induced->entries[first];
	uint64_t chunk = n->workers ? n->entries / (n->workers * TASKS_A_WORKER) : 1, most = (uint64_t)n->options.lanes;
	uint64_t least = n->shape.levels == 3 ? most / (uint64_t)n->options.row_lanes : 1; /* one for each row in hand */
	n->chunk = (uint32_t)(chunk < least ? least : chunk > most ? most : chunk);
	n->tasks = (uint32_t)(((uint64_t)n->entries + n->chunk - 1) / n->chunk);
	n->columns = 1;
	gemp_nested_feed(n, (gemp_task_range){ 0, 1 });
}

/* The last row of the table of tasks may be shorter. */
void gemp_nested_feed(gemp_nested_search *n, gemp_task_range piece)
{
	size_t rest = n->tasks % n->columns; /* tasks in the last row */
	size_t last = rest <= piece.first ? 0 : rest - piece.first < piece.count ? rest - piece.first : piece.count;
	n->columns_here = piece;
	n->next = 0;
	n->end = (uint32_t)(n->tasks / n->columns * piece.count + last);
}

/* Collective. Tasks that may go to any rank must be the same on all. */
static void agree_on_tasks(gemp_nested_search *n, const gemp_search *search)
{
	uint64_t chunk = n->chunk;
	if (!gemp_search_balances(search))
		return;
	gemp_comm_max(search->context->comm, &chunk, 1);
	n->chunk = (uint32_t)chunk;
	n->tasks = (uint32_t)(((uint64_t)n->entries + n->chunk - 1) / n->chunk);
}

/* Collective. Chooses in this order, as each choice needs those before: the shape, the lanes, the length of bitmaps
 * and lists, the workers, and the tasks. */
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

/* Bitmaps are clean before every launch and after it; they are zeroed once. */
static gemp_code make_marks(gemp_nested_search *n, gemp_device *device, size_t bytes)
{
	gemp_code code = gemp_buffer_new(&n->marks, device, bytes, NULL);
	for (size_t at = 0; at < bytes && code == GEMP_OK; at += MOST_ZEROED)
		code = gemp_buffer_zero(device, &n->marks, at, bytes - at < MOST_ZEROED ? bytes - at : MOST_ZEROED);
	return code;
}

/* The queue of waiting workers is a ring, all zero between launches. */
static gemp_code make_buffers(gemp_nested_search *n, gemp_device *device)
{
	size_t lists = n->workers * n->shape.list_count * n->list_capacity, marks = n->workers * n->words;
	size_t parts = (n->queue + 1) * sizeof(gemp_nested_part);
	if (n->shape.list_count)
		GEMP_TRY(gemp_buffer_new(&n->lists, device, (lists + 1) * sizeof(uint32_t), NULL));
	if (n->shape.leaf == GEMP_LEAF_MARKED && !n->options.shared)
		GEMP_TRY(make_marks(n, device, (marks + 1) * sizeof(uint32_t)));
	GEMP_TRY(gemp_buffer_new(&n->parts, device, parts, NULL));
	GEMP_TRY(gemp_buffer_zero(device, &n->parts, 0, parts));
	return gemp_buffer_new(&n->control, device, GEMP_NESTED_WORDS * sizeof(uint32_t), NULL);
}

/* Collective. All ranks take nested loops, or none does, since chunks of tasks mean the same everywhere. */
gemp_code gemp_nested_new(gemp_nested_search **out, const gemp_search *search, const gemp_residency *residency,
                          const gemp_view *views, const gemp_candidates *candidates)
{
	gemp_code code = GEMP_OK;
	gemp_nested_search *n = NULL;
	gemp_comm *comm = search->context->comm;
	*out = NULL;
	bool takes = use_nested(search) && gemp_nested_supports(search->plan, &search->emit);
	if (gemp_comm_sum1(comm, !takes))
		return GEMP_OK;
	GEMP_TRY_DONE(gemp_comm_agree(comm, GEMP_NEW(n, 1)));
	GEMP_TRY_DONE(make_induced_rows(n, search, views, candidates));
	choose_sizes(n, search, residency, views);
	if (gemp_comm_sum1(comm, n->workers * (size_t)n->options.lanes < n->group)) /* no room for a single group */
		goto done;
	GEMP_TRY_DONE(gemp_comm_agree(comm, make_buffers(n, search->context->device)));
	*out = n;
	n = NULL;
done:
	gemp_nested_free(n, search->context->device);
	return code;
}

/* The program and the kernel belong to the search. */
void gemp_nested_free(gemp_nested_search *n, gemp_device *device)
{
	if (!n)
		return;
	gemp_induced_rows_free(n->induced, device);
	gemp_buffers_free(device, &n->lists, &n->marks, &n->parts, &n->control);
	gemp_free(n);
}

/* Limits registers so that 1,536 work-items fit on a compute unit; what spills belongs to outer loops. */
const char *gemp_nested_build_options(const gemp_search *search)
{
	return search->context->device->nvidia ? "-cl-nv-maxrregcount=40" : "";
}

/* The plan is the one that reads induced rows, if there are any. */
gemp_code gemp_nested_text(const gemp_search *search, gemp_text *text)
{
	char *fixed = NULL;
	gemp_code code = gemp_kernel_source(&fixed, "nested.clh");
	if (code == GEMP_OK)
		gemp_nested_emit(text, fixed, search->nested->plan, &search->nested->shape, &search->nested->options);
	gemp_free(fixed);
	return code == GEMP_OK ? gemp_text_status(text) : code;
}

/* A balancer hands its first chunk out at the next launch. */
void gemp_nested_restart(gemp_nested_search *nested, const gemp_search *search)
{
	if (search->balancer)
		nested->next = nested->end = 0;
	else
		gemp_nested_feed(nested, nested->columns_here);
}

/* LAUNCHING. */
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

/* Zeroes the places of the queue at which workers have waited. */
static gemp_code empty_queue(gemp_nested_search *n, gemp_device *device, const uint32_t *control)
{
	uint32_t places = control[GEMP_NESTED_WAITING] < n->queue ? control[GEMP_NESTED_WAITING] : n->queue;
	return places ? gemp_buffer_zero(device, &n->parts, 0, places * sizeof(gemp_nested_part)) : GEMP_OK;
}

/* Reads the control words and moves on behind the tasks that were taken. */
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
	GEMP_TRY(empty_queue(n, device, control));
	if (control[GEMP_NESTED_OVERFLOW])
		return gemp_fail(GEMP_EDATA, "more than 2^64 - 1 matches");
	uint32_t taken = control[GEMP_NESTED_NEXT] < left ? control[GEMP_NESTED_NEXT] : left;
	n->next += taken;
	n->donated += control[GEMP_NESTED_GIVEN];
	s->launches++;
	s->taken += taken;
	s->found_local += (uint64_t)control[GEMP_NESTED_FOUND] | (uint64_t)control[GEMP_NESTED_FOUND + 1] << 32;
	gemp_log_local(GEMP_DEBUG, "launch of loops: %u of %u tasks, %u parts given, %.6f s", taken, left,
	               control[GEMP_NESTED_GIVEN], seconds);
	return GEMP_OK;
}

/* Progress is reported in pivots, all of which are done when no task is left. */
gemp_code gemp_nested_begin(gemp_search *search, bool *ran)
{
	*ran = search->nested->next < search->nested->end;
	if (!*ran)
		search->work[0].next = search->range.count;
	return *ran ? enqueue(search) : GEMP_OK;
}

/* Tasks are entries and not pivots, so that progress is a share of the pivots. */
gemp_code gemp_nested_end(gemp_search *search)
{
	gemp_nested_search *n = search->nested;
	gemp_code code = finish_launch(search);
	search->work[0].next = n->next < n->end ? (size_t)((double)search->range.count * n->next / n->end)
	                                        : search->range.count;
	return code;
}
