#include "partition/patch/new_keys.h"

#include "core/threads.h"

#include <stdatomic.h>

/* Returns the number in a key "#12", or 0 for any other text. Texts of up to nineteen characters keep the number below
 * 2^63. */
static uint64_t parse_key_number(const char *bytes, size_t size)
{
	uint64_t number = 0;
	if (size < 2 || size > 19 || bytes[0] != '#' || bytes[1] == '0')
		return 0;
	for (size_t i = 1; i < size; i++) {
		if (bytes[i] < '0' || bytes[i] > '9')
			return 0;
		number = number * 10 + (uint64_t)(bytes[i] - '0');
	}
	return number;
}

typedef struct key_scan {
	const gemp_column *keys;
	_Atomic uint64_t max; /* the largest number of a key; numbers have the order of the keys */
} key_scan;

/* Finds the largest number of a key. The sign bit of integers is flipped, so that the order of unsigned numbers is the
 * order of the keys. */
static void scan_keys(void *self, size_t range, size_t begin, size_t end)
{
	(void)range;
	key_scan *l = self;
	const gemp_column *keys = l->keys;
	uint64_t max_key = 0;
	for (size_t row = begin; row < end; row++) {
		uint64_t begin = keys->offsets ? keys->offsets[row] : 0;
		uint64_t number = keys->integers
		                      ? (uint64_t)keys->integers[row] ^ (uint64_t)1 << 63
		                      : parse_key_number(keys->bytes + begin, (size_t)(keys->offsets[row + 1] - begin));
		max_key = number > max_key ? number : max_key;
	}
	/* an atomic maximum: the exchange fails only if another thread has stored another value meanwhile */
	uint64_t known = l->max;
	while (max_key > known && !atomic_compare_exchange_weak(&l->max, &known, max_key))
		;
}

int64_t gemp_patch_max_key(const gemp_comm *comm, const gemp_shard *graph)
{
	bool integers = graph->keys.type == GEMP_INTEGER;
	key_scan l = { .keys = &graph->keys, .max = integers ? (uint64_t)1 << 63 : 0 };
	gemp_for_ranges(graph->rows, scan_keys, &l);
	uint64_t max_key = l.max;
	gemp_comm_max(comm, &max_key, 1);
	return (int64_t)(integers ? max_key ^ (uint64_t)1 << 63 : max_key);
}
