#include "io/share.h"

gemp_span gemp_share(const gemp_comm *comm, uint64_t count)
{
	uint64_t rank = (uint64_t)comm->rank, ranks = (uint64_t)comm->size, each = count / ranks, more = count % ranks;
	uint64_t begin = rank * each + (rank < more ? rank : more);
	return (gemp_span){ begin, begin + each + (rank < more) };
}
