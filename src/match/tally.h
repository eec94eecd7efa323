/* tally: a sink that counts what passes, and how many matches lie within one of P parts of the graph. */
#ifndef GEMP_MATCH_TALLY_H
#define GEMP_MATCH_TALLY_H

#include "graph/table.h"
#include "match/match.h"

typedef struct gemp_tally {
	gemp_sink *next;    /* NULL: the end */
	uint64_t vertices;  /* of the graph */
	bool parts;         /* count within[] */
	bool over;          /* a first pass has ended: later ones bring the same rows again */
	gemp_count rows;
	gemp_count within[GEMP_PART_STEPS];
} gemp_tally;

/* sink works on `tally`, which the caller keeps; freeing the sink frees nothing. */
gemp_sink gemp_tally_sink(gemp_tally *tally);

#endif
