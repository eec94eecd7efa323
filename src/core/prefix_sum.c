#include "core/prefix_sum.h"

#include "core/threads.h"

#include <string.h>

typedef struct prefix_task {
	uint64_t *numbers;
	uint64_t offset[GEMP_MAX_RANGES]; /* what each range adds (inclusive), or its new first number (shift) */
} prefix_task;

/* First pass: sums within the range, whose total goes to offset[range]. */
static void sum_range(void *context, size_t range, size_t begin, size_t end)
{
	prefix_task *task = context;
	uint64_t sum = 0;
	for (size_t i = begin; i < end; i++)
		task->numbers[i] = sum += task->numbers[i];
	task->offset[range] = sum;
}

/* Second pass: adds the sum of all earlier ranges. */
static void add_offset(void *context, size_t range, size_t begin, size_t end)
{
	const prefix_task *task = context;
	for (size_t i = begin; i < end; i++)
		task->numbers[i] += task->offset[range];
}

void gemp_prefix_inclusive(uint64_t *numbers, size_t count)
{
	prefix_task task = { .numbers = numbers };
	size_t ranges = gemp_range_count(count);
	uint64_t sum = 0;
	gemp_for_ranges(count, sum_range, &task);
	for (size_t range = 0; range < ranges; range++) {
		uint64_t own = task.offset[range];
		task.offset[range] = sum;
		sum += own;
	}
	if (ranges > 1)
		gemp_for_ranges(count, add_offset, &task);
}

/* The last number of a range becomes the first of the next one: it is saved before any range moves. */
static void save_last(void *context, size_t range, size_t begin, size_t end)
{
	(void)begin;
	prefix_task *task = context;
	if (range + 1 < GEMP_MAX_RANGES)
		task->offset[range + 1] = task->numbers[end - 1];
}

/* Moves the range by one; the element that leaves it was saved by save_last. */
static void shift_range(void *context, size_t range, size_t begin, size_t end)
{
	const prefix_task *task = context;
	memmove(task->numbers + begin + 1, task->numbers + begin, (end - begin - 1) * sizeof *task->numbers);
	task->numbers[begin] = task->offset[range];
}

void gemp_prefix_shift(uint64_t *numbers, size_t count)
{
	prefix_task task = { .numbers = numbers };
	gemp_for_ranges(count, save_last, &task);
	gemp_for_ranges(count, shift_range, &task);
}
