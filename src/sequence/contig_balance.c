/* Which vertices do unitigs enter and leave equally often? Each is looked at by the rank that owns it. */
#include "sequence/contig_parts.h"

#include "comm/request.h"
#include "core/memory.h"

#include <stdlib.h>

static int by_word(const void *a, const void *b)
{
	gemp_kmer x = ((const gemp_contig_vertex *)a)->word, y = ((const gemp_contig_vertex *)b)->word;
	return (x > y) - (x < y);
}

/* The vertices of this rank that are not balanced. */
typedef struct lopsided {
	size_t count, capacity;
	gemp_contig_vertex *vertex; /* [count] by word */
	bool far;                   /* some by more than one */
} lopsided;

static gemp_code note(lopsided *l, const gemp_contig_vertex *vertex)
{
	if (vertex->in == vertex->out)
		return GEMP_OK;
	l->far |= vertex->in + 1 != vertex->out && vertex->out + 1 != vertex->in;
	gemp_code code = GEMP_RESERVE(l->vertex, l->capacity, l->count + 1);
	if (code == GEMP_OK)
		l->vertex[l->count++] = *vertex;
	return code;
}

/* The questions are ends of unitigs, and how often they are. */
static gemp_code take_ends(void *self, const void *questions, size_t count, uint64_t *answers)
{
	(void)answers;
	gemp_code code = GEMP_OK;
	gemp_contig_vertex *vertex = NULL;
	GEMP_TRY(GEMP_NEW(vertex, count));
	for (size_t i = 0; i < count; i++)
		vertex[i] = ((const gemp_contig_vertex *)questions)[i];
	qsort(vertex, count, sizeof *vertex, by_word);
	for (size_t i = 0, next; i < count; i = next) {
		for (next = i + 1; next < count && vertex[next].word == vertex[i].word; next++) {
			vertex[i].in += vertex[next].in;
			vertex[i].out += vertex[next].out;
		}
		GEMP_TRY(note(self, &vertex[i]));
	}
done:
	gemp_free(vertex);
	return code;
}

static gemp_code send_ends(lopsided *l, const gemp_unitigs *u, const uint64_t *copies, gemp_traffic *traffic)
{
	gemp_code code = GEMP_OK;
	gemp_contig_vertex *ends = NULL;
	int *owner = NULL;
	size_t count = 2 * u->count;
	code = GEMP_NEW(ends, count);
	if (code == GEMP_OK)
		code = GEMP_NEW(owner, count);
	GEMP_TRY(gemp_comm_agree(u->graph->comm, code));
	for (size_t i = 0; i < u->count; i++) {
		gemp_kmer from = gemp_kmer_source(u->unitig[i].head);
		gemp_kmer to = gemp_kmer_target(u->unitig[i].tail, u->graph->k);
		ends[2 * i] = (gemp_contig_vertex){ from, 0, copies[i] };
		ends[2 * i + 1] = (gemp_contig_vertex){ to, copies[i], 0 };
	}
	for (size_t i = 0; i < count; i++)
		owner[i] = gemp_kmer_graph_owner(u->graph, ends[i].word);
	const gemp_request request = { ends, count, sizeof *ends, owner, take_ends, l };
	GEMP_TRY(gemp_request_records(u->graph->comm, &request, 0, NULL, traffic));
done:
	gemp_free(ends);
	gemp_free(owner);
	return code;
}

gemp_code gemp_contig_balance(gemp_contig *out, const gemp_unitigs *u, const uint64_t *copies, bool *far,
                              gemp_traffic *traffic)
{
	gemp_code code = GEMP_OK;
	const gemp_comm *comm = u->graph->comm;
	lopsided l = { 0 };
	gemp_contig_vertex *all = NULL;
	size_t *begin = NULL;
	GEMP_TRY(send_ends(&l, u, copies, traffic));
	out->unbalanced = gemp_comm_sum1(comm, l.count);
	*far = gemp_comm_sum1(comm, l.far) > 0;
	size_t mine = l.count < GEMP_CONTIG_EXAMPLES ? l.count : GEMP_CONTIG_EXAMPLES;
	GEMP_TRY(gemp_comm_gather_all(comm, l.vertex, mine * sizeof *all, (void **)&all, &begin));
	size_t count = begin[comm->size] / sizeof *all;
	out->examples = count < GEMP_CONTIG_EXAMPLES ? count : GEMP_CONTIG_EXAMPLES;
	for (size_t i = 0; i < out->examples; i++)
		out->example[i] = all[i];
done:
	gemp_free(l.vertex);
	gemp_free(all);
	gemp_free(begin);
	return code;
}
