#include "match/planner/sample_rows.h"

#include "core/random.h"
#include "match/filter/element_values.h"
#include "match/planner/plan_rows.h"
#include "partition/exchange/value_exchange.h"
#include "primitive/distinct.h"
#include "primitive/record_table.h"

#include <string.h>

enum { MAX_ENTRIES = 1 << 24 }; /* a cache with more entries is emptied before the next fetch */

/* An entry of a row while the lists of the row are merged. */
typedef struct row_entry {
	gemp_vertex near;
	gemp_edge edge;
} row_entry;

/* A view is identified by its content, since every plan numbers its views anew. */
typedef struct known_view {
	bool *relations; /* [relation_count] owned */
	int direction;
	bool simple, edges;
	gemp_view_lists lists; /* the rows of this rank */
} known_view;

/* A cached row: `size` entries, the first of them at index `at`. */
typedef struct known_row {
	size_t at, size;
} known_row;

/* Words of a record in the table of rows: the key (view and id), and the index of the known_row. */
enum { VIEW, ID, INDEX, RECORD_WORDS, KEY_WORDS = INDEX };

/* near[entry_count] and edge[entry_count] contain all cached rows, one after another. known[table.count] has the
 * position of each row, and the table finds a row by view and id. */
struct gemp_sample_rows {
	gemp_runtime *context;
	const gemp_shard *graph;
	bool copies; /* no row is read in place */
	size_t view_count, view_capacity;
	known_view *views;
	gemp_record_table table; /* records of RECORD_WORDS words */
	size_t known_capacity;
	known_row *known; /* [table.count] */
	size_t entry_count, near_capacity, edge_capacity;
	uint64_t fetched; /* entries added so far, including entries that were dropped again */
	gemp_vertex *near;
	gemp_edge *edge;
	size_t merged_capacity[2];
	row_entry *merged[2]; /* the row that is being merged, and its previous state */
	size_t wanted_capacity;
	uint64_t *wanted; /* keys of the requested rows that other ranks own and that are not cached */
};

/* Local, since nothing is fetched yet. */
gemp_code gemp_sample_rows_new(gemp_sample_rows **out, gemp_runtime *context, const gemp_shard *graph, bool copies)
{
	GEMP_OWNED_BY(gemp_sample_rows_free_at) gemp_sample_rows *rows = NULL;
	GEMP_TRY(GEMP_NEW(rows, 1));
	rows->context = context;
	rows->graph = graph;
	rows->copies = copies;
	gemp_record_table_init(&rows->table, RECORD_WORDS, KEY_WORDS, SIZE_MAX);
	*out = rows;
	rows = NULL;
	return GEMP_OK;
}

/* Also frees a cache that is only partly made. */
void gemp_sample_rows_free(gemp_sample_rows *rows)
{
	if (!rows)
		return;
	for (size_t v = 0; v < rows->view_count; v++) {
		gemp_view_lists_free(&rows->views[v].lists);
		gemp_free(rows->views[v].relations);
	}
	gemp_record_table_free(&rows->table);
	gemp_free_all(rows->views, rows->known, rows->near, rows->edge, rows->merged[0], rows->merged[1], rows->wanted,
	              rows);
}

/* Plans of different orders number their views differently, so this module numbers the views of all plans itself. */
gemp_code gemp_sample_rows_view(gemp_sample_rows *rows, const gemp_plan_view *view, int *number)
{
	size_t count = rows->graph->relation_count;
	for (size_t v = 0; v < rows->view_count; v++) {
		const known_view *known = &rows->views[v];
		if (known->direction == view->direction && known->simple == view->simple && known->edges == view->edges &&
		    !memcmp(known->relations, view->relations, count)) {
			*number = (int)v;
			return GEMP_OK;
		}
	}
	GEMP_TRY(GEMP_RESERVE(rows->views, rows->view_capacity, rows->view_count + 1));
	known_view *known = &rows->views[rows->view_count];
	*known = (known_view){ .direction = view->direction, .simple = view->simple, .edges = view->edges };
	const gemp_view_key key = gemp_plan_view_key(view);
	GEMP_TRY(gemp_view_lists_new(&known->lists, rows->graph, &key));
	if (GEMP_COPY(known->relations, view->relations, count) != GEMP_OK) {
		gemp_view_lists_free(&known->lists);
		return GEMP_ENOMEM;
	}
	*number = (int)rows->view_count++;
	return GEMP_OK;
}

/* Combines view and id in one number. The id is the upper half, so sorted keys are also sorted by owner. */
static uint64_t key_of(int view, gemp_vertex id)
{
	return (uint64_t)id << 32 | (uint32_t)view;
}

/* Returns the cached row of a key, or NULL. */
static const known_row *find_row(const gemp_sample_rows *rows, uint64_t key)
{
	const uint32_t record[KEY_WORDS] = { [VIEW] = (uint32_t)key, [ID] = (uint32_t)(key >> 32) };
	const uint32_t *found = gemp_record_table_find(&rows->table, record, gemp_mix(key));
	return found ? &rows->known[found[INDEX]] : NULL;
}

/* Adds a row to the table. The row's entries are already at the end of the arrays. */
static gemp_code add_row(gemp_sample_rows *rows, uint64_t key, known_row row)
{
	const size_t count = rows->table.count;
	const uint32_t record[RECORD_WORDS] = { (uint32_t)key, (uint32_t)(key >> 32), (uint32_t)count };
	uint32_t *found;
	bool added;
	GEMP_TRY(GEMP_RESERVE(rows->known, rows->known_capacity, count + 1));
	GEMP_TRY(gemp_record_table_add(&rows->table, record, gemp_mix(key), &found, &added));
	GEMP_CHECK(found && added);
	rows->known[count] = row;
	rows->entry_count += row.size;
	return GEMP_OK;
}

/* True if the own rows of the view need no copy: nothing is merged or left out. */
static bool is_in_place(const gemp_sample_rows *rows, const known_view *view)
{
	return !rows->copies && view->lists.count == 1 && !view->simple && !view->lists.list[0].drops_loops;
}

/* Own row v of such a view. */
static gemp_sample_row row_in_place(const known_view *view, size_t v)
{
	const gemp_view_list *list = &view->lists.list[0];
	const uint64_t at = list->offsets[v];
	return (gemp_sample_row){ .size = (size_t)(list->offsets[v + 1] - at),
		                      .neighbours = list->neighbours + at,
		                      .edge = list->numbers ? list->numbers + at : NULL,
		                      .first = list->first + (list->numbers ? 0 : at) };
}

gemp_sample_row gemp_sample_rows_get(const gemp_sample_rows *rows, int view, gemp_vertex id)
{
	const size_t own = (size_t)(id - rows->graph->first_vertex);
	if (own < rows->graph->rows && is_in_place(rows, &rows->views[view]))
		return row_in_place(&rows->views[view], own);
	const known_row *row = find_row(rows, key_of(view, id));
	return (gemp_sample_row){ row->size, rows->near + row->at, rows->edge + row->at, 0 };
}

/* Merges a row with own row v of a list. Entries of `b` whose neighbour is `dropped` are left out. */
static size_t merge(row_entry *out, const row_entry *a, size_t a_size, const gemp_view_list *b, size_t v,
                    gemp_vertex dropped)
{
	size_t i = 0, n = 0;
	for (uint64_t k = b->offsets[v]; k < b->offsets[v + 1]; k++) {
		if (b->neighbours[k] == dropped)
			continue;
		for (; i < a_size && a[i].near <= b->neighbours[k]; i++)
			out[n++] = a[i];
		out[n++] = (row_entry){ b->neighbours[k], b->first + (b->numbers ? b->numbers[k] : k) };
	}
	for (; i < a_size; i++)
		out[n++] = a[i];
	return n;
}

/* Swaps the row that is being merged with its previous state. */
static void swap_merged(gemp_sample_rows *rows)
{
	row_entry *entries = rows->merged[0];
	size_t capacity = rows->merged_capacity[0];
	rows->merged[0] = rows->merged[1];
	rows->merged_capacity[0] = rows->merged_capacity[1];
	rows->merged[1] = entries;
	rows->merged_capacity[1] = capacity;
}

/* Builds an own row in merged[0] from the rows of the view's lists. */
static gemp_code merge_lists(gemp_sample_rows *rows, const known_view *view, size_t v, size_t *size)
{
	gemp_vertex self = (gemp_vertex)(rows->graph->first_vertex + v);
	*size = 0;
	for (size_t k = 0; k < view->lists.count; k++) {
		const gemp_view_list *add = &view->lists.list[k];
		const size_t more = (size_t)(add->offsets[v + 1] - add->offsets[v]);
		GEMP_TRY(GEMP_RESERVE(rows->merged[1], rows->merged_capacity[1], *size + more));
		*size = merge(rows->merged[1], rows->merged[0], *size, add, v, add->drops_loops ? self : GEMP_NO_VERTEX);
		swap_merged(rows);
	}
	return GEMP_OK;
}

/* Reserves entries in both arrays, near and edge. */
static gemp_code reserve(gemp_sample_rows *rows, size_t more)
{
	GEMP_TRY(GEMP_RESERVE(rows->near, rows->near_capacity, rows->entry_count + more));
	return GEMP_RESERVE(rows->edge, rows->edge_capacity, rows->entry_count + more);
}

/* Adds an own row to the cache. Of parallel edges, a simple view keeps the edge with the smallest number. */
static gemp_code add_own(gemp_sample_rows *rows, uint64_t key)
{
	const known_view *view = &rows->views[(uint32_t)key];
	known_row row = { rows->entry_count, 0 };
	size_t size;
	GEMP_TRY(merge_lists(rows, view, (gemp_vertex)(key >> 32) - rows->graph->first_vertex, &size));
	GEMP_TRY(reserve(rows, size));
	for (size_t i = 0; i < size; i++) {
		const row_entry *e = &rows->merged[0][i];
		size_t last = row.at + row.size;
		if (view->simple && row.size && rows->near[last - 1] == e->near) {
			rows->edge[last - 1] = gemp_min(rows->edge[last - 1], e->edge);
			continue;
		}
		rows->near[last] = e->near;
		rows->edge[last] = e->edge;
		row.size++;
	}
	rows->fetched += size;
	return add_row(rows, key, row);
}

/* Appends requested rows of this rank to a reply: for each row the number of entries, the neighbours and the edges. */
static gemp_code answer(void *self, const void *questions, size_t count, gemp_text *reply)
{
	gemp_sample_rows *rows = self;
	const uint64_t *keys = questions;
	for (size_t i = 0; i < count; i++) {
		if (!find_row(rows, keys[i]))
			GEMP_TRY(add_own(rows, keys[i]));
		const known_row *row = find_row(rows, keys[i]);
		gemp_text_add(reply, &row->size, sizeof row->size);
		gemp_text_add(reply, rows->near + row->at, row->size * sizeof *rows->near);
		gemp_text_add(reply, rows->edge + row->at, row->size * sizeof *rows->edge);
	}
	return GEMP_OK;
}

/* The replies are in the order of the wanted keys, which are sorted by owner. */
static gemp_code read_replies(gemp_sample_rows *rows, size_t wanted, const char *at)
{
	for (size_t i = 0; i < wanted; i++) {
		known_row row = { .at = rows->entry_count };
		memcpy(&row.size, at, sizeof row.size);
		at += sizeof row.size;
		GEMP_TRY(reserve(rows, row.size));
		memcpy(rows->near + row.at, at, row.size * sizeof *rows->near);
		at += row.size * sizeof *rows->near;
		memcpy(rows->edge + row.at, at, row.size * sizeof *rows->edge);
		at += row.size * sizeof *rows->edge;
		rows->fetched += row.size;
		GEMP_TRY(add_row(rows, rows->wanted[i], row));
	}
	return GEMP_OK;
}

/* Collective. Requests the rows of wanted[0..wanted), which are sorted by owner, and caches the replies. */
static gemp_code transfer_rows(gemp_sample_rows *rows, size_t wanted)
{
	gemp_runtime *context = rows->context;
	GEMP_OWNED size_t *counts = NULL;
	size_t size;
	GEMP_OWNED void *replies = NULL;
	GEMP_TRY(gemp_comm_agree(context->comm, GEMP_NEW(counts, (size_t)rows->graph->ranks)));
	for (size_t i = 0; i < wanted; i++)
		counts[gemp_shard_owner(rows->graph, (gemp_vertex)(rows->wanted[i] >> 32))]++;
	GEMP_TRY(gemp_owner_request(context, rows->wanted, sizeof *rows->wanted, counts, answer, rows, &replies, &size));
	return gemp_comm_agree(context->comm, read_replies(rows, wanted, replies));
}

uint64_t gemp_sample_rows_fetched(const gemp_sample_rows *rows)
{
	return rows->fetched;
}

/* Caches the requested rows that this rank owns and cannot read in place. The keys of the other ranks' requested rows
 * that are not cached become wanted[*wanted], distinct and sorted. */
static gemp_code cache_own_rows(gemp_sample_rows *rows, const gemp_row_request *requests, size_t count, size_t *wanted)
{
	const gemp_shard *graph = rows->graph;
	GEMP_OWNED void *distinct = NULL;
	size_t far = 0;
	if (rows->entry_count > MAX_ENTRIES) {
		gemp_record_table_clear(&rows->table);
		rows->entry_count = 0;
	}
	GEMP_TRY(GEMP_RESERVE(rows->wanted, rows->wanted_capacity, count));
	GEMP_TRY(reserve(rows, 1));
	for (size_t i = 0; i < count; i++) {
		uint64_t key = key_of(requests[i].view, requests[i].id);
		const bool own = requests[i].id - graph->first_vertex < graph->rows;
		if ((own && is_in_place(rows, &rows->views[requests[i].view])) || find_row(rows, key))
			continue;
		if (own)
			GEMP_TRY(add_own(rows, key));
		else
			rows->wanted[far++] = key;
	}
	GEMP_TRY(gemp_distinct_host(GEMP_KEY_U64, rows->wanted, far, &distinct, wanted));
	if (*wanted > 0)
		memcpy(rows->wanted, distinct, *wanted * sizeof *rows->wanted);
	return GEMP_OK;
}

/* With one rank all rows are own rows, so nothing is exchanged. */
gemp_code gemp_sample_rows_fetch(gemp_sample_rows *rows, const gemp_row_request *requests, size_t count)
{
	size_t wanted = 0;
	GEMP_TRY(gemp_comm_agree(rows->context->comm, cache_own_rows(rows, requests, count, &wanted)));
	return rows->graph->ranks == 1 ? GEMP_OK : transfer_rows(rows, wanted);
}
