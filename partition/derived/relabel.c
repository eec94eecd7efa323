#include "partition/derived/relabel.h"

#include "comm/exchange.h"
#include "core/memory.h"
#include "core/threads.h"
#include "graph/column_bulk.h"
#include "partition/build/row_builder.h"
#include "partition/exchange/value_exchange.h"

/* The edges of one relation while their ends are replaced by new ids. */
typedef struct edge_relabel {
	const gemp_relabel *r;
	const gemp_relation *from;
	gemp_vertex *targets;  /* [edges] new ids */
	gemp_edge_pair *edges; /* [edges] */
	int *owner;            /* [edges]; NULL: one rank */
} edge_relabel;

/* The owner of an edge is that of its source: it is looked up once per row. */
static void name_rows(void *context, size_t range, size_t begin, size_t end)
{
	(void)range;
	const edge_relabel *n = context;
	for (size_t v = begin; v < end; v++) {
		gemp_vertex source = n->r->id[v];
		int owner = n->owner ? gemp_shard_owner(n->r->to, source) : 0;
		for (uint64_t e = n->from->out_offsets[v]; e < n->from->out_offsets[v + 1]; e++) {
			n->edges[e] = (gemp_edge_pair){ source, n->targets[e] };
			if (n->owner)
				n->owner[e] = owner;
		}
	}
}

/* Collective. The edges with their new ends. A relation that is consumed anyway gives its targets' memory to the new ones. */
static gemp_code name_edges(edge_relabel *n)
{
	gemp_code code = GEMP_OK;
	const gemp_relabel *r = n->r;
	size_t count = (size_t)n->from->out_offsets[r->from->rows];
	n->targets = r->consumes ? n->from->out_targets : NULL;
	code = GEMP_NEW(n->edges, count);
	if (code == GEMP_OK && r->comm->size > 1)
		code = GEMP_NEW(n->owner, count);
	if (code == GEMP_OK && !n->targets)
		code = GEMP_NEW(n->targets, count);
	GEMP_TRY(gemp_comm_agree(r->comm, code));
	GEMP_TRY(gemp_vertex_numbers(r->comm, r->from->bounds, r->id, n->from->out_targets, count, n->targets, NULL));
	gemp_for_ranges(r->from->rows, name_rows, n);
done:
	if (!r->consumes)
		gemp_free(n->targets);
	return code;
}

gemp_code gemp_relabel_relation(const gemp_relabel *r, size_t index)
{
	gemp_code code = GEMP_OK;
	gemp_relation *from = &r->from->relations[index], *to = &r->to->relations[index];
	edge_relabel n = { .r = r, .from = from };
	size_t count = (size_t)from->out_offsets[r->from->rows], received = 0;
	gemp_row_builder rows = { .rows = r->to->rows, .first = r->to->first_vertex };
	GEMP_TRY(name_edges(&n));
	if (r->consumes)
		gemp_relation_drop_rows(from);
	GEMP_TRY(gemp_records_move(r->comm, (void **)&n.edges, count, sizeof *n.edges, n.owner, &received));
	GEMP_TRY(gemp_comm_agree(
		r->comm, gemp_row_builder_make(&rows, n.edges, received, r->to->vertex_count, from->props.count > 0)));
	to->first_edge = gemp_comm_exscan(r->comm, received);
	to->out_offsets = rows.begin;
	to->out_targets = rows.slots;
	rows.begin = NULL;
	rows.slots = NULL;
	to->props.rows = received;
	GEMP_TRY(gemp_table_move(r->comm, &to->props, &from->props, n.owner, rows.edges, received, r->consumes));
	if (to->multigraph && to->props.count)
		code = gemp_rows_sort_parallel(to->out_offsets, to->out_targets, r->to->rows, &to->props, NULL);
	GEMP_TRY(gemp_comm_agree(r->comm, code));
	to->loaded = GEMP_LOAD_OUT | GEMP_LOAD_PROPS;
done:
	gemp_free_all(n.edges, n.owner, rows.begin, rows.slots, rows.edges);
	return code;
}
