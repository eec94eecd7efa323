/* Tests decoding across ranks: every rank must get each tuple that is destined for it once and in the right range. The
 * reference has all tuples of all ranks on every rank. */
#include "core/memory.h"
#include "harness/collective.h"

#include "comm/comm.h"
#include "comm/exchange.h"
#include "core/random.h"
#include "core/status.h"
#include "device/device.h"
#include "device/open.h"
#include "harness/limits.h"
#include "primitive/toolbox.h"
#include "shuffle/shuffle.h"
#include "shuffle/shuffle_ranks.h"

#include <stdlib.h>
#include <string.h>

enum { BITS = 3, SHIFT = 4, MAX_WORDS = 16 };

static gemp_device *device;
static gemp_toolbox *box;
static gemp_device_exchange *exchange;

/* A tuple whose destination comes first, whatever the layout is. */
typedef struct tuple {
	uint32_t to, word[MAX_WORDS];
} tuple;

static unsigned words_of(const gemp_shuffle *how)
{
	return how->size == 4 ? 1 : how->size / 4 - 1; /* without the destination */
}

/* Reads tuple i of a layout. column: the destinations, if the layout stores them apart from the tuples. */
static tuple read_tuple(const gemp_shuffle *how, const uint32_t *column, const uint32_t *words, size_t i)
{
	tuple t = { 0 };
	unsigned of_element = how->layout == GEMP_SHUFFLE_SOA ? words_of(how) : how->size / 4;
	const uint32_t *element = words + i * of_element;
	if (how->size == 4) {
		t.to = *element >> 16;
		t.word[0] = *element & 0xffff;
	} else {
		t.to = how->layout == GEMP_SHUFFLE_SOA ? column[i] : element[0];
		memcpy(t.word, how->layout == GEMP_SHUFFLE_SOA ? element : element + 1, words_of(how) * 4);
	}
	return t;
}

static int compare(const void *a, const void *b)
{
	return memcmp(a, b, sizeof(tuple));
}

/* Returns the sorted tuples of `all` that are destined for this rank, [*own]. */
static tuple *own_tuples(const tuple *all, size_t count, size_t *own)
{
	tuple *out = calloc(count + 1, sizeof *out);
	*own = 0;
	for (size_t i = 0; i < count; i++)
		if ((int)(all[i].to >> (BITS + SHIFT)) == test_comm.rank)
			out[(*own)++] = all[i];
	qsort(out, *own, sizeof *out, compare);
	return out;
}

static bool decoded_right(const gemp_shuffled *s, const tuple *all, size_t count)
{
	size_t own, size = s->how.layout == GEMP_SHUFFLE_SOA ? s->how.size - 4 : s->how.size;
	tuple *expected = own_tuples(all, count, &own), *got = calloc(s->tuples.count + 1, sizeof *got);
	uint32_t begin[(1 << BITS) + 1], *column = calloc(s->tuples.count + 1, 4),
									 *words = calloc(s->tuples.count + 1, size);
	bool good = gemp_buffer_read(device, &s->begin, 0, sizeof begin, begin) == GEMP_OK && own == s->tuples.count &&
	            gemp_buffer_read(device, s->tuples.tuple, 0, own * size, words) == GEMP_OK &&
	            (!s->tuples.destination ||
	             gemp_buffer_read(device, s->tuples.destination, 0, own * 4, column) == GEMP_OK) &&
	            begin[0] == 0 && begin[1 << BITS] == own;
	for (uint32_t r = 0; good && r < 1 << BITS; r++)
		for (size_t i = begin[r]; good && i < begin[r + 1]; i++) {
			got[i] = read_tuple(&s->how, column, words, i);
			good = (got[i].to >> SHIFT & ((1 << BITS) - 1)) == r;
		}
	qsort(got, good ? own : 0, sizeof *got, compare);
	good = good && memcmp(expected, got, own * sizeof *got) == 0;
	free(expected);
	free(got);
	free(column);
	free(words);
	return good;
}

/* Draws `count` tuples on this rank for the first `owners` ranks, decodes them, and checks the result. */
static void check(gemp_shuffle how, size_t count, int owners, gemp_code expected, uint64_t *random)
{
	unsigned words = words_of(&how), element = how.layout == GEMP_SHUFFLE_SOA ? words : how.size / 4;
	uint32_t *column = calloc(count + 1, 4), *tuples = calloc(count + 1, element * 4);
	tuple *own = calloc(count + 1, sizeof *own);
	for (size_t i = 0; i < count; i++) {
		uint32_t to = (uint32_t)gemp_random_below(random, (uint64_t)owners << (BITS + SHIFT)),
				 *t = tuples + i * element;
		for (unsigned k = 0; k < element; k++)
			t[k] = (uint32_t)gemp_random(random);
		column[i] = to;
		if (how.size == 4)
			*t = to << 16 | (*t & 0xffff);
		else if (how.layout != GEMP_SHUFFLE_SOA)
			*t = to;
		own[i] = read_tuple(&how, column, tuples, i);
	}
	void *all;
	size_t *begin;
	gemp_buffer buffers[2] = { { 0 }, { 0 } };
	gemp_shuffled shuffled;
	const gemp_traffic before = gemp_device_exchange_costs(exchange).traffic;
	assert_all_ok(gemp_comm_allgather(&test_comm, GEMP_OK, own, count * sizeof *own, &all, &begin));
	assert_all_ok(gemp_buffer_new(&buffers[0], device, (count + 1) * element * 4, tuples));
	assert_all_ok(gemp_buffer_new(&buffers[1], device, (count + 1) * 4, column));
	const gemp_tuples in = { how.layout == GEMP_SHUFFLE_AOS ? NULL : &buffers[1], &buffers[0], count, NULL };
	assert_all_code(gemp_shuffle_ranks(&shuffled, &test_comm, box, &how, &in, exchange), expected);
	if (expected == GEMP_OK) {
		size_t whole = begin[test_comm.size] / sizeof *own;
		assert_all(decoded_right(&shuffled, all, whole));
		assert_all(test_comm.size > 1 || gemp_device_exchange_costs(exchange).traffic.bytes == before.bytes);
		if (whole > 100) { /* the check must detect a flipped bit */
			((tuple *)all)[whole / 2].word[0] ^= 1;
			bool good = decoded_right(&shuffled, all, whole);
			assert_all(gemp_comm_sum1(&test_comm, good) == (uint64_t)test_comm.size - 1);
		}
	}
	gemp_shuffled_free(&shuffled);
	for (int k = 0; k < 2; k++)
		gemp_buffer_free(&buffers[k], device);
	gemp_free(all);
	gemp_free(begin);
	free(column);
	free(tuples);
	free(own);
}

static const gemp_shuffle layouts[] = {
	{ .layout = GEMP_SHUFFLE_AOS, .size = 4, .bits = BITS, .shift = SHIFT },
	{ .layout = GEMP_SHUFFLE_SOA, .size = 8, .bits = BITS, .shift = SHIFT },
	{ .layout = GEMP_SHUFFLE_AOS_KEYS, .size = 16, .bits = BITS, .shift = SHIFT },
	{ .layout = GEMP_SHUFFLE_AOS, .size = 64, .bits = BITS, .shift = SHIFT },
};

static void set_exchange(bool chunks, size_t chunk)
{
	TEST_LIMIT(device_exchange_chunks, chunks);
	TEST_LIMIT(device_exchange_chunk, chunk);
	assert_all_ok(gemp_device_exchange_new(&exchange, &test_comm, device));
}

static void free_exchange(void)
{
	gemp_device_exchange_free(exchange);
	TEST_LIMIT_DEFAULT(device_exchange_chunks);
	TEST_LIMIT_DEFAULT(device_exchange_chunk);
}

static void as_a_whole(void **state)
{
	uint64_t random = test_seed_all() + (uint64_t)test_comm.rank;
	(void)state;
	set_exchange(false, 1);
	for (size_t k = 0; k < sizeof layouts / sizeof *layouts; k++)
		for (size_t most = 1; most <= 3000; most += 2999) {
			size_t count = gemp_random_below(&random, 3) ? (size_t)gemp_random_below(&random, most) + 1 : 0;
			check(layouts[k], count, test_comm.size, GEMP_OK, &random);
			check(layouts[k], count, 1, GEMP_OK, &random); /* all tuples go to rank 0 */
		}
	check(layouts[1], 0, 1, GEMP_OK, &random);
	free_exchange();
}

/* Chunks of two sizes; a small chunk may end within a tuple. */
static void in_chunks(void **state)
{
	uint64_t random = test_seed_all() + (uint64_t)test_comm.rank;
	(void)state;
	for (size_t chunk = 1000; chunk <= 100000; chunk *= 100) {
		set_exchange(true, chunk);
		for (size_t k = 0; k < sizeof layouts / sizeof *layouts; k++) {
			size_t count = gemp_random_below(&random, 3) ? (size_t)gemp_random_below(&random, 3000) + 1 : 0;
			check(layouts[k], count, test_comm.size, GEMP_OK, &random);
			check(layouts[k], count, 1, GEMP_OK, &random);
			check(layouts[k], test_comm.rank ? 0 : 2000, test_comm.size, GEMP_OK, &random); /* rank 0 has all tuples */
		}
		free_exchange();
	}
}

/* If the tuples do not fit on the device of one rank, all ranks fail. */
static void device_memory_runs_out(void **state)
{
	size_t limit = device->memory;
	uint64_t random = 5;
	(void)state;
	/* the memory holds the rank's own tuples, and then less and less beyond them */
	for (int i = 0; i < 8 && test_comm.size > 1; i++) {
		set_exchange(i % 2, 1000);
		if (test_comm.rank == test_comm.size - 1)
			device->memory = device->buffer_bytes + 270000 - (size_t)i / 2 * 40000;
		check(layouts[1], 10000, test_comm.size, GEMP_ENOMEM, &random);
		device->memory = limit;
		free_exchange();
	}
}

/* A destination of a rank that does not exist is an error. Only three ranks run this test. */
static void invalid_destinations(void **state)
{
	uint64_t random = 5 + (uint64_t)test_comm.rank;
	(void)state;
	if (test_comm.size != 3)
		return;
	set_exchange(false, 1);
	check(layouts[0], 100, 4, GEMP_EDATA, &random);
	assert_message("for rank 3 or higher");
	free_exchange();
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(as_a_whole), cmocka_unit_test(in_chunks),
		                                cmocka_unit_test(device_memory_runs_out),
		                                cmocka_unit_test(invalid_destinations) };
	if (gemp_device_open(&device, NULL, 0, 1, 0) != GEMP_OK ||
	    gemp_toolbox_new(&box, device, GEMP_FORM_AUTO) != GEMP_OK)
		return TEST_SKIPPED;
	int failed = test_main_all(argc, argv, tests);
	gemp_toolbox_free(box);
	failed |= device->buffer_bytes != 0;
	gemp_device_close(device);
	return failed;
}
