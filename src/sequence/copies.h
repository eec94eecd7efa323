/* copies: how often a genome runs over each unitig. */
#ifndef GEMP_SEQUENCE_COPIES_H
#define GEMP_SEQUENCE_COPIES_H

#include "sequence/unitigs.h"

/* As the words of --copies. */
typedef enum gemp_copying {
	GEMP_COPIES_BY_COVERAGE, /* times of its k-mers over those of the median k-mer, rounded, at least 1 */
	GEMP_COPIES_BY_COUNT,    /* times: what was read is the genome itself, once */
	GEMP_COPIES_ONE,
} gemp_copying;

/* Collective. Of k-mers sorted by the mean times of their unitigs the middle one's; 0 without any. */
double gemp_copies_median(const gemp_unitigs *unitigs);
/* copies[unitigs->count]; *coverage is that of one copy, 0 where it was not asked for. Collective. */
void gemp_copies(const gemp_unitigs *unitigs, gemp_copying how, uint64_t *copies, double *coverage);

#endif
