/* builder_shuffle: a stream of packed records to the ranks that own them, in rounds of bounded size. */

#ifndef GEMP_PARTITION_EXCHANGE_RECORD_STREAM_H
#define GEMP_PARTITION_EXCHANGE_RECORD_STREAM_H

#include "comm/comm.h"
#include "core/text.h"
#include "graph/graph.h"

typedef struct gemp_record_stream {
	void *context;
	size_t count; /* records of this rank, packed in the order 0, 1, ... */
	size_t batch; /* bytes after which a round is full */
	int (*owner)(void *self, size_t record);
	gemp_code (*pack)(void *self, size_t record, gemp_text *out);
	/* Whole records of one source, in its order. */
	gemp_code (*take)(void *self, int source, const char *bytes, const char *end);
} gemp_record_stream;

/* Collective; on failure all ranks return the same code. */
gemp_code gemp_record_stream_run(const gemp_comm *comm, const gemp_record_stream *shuffle);

/* One number for each record that came, to be sent back: given in the order in which the records of a source are
 * taken. */
typedef struct gemp_replies {
	uint32_t **values; /* [ranks][count[rank]] */
	size_t *count, *capacity;
	int ranks;
} gemp_replies;

gemp_code gemp_replies_new(gemp_replies *replies, int ranks);
void gemp_replies_free(gemp_replies *replies);
gemp_code gemp_replies_add(gemp_replies *replies, int source, uint32_t value);
/* Collective, after gemp_record_stream_run. out[record] is the reply to each of this rank's records. */
gemp_code gemp_replies_return(const gemp_comm *comm, const gemp_replies *replies, const gemp_record_stream *shuffle,
                              uint32_t *out);

/* inquire: a number of each of some vertices, asked of the ranks that own them. */

enum { GEMP_RECORD_BATCH = 64 << 20 }; /* bytes a rank sends in one round */

/* Collective. values[graph->rows] are those of this rank's vertices; out[i] becomes the value of vertex ids[i]. */
gemp_code gemp_record_query(const gemp_comm *comm, const gemp_shard *graph, const uint32_t *values,
                            const gemp_vertex *ids, size_t count, uint32_t *out);

#endif
