/* output_columns: turns the frames behind the last clause into columns of the user's keys and values, which a row
 * writer takes (io/rows/row_text.h).
 *
 * A vertex becomes its key, and an edge its type and the keys of its ends. Values are not copied: a column borrows the
 * values of the frame, or is a list of row numbers of the graph's column. Keys of other ranks are fetched for each
 * frame. */

#ifndef GEMP_QUERY_OUTPUT_OUTPUT_COLUMNS_H
#define GEMP_QUERY_OUTPUT_OUTPUT_COLUMNS_H

#include "core/memory.h"
#include "io/rows/row_text.h"
#include "pattern/model/pattern.h"
#include "query/rows/lookup.h"

typedef struct gemp_output_columns gemp_output_columns;

/* Local. Borrows all arguments. */
gemp_code gemp_output_columns_new(gemp_output_columns **out, gemp_runtime *context, gemp_shard *graph,
                                  const gemp_pattern *pattern);
void gemp_output_columns_free(gemp_output_columns *columns);
GEMP_RELEASE(gemp_output_columns_free, gemp_output_columns *)

/* Collective. *out becomes the columns [pattern->result.shown] of the first frame->rows rows of the frame. They are
 * valid until the frame changes and until the next call, and the caller frees nothing. */
gemp_code gemp_output_columns_fill(gemp_output_columns *columns, gemp_frame *frame, const gemp_projected **out);

/* Local. Sets the names and types of the columns, without rows. The caller frees them (gemp_projected_free). */
gemp_code gemp_output_columns_header(const gemp_shard *graph, const gemp_pattern *pattern, gemp_projected *out);

#endif
