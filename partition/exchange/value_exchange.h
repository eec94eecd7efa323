/* value_exchange: sends values of vertices and edges between ranks. Values are packed as bytes, sent as whole columns,
 * or sent as answers to requests for the values of any vertices.
 *
 * The owner of a vertex follows from the graph's bounds. The owner of an edge follows from a table, gemp_edge_owners,
 * since edges are numbered through all relations and a rank has a range of each relation. */

#ifndef GEMP_PARTITION_EXCHANGE_VALUE_EXCHANGE_H
#define GEMP_PARTITION_EXCHANGE_VALUE_EXCHANGE_H

#include "comm/comm.h"
#include "comm/exchange.h"
#include "core/text.h"
#include "graph/graph.h"

/* The text records a failure (gemp_text_status). The bytes of a string are copied. */
void gemp_pack_value(gemp_text *out, const gemp_value *value);
void gemp_pack_number(gemp_text *out, uint64_t number);
void gemp_pack_bytes(gemp_text *out, const char *bytes, size_t size);

/* Values are read in the order in which they were packed. *at advances. Strings and bytes point into the packed bytes.
 * The packed bytes are not checked, so they must come from gemp_pack_... */
gemp_value gemp_unpack_value(const char **at);
uint64_t gemp_unpack_number(const char **at);
const char *gemp_unpack_bytes(const char **at, size_t *size);

/* NULL equals NULL, NaN equals NaN, and an integer equals a float with the same value. */
bool gemp_value_same(const gemp_value *a, const gemp_value *b);

/* Collective. texts[ranks] has one text for each rank. The texts are sent and freed, also after a failure.
 * received[*size] becomes the bytes that all ranks have sent to this rank, by source. The caller frees them. code: as
 * in comm/exchange.h. */
gemp_code gemp_exchange_texts(const gemp_comm *comm, gemp_code code, gemp_text *texts, void **received, size_t *size);

/* Collective. Row i is sent to rank owner[i]. out, which is initialised here, gets the received rows by source, then by
 * row. */
gemp_code gemp_column_exchange(gemp_column *out, const gemp_comm *comm, const gemp_column *column, const int *owner);

/* Collective. Record i is sent to rank owner[i]. *records is freed and replaced by the received records, in the order
 * of gemp_exchange_records. With one rank nothing is moved, and owner may be NULL. code: as in comm/exchange.h. */
gemp_code gemp_records_move(const gemp_comm *comm, gemp_code code, void **records, size_t count, size_t size,
                            const int *owner, size_t *received);
/* Collective. Row i of `from` is sent to rank owner[i]. With one rank owner is NULL. `to`, which is {0}, becomes the
 * rows order[0..count) of the received rows. consume: `from` is freed as soon as it has been sent. */
gemp_code gemp_column_move(const gemp_comm *comm, gemp_column *to, gemp_column *from, const int *owner,
                           const uint64_t *order, size_t count, bool consume);
gemp_code gemp_table_move(const gemp_comm *comm, gemp_table *to, gemp_table *from, const int *owner,
                          const uint64_t *order, size_t count, bool consume);

/* Collective. column[graph->rows]: this rank's part of a column of vertices. ids[count] are any ids, which may repeat.
 * out, which is initialised here, gets their values, and place[i] becomes the row of ids[i] in out. After an error
 * nothing has to be freed. code: as in comm/exchange.h. */
gemp_code gemp_vertex_values(const gemp_comm *comm, gemp_code code, const gemp_shard *graph, const gemp_column *column,
                             const gemp_vertex *ids, size_t count, gemp_column *out, size_t *place);
/* Collective. Gets one number for each id, in rounds. Rank r owns the ids bounds[r] .. bounds[r + 1] - 1. values[i] is
 * the number of this rank's i-th vertex. out[i] becomes the number of ids[i]. out may be the array ids. traffic may be
 * NULL. */
gemp_code gemp_vertex_numbers(const gemp_comm *comm, gemp_code code, const uint64_t *bounds, const uint32_t *values,
                              const gemp_vertex *ids, size_t count, uint32_t *out, gemp_traffic *traffic);

/* Gives the relation and the owner of each edge number. */
typedef struct gemp_edge_owners {
	size_t relations;
	int ranks;
	uint64_t *relation_offset; /* [relations + 1] number of each relation's first edge */
	uint64_t *rank_first;      /* [relations][ranks] index in the relation of each rank's first edge */
} gemp_edge_owners;

/* Collective. The rows by source of all relations are loaded. */
gemp_code gemp_edge_owners_new(gemp_edge_owners *out, const gemp_comm *comm, const gemp_shard *graph);
/* Collective. Updates the owners after the edges of the graph have changed. */
void gemp_edge_owners_update(gemp_edge_owners *places, const gemp_comm *comm, const gemp_shard *graph);
void gemp_edge_owners_free(gemp_edge_owners *places);
size_t gemp_edge_relation(const gemp_edge_owners *places, uint64_t edge);
int gemp_edge_owner(const gemp_edge_owners *places, uint64_t edge);
/* Returns the index of an edge among the edges of its relation that its owner `rank` has. */
size_t gemp_edge_local_index(const gemp_edge_owners *places, uint64_t edge, int rank);

/* (*offsets)[relation_count + 1]: edge k of relation r has the number offsets[r] + k. The caller frees the array. */
gemp_code gemp_edge_offsets(const gemp_shard *graph, gemp_edge **offsets);

#endif
