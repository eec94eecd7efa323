/* outgoing_records: records for other ranks, which wait for the end of a round. A direct-mapped cache of sent records
 * drops a record that has been sent in this pass, or whose class was sent with a smaller embedding. Local. */

#ifndef GEMP_MATCH_DISTINCT_OUTGOING_RECORDS_H
#define GEMP_MATCH_DISTINCT_OUTGOING_RECORDS_H

#include "match/distinct/record_form.h"

typedef struct gemp_outgoing_records {
	const gemp_record_form *form; /* borrowed */
	size_t count, capacity, owner_capacity;
	uint32_t *records;   /* [count * form->words] */
	int *owner;          /* [count] the rank that owns each record */
	size_t recent_count; /* number of entries of the cache: a power of two, or 0 with one rank, which sends nothing */
	uint32_t *recent;    /* [recent_count * form->words] the cache; all ones: the entry is free */
} gemp_outgoing_records;

/* `bytes` is the maximum size of the cache. */
gemp_code gemp_outgoing_init(gemp_outgoing_records *outgoing, const gemp_record_form *form, int ranks, size_t bytes);
void gemp_outgoing_free(gemp_outgoing_records *outgoing);
/* Begins a pass: nothing has been sent. */
void gemp_outgoing_forget(gemp_outgoing_records *outgoing);
gemp_code gemp_outgoing_add(gemp_outgoing_records *outgoing, const uint32_t *record, uint64_t hash, int owner);

#endif
