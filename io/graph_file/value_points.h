/* value_points: searches an index of values of a graph file, by single reads (graph/point_reader.h). An entry of an
 * index is a value and a vertex that has it; entries ascend by value. Local. */

#ifndef GEMP_IO_GRAPH_FILE_VALUE_POINTS_H
#define GEMP_IO_GRAPH_FILE_VALUE_POINTS_H

#include "graph/graph.h"
#include "graph/point_reader.h"
#include "io/graph_file/point_column.h"

/* *position becomes the number of entries at the beginning of index number `number` that compare with the value as
 * `bound` says, and which are known to be at least `from`. `text` is a buffer. */
gemp_code gemp_value_points_position(gemp_point_columns *columns, const gemp_shard *graph, size_t number,
                                     gemp_bound bound, const gemp_value *value, uint64_t from, gemp_text *text,
                                     uint64_t *position);
/* ids[count] become the vertices of the entries from `first` on. */
gemp_code gemp_value_points_entries(gemp_h5_points *points, const gemp_shard *graph, size_t number, uint64_t first,
                                    size_t count, gemp_vertex *ids);

#endif
