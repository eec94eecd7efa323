/* vertex_keys: the user's keys of vertices that any rank owns, and vertices by their keys.
 *
 * Keys lie with the owners of their vertices (graph->keys). Fetching exchanges ids for keys; finding lets every rank
 * look its vertices up among the wanted keys. All collective functions need the keys loaded.
 */

#ifndef GEMP_IO_ROWS_VERTEX_KEYS_H
#define GEMP_IO_ROWS_VERTEX_KEYS_H

#include "comm/comm.h"
#include "graph/graph.h"

/* Collective. out, which is initialised here, becomes the keys of ids[0..count). Keys are loaded. */
gemp_code gemp_vertex_keys_fetch(gemp_column *out, const gemp_comm *comm, const gemp_shard *graph,
                                 const gemp_vertex *ids, size_t count);

/* Collective, with the same keys on all ranks; the graph's keys are loaded. out[i] becomes the id of the vertex with
 * keys[i], GEMP_NO_VERTEX if there is none. */
gemp_code gemp_vertex_keys_find(gemp_vertex *out, const gemp_comm *comm, const gemp_shard *graph,
                                const gemp_value *keys, size_t count);

/* The key that a text stands for in this graph: integers where all its keys are, if it looks like one. The bytes of a
 * string are borrowed. */
gemp_value gemp_vertex_keys_of_text(const gemp_shard *graph, const char *text, size_t size);

/* Collective. Loads keys. The vertices that texts[0..count) name, which the setting `source` gives; GEMP_EUSAGE if
 * there is none of a name. */
gemp_code gemp_vertex_keys_sources(gemp_vertex *out, const gemp_comm *comm, gemp_shard *graph, const char *file,
                                   const char *const *texts, size_t count);

#endif
