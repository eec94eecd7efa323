#include "match/search/search_launch.h"

#include "core/log.h"
#include "device/launch.h"
#include "device/tuning.h"
#include "kernels/match/match_abi.h"
#include "match/search/launch_size.h"
#include "match/search/load_balancer.h"
#include "match/search/nested_search.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* If a sink has ended the search early, items, parked workers and used credits are left over. All of them are reset. */
gemp_code gemp_search_restart(gemp_search *search, bool anew)
{
	gemp_device *device = search->context->device;
	const bool parked = search->work[0].parked;
	for (size_t k = 0; k < search->layout.stage_count; k++) {
		search->work[k].next = search->work[k].count = 0;
		search->work[k].parked = search->work[k].blocked = false;
		for (uint32_t d = 0; d <= search->ranks; d++)
			search->capacity[k * (search->ranks + 1) + d] = gemp_search_credits(search, k, d);
	}
	memset(search->control_words, 0, (GEMP_CONTROL_WORDS + search->areas) * sizeof *search->control_words);
	GEMP_TRY(gemp_buffer_write(device, &search->out_capacity, 0, search->areas * 4, search->capacity));
	GEMP_TRY(gemp_buffer_write(device, &search->control, 0, (GEMP_CONTROL_WORDS + search->areas) * 4,
	                           search->control_words));
	search->pending.buffer = -1;
	for (int b = 0; b < 2; b++) {
		GEMP_TRY(gemp_readback_wait(&search->result[b]));
		GEMP_TRY(gemp_readback_end(&search->result[b], device));
	}
	if (search->emit.lists && parked)
		GEMP_TRY(gemp_buffer_zero(device, &search->lists, 0, search->lists.size));
	if (search->device_set && anew)
		GEMP_TRY(gemp_device_set_clear(search->device_set));
	if (search->emit.per && anew)
		GEMP_TRY(gemp_buffer_zero(device, &search->vertex_counts, 0, search->vertex_counts.size));
	search->seeds.next = search->range.first;
	if (search->nested)
		gemp_nested_restart(search->nested, search);
	if (!search->balancer)
		search->chunk = (gemp_pivot_chunk){ .slices = gemp_search_slices(search) };
	if (!search->plan->arguments && !search->balancer)
		search->work[0].count = search->range.count * search->chunk.slices;
	else if (!search->plan->arguments && search->nested)
		search->work[0].count = search->range.count;
	return GEMP_OK;
}

gemp_code gemp_search_rows(gemp_search *search, gemp_view *views, gemp_task_range part)
{
	size_t bytes;
	search->range = part;
	GEMP_TRY(gemp_search_views(search, views, &bytes));
	if (search->round_bytes < bytes) {
		search->graph_bytes += bytes - search->round_bytes;
		search->round_bytes = bytes;
	}
	if (search->nested)
		gemp_nested_rows(search->nested, search, views);
	if (!search->plan->arguments)
		return gemp_search_tasks(search);
	return GEMP_OK;
}

/* The work is removed before it runs, so it runs only once even if it fails. */
gemp_code gemp_search_overlap(gemp_search *search)
{
	gemp_overlap_work *beside = &search->overlap;
	gemp_code (*work)(void *) = beside->work;
	double began = gemp_now();
	beside->work = NULL;
	gemp_code code = work ? work(beside->self) : GEMP_OK;
	beside->seconds = work ? gemp_now() - began : 0;
	return code;
}

/* A launch should last about this long. The time is short enough for rounds and progress, and long enough for the
 * overhead of a launch to be small. */
static const double launch_seconds = 0.2;

enum { MAX_NOTED = 1000 }; /* maximum number of launches whose sizes a report has */
enum { GROUP = 128 };      /* work-items of a work-group; default of the tuning key match.group */

static size_t area_of(const gemp_search *search, size_t stage, uint32_t destination)
{
	return stage * (search->ranks + 1) + destination;
}

/* The counter of an area also counts the workers that found the area full, so it can exceed the capacity. */
uint32_t gemp_search_items(const gemp_search *search, size_t stage, int destination)
{
	size_t area = area_of(search, stage, (uint32_t)destination);
	uint32_t asked = search->control_words[GEMP_CONTROL_WORDS + area];
	return asked < search->capacity[area] ? asked : search->capacity[area];
}

/* The number of seeds that are not on the device yet. */
static size_t seeds_left(const gemp_search *search)
{
	return search->plan->arguments ? search->range.first + search->range.count - search->seeds.next : 0;
}

/* Split-off tasks in this rank's own area of the outbox count as work, too. */
bool gemp_search_idle(const gemp_search *search)
{
	if (search->launch.under_way)
		return false;
	for (size_t k = 0; k < search->layout.stage_count; k++) {
		const gemp_work *work = &search->work[k];
		if (work->parked || work->next < work->count || seeds_left(search))
			return false;
		if (k > 0 && gemp_search_items(search, k, (int)search->ranks))
			return false;
	}
	return !search->balancer || !gemp_balancer_has_chunks(search->balancer);
}

/* The number of edges of a row that the sink gets. A sink that groups rows reads no edge. */
static size_t live_edges(const gemp_search *search)
{
	return search->groups ? 0 : (size_t)__builtin_popcountll(search->plan->live_edges);
}

/* Groups matches on the device, or leaves out those of known classes and starts to copy the others to the host.
 * gemp_search_deliver waits for the end of the copy during the next launch. */
static gemp_code fetch_results(gemp_search *search, int buffer, size_t rows)
{
	gemp_device *device = search->context->device;
	gemp_readback *result = &search->result[buffer];
	const size_t found = rows;
	size_t added;
	const double began = gemp_now();
	if (search->groups && !search->groups->filters) {
		GEMP_TRY(gemp_device_groups_add(search->groups, &result->buffer, rows));
		gemp_timers_add(&search->context->timers, GEMP_PHASE_DISTINCT, began);
		return GEMP_OK;
	}
	if (search->groups)
		GEMP_TRY(gemp_device_groups_filter(search->groups, &result->buffer, &rows));
	if (search->device_set) {
		GEMP_TRY(gemp_device_set_filter(search->device_set, &result->buffer, &rows, &added));
		search->statistics.left_out += found - rows - added;
	}
	gemp_timers_add(&search->context->timers, GEMP_PHASE_DISTINCT, began);
	search->pending = (gemp_pending){ buffer, rows, found - rows };
	const gemp_readback_range ranges[] = {
		{ 0, rows * (size_t)search->plan->vertex_count * sizeof(gemp_vertex) },
		{ search->result_edges, rows * live_edges(search) * sizeof(gemp_edge) },
	};
	return gemp_readback_begin(result, device, ranges, live_edges(search) ? 2 : 1);
}

/* The sink reads the host's copy in place. The buffer is free again when the sink returns. The sinks count their times
 * to the runtime of the rank's first device. */
gemp_code gemp_search_deliver(gemp_search *search)
{
	gemp_pending pending = search->pending;
	search->pending.buffer = -1;
	if (pending.buffer < 0 || !(pending.count + pending.left_out))
		return GEMP_OK;
	gemp_readback *result = &search->result[pending.buffer];
	const gemp_search *leader = search->options.leader ? search->options.leader : search;
	double began = gemp_now();
	GEMP_TRY(gemp_readback_wait(result));
	gemp_timers_add(&search->context->timers, GEMP_PHASE_DOWNLOAD, began);
	size_t edges = live_edges(search);
	gemp_batch batch = { .rows = pending.count,
		                 .left_out = pending.left_out,
		                 .vertex_count = search->plan->vertex_count,
		                 .edge_count = (int)edges,
		                 .vertices = (const void *)result->host[0],
		                 .edges = edges ? (const void *)result->host[1] : NULL };
	GEMP_TRY(gemp_sink_deliver(search->sink, &batch, &leader->context->timers));
	return gemp_readback_end(result, search->context->device);
}

/* When workers have taken all tasks of a stage, copies the split-off tasks from the outbox to the tasks of the stage.
 * The copy stays on the device. */
static gemp_code refill_tasks(gemp_search *search, size_t stage)
{
	gemp_work *work = &search->work[stage];
	gemp_device *device = search->context->device;
	size_t area = area_of(search, stage, search->ranks), item = search->layout.item_words[stage] * sizeof(uint32_t);
	uint32_t items = stage ? gemp_search_items(search, stage, (int)search->ranks) : 0, none = 0;
	if (work->next < work->count || !items)
		return GEMP_OK;
	if (work->tasks.size < items * item) {
		gemp_buffer_free(&work->tasks, device);
		GEMP_TRY(gemp_buffer_new(&work->tasks, device, search->capacity[area] * item, NULL));
	}
	GEMP_TRY(GEMP_CL(clEnqueueCopyBuffer(device->queue, search->out.mem, work->tasks.mem, search->base[area] * 4, 0,
	                                     items * item, 0, NULL, NULL)));
	GEMP_TRY(gemp_buffer_write(device, &search->control, (GEMP_CONTROL_WORDS + area) * 4, sizeof none, &none));
	search->control_words[GEMP_CONTROL_WORDS + area] = 0;
	work->next = 0;
	work->count = items;
	return GEMP_OK;
}

/* When workers have taken all seeds on the device, uploads the next seeds. */
static gemp_code feed_seeds(gemp_search *search)
{
	gemp_work *work = &search->work[0];
	gemp_seeds *seeds = &search->seeds;
	size_t left = seeds_left(search), given = (size_t)search->plan->arguments;
	if (!left || work->next < work->count)
		return GEMP_OK;
	size_t count = gemp_min(left, search->seed_capacity);
	const gemp_vertex *ids = seeds->ids + seeds->next * given;
	for (size_t i = 0; i < count * given; i++)
		search->seed_slots[i] = search->order->slot_of[ids[i]];
	GEMP_TRY(gemp_buffer_write(search->context->device, &work->tasks, 0, count * given * sizeof *search->seed_slots,
	                           search->seed_slots));
	seeds->next += count;
	work->next = 0;
	work->count = count;
	return GEMP_OK;
}

/* True if the stage has work and does not wait for space in the outbox. Only an exchange makes such space. */
static bool runnable(const gemp_search *search, size_t stage)
{
	const gemp_work *work = &search->work[stage];
	if (work->blocked)
		return false;
	return work->parked || work->next < work->count || (stage && gemp_search_items(search, stage, (int)search->ranks));
}

/* Lists the arguments in the order in which emit.c declares them, and returns their number. */
static size_t list_arguments(const gemp_search *search, const gemp_launching *launch, const gemp_match_params *params,
                             gemp_argument *a)
{
	const gemp_work *work = &search->work[launch->stage];
	size_t n = 0;
	a[n++] = GEMP_ARG(params);
	for (size_t v = 0; v < search->plan->view_count; v++) {
		a[n++] = GEMP_ARG(&search->row_offsets[v].mem);
		a[n++] = GEMP_ARG(&search->column_indices[v].mem);
		if (search->plan->live_edges)
			a[n++] = GEMP_ARG(&search->edge[v].mem);
	}
	if (!search->emit.all_resident) {
		a[n++] = GEMP_ARG(&search->own.mem);
		a[n++] = GEMP_ARG(&search->bounds.mem);
	}
	if (!search->emit.all_resident || search->emit.listed)
		a[n++] = GEMP_ARG(&search->id_of.mem);
	if (search->plan->keys)
		a[n++] = GEMP_ARG(&search->key_rank.mem);
	a[n++] = GEMP_ARG(&search->candidates.mem);
	a[n++] = GEMP_ARG(&search->candidate_words);
	a[n++] = GEMP_ARG(&work->tasks.mem);
	a[n++] = GEMP_ARG(&search->out.mem);
	a[n++] = GEMP_ARG(&search->out_capacity.mem);
	a[n++] = GEMP_ARG(&search->out_base.mem);
	a[n++] = GEMP_ARG(&work->state.mem);
	if (search->emit.listed)
		a[n++] = GEMP_ARG(&search->result[launch->buffer].buffer.mem);
	if (search->plan->two_paths)
		a[n++] = GEMP_ARG(&search->tables.mem);
	if (search->emit.lists)
		a[n++] = GEMP_ARG(&search->lists.mem);
	if (search->emit.marks)
		a[n++] = GEMP_ARG(&search->marks.mem);
	if (search->emit.profile)
		a[n++] = GEMP_ARG(&search->passed.mem);
	if (search->emit.per)
		a[n++] = GEMP_ARG(&search->vertex_counts.mem);
	a[n++] = GEMP_ARG(&search->control.mem);
	return n;
}

/* Launches the kernel. Parked workers resume, and all other workers take tasks from `next` on. */
static gemp_code enqueue(gemp_search *search, const gemp_launching *launch)
{
	gemp_work *work = &search->work[launch->stage];
	gemp_device *device = search->context->device;
	gemp_argument a[4 * GEMP_MAX_VIEWS];
	static const uint32_t zeros[GEMP_CONTROL_WORDS];
	gemp_match_params params = { .stage = (uint32_t)launch->stage,
		                         .first = (uint32_t)work->next,
		                         .tasks = (uint32_t)launch->tasks,
		                         .resume = work->parked,
		                         .vertices = search->vertices,
		                         .hot = search->hot,
		                         .ranks = search->ranks,
		                         .result_capacity = (uint32_t)search->result_capacity,
		                         .list_capacity = search->list_capacity,
		                         .split = search->split,
		                         .slices = 1 };
	if (launch->stage == 0 && search->chunk.slices > 1) {
		params.slices = (uint32_t)search->chunk.slices;
		params.pivot = (uint32_t)search->chunk.pivot;
		params.split &= ~(UINT32_C(1) << (search->plan->root + 1)); /* a split-off task would not know its slice */
	}
	if (!work->state.mem)
		GEMP_TRY(gemp_buffer_new(&work->state, device, search->workers * search->layout.state_words * 4, NULL));
	if (!work->tasks.mem)
		GEMP_TRY(gemp_buffer_new(&work->tasks, device, 4, NULL));
	GEMP_TRY(gemp_buffer_write(device, &search->control, 0, sizeof zeros, zeros));
	size_t n = list_arguments(search, launch, &params, a);
	size_t lanes = (size_t)search->emit.lanes;
	unsigned group = gemp_tuning(device, "match.group", GROUP);
	GEMP_TRY(gemp_launch_with(device, search->kernel, search->workers * lanes,
	                          gemp_worker_group_size(device, (unsigned)lanes, group), a, n));
	return GEMP_CL(clFlush(device->queue));
}

/* Turns the error that a kernel has reported in the control words into a code and a message with step and slot. */
static gemp_code kernel_error(const uint32_t *control)
{
	switch (control[GEMP_CONTROL_ERROR]) {
	case GEMP_MATCH_BAD_SLOT:
		return gemp_fail(
			GEMP_EINTERNAL,
			"match kernel, step %u: slot %u is not a vertex: the graph on the device is damaged; check the file with `gemp-mpi verify`",
			control[GEMP_CONTROL_PLACE], control[GEMP_CONTROL_VALUE]);
	case GEMP_MATCH_BAD_ROW:
		return gemp_fail(GEMP_EINTERNAL, "match kernel, step %u: the row of slot %u is not on this device",
		                 control[GEMP_CONTROL_PLACE], control[GEMP_CONTROL_VALUE]);
	default: return GEMP_OK;
	}
}

/* Sets the number of tasks of the next launch of stage 0: four times the last number. If matches are listed and
 * stopping workers is expensive, the formulas of GEMP hold instead (docs/launch-sizes.md). The launch should last at
 * most about launch_seconds, but every worker gets a task. `requested` is the number of rows of the result buffer that
 * the workers wanted. */
static void update_batch(gemp_search *search, size_t tasks, uint64_t requested, double seconds)
{
	double factor = search->options.launch_factor > 0 ? search->options.launch_factor : 0.8;
	double wave = (double)search->workers, next = search->batch * 4;
	/* parking a worker costs nearly nothing */
	bool inexpensive = search->emit.loops && search->options.launch_factor <= 0;
	if (search->emit.listed && !inexpensive)
		next = gemp_launch_size_next(search->batch, search->result_capacity, requested, factor);
	double limit = seconds > 0 ? (double)tasks * launch_seconds / seconds : next;
	search->batch = fmax(fmin(next, limit), wave);
}

/* Notes the sizes of a launch of the rank's first device for the report of a profile. */
static gemp_code note_size(gemp_search *search, uint64_t tasks, uint32_t taken, uint64_t requested, double seconds)
{
	gemp_launch_sizes *sizes = &search->context->launch_sizes;
	if (!search->options.profile || search->options.leader || sizes->count == MAX_NOTED)
		return GEMP_OK;
	GEMP_TRY(GEMP_RESERVE(sizes->launches, sizes->capacity, sizes->count + 1));
	sizes->launches[sizes->count++] = (gemp_launch_size){ .batch = search->batch,
		                                                  .tasks = tasks,
		                                                  .taken = taken,
		                                                  .results = requested,
		                                                  .capacity = search->emit.listed ? search->result_capacity : 0,
		                                                  .seconds = seconds };
	return GEMP_OK;
}

/* Reads the control words and updates the work of the stage. A worker whose match did not fit into the result buffer is
 * parked and keeps the match. */
static gemp_code finish_launch(gemp_search *search, const gemp_launching *launch)
{
	size_t stage = launch->stage, tasks = launch->tasks;
	gemp_work *work = &search->work[stage];
	uint32_t *control = search->control_words;
	gemp_search_statistics *s = &search->statistics;
	GEMP_TRY(gemp_buffer_read(search->context->device, &search->control, 0, (GEMP_CONTROL_WORDS + search->areas) * 4,
	                          control));
	double seconds;
	GEMP_TRY(gemp_launch_seconds(search->context->device, &seconds));
	search->context->timers.seconds[GEMP_PHASE_KERNEL] += seconds;
	s->kernel_seconds += seconds;
	GEMP_TRY(kernel_error(control));
	uint32_t taken = (uint32_t)gemp_min(control[GEMP_CONTROL_NEXT], tasks);
	uint64_t requested = control[GEMP_CONTROL_RESULTS];
	bool full = search->emit.listed && requested > search->result_capacity;
	work->next += taken;
	work->parked = control[GEMP_CONTROL_PARKED] > 0;
	work->blocked = work->parked && !full;
	s->launches++;
	s->taken += taken;
	s->stage_launches += stage > 0;
	s->found_local += (uint64_t)control[GEMP_CONTROL_FOUND] | (uint64_t)control[GEMP_CONTROL_FOUND + 1] << 32;
	s->found_crossed += (uint64_t)control[GEMP_CONTROL_FOUND + 2] | (uint64_t)control[GEMP_CONTROL_FOUND + 3] << 32;
	if (search->emit.listed) {
		size_t rows = full ? search->result_capacity : requested;
		GEMP_TRY(fetch_results(search, launch->buffer, rows));
		s->fill += (double)rows / (double)search->result_capacity;
		s->listing_launches++;
	}
	if (stage == 0) {
		GEMP_TRY(note_size(search, tasks, taken, requested, seconds));
		update_batch(search, taken, requested, seconds);
	}
	gemp_log_local(GEMP_DEBUG, "launch of stage %zu: %u of %zu tasks, %u parked, %llu results, %.6f s", stage, taken,
	               tasks, control[GEMP_CONTROL_PARKED], (unsigned long long)requested, seconds);
	return GEMP_OK;
}

/* The deepest stage that can run comes first, so that the outbox is drained. */
static gemp_code begin_stage(gemp_search *search, bool *ran)
{
	size_t stage = search->layout.stage_count;
	*ran = false;
	GEMP_TRY(feed_seeds(search));
	while (stage > 0 && !runnable(search, stage - 1))
		stage--;
	if (stage-- == 0)
		return GEMP_OK;
	gemp_work *work = &search->work[stage];
	GEMP_TRY(refill_tasks(search, stage));
	size_t tasks = work->count - work->next;
	if (search->batch < 1)
		search->batch = (double)search->workers * 16;
	if (stage == 0 && (double)tasks > search->batch)
		tasks = (size_t)search->batch;
	search->launch.stage = stage;
	search->launch.tasks = tasks;
	search->launch.buffer = search->next_buffer;
	search->next_buffer = 1 - search->next_buffer;
	GEMP_TRY(enqueue(search, &search->launch));
	*ran = true;
	return GEMP_OK;
}

/* The time of the first launch, except kernel seconds, counts as building the program, since PoCL compiles then. */
gemp_code gemp_search_begin(gemp_search *search, bool *ran)
{
	double began = gemp_now();
	assert(gemp_search_is_valid(search));
	gemp_search_balance_feed(search);
	gemp_code code = search->nested ? gemp_nested_begin(search, ran) : begin_stage(search, ran);
	search->launch.under_way = code == GEMP_OK && *ran;
	search->launch.begun = gemp_now();
	search->launch.seconds = search->launch.begun - began;
	return code;
}

/* Adds the seconds that the host spent on a launch beside the kernel's: enqueuing, waking up, reading control words. Of
 * `kernel` seconds, those are not the host's that passed while it did other work. `ended` is the time at which the host
 * returned to the launch. The seconds since then that count as `distinct` are left out. */
static void add_overhead(gemp_search *search, double kernel, double ended, double distinct, gemp_phase phase)
{
	gemp_runtime *context = search->context;
	const double hidden = fmin(kernel, ended - search->launch.begun);
	const double overhead = search->launch.seconds + gemp_now() - ended - distinct - (kernel - hidden);
	if (!search->next && !search->options.leader) /* with several devices, the host also waits for the others */
		context->hidden_seconds += hidden;
	context->timers.seconds[phase] += fmax(overhead, 0);
}

/* The program's binary is stored after the first launch, since PoCL compiles the last part of a program during this
 * launch. */
gemp_code gemp_search_end(gemp_search *search)
{
	const double *distinct = &search->context->timers.seconds[GEMP_PHASE_DISTINCT];
	const double began = gemp_now(), busy = search->statistics.kernel_seconds, before = *distinct;
	search->launch.under_way = false;
	GEMP_TRY(search->nested ? gemp_nested_end(search) : finish_launch(search, &search->launch));
	add_overhead(search, search->statistics.kernel_seconds - busy, began, *distinct - before,
	             search->stored ? GEMP_PHASE_LAUNCH : GEMP_PHASE_BUILD);
	if (!search->stored) {
		search->stored = true;
		GEMP_TRY(gemp_program_store(search->context->device, &search->program));
	}
	return GEMP_OK;
}

/* While the device is busy, the host first does the overlap work and then delivers the results of the previous
 * launch. */
gemp_code gemp_search_launch(gemp_search *search, bool *ran)
{
	*ran = search->launch.under_way;
	if (!*ran)
		GEMP_TRY(gemp_search_begin(search, ran));
	if (!*ran)
		return GEMP_OK;
	GEMP_TRY(gemp_search_overlap(search));
	GEMP_TRY(gemp_search_deliver(search));
	return gemp_search_end(search);
}
