/* string_numbers: the strings of a column as numbers, for a column that is written as categories. Local.
 *
 * All threads number the strings of chunks of rows, each with a dictionary of its own, so that no row's string is
 * searched for among all categories: that took 1.8 s of the 2.3 s in which a graph with 10 million strings of edges was
 * written (H200's host, 2026-11-30). */

#ifndef GEMP_IO_GRAPH_FILE_STRING_NUMBERS_H
#define GEMP_IO_GRAPH_FILE_STRING_NUMBERS_H

#include "core/memory.h"
#include "partition/build/dictionary.h"

#include <stdatomic.h>

typedef struct gemp_string_numbers {
	const gemp_column *column;  /* borrowed */
	size_t rows, chunk, chunks; /* rows of the column and of a chunk; number of chunks */
	gemp_dictionary *parts;     /* [chunks] the distinct strings of each chunk */
	/* [rows] the number of the row's string in the dictionary of its chunk; later its category */
	uint32_t *of;
	uint64_t limit;
	atomic_bool many; /* there are more than `limit` strings, and the numbers are incomplete */
} gemp_string_numbers;

/* Numbers the strings of a column. *distinct, which is {0}, gets the distinct strings, unless there are too many. */
gemp_code gemp_string_numbers_new(gemp_string_numbers *out, const gemp_column *column, uint64_t limit,
                                  gemp_dictionary *distinct);
/* Replaces the numbers by the indices of the strings in the sorted list, which has all of them; UINT32_MAX is NULL. */
gemp_code gemp_string_numbers_categorize(gemp_string_numbers *numbers, const gemp_bytes *sorted);
void gemp_string_numbers_free(gemp_string_numbers *numbers);

#endif
