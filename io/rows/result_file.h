/* result_file: rows of a match as an HDF5 file that h5py reads without our library; docs/formats.md describes it for
 * users.
 *
 *   /                  encoding-type "gemp-result", encoding-version, pattern, semantics, distinct, complete (boolean),
 *                      graph-hash (u64), rows (u64)
 *   /rows              column-order: names of the columns
 *   /rows/<column>     a dataset of i64, f64 or booleans. Strings are a group with the encoding "gemp-strings", as in
 *                      graph files: offsets (u64, rows + 1) and bytes (u8). `/` and `%` in a name are percent-encoded
 *   /null/<column>     boolean, true where the value is NULL; exists only if the column has a NULL
 *
 * Datasets have chunks, which HDF5's own filters shuffle and deflate pack (hdf5_growing.h). Each write appends the rows
 * of all ranks in rank order. The file has a temporary name until it is complete. All functions are collective. */

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
/* Appends this rank's next rows. Each of columns[0..count) has `rows` rows. code: the result of the caller's earlier
 * steps on this rank. */
gemp_code gemp_result_file_write(gemp_result_file *file, gemp_code code, const gemp_column *const *columns,
                                 size_t rows);
/* Completes and frees the file. After an error the temporary file is removed, and a file that had the name before
 * stays. file may be NULL. */
gemp_code gemp_result_file_close(gemp_result_file *file, const gemp_result_info *info);
/* Removes and frees the file. file may be NULL. */
void gemp_result_file_abandon(gemp_result_file *file);

#endif
