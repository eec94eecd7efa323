/* rows_merge: rows that get few new entries. The new entries are sorted. The offsets of the rows shift by the number of
 * new entries before them, and the entries between two changed rows are copied as one run, so no pass makes or tests
 * each row. A patch merges the rows of relations in this way, and partition/views the rows that searches have kept. */

#ifndef GEMP_PARTITION_PATCH_ROWS_MERGE_H
#define GEMP_PARTITION_PATCH_ROWS_MERGE_H

#include "core/status.h"
#include "core/types.h"
#include "partition/patch/patch.h"

typedef struct gemp_rows_merge {
	size_t old_rows, rows;     /* the rows behind the old ones have new entries only */
	const uint64_t *old_begin; /* [old_rows + 1] */
	const gemp_vertex *old;    /* [old_begin[old_rows]], ascending in a row */
	const gemp_id_map *ids;    /* the new ids of old entries, none of which is deleted; NULL: they keep their ids */
	size_t count;              /* of new entries */
	const uint64_t *keys;      /* [count] row << 32 | entry, ascending */
	const uint64_t *numbers;   /* [count] number of each new entry; NULL without `order` */
	uint64_t *begin;           /* [rows + 1] result */
	gemp_vertex *to;           /* [begin[rows]] result; in a row old entries precede equal new ones */
	uint64_t *order;           /* [begin[rows]] result: the place of an old entry, or number + old entries; or NULL */
	bool parallel;             /* result: some row with new entries has an entry twice */
} gemp_rows_merge;

/* Local. Is a merge faster than making all rows anew (gemp_limits.sparse_rows)? */
bool gemp_rows_merge_pays(size_t rows, size_t count);
/* Local. Sorts the keys, and numbers[count], if they are not NULL, like them. */
gemp_code gemp_rows_merge_sort(uint64_t *keys, uint64_t *numbers, size_t count);
/* Local. Sets begin[], and then the entries, which begin[] must precede. */
void gemp_rows_merge_begin(const gemp_rows_merge *m);
void gemp_rows_merge_entries(gemp_rows_merge *m);

#endif
