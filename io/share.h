/* share: which of many things this rank takes. */
#ifndef GEMP_IO_SHARE_H
#define GEMP_IO_SHARE_H

#include "comm/comm.h"

typedef struct gemp_span {
	uint64_t begin, end; /* [begin, end) */
} gemp_span;

/* Shares follow one another by rank, cover [0, count), and differ by one at most. */
gemp_span gemp_share(const gemp_comm *comm, uint64_t count);

#endif
