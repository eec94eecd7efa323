#include "transform/blocked.h"

#include "core/memory.h"
#include "partition/inquire.h"

typedef struct blocking {
	gemp_context *context;
	gemp_graph *graph;
	const gemp_rule *rule;
	const gemp_frame *frame;
	gemp_rule_columns columns;
	uint8_t *gone;      /* [frame->count] columns whose elements the rule deletes */
	uint32_t *degrees;  /* [graph->rows] ends of edges at own vertices */
} blocking;

static bool deletes(const gemp_update *u)
{
	return u->kind == GEMP_DELETE || u->kind == GEMP_MERGE;
}

/* Is an element that goes also one that stays? */
static bool identifies(const blocking *b, size_t row)
{
	const gemp_frame *f = b->frame;
	for (size_t c = 0; c < f->count; c++)
		for (size_t k = 0; k < f->count && b->gone[c]; k++)
			if (!b->gone[k] && f->columns[k].kind == f->columns[c].kind &&
			    f->columns[c].elements[row] != GEMP_NO_ELEMENT &&
			    f->columns[c].elements[row] == f->columns[k].elements[row])
				return true;
	return false;
}

/* Collective. */
static gemp_code count_degrees(blocking *b)
{
	gemp_code code = GEMP_OK;
	gemp_graph *g = b->graph;
	for (size_t r = 0; r < g->relation_count; r++)
		GEMP_TRY(gemp_graph_need_relation(g, r, GEMP_PART_OUT | GEMP_PART_IN));
	GEMP_TRY(gemp_comm_agree(b->context->comm, GEMP_NEW(b->degrees, g->rows)));
	for (size_t r = 0; r < g->relation_count; r++) {
		const gemp_relation *own = &g->relations[r];
		for (size_t v = 0; v < g->rows; v++) {
			uint64_t degree = b->degrees[v] + own->out_begin[v + 1] - own->out_begin[v] + own->in_begin[v + 1] -
			                  own->in_begin[v];
			b->degrees[v] = degree < UINT32_MAX ? (uint32_t)degree : UINT32_MAX;
		}
	}
done:
	return code;
}

static bool same_edge_before(const blocking *b, size_t edge, size_t row)
{
	uint64_t element = b->frame->columns[b->columns.edge[edge]].elements[row];
	for (size_t e = 0; e < edge; e++) {
		size_t c = b->columns.edge[e];
		if (c != GEMP_NO_COLUMN && b->gone[c] && b->frame->columns[c].elements[row] == element)
			return true;
	}
	return false;
}

static uint64_t element_of(const blocking *b, int vertex, size_t row)
{
	size_t c = b->columns.vertex[vertex];
	return c == GEMP_NO_COLUMN ? GEMP_NO_ELEMENT : b->frame->columns[c].elements[row];
}

/* Ends of the edges that go with this match, at a vertex. */
static uint64_t deleted_at(const blocking *b, uint64_t vertex, size_t row)
{
	uint64_t ends = 0;
	const gemp_pattern *p = b->rule->pattern;
	for (size_t e = 0; e < p->edge_count; e++) {
		size_t c = b->columns.edge[e];
		if (c == GEMP_NO_COLUMN || !b->gone[c] || b->frame->columns[c].elements[row] == GEMP_NO_ELEMENT ||
		    same_edge_before(b, e, row))
			continue;
		ends += element_of(b, p->edges[e].from, row) == vertex;
		ends += element_of(b, p->edges[e].to, row) == vertex;
	}
	return ends;
}

/* Collective. Of the vertices in this column. */
static gemp_code block_dangling(blocking *b, size_t column, uint8_t *choice)
{
	gemp_code code = GEMP_OK;
	const uint64_t *elements = b->frame->columns[column].elements;
	size_t rows = b->frame->rows, asked = 0;
	gemp_vertex *ids = NULL;
	uint32_t *degree = NULL;
	code = GEMP_NEW(ids, rows);
	if (code == GEMP_OK)
		code = GEMP_NEW(degree, rows);
	GEMP_TRY(gemp_comm_agree(b->context->comm, code));
	for (size_t row = 0; row < rows; row++)
		if (elements[row] != GEMP_NO_ELEMENT)
			ids[asked++] = (gemp_vertex)elements[row];
	GEMP_TRY(gemp_inquire(b->context->comm, b->graph, b->degrees, ids, asked, degree));
	for (size_t row = 0, at = 0; row < rows; row++)
		if (elements[row] != GEMP_NO_ELEMENT && degree[at++] != deleted_at(b, elements[row], row))
			choice[row] = GEMP_LEFT_OUT;
done:
	gemp_free(ids);
	gemp_free(degree);
	return code;
}

static gemp_code find_gone(blocking *b)
{
	gemp_code code = GEMP_OK;
	GEMP_TRY(GEMP_NEW(b->gone, b->frame->count));
	for (size_t i = 0; i < b->rule->update_count; i++)
		if (deletes(&b->rule->updates[i]))
			b->gone[b->rule->updates[i].element.index] = 1;
done:
	return code;
}

gemp_code gemp_block(gemp_context *context, gemp_graph *graph, const gemp_rule *rule, const gemp_frame *frame,
                     uint8_t *choice, uint64_t *blocked)
{
	gemp_code code = GEMP_OK;
	blocking b = { .context = context, .graph = graph, .rule = rule, .frame = frame };
	*blocked = 0;
	gemp_rule_columns_find(&b.columns, rule);
	GEMP_TRY(gemp_comm_agree(context->comm, find_gone(&b)));
	for (size_t row = 0; row < frame->rows; row++)
		if (identifies(&b, row))
			choice[row] = GEMP_LEFT_OUT;
	for (size_t i = 0; i < rule->update_count; i++) {
		const gemp_update *u = &rule->updates[i];
		if (u->kind != GEMP_DELETE || u->element.edge || u->detach)
			continue;
		if (!b.degrees)
			GEMP_TRY(count_degrees(&b));
		GEMP_TRY(block_dangling(&b, u->element.index, choice));
	}
	for (size_t row = 0; row < frame->rows; row++)
		*blocked += choice[row] == GEMP_LEFT_OUT;
done:
	gemp_free(b.gone);
	gemp_free(b.degrees);
	return code;
}
