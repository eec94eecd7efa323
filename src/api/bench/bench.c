/* bench: gemp_bench_match, gemp_bench_device and gemp_bench_shuffle measure the time of queries, the rates of a device,
 * and the rates of shuffles.
 *
 * A query is prepared once and then run repeatedly (bench/measure.h), as in a program that runs the same query often.
 * Only `first` contains reading, planning and the building of kernels. The rate of a shuffle is compared with the
 * bandwidth of a copy on the same device. `decode` reads the 4 bytes of each destination to count the ranges, and then
 * reads and writes each tuple of w bytes, so its rate is at most copy bandwidth / (2 w + 4). The other column, copy
 * bandwidth / w, is the limit of every method that reads each tuple once. */

#include "gemp/bench.h"

#include "api/bench/kernel_report.h"
#include "api/match/query.h"
#include "api/report.h"
#include "bench/measure.h"
#include "core/quantity.h"
#include "device/open.h"
#include "pattern/bind/bind.h"
#include "primitive/split.h"

#include <inttypes.h>

/* DEVICES */

/* All ranks measure their first device at the same time, so ranks that share a device or its memory slow each other
 * down. The report has the figures of rank 0. */
gemp_code gemp_bench_device(gemp_context *context, gemp_report *report)
{
	gemp_runtime *runtime = NULL;
	gemp_rates rates;
	gemp_report none;
	report = gemp_report_or(report, &none, context);
	GEMP_TRY(gemp_context_runtime(&runtime, context, GEMP_NEED_ALL_DEVICES, NULL));
	GEMP_TRY(gemp_comm_agree(&context->comm, gemp_device_rates(runtime->device, &rates)));
	gemp_report_print(report, "%s\n  %-10s %10.1f GB/s read and written\n", runtime->device->name, "copy",
	                  rates.copy / 1e9);
	gemp_report_print(report, "  %-10s %10.1f us with the host waiting, %.1f us on the device\n", "launch",
	                  rates.launch * 1e6, rates.empty * 1e6);
	gemp_report_set(report, "copy_bytes_per_second", json_real(rates.copy));
	gemp_report_set(report, "units", gemp_json_count(runtime->device->units));
	gemp_report_set(report, "launch_us", json_real(rates.launch * 1e6));
	gemp_report_set(report, "empty_kernel_us", json_real(rates.empty * 1e6));
	gemp_report_set(report, "tuning", json_string(runtime->device->tuning.source));
	return gemp_report_devices(report, runtime);
}

/* QUERIES */

/* Prints a line of the table of milliseconds. */
static void print_line(const gemp_report *report, const char *name, const gemp_spread *spread)
{
	gemp_report_print(report, "  %-10s %12.4f %12.4f %12.4f\n", name, spread->min * 1e3, spread->median * 1e3,
	                  spread->max * 1e3);
}

/* The text shows milliseconds of the slowest rank. */
static void print_timing(const gemp_report *report, const gemp_query_timing *m)
{
	gemp_report_print(report, "%s", gemp_counted(m->result.matches, "match").text);
	if (m->result.embeddings_known)
		gemp_report_print(report, ", %s", gemp_counted(m->result.embeddings, "embedding").text);
	gemp_report_print(report, "\n\n  %-10s %12s %12s %12s   (milliseconds, %zu run%s, the slowest rank)\n", "", "min",
	                  "median", "max", m->runs, m->runs == 1 ? "" : "s");
	print_line(report, "kernel", &m->kernel);
	print_line(report, "prepare", &m->prepare);
	print_line(report, "run", &m->run);
	print_line(report, "cpu", &m->cpu);
	gemp_report_print(report, "  %-10s %12.4f, of that preparation %.4f\n\n", "first", m->first * 1e3,
	                  m->first_prepare * 1e3);
}

/* Returns the spread of the runs in milliseconds. */
static json_t *spread_json(const gemp_spread *spread)
{
	return gemp_json_spread(1e3 * spread->min, "median", 1e3 * spread->median, 1e3 * spread->max);
}

/* Returns the text of a query without the blank lines that a script puts in front of it. */
static const char *text_of(const gemp_pattern *pattern)
{
	return pattern->text + strspn(pattern->text, " \t\r\n");
}

/* Returns the object of a query for the array `queries`. */
static json_t *measured_json(const gemp_pattern *pattern, const gemp_query_timing *m, bool profile)
{
	json_t *embeddings = m->result.embeddings_known ? gemp_json_count(m->result.embeddings) : json_null();
	json_t *object = json_pack(
		"{s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:f, s:f, s:b, s:o}", "query", text_of(pattern), "matches",
		gemp_json_count(m->result.matches), "embeddings", embeddings, "runs", gemp_json_count(m->runs), "kernel_ms",
		spread_json(&m->kernel), "prepare_ms", spread_json(&m->prepare), "run_ms", spread_json(&m->run), "cpu_ms",
		spread_json(&m->cpu), "first_ms", m->first * 1e3, "first_prepare_ms", m->first_prepare * 1e3, "by_sums",
		m->result.by_sums, "launches", gemp_json_count(m->result.launches));
	if (profile)
		gemp_json_set_counts(object, { "entries_read", m->result.entries_read }, { "lookups", m->result.lookups });
	json_object_set_new(object, "plan", json_string(m->plan));
	return object;
}

typedef struct bench_match {
	gemp_report *report;
	json_t *list; /* the array `queries` */
	gemp_runtime *runtime;
	bool several; /* the text of each query is shown */
	uint64_t repeat;
	double seconds;
} bench_match;

/* The parsed texts of all queries, in their order. */
typedef struct query_texts {
	size_t count;         /* of the queries of the caller */
	gemp_script *of;      /* [count] */
	size_t pattern_count; /* in all texts together */
} query_texts;

static void free_texts(query_texts *texts)
{
	for (size_t i = 0; i < texts->count; i++)
		gemp_script_free(&texts->of[i]);
	gemp_free(texts->of);
}

/* Local. Parses and binds all queries, so that an error in the last one is found before any measurement. */
static gemp_code parse_queries(query_texts *out, gemp_query *const *queries, size_t count)
{
	GEMP_TRY(GEMP_NEW(out->of, count));
	for (; out->count < count; out->count++) {
		const gemp_query *query = queries[out->count];
		gemp_script *script = &out->of[out->count];
		GEMP_TRY(gemp_query_parse(script, query));
		out->pattern_count += script->count;
		for (size_t i = 0; i < script->count; i++)
			GEMP_TRY(gemp_pattern_bind_with(script->queries[i], query->graph->shard, query->settings.lenient));
	}
	return GEMP_OK;
}

/* Collective. Measures one pattern. *measured is the timing of the previous pattern, and is replaced only after this
 * pattern. While the previous timing exists, the rows that both patterns read stay on the device. */
static gemp_code measure_one(gemp_query_timing *measured, const bench_match *bench, const gemp_query *query,
                             gemp_pattern **pattern)
{
	const gemp_query_settings *settings = &query->settings;
	const gemp_prepared_options how = gemp_query_search_options(settings);
	gemp_report *report = bench->report;
	gemp_query_timing next = { 0 };
	GEMP_TRY(gemp_query_timing_run(&next, bench->runtime, query->graph->shard, *pattern, &how, bench->repeat,
	                               bench->seconds));
	if (bench->several || settings->explain || settings->profile)
		gemp_report_print(report, "%s\n", text_of(*pattern));
	if (settings->explain || settings->profile)
		gemp_report_print(report, "%s\n", next.plan);
	print_timing(report, &next);
	json_array_append_new(bench->list, measured_json(*pattern, &next, settings->profile));
	next.pattern = GEMP_MOVE(*pattern);
	gemp_query_timing_free(measured);
	*measured = next;
	return GEMP_OK;
}

/* All queries must belong to the graph of the first query. The report includes the earlier seconds of this graph. */
gemp_code gemp_bench_match(gemp_query *const *queries, size_t count, uint64_t repeat, double seconds,
                           gemp_report *report)
{
	GEMP_OWNED_BY(gemp_query_timing_free) gemp_query_timing measured = { 0 };
	GEMP_OWNED_BY(free_texts) query_texts texts = { 0 };
	gemp_report none;
	if (!count)
		return GEMP_OK;
	gemp_graph *graph = queries[0]->graph;
	const gemp_timers timers = gemp_graph_take_timers(graph);
	json_auto_t *list = json_array();
	bench_match bench = {
		.report = gemp_report_or(report, &none, graph->context), .list = list, .repeat = repeat, .seconds = seconds
	};
	GEMP_TRY(gemp_comm_agree(&graph->context->comm, parse_queries(&texts, queries, count)));
	bench.several = texts.pattern_count > 1;
	GEMP_TRY(gemp_context_runtime(&bench.runtime, graph->context, GEMP_NEED_ALL_DEVICES, &timers));
	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < texts.of[i].count; k++)
			GEMP_TRY(measure_one(&measured, &bench, queries[i], &texts.of[i].queries[k]));
	gemp_report_set(bench.report, "queries", json_incref(list));
	gemp_report_set(bench.report, "tuning", json_string(bench.runtime->device->tuning.source));
	gemp_report_graph(bench.report, graph->shard);
	return gemp_report_search(bench.report, bench.runtime, &bench.runtime->timers, false);
}

/* SHUFFLES */

/* The number of destination bits in a tuple: OFFSET_BITS in a tuple of 4 bytes, which also holds the value, and
 * DESTINATION_BITS in longer tuples. */
enum { DESTINATION_BITS = 32, OFFSET_BITS = 16 };

_Static_assert((int)GEMP_BENCH_MAX_RANGES == 1 << GEMP_SPLIT_BITS, "a split has as many ranges");

/* Returns the logarithm of a power of 2. */
static unsigned bits_of(uint64_t number)
{
	unsigned bits = 0;
	while (number >> bits > 1)
		bits++;
	return bits;
}

/* Returns the number of bits of a destination that give its rank. They precede the bits of the range. */
static unsigned owner_bits(const gemp_comm *comm)
{
	unsigned bits = 0;
	while (1 << bits < comm->size)
		bits++;
	return bits;
}

typedef struct shuffle_bench {
	gemp_report *report;
	gemp_comm *comm;
	gemp_runtime *runtime;
	gemp_toolbox *box;
	double copy; /* bytes a second of a copy, on all ranks together */
	gemp_device_exchange *exchange;
	uint64_t tuples;
	json_t *rows;
} shuffle_bench;

/* Collective. Measures the copy bandwidth of all ranks together, which copy at the same time. */
static gemp_code copy_rate(shuffle_bench *b)
{
	gemp_rates rates;
	GEMP_TRY(gemp_comm_agree(b->comm, gemp_device_rates(b->runtime->device, &rates)));
	b->copy = (double)gemp_comm_sum1(b->comm, (uint64_t)rates.copy);
	return GEMP_OK;
}

/* Reports one case as a line of the table and as an object of the JSON. */
static void report_case(shuffle_bench *b, const gemp_shuffle_case *c, const gemp_shuffle_rates *r)
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
static gemp_code measure(shuffle_bench *b, gemp_shuffle_case c, gemp_shuffle_layout layout)
{
	gemp_shuffle_rates rates;
	c.how.layout = layout;
	c.tuples = b->tuples ? b->tuples : gemp_shuffle_tuples(b->runtime, c.method, &c.how);
	GEMP_TRY(gemp_shuffle_measure(&rates, b->runtime, b->box, &c));
	report_case(b, &c, &rates);
	return GEMP_OK;
}

/* Collective. Measures one method. `decode` is measured twice: with destinations in the tuples, and with destinations
 * in a separate column. */
static gemp_code try_method(shuffle_bench *b, gemp_shuffle_method method, unsigned size, unsigned bits, bool skewed)
{
	unsigned owners = owner_bits(b->comm);
	unsigned shift = (unsigned)gemp_min(GEMP_SHUFFLE_SHIFT, DESTINATION_BITS - bits - owners);
	gemp_shuffle_case c = { .method = method,
		                    .how = { .size = size, .bits = bits, .shift = shift },
		                    .skewed = skewed,
		                    .exchange = b->exchange };
	if (size == 4 && bits + owners > OFFSET_BITS)
		return gemp_fail(GEMP_EUSAGE,
		                 "ranges: %u of each of %d ranks are more than 16 bits tell apart, which is what a "
		                 "destination has in 4 bytes",
		                 1u << bits, b->comm->size);
	if (size == 4)
		c.how.shift = OFFSET_BITS - bits - owners;
	GEMP_TRY(measure(b, c, GEMP_SHUFFLE_AOS));
	return method == GEMP_SHUFFLE_DECODE && size > 4 ? measure(b, c, GEMP_SHUFFLE_AOS_KEYS) : GEMP_OK;
}

/* Returns whether the settings select the method. If they name no method, they select all methods that are possible
 * here. */
static bool is_wanted(const shuffle_bench *b, gemp_shuffle_method method, unsigned methods)
{
	if (methods)
		return methods >> method & 1;
	return method == GEMP_SHUFFLE_DECODE ||
	       (b->comm->size == 1 && !(method == GEMP_SHUFFLE_TABLES && b->runtime->device->gpu));
}

/* Collective. Measures all combinations of the settings. */
static gemp_code try_all(shuffle_bench *b, const gemp_bench_shuffle_settings *settings)
{
	gemp_report_print(b->report, "%s%s: copy %.1f GB/s read and written\n", b->runtime->device->name,
	                  b->comm->size > 1 ? ", all ranks" : "", b->copy / 1e9);
	gemp_report_print(b->report,
	                  "size ranges  to       in      method        tuples  Mtuples/s  /(2w+4)       /w  with sums%s\n",
	                  b->comm->size > 1 ? " by owner exchange by range (ms)  sent GB/s  network" : "");
	for (size_t s = 0; s < settings->tuple_size_count; s++)
		for (size_t r = 0; r < settings->range_count; r++)
			for (int skewed = settings->no_uniform; skewed <= !settings->no_skewed; skewed++)
				for (gemp_shuffle_method m = 0; m < GEMP_SHUFFLE_METHODS; m++)
					if (is_wanted(b, m, settings->methods))
						GEMP_TRY(
							try_method(b, m, (unsigned)settings->tuple_sizes[s], bits_of(settings->ranges[r]), skewed));
	return GEMP_OK;
}

/* Local. GEMP_EUSAGE if a number is not a power of 2 from min to max. */
static gemp_code check_powers(const char *what, const uint64_t *numbers, size_t count, uint64_t min, uint64_t max)
{
	for (size_t i = 0; i < count; i++)
		if (numbers[i] < min || numbers[i] > max || (numbers[i] & (numbers[i] - 1)))
			return gemp_fail(GEMP_EUSAGE, "%s: powers of 2 from %" PRIu64 " to %" PRIu64 "; got %" PRIu64, what, min,
			                 max, numbers[i]);
	return GEMP_OK;
}

static const uint64_t default_tuple_size = 8, default_ranges = 256;
GEMP_SETTINGS(gemp_bench_shuffle_settings, .tuple_sizes = &default_tuple_size, .tuple_size_count = 1,
              .ranges = &default_ranges, .range_count = 1)

static void free_shuffle_bench(shuffle_bench *b)
{
	json_decref(b->rows);
	gemp_device_exchange_free(b->exchange);
	gemp_toolbox_free(b->box);
}

/* Sizes and numbers of ranges must be powers of 2, since kernels are built for their logarithms. They are checked
 * before a device is opened. Only `decode` works on several ranks (shuffle/shuffle_ranks.h). */
gemp_code gemp_bench_shuffle(gemp_context *context, const gemp_bench_shuffle_settings *given, gemp_report *report)
{
	gemp_report none;
	const gemp_bench_shuffle_settings settings = gemp_bench_shuffle_settings_from(given);
	gemp_comm *comm = &context->comm;
	GEMP_OWNED_BY(free_shuffle_bench)
	shuffle_bench b = { .report = gemp_report_or(report, &none, context), .comm = comm };
	GEMP_TRY(check_powers("tuple sizes", settings.tuple_sizes, settings.tuple_size_count, 4, GEMP_BENCH_MAX_TUPLE));
	GEMP_TRY(check_powers("ranges", settings.ranges, settings.range_count, 2, GEMP_BENCH_MAX_RANGES));
	if (comm->size > 1 && settings.methods >> (GEMP_SHUFFLE_DECODE + 1))
		return gemp_fail(GEMP_EUSAGE, "method: across ranks there is decode; run the others with one rank");
	b.tuples = settings.tuples;
	b.rows = b.report->json ? json_array() : NULL;
	GEMP_TRY(gemp_context_runtime(&b.runtime, context, GEMP_NEED_ALL_DEVICES, NULL));
	GEMP_TRY(gemp_comm_agree(comm, gemp_toolbox_new(&b.box, b.runtime->device, GEMP_FORM_AUTO)));
	GEMP_TRY(copy_rate(&b));
	GEMP_TRY(gemp_device_exchange_new(&b.exchange, comm, b.runtime->device));
	GEMP_TRY(try_all(&b, &settings));
	gemp_report_set(b.report, "copy_bytes_per_second", json_real(b.copy));
	gemp_report_set(b.report, "shuffles", json_incref(b.rows));
	GEMP_TRY(gemp_comm_agree(comm, gemp_report_kernels(b.report, b.box)));
	return gemp_report_devices(b.report, b.runtime);
}
