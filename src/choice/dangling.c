#include "choice/dangling.h"

#include "choice/choose.h"
#include "comm/request.h"
#include "core/memory.h"
#include "core/ranges.h"
#include "match/edge_values.h"

/* An edge that a row deletes by name. */
typedef struct dropped {
	const uint64_t *edges;     /* [rows] */
	bool known;                /* its ends are in these columns */
	const uint64_t *from, *to; /* [rows] */
	gemp_edge_values values;   /* else these have them */
} dropped;

typedef struct checking {
	const gemp_comm *comm;
	gemp_graph *graph;
	const gemp_rule *rule;
	const gemp_frame *frame;
	size_t dropped_count, detached_count;
	dropped *dropped;
	const uint64_t **detached; /* [detached_count] columns of vertices that go with all their edges */
	const uint64_t *vertices;  /* [rows] the column in hand */
	size_t asked;
	size_t *rows;              /* [asked] */
	uint64_t *records;         /* [asked] vertices, or pairs of them */
	int *owner;
	uint64_t *answers;
	uint64_t *left;            /* [rows] ends of edges that stay, of those counted so far */
	uint8_t *choice;
} checking;

/* WHAT THE RULE DELETES */

static gemp_code list_deleted(checking *c, const gemp_rule_columns *columns)
{
	gemp_code code = GEMP_OK;
	const gemp_frame_column *all = c->frame->columns;
	GEMP_TRY(GEMP_NEW(c->dropped, c->rule->update_count));
	GEMP_TRY(GEMP_NEW(c->detached, c->rule->update_count));
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
		dropped *d = &c->dropped[c->dropped_count++];
		d->edges = elements;
		if (gemp_rule_edge_find(&e, c->rule, columns, u->element.index) && e.from != GEMP_NO_COLUMN &&
		    e.to != GEMP_NO_COLUMN) {
			d->known = true;
			d->from = all[e.from].elements;
			d->to = all[e.to].elements;
		}
	}
done:
	return code;
}

/* Collective. */
static gemp_code fetch_ends(checking *c, gemp_context *context, dropped *d)
{
	gemp_code code = GEMP_OK;
	gemp_edge *edges = NULL;
	size_t count = 0;
	GEMP_TRY(gemp_comm_agree(c->comm, GEMP_NEW(edges, c->frame->rows)));
	for (size_t row = 0; row < c->frame->rows; row++)
		if (d->edges[row] != GEMP_NO_ELEMENT)
			edges[count++] = d->edges[row];
	code = gemp_fetch_edges(&d->values, context, c->graph, edges, count, NULL, 0);
done:
	gemp_free(edges);
	return code;
}

static void ends_of(const dropped *d, size_t row, uint64_t ends[2])
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

static bool is_detached(const checking *c, size_t row, uint64_t vertex)
{
	for (size_t i = 0; i < c->detached_count; i++)
		if (c->detached[i][row] == vertex)
			return true;
	return false;
}

static bool dropped_before(const checking *c, size_t index, size_t row)
{
	for (size_t i = 0; i < index; i++)
		if (c->dropped[i].edges[row] == c->dropped[index].edges[row])
			return true;
	return false;
}

/* Ends at a vertex of the edges deleted by name; those to a detached vertex are counted with that. */
static uint64_t named_ends(const checking *c, size_t row, uint64_t vertex)
{
	uint64_t count = 0, ends[2];
	for (size_t i = 0; i < c->dropped_count; i++) {
		if (c->dropped[i].edges[row] == GEMP_NO_ELEMENT || dropped_before(c, i, row))
			continue;
		ends_of(&c->dropped[i], row, ends);
		if (!is_detached(c, row, ends[0]) && !is_detached(c, row, ends[1]))
			count += (uint64_t)(ends[0] == vertex) + (ends[1] == vertex);
	}
	return count;
}

/* WHAT OWNERS KNOW */

static uint64_t degree(const gemp_graph *g, size_t row)
{
	uint64_t ends = 0;
	for (size_t r = 0; r < g->relation_count; r++) {
		const gemp_relation *own = &g->relations[r];
		ends += own->out_begin[row + 1] - own->out_begin[row] + own->in_begin[row + 1] - own->in_begin[row];
	}
	return ends;
}

static gemp_code answer_degrees(void *self, const void *records, size_t count, uint64_t *answers)
{
	const gemp_graph *g = self;
	const uint64_t *vertices = records;
	for (size_t i = 0; i < count; i++)
		answers[i] = degree(g, (size_t)(vertices[i] - g->first));
	return GEMP_OK;
}

/* The first place of an ascending row whose vertex is not less. */
static uint64_t place(const gemp_vertex *row, uint64_t begin, uint64_t end, uint64_t vertex)
{
	while (begin < end) {
		uint64_t middle = begin + (end - begin) / 2;
		if (row[middle] < vertex)
			begin = middle + 1;
		else
			end = middle;
	}
	return begin;
}

static uint64_t count_in(const gemp_vertex *row, uint64_t begin, uint64_t end, uint64_t vertex)
{
	return place(row, begin, end, vertex + 1) - place(row, begin, end, vertex);
}

/* Records are pairs: edges between the first vertex, which is here, and the second, in any direction. */
static gemp_code answer_between(void *self, const void *records, size_t count, uint64_t *answers)
{
	const gemp_graph *g = self;
	const uint64_t *pairs = records;
	for (size_t i = 0; i < count; i++) {
		size_t row = (size_t)(pairs[2 * i] - g->first);
		for (size_t r = 0; r < g->relation_count; r++) {
			const gemp_relation *own = &g->relations[r];
			answers[i] += count_in(own->out, own->out_begin[row], own->out_begin[row + 1], pairs[2 * i + 1]) +
			              count_in(own->in, own->in_begin[row], own->in_begin[row + 1], pairs[2 * i + 1]);
		}
	}
	return GEMP_OK;
}

/* Collective. width 1: of vertices; 2: of pairs of a vertex and `other` (no column, where there are no rows). */
static gemp_code ask(checking *c, size_t width, const uint64_t *other, gemp_answerer answer)
{
	gemp_code code = GEMP_OK;
	for (size_t i = 0; i < c->asked; i++) {
		uint64_t *record = &c->records[i * width];
		record[0] = c->vertices[c->rows[i]];
		if (width > 1)
			record[1] = other[c->rows[i]];
		c->owner[i] = gemp_graph_owner(c->graph, record[0]);
		c->answers[i] = 0;
	}
	const gemp_request request = { c->records, c->asked, width * sizeof *c->records, c->owner, answer, c->graph };
	GEMP_TRY(gemp_request_run(c->comm, &request, c->answers));
done:
	return code;
}

/* THE CHECK */

/* Rows that delete a vertex in this column, and not with all its edges under another name. */
static void pick_rows(checking *c)
{
	c->asked = 0;
	for (size_t row = 0; row < c->frame->rows; row++)
		if (c->vertices[row] != GEMP_NO_ELEMENT && !is_detached(c, row, c->vertices[row]))
			c->rows[c->asked++] = row;
}

/* Collective. Edges to the vertices of one detached column; two columns may have the same one. */
static gemp_code take_detached(checking *c, size_t index)
{
	gemp_code code = GEMP_OK;
	const uint64_t *other = c->detached[index];
	size_t all = c->asked, kept = 0;
	for (size_t i = 0; i < all; i++) {
		size_t row = c->rows[i];
		bool counted = other[row] == GEMP_NO_ELEMENT;
		for (size_t k = 0; k < index && !counted; k++)
			counted = c->detached[k][row] == other[row];
		if (!counted)
			c->rows[kept++] = row;
	}
	c->asked = kept;
	GEMP_TRY(ask(c, 2, other, answer_between));
	for (size_t i = 0; i < kept; i++)
		c->left[c->rows[i]] -= c->answers[i];
done:
	return code;
}

/* Collective. */
static gemp_code check_column(checking *c, const uint64_t *vertices)
{
	gemp_code code = GEMP_OK;
	c->vertices = vertices;
	pick_rows(c);
	GEMP_TRY(ask(c, 1, NULL, answer_degrees));
	for (size_t i = 0; i < c->asked; i++)
		c->left[c->rows[i]] = c->answers[i] - named_ends(c, c->rows[i], vertices[c->rows[i]]);
	for (size_t k = 0; k < c->detached_count; k++) {
		GEMP_TRY(take_detached(c, k));
		pick_rows(c);
	}
	for (size_t i = 0; i < c->asked; i++)
		if (c->left[c->rows[i]])
			c->choice[c->rows[i]] = GEMP_LEFT_OUT;
done:
	return code;
}

static gemp_code begin(checking *c, const gemp_rule_columns *columns)
{
	gemp_code code = GEMP_OK;
	size_t rows = c->frame->rows;
	GEMP_TRY(list_deleted(c, columns));
	GEMP_TRY(GEMP_NEW(c->rows, rows));
	GEMP_TRY(GEMP_NEW(c->records, 2 * rows));
	GEMP_TRY(GEMP_NEW(c->owner, rows));
	GEMP_TRY(GEMP_NEW(c->answers, rows));
	GEMP_TRY(GEMP_NEW(c->left, rows));
done:
	return code;
}

/* Collective. */
static gemp_code load(checking *c, gemp_context *context, const gemp_rule_columns *columns)
{
	gemp_code code = GEMP_OK;
	for (size_t r = 0; r < c->graph->relation_count; r++)
		GEMP_TRY(gemp_graph_need_relation(c->graph, r, GEMP_PART_OUT | GEMP_PART_IN));
	GEMP_TRY(gemp_comm_agree(c->comm, begin(c, columns)));
	for (size_t i = 0; i < c->dropped_count; i++)
		if (!c->dropped[i].known)
			GEMP_TRY(fetch_ends(c, context, &c->dropped[i]));
done:
	return code;
}

static bool may_dangle(const gemp_update *u)
{
	return u->kind == GEMP_DELETE && !u->element.edge && !u->detach;
}

gemp_code gemp_block_dangling(gemp_context *context, gemp_graph *graph, const gemp_rule *rule,
                              const gemp_rule_columns *columns, const gemp_frame *frame, uint8_t *choice)
{
	gemp_code code = GEMP_OK;
	checking c = { .comm = context->comm, .graph = graph, .rule = rule, .frame = frame, .choice = choice };
	for (size_t i = 0; i < rule->update_count; i++) {
		if (!may_dangle(&rule->updates[i]))
			continue;
		if (!c.rows)
			GEMP_TRY(load(&c, context, columns));
		GEMP_TRY(check_column(&c, frame->columns[rule->updates[i].element.index].elements));
	}
done:
	for (size_t i = 0; i < c.dropped_count; i++)
		gemp_edge_values_free(&c.dropped[i].values);
	gemp_free(c.dropped);
	gemp_free(c.detached);
	gemp_free(c.rows);
	gemp_free(c.records);
	gemp_free(c.owner);
	gemp_free(c.answers);
	gemp_free(c.left);
	return code;
}
