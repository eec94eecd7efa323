#include "transform/near.h"

#include "core/memory.h"
#include "core/threads.h"

#include <string.h>

enum { ROWS_A_PIECE = 1 << 14, WORDS_AT_ONCE = 1 << 26 };

static size_t words_of(const gemp_graph *graph)
{
	return (size_t)((graph->vertices + 31) / 32);
}

/* Collective. */
static uint64_t gather(const gemp_comm *comm, uint32_t *bits, size_t words)
{
	uint64_t count = 0;
	for (size_t at = 0; at < words && comm->size > 1; at += WORDS_AT_ONCE) {
		size_t left = words - at;
		GEMP_MPI(MPI_Allreduce(MPI_IN_PLACE, bits + at, (int)(left < WORDS_AT_ONCE ? left : WORDS_AT_ONCE), MPI_UINT32_T,
		                       MPI_BOR, comm->world));
	}
	for (size_t w = 0; w < words; w++)
		count += (uint64_t)__builtin_popcount(bits[w]);
	return count;
}

gemp_code gemp_near_mark(uint32_t **bits, uint64_t *count, const gemp_comm *comm, const gemp_graph *graph,
                         const bool *mark)
{
	gemp_code code = GEMP_OK;
	GEMP_TRY(gemp_comm_agree(comm, GEMP_NEW(*bits, words_of(graph))));
	for (size_t row = 0; row < graph->rows; row++)
		if (mark[row])
			(*bits)[(graph->first + row) / 32] |= UINT32_C(1) << (graph->first + row) % 32;
	*count = gather(comm, *bits, words_of(graph));
done:
	return code;
}

/* WIDENING */
typedef struct widening {
	const gemp_graph *graph;
	const gemp_relation *relation;
	const uint32_t *before;
	uint32_t *after;
} widening;

static void set(uint32_t *bits, uint64_t id)
{
	uint32_t bit = UINT32_C(1) << id % 32;
	if (!(__atomic_load_n(&bits[id / 32], __ATOMIC_RELAXED) & bit))
		__atomic_fetch_or(&bits[id / 32], bit, __ATOMIC_RELAXED);
}

static void widen_piece(void *context, unsigned thread, size_t piece)
{
	const widening *w = context;
	const gemp_relation *relation = w->relation;
	size_t first = piece * ROWS_A_PIECE, end = first + ROWS_A_PIECE < w->graph->rows ? first + ROWS_A_PIECE : w->graph->rows;
	(void)thread;
	for (size_t row = first; row < end; row++) {
		uint64_t id = w->graph->first + row;
		bool is_near = gemp_near_has(w->before, id), has_near = false;
		for (uint64_t i = relation->out_begin[row]; i < relation->out_begin[row + 1]; i++) {
			if (is_near)
				set(w->after, relation->out[i]);
			else
				has_near |= gemp_near_has(w->before, relation->out[i]);
		}
		if (has_near)
			set(w->after, id);
	}
}

gemp_code gemp_near_widen(uint32_t *bits, uint64_t *count, const gemp_comm *comm, const gemp_graph *graph,
                          const bool *relations, unsigned steps)
{
	gemp_code code = GEMP_OK;
	size_t words = words_of(graph);
	uint32_t *before = NULL;
	GEMP_TRY(gemp_comm_agree(comm, GEMP_NEW(before, words)));
	for (unsigned step = 0; step < steps; step++) {
		if (words)
			memcpy(before, bits, words * sizeof *bits);
		for (size_t r = 0; r < graph->relation_count; r++) {
			widening w = { graph, &graph->relations[r], before, bits };
			if (relations[r])
				gemp_parallel_for((graph->rows + ROWS_A_PIECE - 1) / ROWS_A_PIECE, widen_piece, &w);
		}
		*count = gather(comm, bits, words);
	}
done:
	gemp_free(before);
	return code;
}
