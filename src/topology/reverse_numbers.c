#include "topology/reverse_numbers.h"

#include "core/memory.h"
#include "core/search.h"
#include "core/threads.h"

enum { CHUNK = 1 << 16 }; /* edges that a thread takes at a time */

typedef struct number_task {
	const gemp_csr *csr;
	const gemp_reversed_rows *reversed;
	const uint64_t *bounds;
	size_t ranks;
	uint32_t *place;         /* [reversed edges] the new row's place of each edge, in the order of arrival */
	uint64_t *places;        /* [chunks][ranks] number of edges to each rank, then the place of the next answer */
	const uint32_t *answers; /* [edges] places of own edges, by their new ranks */
	const uint64_t *first;   /* [ranks] first new number of each rank */
	gemp_edge *number;       /* [edges] */
} number_task;

static void list_places(void *context, size_t begin, size_t end)
{
	const number_task *t = context;
	for (size_t e = begin; e < end; e++)
		t->place[t->reversed->edge[e]] = (uint32_t)e;
}

/* Targets ascend in each row, so most edges have the owner of the edge before. */
static inline size_t owner_of(const number_task *t, gemp_vertex id, size_t last)
{
	return id >= t->bounds[last] && id < t->bounds[last + 1] ? last : gemp_range_find(t->bounds, t->ranks, id);
}

static void count_edges(void *context, size_t chunk, size_t begin, size_t end)
{
	const number_task *t = context;
	size_t owner = 0;
	for (size_t e = begin; e < end; e++) {
		owner = owner_of(t, t->csr->target[e], owner);
		t->places[chunk * t->ranks + owner]++;
	}
}

static void take_numbers(void *context, size_t chunk, size_t begin, size_t end)
{
	const number_task *t = context;
	size_t owner = 0;
	for (size_t e = begin; e < end; e++) {
		owner = owner_of(t, t->csr->target[e], owner);
		t->number[e] = t->first[owner] + t->answers[t->places[chunk * t->ranks + owner]++];
	}
}

/* Answers lie by rank, and then in the order of edges. sent[ranks] becomes the number of edges to each rank. */
static void set_places(number_task *t, size_t chunks, uint64_t *sent)
{
	uint64_t place = 0;
	for (size_t r = 0; r < t->ranks; r++) {
		const uint64_t first = place;
		for (size_t c = 0; c < chunks; c++) {
			const uint64_t count = t->places[c * t->ranks + r];
			t->places[c * t->ranks + r] = place;
			place += count;
		}
		sent[r] = place - first;
	}
}

/* Memory of the exchange; arrays may be NULL. */
typedef struct number_memory {
	number_task task;
	uint64_t *counts, *first; /* [ranks] edges to and then from each rank */
	size_t *sizes;            /* [2][ranks] */
	void *answers;
} number_memory;

static void free_numbers(number_memory *m)
{
	gemp_free_all(m->task.place, m->task.places, m->task.number, m->counts, m->first, m->sizes, m->answers);
}

/* The edges from a rank arrived in the order in which it counts them here. */
gemp_code gemp_reverse_numbers(gemp_edge **out, const gemp_comm *comm, const uint64_t *bounds, const gemp_csr *csr,
                               const gemp_reversed_rows *reversed)
{
	const size_t ranks = (size_t)comm->size, edges = (size_t)gemp_csr_edges(csr), chunks = (edges + CHUNK - 1) / CHUNK;
	const uint64_t arrived = reversed->begin[reversed->rows];
	size_t capacity = 0;
	GEMP_OWNED_BY(free_numbers)
	number_memory m = { .task = { .csr = csr, .reversed = reversed, .bounds = bounds, .ranks = ranks } };
	number_task *t = &m.task;
	GEMP_TRY(gemp_comm_agree(comm, gemp_new_all(GEMP_ARRAY(t->place, arrived), GEMP_ARRAY(t->places, chunks * ranks),
	                                            GEMP_ARRAY(t->number, edges), GEMP_ARRAY(m.counts, ranks),
	                                            GEMP_ARRAY(m.first, ranks), GEMP_ARRAY(m.sizes, 2 * ranks))));
	gemp_for_elements((size_t)arrived, list_places, t);
	gemp_for_chunks(edges, CHUNK, count_edges, t);
	set_places(t, chunks, m.counts);
	GEMP_MPI(MPI_Alltoall(MPI_IN_PLACE, 1, MPI_UINT64_T, m.counts, 1, MPI_UINT64_T, comm->world));
	for (size_t r = 0; r < ranks; r++)
		m.sizes[r] = (size_t)m.counts[r] * sizeof *t->place;
	m.first[comm->rank] = gemp_comm_exscan(comm, arrived);
	GEMP_MPI(MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, m.first, 1, MPI_UINT64_T, comm->world));
	GEMP_TRY(gemp_exchange(comm, GEMP_OK, t->place, m.sizes, &m.answers, &capacity, m.sizes + ranks, NULL));
	t->answers = m.answers;
	t->first = m.first;
	gemp_for_chunks(edges, CHUNK, take_numbers, t);
	*out = t->number;
	t->number = NULL;
	return GEMP_OK;
}
