/* row_writer: where projected rows go: a preview for people, TSV, CSV, JSON lines, or HDF5, chosen by the path's
 * ending. All functions are collective. */
#ifndef GEMP_COMMAND_ROW_WRITER_H
#define GEMP_COMMAND_ROW_WRITER_H

#include "query/projection.h"
#include "command/rows.h"
#include "io/result_file.h"

typedef struct gemp_row_writer gemp_row_writer;

/* columns: names and types. options' strings and columns' names must live as long as the writer. */
gemp_code gemp_row_writer_open(gemp_row_writer **out, const gemp_comm *comm, const gemp_projected *columns, size_t count,
                               const gemp_rows_options *options);
gemp_code gemp_row_writer_write(gemp_row_writer *writer, const gemp_projected *columns, size_t count, size_t rows);
/* Frees; takes NULL. */
gemp_code gemp_row_writer_close(gemp_row_writer *writer, const gemp_result_info *info);
void gemp_row_writer_abandon(gemp_row_writer *writer);

#endif
