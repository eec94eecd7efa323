/* result_file: rows of a match as an HDF5 file that h5py reads without our library.
 *
 *   /                  encoding-type "gemp-result", encoding-version, pattern, semantics, distinct, complete (boolean),
 *                      graph-hash (u64), rows (u64)
 *   /rows              column-order: names of the columns
 *   /rows/<column>     one dataset a column: i64, f64, boolean, or variable-length UTF-8. `/` and `%` in a name are
 *                      percent-encoded
 *   /null/<column>     boolean, true where the value is NULL; exists only if the column has a NULL
 *
 * Each write appends the rows of all ranks in rank order. Rank 0 alone writes the file and receives the rows of one
 * other rank at a time, so parallel and serial HDF5 both suffice. The file has a temporary name until it is complete.
 * All functions are collective. */

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

/* columns[0..count) give the names, which must differ, and the types. GEMP_EIO: the path cannot be written to. */
gemp_code gemp_result_file_open(gemp_result_file **out, const gemp_comm *comm, const char *path,
                                const gemp_column *const *columns, size_t count);
/* Appends this rank's next rows. Each of columns[0..count) has `rows` rows. */
gemp_code gemp_result_file_write(gemp_result_file *file, const gemp_column *const *columns, size_t rows);
/* Completes and frees the file. After an error the temporary file is removed, and a file that had the name before
 * stays. file may be NULL. */
gemp_code gemp_result_file_close(gemp_result_file *file, const gemp_result_info *info);
/* Removes and frees the file. file may be NULL. */
void gemp_result_file_abandon(gemp_result_file *file);

#endif
