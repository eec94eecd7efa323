/* label_rows: rows of attributes that only the vertices of one label have.
 *
 * Such an attribute has a value for each vertex of the label, and a dataset has the ids of these vertices, ascending.
 * Ids are in random order, so those of a label are spread evenly, and a row is within some hundreds of the place where
 * even spacing has it, mostly in the same block of the file. */

#ifndef GEMP_IO_GRAPH_FILE_LABEL_ROWS_H
#define GEMP_IO_GRAPH_FILE_LABEL_ROWS_H

#include "core/types.h"
#include "io/hdf5/hdf5_points.h"

/* Local. *row becomes the position of a vertex in an array of ids (GEMP_H5_U32), or UINT64_MAX. vertices: of the
 * graph. */
gemp_code gemp_label_rows_find(gemp_h5_points *points, const gemp_h5_array *array, uint64_t vertices, gemp_vertex id,
                               uint64_t *row);

#endif
