/* block_fill: appends rows or records to a block of records (match/distinct/class_set.h) on all threads, and finds the
 * place of each record. Packed forms that a thread has met shortly before are left out (match/distinct/recent_forms.h).
 * Local. */

#ifndef GEMP_MATCH_DISTINCT_BLOCK_FILL_H
#define GEMP_MATCH_DISTINCT_BLOCK_FILL_H

#include "core/random.h"
#include "match/distinct/class_set.h"
#include "match/distinct/packed_places.h"
#include "match/distinct/recent_forms.h"

typedef struct gemp_block_source {
	const gemp_record_form *form; /* this and all pointers are borrowed */
	const gemp_place_rule *rule;
	const gemp_class_set *classes;
	gemp_recent_forms *recent;
	/* The source is rows of a batch, or records from other ranks if batch is NULL. */
	const gemp_batch *batch;
	const uint32_t *records;
	size_t first; /* index of the first row or record */
} gemp_block_source;

/* Equal keys have equal hashes on all ranks. The upper half determines the pass, and the lower half the owner. */
static inline uint64_t gemp_record_hash(const gemp_record_form *form, uint64_t hash_mask, const uint32_t *record)
{
	if (form->packed)
		return gemp_number_hash(record, form->words / 2) & hash_mask;
	return gemp_hash(record, form->key_words * sizeof *record, 0) & hash_mask;
}

/* Appends the records of `count` rows, or `count` records, for which the block has room. The order of packed forms is
 * not determined. */
void gemp_block_fill(gemp_class_block *block, const gemp_block_source *source, size_t count);

#endif
