#include "core/prefix_sum.h"

#include "core/threads.h"

#include <string.h>

typedef struct prefix_task {
	uint64_t *numbers;
	uint64_t before[GEMP_MAX_RANGES]; /* what is added to, or moves into, each range */
} prefix_task;

static void sum_range(void *context, size_t range, size_t begin, size_t end)
{
	prefix_task *task = context;
	uint64_t sum = 0;
	for (size_t i = begin; i < end; i++)
		task->numbers[i] = sum += task->numbers[i];
	task->before[range] = sum;
}

static void add_before(void *context, size_t range, size_t begin, size_t end)
{
	const prefix_task *task = context;
	for (size_t i = begin; i < end; i++)
		task->numbers[i] += task->before[range];
}

void gemp_prefix_inclusive(uint64_t *numbers, size_t count)
{
	prefix_task task = { .numbers = numbers };
	size_t ranges = gemp_range_count(count);
	uint64_t sum = 0;
	gemp_for_ranges(count, sum_range, &task);
	for (size_t range = 0; range < ranges; range++) {
		uint64_t own = task.before[range];
		task.before[range] = sum;
		sum += own;
	}
	if (ranges > 1)
		gemp_for_ranges(count, add_before, &task);
}

/* A range's last number is what the next range begins with: it is kept before any range moves. */
static void keep_last(void *context, size_t range, size_t begin, size_t end)
{
	(void)begin;
	prefix_task *task = context;
	if (range + 1 < GEMP_MAX_RANGES)
		task->before[range + 1] = task->numbers[end - 1];
}

static void shift_range(void *context, size_t range, size_t begin, size_t end)
{
	const prefix_task *task = context;
	memmove(task->numbers + begin + 1, task->numbers + begin, (end - begin - 1) * sizeof *task->numbers);
	task->numbers[begin] = task->before[range];
}

void gemp_prefix_shift(uint64_t *numbers, size_t count)
{
	prefix_task task = { .numbers = numbers };
	gemp_for_ranges(count, keep_last, &task);
	gemp_for_ranges(count, shift_range, &task);
}
