#include "partition/patch/new_keys.h"

#include "core/pages.h"
#include "core/threads.h"

#include <stdatomic.h>
#include <stdio.h>

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

/* New keys while all threads write them. */
typedef struct key_fill {
	gemp_column *keys;
	size_t row; /* the row of the first new key */
	int64_t first;
	const uint64_t *numbers;
} key_fill;

static void fill_integers(void *context, size_t begin, size_t end)
{
	const key_fill *f = context;
	for (size_t i = begin; i < end; i++)
		f->keys->integers[f->row + i] = f->first + (int64_t)f->numbers[i];
}

/* Sets the lengths of texts, which prefix sums turn into offsets. */
static void measure_texts(void *context, size_t begin, size_t end)
{
	const key_fill *f = context;
	for (size_t i = begin; i < end; i++) {
		uint64_t size = 2; /* '#' and a digit */
		for (uint64_t rest = (uint64_t)f->first + f->numbers[i]; rest >= 10; rest /= 10)
			size++;
		f->keys->offsets[f->row + i + 1] = size;
	}
}

static void fill_texts(void *context, size_t begin, size_t end)
{
	const key_fill *f = context;
	char text[32];
	for (size_t i = begin; i < end; i++) {
		const uint64_t *offset = &f->keys->offsets[f->row + i];
		snprintf(text, sizeof text, "#%lld", (long long)(f->first + (int64_t)f->numbers[i]));
		memcpy(f->keys->bytes + offset[0], text, (size_t)(offset[1] - offset[0]));
	}
}

/* offsets[row] is the sum of the lengths before it, so the sums over the new rows begin there. */
gemp_code gemp_new_keys_append(gemp_column *keys, int64_t first, const uint64_t *numbers, size_t count)
{
	key_fill f = { keys, keys->rows, first, numbers };
	GEMP_TRY(gemp_column_reserve(keys, f.row + count, 0));
	if (keys->type == GEMP_INTEGER) {
		gemp_touch_pages(keys->integers + f.row, count * sizeof *keys->integers);
		gemp_for_elements(count, fill_integers, &f);
	} else {
		gemp_for_elements(count, measure_texts, &f);
		gemp_prefix_inclusive(keys->offsets + f.row, count + 1);
		GEMP_TRY(gemp_column_reserve(keys, f.row + count, (size_t)keys->offsets[f.row + count]));
		gemp_for_elements(count, fill_texts, &f);
	}
	keys->rows += count;
	return GEMP_OK;
}
