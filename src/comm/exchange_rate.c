#include "comm/exchange_rate.h"

#include "comm/exchange.h"
#include "core/memory.h"

#include <string.h>

enum { TRIES = 5 };

gemp_code gemp_exchange_rate(const gemp_comm *comm, size_t bytes, double *rate)
{
	gemp_code code = GEMP_OK;
	size_t others = (size_t)comm->size - 1, each = others ? bytes / others + 1 : 0;
	char *memory = NULL;
	gemp_parcel *parcels = NULL;
	double best = 1e9;
	*rate = 0;
	if (!others)
		return GEMP_OK;
	code = GEMP_NEW(memory, 2 * others * each);
	if (code == GEMP_OK)
		code = GEMP_NEW(parcels, 2 * (others + 1));
	GEMP_TRY(gemp_comm_agree(comm, code));
	memset(memory, 1, 2 * others * each);
	for (size_t r = 0, other = 0; r <= others; r++)
		if ((int)r != comm->rank) {
			parcels[r] = (gemp_parcel){ memory + each * other, each };
			parcels[others + 1 + r] = (gemp_parcel){ memory + each * (others + other++), each };
		}
	for (int i = 0; i < TRIES; i++) {
		GEMP_MPI(MPI_Barrier(comm->world));
		double since = MPI_Wtime();
		GEMP_TRY(gemp_exchange_parcels(comm, parcels, parcels + others + 1, NULL));
		uint64_t nanoseconds = (uint64_t)((MPI_Wtime() - since) * 1e9) + 1;
		gemp_comm_max(comm, &nanoseconds, 1);
		best = (double)nanoseconds * 1e-9 < best ? (double)nanoseconds * 1e-9 : best;
	}
	*rate = (double)each * (double)others * (double)comm->size / best;
done:
	gemp_free(memory);
	gemp_free(parcels);
	return code;
}
