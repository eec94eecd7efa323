/* The owner of a vertex or edge knows its neighbours or ends: rows are sent there, and their tokens come back. */
#include "choice/footprint_around.h"

#include "comm/exchange.h"
#include "core/memory.h"
#include "partition/edge_places.h"

typedef struct asked {
	uint64_t row, element;
} asked;

typedef struct looking {
	const gemp_comm *comm;
	gemp_graph *graph;
	const gemp_footprint *footprint;
	const gemp_frame *frame;
	const uint8_t *choice;
	gemp_edge_places edges;
	size_t column;              /* in hand */
	size_t asked_count;
	asked *asked;               /* [asked_count] of the column's elements */
	int *owner;
	size_t held, *from;         /* [ranks + 1] */
	asked *received;            /* [held] */
	size_t token_count, token_capacity, asker_capacity;
	gemp_row_token *tokens;     /* [token_count] of the received */
	int *asker;
	size_t all, all_capacity;
	gemp_row_token *out;        /* [all] */
} looking;

static bool is_around(const gemp_trace_of_rule *trace)
{
	return trace->at != GEMP_AT_ELEMENT;
}

/* QUESTIONS */

static void list_asked(looking *l)
{
	const gemp_frame_column *column = &l->frame->columns[l->column];
	l->asked_count = 0;
	for (size_t row = 0; row < l->frame->rows; row++) {
		uint64_t element = column->elements[row];
		if (l->choice[row] || element == GEMP_NO_ELEMENT)
			continue;
		l->owner[l->asked_count] = column->kind == GEMP_CELL_EDGE ? gemp_edge_owner(&l->edges, element)
		                                                          : gemp_graph_owner(l->graph, element);
		l->asked[l->asked_count++] = (asked){ row, element };
	}
}

/* Collective. */
static gemp_code send_asked(looking *l)
{
	gemp_code code = GEMP_OK;
	void *received = NULL;
	GEMP_TRY(gemp_exchange_records(l->comm, l->asked, l->asked_count, sizeof *l->asked, l->owner, &received, &l->from,
	                               NULL));
	l->received = received;
	l->held = l->from[l->comm->size];
done:
	return code;
}

/* ANSWERS */

static gemp_code add_token(looking *l, const gemp_trace_of_rule *trace, uint64_t row, uint64_t vertex, int asker)
{
	gemp_code code = GEMP_OK;
	GEMP_TRY(GEMP_RESERVE(l->tokens, l->token_capacity, l->token_count + 1));
	GEMP_TRY(GEMP_RESERVE(l->asker, l->asker_capacity, l->token_count + 1));
	l->tokens[l->token_count] = (gemp_row_token){ row, gemp_token(trace->seat + vertex, trace->touch) };
	l->asker[l->token_count++] = asker;
done:
	return code;
}

/* Neighbours are ascending: one that several edges join is taken once. */
static gemp_code add_neighbours(looking *l, const gemp_trace_of_rule *trace, const asked *a, int asker)
{
	gemp_code code = GEMP_OK;
	const gemp_relation *r = &l->graph->relations[trace->relation];
	bool sources = trace->at == GEMP_AT_SOURCES;
	const uint64_t *begin = sources ? r->in_begin : r->out_begin;
	const gemp_vertex *near = sources ? r->in : r->out;
	size_t row = (size_t)(a->element - l->graph->first);
	for (uint64_t i = begin[row]; i < begin[row + 1]; i++)
		if (i == begin[row] || near[i] != near[i - 1])
			GEMP_TRY(add_token(l, trace, a->row, near[i], asker));
done:
	return code;
}

/* Own row of an edge: the last one that begins at or before it. */
static uint64_t source_of(const gemp_graph *g, const gemp_relation *r, uint64_t at)
{
	size_t row = 0, count = g->rows;
	while (count > 1) {
		size_t half = count / 2;
		if (r->out_begin[row + half] <= at)
			row += half;
		count -= half;
	}
	return g->first + row;
}

static gemp_code add_end(looking *l, const gemp_trace_of_rule *trace, const asked *a, int asker)
{
	size_t k = gemp_edge_relation(&l->edges, a->element);
	const gemp_relation *r = &l->graph->relations[k];
	uint64_t at = a->element - l->edges.offset[k] - r->first;
	if (trace->relation != GEMP_ANY_RELATION && trace->relation != k)
		return GEMP_OK;
	return add_token(l, trace, a->row, trace->at == GEMP_AT_SOURCE ? source_of(l->graph, r, at) : r->out[at], asker);
}

static gemp_code answer(looking *l)
{
	gemp_code code = GEMP_OK;
	l->token_count = 0;
	for (size_t i = 0; i < l->footprint->count; i++) {
		const gemp_trace_of_rule *trace = &l->footprint->traces[i];
		bool vertex = trace->at == GEMP_AT_SOURCES || trace->at == GEMP_AT_TARGETS;
		if (!is_around(trace) || trace->column != l->column)
			continue;
		for (int r = 0; r < l->comm->size; r++)
			for (size_t k = l->from[r]; k < l->from[r + 1]; k++)
				GEMP_TRY(vertex ? add_neighbours(l, trace, &l->received[k], r) : add_end(l, trace, &l->received[k], r));
	}
done:
	return code;
}

static gemp_code keep(looking *l, const gemp_row_token *tokens, size_t count)
{
	gemp_code code = GEMP_OK;
	GEMP_TRY(GEMP_RESERVE(l->out, l->all_capacity, l->all + count));
	for (size_t i = 0; i < count; i++)
		l->out[l->all++] = tokens[i];
done:
	return code;
}

/* Collective. Of the elements in the column in hand. */
static gemp_code ask_column(looking *l)
{
	gemp_code code = GEMP_OK;
	void *tokens = NULL;
	size_t *from = NULL;
	list_asked(l);
	GEMP_TRY(send_asked(l));
	GEMP_TRY(gemp_comm_agree(l->comm, answer(l)));
	GEMP_TRY(gemp_exchange_records(l->comm, l->tokens, l->token_count, sizeof *l->tokens, l->asker, &tokens, &from,
	                               NULL));
	code = gemp_comm_agree(l->comm, keep(l, tokens, from[l->comm->size]));
done:
	gemp_free(tokens);
	gemp_free(from);
	gemp_free(l->received);
	gemp_free(l->from);
	l->received = NULL;
	l->from = NULL;
	return code;
}

/* Collective. */
static gemp_code load(looking *l)
{
	gemp_code code = GEMP_OK;
	for (size_t r = 0; r < l->graph->relation_count; r++)
		GEMP_TRY(gemp_graph_need_relation(l->graph, r, GEMP_PART_OUT | GEMP_PART_IN));
	GEMP_TRY(gemp_edge_places_new(&l->edges, l->comm, l->graph));
	code = GEMP_NEW(l->asked, l->frame->rows);
	if (code == GEMP_OK)
		code = GEMP_NEW(l->owner, l->frame->rows);
	code = gemp_comm_agree(l->comm, code);
done:
	return code;
}

gemp_code gemp_footprint_around(gemp_row_token **out, size_t *count, const gemp_comm *comm, gemp_graph *graph,
                                const gemp_footprint *footprint, const gemp_frame *frame, const uint8_t *choice)
{
	gemp_code code = GEMP_OK;
	looking l = { .comm = comm, .graph = graph, .footprint = footprint, .frame = frame, .choice = choice };
	*out = NULL;
	*count = 0;
	for (l.column = 0; l.column < frame->count; l.column++) {
		bool wanted = false;
		for (size_t i = 0; i < footprint->count; i++)
			wanted |= is_around(&footprint->traces[i]) && footprint->traces[i].column == l.column;
		if (!wanted)
			continue;
		if (!l.asked)
			GEMP_TRY(load(&l));
		GEMP_TRY(ask_column(&l));
	}
	*out = l.out;
	*count = l.all;
	l.out = NULL;
done:
	gemp_edge_places_free(&l.edges);
	gemp_free(l.asked);
	gemp_free(l.owner);
	gemp_free(l.tokens);
	gemp_free(l.asker);
	gemp_free(l.out);
	return code;
}
