/* Most keys follow from the elements of a row. Keys of vertices that the row does not contain (the ends of an
 * edge, the neighbours of a deleted vertex) are computed by the owners of the elements: the rows travel there, and
 * their keys come back, several or none for each. */

#include "transform/conflicts/row_keys.h"

#include "comm/exchange.h"
#include "core/memory.h"
#include "core/search.h"
#include "core/threads.h"
#include "partition/exchange/value_exchange.h"

typedef struct row_key {
	uint64_t row, key;
} row_key;

/* The owner of a vertex or edge knows its neighbours or ends: rows are sent there, and their keys come back. */

typedef struct row_request {
	uint64_t row, element;
} row_request;

/* One column at a time: requests go to the owners of its elements, keys come back. */
typedef struct lookup_context {
	const gemp_comm *comm;
	gemp_shard *graph;
	const gemp_rw_set *rw_set;
	const gemp_frame *frame;
	const uint8_t *decisions;
	gemp_edge_owners edges;
	size_t column; /* in hand */
	size_t request_count;
	row_request *requests; /* [asked_count] of the column's elements */
	int *owner;
	size_t received_count, *from; /* [ranks + 1] */
	row_request *received;        /* [held] */
	size_t token_count, token_capacity, asker_capacity;
	row_key *conflict_keys; /* [token_count] of the received */
	int *asker;
	size_t all, all_capacity;
	row_key *out; /* [all] */
} lookup_context;

static bool is_remote_access(const gemp_rule_access *entry)
{
	return entry->at != GEMP_AT_ELEMENT;
}

/* REQUESTS */

/* Rows that are already decided send nothing. */
static void list_requests(lookup_context *l)
{
	const gemp_frame_column *column = &l->frame->columns[l->column];
	l->request_count = 0;
	for (size_t row = 0; row < l->frame->rows; row++) {
		uint64_t element = column->elements[row];
		if (l->decisions[row] || element == GEMP_NO_ELEMENT)
			continue;
		l->owner[l->request_count] = column->kind == GEMP_CELL_EDGE ? gemp_edge_owner(&l->edges, element)
		                                                            : gemp_shard_owner(l->graph, element);
		l->requests[l->request_count++] = (row_request){ row, element };
	}
}

/* Collective. */
static gemp_code send_requests(lookup_context *l)
{
	void *received = NULL;
	GEMP_TRY(gemp_exchange_records(l->comm, GEMP_OK, l->requests, l->request_count, sizeof *l->requests, l->owner,
	                               &received, &l->from, NULL));
	l->received = received;
	l->received_count = l->from[l->comm->size];
	return GEMP_OK;
}

/* ANSWERS of the owners */

static gemp_code add_token(lookup_context *l, const gemp_rule_access *entry, uint64_t row, uint64_t vertex, int asker)
{
	GEMP_TRY(GEMP_RESERVE(l->conflict_keys, l->token_capacity, l->token_count + 1));
	GEMP_TRY(GEMP_RESERVE(l->asker, l->asker_capacity, l->token_count + 1));
	l->conflict_keys[l->token_count] = (row_key){ row, gemp_conflict_key(entry->slot + vertex, entry->access) };
	l->asker[l->token_count++] = asker;
	return GEMP_OK;
}

/* Neighbours ascend, so parallel edges are skipped by comparing with the previous neighbour. */
static gemp_code add_neighbours(lookup_context *l, const gemp_rule_access *entry, const row_request *a, int asker)
{
	const gemp_relation *r = &l->graph->relations[entry->relation];
	bool sources = entry->at == GEMP_AT_SOURCES;
	const uint64_t *begin = sources ? r->in_offsets : r->out_offsets;
	const gemp_vertex *near = sources ? r->in_sources : r->out_targets;
	size_t row = (size_t)(a->element - l->graph->first_vertex);
	for (uint64_t i = begin[row]; i < begin[row + 1]; i++)
		if (i == begin[row] || near[i] != near[i - 1])
			GEMP_TRY(add_token(l, entry, a->row, near[i], asker));
	return GEMP_OK;
}

/* The end of an edge, if the edge belongs to the relation that the access is about. */
static gemp_code add_end(lookup_context *l, const gemp_rule_access *entry, const row_request *a, int asker)
{
	size_t k = gemp_edge_relation(&l->edges, a->element);
	const gemp_relation *r = &l->graph->relations[k];
	size_t at = gemp_edge_local_index(&l->edges, a->element, l->comm->rank);
	if (entry->relation != GEMP_ANY_RELATION && entry->relation != k)
		return GEMP_OK;
	uint64_t end = entry->at == GEMP_AT_TARGET
	                   ? r->out_targets[at]
	                   : l->graph->first_vertex + gemp_range_find(r->out_offsets, l->graph->rows, at);
	return add_token(l, entry, a->row, end, asker);
}

/* Keys for the received rows, by access and asking rank; a neighbour list may give many. */
static gemp_code answer_requests(lookup_context *l)
{
	l->token_count = 0;
	for (size_t i = 0; i < l->rw_set->count; i++) {
		const gemp_rule_access *entry = &l->rw_set->accesses[i];
		bool vertex = entry->at == GEMP_AT_SOURCES || entry->at == GEMP_AT_TARGETS;
		if (!is_remote_access(entry) || entry->column != l->column)
			continue;
		for (int r = 0; r < l->comm->size; r++)
			for (size_t k = l->from[r]; k < l->from[r + 1]; k++)
				GEMP_TRY(vertex ? add_neighbours(l, entry, &l->received[k], r) : add_end(l, entry, &l->received[k], r));
	}
	return GEMP_OK;
}

static gemp_code append_keys(lookup_context *l, const row_key *conflict_keys, size_t count)
{
	GEMP_TRY(GEMP_RESERVE(l->out, l->all_capacity, l->all + count));
	for (size_t i = 0; i < count; i++)
		l->out[l->all++] = conflict_keys[i];
	return GEMP_OK;
}

/* Collective. The remote keys of the elements in the current column. */
static gemp_code request_column(lookup_context *l)
{
	gemp_code code = GEMP_OK;
	void *conflict_keys = NULL;
	size_t *from = NULL;
	list_requests(l);
	GEMP_TRY_DONE(send_requests(l));
	code = answer_requests(l);
	GEMP_TRY_DONE(gemp_exchange_records(l->comm, code, l->conflict_keys, l->token_count, sizeof *l->conflict_keys,
	                                    l->asker, &conflict_keys, &from, NULL));
	code = gemp_comm_agree(l->comm, append_keys(l, conflict_keys, from[l->comm->size]));
done:
	gemp_free_all(conflict_keys, from, l->received, l->from);
	l->received = NULL;
	l->from = NULL;
	return code;
}

/* Collective. Neighbours in both directions are needed; the lists are loaded only if some access asks for them. */
static gemp_code load(lookup_context *l)
{
	gemp_code code = GEMP_OK;
	for (size_t r = 0; r < l->graph->relation_count; r++)
		GEMP_TRY(gemp_shard_load_relation(l->graph, r, GEMP_LOAD_OUT | GEMP_LOAD_IN));
	GEMP_TRY(gemp_edge_owners_new(&l->edges, l->comm, l->graph));
	code = gemp_new_all(GEMP_ARRAY(l->requests, l->frame->rows), GEMP_ARRAY(l->owner, l->frame->rows));
	return gemp_comm_agree(l->comm, code);
}

/* Collective. Remote keys of the rows whose decision is 0, in any order. The caller frees *out. */
static gemp_code fetch_remote_keys(row_key **out, size_t *count, const gemp_comm *comm, gemp_shard *graph,
                                   const gemp_rw_set *rw_set, const gemp_frame *frame, const uint8_t *decisions)
{
	gemp_code code = GEMP_OK;
	lookup_context l = { .comm = comm, .graph = graph, .rw_set = rw_set, .frame = frame, .decisions = decisions };
	*out = NULL;
	*count = 0;
	for (l.column = 0; l.column < frame->count; l.column++) {
		bool wanted = false;
		for (size_t i = 0; i < rw_set->count; i++)
			wanted |= is_remote_access(&rw_set->accesses[i]) && rw_set->accesses[i].column == l.column;
		if (!wanted)
			continue;
		if (!l.requests)
			GEMP_TRY_DONE(load(&l));
		GEMP_TRY_DONE(request_column(&l));
	}
	*out = l.out;
	*count = l.all;
	l.out = NULL;
done:
	gemp_edge_owners_free(&l.edges);
	gemp_free_all(l.requests, l.owner, l.conflict_keys, l.asker, l.out);
	return code;
}

/* The keys of rows: what the read/write set says, of each row's elements and of vertices around them. */

typedef struct key_listing {
	const gemp_rw_set *rw_set;
	const gemp_frame *frame;
	const uint8_t *decisions;
	gemp_conflict_keys *out;
	size_t around_count;
	row_key *around; /* [around_count] */
	uint64_t *next;  /* [rows] where these go, behind the keys of the row's elements; if there are any */
} key_listing;

/* The element of an access in a row, GEMP_NO_ELEMENT if the row has none; an aspect of all elements has one slot,
 * 0. */
static uint64_t element_at(const gemp_frame *frame, const gemp_rule_access *entry, size_t row)
{
	if (entry->at != GEMP_AT_ELEMENT)
		return GEMP_NO_ELEMENT;
	return entry->column == GEMP_NO_COLUMN ? 0 : frame->columns[entry->column].elements[row];
}

/* The number of keys of each row, without remote ones. */
static void count_range(void *self, size_t range, size_t begin, size_t end)
{
	key_listing *l = self;
	(void)range;
	for (size_t row = begin; row < end; row++) {
		uint64_t count = 0;
		for (size_t i = 0; i < l->rw_set->count && !l->decisions[row]; i++)
			count += element_at(l->frame, &l->rw_set->accesses[i], row) != GEMP_NO_ELEMENT;
		l->out->offsets[row + 1] = count;
	}
}

/* Fills the keys of each row and remembers where remote keys continue. */
static void list_range(void *self, size_t range, size_t begin, size_t end)
{
	key_listing *l = self;
	(void)range;
	for (size_t row = begin; row < end; row++) {
		uint64_t at = l->out->offsets[row];
		for (size_t i = 0; i < l->rw_set->count && !l->decisions[row]; i++) {
			const gemp_rule_access *entry = &l->rw_set->accesses[i];
			uint64_t element = element_at(l->frame, entry, row);
			if (element != GEMP_NO_ELEMENT)
				l->out->keys[at++] = gemp_conflict_key(entry->slot + element, entry->access);
		}
		if (l->around_count)
			l->next[row] = at;
	}
}

/* Two passes (count, then fill) give each row its keys behind one another; remote keys follow those of the row. */
static gemp_code list_keys(key_listing *l)
{
	size_t rows = l->frame->rows;
	uint64_t *begin;
	GEMP_TRY(gemp_new_all(GEMP_ARRAY(l->out->offsets, rows + 1), GEMP_ARRAY(l->next, l->around_count ? rows : 0)));
	begin = l->out->offsets;
	gemp_for_ranges(rows, count_range, l);
	for (size_t i = 0; i < l->around_count; i++)
		begin[l->around[i].row + 1]++;
	for (size_t row = 0; row < rows; row++)
		begin[row + 1] += begin[row];
	GEMP_TRY(GEMP_NEW(l->out->keys, begin[rows]));
	gemp_for_ranges(rows, list_range, l);
	for (size_t i = 0; i < l->around_count; i++)
		l->out->keys[l->next[l->around[i].row]++] = l->around[i].key;
	return GEMP_OK;
}

/* Collective. Remote keys are fetched first, since the offsets of a row depend on how many it has. */
gemp_code gemp_row_keys_make(gemp_conflict_keys *out, const gemp_comm *comm, gemp_shard *graph,
                             const gemp_rw_set *rw_set, const gemp_frame *frame, const uint8_t *decisions)
{
	gemp_code code = GEMP_OK;
	key_listing l = { .rw_set = rw_set, .frame = frame, .decisions = decisions, .out = out };
	*out = (gemp_conflict_keys){ .matches = frame->rows, .slots = rw_set->slots };
	GEMP_TRY_DONE(fetch_remote_keys(&l.around, &l.around_count, comm, graph, rw_set, frame, decisions));
	code = gemp_comm_agree(comm, list_keys(&l));
done:
	gemp_free_all(l.around, l.next);
	if (code != GEMP_OK)
		gemp_conflict_keys_free(out);
	return code;
}
