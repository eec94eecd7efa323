/* footprint_around: tokens of vertices that rows do not have: ends of an edge, neighbours of a vertex. */

#include "transform/conflicts/row_keys.h"

#include "comm/exchange.h"
#include "core/memory.h"
#include "core/search.h"
#include "core/threads.h"
#include "partition/base/edge_owners.h"

typedef struct row_key {
	uint64_t row, key;
} row_key;

/* The owner of a vertex or edge knows its neighbours or ends: rows are sent there, and their tokens come back. */

typedef struct requested {
	uint64_t row, element;
} requested;

typedef struct lookup_context {
	const gemp_comm *comm;
	gemp_shard *graph;
	const gemp_rw_set *footprint;
	const gemp_frame *frame;
	const uint8_t *choice;
	gemp_edge_owners edges;
	size_t column; /* in hand */
	size_t asked_count;
	requested *asked; /* [asked_count] of the column's elements */
	int *owner;
	size_t held, *from;  /* [ranks + 1] */
	requested *received; /* [held] */
	size_t token_count, token_capacity, asker_capacity;
	row_key *tokens; /* [token_count] of the received */
	int *asker;
	size_t all, all_capacity;
	row_key *out; /* [all] */
} lookup_context;

static bool is_around(const gemp_rule_access *trace)
{
	return trace->at != GEMP_AT_ELEMENT;
}

/* QUESTIONS */

static void list_requests(lookup_context *l)
{
	const gemp_frame_column *column = &l->frame->columns[l->column];
	l->asked_count = 0;
	for (size_t row = 0; row < l->frame->rows; row++) {
		uint64_t element = column->elements[row];
		if (l->choice[row] || element == GEMP_NO_ELEMENT)
			continue;
		l->owner[l->asked_count] = column->kind == GEMP_CELL_EDGE ? gemp_edge_owner(&l->edges, element)
		                                                          : gemp_shard_owner(l->graph, element);
		l->asked[l->asked_count++] = (requested){ row, element };
	}
}

/* Collective. */
static gemp_code send_requests(lookup_context *l)
{
	void *received = NULL;
	GEMP_PROPAGATE(gemp_exchange_records(l->comm, l->asked, l->asked_count, sizeof *l->asked, l->owner, &received,
	                                     &l->from, NULL));
	l->received = received;
	l->held = l->from[l->comm->size];
	return GEMP_OK;
}

/* ANSWERS */

static gemp_code add_token(lookup_context *l, const gemp_rule_access *trace, uint64_t row, uint64_t vertex, int asker)
{
	GEMP_PROPAGATE(GEMP_RESERVE(l->tokens, l->token_capacity, l->token_count + 1));
	GEMP_PROPAGATE(GEMP_RESERVE(l->asker, l->asker_capacity, l->token_count + 1));
	l->tokens[l->token_count] = (row_key){ row, gemp_conflict_key(trace->slot + vertex, trace->access) };
	l->asker[l->token_count++] = asker;
	return GEMP_OK;
}

/* Neighbours are ascending: one that several edges join is taken once. */
static gemp_code add_neighbours(lookup_context *l, const gemp_rule_access *trace, const requested *a, int asker)
{
	const gemp_relation *r = &l->graph->relations[trace->relation];
	bool sources = trace->at == GEMP_AT_SOURCES;
	const uint64_t *begin = sources ? r->in_offsets : r->out_offsets;
	const gemp_vertex *near = sources ? r->in_sources : r->out_targets;
	size_t row = (size_t)(a->element - l->graph->first_vertex);
	for (uint64_t i = begin[row]; i < begin[row + 1]; i++)
		if (i == begin[row] || near[i] != near[i - 1])
			GEMP_PROPAGATE(add_token(l, trace, a->row, near[i], asker));
	return GEMP_OK;
}

static gemp_code add_end(lookup_context *l, const gemp_rule_access *trace, const requested *a, int asker)
{
	size_t k = gemp_edge_relation(&l->edges, a->element);
	const gemp_relation *r = &l->graph->relations[k];
	size_t at = gemp_edge_local_index(&l->edges, a->element, l->comm->rank);
	if (trace->relation != GEMP_ANY_RELATION && trace->relation != k)
		return GEMP_OK;
	uint64_t end = trace->at == GEMP_AT_TARGET
	                   ? r->out_targets[at]
	                   : l->graph->first_vertex + gemp_range_find(r->out_offsets, l->graph->rows, at);
	return add_token(l, trace, a->row, end, asker);
}

static gemp_code answer(lookup_context *l)
{
	l->token_count = 0;
	for (size_t i = 0; i < l->footprint->count; i++) {
		const gemp_rule_access *trace = &l->footprint->accesses[i];
		bool vertex = trace->at == GEMP_AT_SOURCES || trace->at == GEMP_AT_TARGETS;
		if (!is_around(trace) || trace->column != l->column)
			continue;
		for (int r = 0; r < l->comm->size; r++)
			for (size_t k = l->from[r]; k < l->from[r + 1]; k++)
				GEMP_PROPAGATE(vertex ? add_neighbours(l, trace, &l->received[k], r)
				                      : add_end(l, trace, &l->received[k], r));
	}
	return GEMP_OK;
}

static gemp_code keep(lookup_context *l, const row_key *tokens, size_t count)
{
	GEMP_PROPAGATE(GEMP_RESERVE(l->out, l->all_capacity, l->all + count));
	for (size_t i = 0; i < count; i++)
		l->out[l->all++] = tokens[i];
	return GEMP_OK;
}

/* Collective. Of the elements in the column in hand. */
static gemp_code request_column(lookup_context *l)
{
	gemp_code code = GEMP_OK;
	void *tokens = NULL;
	size_t *from = NULL;
	list_requests(l);
	GEMP_TRY(send_requests(l));
	GEMP_TRY(gemp_comm_agree(l->comm, answer(l)));
	GEMP_TRY(
		gemp_exchange_records(l->comm, l->tokens, l->token_count, sizeof *l->tokens, l->asker, &tokens, &from, NULL));
	code = gemp_comm_agree(l->comm, keep(l, tokens, from[l->comm->size]));
done:
	gemp_free_all(tokens, from, l->received, l->from);
	l->received = NULL;
	l->from = NULL;
	return code;
}

/* Collective. */
static gemp_code load(lookup_context *l)
{
	gemp_code code = GEMP_OK;
	for (size_t r = 0; r < l->graph->relation_count; r++)
		GEMP_TRY(gemp_shard_load_relation(l->graph, r, GEMP_LOAD_OUT | GEMP_LOAD_IN));
	GEMP_TRY(gemp_edge_owners_new(&l->edges, l->comm, l->graph));
	code = gemp_new_all(GEMP_ARRAY(l->asked, l->frame->rows), GEMP_ARRAY(l->owner, l->frame->rows));
	code = gemp_comm_agree(l->comm, code);
done:
	return code;
}

/* Collective. Of the rows whose choice[row] is 0, in any order; none if no trace asks for any. The caller frees
 * *out. */
static gemp_code keys_around(row_key **out, size_t *count, const gemp_comm *comm, gemp_shard *graph,
                             const gemp_rw_set *footprint, const gemp_frame *frame, const uint8_t *choice)
{
	gemp_code code = GEMP_OK;
	lookup_context l = { .comm = comm, .graph = graph, .footprint = footprint, .frame = frame, .choice = choice };
	*out = NULL;
	*count = 0;
	for (l.column = 0; l.column < frame->count; l.column++) {
		bool wanted = false;
		for (size_t i = 0; i < footprint->count; i++)
			wanted |= is_around(&footprint->accesses[i]) && footprint->accesses[i].column == l.column;
		if (!wanted)
			continue;
		if (!l.asked)
			GEMP_TRY(load(&l));
		GEMP_TRY(request_column(&l));
	}
	*out = l.out;
	*count = l.all;
	l.out = NULL;
done:
	gemp_edge_owners_free(&l.edges);
	gemp_free_all(l.asked, l.owner, l.tokens, l.asker, l.out);
	return code;
}

/* The tokens of rows: what the footprint says, of each row's elements and of vertices around them. */

typedef struct listing {
	const gemp_rw_set *footprint;
	const gemp_frame *frame;
	const uint8_t *choice;
	gemp_conflict_keys *out;
	size_t around_count;
	row_key *around; /* [around_count] */
	uint64_t *next;  /* [rows] where these go, behind the tokens of the row's elements; if there are any */
} listing;

/* The element that a trace is about in a row, if the row has it; an aspect of all elements has one seat. */
static uint64_t element_at(const gemp_frame *frame, const gemp_rule_access *trace, size_t row)
{
	if (trace->at != GEMP_AT_ELEMENT)
		return GEMP_NO_ELEMENT;
	return trace->column == GEMP_NO_COLUMN ? 0 : frame->columns[trace->column].elements[row];
}

static void count_range(void *self, size_t range, size_t begin, size_t end)
{
	listing *l = self;
	(void)range;
	for (size_t row = begin; row < end; row++) {
		uint64_t count = 0;
		for (size_t i = 0; i < l->footprint->count && !l->choice[row]; i++)
			count += element_at(l->frame, &l->footprint->accesses[i], row) != GEMP_NO_ELEMENT;
		l->out->offsets[row + 1] = count;
	}
}

static void list_range(void *self, size_t range, size_t begin, size_t end)
{
	listing *l = self;
	(void)range;
	for (size_t row = begin; row < end; row++) {
		uint64_t at = l->out->offsets[row];
		for (size_t i = 0; i < l->footprint->count && !l->choice[row]; i++) {
			const gemp_rule_access *trace = &l->footprint->accesses[i];
			uint64_t element = element_at(l->frame, trace, row);
			if (element != GEMP_NO_ELEMENT)
				l->out->keys[at++] = gemp_conflict_key(trace->slot + element, trace->access);
		}
		if (l->around_count)
			l->next[row] = at;
	}
}

static gemp_code list_tokens(listing *l)
{
	size_t rows = l->frame->rows;
	uint64_t *begin;
	GEMP_PROPAGATE(
		gemp_new_all(GEMP_ARRAY(l->out->offsets, rows + 1), GEMP_ARRAY(l->next, l->around_count ? rows : 0)));
	begin = l->out->offsets;
	gemp_for_ranges(rows, count_range, l);
	for (size_t i = 0; i < l->around_count; i++)
		begin[l->around[i].row + 1]++;
	for (size_t row = 0; row < rows; row++)
		begin[row + 1] += begin[row];
	GEMP_PROPAGATE(GEMP_NEW(l->out->keys, begin[rows]));
	gemp_for_ranges(rows, list_range, l);
	for (size_t i = 0; i < l->around_count; i++)
		l->out->keys[l->next[l->around[i].row]++] = l->around[i].key;
	return GEMP_OK;
}

gemp_code gemp_row_keys_make(gemp_conflict_keys *out, const gemp_comm *comm, gemp_shard *graph,
                             const gemp_rw_set *footprint, const gemp_frame *frame, const uint8_t *choice)
{
	gemp_code code = GEMP_OK;
	listing l = { .footprint = footprint, .frame = frame, .choice = choice, .out = out };
	*out = (gemp_conflict_keys){ .matches = frame->rows, .slots = footprint->slots };
	GEMP_TRY(keys_around(&l.around, &l.around_count, comm, graph, footprint, frame, choice));
	code = gemp_comm_agree(comm, list_tokens(&l));
done:
	gemp_free_all(l.around, l.next);
	if (code != GEMP_OK)
		gemp_conflict_keys_free(out);
	return code;
}
