#include "match/estimate.h"

#include "match/match_parts.h"
#include "match/sample.h"

#include <math.h>

/* Samples are few enough to be many, and large enough that their estimates are about normal. */
enum { SAMPLE = 1024, LEAST_SAMPLES = 24, MOST_SAMPLES = 4096 };
static const double confidence = 0.95;
static const double reads_per_second = 4e7; /* entries and lookups, on one core */

/* Two-sided 95 % quantiles of Student's t, close enough beyond the least number of samples (Cornish-Fisher's first
 * terms). */
static double quantile(size_t samples)
{
	double z = 1.959964, n = (double)samples - 1;
	return z + (z * z * z + z) / (4 * n) + (5 * pow(z, 5) + 16 * z * z * z + 3 * z) / (96 * n * n);
}

typedef struct sums {
	size_t samples;
	double sum, squares;
	uint64_t carried;
	bool exact;
} sums;

static gemp_code check(const gemp_match *m)
{
	if (!m->options.sampled || m->plan->given)
		return gemp_fail(GEMP_EINTERNAL, "the match was not prepared for an estimate");
	if (m->deduplicates)
		return gemp_fail(GEMP_EUSAGE, "--estimate does not know which matches are the same; use --distinct none");
	if (m->phases.after_count)
		return gemp_fail(GEMP_EUSAGE,
		                 "--estimate knows conditions on one vertex, on edges' being there and on the order of ids, "
		                 "not those that are tested on whole matches; leave the others out");
	return GEMP_OK;
}

/* Collective. One sample through all steps. */
static gemp_code take_sample(gemp_match *m, gemp_sampler *sampler, size_t size, sums *s, uint64_t *reads)
{
	gemp_code code = GEMP_OK;
	gemp_sample samples[2] = { { 0 }, { 0 } };
	gemp_sample_work work = { 0 };
	int at = 0;
	for (size_t step = 0; step < m->plan->step_count; step++, at = 1 - at) {
		samples[1 - at].count = 0;
		GEMP_TRY(gemp_sampler_step(sampler, m->plan, step, step ? &samples[at] : NULL, &samples[1 - at], size, &work));
		s->carried += samples[1 - at].count;
	}
	s->samples++;
	s->sum += work.passed;
	s->squares += work.passed * work.passed;
	s->exact = gemp_sampler_exact(sampler);
	*reads = gemp_sampler_reads(sampler);
done:
	gemp_sample_free(&samples[0]);
	gemp_sample_free(&samples[1]);
	return code;
}

static double half_width(const sums *s)
{
	double n = (double)s->samples, mean = s->sum / n, variance = fmax(s->squares / n - mean * mean, 0) * n / (n - 1);
	return quantile(s->samples) * sqrt(variance / n);
}

static bool enough(const sums *s, const gemp_estimate_options *options, uint64_t reads)
{
	if (s->exact || s->samples >= MOST_SAMPLES)
		return true;
	if (s->samples < LEAST_SAMPLES)
		return false;
	return (s->sum > 0 && half_width(s) <= options->relative * s->sum / (double)s->samples) ||
	       (double)reads >= options->seconds * reads_per_second;
}

static void conclude(const gemp_match *m, const sums *s, gemp_estimate *out)
{
	double mean = s->sum / (double)s->samples, half = s->exact ? 0 : half_width(s);
	double order = m->plan->group_overflow ? 0 : (double)m->plan->group_order;
	*out = (gemp_estimate){ .matches = mean, .low = fmax(mean - half, 0), .high = mean + half,
		.embeddings = m->plan->broken ? mean * order : mean, .confidence = s->exact ? 1 : confidence,
		.samples = s->carried };
	if (!s->exact && mean <= 0)
		out->high = HUGE_VAL;
	if (m->options.distinct == GEMP_BY_NOTHING && m->plan->broken) {
		out->matches *= order;
		out->low *= order;
		out->high *= order;
	}
}

gemp_code gemp_match_sample(gemp_match *m, const gemp_estimate_options *options, gemp_estimate *out)
{
	gemp_code code = GEMP_OK;
	gemp_sampler *sampler = NULL;
	sums s = { 0 };
	double began = gemp_now();
	uint64_t reads = 0;
	GEMP_TRY(gemp_comm_agree(m->context->comm, check(m)));
	GEMP_TRY(gemp_sampler_new(&sampler, m->context, m->graph, m->pattern, &m->candidates, m->pushdown.key_rank,
	                          options->seed));
	do
		GEMP_TRY(take_sample(m, sampler, options->sample ? options->sample : SAMPLE, &s, &reads));
	while (!enough(&s, options, reads));
	s.carried = gemp_comm_sum1(m->context->comm, s.carried);
	conclude(m, &s, out);
	out->seconds = gemp_now() - began;
done:
	gemp_sampler_free(sampler);
	return code;
}
