/* rank_share: the part of this rank in a run of a search (gemp_rank_work in partition/runtime.h). The runtime sums the
 * parts over the runs of a query, which may have several searches. */

#ifndef GEMP_MATCH_RANK_SHARE_H
#define GEMP_MATCH_RANK_SHARE_H

#include "match/match_state.h"

typedef struct gemp_run_counts {
	gemp_search_statistics search; /* of all devices of this rank */
	uint64_t rows_fetched;
	uint64_t embeddings, matches; /* rows that this rank has found, and classes that it owns */
	bool inexact;                 /* see gemp_rank_work */
} gemp_run_counts;

/* Local. Adds the counts of a run to the runtime's share. */
void gemp_rank_share_add(gemp_match *match, const gemp_run_counts *counts);
/* Local. Adds the reads since the last call. Call it after the profile of this rank was read, before its sum over the
 * ranks. */
void gemp_rank_share_add_reads(gemp_match *match);

#endif
