#include "som/compose.h"

#include "core/memory.h"

#include <string.h>

size_t gemp_som_compose_floats = 1 << 26;

static uint32_t planes_of(const gemp_som_compose *c, uint32_t dims)
{
	return dims + (c->missing ? dims : 1);
}

/* Units of a rank, of so many: from the first of this one to the first of the next. */
static uint32_t first_of(const gemp_som_compose *c, uint32_t units, int rank)
{
	return (uint32_t)((uint64_t)units * (uint64_t)rank / (uint64_t)c->comm->size);
}

gemp_code gemp_som_compose_new(gemp_som_compose *out, const gemp_comm *comm, uint32_t units, uint32_t dims, bool missing)
{
	gemp_code code = GEMP_OK;
	const size_t ranks = (size_t)comm->size;
	*out = (gemp_som_compose){ .comm = comm, .units = units, .missing = missing };
	const size_t planes = planes_of(out, dims), most = gemp_som_compose_floats / planes;
	out->most = most < 1 ? 1 : most < units ? (uint32_t)most : units;
	GEMP_TRY(GEMP_NEW(out->send, out->most * planes));
	GEMP_TRY(GEMP_NEW(out->receive, (out->most + ranks) * planes)); /* a rank's units are rounded up */
	GEMP_TRY(GEMP_NEW(out->count, ranks));
	GEMP_TRY(GEMP_NEW(out->begin, ranks));
	GEMP_TRY(GEMP_NEW(out->mine, ranks));
	GEMP_TRY(GEMP_NEW(out->place, ranks));
done:
	return code;
}

void gemp_som_compose_free(gemp_som_compose *compose)
{
	gemp_free(compose->send);
	gemp_free(compose->receive);
	gemp_free(compose->count);
	gemp_free(compose->begin);
	gemp_free(compose->mine);
	gemp_free(compose->place);
	*compose = (gemp_som_compose){ 0 };
}

/* Between planes, of `here` units from `first` on, and blocks of ranks. */
static void pack(const gemp_som_compose *c, float *planes, uint32_t count, uint32_t first, uint32_t here, bool back)
{
	for (int rank = 0; rank < c->comm->size; rank++) {
		const uint32_t from = first_of(c, here, rank), some = first_of(c, here, rank + 1) - from;
		float *block = c->send + (size_t)from * count;
		for (size_t k = 0; k < count; k++) {
			float *plane = planes + k * c->units + first + from;
			memcpy(back ? plane : block + k * some, back ? block + k * some : plane, some * sizeof *plane);
		}
	}
}

/* b, then a, of `some` units each: what comes later on top of what was. */
static void put_on_top(const gemp_som_compose *c, float *restrict was, const float *restrict later, size_t dims, size_t some)
{
	const float *factors = later + dims * some;
	for (size_t k = 0; k < dims; k++)
		for (size_t i = 0; i < some; i++)
			was[k * some + i] = factors[(c->missing ? k * some : 0) + i] * was[k * some + i] + later[k * some + i];
	for (size_t i = 0; i < (c->missing ? dims : 1) * some; i++)
		was[dims * some + i] *= factors[i];
}

void gemp_som_compose_run(const gemp_som_compose *c, float *planes, uint32_t dims)
{
	const uint32_t count = planes_of(c, dims);
	const int ranks = c->comm->size, own = c->comm->rank;
	for (uint32_t first = 0, here; first < c->units; first += here) {
		here = c->units - first < c->most ? c->units - first : c->most;
		const uint32_t some = first_of(c, here, own + 1) - first_of(c, here, own);
		for (int rank = 0; rank < ranks; rank++) {
			c->begin[rank] = (int)(first_of(c, here, rank) * count);
			c->count[rank] = (int)(first_of(c, here, rank + 1) * count) - c->begin[rank];
			c->mine[rank] = (int)(some * count);
			c->place[rank] = (int)((uint32_t)rank * some * count);
		}
		pack(c, planes, count, first, here, false);
		GEMP_MPI(MPI_Alltoallv(c->send, c->count, c->begin, MPI_FLOAT, c->receive, c->mine, c->place, MPI_FLOAT, c->comm->world));
		for (int rank = 1; rank < ranks; rank++)
			put_on_top(c, c->receive, c->receive + c->place[rank], dims, some);
		GEMP_MPI(MPI_Allgatherv(c->receive, (int)(some * count), MPI_FLOAT, c->send, c->count, c->begin, MPI_FLOAT, c->comm->world));
		pack(c, planes, count, first, here, true);
	}
}
