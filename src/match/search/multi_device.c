#include "match/search/multi_device.h"

#include "core/log.h"
#include "device/launch.h"
#include "match/search/load_balancer.h"
#include "match/search/nested_search.h"
#include "match/search/search.h"
#include "match/search/search_buffers.h"
#include "match/search/search_launch.h"

#include <time.h>

/* Between looks at devices that are busy: a part of the time waited so far. */
enum { POLLS = 32, MIN_SLEEP = 10000, MAX_SLEEP = 1000000 }; /* of the waiting; nanoseconds */

/* Why only the first device works; NULL: all do. */
static const char *single_device_reason(const gemp_search *first)
{
	if (first->plan->arguments)
		return "a search from given vertices uses one device";
	if (first->options.round_entries)
		return "rows come in rounds";
	return first->emit.all_resident ? NULL : "partial matches travel between ranks";
}

/* Pieces must mean the same tasks on all devices of a rank. */
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

/* Each device has a search of its own over the same rows. */
static gemp_code make_next(gemp_search *last, gemp_runtime *context, gemp_resident *rows,
                           const gemp_candidates *candidates, const gemp_search_options *options)
{
	gemp_code code = GEMP_OK;
	gemp_view *views;
	GEMP_TRY(gemp_resident_views(&views, rows, context->device));
	GEMP_TRY(gemp_search_new(&last->next, context, last->graph, last->plan, last->order, &rows->residency, views,
	                         candidates, options));
	code = align_tasks(last->next);
done:
	if (code == GEMP_OK)
		return code;
	return gemp_fail_in(code, "device %d (%s), which can be left out of --devices: ", context->device->index,
	                    context->device->name);
}

/* Other devices take tasks of the same chunks, which every device of the job numbers alike. */
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

/* STARTING. */
gemp_code gemp_multi_restart(gemp_search *first, bool anew)
{
	for (gemp_search *s = first; s; s = s->next)
		GEMP_PROPAGATE(gemp_search_restart(s, anew));
	return GEMP_OK;
}

/* The cut follows the first device's tasks. */
gemp_code gemp_multi_pivots(gemp_search *first, const gemp_vertex *slots, size_t count)
{
	for (gemp_search *s = first; s; s = s->next) {
		gemp_search_pivots(s, slots, count);
		if (!s->options.round_entries) /* else they are handed out in rounds */
			GEMP_PROPAGATE(gemp_search_tasks(s));
	}
	GEMP_PROPAGATE(gemp_search_balance_cut(first));
	for (gemp_search *s = first->next; s; s = s->next)
		GEMP_PROPAGATE(align_tasks(s));
	return GEMP_OK;
}

void gemp_multi_start(gemp_search *first, gemp_sink *sink)
{
	for (gemp_search *s = first; s; s = s->next) {
		s->statistics = (gemp_search_statistics){ 0 };
		s->sink = sink;
	}
}

/* Sleeps for a part of the time waited so far: short launches are noticed soon, long ones cost few look-ups. */
static void sleep_while_busy(double waited)
{
	struct timespec pause = { .tv_nsec = (long)(1e9 * waited / POLLS) };
	if (pause.tv_nsec < MIN_SLEEP)
		pause.tv_nsec = MIN_SLEEP;
	if (waited > 1e-9 * MAX_SLEEP * POLLS)
		pause.tv_nsec = MAX_SLEEP;
	nanosleep(&pause, NULL);
}

/* Returns when a device has finished. */
static void wait_for_any(const gemp_search *first)
{
	double began = gemp_now();
	for (;;) {
		for (const gemp_search *s = first; s; s = s->next)
			if (s->launch.under_way && gemp_launch_done(s->context->device))
				return;
		sleep_while_busy(gemp_now() - began);
	}
}

/* Devices that have nothing to do stay idle until the next part of the pivots. */
static gemp_code begin_idle_devices(gemp_search *first, size_t *busy)
{
	bool began;
	*busy = 0;
	for (gemp_search *s = first; s; s = s->next) {
		if (!s->launch.under_way)
			GEMP_PROPAGATE(gemp_search_begin(s, &began));
		*busy += s->launch.under_way;
	}
	return GEMP_OK;
}

gemp_code gemp_multi_begin(gemp_search *first)
{
	size_t busy;
	return begin_idle_devices(first, &busy);
}

/* With one device the launch is waited for; with several, whichever ends first is read back. */
gemp_code gemp_multi_step(gemp_search *first, bool *ran)
{
	size_t busy;
	if (!first->next)
		return gemp_search_launch(first, ran);
	GEMP_PROPAGATE(begin_idle_devices(first, &busy));
	*ran = busy > 0;
	for (gemp_search *s = first; s; s = s->next)
		if (s->launch.under_way)
			GEMP_PROPAGATE(gemp_search_deliver(s));
	if (busy > 1)
		wait_for_any(first);
	for (gemp_search *s = first; s; s = s->next)
		if (s->launch.under_way && (busy == 1 || gemp_launch_done(s->context->device)))
			GEMP_PROPAGATE(gemp_search_end(s));
	return GEMP_OK;
}

gemp_code gemp_multi_finish(gemp_search *first, bool ran)
{
	for (gemp_search *s = first; s; s = s->next)
		if (!s->launch.under_way && (!ran || gemp_search_idle(s))) /* else beside the next launch */
			GEMP_PROPAGATE(gemp_search_deliver(s));
	return GEMP_OK;
}

void gemp_multi_stop(gemp_search *first)
{
	for (gemp_search *s = first; s; s = s->next) {
		if (s->launch.under_way)
			clFinish(s->context->device->queue);
		s->launch.under_way = false;
	}
}

/* FIGURES. */
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

/* The rank's clocks: the host's work for all devices, and the mean time that devices were at work. */
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
