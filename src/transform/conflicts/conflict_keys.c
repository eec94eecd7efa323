/* Most keys follow from the elements of a row. A key may also belong to a vertex that the row does not contain, such as
 * the end of an edge or the neighbour of a deleted vertex. The owner of the element computes such remote keys: the
 * ranks send it requests with row and element, and it answers with any number of keys for each request. */

#include "transform/conflicts/conflict_keys.h"

#include "comm/exchange.h"
#include "core/memory.h"
#include "core/pages.h"
#include "core/random.h"
#include "core/search.h"
#include "core/threads.h"
#include "partition/exchange/value_exchange.h"

#include <string.h>

/* Up to this number of slots a table with an entry for every slot is small enough, also if there are few keys. */
enum { MIN_HASHED_SLOTS = 1 << 12 };

bool gemp_conflict_keys_is_valid(const gemp_conflict_keys *k)
{
	return k->offsets && k->offsets[0] == 0 && (k->keys || k->offsets[k->matches] == 0) && k->slots >> 62 == 0;
}

void gemp_conflict_keys_free(gemp_conflict_keys *conflict_keys)
{
	gemp_free_all(conflict_keys->offsets, conflict_keys->keys);
	*conflict_keys = (gemp_conflict_keys){ 0 };
}

/* SLOT TABLE */

/* The size of the table is a power of two and at least twice the number of keys, so linear probing always ends. */
gemp_code gemp_slot_table_new(gemp_slot_table *out, uint64_t slot_bound, size_t conflict_keys, size_t slot_size)
{
	size_t hashed = 2;
	*out = (gemp_slot_table){ 0 };
	while (hashed < 2 * conflict_keys)
		hashed *= 2;
	if (slot_bound <= MIN_HASHED_SLOTS || slot_bound <= hashed * (sizeof *out->slots + slot_size) / slot_size) {
		out->count = (size_t)slot_bound;
		return GEMP_OK;
	}
	out->count = hashed;
	return GEMP_NEW(out->slots, hashed);
}

void gemp_slot_table_free(gemp_slot_table *slots)
{
	gemp_free(slots->slots);
	*slots = (gemp_slot_table){ 0 };
}

/* At most half of the entries are taken, so probing always finds a free entry. */
size_t gemp_slot_table_index(gemp_slot_table *slots, uint64_t slot)
{
	if (!slots->slots)
		return (size_t)slot; /* the table has an entry for every slot */
	for (size_t at = (size_t)gemp_mix(slot) & (slots->count - 1);; at = (at + 1) & (slots->count - 1)) {
		uint64_t there = __atomic_load_n(&slots->slots[at], __ATOMIC_RELAXED);
		if (there == 0 &&
		    __atomic_compare_exchange_n(&slots->slots[at], &there, slot + 1, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
			return at;
		if (there == slot + 1)
			return at;
	}
}

/* REMOTE KEYS */

typedef struct row_key {
	uint64_t row, key; /* `row` is a row of the rank that has found the match */
} row_key;

typedef struct row_request {
	uint64_t row, element;
} row_request;

typedef struct remote_keys {
	const gemp_comm *comm;
	gemp_shard *graph;
	const gemp_rw_set *rw_set;
	const gemp_frame *frame;
	const uint8_t *decisions;
	gemp_edge_owners edges; /* made for the first column that needs the owners of edges */
	size_t column;          /* the column whose elements are requested now */
	size_t answer_count, answer_capacity, rank_capacity;
	row_key *answers; /* [answer_count] this rank's answers to the requests of the column */
	int *rank;        /* [answer_count] the rank that gets each answer */
	size_t count, capacity;
	row_key *keys; /* [count] remote keys of own rows, in any order */
} remote_keys;

static void free_remote(remote_keys *l)
{
	gemp_edge_owners_free(&l->edges);
	gemp_free_all(l->answers, l->rank, l->keys);
}

/* Adds an answer to a request of `rank` for one of its rows. */
static gemp_code add_answer(remote_keys *l, const gemp_rule_access *access, uint64_t row, uint64_t vertex, int rank)
{
	GEMP_TRY(GEMP_RESERVE(l->answers, l->answer_capacity, l->answer_count + 1));
	GEMP_TRY(GEMP_RESERVE(l->rank, l->rank_capacity, l->answer_count + 1));
	l->answers[l->answer_count] = (row_key){ row, gemp_conflict_key(access->slot + vertex, access->access) };
	l->rank[l->answer_count++] = rank;
	return GEMP_OK;
}

/* Neighbours are in ascending order, so a comparison with the previous neighbour skips parallel edges. */
static gemp_code add_neighbours(remote_keys *l, const gemp_rule_access *access, const row_request *a, int rank)
{
	const gemp_relation *r = &l->graph->relations[access->relation];
	bool sources = access->at == GEMP_AT_SOURCES;
	const uint64_t *offsets = sources ? r->in_offsets : r->out_offsets;
	const gemp_vertex *neighbours = sources ? r->in_sources : r->out_targets;
	size_t row = (size_t)(a->element - l->graph->first_vertex);
	for (uint64_t i = offsets[row]; i < offsets[row + 1]; i++)
		if (i == offsets[row] || neighbours[i] != neighbours[i - 1])
			GEMP_TRY(add_answer(l, access, a->row, neighbours[i], rank));
	return GEMP_OK;
}

/* Adds the end of an edge if the edge belongs to the relation of the access. */
static gemp_code add_end(remote_keys *l, const gemp_rule_access *access, const row_request *a, int rank)
{
	size_t k = gemp_edge_relation(&l->edges, a->element);
	const gemp_relation *r = &l->graph->relations[k];
	size_t at = gemp_edge_local_index(&l->edges, a->element, l->comm->rank);
	if (access->relation != GEMP_ANY_RELATION && access->relation != k)
		return GEMP_OK;
	uint64_t end = access->at == GEMP_AT_TARGET
	                   ? r->out_targets[at]
	                   : l->graph->first_vertex + gemp_range_find(r->out_offsets, l->graph->rows, at);
	return add_answer(l, access, a->row, end, rank);
}

/* Local. Computes the keys of the received requests. The requests of rank r begin at from[r]; the array has ranks + 1
 * entries. A list of neighbours may give many keys. */
static gemp_code answer_requests(remote_keys *l, const row_request *received, const size_t *from)
{
	l->answer_count = 0;
	for (size_t i = 0; i < l->rw_set->count; i++) {
		const gemp_rule_access *access = &l->rw_set->accesses[i];
		bool vertex = access->at == GEMP_AT_SOURCES || access->at == GEMP_AT_TARGETS;
		if (access->at == GEMP_AT_ELEMENT || access->column != l->column)
			continue;
		for (int r = 0; r < l->comm->size; r++)
			for (size_t k = from[r]; k < from[r + 1]; k++)
				GEMP_TRY(vertex ? add_neighbours(l, access, &received[k], r) : add_end(l, access, &received[k], r));
	}
	return GEMP_OK;
}

/* Local. Rows that are already decided make no requests. */
static gemp_code list_requests(const remote_keys *l, row_request **requests, int **owner, size_t *count)
{
	const gemp_frame_column *column = &l->frame->columns[l->column];
	GEMP_TRY(gemp_new_all(GEMP_ARRAY(*requests, l->frame->rows), GEMP_ARRAY(*owner, l->frame->rows)));
	for (size_t row = 0; row < l->frame->rows; row++) {
		uint64_t element = column->elements[row];
		if (l->decisions[row] || element == GEMP_NO_ELEMENT)
			continue;
		(*owner)[*count] = column->kind == GEMP_CELL_EDGE ? gemp_edge_owner(&l->edges, element)
		                                                  : gemp_shard_owner(l->graph, element);
		(*requests)[(*count)++] = (row_request){ row, element };
	}
	return GEMP_OK;
}

/* Collective. Fetches the remote keys of the elements in the current column. */
static gemp_code request_column(remote_keys *l)
{
	GEMP_OWNED row_request *requests = NULL;
	GEMP_OWNED int *owner = NULL;
	GEMP_OWNED void *received = NULL, *keys = NULL;
	GEMP_OWNED size_t *from = NULL, *keys_from = NULL;
	size_t count = 0;
	gemp_code code = list_requests(l, &requests, &owner, &count);
	GEMP_TRY(gemp_exchange_records(l->comm, code, requests, count, sizeof *requests, owner, &received, &from, NULL));
	code = answer_requests(l, received, from);
	GEMP_TRY(gemp_exchange_records(l->comm, code, l->answers, l->answer_count, sizeof *l->answers, l->rank, &keys,
	                               &keys_from, NULL));
	count = keys_from[l->comm->size];
	GEMP_TRY(gemp_comm_agree(l->comm, GEMP_RESERVE(l->keys, l->capacity, l->count + count)));
	if (count)
		memcpy(l->keys + l->count, keys, count * sizeof *l->keys);
	l->count += count;
	return GEMP_OK;
}

/* Collective. Adjacency in both directions and the owners of edges are loaded only if an access needs them. */
static gemp_code fetch_remote_keys(remote_keys *l)
{
	for (l->column = 0; l->column < l->frame->count; l->column++) {
		bool wanted = false;
		for (size_t i = 0; i < l->rw_set->count; i++)
			wanted |= l->rw_set->accesses[i].at != GEMP_AT_ELEMENT && l->rw_set->accesses[i].column == l->column;
		if (!wanted)
			continue;
		for (size_t r = 0; r < l->graph->relation_count && !l->edges.relation_offset; r++)
			GEMP_TRY(gemp_shard_load_relation(l->graph, r, GEMP_LOAD_OUT | GEMP_LOAD_IN));
		if (!l->edges.relation_offset)
			GEMP_TRY(gemp_edge_owners_new(&l->edges, l->comm, l->graph));
		GEMP_TRY(request_column(l));
	}
	return GEMP_OK;
}

/* KEYS OF ROWS */

typedef struct key_listing {
	const gemp_rw_set *rw_set;
	const gemp_frame *frame;
	const uint8_t *decisions;
	gemp_conflict_keys *out;
	remote_keys *remote;
	uint64_t *next; /* [rows] position of the next remote key of each row; NULL: there are no remote keys */
} key_listing;

/* Returns the element of an access in a row, or GEMP_NO_ELEMENT if the row lacks the element. An access to all elements
 * has one slot, number 0. */
static uint64_t element_at(const gemp_frame *frame, const gemp_rule_access *access, size_t row)
{
	if (access->at != GEMP_AT_ELEMENT)
		return GEMP_NO_ELEMENT;
	return access->column == GEMP_NO_COLUMN ? 0 : frame->columns[access->column].elements[row];
}

/* Counts the keys of each row, without remote keys. */
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

/* Writes the keys of each row, and keeps the position after them for remote keys. */
static void list_range(void *self, size_t range, size_t begin, size_t end)
{
	key_listing *l = self;
	(void)range;
	for (size_t row = begin; row < end; row++) {
		uint64_t at = l->out->offsets[row];
		for (size_t i = 0; i < l->rw_set->count && !l->decisions[row]; i++) {
			const gemp_rule_access *access = &l->rw_set->accesses[i];
			uint64_t element = element_at(l->frame, access, row);
			if (element != GEMP_NO_ELEMENT)
				l->out->keys[at++] = gemp_conflict_key(access->slot + element, access->access);
		}
		if (l->next)
			l->next[row] = at;
	}
}

/* The first pass counts the keys of each row and the second pass writes them, so the keys of a row are contiguous. The
 * remote keys of a row follow its other keys. */
static gemp_code list_keys(key_listing *l)
{
	size_t rows = l->frame->rows, remote = l->remote->count;
	GEMP_OWNED uint64_t *next = NULL;
	uint64_t *offsets;
	GEMP_TRY(GEMP_NEW_UNSET(l->out->offsets, rows + 1));
	GEMP_TRY(GEMP_NEW_UNSET(next, remote ? rows : 0));
	offsets = l->out->offsets;
	offsets[0] = 0;
	gemp_for_ranges(rows, count_range, l);
	for (size_t i = 0; i < remote; i++)
		offsets[l->remote->keys[i].row + 1]++;
	gemp_prefix_inclusive(offsets, rows + 1);
	GEMP_TRY(GEMP_NEW_UNSET(l->out->keys, offsets[rows]));
	l->next = remote ? next : NULL;
	gemp_for_ranges(rows, list_range, l);
	for (size_t i = 0; i < remote; i++)
		l->out->keys[next[l->remote->keys[i].row]++] = l->remote->keys[i].key;
	return GEMP_OK;
}

/* Collective. Remote keys are fetched first, since the offsets of the rows depend on their number. */
gemp_code gemp_conflict_keys_new(gemp_conflict_keys *out, const gemp_comm *comm, gemp_shard *graph,
                                 const gemp_rw_set *rw_set, const gemp_frame *frame, const uint8_t *decisions)
{
	GEMP_OWNED_BY(free_remote)
	remote_keys remote = { .comm = comm, .graph = graph, .rw_set = rw_set, .frame = frame, .decisions = decisions };
	key_listing l = { .rw_set = rw_set, .frame = frame, .decisions = decisions, .out = out, .remote = &remote };
	*out = (gemp_conflict_keys){ .matches = frame->rows, .slots = rw_set->slots };
	GEMP_TRY(fetch_remote_keys(&remote));
	return gemp_comm_agree(comm, list_keys(&l));
}
