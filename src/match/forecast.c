#include "match/forecast.h"

#include "core/threads.h"
#include "match/distinct/distinct.h"
#include "match/distinct/record_form.h"
#include "match/match_plan.h"
#include "match/match_state.h"

#include <math.h>

/* Work of the search in units of one row entry: a partial match costs as much as 40 entries, and a lookup as 2 (see
 * match/planner/order_search.c). A CPU core does about cpu_rate units a second and an H200 gpu_rate (wiki-vote,
 * translations). */
static const double unit_match = 40, unit_lookup = 2, cpu_rate = 1e9, gpu_rate = 1e11;
/* Seconds of one host thread: for a match that is listed, for a value that is tested, for a match that is compared by
 * packed and by other keys (wiki-vote, AMD EPYC). */
static const double list_match = 10e-9, test_value = 30e-9, compare_packed = 60e-9, compare_words = 250e-9;

/* Sets the work of the search in units, and the number of matches that it finds. */
static void find_work(const gemp_match *m, double *units, gemp_forecast *out)
{
	const size_t last = m->plan->step_count - 1;
	*units = 0;
	for (size_t s = 0; s <= last; s++) {
		const gemp_sample_work *work = &m->sample_work[s];
		*units += work->entries + unit_lookup * work->lookups + (s < last ? unit_match * work->passed : 0);
	}
	out->sampled = *units > 0;
	out->rows = m->sample_work[last].passed;
	if (out->sampled)
		return;
	out->rows = m->plan->steps[last].rows;
	for (size_t s = 0; s < last; s++)
		*units += unit_match * m->plan->steps[s].rows;
}

/* Seconds of one thread for each match, and the bytes of its key. */
static double match_seconds(const gemp_match *m, double *key_bytes)
{
	gemp_record_form form;
	double seconds = list_match + test_value * (double)(m->phases.after_count ? m->phases.mentions : 0);
	*key_bytes = 0;
	if (!m->deduplicates)
		return seconds;
	const int edges = m->plan->live_edges ? m->plan->edge_count : 0;
	const bool keeps = m->options.listed && m->options.distinct != GEMP_BY_ORBIT;
	gemp_record_form_set(&form, GEMP_KEY_VERTICES, m->plan->vertex_count, edges, keeps, NULL, NULL, 0);
	gemp_record_form_pack(&form, m->graph->vertex_count);
	*key_bytes = form.packed ? 4.0 / 3 * 4 * (double)form.words : 4 * (double)form.words + 4.0 / 3 * 8;
	return seconds + (form.packed ? compare_packed : compare_words);
}

gemp_forecast gemp_match_forecast(const gemp_match *m)
{
	gemp_forecast out = { 0 };
	double units, key_bytes;
	const gemp_device *device = m->context->device;
	uint64_t sums[3] = { device && device->gpu ? 0
		                 : device              ? device->units
		                                       : 1,
		                 gemp_threads(), gemp_distinct_memory(m->context) };
	find_work(m, &units, &out);
	gemp_comm_sum(m->context->comm, sums, 3);
	out.passes = 1;
	out.search = units / (sums[0] ? cpu_rate * (double)sums[0] : gpu_rate * m->context->comm->size);
	if (gemp_match_needs_listing(m)) {
		out.host = out.rows * match_seconds(m, &key_bytes) / (double)sums[1];
		out.classes_bytes = out.rows * key_bytes;
		out.passes = fmax(ceil(out.classes_bytes / (double)sums[2]), 1);
		out.host *= out.passes;
		out.search *= out.passes;
	}
	return out;
}
