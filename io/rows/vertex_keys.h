/* vertex_keys: the user's keys of given vertices, and the vertices with given keys. Any rank may own these vertices.
 *
 * The owner of a vertex stores the vertex's key (graph->keys). The collective functions need the keys loaded;
 * gemp_vertex_keys_sources loads them itself. */

#ifndef GEMP_IO_ROWS_VERTEX_KEYS_H
#define GEMP_IO_ROWS_VERTEX_KEYS_H

#include "comm/comm.h"
#include "graph/graph.h"

/* Collective. Initialises out and fills it with the keys of ids[0..count). count may differ between the ranks. */
gemp_code gemp_vertex_keys_fetch(gemp_column *out, const gemp_comm *comm, const gemp_shard *graph,
                                 const gemp_vertex *ids, size_t count);

/* Collective. The same for the values of an attribute, which must be loaded. The column is one of graph->attributes. */
gemp_code gemp_vertex_attribute_fetch(gemp_column *out, const gemp_comm *comm, const gemp_shard *graph,
                                      const gemp_column *column, const gemp_vertex *ids, size_t count);

/* Collective, with the same keys on all ranks. out[i] becomes the id of the vertex with keys[i], or GEMP_NO_VERTEX if
 * no vertex has this key. */
gemp_code gemp_vertex_keys_find(gemp_vertex *out, const gemp_comm *comm, const gemp_shard *graph,
                                const gemp_value *keys, size_t count);

/* The key that a text means in this graph. If the graph has integer keys and the text is an integer, the key is this
 * integer; otherwise the key is a string that borrows the bytes of the text. */
gemp_value gemp_vertex_keys_of_text(const gemp_shard *graph, const char *text, size_t size);

/* Collective. Loads the keys. out[i] becomes the vertex that texts[i], a value of the setting `source`, names.
 * GEMP_EUSAGE: no vertex has this name. file: the graph's name, for messages. */
gemp_code gemp_vertex_keys_sources(gemp_vertex *out, const gemp_comm *comm, gemp_shard *graph, const char *file,
                                   const char *const *texts, size_t count);

#endif
