#include "sequence/copies.h"

#include <math.h>

enum { FRACTIONS = 1024 }; /* means are told apart to such a part of one */

static uint64_t mean_of(const gemp_unitig *unitig)
{
	return (uint64_t)((double)unitig->times / (double)unitig->kmers * FRACTIONS);
}

double gemp_copies_median(const gemp_unitigs *u)
{
	uint64_t low = 0, high = 0, kmers = 0;
	for (size_t i = 0; i < u->count; i++) {
		uint64_t mean = mean_of(&u->unitig[i]);
		high = mean > high ? mean : high;
		kmers += u->unitig[i].kmers;
	}
	gemp_comm_max(u->graph->comm, &high, 1);
	kmers = gemp_comm_sum1(u->graph->comm, kmers);
	while (low < high) {
		uint64_t middle = low + (high - low) / 2, below = 0;
		for (size_t i = 0; i < u->count; i++)
			below += mean_of(&u->unitig[i]) <= middle ? u->unitig[i].kmers : 0;
		if (2 * gemp_comm_sum1(u->graph->comm, below) >= kmers)
			high = middle;
		else
			low = middle + 1;
	}
	return (double)low / FRACTIONS;
}

void gemp_copies(const gemp_unitigs *u, gemp_copying how, uint64_t *copies, double *coverage)
{
	*coverage = how == GEMP_COPIES_BY_COVERAGE ? gemp_copies_median(u) : 0;
	for (size_t i = 0; i < u->count; i++) {
		double mean = (double)u->unitig[i].times / (double)u->unitig[i].kmers;
		double times = how == GEMP_COPIES_ONE ? 1 : how == GEMP_COPIES_BY_COUNT ? mean : mean / *coverage;
		copies[i] = times < 1 ? 1 : (uint64_t)llround(times);
	}
}
