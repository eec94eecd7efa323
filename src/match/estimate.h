/* estimate: how many matches there are, from samples, with an interval that holds the true number with known
 * confidence.
 *
 * Independent samples of partial matches are carried through all steps of the plan (match/planner/sample.h); the mean
 * of their estimates is unbiased, and their variance gives the interval (Student's t).
 */

#ifndef GEMP_MATCH_ESTIMATE_H
#define GEMP_MATCH_ESTIMATE_H

#include "match/planner/match_options.h"

typedef struct gemp_estimate_options {
	double relative; /* half the interval over the estimate at which it is good enough */
	double seconds;  /* about so long at most: counted as work, so that the answer does not depend on the machine; long
	                    rows are walked in strides for it */
	uint64_t seed;
	size_t sample; /* partial matches of one sample, on all ranks; 0: chosen */
} gemp_estimate_options;

typedef struct gemp_estimate {
	double matches, low, high; /* in the chosen sense; high is infinite where no match was met and there may be some */
	double embeddings;         /* 0: they do not follow from matches */
	double confidence;         /* of the interval; 1: everything was visited */
	uint64_t samples;          /* partial matches carried along, of all ranks */
	uint64_t reads;            /* entries read or brought and lookups, of the rank that had most */
	double seconds;
} gemp_estimate;

/* What to search an order with (options.order_reads of the match) where `seconds` are for the estimate. */
uint64_t gemp_estimate_order_reads(double seconds);

/* Collective. For matches prepared with options.sampled. */
gemp_code gemp_match_sample(gemp_match *match, const gemp_estimate_options *options, gemp_estimate *out);

#endif
