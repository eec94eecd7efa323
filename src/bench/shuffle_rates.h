/* shuffle_rates: how fast tuples are shuffled by each method, made on the device and checked there outside of the time. */

#ifndef GEMP_BENCH_SHUFFLE_RATES_H
#define GEMP_BENCH_SHUFFLE_RATES_H

#include "partition/runtime.h"
#include "shuffle/shuffle_ranks.h"

/* What is measured. */
typedef struct gemp_shuffle_case {
	gemp_shuffle_method method;
	gemp_shuffle how; /* with its layout */
	bool skewed;
	size_t tuples;                     /* of each rank */
	const gemp_shuffle_shared *common; /* of several ranks */
} gemp_shuffle_case;

/* Of all ranks; the best of some tries on the slowest rank. */
typedef struct gemp_shuffle_rates {
	double shuffle; /* seconds; 0: the method has nothing but all */
	double all;     /* until the values are added up; of several ranks, with what `decode` has between them */
	double by_owner, exchange, by_range; /* seconds of these stages; 0 on one rank */
	uint64_t tuples, bytes;              /* bytes that went to other ranks */
	double network;                      /* bytes a second that ranks exchange from memory to memory */
} gemp_shuffle_rates;

/* The most tuples of `size` bytes that it is tried on if nobody says how many; methods in which every range looks at every tuple
 * get less. */
size_t gemp_shuffle_tuples(const gemp_runtime *context, gemp_shuffle_method method, const gemp_shuffle *how);

/* Collective. Methods other than decode are for one rank. GEMP_EINTERNAL if a tuple is lost or not in its range, or the sums are
 * not those of atomics. */
gemp_code gemp_shuffle_measure(gemp_shuffle_rates *out, gemp_runtime *context, gemp_toolbox *box,
                               const gemp_shuffle_case *c);

#endif
