/* record_stream: sends packed records of any length to the ranks that own them, in rounds of bounded size. Records of
 * one fixed size that fit in memory at once are a gemp_request (comm/exchange.h). */

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
	/* Takes whole records of one source, in the order in which it packed them. */
	gemp_code (*take)(void *self, int source, const char *bytes, const char *end);
} gemp_record_stream;

/* Collective; on failure all ranks return the same code. */
gemp_code gemp_record_stream_run(const gemp_comm *comm, const gemp_record_stream *stream);

/* Collective, after gemp_record_stream_run. answers[ranks] has a uint32_t for each record of each source, in the order
 * in which they were taken, and is freed. out[i] becomes the answer to record i. code: as in comm/exchange.h. */
gemp_code gemp_record_stream_answer(const gemp_comm *comm, gemp_code code, const gemp_record_stream *stream,
                                    gemp_text *answers, uint32_t *out);

enum { GEMP_RECORD_BATCH = 64 << 20 }; /* bytes a rank sends in one round, where the caller has no other figure */

#endif
