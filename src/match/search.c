#include "match/search.h"

#include "core/log.h"
#include "core/memory.h"
#include "kernels/abi.h"
#include "match/nested_search.h"
#include "match/emit_loops.h"
#include "match/search_deal.h"
#include "match/search_setup.h"
#include "match/vertex_counts.h"

#include <string.h>

/* A launch should last about this long: short enough for rounds and progress, long enough that its cost is nothing. */
static const double launch_seconds = 0.2;

static size_t area_of(const gemp_search *search, size_t stage, uint32_t destination)
{
	return stage * (search->ranks + 1) + destination;
}

uint32_t gemp_search_items(const gemp_search *search, size_t stage, int destination)
{
	size_t area = area_of(search, stage, (uint32_t)destination);
	uint32_t asked = search->control_words[GEMP_CONTROL_WORDS + area];
	return asked < search->capacity[area] ? asked : search->capacity[area];
}

/* That are not on the device yet. */
static size_t seeds_left(const gemp_search *search)
{
	return search->plan->given ? search->part.first + search->part.count - search->seeds.next : 0;
}

bool gemp_search_idle(const gemp_search *search)
{
	for (size_t k = 0; k < search->layout.stage_count; k++) {
		const gemp_work *work = &search->work[k];
		if (work->parked || work->next < work->count || seeds_left(search))
			return false;
		if (k > 0 && gemp_search_items(search, k, (int)search->ranks))
			return false;
	}
	return !search->deal || !gemp_deal_left(search->deal);
}

/* SETTING UP. */
static gemp_code build(gemp_search *search)
{
	gemp_code code = GEMP_OK;
	gemp_text text = { 0 };
	char *fixed = NULL;
	if (search->nested)
		code = gemp_nested_text(search, &text);
	else
		code = gemp_kernel_source(&fixed, "match.clh");
	if (code == GEMP_OK && !search->nested) {
		gemp_emit(&text, fixed, search->plan, &search->layout, &search->emit);
		code = gemp_text_status(&text);
	}
	GEMP_TRY(gemp_comm_agree(search->context->comm, code));
	GEMP_TRY(gemp_context_program(search->context, &search->program, text.data,
	                              search->nested ? gemp_nested_build_options(search) : ""));
	code = gemp_kernel_new(&search->kernel, &search->program, search->nested ? "nested" : "match");
	GEMP_TRY(gemp_comm_agree(search->context->comm, code));
done:
	gemp_free(fixed);
	gemp_text_free(&text);
	return code;
}

/* On a GPU the first two extensions make tasks of their own, so that hubs are shared among workers. */
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

/* PoCL's CPU devices do not get barriers right in a loop that each work-group leaves at another time. */
static gemp_code check_lanes(const gemp_context *context, int lanes)
{
	bool power = lanes >= 0 && lanes <= 32 && (lanes & (lanes - 1)) == 0;
	if (!power)
		return gemp_fail(GEMP_EUSAGE, "--lanes %d: give 1, 2, 4, 8, 16 or 32", lanes);
	if (lanes > 1 && !context->device->gpu)
		return gemp_fail(GEMP_EUSAGE, "--lanes %d: %s is a CPU device and works with 1 lane a row; leave --lanes out",
		                 lanes, context->device->name);
	return GEMP_OK;
}

static void choose_shape(gemp_search *search)
{
	const gemp_device *device = search->context->device;
	if (!search->emit.lanes)
		search->emit.lanes = device->gpu ? 32 : 1;
	size_t items = device->gpu ? (size_t)device->units * 2048 : device->units;
	search->workers = device->gpu ? items / (size_t)search->emit.lanes : items;
	search->split = choose_split(search);
	search->emit.loops = !device->gpu && search->emit.lanes == 1 && search->emit.all_resident &&
	                     gemp_loops_possible(search->plan);
}

gemp_code gemp_search_new(gemp_search **out, gemp_context *context, const gemp_graph *graph, const gemp_plan *plan,
                          const gemp_order *order, const gemp_residency *residency, gemp_view *views,
                          const gemp_candidates *candidates, const gemp_search_options *options)
{
	gemp_code code = GEMP_OK;
	gemp_search *search = NULL;
	double *seconds = context->timers.seconds, others = seconds[GEMP_BUILD] + seconds[GEMP_PREPARE], began = gemp_now();
	GEMP_TRY(gemp_comm_agree(context->comm, check_lanes(context, options->lanes)));
	code = GEMP_NEW(search, 1);
	if (search)
		search->context = context; /* freeing wants it, also when another rank has no memory */
	GEMP_TRY(gemp_comm_agree(context->comm, code));
	search->graph = graph;
	search->plan = plan;
	search->order = order;
	search->options = *options;
	search->vertices = (uint32_t)graph->vertices;
	search->hot = residency->hot;
	search->ranks = (uint32_t)graph->ranks;
	search->batch = 0;
	search->pending.buffer = -1;
	search->emit = (gemp_emit_options){ .lanes = options->lanes, .listed = options->listed,
		.first_only = options->first_only, .profile = options->profile, .per = options->per, .by_formula = options->by_formula,
		.all_resident = residency->hot >= graph->vertices || graph->ranks == 1 || options->round_entries };
	uint64_t longest = options->round_entries;
	for (size_t v = 0; v < plan->view_count && !options->round_entries; v++)
		if (views[v].begin[views[v].rows] > longest)
			longest = views[v].begin[views[v].rows];
	gemp_comm_max(context->comm, &longest, 1);
	search->emit.wide = longest > UINT32_MAX - 64;
	search->views = views;
	choose_shape(search);
	code = gemp_layout_new(&search->layout, plan, &search->emit);
	if (code == GEMP_OK)
		code = GEMP_NEW(search->work, search->layout.stage_count);
	if (code == GEMP_OK)
		code = gemp_search_upload(search, residency, views, candidates);
	GEMP_TRY(gemp_comm_agree(context->comm, code));
	GEMP_TRY(gemp_nested_new(&search->nested, search, residency, views, candidates));
	if (search->nested)
		search->split = 0;
	gemp_search_choose_marks(search);
	code = gemp_search_outbox(search);
	if (code == GEMP_OK && options->listed)
		code = gemp_search_results(search);
	if (code == GEMP_OK && plan->two_paths)
		code = gemp_search_tables(search);
	if (code == GEMP_OK && search->emit.marks)
		code = gemp_search_marks(search);
	if (code == GEMP_OK && plan->given)
		code = gemp_search_seed_room(search);
	if (code == GEMP_OK && options->profile)
		code = gemp_search_counters(search);
	if (code == GEMP_OK && options->per)
		code = gemp_search_vertex_counts(search);
	GEMP_TRY(gemp_comm_agree(context->comm, code));
	gemp_timers_add(&context->timers, GEMP_UPLOAD, began + seconds[GEMP_BUILD] + seconds[GEMP_PREPARE] - others);
	GEMP_TRY(gemp_search_deal_new(search));
	GEMP_TRY(build(search));
	if (!search->deal)
		search->work[0].count = search->part.count;
	*out = search;
	search = NULL;
done:
	gemp_search_free(search);
	return code;
}

void gemp_search_free(gemp_search *search)
{
	if (!search)
		return;
	gemp_device *device = search->context->device;
	gemp_buffer *const rest[] = { &search->own, &search->id_of, &search->bounds, &search->key_rank, &search->candidates,
		&search->pivot_bits, &search->control, &search->out, &search->out_capacity,
		&search->out_base, &search->tables, &search->marks, &search->passed, &search->vertex_counts };
	for (size_t i = 0; i < sizeof rest / sizeof *rest; i++)
		gemp_buffer_free(rest[i], device);
	for (int b = 0; b < 2; b++)
		gemp_readback_free(&search->result[b], device);
	for (size_t k = 0; search->work && k < search->layout.stage_count; k++) {
		gemp_buffer_free(&search->work[k].state, device);
		gemp_buffer_free(&search->work[k].tasks, device);
	}
	gemp_nested_free(search->nested, device);
	if (search->kernel)
		clReleaseKernel(search->kernel);
	gemp_program_free(&search->program);
	gemp_deal_free(search->deal);
	gemp_free(search->control_words);
	gemp_free(search->capacity);
	gemp_free(search->base);
	gemp_free(search->work);
	gemp_free(search->seed_slots);
	gemp_free(search->pivot_slots);
	gemp_free(search);
}

gemp_code gemp_search_profile(gemp_search *search, uint64_t *rows, uint64_t *entries, uint64_t *lookups)
{
	gemp_code code = GEMP_OK;
	size_t steps = search->plan->step_count;
	uint64_t counters[GEMP_MAX_COUNTERS];
	GEMP_TRY(gemp_buffer_read(search->context->device, &search->passed, 0, gemp_counters(search->plan) * sizeof *counters,
	                          counters));
	memcpy(rows, counters, steps * sizeof *rows);
	memcpy(entries, counters + steps, steps * sizeof *entries);
	memcpy(lookups, counters + 2 * steps, steps * sizeof *lookups);
done:
	return code;
}

/* DELIVERY. Results travel while the next launch runs. */
static size_t live_edges(const gemp_search *search)
{
	return (size_t)__builtin_popcountll(search->plan->live_edges);
}

static gemp_code fetch_results(gemp_search *search, int buffer, size_t rows)
{
	gemp_code code = GEMP_OK;
	gemp_device *device = search->context->device;
	gemp_readback *result = &search->result[buffer];
	search->pending = (gemp_pending){ buffer, rows };
	GEMP_TRY(gemp_readback_begin(result, device, search->result_edges, rows * live_edges(search) * sizeof(gemp_edge)));
	code = gemp_readback_begin(result, device, 0, rows * (size_t)search->plan->vertex_count * sizeof(gemp_vertex));
done:
	return code;
}

gemp_code gemp_search_deliver(gemp_search *search)
{
	gemp_code code = GEMP_OK;
	gemp_pending pending = search->pending;
	search->pending.buffer = -1;
	if (pending.buffer < 0 || !pending.count)
		return GEMP_OK;
	gemp_readback *result = &search->result[pending.buffer];
	double began = gemp_now();
	GEMP_TRY(gemp_readback_wait(result));
	gemp_timers_add(&search->context->timers, GEMP_DOWNLOAD, began);
	size_t edges = live_edges(search);
	gemp_batch batch = { .rows = pending.count, .vertex_count = search->plan->vertex_count, .edge_count = (int)edges,
		.vertices = (const void *)result->host,
		.edges = edges ? (const void *)(result->host + search->result_edges) : NULL };
	GEMP_TRY(search->sink->take(search->sink->self, &batch));
	code = gemp_readback_end(result, search->context->device);
done:
	return code;
}

/* LAUNCHING. */
static gemp_code refill(gemp_search *search, size_t stage)
{
	gemp_code code = GEMP_OK;
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
done:
	return code;
}

/* The next seeds, when the workers have taken those on the device. */
static gemp_code feed_seeds(gemp_search *search)
{
	gemp_code code = GEMP_OK;
	gemp_work *work = &search->work[0];
	gemp_seeds *seeds = &search->seeds;
	size_t left = seeds_left(search), given = (size_t)search->plan->given;
	if (!left || work->next < work->count)
		return GEMP_OK;
	size_t count = left < search->seed_room ? left : search->seed_room;
	const gemp_vertex *ids = seeds->ids + seeds->next * given;
	for (size_t i = 0; i < count * given; i++)
		search->seed_slots[i] = search->order->slot_of[ids[i]];
	GEMP_TRY(gemp_buffer_write(search->context->device, &work->tasks, 0, count * given * sizeof *search->seed_slots,
	                           search->seed_slots));
	seeds->next += count;
	work->next = 0;
	work->count = count;
done:
	return code;
}

static bool runnable(const gemp_search *search, size_t stage)
{
	const gemp_work *work = &search->work[stage];
	if (work->blocked)
		return false;
	return work->parked || work->next < work->count ||
	       (stage && gemp_search_items(search, stage, (int)search->ranks));
}

static gemp_code enqueue(gemp_search *search, size_t stage, size_t tasks, int buffer)
{
	gemp_code code = GEMP_OK;
	gemp_work *work = &search->work[stage];
	gemp_device *device = search->context->device;
	gemp_argument a[4 * GEMP_MAX_VIEWS];
	static const uint32_t zeros[GEMP_CONTROL_WORDS];
	size_t n = 0;
	gemp_match_params params = { .stage = (uint32_t)stage, .first = (uint32_t)work->next, .tasks = (uint32_t)tasks,
		.resume = work->parked, .vertices = search->vertices, .hot = search->hot, .ranks = search->ranks,
		.result_capacity = (uint32_t)search->result_capacity, .split = search->split };
	if (!work->state.mem)
		GEMP_TRY(gemp_buffer_new(&work->state, device, search->workers * search->layout.state_words * 4, NULL));
	if (!work->tasks.mem)
		GEMP_TRY(gemp_buffer_new(&work->tasks, device, 4, NULL));
	GEMP_TRY(gemp_buffer_write(device, &search->control, 0, sizeof zeros, zeros));
	a[n++] = GEMP_ARG(&params);
	for (size_t v = 0; v < search->plan->view_count; v++) {
		a[n++] = GEMP_ARG(&search->begin[v].mem);
		a[n++] = GEMP_ARG(&search->near[v].mem);
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
		a[n++] = GEMP_ARG(&search->result[buffer].buffer.mem);
	if (search->plan->two_paths)
		a[n++] = GEMP_ARG(&search->tables.mem);
	if (search->emit.marks)
		a[n++] = GEMP_ARG(&search->marks.mem);
	if (search->emit.profile)
		a[n++] = GEMP_ARG(&search->passed.mem);
	if (search->emit.per)
		a[n++] = GEMP_ARG(&search->vertex_counts.mem);
	a[n++] = GEMP_ARG(&search->control.mem);
	size_t lanes = (size_t)search->emit.lanes;
	GEMP_TRY(gemp_launch_with(device, search->kernel, search->workers * lanes,
	                          gemp_worker_group(device, (unsigned)lanes, 128), a, n));
	GEMP_TRY(GEMP_CL(clFlush(device->queue)));
done:
	return code;
}

static gemp_code kernel_error(const uint32_t *control)
{
	switch (control[GEMP_CONTROL_ERROR]) {
	case GEMP_MATCH_BAD_SLOT:
		return gemp_fail(GEMP_EINTERNAL, "match kernel, step %u: slot %u is not a vertex: the graph on the device is "
		                 "damaged; check the file with `gemp-mpi verify`", control[GEMP_CONTROL_PLACE],
		                 control[GEMP_CONTROL_VALUE]);
	case GEMP_MATCH_BAD_ROW:
		return gemp_fail(GEMP_EINTERNAL, "match kernel, step %u: the row of slot %u is not on this device",
		                 control[GEMP_CONTROL_PLACE], control[GEMP_CONTROL_VALUE]);
	default:
		return GEMP_OK;
	}
}

/* GEMP's formula for pivots per launch, and no longer than a launch should last. */
static void next_batch(gemp_search *search, size_t tasks, uint64_t asked, double seconds)
{
	double factor = search->options.launch_factor > 0 ? search->options.launch_factor : 0.8;
	double wave = (double)search->workers, next = search->batch * 4;
	bool cheap = search->emit.loops && search->options.launch_factor <= 0; /* few workers: parking costs nothing */
	if (search->emit.listed && !cheap) {
		double room = (double)search->result_capacity / (asked ? (double)asked : 1);
		next = room > factor ? search->batch * room * factor : search->batch * factor;
	}
	double limit = seconds > 0 ? (double)tasks * launch_seconds / seconds : next;
	if (next > limit)
		next = limit;
	search->batch = next < wave ? wave : next;
}

static gemp_code finish(gemp_search *search, size_t stage, size_t tasks, int buffer)
{
	gemp_code code = GEMP_OK;
	gemp_work *work = &search->work[stage];
	uint32_t *control = search->control_words;
	gemp_search_statistics *s = &search->statistics;
	GEMP_TRY(gemp_buffer_read(search->context->device, &search->control, 0, (GEMP_CONTROL_WORDS + search->areas) * 4,
	                          control));
	double seconds;
	GEMP_TRY(gemp_launch_seconds(search->context->device, &seconds));
	search->context->timers.seconds[GEMP_KERNEL] += seconds;
	s->kernel_seconds += seconds;
	GEMP_TRY(kernel_error(control));
	uint32_t taken = control[GEMP_CONTROL_NEXT] < tasks ? control[GEMP_CONTROL_NEXT] : (uint32_t)tasks;
	uint64_t asked = control[GEMP_CONTROL_RESULTS];
	bool full = search->emit.listed && asked > search->result_capacity;
	work->next += taken;
	work->parked = control[GEMP_CONTROL_PARKED] > 0;
	work->blocked = work->parked && !full;
	s->launches++;
	s->taken += taken;
	s->stage_launches += stage > 0;
	s->found_local += (uint64_t)control[GEMP_CONTROL_FOUND] | (uint64_t)control[GEMP_CONTROL_FOUND + 1] << 32;
	s->found_crossed += (uint64_t)control[GEMP_CONTROL_FOUND + 2] | (uint64_t)control[GEMP_CONTROL_FOUND + 3] << 32;
	if (search->emit.listed) {
		size_t rows = full ? search->result_capacity : asked;
		GEMP_TRY(fetch_results(search, buffer, rows));
		s->fill += (double)rows / (double)search->result_capacity;
		s->listing_launches++;
	}
	if (stage == 0)
		next_batch(search, taken, asked, seconds);
	gemp_log_local(GEMP_DEBUG, "launch of stage %zu: %u of %zu tasks, %u parked, %llu results, %.6f s", stage, taken, tasks,
	               control[GEMP_CONTROL_PARKED], (unsigned long long)asked, seconds);
done:
	return code;
}

gemp_code gemp_search_launch(gemp_search *search, bool *ran)
{
	gemp_code code = GEMP_OK;
	size_t stage = search->layout.stage_count;
	*ran = false;
	gemp_search_deal_feed(search);
	if (search->nested)
		return gemp_nested_launch(search, ran);
	GEMP_TRY(feed_seeds(search));
	while (stage > 0 && !runnable(search, stage - 1))
		stage--;
	*ran = stage > 0;
	if (stage-- == 0)
		return GEMP_OK;
	gemp_work *work = &search->work[stage];
	GEMP_TRY(refill(search, stage));
	size_t tasks = work->count - work->next;
	if (search->batch < 1)
		search->batch = (double)search->workers * 16;
	if (stage == 0 && (double)tasks > search->batch)
		tasks = (size_t)search->batch;
	int buffer = search->next_buffer;
	search->next_buffer = 1 - buffer;
	double *seconds = search->context->timers.seconds, began = gemp_now(), before = seconds[GEMP_KERNEL];
	GEMP_TRY(enqueue(search, stage, tasks, buffer));
	GEMP_TRY(gemp_search_beside(search));
	GEMP_TRY(gemp_search_deliver(search));
	GEMP_TRY(finish(search, stage, tasks, buffer));
	if (!search->stored) { /* PoCL compiles a program's last part at its first launch */
		seconds[GEMP_BUILD] += gemp_now() - began - (seconds[GEMP_KERNEL] - before) - search->beside.seconds;
		search->stored = true;
		GEMP_TRY(gemp_program_store(search->context->device, &search->program));
	}
done:
	return code;
}
