/* Tests the spans of a rank: their order, spans beyond the capacity, and the time of a lane that is hidden by devices.
 * Hidden time is compared with a count over each unit of time. */
#include "harness/harness.h"

#include "core/memory.h"
#include "core/random.h"
#include "core/timer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const gemp_span *span(const gemp_trace *trace, size_t at, const char *name, unsigned lane)
{
	assert_true(at < trace->count);
	assert_string_equal(trace->names[trace->spans[at].name], name);
	assert_int_equal(trace->spans[at].lane, lane);
	return &trace->spans[at];
}

static void nothing_is_recorded_without_a_trace(void **state)
{
	(void)state;
	gemp_timers timers = { 0 };
	assert_false(gemp_trace_on());
	gemp_trace_between("a", GEMP_LANE_HOST, 1, 2);
	gemp_timers_add(&timers, GEMP_PHASE_READ, gemp_now());
	assert_int_equal(gemp_trace_end()->count, 0);
	assert_int_equal(gemp_memory_blocks(), 0);
}

static void spans_are_in_order(void **state)
{
	(void)state;
	gemp_trace_start(100);
	gemp_trace_between("inner", GEMP_LANE_HOST, 20, 30);
	gemp_trace_between("outer", GEMP_LANE_HOST, 20, 50);
	gemp_trace_between("early", GEMP_LANE_OUTPUT, 1, 2);
	gemp_trace_between("first", GEMP_LANE_HOST, 5, 20);
	gemp_trace_between("back", GEMP_LANE_HOST, 60, 55);
	const gemp_trace *trace = gemp_trace_end();
	assert_int_equal(trace->count, 5);
	span(trace, 0, "first", GEMP_LANE_HOST);
	span(trace, 1, "outer", GEMP_LANE_HOST);
	span(trace, 2, "inner", GEMP_LANE_HOST);
	assert_true(span(trace, 3, "back", GEMP_LANE_HOST)->end == 60); /* a negative length becomes 0 */
	span(trace, 4, "early", GEMP_LANE_OUTPUT);
	gemp_trace_between("late", GEMP_LANE_HOST, 70, 80); /* the trace has ended, so this span is ignored */
	assert_int_equal(gemp_trace_end()->count, 5);
	gemp_trace_free();
}

static void launches_of_a_device_are_apart(void **state)
{
	(void)state;
	gemp_trace_start(100);
	gemp_lane one = gemp_trace_device(), other = gemp_trace_device();
	assert_true(one == GEMP_LANE_DEVICE && other == GEMP_LANE_DEVICE + 1);
	gemp_trace_between("c", one, 28, 29);
	gemp_trace_between("a", one, 10, 20);
	gemp_trace_between("b", one, 18, 30);
	gemp_trace_between("z", other, 15, 40);
	const gemp_trace *trace = gemp_trace_end();
	assert_true(span(trace, 0, "a", one)->end == 20);
	assert_true(span(trace, 1, "z", other)->begin == 15);
	assert_true(span(trace, 2, "b", one)->begin == 20 && trace->spans[2].end == 30);
	assert_true(span(trace, 3, "c", one)->begin == 30 && trace->spans[3].end == 30);
	assert_int_equal(trace->devices, 2);
	for (int i = 0; i < 2 * GEMP_TRACE_DEVICES; i++)
		assert_in_range(gemp_trace_device(), GEMP_LANE_DEVICE, GEMP_LANE_DEVICE + GEMP_TRACE_DEVICES - 1);
	gemp_trace_free();
}

static void dropped_spans_are_counted(void **state)
{
	(void)state;
	gemp_trace_start(10);
	for (int i = 0; i < 25; i++)
		gemp_trace_between("x", GEMP_LANE_HOST, i, i + 1);
	gemp_trace_drop();
	const gemp_trace *trace = gemp_trace_end();
	assert_true(trace->count == 10 && trace->dropped == 16);
	assert_true(trace->spans[9].begin == 9);
	gemp_trace_free();

	gemp_trace_start(10);
	gemp_memory_fail_after(0);
	gemp_trace_between("x", GEMP_LANE_HOST, 0, 1);
	gemp_memory_fail_after(-1);
	gemp_trace_between("y", GEMP_LANE_HOST, 1, 2);
	trace = gemp_trace_end();
	assert_true(trace->count == 1 && trace->dropped == 1);
	gemp_trace_free();
	assert_int_equal(gemp_memory_blocks(), 0);
}

static void names_beyond_the_capacity_are_others(void **state)
{
	(void)state;
	char name[80];
	gemp_trace_start(1000);
	for (int i = 0; i < 2 * GEMP_TRACE_NAMES; i++) {
		snprintf(name, sizeof name, "%d-a-name-that-is-longer-than-there-is-room-for", i);
		gemp_trace_between(name, GEMP_LANE_HOST, i, i + 1);
		gemp_trace_between(name, GEMP_LANE_HOST, i, i + 1);
	}
	const gemp_trace *trace = gemp_trace_end();
	assert_int_equal(trace->name_count, GEMP_TRACE_NAMES);
	assert_int_equal(trace->spans[0].name, trace->spans[1].name);
	assert_string_equal(trace->names[trace->spans[0].name], "0-a-name-that-is-longer-than-th");
	assert_string_equal(trace->names[trace->spans[trace->count - 1].name], "others");
	gemp_trace_free();
}

static void phases_are_spans(void **state)
{
	(void)state;
	gemp_timers timers = { 0 };
	gemp_trace_start(10);
	double began = gemp_now();
	double t = gemp_timers_add(&timers, GEMP_PHASE_READ, began);
	t = gemp_timers_add(&timers, GEMP_PHASE_WRITE, t);
	gemp_timers_add_less(&timers, GEMP_PHASE_READ, began, timers.seconds[GEMP_PHASE_READ]);
	const gemp_trace *trace = gemp_trace_end();
	const gemp_span *outer = span(trace, 0, "read", GEMP_LANE_HOST), *inner = span(trace, 1, "read", GEMP_LANE_HOST);
	assert_true(outer->begin == inner->begin && outer->end >= inner->end);
	/* the phases have no gap between them */
	assert_true(span(trace, 2, "write", GEMP_LANE_OUTPUT)->begin == inner->end);
	double all = 1e-9 * (double)(outer->end - outer->begin), off = timers.seconds[GEMP_PHASE_READ] - all;
	assert_true(off < 2e-9 && off > -2e-9);
	gemp_trace_free();
}

/* Random spans of a lane, which may contain other spans, and spans of two devices, within 500 units of time. */
static void time_hidden_by_devices(void **state)
{
	(void)state;
	enum { TIME = 500 };
	uint64_t random = test_seed();
	for (int trial = 0; trial < 300; trial++) {
		bool busy[TIME] = { 0 }, works[TIME] = { 0 };
		gemp_trace_start(1000);
		gemp_lane device[] = { gemp_trace_device(), gemp_trace_device() };
		for (int i = 0; i < trial % 30; i++) {
			int kind = (int)gemp_random_below(&random, 4), begin = (int)gemp_random_below(&random, TIME);
			int end = begin + (int)gemp_random_below(&random, (uint64_t)(TIME - begin) / 4 + 1);
			if (kind == 3) {
				gemp_trace_between("other", GEMP_LANE_HOST, begin, end);
				continue;
			}
			bool *which = kind == 2 ? busy : works;
			gemp_trace_between("x", kind == 2 ? GEMP_LANE_EXCHANGE : device[kind], begin, end);
			for (int t = begin; t < end; t++)
				which[t] = true;
		}
		int seconds = 0, hidden = 0;
		for (int t = 0; t < TIME; t++) {
			seconds += busy[t];
			hidden += busy[t] && works[t];
		}
		gemp_lane_times share = gemp_trace_lane_times(gemp_trace_end(), GEMP_LANE_EXCHANGE);
		assert_true((int)(share.seconds * 1e9 + 0.5) == seconds && (int)(share.overlapped * 1e9 + 0.5) == hidden);
		gemp_trace_free();
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_is_recorded_without_a_trace),
		cmocka_unit_test(spans_are_in_order),
		cmocka_unit_test(launches_of_a_device_are_apart),
		cmocka_unit_test(dropped_spans_are_counted),
		cmocka_unit_test(names_beyond_the_capacity_are_others),
		cmocka_unit_test(phases_are_spans),
		cmocka_unit_test(time_hidden_by_devices),
	};
	return test_main(tests);
}
