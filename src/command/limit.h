/* limit: a sink that says "enough" once all ranks together have taken so many rows. */
#ifndef GEMP_COMMAND_LIMIT_H
#define GEMP_COMMAND_LIMIT_H

#include "comm/comm.h"
#include "graph/table.h"

typedef struct gemp_limit {
	const gemp_comm *comm; /* borrowed */
	uint64_t limit, taken; /* taken: by this rank */
	gemp_sink *next;       /* borrowed; NULL: rows go no further */
} gemp_limit;

/* limit is borrowed and set by the caller; the sink has nothing to free. */
gemp_sink gemp_limit_sink(gemp_limit *limit);

#endif
