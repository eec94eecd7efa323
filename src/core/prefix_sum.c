#include "core/prefix_sum.h"

#include "core/threads.h"

#include <string.h>

enum { BLOCKS = 64, SMALL = 1 << 14 };

typedef struct prefix_task {
	uint64_t *numbers;
	size_t count;
	uint64_t before[BLOCKS]; /* what stands before each block */
} prefix_task;

static size_t begin_of(const prefix_task *w, size_t block)
{
	return w->count / BLOCKS * block + (block < w->count % BLOCKS ? block : w->count % BLOCKS);
}

static void sum_block(void *context, unsigned thread, size_t block)
{
	(void)thread;
	prefix_task *w = context;
	uint64_t sum = 0;
	for (size_t i = begin_of(w, block); i < begin_of(w, block + 1); i++)
		w->numbers[i] = sum += w->numbers[i];
	w->before[block] = sum;
}

static void add_before(void *context, unsigned thread, size_t block)
{
	(void)thread;
	const prefix_task *w = context;
	for (size_t i = begin_of(w, block); i < begin_of(w, block + 1); i++)
		w->numbers[i] += w->before[block];
}

void gemp_prefix_inclusive(uint64_t *numbers, size_t count)
{
	prefix_task w = { .numbers = numbers, .count = count };
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
	gemp_parallel_for(BLOCKS, add_before, &w);
}

static void shift_block(void *context, unsigned thread, size_t block)
{
	(void)thread;
	const prefix_task *w = context;
	size_t begin = begin_of(w, block), end = begin_of(w, block + 1);
	memmove(w->numbers + begin + 1, w->numbers + begin, (end - begin - 1) * sizeof *w->numbers);
	w->numbers[begin] = w->before[block];
}

void gemp_prefix_shift(uint64_t *numbers, size_t count)
{
	prefix_task w = { .numbers = numbers, .count = count };
	if (count < SMALL) {
		memmove(numbers + 1, numbers, (count - 1) * sizeof *numbers);
		numbers[0] = 0;
		return;
	}
	for (size_t block = 1; block < BLOCKS; block++)
		w.before[block] = numbers[begin_of(&w, block) - 1];
	gemp_parallel_for(BLOCKS, shift_block, &w);
}

enum { SLABS = 64, FEW = 1 << 14 };

typedef struct scan_task {
	const void *numbers;
	void *sums;
	unsigned size;
	size_t count;
	uint64_t before[SLABS]; /* the sum of a slab, and then that of those before it */
} scan_task;

static size_t begin_of_slab(const scan_task *s, size_t slab)
{
	return s->count / SLABS * slab + (slab < s->count % SLABS ? slab : s->count % SLABS);
}

static uint64_t walk_u32(const uint32_t *numbers, uint32_t *sums, size_t begin, size_t end, uint64_t sum)
{
	for (size_t i = begin; i < end; i++) {
		uint32_t number = numbers[i];
		sums[i] = (uint32_t)sum;
		sum += number;
	}
	return sum;
}

static uint64_t walk_u64(const uint64_t *numbers, uint64_t *sums, size_t begin, size_t end, uint64_t sum)
{
	for (size_t i = begin; i < end; i++) {
		uint64_t number = numbers[i];
		sums[i] = sum;
		sum += number;
	}
	return sum;
}

static uint64_t walk(const scan_task *s, size_t begin, size_t end, uint64_t sum)
{
	return s->size == 4 ? walk_u32(s->numbers, s->sums, begin, end, sum)
	                    : walk_u64(s->numbers, s->sums, begin, end, sum);
}

static void sum_slab(void *context, unsigned thread, size_t slab)
{
	(void)thread;
	scan_task *s = context;
	uint64_t sum = 0;
	for (size_t i = begin_of_slab(s, slab); i < begin_of_slab(s, slab + 1); i++)
		sum += s->size == 4 ? ((const uint32_t *)s->numbers)[i] : ((const uint64_t *)s->numbers)[i];
	s->before[slab] = sum;
}

static void scan_slab(void *context, unsigned thread, size_t slab)
{
	(void)thread;
	scan_task *s = context;
	walk(s, begin_of_slab(s, slab), begin_of_slab(s, slab + 1), s->before[slab]);
}

static uint64_t scan(const void *numbers, void *sums, unsigned size, size_t count)
{
	scan_task s = { .numbers = numbers, .sums = sums, .size = size, .count = count };
	if (count < FEW || gemp_threads() == 1)
		return walk(&s, 0, count, 0);
	gemp_parallel_for(SLABS, sum_slab, &s);
	uint64_t all = walk_u64(s.before, s.before, 0, SLABS, 0);
	gemp_parallel_for(SLABS, scan_slab, &s);
	return all;
}

uint64_t gemp_prefix_exclusive_u32(const uint32_t *numbers, uint32_t *sums, size_t count)
{
	return scan(numbers, sums, sizeof *numbers, count);
}

uint64_t gemp_prefix_exclusive_u64(const uint64_t *numbers, uint64_t *sums, size_t count)
{
	return scan(numbers, sums, sizeof *numbers, count);
}
