/* Tests the clock and the phases of a run. */
#include "harness/harness.h"

#include "core/timer.h"

#include <string.h>
#include <time.h>

static void the_clock_never_goes_back(void **state)
{
	(void)state;
	double last = gemp_now();
	for (int i = 0; i < 10000; i++) {
		double now = gemp_now();
		assert_true(now >= last);
		last = now;
	}
}

static void phases_add_up(void **state)
{
	(void)state;
	gemp_timers timers = { 0 };
	double began = gemp_now(), t = began;
	const struct timespec pause = { 0, 20000000 };
	nanosleep(&pause, NULL);
	t = gemp_timers_add(&timers, GEMP_PHASE_READ, t);
	nanosleep(&pause, NULL);
	t = gemp_timers_add(&timers, GEMP_PHASE_WRITE, t);
	nanosleep(&pause, NULL);
	t = gemp_timers_add(&timers, GEMP_PHASE_READ, t);
	double read = timers.seconds[GEMP_PHASE_READ], write = timers.seconds[GEMP_PHASE_WRITE];
	assert_true(read >= 0.04 && write >= 0.02);
	double off = read + write - (t - began);
	assert_true(off < 1e-6 && off > -1e-6); /* the phases add up to the whole time */
	for (int p = 0; p < GEMP_PHASES; p++)
		if (p != GEMP_PHASE_READ && p != GEMP_PHASE_WRITE)
			assert_true(timers.seconds[p] == 0.0);
}

/* A phase that has other phases within it gets the rest of the time, and never a negative time. */
static void a_phase_gets_the_rest(void **state)
{
	(void)state;
	gemp_timers timers = { 0 };
	const struct timespec pause = { 0, 20000000 };
	const double began = gemp_now(), before = gemp_timers_sum(&timers);
	nanosleep(&pause, NULL);
	const double inner = gemp_now();
	nanosleep(&pause, NULL);
	gemp_timers_add(&timers, GEMP_PHASE_VALUES, inner);
	const double ended = gemp_timers_add_rest(&timers, GEMP_PHASE_RESIDUAL, began, before);
	assert_true(timers.seconds[GEMP_PHASE_VALUES] >= 0.02 && timers.seconds[GEMP_PHASE_RESIDUAL] >= 0.02);
	double off = gemp_timers_sum(&timers) - (ended - began);
	assert_true(off < 1e-6 && off > -1e-6);
	timers.seconds[GEMP_PHASE_KERNEL] += 10; /* of a device, longer than the host waited */
	const double residual = timers.seconds[GEMP_PHASE_RESIDUAL];
	gemp_timers_add_rest(&timers, GEMP_PHASE_RESIDUAL, began, before);
	assert_true(timers.seconds[GEMP_PHASE_RESIDUAL] == residual);
}

/* The names of phases are part of the report's format, on which scripts and other programs rely. */
static void phases_have_their_names(void **state)
{
	(void)state;
	static const char *const names[] = {
		[GEMP_PHASE_START] = "start",           [GEMP_PHASE_OTHER] = "other",       [GEMP_PHASE_VERIFY] = "verify",
		[GEMP_PHASE_CLOSE] = "close",           [GEMP_PHASE_READ] = "read",         [GEMP_PHASE_CONVERT] = "convert",
		[GEMP_PHASE_BUILD] = "build",           [GEMP_PHASE_UPLOAD] = "upload",     [GEMP_PHASE_PREPARE] = "prepare",
		[GEMP_PHASE_KERNEL] = "kernel",         [GEMP_PHASE_EXCHANGE] = "exchange", [GEMP_PHASE_RESOLVE] = "resolve",
		[GEMP_PHASE_ATTRIBUTES] = "attributes", [GEMP_PHASE_DISTINCT] = "distinct", [GEMP_PHASE_DOWNLOAD] = "download",
		[GEMP_PHASE_WRITE] = "write",           [GEMP_PHASE_FILTER] = "filter",     [GEMP_PHASE_VALUES] = "values",
		[GEMP_PHASE_RESIDUAL] = "residual",     [GEMP_PHASE_SELECT] = "select",     [GEMP_PHASE_DELIVER] = "deliver",
		[GEMP_PHASE_LAUNCH] = "launch",
	};
	assert_int_equal(sizeof names / sizeof names[0], GEMP_PHASES);
	for (int p = 0; p < GEMP_PHASES; p++)
		assert_string_equal(gemp_phase_name[p], names[p]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_clock_never_goes_back),
		cmocka_unit_test(phases_add_up),
		cmocka_unit_test(a_phase_gets_the_rest),
		cmocka_unit_test(phases_have_their_names),
	};
	return test_main(tests);
}
