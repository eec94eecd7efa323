#include "core/prefix.h"

#include "core/threads.h"

#include <string.h>

enum { BLOCKS = 64, SMALL = 1 << 14 };

typedef struct walking {
	uint64_t *numbers;
	size_t count;
	uint64_t before[BLOCKS]; /* what stands before each block */
} walking;

static size_t begin_of(const walking *w, size_t block)
{
	return w->count / BLOCKS * block + (block < w->count % BLOCKS ? block : w->count % BLOCKS);
}

static void sum_block(void *context, unsigned thread, size_t block)
{
	(void)thread;
	walking *w = context;
	uint64_t sum = 0;
	for (size_t i = begin_of(w, block); i < begin_of(w, block + 1); i++)
		w->numbers[i] = sum += w->numbers[i];
	w->before[block] = sum;
}

static void lift_block(void *context, unsigned thread, size_t block)
{
	(void)thread;
	const walking *w = context;
	for (size_t i = begin_of(w, block); i < begin_of(w, block + 1); i++)
		w->numbers[i] += w->before[block];
}

void gemp_prefix_sums(uint64_t *numbers, size_t count)
{
	walking w = { .numbers = numbers, .count = count };
	if (count < SMALL) {
		for (size_t i = 1; i < count; i++)
			numbers[i] += numbers[i - 1];
		return;
	}
	gemp_parallel_for(BLOCKS, sum_block, &w);
	uint64_t before = 0;
	for (size_t block = 0; block < BLOCKS; block++) {
		uint64_t here = w.before[block];
		w.before[block] = before;
		before += here;
	}
	gemp_parallel_for(BLOCKS, lift_block, &w);
}

static void shift_block(void *context, unsigned thread, size_t block)
{
	(void)thread;
	const walking *w = context;
	size_t begin = begin_of(w, block), end = begin_of(w, block + 1);
	memmove(w->numbers + begin + 1, w->numbers + begin, (end - begin - 1) * sizeof *w->numbers);
	w->numbers[begin] = w->before[block];
}

void gemp_prefix_shift(uint64_t *numbers, size_t count)
{
	walking w = { .numbers = numbers, .count = count };
	if (count < SMALL) {
		memmove(numbers + 1, numbers, (count - 1) * sizeof *numbers);
		numbers[0] = 0;
		return;
	}
	for (size_t block = 1; block < BLOCKS; block++)
		w.before[block] = numbers[begin_of(&w, block) - 1];
	gemp_parallel_for(BLOCKS, shift_block, &w);
}
