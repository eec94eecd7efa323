/* Edges with canonical ids, at the owners of their sources. */
#include "core/memory.h"
#include "core/threads.h"
#include "graph/column_bulk.h"
#include "partition/canonical_parts.h"
#include "partition/patch_rows.h"

enum { PIECE = 1 << 12 }; /* rows that a thread takes at a time */

typedef struct naming {
	const gemp_canonising *c;
	const gemp_relation *from;
	const gemp_vertex *targets; /* [edges] new ids */
	gemp_edge_ids *edges;       /* [edges] */
	int *owner;                 /* [edges]; NULL: one rank */
} naming;

static void name_piece(void *context, unsigned thread, size_t piece)
{
	(void)thread;
	const naming *n = context;
	const gemp_graph *from = n->c->from;
	for (size_t v = piece * PIECE; v < from->rows && v < (piece + 1) * PIECE; v++) {
		gemp_vertex source = n->c->id[v];
		int owner = n->owner ? gemp_graph_owner(n->c->to, source) : 0;
		for (uint64_t e = n->from->out_begin[v]; e < n->from->out_begin[v + 1]; e++) {
			n->edges[e] = (gemp_edge_ids){ source, n->targets[e] };
			if (n->owner)
				n->owner[e] = owner;
		}
	}
}

/* Collective. The edges with their new ends; targets are replaced. */
static gemp_code name_edges(naming *n)
{
	gemp_code code = GEMP_OK;
	size_t rows = n->c->from->rows, count = (size_t)n->from->out_begin[rows];
	code = GEMP_NEW(n->edges, count);
	if (code == GEMP_OK && n->c->comm->size > 1)
		code = GEMP_NEW(n->owner, count);
	GEMP_TRY(gemp_comm_agree(n->c->comm, code));
	GEMP_TRY(gemp_canonical_ask(n->c, n->from->out, count, n->from->out));
	n->targets = n->from->out;
	gemp_parallel_for((rows + PIECE - 1) / PIECE, name_piece, n);
done:
	return code;
}

/* Local. Rows of the edges that came, and the order of their attributes. */
static gemp_code make_rows(const gemp_canonising *c, const gemp_edge_ids *edges, size_t count, gemp_relation *to,
                           uint64_t **order)
{
	gemp_code code = GEMP_OK;
	const gemp_patching p = { .comm = c->comm, .from = c->from, .to = c->to };
	gemp_row_patch r = { .p = &p, .added = count, .edges = edges, .ordered = to->props.count > 0 };
	code = gemp_patch_rows(&r);
	to->out_begin = r.begin;
	to->out = r.out;
	to->props.rows = count;
	*order = r.order;
	return code;
}

static void forget_rows(gemp_relation *relation)
{
	gemp_free(relation->out_begin);
	gemp_free(relation->out);
	gemp_free(relation->in_begin);
	gemp_free(relation->in);
	gemp_free(relation->in_edge);
	relation->out_begin = relation->in_begin = NULL;
	relation->out = relation->in = NULL;
	relation->in_edge = NULL;
}

gemp_code gemp_canonical_relation(gemp_canonising *c, size_t index)
{
	gemp_code code = GEMP_OK;
	gemp_relation *from = &c->from->relations[index], *to = &c->to->relations[index];
	naming n = { .c = c, .from = from };
	size_t count = (size_t)from->out_begin[c->from->rows], came = 0;
	uint64_t *order = NULL;
	c->to->relation_count = index + 1;
	*to = (gemp_relation){ .name = from->name, .directed = from->directed, .multigraph = from->multigraph,
		.reciprocal = from->reciprocal, .edges = from->edges, .props = from->props };
	from->name = NULL;
	from->props = (gemp_table){ 0 };
	GEMP_TRY(name_edges(&n));
	forget_rows(from);
	GEMP_TRY(gemp_canonical_send(c->comm, (void **)&n.edges, count, sizeof *n.edges, n.owner, &came));
	GEMP_TRY(gemp_comm_agree(c->comm, make_rows(c, n.edges, came, to, &order)));
	to->first = gemp_comm_before(c->comm, came);
	for (size_t i = 0; i < to->props.count; i++)
		GEMP_TRY(gemp_canonical_column(c->comm, &to->props.columns[i], n.owner, order, came));
	if (to->multigraph && to->props.count)
		code = gemp_patch_sort_parallel(to->out_begin, to->out, c->to->rows, &to->props, NULL);
	GEMP_TRY(gemp_comm_agree(c->comm, code));
	to->loaded = GEMP_PART_OUT | GEMP_PART_PROPS;
done:
	gemp_free(n.edges);
	gemp_free(n.owner);
	gemp_free(order);
	return code;
}
