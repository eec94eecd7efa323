/* estimate: estimates the number of matches from samples, with an interval that contains the true number with known
 * confidence.
 *
 * Independent samples of partial matches are run through all steps of the plan (match/planner/sample.h). The mean of
 * their estimates is unbiased, and their variance gives the interval (Student's t). */

#ifndef GEMP_MATCH_ESTIMATE_H
#define GEMP_MATCH_ESTIMATE_H

#include "match/planner/match_options.h"

typedef struct gemp_estimate_options {
	/* the estimate is precise enough when half the interval is at most this fraction of the estimate */
	double relative;
	/* The budget, converted to a number of reads, so that the answer does not depend on the machine. The sampler reads
	 * only every k-th entry of long rows to stay within the budget. */
	double seconds;
	uint64_t seed;
	size_t sample; /* partial matches of one sample, summed over ranks; 0: chosen by the module */
} gemp_estimate_options;

typedef struct gemp_estimate {
	double matches, low, high; /* counted as --distinct says; high is infinite if no sample contained a match */
	double embeddings;         /* 0: unknown, because the group's order exceeds 64 bits */
	double confidence;         /* confidence of the interval; 1: the samples contained every partial match */
	uint64_t samples;          /* number of partial matches in all samples, summed over ranks */
	uint64_t reads;            /* entries read or fetched, and lookups, on the rank with the greatest number */
	double seconds;
} gemp_estimate;

/* The budget of reads for finding an order (options.order_reads of the match) if the whole estimate has `seconds`. */
uint64_t gemp_estimate_order_reads(double seconds);

/* Collective. For matches prepared with options.sampled. */
gemp_code gemp_match_sample(gemp_match *match, const gemp_estimate_options *options, gemp_estimate *out);

#endif
