/* result_file: rows of a match as HDF5, readable by h5py without us.
 *
 *   /                  encoding-type "gemp-result", encoding-version, pattern, semantics, distinct, complete (boolean),
 *                      graph-hash (u64), rows (u64)
 *   /rows              column-order: names of the columns
 *   /rows/<column>     one dataset a column: i64, f64, boolean, or variable-length UTF-8. `/` and `%` in a name are
 *                      percent-encoded
 *   /null/<column>     boolean, true where the value is NULL; only of columns that have a NULL
 *
 * Rows of all ranks in rank order, turn by turn. Rank 0 writes, receiving the rows of one other rank at a time, so that
 * it works with parallel and serial HDF5 alike. Under a temporary name until it is whole. All functions are collective.
 */

#ifndef GEMP_IO_ROWS_RESULT_FILE_H
#define GEMP_IO_ROWS_RESULT_FILE_H

#include "comm/comm.h"
#include "graph/column.h"

typedef struct gemp_result_file gemp_result_file;

typedef struct gemp_result_info {
	const char *pattern, *semantics, *distinct;
	uint64_t graph_hash;
	bool complete;
} gemp_result_info;

/* columns[0..count): names and types; names differ. A place that cannot be written to is GEMP_EIO. */
gemp_code gemp_result_file_open(gemp_result_file **out, const gemp_comm *comm, const char *path,
                                const gemp_column *const *columns, size_t count);
/* This rank's next rows, as columns[0..count) of `rows` rows each. */
gemp_code gemp_result_file_write(gemp_result_file *file, const gemp_column *const *columns, size_t rows);
/* Frees; an error leaves no file. Takes NULL. */
gemp_code gemp_result_file_close(gemp_result_file *file, const gemp_result_info *info);
/* Removes what was written. Frees; takes NULL. */
void gemp_result_file_abandon(gemp_result_file *file);

#endif
