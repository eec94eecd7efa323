/* Tests the halo exchange. Values that owners have changed must arrive at every rank that holds a copy (a ghost) of the
 * vertex, and no other values may arrive. All encodings are tested, through shared memory and through messages. */
#include "analytics/halo/halo.h"
#include "analytics/layout/layout.h"
#include "comm/comm.h"
#include "comm/exchange.h"
#include "core/status.h"
#include "device/device.h"
#include "device/open.h"
#include "harness/collective.h"
#include "harness/gas_case.h"
#include "harness/limits.h"

static gemp_device *device;
static const gemp_comm *comm; /* communicator of the current test; one test pretends that the ranks run on two nodes */

/* The value that a vertex gets in a round in which it changes. */
static uint64_t value_of(uint64_t seed, uint64_t round, uint32_t number)
{
	return gemp_mix(seed + round * 1000003 + number);
}

static bool changes(uint64_t seed, uint64_t round, uint32_t number, unsigned percent)
{
	return gemp_mix(seed * 31 + round * 7919 + number) % 100 < percent;
}

/* The state of one test of the exchange: values of all known vertices and bitmaps of changes, on the host and on the
 * device. Values have `size` bytes; 0 exchanges bitmaps only. */
typedef struct halo_state {
	const gas_case *c;
	const gemp_layout *layout;
	size_t size, apart; /* apart = 2: values are the upper halves of words */
	uint64_t seed;
	uint64_t *last; /* [n] the last round in which a vertex changed */
	char *values;   /* [known] */
	uint32_t *bits;
	size_t words;
	gemp_buffer value_buffer, changed, arrived, carried;
} halo_state;

static void set_value(halo_state *p, uint32_t v, uint64_t value)
{
	if (p->size)
		memcpy(p->values + (v * p->apart + p->apart - 1) * p->size, &value, p->size);
}

static bool has_value(const halo_state *p, uint32_t v, uint64_t value)
{
	return !p->size || memcmp(p->values + (v * p->apart + p->apart - 1) * p->size, &value, p->size) == 0;
}

/* May this rank have sent that many bytes in a round? The host's threads choose the shortest of three encodings for
 * each destination: all values, a bitmap, or a list of positions. Kernels may send a bitmap where another encoding
 * would be shorter. With values a bitmap has a position for each block of 256 words. */
static bool expects_bytes(const halo_state *p, uint64_t round, unsigned percent, uint64_t bytes)
{
	const gemp_layout_links *links = &p->layout->links;
	uint64_t least = 0, most = 0;
	for (int r = 0; r < test_comm.size; r++) {
		uint64_t places = links->send_begin[r + 1] - links->send_begin[r], count = 0, words = (places + 31) / 32;
		for (uint64_t i = links->send_begin[r]; i < links->send_begin[r + 1]; i++)
			count += changes(p->seed, round, p->c->number[p->layout->id[links->send[i]]], percent);
		uint64_t bitmap = ((words + (p->size ? (words + 255) / 256 : 0)) * 4 + 7) / 8 * 8,
				 pairs = (count * 4 + 7) / 8 * 8;
		if (!places)
			continue;
		least += 8 + (count == places ? 0 : bitmap < pairs ? bitmap : pairs) + count * p->size;
		most += 8 + (bitmap > pairs ? bitmap : pairs) + count * p->size;
	}
	return bytes >= least && bytes <= (gemp_limits_now()->halo_kernels == 1 ? most : least);
}

/* The words that the rounds carry from and to the device, different in each round and on each rank. */
static void set_words(const halo_state *p, uint64_t round, uint64_t *words)
{
	for (uint64_t i = 0; i < GEMP_HALO_CARRIED; i++)
		words[i] = value_of(p->seed, round * 64 + i, (uint32_t)test_comm.rank);
}

/* The host must have read the words of this round, and the device must now have those of the next one. */
static bool check_words(const halo_state *p, uint64_t round, const uint64_t *host, bool read)
{
	uint64_t words[GEMP_HALO_CARRIED], device_words[GEMP_HALO_CARRIED];
	set_words(p, round, words);
	if (test_comm.size == 1)
		return true;
	if (read && memcmp(words, host, sizeof words) != 0)
		return false;
	set_words(p, round + 1, words);
	return gemp_buffer_read(device, &p->carried, 0, sizeof device_words, device_words) == GEMP_OK &&
	       memcmp(words, device_words, sizeof words) == 0;
}

/* Sets the bits of the changed own vertices in messages, as kernels do, and the carried words before them. */
static gemp_code set_marks(const halo_state *p, const gemp_halo_marks *marks, uint64_t round)
{
	const uint32_t own = p->layout->own;
	const uint64_t sent = p->layout->links.send_begin[test_comm.size];
	uint32_t *begin = calloc(own + 1, sizeof *begin), *place = calloc(sent + 1, sizeof *place);
	uint64_t *bits = calloc(marks->words / 2 + 1, sizeof *bits);
	gemp_code code = gemp_buffer_read(device, &marks->begin, 0, (own + 1) * sizeof *begin, begin);
	if (sent)
		code |= gemp_buffer_read(device, &marks->place, 0, sent * sizeof *place, place);
	set_words(p, round, bits);
	for (uint32_t v = 0; v < own; v++)
		for (uint32_t i = begin[v]; p->bits[v / 32] >> v % 32 & 1 && i < begin[v + 1]; i++)
			gemp_bits32_set((uint32_t *)bits, place[i]);
	code |= gemp_buffer_write(device, &marks->bits[marks->turn], 0, marks->words * sizeof *begin, bits);
	code |= gemp_buffer_zero(device, &marks->bits[!marks->turn], 0, marks->words * sizeof *begin);
	free(begin);
	free(place);
	free(bits);
	return code;
}

/* Runs and checks one round; returns false if something is wrong. one_bitmap: the changed vertices of this rank and the
 * arrivals share a bitmap. */
static bool run_round(halo_state *p, gemp_halo *halo, uint64_t round, unsigned percent, bool one_bitmap)
{
	const gemp_layout *layout = p->layout;
	uint64_t before = gemp_halo_traffic(halo)->bytes;
	gemp_code code = GEMP_OK;
	bool right = true;
	uint64_t sums[2] = { 1, (uint64_t)test_comm.rank }, maxima[1] = { round + (uint64_t)test_comm.rank };
	const uint64_t ranks = (uint64_t)test_comm.size;
	uint64_t read_words[GEMP_HALO_CARRIED], written[GEMP_HALO_CARRIED];
	const gemp_halo_carried read = { &p->carried, GEMP_HALO_CARRIED, read_words };
	const gemp_halo_carried write = { &p->carried, GEMP_HALO_CARRIED, written };
	const bool all = percent == 100 && round % 2;
	set_words(p, round, written);
	code |= gemp_buffer_write(device, &p->carried, 0, sizeof written, written);
	memset(p->bits, 0, p->words * sizeof *p->bits);
	for (uint32_t n = 0; n < p->c->n; n++)
		if (changes(p->seed, round, n, percent))
			p->last[n] = round;
	for (uint32_t v = 0; v < layout->own; v++)
		if (p->last[p->c->number[layout->id[v]]] == round) {
			p->bits[v / 32] |= 1u << v % 32;
			set_value(p, v, value_of(p->seed, round, p->c->number[layout->id[v]]));
		}
	if (p->size)
		code |= gemp_buffer_write(device, &p->value_buffer, 0, layout->own * p->size * p->apart, p->values);
	code |= gemp_buffer_write(device, &p->changed, 0, p->words * sizeof *p->bits, p->bits);
	code |= gemp_buffer_zero(device, &p->arrived, 0, p->words * sizeof *p->bits);
	gemp_buffer *arrived = one_bitmap ? &p->changed : &p->arrived;
	const gemp_halo_marks *marks = all || round % 2 ? NULL : gemp_halo_marks_of(halo);
	const bool set = round % 4 == 0;
	if (marks && set)
		code |= set_marks(p, marks, round);
	else if (marks)
		code |= gemp_buffer_zero(device, &marks->bits[marks->turn], 0, marks->words * sizeof(uint32_t));
	code |= marks ? gemp_halo_begin_marked(halo, set ? NULL : &p->changed, &read)
	              : gemp_halo_begin(halo, p->size ? &p->value_buffer : NULL, all ? NULL : &p->changed,
	                                all ? NULL : &read);
	if (round % 4) /* otherwise a round of sums alone follows the exchange */
		code |= gemp_halo_round(halo, code, sums, 2, maxima, 1);
	set_words(p, round + 1, written);
	code |= gemp_halo_end(halo, p->size ? &p->value_buffer : NULL, round % 5 == 4 && !one_bitmap ? NULL : arrived,
	                      &write);
	right &= check_words(p, round, read_words, !all);
	if (p->size)
		code |= gemp_buffer_read(device, &p->value_buffer, 0, layout->known * p->size * p->apart, p->values);
	code |= gemp_buffer_read(device, arrived, 0, p->words * sizeof *p->bits, p->bits);
	for (uint32_t v = 0; v < layout->known; v++) {
		uint32_t n = p->c->number[layout->id[v]];
		bool set = p->bits[v / 32] >> v % 32 & 1, wanted = one_bitmap || (v >= layout->own && round % 5 != 4);
		right &= has_value(p, v, value_of(p->seed, p->last[n], n)) && set == (wanted && p->last[n] == round);
	}
	for (size_t v = layout->known; v < p->words * 32; v++)
		right &= !(p->bits[v / 32] >> v % 32 & 1);
	right &= test_comm.size == 1 || expects_bytes(p, round, percent, gemp_halo_traffic(halo)->bytes - before);
	if (round % 4 == 0)
		right &= gemp_halo_round(halo, code, sums, 2, maxima, 1) == GEMP_OK;
	right &= sums[0] == ranks && sums[1] == ranks * (ranks - 1) / 2 && maxima[0] == round + ranks - 1;
	return right && code == GEMP_OK;
}

static void run_case(const gas_case *c, size_t size, size_t apart, uint64_t seed)
{
	static const unsigned percents[] = { 0, 100, 3, 50, 100, 97, 1, 100 };
	gemp_layout layout;
	gemp_halo *halo;
	assert_all_ok(gemp_layout_new(&layout, comm, c->graph, &(gemp_layout_options){ .parts = GEMP_LAYOUT_IN }));
	halo_state p = {
		.c = c, .layout = &layout, .size = size, .apart = apart, .seed = seed, .words = layout.known / 32 + 1
	};
	p.last = calloc(c->n, sizeof *p.last);
	p.values = calloc(layout.known + 1, 8);
	p.bits = calloc(p.words, sizeof *p.bits);
	for (uint32_t v = 0; v < layout.known; v++)
		set_value(&p, v, value_of(seed, 0, c->number[layout.id[v]]));
	gemp_code code = gemp_buffer_new(&p.value_buffer, device, layout.known * 8 + 8, p.values);
	code |= gemp_buffer_new(&p.changed, device, p.words * sizeof *p.bits, NULL);
	code |= gemp_buffer_new(&p.arrived, device, p.words * sizeof *p.bits, NULL);
	code |= gemp_buffer_new(&p.carried, device, GEMP_HALO_CARRIED * sizeof(uint64_t), NULL);
	assert_all_ok(code);
	assert_all_ok(apart > 1 ? gemp_halo_new_halves(&halo, &layout, device)
	                        : gemp_halo_new(&halo, &layout, device, size));
	for (uint64_t round = 1; round <= sizeof percents / sizeof *percents; round++)
		assert_all(run_round(&p, halo, round, percents[round - 1], round % 3 == 0));
	gemp_halo_free(halo);
	gemp_buffer_free(&p.value_buffer, device);
	gemp_buffer_free(&p.changed, device);
	gemp_buffer_free(&p.arrived, device);
	gemp_buffer_free(&p.carried, device);
	gemp_layout_free(&layout);
	free(p.last);
	free(p.values);
	free(p.bits);
}

static void run_all(int kernels, int common, const gemp_comm *ranks)
{
	const int cases = common && ranks == &test_comm ? 24 : 9;
	uint64_t seed = test_seed_all();
	size_t blocks = gemp_memory_blocks(); /* blocks of the device, which stays open */
	comm = ranks;
	for (int i = 0; i < cases; i++) {
		gas_case c;
		assert_all_ok(gas_case_new(&c, &test_comm, i % GAS_SHAPES, seed + (uint64_t)i, i % 3 == 2 ? 30 : 1));
		TEST_LIMIT(halo_kernels, kernels);
		TEST_LIMIT(halo_shared, common);
		TEST_LIMIT(halo_listed_max,
		           i % 4 < 2 ? gemp_limits_default.halo_listed_max : (unsigned)(i * test_comm.size / 4));
		TEST_LIMIT(exchange_chunk, i % 2 ? gemp_limits_default.exchange_chunk : 64 + 8 * gemp_random_below(&seed, 20));
		run_case(&c, (size_t)(i % 3) * 4, i % 6 == 1 ? 2 : 1, seed);
		TEST_LIMIT_DEFAULT(exchange_chunk);
		gas_case_free(&c);
	}
	TEST_LIMIT_DEFAULT(halo_kernels);
	TEST_LIMIT_DEFAULT(halo_shared);
	TEST_LIMIT_DEFAULT(halo_listed_max);
	assert_all(gemp_memory_blocks() == blocks);
}

static void by_host(void **state)
{
	(void)state;
	run_all(0, -1, &test_comm);
}

static void by_kernels(void **state)
{
	(void)state;
	run_all(1, -1, &test_comm);
}

static void by_host_in_messages(void **state)
{
	(void)state;
	run_all(0, 0, &test_comm);
}

static void by_kernels_in_messages(void **state)
{
	(void)state;
	run_all(1, 0, &test_comm);
}

/* The ranks are split into two nodes by odd and even rank, so some pairs share memory and others exchange messages. */
static void on_two_nodes(void **state)
{
	(void)state;
	gemp_comm nodes = test_comm;
	assert_all(MPI_Comm_split(test_comm.world, test_comm.rank % 2, -test_comm.rank, &nodes.node) == MPI_SUCCESS);
	MPI_Comm_rank(nodes.node, &nodes.node_rank);
	MPI_Comm_size(nodes.node, &nodes.node_size);
	run_all(0, -1, &nodes);
	run_all(1, -1, &nodes);
	MPI_Comm_free(&nodes.node);
}

/* Messages of several blocks of 256 words, whose values kernels pack in any order. */
static void many_blocks(void **state)
{
	(void)state;
	for (int i = 0; i < 6; i++) {
		gas_case c;
		assert_all_ok(gas_case_new(&c, &test_comm, 1, 12, 2000));
		assert_all(c.n > 40000);
		comm = &test_comm;
		TEST_LIMIT(halo_kernels, i % 2);
		TEST_LIMIT(halo_listed_max, i < 4 ? gemp_limits_default.halo_listed_max : 100);
		run_case(&c, (size_t)(i / 2 + 1) % 3 * 4, i < 2 ? 2 : 1, 12);
		gas_case_free(&c);
	}
	TEST_LIMIT_DEFAULT(halo_kernels);
	TEST_LIMIT_DEFAULT(halo_listed_max);
}

/* If one rank cannot pack its values, the round fails on all ranks with that rank's message. The next round works
 * again. */
static void failed_rounds(void **state)
{
	(void)state;
	gas_case c;
	gemp_layout layout;
	gemp_halo *halo;
	gemp_buffer values, lost = { .size = 8 };
	TEST_LIMIT(halo_kernels, 0);
	assert_all_ok(gas_case_new(&c, &test_comm, 2, 4, 4));
	assert_all_ok(gemp_layout_new(&layout, &test_comm, c.graph, &(gemp_layout_options){ .parts = GEMP_LAYOUT_IN }));
	assert_all_ok(gemp_halo_new(&halo, &layout, device, 4));
	assert_all_ok(gemp_buffer_new(&values, device, layout.known * 4 + 4, NULL));
	for (int r = 0; r < 2 * test_comm.size; r++) {
		const bool fails = r % 2 == 0 && r / 2 == test_comm.rank && test_comm.size > 1;
		uint64_t sums[1] = { 1 };
		gemp_code code = gemp_halo_begin(halo, fails ? &lost : &values, NULL, NULL);
		assert_all((code == GEMP_OK) == !fails);
		code = gemp_halo_round(halo, code, sums, 1, NULL, 0);
		if (r % 2 == 0 && test_comm.size > 1)
			assert_all(code == GEMP_EINTERNAL && sums[0] == 1 && strstr(gemp_message(), "clEnqueueMapBuffer"));
		else
			assert_all(code == GEMP_OK && sums[0] == (uint64_t)test_comm.size);
		assert_all_ok(gemp_halo_end(halo, &values, NULL, NULL));
	}
	gemp_halo_free(halo);
	gemp_buffer_free(&values, device);
	gemp_layout_free(&layout);
	gas_case_free(&c);
	TEST_LIMIT_DEFAULT(halo_kernels);
}

/* A rank that runs out of memory in the middle of a search passes its code to the next round. All ranks then return it
 * with the rank's message, and none waits. The following round works again. */
static void failing_rank(void **state)
{
	(void)state;
	gas_case c;
	gemp_layout layout;
	gemp_halo *halo;
	gemp_buffer changed;
	assert_all_ok(gas_case_new(&c, &test_comm, 2, 4, 4));
	assert_all_ok(gemp_layout_new(&layout, &test_comm, c.graph, &(gemp_layout_options){ .parts = GEMP_LAYOUT_IN }));
	assert_all_ok(gemp_buffer_new(&changed, device, (layout.known / 32 + 1) * sizeof(uint32_t), NULL));
	assert_all_ok(gemp_buffer_zero(device, &changed, 0, changed.size));
	for (int i = 0; i < 4 * test_comm.size; i++) {
		const int rank = i / 4;
		TEST_LIMIT(halo_kernels, i % 2);
		assert_all_ok(gemp_halo_new(&halo, &layout, device, 0));
		for (int round = 0; round < 2; round++) {
			uint64_t sums[1] = { 1 };
			gemp_code code = gemp_halo_marks_of(halo) ? gemp_halo_begin_marked(halo, i % 4 < 2 ? NULL : &changed, NULL)
			                                          : gemp_halo_begin(halo, NULL, &changed, NULL);
			if (round == 0 && rank == test_comm.rank)
				code = gemp_fail(GEMP_ENOMEM, "rank %d is out of memory", rank);
			code = gemp_halo_round(halo, code, sums, 1, NULL, 0);
			assert_all(code == (round == 0 ? GEMP_ENOMEM : GEMP_OK));
			assert_all(round == 0 ? sums[0] == 1 && strstr(gemp_message(), "is out of memory")
			                      : sums[0] == (uint64_t)test_comm.size);
			if (round)
				assert_all_ok(gemp_halo_end(halo, NULL, &changed, NULL));
		}
		gemp_halo_free(halo);
	}
	TEST_LIMIT_DEFAULT(halo_kernels);
	gemp_buffer_free(&changed, device);
	gemp_layout_free(&layout);
	gas_case_free(&c);
}

/* A failure on one rank becomes a failure of all ranks, and sums are left as they were. */
static void failures_are_agreed_on(void **state)
{
	(void)state;
	double sums[1] = { 1 };
	for (int r = 0; r < test_comm.size; r++) {
		gemp_code mine = test_comm.rank == r ? gemp_fail(GEMP_EDATA, "rank %d", r) : GEMP_OK;
		assert_all(gemp_halo_agree(&test_comm, mine, sums, 1) == GEMP_EDATA && sums[0] == 1);
	}
	assert_all(gemp_halo_agree(&test_comm, GEMP_OK, NULL, 0) == GEMP_OK);
}

static gemp_code make(void *layout)
{
	gemp_halo *halo;
	gemp_code code = gemp_halo_new(&halo, layout, device, 8);
	gemp_halo_free(halo);
	return code;
}

static void memory_may_run_out(void **state)
{
	(void)state;
	gas_case c;
	gemp_layout layout;
	assert_all_ok(gas_case_new(&c, &test_comm, 2, 4, 4));
	assert_all_ok(gemp_layout_new(&layout, &test_comm, c.graph, &(gemp_layout_options){ .parts = GEMP_LAYOUT_IN }));
	assert_all_survive_no_memory(make, &layout);
	gemp_layout_free(&layout);
	gas_case_free(&c);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_host),
		cmocka_unit_test(by_kernels),
		cmocka_unit_test(by_host_in_messages),
		cmocka_unit_test(by_kernels_in_messages),
		cmocka_unit_test(on_two_nodes),
		cmocka_unit_test(many_blocks),
		cmocka_unit_test(failed_rounds),
		cmocka_unit_test(failing_rank),
		cmocka_unit_test(failures_are_agreed_on),
		cmocka_unit_test(memory_may_run_out),
	};
	MPI_Init(&argc, &argv);
	if (gemp_device_open(&device, NULL, 0, 1, 0) != GEMP_OK)
		return TEST_SKIPPED;
	int failed = test_main_all(argc, argv, tests);
	gemp_device_close(device);
	return failed;
}
