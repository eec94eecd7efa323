/* memory_report: what each rank will hold for a search, on the host and on the device, as far as that is known before
 * it runs.
 */

#ifndef GEMP_MATCH_MEMORY_REPORT_H
#define GEMP_MATCH_MEMORY_REPORT_H

#include "core/text.h"
#include "match/exchange/push_pull.h"

#include <math.h>

/* Bytes, the most of any rank. */
typedef struct gemp_memory_report {
	uint64_t rows, replicas;          /* on the host; replicas are among the rows */
	uint64_t numbering;               /* on the host: slots, bitmaps of candidates, sizes of rows */
	uint64_t round;                   /* rows of a round; 0: there are no rounds */
	uint64_t device_rows;             /* on the device: all rows, or those of a round */
	uint64_t device_buffers;          /* on the device: whatever else there is */
	gemp_vertex hot;                  /* slots whose rows every rank has */
	bool pushes;                      /* partial matches travel */
	gemp_push_pull_estimate exchange; /* by which it was chosen how rows of others are met */
	int sharers;                      /* ranks of this node that hold rows once; 1: each has its own */
} gemp_memory_report;

/* Collective. pull NULL: no rounds. */
void gemp_memory_report_measure(gemp_memory_report *out, const gemp_search *search, const gemp_resident *rows,
                                const gemp_candidates *candidates, const gemp_pull *pull);
/* For --explain. */
void gemp_memory_report_print(const gemp_memory_report *holdings, const gemp_search *search, gemp_text *out);

#endif
