#include "match/estimate.h"

#include "match/match_state.h"
#include "match/planner/sample.h"

#include <math.h>

/* The confidence interval needs at least 24 independent samples. Each sample must be so large that its estimate is
 * about normally distributed. */
enum { SAMPLE = 1024, SMALL_SAMPLE = 64, MIN_SAMPLES = 24, MAX_SAMPLES = 4096 };
static const double confidence = 0.95;
/* Entries and lookups that one core reads in a second. This constant converts budgets of seconds to reads, so that the
 * answer is the same on every machine. */
static const double reads_per_second = 4e7;
static const double share_for_order = 0.25; /* fraction of the reads that finding an order may take */

/* A quarter of the time for the estimate goes to finding an order. The result is at least 1, since 0 reads mean the
 * default budget. */
uint64_t gemp_estimate_order_reads(double seconds)
{
	return (uint64_t)fmin(share_for_order * seconds * reads_per_second, 1e18) + 1;
}

/* Two-sided 95 % quantiles of Student's t by the first terms of Cornish and Fisher's expansion (1938). These terms are
 * accurate enough from MIN_SAMPLES samples on. */
static double quantile(size_t samples)
{
	double z = 1.959964, n = (double)samples - 1;
	return z + (z * z * z + z) / (4 * n) + (5 * pow(z, 5) + 16 * z * z * z + 3 * z) / (96 * n * n);
}

/* Sums over samples, from which mean and variance follow. */
typedef struct sample_sums {
	size_t samples;
	uint64_t fetched; /* row entries that were fetched so far, on the rank that fetched most */
	double sum, squares;
	uint64_t carried; /* number of partial matches of this rank, summed over all steps and samples */
	bool exact;       /* the last sample contained every partial match */
} sample_sums;

/* Collective. Runs one sample through all steps of the plan, from the pivot on. */
static gemp_code take_sample(gemp_match *m, gemp_sampler *sampler, size_t size, sample_sums *s, uint64_t *reads)
{
	gemp_code code = GEMP_OK;
	gemp_sample samples[2] = { { 0 }, { 0 } };
	gemp_sample_work work = { 0 };
	int at = 0;
	for (size_t step = 0; step < m->plan->step_count; step++, at = 1 - at) {
		samples[1 - at].count = 0;
		GEMP_TRY_DONE(
			gemp_sampler_step(sampler, m->plan, step, step ? &samples[at] : NULL, &samples[1 - at], size, &work));
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

/* Collective. Chooses the size of the next sample so that MIN_SAMPLES samples stay within the budget of fetched
 * entries. Only earlier samples influence the size, so the estimate remains unbiased. */
static size_t next_size(sample_sums *s, const gemp_sampler *sampler, const gemp_estimate_options *options, size_t size)
{
	uint64_t fetched = gemp_sampler_fetched(sampler);
	double each = (double)(fetched - s->fetched) / (double)size;
	double left = options->seconds * reads_per_second - (double)fetched;
	s->fetched = fetched;
	if (options->sample || s->samples >= MIN_SAMPLES || each <= 0)
		return size;
	return (size_t)fmin(fmax(left / (double)(MIN_SAMPLES - s->samples) / each, SMALL_SAMPLE), SAMPLE);
}

/* Half the width of the confidence interval of the mean, computed from the variance between samples. */
static double half_width(const sample_sums *s)
{
	double n = (double)s->samples, mean = s->sum / n, variance = fmax(s->squares / n - mean * mean, 0) * n / (n - 1);
	return quantile(s->samples) * sqrt(variance / n);
}

/* True if the estimate is finished: the interval is narrow enough, or the budget is spent. It takes at least
 * MIN_SAMPLES samples unless they are exact, since the interval assumes that the mean is about normally distributed. */
static bool is_precise(const sample_sums *s, const gemp_estimate_options *options, uint64_t reads)
{
	if (s->exact || s->samples >= MAX_SAMPLES)
		return true;
	if (s->samples < MIN_SAMPLES)
		return false;
	return (s->sum > 0 && half_width(s) <= options->relative * s->sum / (double)s->samples) ||
	       (double)reads >= options->seconds * reads_per_second;
}

/* If the plan breaks symmetry, the number of embeddings is the number of matches times the order of the group. It is
 * unknown if the order exceeds 64 bits. */
static void finish_estimate(const gemp_match *m, const sample_sums *s, gemp_estimate *out)
{
	double mean = s->sum / (double)s->samples, half = s->exact ? 0 : half_width(s);
	double order = m->plan->group_overflow ? 0 : (double)m->plan->group_order;
	*out = (gemp_estimate){ .matches = mean,
		                    .low = fmax(mean - half, 0),
		                    .high = mean + half,
		                    .embeddings = m->plan->broken ? mean * order : mean,
		                    .confidence = s->exact ? 1 : confidence,
		                    .samples = s->carried };
	if (!s->exact && mean <= 0)
		out->high = HUGE_VAL;
	if (m->options.distinct == GEMP_BY_NOTHING && m->plan->broken) {
		out->matches *= order;
		out->low *= order;
		out->high *= order;
	}
}

/* MIN_SAMPLES samples are taken whatever the budget is. Therefore each step of a sample may read only its part of the
 * budget. A plan with given vertices has no pivots to sample. */
gemp_code gemp_match_sample(gemp_match *m, const gemp_estimate_options *options, gemp_estimate *out)
{
	GEMP_OWNED_BY(gemp_sampler_free_at) gemp_sampler *sampler = NULL;
	sample_sums s = { 0 };
	double began = gemp_now();
	uint64_t reads = 0;
	size_t size = options->sample ? options->sample : SAMPLE;
	double steps = fmax((double)m->plan->step_count - 1, 1);
	if (!m->options.sampled || m->plan->arguments)
		return gemp_fail(GEMP_EINTERNAL, "the match was not prepared for an estimate");
	const double limit = options->seconds * reads_per_second / MIN_SAMPLES / steps;
	GEMP_TRY(gemp_sampler_new(&sampler, m->context, m->graph, m->pattern, &m->candidates, m->pushdown.key_rank,
	                          &(gemp_sampler_options){ .seed = options->seed,
	                                                   .limit = (uint64_t)fmax(fmin(limit, 1e18), 1),
	                                                   .counts_rows = true }));
	do {
		GEMP_TRY(take_sample(m, sampler, size, &s, &reads));
		size = next_size(&s, sampler, options, size);
	} while (!is_precise(&s, options, reads + s.fetched));
	s.carried = gemp_comm_sum1(m->context->comm, s.carried);
	finish_estimate(m, &s, out);
	out->reads = reads + s.fetched;
	out->seconds = gemp_now() - began;
	return GEMP_OK;
}
