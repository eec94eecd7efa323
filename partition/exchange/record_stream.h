/* record_stream: sends packed records of any length to the ranks that own them, in rounds of bounded size. For records
 * of a fixed size that fit into memory at once there is gemp_request (comm/exchange.h). */

#ifndef GEMP_PARTITION_EXCHANGE_RECORD_STREAM_H
#define GEMP_PARTITION_EXCHANGE_RECORD_STREAM_H

#include "comm/comm.h"
#include "core/text.h"
#include "graph/graph.h"

typedef struct gemp_record_stream {
	void *context;
	size_t count; /* records of this rank; they are packed in the order 0, 1, ... */
	size_t batch; /* bytes after which a round is full */
	int (*owner)(void *self, size_t record);
	gemp_code (*pack)(void *self, size_t record, gemp_text *out);
	/* Takes the records of one source in a round. The records are whole, in the order of packing. */
	gemp_code (*take)(void *self, int source, const char *bytes, const char *end);
} gemp_record_stream;

/* Collective. After a failure all ranks return the same code. */
gemp_code gemp_record_stream_run(const gemp_comm *comm, const gemp_record_stream *stream);

/* Collective, after gemp_record_stream_run. answers[ranks] has a uint32_t for each record that this rank has taken, by
 * source, in the order of taking. answers[] is freed. out[i] becomes the answer to record i of this rank. code: as in
 * comm/exchange.h. */
gemp_code gemp_record_stream_answer(const gemp_comm *comm, gemp_code code, const gemp_record_stream *stream,
                                    gemp_text *answers, uint32_t *out);

enum { GEMP_RECORD_BATCH = 64 << 20 }; /* bytes that a rank sends in one round, if its caller has no other limit */

#endif
