/* bench_shuffle: gemp_bench_shuffle, tuples a second of each method, beside the bandwidth of a copy on the same device.
 *
 * `decode` reads the 4 bytes of each destination to count the ranges, and then reads and writes each tuple of w bytes: copy
 * bandwidth / (2 w + 4) bounds its rate. Bandwidth / w, the other column, bounds whatever reads each tuple once.
 */

#include "gemp/bench.h"

#include "api/report_state.h"
#include "bench/measure.h"
#include "core/quantity.h"
#include "device/open.h"
#include "primitive/split.h"

#include <inttypes.h>

/* A tuple of 4 bytes has OFFSET_BITS of its destination, and its value beside them; longer tuples have DESTINATION_BITS. */
enum { DESTINATION_BITS = 32, OFFSET_BITS = 16 };

_Static_assert((int)GEMP_BENCH_MAX_RANGES == 1 << GEMP_SPLIT_BITS, "a split has as many ranges");

/* The logarithm of a power of 2. */
static unsigned bits_of(uint64_t number)
{
	unsigned bits = 0;
	while (number >> bits > 1)
		bits++;
	return bits;
}

/* Bits that tell the ranks apart, which come before those of the ranges. */
static unsigned owner_bits(const gemp_comm *comm)
{
	unsigned bits = 0;
	while (1 << bits < comm->size)
		bits++;
	return bits;
}

typedef struct bench {
	gemp_report *report;
	gemp_comm *comm;
	gemp_runtime *context;
	gemp_toolbox *box;
	double copy; /* bytes a second, of all ranks together */
	gemp_shuffle_shared common;
	uint64_t tuples;
	json_t *rows;
} bench;

/* Collective. The bandwidth of all ranks together, which copy at the same time. */
static gemp_code copy_rate(bench *b)
{
	gemp_rates rates;
	gemp_code code = gemp_comm_agree(b->comm, gemp_device_rates(b->context->device, &rates));
	b->copy = code == GEMP_OK ? (double)gemp_comm_sum1(b->comm, (uint64_t)rates.copy) : 0;
	return code;
}

/* One case as a line of the table and an object of the report. */
static void report_case(bench *b, const gemp_shuffle_case *c, const gemp_shuffle_rates *r)
{
	const char *to = c->skewed ? "skewed" : "uniform",
			   *column = c->how.layout == GEMP_SHUFFLE_AOS_KEYS ? "column" : "tuple";
	double tuples = (double)r->tuples, size = c->how.size, rate = r->shuffle > 0 ? tuples / r->shuffle : 0;
	double fraction = rate * (2 * size + 4) / b->copy, all = tuples / r->all;
	gemp_report_print(b->report, "%4u %6u  %-7s  %-6s  %-8s %11" PRIu64, c->how.size, 1u << c->how.bits, to, column,
	                  gemp_shuffle_method_name[c->method], r->tuples);
	if (rate > 0)
		gemp_report_print(b->report, " %10.1f %8.3f %8.3f", rate / 1e6, fraction, rate * size / b->copy);
	else
		gemp_report_print(b->report, " %10s %8s %8s", "", "", "");
	gemp_report_print(b->report, " %10.1f", all / 1e6);
	if (b->comm->size > 1)
		gemp_report_print(b->report, " %8.2f %8.2f %8.2f %10.2f %8.2f", 1e3 * r->by_owner, 1e3 * r->exchange,
		                  1e3 * r->by_range, 1e-9 * (double)r->bytes / r->exchange, 1e-9 * r->network);
	gemp_report_print(b->report, "\n");
	json_t *row = json_pack("{s:i, s:i, s:s, s:s, s:s, s:I, s:f, s:f, s:f, s:f}", "tuple_size", (int)c->how.size,
	                        "ranges", 1 << c->how.bits, "destinations", to, "destinations_in", column, "method",
	                        gemp_shuffle_method_name[c->method], "tuples", (json_int_t)r->tuples, "seconds", r->all,
	                        "tuples_per_second", all, "copy_over_tuple_size", b->copy / size, "copy_over_2w_plus_4",
	                        b->copy / (2 * size + 4));
	if (row && rate > 0) {
		json_object_set_new(row, "shuffle_seconds", json_real(r->shuffle));
		json_object_set_new(row, "shuffle_tuples_per_second", json_real(rate));
		json_object_set_new(row, "fraction_of_copy_over_2w_plus_4", json_real(fraction));
	}
	if (row && b->comm->size > 1) {
		json_object_set_new(row, "by_owner_seconds", json_real(r->by_owner));
		json_object_set_new(row, "exchange_seconds", json_real(r->exchange));
		json_object_set_new(row, "by_range_seconds", json_real(r->by_range));
		json_object_set_new(row, "bytes_sent", json_integer((json_int_t)r->bytes));
		json_object_set_new(row, "bytes_sent_per_second", json_real((double)r->bytes / r->exchange));
		json_object_set_new(row, "network_bytes_per_second", json_real(r->network));
		json_object_set_new(row, "tuples_per_second_of_a_rank", json_real(all / b->comm->size));
	}
	if (b->rows)
		json_array_append_new(b->rows, row);
	else
		json_decref(row);
}

/* Collective. Measures one case with tuples in this layout. */
static gemp_code measure(bench *b, gemp_shuffle_case c, gemp_shuffle_layout layout)
{
	gemp_shuffle_rates rates;
	c.how.layout = layout;
	c.tuples = b->tuples ? b->tuples : gemp_shuffle_tuples(b->context, c.method, &c.how);
	gemp_code code = gemp_shuffle_measure(&rates, b->context, b->box, &c);
	if (code == GEMP_OK)
		report_case(b, &c, &rates);
	return code;
}

static unsigned min_unsigned(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

/* Collective. One method; decode with destinations in a column of their own, too. */
static gemp_code try_method(bench *b, gemp_shuffle_method method, unsigned size, unsigned bits, bool skewed)
{
	gemp_code code = GEMP_OK;
	unsigned owners = owner_bits(b->comm);
	unsigned shift = min_unsigned(GEMP_SHUFFLE_SHIFT, DESTINATION_BITS - bits - owners);
	gemp_shuffle_case c = {
		.method = method, .how = { .size = size, .bits = bits, .shift = shift }, .skewed = skewed, .common = &b->common
	};
	if (size == 4 && bits + owners > OFFSET_BITS)
		return gemp_fail(GEMP_EUSAGE,
		                 "ranges: %u of each of %d ranks are more than 16 bits tell apart, which is what a "
		                 "destination has in 4 bytes",
		                 1u << bits, b->comm->size);
	if (size == 4)
		c.how.shift = OFFSET_BITS - bits - owners;
	GEMP_TRY(measure(b, c, GEMP_SHUFFLE_AOS));
	if (method == GEMP_SHUFFLE_DECODE && size > 4)
		code = measure(b, c, GEMP_SHUFFLE_AOS_KEYS);
	return code;
}

/* Is the method asked for, and is it possible here? */
static bool wanted(const bench *b, gemp_shuffle_method method, unsigned methods)
{
	if (methods)
		return methods >> method & 1;
	return method == GEMP_SHUFFLE_DECODE ||
	       (b->comm->size == 1 && !(method == GEMP_SHUFFLE_TABLES && b->context->device->gpu));
}

static gemp_code try_all(bench *b, const gemp_bench_shuffle_settings *settings)
{
	gemp_report_print(b->report, "%s%s: copy %.1f GB/s read and written\n", b->context->device->name,
	                  b->comm->size > 1 ? ", all ranks" : "", b->copy / 1e9);
	gemp_report_print(b->report,
	                  "size ranges  to       in      method        tuples  Mtuples/s  /(2w+4)       /w  with sums%s\n",
	                  b->comm->size > 1 ? " by owner exchange by range (ms)  sent GB/s  network" : "");
	for (size_t s = 0; s < settings->tuple_size_count; s++)
		for (size_t r = 0; r < settings->range_count; r++)
			for (int skewed = settings->no_uniform; skewed <= !settings->no_skewed; skewed++)
				for (gemp_shuffle_method m = 0; m < GEMP_SHUFFLE_METHODS; m++)
					if (wanted(b, m, settings->methods))
						GEMP_TRY(
							try_method(b, m, (unsigned)settings->tuple_sizes[s], bits_of(settings->ranges[r]), skewed));
	return GEMP_OK;
}

static gemp_code check_powers(const char *what, const uint64_t *numbers, size_t count, uint64_t min, uint64_t max)
{
	for (size_t i = 0; i < count; i++)
		if (numbers[i] < min || numbers[i] > max || (numbers[i] & (numbers[i] - 1)))
			return gemp_fail(GEMP_EUSAGE, "%s: powers of 2 from %" PRIu64 " to %" PRIu64 "; got %" PRIu64, what, min,
			                 max, numbers[i]);
	return GEMP_OK;
}

void gemp_bench_shuffle_settings_init(gemp_bench_shuffle_settings *settings)
{
	static const uint64_t tuple_size = 8, range = 256;
	*settings = (gemp_bench_shuffle_settings){
		.size = sizeof *settings, .tuple_sizes = &tuple_size, .tuple_size_count = 1, .ranges = &range, .range_count = 1
	};
}

static void bench_free(bench *b)
{
	json_decref(b->rows);
	gemp_shuffle_shared_free(&b->common);
	gemp_toolbox_free(b->box);
}

gemp_code gemp_bench_shuffle(gemp_context *context, const gemp_bench_shuffle_settings *given, gemp_report *report)
{
	gemp_report none;
	gemp_bench_shuffle_settings settings;
	gemp_comm *comm = &context->comm;
	GEMP_OWNED_BY(bench_free) bench b = { .report = gemp_report_or(report, &none, context), .comm = comm };
	gemp_bench_shuffle_settings_init(&settings);
	if (given)
		gemp_options_copy(&settings, sizeof settings, given);
	GEMP_TRY(check_powers("tuple sizes", settings.tuple_sizes, settings.tuple_size_count, 4, GEMP_BENCH_MAX_TUPLE));
	GEMP_TRY(check_powers("ranges", settings.ranges, settings.range_count, 2, GEMP_BENCH_MAX_RANGES));
	if (comm->size > 1 && settings.methods >> (GEMP_SHUFFLE_DECODE + 1))
		return gemp_fail(GEMP_EUSAGE, "method: across ranks there is decode; run the others with one rank");
	b.tuples = settings.tuples;
	b.rows = b.report->json ? json_array() : NULL;
	GEMP_TRY(gemp_context_runtime(&b.context, context, true, NULL));
	GEMP_TRY(gemp_comm_agree(comm, gemp_toolbox_new(&b.box, b.context->device, GEMP_FORM_AUTO)));
	GEMP_TRY(copy_rate(&b));
	gemp_shuffle_shared_new(&b.common, comm, b.context->device, GEMP_SHUFFLE_CHUNK, false);
	GEMP_TRY(try_all(&b, &settings));
	gemp_report_set(b.report, "copy_bytes_per_second", json_real(b.copy));
	gemp_report_set(b.report, "shuffles", json_incref(b.rows));
	GEMP_TRY(gemp_report_devices(b.report, b.context));
	return GEMP_OK;
}
