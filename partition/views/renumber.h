/* renumber: makes the rows of all vertices in another numbering of the vertices than the graph's ids, on the host or on
 * a device.
 *
 * The graph has rows of ascending ids. Kernels want the rows in the order of other numbers (slots, local vertices),
 * with ascending numbers in each row. On the host this takes a random read for each entry and a sort of each row; a GPU
 * does the same at a small part of the time of the upload. For a GPU the host copies the rows, in their new order, into
 * page-locked memory, and the device maps ids to numbers and sorts chunks of rows. The host never has the new rows.
 *
 * Local. The lists have the rows of this rank's vertices: of all vertices if there is one rank. A row may consist of
 * several lists, which are merged. */

#ifndef GEMP_PARTITION_VIEWS_RENUMBER_H
#define GEMP_PARTITION_VIEWS_RENUMBER_H

#include "core/types.h"
#include "device/device.h"

/* The rows of one relation in one direction, by id: row i is that of vertex gemp_renumber.first + i. */
typedef struct gemp_id_rows {
	const uint64_t *begin;  /* [vertices + 1] */
	const gemp_vertex *ids; /* ascending in a row */
	bool drop_loops;        /* a vertex is not taken into its own row */
} gemp_id_rows;

typedef struct gemp_renumber {
	const gemp_id_rows *lists; /* [list_count]; borrowed */
	size_t list_count;
	gemp_vertex first;            /* the vertex of row 0 of the lists */
	uint64_t vertices;            /* number of rows */
	const gemp_vertex *row_of;    /* [vertices] the row of the lists for each new row; borrowed */
	uint64_t numbers;             /* vertices that the entries may name */
	const gemp_vertex *number_of; /* [numbers] the new number of each id; borrowed */
	const uint64_t *begin; /* [vertices + 1] offsets of the new rows, which gemp_renumber_lengths sets; borrowed */
	bool parts;            /* gemp_renumbered.longest is wanted; new row i is then that of number i */
} gemp_renumber;

/* Does the device have memory for rows with this number of entries, of which the longest has `longest`, and for the
 * intermediate arrays, and are there enough entries to repay the launches (gemp_limits.renumber_min)? */
bool gemp_renumber_possible(const gemp_device *device, uint64_t vertices, uint64_t entries, uint64_t longest);

/* Has the device, with `rest` free bytes, memory to sort the rows? */
bool gemp_renumber_sorts(const gemp_device *device, uint64_t rest, uint64_t entries, uint64_t longest);

/* What the lists of all rows have. */
typedef struct gemp_renumber_found {
	uint64_t longest; /* entries of the longest row */
	bool loops;       /* some vertex is in its own row, after loops were dropped */
	bool parallel;    /* some row has a vertex twice; only looked for in one or two lists */
} gemp_renumber_found;

/* Sets begin[vertices + 1] to the offsets of the new rows: row i of the lists becomes the new row place_of[i], or row i
 * if place_of is NULL. Reads no number. */
void gemp_renumber_lengths(const gemp_renumber *rows, const gemp_vertex *place_of, uint64_t *begin,
                           gemp_renumber_found *found);

/* Makes the rows on the host, with all threads: to[begin[vertices]]. longest: entries of the longest row. */
gemp_code gemp_renumber_rows(const gemp_renumber *rows, uint64_t longest, gemp_vertex *to);

/* The new rows on a device. */
typedef struct gemp_renumbered {
	gemp_buffer begin;   /* [vertices + 1] offsets of 32 bits, or of 64 if `wide` */
	gemp_buffer entries; /* [begin[vertices]], at least one */
	uint32_t
		longest[2]; /* if wanted: maximum numbers of entries of a row that are less and greater than its own number */
} gemp_renumbered;

/* After a failure *out has no buffers. Seconds of building kernels are added to *build. */
gemp_code gemp_renumber_make(gemp_renumbered *out, gemp_device *device, const gemp_renumber *rows, bool wide,
                             double *build);

/* Makes a buffer with the first entry of each row of any CSR on the device; the head of an empty row is the row
 * itself. Seconds of building kernels are added to *build. */
gemp_code gemp_row_heads_new(gemp_buffer *heads, gemp_device *device, const gemp_buffer *begin,
                             const gemp_buffer *entries, uint32_t rows, bool wide, double *build);

#endif
