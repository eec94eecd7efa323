#include "partition/derived/relabel.h"

#include "comm/exchange.h"
#include "core/memory.h"
#include "core/threads.h"
#include "graph/column_bulk.h"
#include "partition/exchange/value_exchange.h"
#include "partition/patch/patch_rows.h"

gemp_code gemp_relabel_send(const gemp_comm *comm, void **records, size_t count, size_t size, const int *owner,
                            size_t *received)
{
	gemp_code code = GEMP_OK;
	void *came = NULL;
	size_t *from = NULL;
	*received = count;
	if (!owner)
		return GEMP_OK;
	GEMP_TRY(gemp_exchange_records(comm, gemp_pointer_get(records), count, size, owner, &came, &from, NULL));
	gemp_free(gemp_pointer_get(records));
	gemp_pointer_set(records, came);
	*received = from[comm->size];
done:
	gemp_free(from);
	return code;
}

gemp_code gemp_relabel_column(const gemp_relabelling *r, gemp_column *to, gemp_column *from, const int *owner,
                              const uint64_t *order, size_t count)
{
	gemp_code code = GEMP_OK;
	gemp_column received = { 0 };
	const gemp_column *source = owner ? &received : from;
	if (owner)
		GEMP_TRY(gemp_column_exchange(&received, r->comm, from, owner));
	if (owner && r->consumes)
		gemp_column_free(from); /* before the gather allocates as much again */
	GEMP_TRY(gemp_comm_agree(r->comm, gemp_column_gather(to, source, NULL, order, count)));
	if (r->consumes)
		gemp_column_free(from);
done:
	gemp_column_free(&received);
	return code;
}

gemp_code gemp_relabel_table(const gemp_relabelling *r, gemp_table *to, gemp_table *from, const int *owner,
                             const uint64_t *order, size_t count)
{
	gemp_code code = GEMP_OK;
	GEMP_TRY(gemp_comm_agree(r->comm, GEMP_RESERVE(to->columns, to->capacity, from->count)));
	to->rows = count;
	while (to->count < from->count) {
		size_t c = to->count++;
		to->columns[c] = (gemp_column){ 0 };
		GEMP_TRY(gemp_relabel_column(r, &to->columns[c], &from->columns[c], owner, order, count));
	}
done:
	return code;
}

typedef struct edge_naming {
	const gemp_relabelling *r;
	const gemp_relation *from;
	gemp_vertex *targets;  /* [edges] new ids */
	gemp_edge_pair *edges; /* [edges] */
	int *owner;            /* [edges]; NULL: one rank */
} edge_naming;

static void name_rows(void *context, size_t range, size_t begin, size_t end)
{
	(void)range;
	const edge_naming *n = context;
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
static gemp_code name_edges(edge_naming *n)
{
	gemp_code code = GEMP_OK;
	const gemp_relabelling *r = n->r;
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

/* Local. Rows of the edges that came, and the order of their attributes. */
static gemp_code make_rows(const gemp_relabelling *c, const gemp_edge_pair *edges, size_t count, bool ordered,
                           gemp_relation *to, uint64_t **order)
{
	const gemp_patch_state p = { .comm = c->comm, .from = c->from, .to = c->to };
	gemp_row_patch r = { .p = &p, .added = count, .edges = edges, .ordered = ordered };
	gemp_code code = gemp_patch_rows(&r);
	to->out_offsets = r.begin;
	to->out_targets = r.out;
	to->props.rows = count;
	*order = r.order;
	return code;
}

gemp_code gemp_relabel_relation(const gemp_relabelling *r, size_t index)
{
	gemp_code code = GEMP_OK;
	gemp_relation *from = &r->from->relations[index], *to = &r->to->relations[index];
	edge_naming n = { .r = r, .from = from };
	size_t count = (size_t)from->out_offsets[r->from->rows], received = 0;
	uint64_t *order = NULL;
	GEMP_TRY(name_edges(&n));
	if (r->consumes)
		gemp_relation_drop_rows(from);
	GEMP_TRY(gemp_relabel_send(r->comm, (void **)&n.edges, count, sizeof *n.edges, n.owner, &received));
	GEMP_TRY(gemp_comm_agree(r->comm, make_rows(r, n.edges, received, from->props.count > 0, to, &order)));
	to->first_edge = gemp_comm_exscan(r->comm, received);
	GEMP_TRY(gemp_relabel_table(r, &to->props, &from->props, n.owner, order, received));
	if (to->multigraph && to->props.count)
		code = gemp_patch_sort_parallel(to->out_offsets, to->out_targets, r->to->rows, &to->props, NULL);
	GEMP_TRY(gemp_comm_agree(r->comm, code));
	to->loaded = GEMP_LOAD_OUT | GEMP_LOAD_PROPS;
done:
	gemp_free(n.edges);
	gemp_free(n.owner);
	gemp_free(order);
	return code;
}
