#include "primitive/scan.h"

#include "core/threads.h"

enum { SLABS = 64, SMALL = 1 << 14 };

typedef struct scanning {
	const void *numbers;
	void *sums;
	unsigned size;
	size_t count;
	uint64_t before[SLABS]; /* the sum of a slab, and then that of those before it */
} scanning;

static size_t begin_of(const scanning *s, size_t slab)
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

static uint64_t walk(const scanning *s, size_t begin, size_t end, uint64_t sum)
{
	return s->size == 4 ? walk_u32(s->numbers, s->sums, begin, end, sum) : walk_u64(s->numbers, s->sums, begin, end, sum);
}

static void sum_slab(void *context, unsigned thread, size_t slab)
{
	(void)thread;
	scanning *s = context;
	uint64_t sum = 0;
	for (size_t i = begin_of(s, slab); i < begin_of(s, slab + 1); i++)
		sum += s->size == 4 ? ((const uint32_t *)s->numbers)[i] : ((const uint64_t *)s->numbers)[i];
	s->before[slab] = sum;
}

static void scan_slab(void *context, unsigned thread, size_t slab)
{
	(void)thread;
	scanning *s = context;
	walk(s, begin_of(s, slab), begin_of(s, slab + 1), s->before[slab]);
}

static uint64_t scan(const void *numbers, void *sums, unsigned size, size_t count)
{
	scanning s = { .numbers = numbers, .sums = sums, .size = size, .count = count };
	if (count < SMALL || gemp_threads() == 1)
		return walk(&s, 0, count, 0);
	gemp_parallel_for(SLABS, sum_slab, &s);
	uint64_t all = walk_u64(s.before, s.before, 0, SLABS, 0);
	gemp_parallel_for(SLABS, scan_slab, &s);
	return all;
}

uint64_t gemp_scan_host_u32(const uint32_t *numbers, uint32_t *sums, size_t count)
{
	return scan(numbers, sums, sizeof *numbers, count);
}

uint64_t gemp_scan_host_u64(const uint64_t *numbers, uint64_t *sums, size_t count)
{
	return scan(numbers, sums, sizeof *numbers, count);
}
