/* The dangling-edge condition compares numbers. The owner of a deleted vertex knows its degree. From the degree this
 * module subtracts the edge ends that the same match deletes, either by name or together with a detached neighbour. If
 * edge ends remain, the match is inapplicable. */

#include "transform/conflicts/inapplicable.h"

#include "core/memory.h"
#include "core/search.h"
#include "core/threads.h"
#include "transform/conflicts/conflict_keys.h"
#include "transform/conflicts/match_order.h"

/* A column of edges that the rule deletes by name. */
typedef struct deleted_edge {
	const uint64_t *edges;     /* [rows] */
	bool known;                /* the row has columns with source and target of the edge */
	const uint64_t *from, *to; /* [rows] the ends, if `known` is true */
	gemp_edge_values values;   /* the ends, if `known` is false */
} deleted_edge;

typedef struct dangling_context {
	const gemp_comm *comm;
	gemp_shard *graph;
	const gemp_rule *rule;
	const gemp_frame *frame;
	size_t deleted_count, detached_count;
	deleted_edge *deleted;     /* [deleted_count] */
	const uint64_t **detached; /* [detached_count] columns of vertices that are deleted together with all their edges */
	const uint64_t *vertices;  /* [rows] the column that is checked now */
	size_t request_count;
	size_t *rows;        /* [request_count] */
	uint64_t *records;   /* [request_count] vertices, or pairs of vertices */
	int *owner;          /* [request_count] */
	uint64_t *answers;   /* [request_count] */
	uint64_t *remaining; /* [rows] number of edge ends at the vertex for which no deletion has been found yet */
	uint8_t *decisions;
} dangling_context;

/* Lists the columns that the rule deletes: edges by name, and vertices together with their edges. */
static gemp_code list_deleted(dangling_context *c, const gemp_rule_columns *columns)
{
	const gemp_frame_column *all = c->frame->columns;
	GEMP_TRY(
		gemp_new_all(GEMP_ARRAY(c->deleted, c->rule->update_count), GEMP_ARRAY(c->detached, c->rule->update_count)));
	for (size_t i = 0; i < c->rule->update_count; i++) {
		const gemp_update *u = &c->rule->updates[i];
		gemp_rule_edge e;
		if (u->kind != GEMP_DELETE || !(u->element.edge || u->detach))
			continue;
		const uint64_t *elements = all[u->element.index].elements;
		if (!u->element.edge) {
			c->detached[c->detached_count++] = elements;
			continue;
		}
		deleted_edge *d = &c->deleted[c->deleted_count++];
		d->edges = elements;
		if (gemp_rule_edge_find(&e, c->rule, columns, u->element.index) && e.from != GEMP_NO_COLUMN &&
		    e.to != GEMP_NO_COLUMN) {
			d->known = true;
			d->from = all[e.from].elements;
			d->to = all[e.to].elements;
		}
	}
	return GEMP_OK;
}

/* ends[] becomes source and target of a deleted edge. They come from columns of the row if the row has both. */
static void ends_of(const deleted_edge *d, size_t row, uint64_t ends[2])
{
	if (d->known) {
		ends[0] = d->from[row];
		ends[1] = d->to[row];
		return;
	}
	const gemp_edge_ends *e = &d->values.ends[gemp_edge_values_index(&d->values, d->edges[row])];
	ends[0] = e->source;
	ends[1] = e->target;
}

/* Returns whether the vertex is detached in this row. subtract_detached counts the edges of detached vertices, so all
 * other counts leave them out. */
static bool is_detached(const dangling_context *c, size_t row, uint64_t vertex)
{
	for (size_t i = 0; i < c->detached_count; i++)
		if (c->detached[i][row] == vertex)
			return true;
	return false;
}

/* Returns whether an earlier column deletes the same edge. Two names may mean the same edge, which must be counted
 * once. */
static bool is_deleted_before(const dangling_context *c, size_t index, size_t row)
{
	for (size_t i = 0; i < index; i++)
		if (c->deleted[i].edges[row] == c->deleted[index].edges[row])
			return true;
	return false;
}

/* Returns the number of ends at the vertex of edges that are deleted by name. Edges to a detached vertex are not
 * counted, since they are subtracted with that vertex. */
static uint64_t named_ends(const dangling_context *c, size_t row, uint64_t vertex)
{
	uint64_t count = 0, ends[2];
	for (size_t i = 0; i < c->deleted_count; i++) {
		if (c->deleted[i].edges[row] == GEMP_NO_ELEMENT || is_deleted_before(c, i, row))
			continue;
		ends_of(&c->deleted[i], row, ends);
		if (!is_detached(c, row, ends[0]) && !is_detached(c, row, ends[1]))
			count += (uint64_t)(ends[0] == vertex) + (ends[1] == vertex);
	}
	return count;
}

/* REQUESTS TO THE OWNERS OF VERTICES */

/* Returns the number of edge ends at a vertex. A loop has two ends. */
static uint64_t incident_edges(const gemp_shard *g, size_t row)
{
	uint64_t ends = 0;
	for (size_t r = 0; r < g->relation_count; r++) {
		const gemp_relation *own = &g->relations[r];
		ends += own->out_offsets[row + 1] - own->out_offsets[row] + own->in_offsets[row + 1] - own->in_offsets[row];
	}
	return ends;
}

/* Request handler. Answers the number of edge ends at each vertex. */
static gemp_code answer_degrees(void *self, const void *records, size_t count, uint64_t *answers)
{
	const gemp_shard *g = self;
	const uint64_t *vertices = records;
	for (size_t i = 0; i < count; i++)
		answers[i] = incident_edges(g, (size_t)(vertices[i] - g->first_vertex));
	return GEMP_OK;
}

/* Returns how often a vertex occurs in a range of an ascending list. */
static uint64_t count_in(const gemp_vertex *row, uint64_t begin, uint64_t end, uint64_t vertex)
{
	return gemp_lower_bound_u32(row + begin, end - begin, vertex + 1) -
	       gemp_lower_bound_u32(row + begin, end - begin, vertex);
}

/* Request handler. Answers the number of edges between an own vertex and another vertex, in both directions. Adjacency
 * lists are in ascending order, so two binary searches count parallel edges. */
static gemp_code answer_between(void *self, const void *records, size_t count, uint64_t *answers)
{
	const gemp_shard *g = self;
	const uint64_t *pairs = records;
	for (size_t i = 0; i < count; i++) {
		size_t row = (size_t)(pairs[2 * i] - g->first_vertex);
		for (size_t r = 0; r < g->relation_count; r++) {
			const gemp_relation *own = &g->relations[r];
			answers[i] += count_in(own->out_targets, own->out_offsets[row], own->out_offsets[row + 1],
			                       pairs[2 * i + 1]) +
			              count_in(own->in_sources, own->in_offsets[row], own->in_offsets[row + 1], pairs[2 * i + 1]);
		}
	}
	return GEMP_OK;
}

/* Collective. Sends a request to the owners of the vertices in the current column. With width 1 a record is a vertex.
 * With width 2 it is a pair of a vertex and an element of `other`, which is NULL if there are no rows. */
static gemp_code send_request(dangling_context *c, size_t width, const uint64_t *other, gemp_request_handler answer)
{
	for (size_t i = 0; i < c->request_count; i++) {
		uint64_t *record = &c->records[i * width];
		record[0] = c->vertices[c->rows[i]];
		if (width > 1)
			record[1] = other[c->rows[i]];
		c->owner[i] = gemp_shard_owner(c->graph, record[0]);
		c->answers[i] = 0;
	}
	const gemp_request request = {
		c->records, c->request_count, width * sizeof *c->records, c->owner, answer, c->graph
	};
	return gemp_request_run(c->comm, GEMP_OK, &request, c->answers);
}

/* DANGLING-EDGE CONDITION */

/* Lists the rows that delete a vertex in the current column, and do not delete it together with its edges under another
 * name. */
static void list_rows(dangling_context *c)
{
	c->request_count = 0;
	for (size_t row = 0; row < c->frame->rows; row++)
		if (c->vertices[row] != GEMP_NO_ELEMENT && !is_detached(c, row, c->vertices[row]))
			c->rows[c->request_count++] = row;
}

/* Collective. Subtracts the edges to the vertices of one detached column. If two columns contain the same vertex, its
 * edges are subtracted only for the first. */
static gemp_code subtract_detached(dangling_context *c, size_t index)
{
	const uint64_t *other = c->detached[index];
	size_t all = c->request_count, kept = 0;
	for (size_t i = 0; i < all; i++) {
		size_t row = c->rows[i];
		bool counted = other[row] == GEMP_NO_ELEMENT;
		for (size_t k = 0; k < index && !counted; k++)
			counted = c->detached[k][row] == other[row];
		if (!counted)
			c->rows[kept++] = row;
	}
	c->request_count = kept;
	GEMP_TRY(send_request(c, 2, other, answer_between));
	for (size_t i = 0; i < kept; i++)
		c->remaining[c->rows[i]] -= c->answers[i];
	return GEMP_OK;
}

/* Collective. Rejects the rows in which the deletion of this column's vertex would leave edges behind. */
static gemp_code check_column(dangling_context *c, const uint64_t *vertices)
{
	c->vertices = vertices;
	list_rows(c);
	GEMP_TRY(send_request(c, 1, NULL, answer_degrees));
	for (size_t i = 0; i < c->request_count; i++)
		c->remaining[c->rows[i]] = c->answers[i] - named_ends(c, c->rows[i], vertices[c->rows[i]]);
	for (size_t k = 0; k < c->detached_count; k++) {
		GEMP_TRY(subtract_detached(c, k));
		list_rows(c);
	}
	for (size_t i = 0; i < c->request_count; i++)
		if (c->remaining[c->rows[i]])
			c->decisions[c->rows[i]] = GEMP_REJECTED;
	return GEMP_OK;
}

/* Local. Each array has an entry for each row, since in the worst case every row makes a request. */
static gemp_code begin_check(dangling_context *c, const gemp_rule_columns *columns)
{
	size_t rows = c->frame->rows;
	GEMP_TRY(list_deleted(c, columns));
	return gemp_new_all(GEMP_ARRAY(c->rows, rows), GEMP_ARRAY(c->records, 2 * rows), GEMP_ARRAY(c->owner, rows),
	                    GEMP_ARRAY(c->answers, rows), GEMP_ARRAY(c->remaining, rows));
}

/* Collective. Loads the adjacency, and fetches source and target of deleted edges that have no columns for them. */
static gemp_code load_adjacency(dangling_context *c, gemp_runtime *context, const gemp_rule_columns *columns)
{
	for (size_t r = 0; r < c->graph->relation_count; r++)
		GEMP_TRY(gemp_shard_load_relation(c->graph, r, GEMP_LOAD_OUT | GEMP_LOAD_IN));
	GEMP_TRY(gemp_comm_agree(c->comm, begin_check(c, columns)));
	for (size_t i = 0; i < c->deleted_count; i++)
		if (!c->deleted[i].known)
			GEMP_TRY(
				gemp_row_edges_fetch(&c->deleted[i].values, context, c->graph, c->deleted[i].edges, c->frame->rows));
	return GEMP_OK;
}

static void free_dangling(dangling_context *c)
{
	for (size_t i = 0; i < c->deleted_count; i++)
		gemp_edge_values_free(&c->deleted[i].values);
	gemp_free_all(c->deleted, c->detached, c->rows, c->records, c->owner, c->answers, c->remaining);
}

/* Collective. If a row violates the dangling-edge condition, its decisions[row] becomes GEMP_REJECTED. Adjacency is
 * loaded only if the rule deletes a vertex without DETACH. */
static gemp_code reject_dangling(gemp_runtime *context, gemp_shard *graph, const gemp_rule *rule,
                                 const gemp_rule_columns *columns, const gemp_frame *frame, uint8_t *decisions)
{
	GEMP_OWNED_BY(free_dangling)
	dangling_context c = {
		.comm = context->comm, .graph = graph, .rule = rule, .frame = frame, .decisions = decisions
	};
	for (size_t i = 0; i < rule->update_count; i++) {
		const gemp_update *u = &rule->updates[i];
		if (u->kind != GEMP_DELETE || u->element.edge || u->detach)
			continue;
		if (!c.rows)
			GEMP_TRY(load_adjacency(&c, context, columns));
		GEMP_TRY(check_column(&c, frame->columns[u->element.index].elements));
	}
	return GEMP_OK;
}

/* IDENTIFICATION CONDITION */

/* The outcome MERGED + 2 n means that the element is merged into the element of column n, and MERGED + 2 n + 1 that it
 * is merged into created vertex n. */
enum { STAYS, DELETED, MERGED };

/* Two columns with different outcomes. They must not hold the same element. */
typedef struct column_pair {
	const uint64_t *one, *other; /* [rows] */
} column_pair;

typedef struct inapplicable_context {
	const gemp_rule *rule;
	const gemp_frame *frame;
	gemp_semantics semantics;
	gemp_rule_columns columns;
	/* [frame->count] outcome of the elements of each column: STAYS, DELETED, or MERGED and the target */
	size_t *outcome;
	size_t pair_count, pair_capacity;
	column_pair *pairs;
	uint8_t *decisions;
} inapplicable_context;

static void free_inapplicable(inapplicable_context *b)
{
	gemp_free_all(b->outcome, b->pairs);
}

/* Returns whether the semantics of the pattern makes the elements of all such columns different. Two such columns need
 * no check, since they never hold the same element. */
static bool is_distinct(const inapplicable_context *b, size_t column)
{
	const gemp_pattern *p = b->rule->pattern;
	bool edge = b->frame->columns[column].kind == GEMP_CELL_EDGE;
	if (b->semantics == GEMP_HOM || (b->semantics == GEMP_EDGE_ISO && !edge))
		return false;
	for (size_t e = 0; e < p->edge_count && edge; e++)
		if (b->columns.edge[e] == column)
			return true;
	for (size_t v = 0; v < p->vertex_count && !edge; v++)
		if (b->columns.vertex[v] == column)
			return !p->vertices[v].repeatable;
	return false;
}

/* Finds the outcome of each column. Columns with equal outcomes may hold the same element. */
static gemp_code find_outcomes(inapplicable_context *b)
{
	GEMP_TRY(GEMP_NEW(b->outcome, b->frame->count));
	for (size_t i = 0; i < b->rule->update_count; i++) {
		const gemp_update *u = &b->rule->updates[i];
		if (u->kind == GEMP_DELETE)
			b->outcome[u->element.index] = DELETED;
		else if (u->kind == GEMP_MERGE)
			b->outcome[u->element.index] = MERGED + 2 * u->to.index + u->to.created;
	}
	return GEMP_OK;
}

/* Lists the column pairs that the identification condition has to compare in every row. */
static gemp_code find_pairs(inapplicable_context *b)
{
	const gemp_frame *f = b->frame;
	GEMP_TRY(find_outcomes(b));
	for (size_t c = 1; c < f->count; c++)
		for (size_t k = 0; k < c; k++) {
			if (b->outcome[k] == b->outcome[c] || f->columns[k].kind != f->columns[c].kind ||
			    (is_distinct(b, c) && is_distinct(b, k)))
				continue;
			GEMP_TRY(GEMP_RESERVE(b->pairs, b->pair_capacity, b->pair_count + 1));
			b->pairs[b->pair_count++] = (column_pair){ f->columns[c].elements, f->columns[k].elements };
		}
	return GEMP_OK;
}

/* Rejects rows in which two columns with different outcomes hold the same element. */
static void identify_range(void *self, size_t range, size_t begin, size_t end)
{
	inapplicable_context *b = self;
	(void)range;
	for (size_t i = 0; i < b->pair_count; i++)
		for (size_t row = begin; row < end; row++)
			if (b->pairs[i].one[row] == b->pairs[i].other[row] && b->pairs[i].one[row] != GEMP_NO_ELEMENT)
				b->decisions[row] = GEMP_REJECTED;
}

/* Collective. The identification condition is checked first, since it needs only the rows. The rows that satisfy it
 * make requests to other ranks. */
gemp_code gemp_reject_inapplicable(gemp_runtime *context, gemp_shard *graph, const gemp_rule *rule,
                                   gemp_semantics semantics, const gemp_frame *frame, uint8_t *decisions,
                                   uint64_t *inapplicable)
{
	GEMP_OWNED_BY(free_inapplicable)
	inapplicable_context b = { .rule = rule, .frame = frame, .semantics = semantics, .decisions = decisions };
	uint64_t rejected = 0;
	gemp_rule_columns_find(&b.columns, rule);
	GEMP_TRY(gemp_comm_agree(context->comm, find_pairs(&b)));
	if (b.pair_count)
		gemp_for_ranges(frame->rows, identify_range, &b);
	GEMP_TRY(reject_dangling(context, graph, rule, &b.columns, frame, decisions));
	for (size_t row = 0; row < frame->rows; row++)
		rejected += decisions[row] == GEMP_REJECTED;
	*inapplicable = gemp_comm_sum1(context->comm, rejected);
	return GEMP_OK;
}
