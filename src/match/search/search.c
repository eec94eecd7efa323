#include "match/search/search.h"

#include "core/limits.h"
#include "core/log.h"
#include "device/launch.h"
#include "device/tuning.h"
#include "match/codegen/emit.h"
#include "match/codegen/emit_loops.h"
#include "match/search/load_balancer.h"
#include "match/search/nested_search.h"
#include "match/search/search_launch.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { UNIT_ITEMS = 2048 }; /* work-items for each compute unit of a GPU; default of the tuning key match.unit_items */

/* The steps whose partial matches become tasks of their own, as bits. On a GPU these are the first two extensions, so
 * that several workers share the work of a hub. */
static uint32_t choose_split(const gemp_search *search)
{
	uint32_t split = 0;
	if (!search->context->device->gpu)
		return 0;
	size_t root = (size_t)search->plan->root;
	for (size_t s = root + 1; s <= root + 2 && s < 32; s++)
		if (search->plan->step_count > s + 1)
			split |= UINT32_C(1) << s;
	return split;
}

/* CPU devices have one lane, because PoCL handles barriers wrongly in a loop that work-groups leave at different
 * times. */
static gemp_code check_lanes(const gemp_runtime *context, int lanes)
{
	bool power = lanes >= 0 && lanes <= 32 && (lanes & (lanes - 1)) == 0;
	if (!power)
		return gemp_fail(GEMP_EUSAGE, "lanes %d: give 1, 2, 4, 8, 16 or 32", lanes);
	if (lanes > 1 && !context->device->gpu)
		return gemp_fail(GEMP_EUSAGE, "lanes %d: %s is a CPU device and works with 1 lane a row; leave lanes out",
		                 lanes, context->device->name);
	return GEMP_OK;
}

/* A GPU gets 2048 work-items for each compute unit. A CPU device gets one worker for each core. */
static void choose_shape(gemp_search *search)
{
	const gemp_device *device = search->context->device;
	if (!search->emit.lanes)
		search->emit.lanes = device->gpu ? 32 : 1;
	size_t items = device->gpu ? (size_t)device->units * gemp_tuning(device, "match.unit_items", UNIT_ITEMS)
	                           : device->units;
	search->workers = device->gpu ? items / (size_t)search->emit.lanes : items;
	search->split = choose_split(search);
	const char *form = getenv("GEMP_SHAPE"); /* for tests, as in nested_search.c */
	search->emit.loops = !device->gpu && !(form && !strcmp(form, "states")) && search->emit.lanes == 1 &&
	                     search->emit.all_resident && gemp_loops_possible(search->plan);
	search->emit.sliced = gemp_search_sliceable(search);
}

/* Collective. Sets the fields that depend only on the arguments, and the options of the kernel. All rows count as
 * resident if every rank has all rows, if there is one rank, or if rows come in rounds. Offsets are wide if a view has
 * about 2^32 entries or more on any rank. */
static void init_search(gemp_search *search, const gemp_shard *graph, const gemp_plan *plan,
                        const gemp_slot_order *order, const gemp_residency *residency, const gemp_view *views,
                        const gemp_search_options *options)
{
	search->graph = graph;
	search->plan = plan;
	search->order = order;
	search->options = *options;
	search->vertices = (uint32_t)graph->vertex_count;
	search->hot = residency->hot;
	search->ranks = (uint32_t)graph->ranks;
	search->pending.buffer = -1;
	search->emit = (gemp_emit_options){ .lanes = options->lanes,
		                                .listed = options->listed,
		                                .first_only = options->first_only,
		                                .profile = options->profile,
		                                .per = options->per,
		                                .by_formula = options->by_formula,
		                                .all_resident = residency->hot >= graph->vertex_count || graph->ranks == 1 ||
		                                                options->round_entries };
	uint64_t longest = options->round_entries;
	for (size_t v = 0; v < plan->view_count && !options->round_entries; v++)
		longest = gemp_max(longest, views[v].begin[views[v].rows]);
	gemp_comm_max(search->context->comm, &longest, 1);
	search->emit.wide = longest > UINT32_MAX - 64;
	search->emit.prefetched = longest >= gemp_limits_now()->prefetch_min;
	search->views = views;
}

/* The order of the calls matters: the shape determines the layout, the rows determine nested loops, the memory that
 * is left determines marks, and the balancer determines whether the kernel has code for slices. Building programs and
 * preparing the rows are not counted as upload. */
gemp_code gemp_search_new(gemp_search **out, gemp_runtime *context, const gemp_shard *graph, const gemp_plan *plan,
                          const gemp_slot_order *order, const gemp_residency *residency, gemp_view *views,
                          const gemp_candidates *candidates, const gemp_search_options *options)
{
	gemp_code code = GEMP_OK;
	GEMP_OWNED_BY(gemp_search_free_at) gemp_search *search = NULL;
	double *seconds = context->timers.seconds, others = seconds[GEMP_PHASE_BUILD] + seconds[GEMP_PHASE_PREPARE],
		   began = gemp_now();
	GEMP_TRY(gemp_comm_agree(context->comm, check_lanes(context, options->lanes)));
	code = GEMP_NEW(search, 1);
	if (search)
		search->context = context; /* gemp_search_free reads it, and runs even if only another rank lacks memory */
	GEMP_TRY(gemp_comm_agree(context->comm, code));
	init_search(search, graph, plan, order, residency, views, options);
	choose_shape(search);
	code = gemp_item_layout_new(&search->layout, plan, &search->emit);
	GEMP_THEN(GEMP_NEW(search->work, search->layout.stage_count));
	GEMP_THEN(gemp_search_upload(search, residency, views, candidates));
	GEMP_TRY(gemp_comm_agree(context->comm, code));
	GEMP_TRY(gemp_nested_new(&search->nested, search, residency, views, candidates));
	if (search->nested)
		search->split = 0;
	gemp_search_choose_marks(search);
	gemp_search_choose_lists(search);
	GEMP_TRY(gemp_comm_agree(context->comm, gemp_search_buffers_new(search)));
	gemp_timers_add_less(&context->timers, GEMP_PHASE_UPLOAD, began,
	                     seconds[GEMP_PHASE_BUILD] + seconds[GEMP_PHASE_PREPARE] - others);
	if (options->leader) {
		search->balancer = options->leader->balancer;
		search->emit.sliced = options->leader->emit.sliced;
	} else
		GEMP_TRY(gemp_search_balance_new(search));
	if (!search->balancer) {
		search->emit.sliced = gemp_search_slices(search) > 1;
		search->work[0].count = search->range.count;
	}
	*out = search;
	search = NULL;
	return GEMP_OK;
}

/* The buffers of rows belong to the views and stay. */
void gemp_search_free(gemp_search *search)
{
	if (!search)
		return;
	gemp_search_free(search->next);
	gemp_device *device = search->context->device;
	gemp_buffer *const rest[] = { &search->own,          &search->id_of,      &search->bounds,       &search->key_rank,
		                          &search->candidates,   &search->pivot_bits, &search->control,      &search->out,
		                          &search->out_capacity, &search->out_base,   &search->tables,       &search->lists,
		                          &search->marks,        &search->passed,     &search->vertex_counts };
	for (size_t i = 0; i < sizeof rest / sizeof *rest; i++)
		gemp_buffer_free(rest[i], device);
	for (int b = 0; b < 2; b++)
		gemp_readback_free(&search->result[b], device);
	for (size_t k = 0; search->work && k < search->layout.stage_count; k++)
		gemp_buffers_free(device, &search->work[k].state, &search->work[k].tasks);
	gemp_nested_free(search->nested, device);
	if (search->kernel)
		clReleaseKernel(search->kernel);
	gemp_compilation_abandon(search->compilation);
	gemp_program_free(&search->program);
	if (!search->options.leader)
		gemp_balancer_free(search->balancer);
	gemp_free_all(search->control_words, search->capacity, search->base, search->work, search->seed_slots,
	              search->pivot_slots, search->all_slots, search->source, search);
}

/* The device has three arrays of counters, each with one counter for each step. */
gemp_code gemp_search_profile(gemp_search *search, uint64_t *rows, uint64_t *entries, uint64_t *lookups)
{
	size_t steps = search->plan->step_count;
	uint64_t counters[GEMP_MAX_COUNTERS];
	GEMP_TRY(gemp_buffer_read(search->context->device, &search->passed, 0,
	                          gemp_profile_counters(search->plan) * sizeof *counters, counters));
	for (size_t s = 0; s < steps; s++) {
		rows[s] += counters[s];
		entries[s] += counters[steps + s];
		lookups[s] += counters[2 * steps + s];
	}
	return GEMP_OK;
}

/* A wait for busy devices sleeps 1 / POLLS of the time waited so far, within these bounds in nanoseconds. The end of a
 * short launch is therefore noticed soon, and a long launch costs few polls. */
enum { POLLS = 32, MIN_SLEEP = 10000, MAX_SLEEP = 1000000 };

/* The reason why only the first device works, or NULL if all devices work. */
static const char *single_device_reason(const gemp_search *first)
{
	if (first->plan->arguments)
		return "a search from given vertices uses one device";
	if (first->options.round_entries)
		return "rows come in rounds";
	return first->emit.all_resident ? NULL : "partial matches travel between ranks";
}

/* A chunk must stand for the same tasks on all devices of a rank, so the tasks of the first device are copied. */
static gemp_code align_tasks(gemp_search *search)
{
	const gemp_search *first = search->options.leader;
	gemp_nested_search *n = search->nested;
	if (!n && !first->nested)
		return GEMP_OK;
	if (!n || !first->nested || n->entries != first->nested->entries)
		return gemp_fail(GEMP_ENOMEM, "there is less room for copies of rows than on %s", first->context->device->name);
	n->chunk = first->nested->chunk;
	n->tasks = first->nested->tasks;
	n->columns = first->nested->columns;
	return GEMP_OK;
}

/* Collective. Appends a search on another device, over the same rows. */
static gemp_code make_next(gemp_search *last, gemp_runtime *context, gemp_resident *rows,
                           const gemp_candidates *candidates, const gemp_search_options *options)
{
	gemp_view *views;
	gemp_code code = gemp_resident_views(&views, rows, context->device);
	GEMP_THEN(gemp_search_new(&last->next, context, last->graph, last->plan, last->order, &rows->residency, views,
	                          candidates, options));
	GEMP_THEN(align_tasks(last->next));
	if (code == GEMP_OK)
		return code;
	return gemp_fail_in(code, "device %d (%s), which can be left out of devices: ", context->device->index,
	                    context->device->name);
}

/* The other devices take chunks from the first device's balancer. A chunk has the same tasks on every device of the
 * job. */
gemp_code gemp_multi_new(gemp_search *first, gemp_resident *rows, const gemp_candidates *candidates,
                         const gemp_search_options *options)
{
	gemp_code code = GEMP_OK;
	const gemp_runtime *context = first->context;
	gemp_search_options like = *options;
	gemp_search *last = first;
	const char *why = single_device_reason(first);
	if (context->devices == (size_t)context->comm->size)
		return GEMP_OK;
	if (why) {
		gemp_log(GEMP_VERBOSE, "only the first device of each rank works: %s", why);
		return GEMP_OK;
	}
	like.leader = first;
	for (size_t i = 0; i < context->other_count && code == GEMP_OK; i++) {
		code = make_next(last, context->others[i], rows, candidates, &like);
		last = last->next;
	}
	return gemp_comm_agree(context->comm, code);
}

gemp_code gemp_multi_restart(gemp_search *first, bool anew)
{
	for (gemp_search *s = first; s; s = s->next)
		GEMP_TRY(gemp_search_restart(s, anew));
	return GEMP_OK;
}

/* The chunks are cut for the first device's tasks. The tasks of the other devices are then aligned to these. */
static gemp_code use_pivots(gemp_search *first)
{
	for (gemp_search *s = first; s; s = s->next)
		if (!s->options.round_entries) /* with rounds, gemp_search_rows uploads the pivots of each round */
			GEMP_TRY(gemp_search_tasks(s));
	GEMP_TRY(gemp_search_balance_cut(first));
	for (gemp_search *s = first->next; s; s = s->next)
		GEMP_TRY(align_tasks(s));
	return GEMP_OK;
}

gemp_code gemp_multi_pivots(gemp_search *first, const gemp_vertex *slots, size_t count)
{
	for (gemp_search *s = first; s; s = s->next)
		gemp_search_pivots(s, slots, count);
	return use_pivots(first);
}

/* The former list is kept where it is, since it can have an element for each vertex. */
gemp_code gemp_multi_few_pivots(gemp_search *first, const gemp_vertex *slots, size_t count)
{
	for (gemp_search *s = first; s; s = s->next) {
		gemp_vertex *few = NULL;
		GEMP_TRY(GEMP_COPY(few, slots, count));
		if (s->all_slots) {
			gemp_free(s->pivot_slots);
		} else {
			s->all_slots = s->pivot_slots;
			s->all_pivots = s->pivots;
		}
		s->pivot_slots = few;
		s->pivots = count;
		s->range = (gemp_task_range){ 0, count };
	}
	return use_pivots(first);
}

gemp_code gemp_multi_all_pivots(gemp_search *first)
{
	if (!first->all_slots)
		return GEMP_OK;
	for (gemp_search *s = first; s; s = s->next) {
		if (!s->all_slots)
			continue;
		gemp_free(s->pivot_slots);
		s->pivot_slots = s->all_slots;
		s->pivots = s->all_pivots;
		s->range = (gemp_task_range){ 0, s->pivots };
		s->all_slots = NULL;
	}
	return use_pivots(first);
}

const gemp_vertex *gemp_multi_former_pivots(const gemp_search *first, size_t *count)
{
	*count = first->all_slots ? first->all_pivots : first->pivots;
	return first->all_slots ? first->all_slots : first->pivot_slots;
}

/* Statistics belong to one run. The counters of a profile, in contrast, are never cleared. */
void gemp_multi_start(gemp_search *first, gemp_sink *sink)
{
	for (gemp_search *s = first; s; s = s->next) {
		s->statistics = (gemp_search_statistics){ 0 };
		s->sink = sink;
	}
}

/* Returns when some device has finished its launch. */
static void wait_for_any(const gemp_search *first)
{
	double began = gemp_now();
	for (;;) {
		for (const gemp_search *s = first; s; s = s->next)
			if (s->launch.under_way && gemp_launch_done(s->context->device))
				return;
		const double pause = 1e9 * (gemp_now() - began) / POLLS;
		nanosleep(&(struct timespec){ .tv_nsec = (long)fmin(fmax(pause, MIN_SLEEP), MAX_SLEEP) }, NULL);
	}
}

/* Begins a launch on each idle device that has work. *busy becomes the number of running launches. */
static gemp_code begin_idle_devices(gemp_search *first, size_t *busy)
{
	bool began;
	*busy = 0;
	for (gemp_search *s = first; s; s = s->next) {
		if (!s->launch.under_way)
			GEMP_TRY(gemp_search_begin(s, &began));
		*busy += s->launch.under_way;
	}
	return GEMP_OK;
}

gemp_code gemp_multi_begin(gemp_search *first)
{
	size_t busy;
	return begin_idle_devices(first, &busy);
}

/* With one device this waits for the launch to end. With several devices it waits until one launch has ended, and reads
 * back all launches that have ended. */
gemp_code gemp_multi_step(gemp_search *first, bool *ran)
{
	size_t busy;
	if (!first->next)
		return gemp_search_launch(first, ran);
	GEMP_TRY(begin_idle_devices(first, &busy));
	*ran = busy > 0;
	for (gemp_search *s = first; s; s = s->next)
		if (s->launch.under_way)
			GEMP_TRY(gemp_search_deliver(s));
	if (busy > 1)
		wait_for_any(first);
	for (gemp_search *s = first; s; s = s->next)
		if (s->launch.under_way && (busy == 1 || gemp_launch_done(s->context->device)))
			GEMP_TRY(gemp_search_end(s));
	return GEMP_OK;
}

/* A device with more work delivers its results during its next launch instead. */
gemp_code gemp_multi_finish(gemp_search *first, bool ran)
{
	for (gemp_search *s = first; s; s = s->next)
		if (!s->launch.under_way && (!ran || gemp_search_idle(s)))
			GEMP_TRY(gemp_search_deliver(s));
	return GEMP_OK;
}

/* After a failure, running launches still write to buffers that will be freed, so this waits for their end. */
void gemp_multi_stop(gemp_search *first)
{
	for (gemp_search *s = first; s; s = s->next) {
		if (s->launch.under_way)
			clFinish(s->context->device->queue);
		s->launch.under_way = false;
	}
}

bool gemp_multi_idle(const gemp_search *first)
{
	for (const gemp_search *s = first; s; s = s->next)
		if (!gemp_search_idle(s))
			return false;
	return true;
}

gemp_search_statistics gemp_multi_statistics(const gemp_search *first)
{
	gemp_search_statistics sum = first->statistics;
	for (const gemp_search *s = first->next; s; s = s->next)
		gemp_search_statistics_add(&sum, &s->statistics);
	return sum;
}

/* The rank's timers get the host's work for all devices, and the mean of the devices' kernel times. */
void gemp_multi_add_counts(const gemp_search *first)
{
	double *seconds = first->context->timers.seconds, kernels = 0, devices = 0;
	for (const gemp_search *s = first; s; s = s->next) {
		gemp_device_work *work = &s->context->work;
		gemp_timers *own = &s->context->timers;
		uint64_t found = s->statistics.found_local + s->statistics.found_crossed;
		work->seconds += s->statistics.kernel_seconds;
		work->launches += s->statistics.launches;
		work->matches += found / s->plan->divisor;
		kernels += s->statistics.kernel_seconds;
		devices++;
		for (int phase = 0; phase < GEMP_PHASES && s != first; phase++)
			seconds[phase] += phase == GEMP_PHASE_KERNEL ? 0 : own->seconds[phase];
		if (s != first)
			*own = (gemp_timers){ 0 };
	}
	seconds[GEMP_PHASE_KERNEL] += kernels / devices - first->statistics.kernel_seconds;
}
