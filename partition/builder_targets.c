/* Rows by target, with each edge's number. Their lengths are found first, so that edges go straight to their places. */
#include "core/log.h"
#include "core/memory.h"
#include "core/threads.h"
#include "partition/builder_edges.h"
#include "partition/builder_rows.h"

#include <string.h>

enum { MOST = 1 << 19, PIECE = 1 << 14 }; /* edges: of one round at most, and that a thread packs at a time */

typedef struct in_edge {
	gemp_vertex target, source;
	gemp_edge edge;
} in_edge;

enum { LENGTHS = 1, ALL = sizeof(in_edge) / sizeof(uint32_t) }; /* numbers in a record: first pass, second */

typedef struct passing {
	const gemp_graph *graph;
	const gemp_relation *relation;
	gemp_made_rows rows;
	size_t size;          /* edges in one round */
	in_edge *records;     /* [size] */
	int *owner;           /* [size]; NULL where there is one rank */
	size_t first, count;  /* edges of this round */
} passing;

/* The row of an edge. */
static size_t row_of(const passing *p, uint64_t edge)
{
	size_t low = 0, high = p->graph->rows;
	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;
		if (p->relation->out_begin[middle] <= edge)
			low = middle;
		else
			high = middle;
	}
	return low;
}

static void pack_piece(void *context, unsigned thread, size_t piece)
{
	(void)thread;
	const passing *p = context;
	const gemp_relation *relation = p->relation;
	size_t begin = piece * PIECE, end = begin + PIECE < p->count ? begin + PIECE : p->count;
	size_t row = row_of(p, p->first + begin);
	for (size_t i = begin; i < end; i++) {
		uint64_t e = p->first + i;
		while (e >= relation->out_begin[row + 1])
			row++;
		p->records[i] = (in_edge){ relation->out[e], (gemp_vertex)(p->graph->first + row), relation->first + e };
	}
}

static void own_piece(void *context, unsigned thread, size_t piece)
{
	(void)thread;
	const passing *p = context;
	size_t begin = piece * PIECE, end = begin + PIECE < p->count ? begin + PIECE : p->count;
	for (size_t i = begin; i < end; i++)
		p->owner[i] = gemp_graph_owner(p->graph, p->relation->out[p->first + i]);
}

/* Collective. One round of the first or the second pass. */
static gemp_code pass_round(const gemp_comm *comm, passing *p, size_t width)
{
	gemp_code code = GEMP_OK;
	size_t pieces = (p->count + PIECE - 1) / PIECE, count = p->count, *from = NULL;
	const void *records = width == ALL ? (void *)p->records : p->count ? p->relation->out + p->first : NULL;
	void *came = NULL;
	if (width == ALL)
		gemp_parallel_for(pieces, pack_piece, p);
	if (p->owner) {
		gemp_parallel_for(pieces, own_piece, p);
		GEMP_TRY(gemp_exchange_records(comm, records, count, width * sizeof(uint32_t), p->owner, &came, &from, NULL));
		records = came;
		count = from[comm->size];
	}
	if (width == ALL)
		gemp_made_rows_place(&p->rows, records, width, count);
	else
		gemp_made_rows_count(&p->rows, records, width, count);
done:
	gemp_free(came);
	gemp_free(from);
	return code;
}

static gemp_code pass(const gemp_comm *comm, passing *p, size_t width)
{
	gemp_code code = GEMP_OK;
	uint64_t edges = p->relation->out_begin[p->graph->rows], most = edges;
	gemp_comm_max(comm, &most, 1);
	for (uint64_t at = 0; at < most; at += p->size) {
		p->first = at < edges ? at : edges;
		p->count = edges - p->first < p->size ? edges - p->first : p->size;
		gemp_progress("rows by target", at, most, 0);
		GEMP_TRY(pass_round(comm, p, width));
	}
done:
	return code;
}

static gemp_code make_room(const gemp_builder *builder, passing *p)
{
	gemp_code code = GEMP_OK;
	p->size = builder->options.batch / sizeof *p->records;
	p->size = p->size < 1 ? 1 : p->size > MOST ? MOST : p->size;
	if (builder->comm->size > 1)
		GEMP_TRY(GEMP_NEW(p->owner, p->size));
	GEMP_TRY(GEMP_NEW(p->records, p->size));
	code = GEMP_NEW(p->rows.begin, p->graph->rows + 1);
done:
	return code;
}

static gemp_code make_rows(gemp_made_rows *rows)
{
	gemp_code code = GEMP_OK;
	gemp_made_rows_begin(rows);
	GEMP_TRY(GEMP_NEW(rows->slots, rows->begin[rows->rows]));
	code = GEMP_NEW(rows->edges, rows->begin[rows->rows]);
done:
	return code;
}

gemp_code gemp_builder_targets(const gemp_builder *builder, const gemp_graph *graph, gemp_relation *relation)
{
	gemp_code code = GEMP_OK;
	const gemp_comm *comm = builder->comm;
	passing p = { .graph = graph, .relation = relation, .rows = { .rows = graph->rows, .first = graph->first } };
	GEMP_TRY(gemp_comm_agree(comm, make_room(builder, &p)));
	GEMP_TRY(pass(comm, &p, LENGTHS));
	GEMP_TRY(gemp_comm_agree(comm, make_rows(&p.rows)));
	GEMP_TRY(pass(comm, &p, ALL));
	gemp_made_rows_end(&p.rows);
	GEMP_TRY(gemp_comm_agree(comm, gemp_made_rows_sort(&p.rows, graph->vertices)));
	gemp_free(relation->in_begin);
	gemp_free(relation->in);
	gemp_free(relation->in_edge);
	relation->in_begin = p.rows.begin;
	relation->in = p.rows.slots;
	relation->in_edge = p.rows.edges;
	p.rows = (gemp_made_rows){ 0 };
done:
	gemp_free(p.rows.begin);
	gemp_free(p.rows.slots);
	gemp_free(p.rows.edges);
	gemp_free(p.records);
	gemp_free(p.owner);
	return code;
}

uint64_t gemp_builder_reciprocal(const gemp_graph *graph, const gemp_relation *relation, uint8_t *marked)
{
	uint64_t found = 0;
	for (size_t row = 0; row < graph->rows; row++) {
		uint64_t in = relation->in_begin[row], in_end = relation->in_begin[row + 1];
		gemp_vertex last = GEMP_NO_VERTEX;
		for (uint64_t e = relation->out_begin[row]; e < relation->out_begin[row + 1]; e++) {
			gemp_vertex other = relation->out[e];
			if (other >= graph->first + row)
				break;
			while (in < in_end && relation->in[in] < other)
				in++;
			if (in == in_end || relation->in[in] != other)
				continue;
			marked[e] = 1;
			found += other != last;
			last = other;
		}
	}
	return found;
}
