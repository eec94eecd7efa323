/* graph_file_points: the point reader (graph/point_reader.h) of a graph file. Local. */

#ifndef GEMP_IO_GRAPH_FILE_GRAPH_FILE_POINTS_H
#define GEMP_IO_GRAPH_FILE_GRAPH_FILE_POINTS_H

#include "graph/graph.h"
#include "graph/point_reader.h"
#include "io/graph_file/graph_file_relation.h"
#include "io/hdf5/hdf5_points.h"

/* Where the parts of a graph are in its file. */
typedef struct gemp_file_layout {
	const gemp_shard *graph;
	char *path, *key_path;           /* owned */
	bool trust;                      /* the file's seal is ignored */
	uint64_t hash;                   /* as in the file */
	gemp_column_layout attributes;   /* layout of the vertex attributes */
	gemp_relation_layout *relations; /* [relation_count] */
	size_t relation_count;
} gemp_file_layout;

/* Opens the file `path`, before it is described: so the reader knows whether the path leads to another file later. A
 * file that was replaced or written is opened again, and is read if it has the same graph and indexes of values. The
 * layout is borrowed and may be filled in later. *out stays NULL on a machine that is not little-endian, whose numbers
 * are not those of the file. */
gemp_code gemp_file_points_new(gemp_point_reader **out, const gemp_file_layout *layout);
void gemp_file_points_free(gemp_point_reader *reader);

#endif
