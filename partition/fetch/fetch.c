/* gemp_fetch_rows lists all missing rows by owner and then makes steps until no rank has requests left. The list takes
 * two passes over the wanted bits: the first pass counts, and the second pass lists.
 *
 * In a step requests of a bounded size go to the owners. The owners code the rows and send the replies. All threads of
 * the receiver decode the replies into the cache. The degree class of a row bounds its size, so a rank can limit a step
 * without an exchange about sizes. Every step is collective, also for ranks without missing rows. */

#include "partition/fetch/fetch.h"

#include "core/bitset.h"
#include "core/limits.h"
#include "core/memory.h"

#include <string.h>

/* Returns whether the row of the slot is resident, and sets *row to its index in the views. The first rows of the views
 * are the hot slots, so a hot slot is its own row. For other slots a bitmap with counts finds the row. */
static bool resident_row(const gemp_residency *residency, gemp_vertex slot, size_t *row)
{
	const uint32_t *word = &residency->words[2 * (slot / 32)];
	*row = slot;
	if (slot < residency->hot)
		return true;
	*row = (size_t)residency->hot + word[1] + gemp_bits32_count_before(word[0], slot);
	return word[0] >> slot % 32 & 1;
}

/* Returns a resident row as a slice of its view. */
static gemp_row row_of(const gemp_view *view, size_t row)
{
	uint64_t begin = view->begin[row];
	return (gemp_row){ (size_t)(view->begin[row + 1] - begin), view->neighbours + begin,
		               view->edges ? view->edges + begin : NULL };
}

bool gemp_fetch_is_resident(const gemp_fetch *fetch, gemp_vertex slot)
{
	size_t row;
	return resident_row(fetch->residency, slot, &row);
}

/* The row must be resident or in the cache. For any other row the result is an empty row. */
bool gemp_fetch_find(const gemp_fetch *fetch, size_t view, gemp_vertex slot, gemp_row *row)
{
	size_t number;
	bool here = resident_row(fetch->residency, slot, &number);
	*row = here ? row_of(&fetch->resident_views[view], number) : gemp_row_cache_get(&fetch->cache, view, slot);
	return here;
}

gemp_row gemp_fetch_get(const gemp_fetch *fetch, size_t view, gemp_vertex slot)
{
	gemp_row row;
	gemp_fetch_find(fetch, view, slot, &row);
	return row;
}

/* The size of a row that is not resident is given as the largest degree of its degree class. */
uint64_t gemp_fetch_size(const gemp_fetch *fetch, size_t view, gemp_vertex slot)
{
	size_t row;
	if (resident_row(fetch->residency, slot, &row))
		return row_of(&fetch->resident_views[view], row).size;
	return gemp_degree_class_max(fetch->classes[view][slot]);
}

/* Collective. Gathers the degree classes of all vertices in one view from the owners of the rows, one byte for each
 * vertex. */
static gemp_code gather_classes(gemp_fetch *f, size_t view)
{
	const gemp_comm *comm = f->context->comm;
	GEMP_OWNED uint8_t *mine = NULL, *all = NULL;
	GEMP_OWNED size_t *begin = NULL;
	size_t row;
	gemp_code code = GEMP_NEW(mine, f->graph->rows);
	for (size_t i = 0; code == GEMP_OK && i < f->residency->own_count; i++) {
		gemp_vertex slot = f->residency->own_slots[i];
		resident_row(f->residency, slot, &row);
		mine[f->order->id_of[slot] - f->graph->first_vertex] = (uint8_t)gemp_degree_class(
			row_of(&f->resident_views[view], row).size);
	}
	GEMP_TRY(gemp_comm_allgather(comm, code, mine, f->graph->rows, (void **)&all, &begin));
	GEMP_TRY(gemp_comm_agree(comm, GEMP_NEW(f->classes[view], f->graph->vertex_count)));
	for (size_t slot = 0; slot < f->graph->vertex_count; slot++)
		f->classes[view][slot] = all[f->order->id_of[slot]];
	return GEMP_OK;
}

/* If all rows are resident, no row is ever fetched, so no classes are gathered. */
gemp_code gemp_fetch_new(gemp_fetch **out, gemp_runtime *context, const gemp_shard *graph, const gemp_slot_order *order,
                         const gemp_residency *residency, const gemp_view *views, size_t view_count)
{
	GEMP_OWNED_BY(gemp_fetch_free_at) gemp_fetch *f = NULL;
	gemp_code code = GEMP_NEW(f, 1);
	GEMP_THEN(GEMP_NEW(f->classes, view_count));
	if (code == GEMP_OK) {
		f->context = context;
		f->graph = graph;
		f->order = order;
		f->residency = residency;
		f->resident_views = views;
		f->view_count = view_count;
		for (size_t v = 0; v < view_count; v++)
			f->edges |= views[v].edges != NULL;
		f->cache.edges = f->edges;
	}
	GEMP_TRY(gemp_comm_agree(context->comm, code));
	for (size_t v = 0; v < view_count && residency->hot < graph->vertex_count; v++)
		GEMP_TRY(gather_classes(f, v));
	*out = f;
	f = NULL;
	return GEMP_OK;
}

void gemp_fetch_free(gemp_fetch *fetch)
{
	if (!fetch)
		return;
	for (size_t v = 0; fetch->classes && v < fetch->view_count; v++)
		gemp_free(fetch->classes[v]);
	gemp_free(fetch->classes);
	gemp_row_cache_free(&fetch->cache);
	gemp_tiles_free(&fetch->tiles);
	gemp_free(fetch);
}

/* A row that this rank has to request. Requests are sorted by owner, then by view and slot. */
typedef struct row_request {
	gemp_vertex slot;
	uint32_t view;
} row_request;

/* The requests of one call of gemp_fetch_rows, and the buffers of one step. A piece is a run of entries of a row (see
 * gemp_tiles). */
typedef struct transfer {
	row_request *requests;
	size_t *from, *at, *end; /* [ranks] requests to each owner: from .. at in this step, at .. end in later steps */
	gemp_tiles asked;        /* the tiles of the rank whose request is read */
	gemp_row_bytes send;
	size_t *send_size, *receive_size; /* [ranks] */
	void *receive;
	size_t receive_capacity;
	gemp_row *rows; /* the rows or pieces that are sent to one rank */
	size_t row_capacity, row_count;
	uint64_t *sizes; /* sizes of the pieces in one rank's reply; sizes, blocks, places and begins have one capacity */
	gemp_row_block *blocks;
	gemp_row_target *places;
	size_t *begins;
	size_t reply_capacity;
} transfer;

/* Takes {0}. After a failure some arrays may be missing. */
static void free_transfer(transfer *t)
{
	gemp_tiles_free(&t->asked);
	gemp_free_all(t->requests, t->from, t->at, t->end, t->send.data, t->rows, t->sizes, t->blocks, t->places, t->begins,
	              t->send_size, t->receive_size, t->receive);
}

/* A row is missing if it is neither resident nor in the cache. */
static bool is_missing(const gemp_fetch *f, size_t view, gemp_vertex slot)
{
	size_t row;
	return !resident_row(f->residency, slot, &row) && !gemp_row_cache_has(&f->cache, view, slot);
}

/* Slots are sorted by degree and not by owner, so the id gives the owner. */
static int owner_of(const gemp_fetch *f, gemp_vertex slot)
{
	return gemp_shard_owner(f->graph, f->order->id_of[slot]);
}

typedef void visit(gemp_fetch *f, transfer *t, size_t view, gemp_vertex slot);

/* First pass: counts the rows that each owner is asked for. */
static void count_request(gemp_fetch *f, transfer *t, size_t view, gemp_vertex slot)
{
	if (!is_missing(f, view, slot))
		return;
	t->end[owner_of(f, slot)]++;
	f->stats.rows++;
}

/* Second pass: lists the requests by owner. The requests to an owner ascend by view, then by slot. */
static void list_request(gemp_fetch *f, transfer *t, size_t view, gemp_vertex slot)
{
	if (is_missing(f, view, slot))
		t->requests[t->end[owner_of(f, slot)]++] = (row_request){ slot, (uint32_t)view };
}

/* Calls `body` for every wanted row, view by view, with ascending slots. */
static void for_each_wanted(gemp_fetch *f, transfer *t, uint32_t *const *wanted, visit *body)
{
	size_t words = gemp_bits32_words(f->graph->vertex_count);
	for (size_t v = 0; v < f->view_count; v++)
		for (size_t w = 0; w < words; w++)
			for (uint32_t left = wanted[v][w]; left; left &= left - 1)
				body(f, t, v, (gemp_vertex)(w * 32 + (size_t)__builtin_ctz(left)));
}

/* Local. Lists all requests of this rank before the first step. */
static gemp_code list_requests(gemp_fetch *f, transfer *t, uint32_t *const *wanted)
{
	size_t ranks = (size_t)f->graph->ranks, count = 0;
	if (f->tiles.columns)
		GEMP_TRY(gemp_tiles_new(&t->asked, f->view_count, f->graph->vertex_count));
	GEMP_TRY(gemp_new_all(GEMP_ARRAY(t->from, ranks), GEMP_ARRAY(t->at, ranks), GEMP_ARRAY(t->end, ranks),
	                      GEMP_ARRAY(t->send_size, ranks), GEMP_ARRAY(t->receive_size, ranks)));
	for_each_wanted(f, t, wanted, count_request);
	for (size_t r = 0; r < ranks; r++) {
		t->at[r] = count;
		count += t->end[r];
		t->end[r] = t->at[r];
	}
	GEMP_TRY(GEMP_NEW(t->requests, count));
	for_each_wanted(f, t, wanted, list_request);
	return GEMP_OK;
}

/* Takes as many requests to an owner as the limit of a step allows, but at least one request. */
static void take_budget(const gemp_fetch *f, transfer *t, size_t owner)
{
	uint64_t bytes = 0, share = gemp_limits_now()->fetch_round / (uint64_t)f->graph->ranks;
	t->from[owner] = t->at[owner];
	while (t->at[owner] < t->end[owner]) {
		const row_request *a = &t->requests[t->at[owner]];
		bytes += gemp_fetch_size(f, a->view, a->slot) * gemp_fetch_entry_bytes(f) + GEMP_VARINT_MAX_BYTES;
		if (bytes > share && t->at[owner] > t->from[owner])
			break;
		t->at[owner]++;
	}
}

/* If only pieces of rows are wanted, writes the columns of each block's rows, for each view. */
static uint8_t *put_columns(const gemp_fetch *f, uint8_t *to)
{
	for (size_t v = 0; f->tiles.columns && v < f->view_count; v++)
		for (size_t b = 0; b < f->tiles.blocks; b++)
			to = gemp_varint_put(to, f->tiles.columns[v][b]);
	return to;
}

/* The slots of a view ascend, so their differences are sent. */
static gemp_code put_request(gemp_fetch *f, transfer *t, size_t owner)
{
	gemp_row_bytes *send = &t->send;
	size_t at = t->from[owner], before = send->size, room = (t->at[owner] - at) * 5;
	room += f->view_count * (1 + (f->tiles.columns ? f->tiles.blocks : 0)) * GEMP_VARINT_MAX_BYTES;
	if (at == t->at[owner])
		return GEMP_OK;
	GEMP_TRY(GEMP_RESERVE(send->data, send->capacity, before + room));
	uint8_t *to = put_columns(f, send->data + before);
	for (size_t v = 0; v < f->view_count; v++) {
		size_t end = at;
		gemp_vertex last = 0;
		while (end < t->at[owner] && t->requests[end].view == v)
			end++;
		to = gemp_varint_put(to, end - at);
		for (; at < end; at++) {
			to = gemp_varint_put(to, t->requests[at].slot - last);
			last = t->requests[at].slot;
		}
	}
	send->size = (size_t)(to - send->data);
	t->send_size[owner] = send->size - before;
	f->stats.uncoded_bytes += (t->at[owner] - t->from[owner]) * sizeof(gemp_vertex);
	return GEMP_OK;
}

/* Codes the requests of one step for all owners. */
static gemp_code put_requests(gemp_fetch *f, transfer *t)
{
	t->send.size = 0;
	for (size_t r = 0; r < (size_t)f->graph->ranks; r++) {
		t->send_size[r] = 0;
		take_budget(f, t, r);
		GEMP_TRY(put_request(f, t, r));
	}
	return GEMP_OK;
}

/* Only this program writes messages, so a message that does not follow the format is an internal error. */
static gemp_code bad_message(const char *what, size_t rank)
{
	return gemp_fail(GEMP_EINTERNAL, "rows: a %s of rank %zu makes no sense", what, rank);
}

/* Lists a requested row, or the requested pieces of the row. */
static gemp_code list_row(gemp_fetch *f, transfer *t, size_t view, gemp_vertex slot)
{
	size_t row, count = 1;
	gemp_row pieces[GEMP_MAX_TILE_PIECES];
	if (!resident_row(f->residency, slot, &row))
		return gemp_fail(GEMP_EINTERNAL, "rows: slot %" GEMP_PRIVERTEX " was asked for, and is not here", slot);
	pieces[0] = row_of(&f->resident_views[view], row);
	if (t->asked.columns)
		count = gemp_tiles_cut(&f->tiles, t->asked.columns[view][gemp_tiles_block(&f->tiles, slot)], pieces[0], pieces);
	if (GEMP_RESERVE(t->rows, t->row_capacity, t->row_count + count) != GEMP_OK)
		return GEMP_ENOMEM;
	f->stats.uncoded_bytes += sizeof(gemp_vertex);
	for (size_t i = 0; i < count; i++) {
		t->rows[t->row_count++] = pieces[i];
		f->stats.uncoded_bytes += pieces[i].size * gemp_fetch_entry_bytes(f);
	}
	return GEMP_OK;
}

/* Reads the columns that put_columns has written. */
static const uint8_t *get_columns(const gemp_fetch *f, transfer *t, const uint8_t *from, const uint8_t *end)
{
	for (size_t v = 0; t->asked.columns && v < f->view_count; v++)
		for (size_t b = 0; b < f->tiles.blocks && from; b++)
			from = gemp_varint_get(from, end, &t->asked.columns[v][b]);
	return from;
}

/* Reads the request of one rank and lists the requested rows. */
static gemp_code list_rows(gemp_fetch *f, transfer *t, size_t asker, const uint8_t *from, const uint8_t *end)
{
	t->row_count = 0;
	if (from < end && (from = get_columns(f, t, from, end)) == NULL)
		return bad_message("request", asker);
	for (size_t v = 0; v < f->view_count && from < end; v++) {
		uint64_t count, slot = 0, step;
		if ((from = gemp_varint_get(from, end, &count)) == NULL)
			return bad_message("request", asker);
		for (uint64_t i = 0; i < count; i++) {
			if ((from = gemp_varint_get(from, end, &step)) == NULL || step >= f->graph->vertex_count - slot)
				return bad_message("request", asker);
			slot += step;
			GEMP_TRY(list_row(f, t, v, (gemp_vertex)slot));
		}
	}
	return GEMP_OK;
}

/* Codes the replies, in the order of ranks. */
static gemp_code put_replies(gemp_fetch *f, transfer *t)
{
	const uint8_t *from = t->receive;
	t->send.size = 0;
	for (size_t r = 0; r < (size_t)f->graph->ranks; r++) {
		size_t before = t->send.size;
		GEMP_TRY(list_rows(f, t, r, from, from + t->receive_size[r]));
		GEMP_TRY(gemp_row_blocks_put(&t->send, t->rows, t->row_count));
		from += t->receive_size[r];
		t->send_size[r] = t->send.size - before;
	}
	return GEMP_OK;
}

/* The four lists have one capacity. Only the last reservation stores the capacity, after the other three have
 * succeeded. */
static gemp_code make_lists(transfer *t, size_t count)
{
	size_t capacities[] = { t->reply_capacity, t->reply_capacity, t->reply_capacity };
	GEMP_TRY(GEMP_RESERVE(t->sizes, capacities[0], count));
	GEMP_TRY(GEMP_RESERVE(t->blocks, capacities[1], count));
	GEMP_TRY(GEMP_RESERVE(t->places, capacities[2], count));
	return GEMP_RESERVE(t->begins, t->reply_capacity, count);
}

/* Returns the number of pieces in which a row is sent. */
static size_t piece_count(const gemp_tiles *tiles, size_t view, gemp_vertex slot)
{
	return tiles->columns ? gemp_columns_pieces(tiles->columns[view][gemp_tiles_block(tiles, slot)]) : 1;
}

/* Adds a row to the cache and notes where its pieces begin. */
static gemp_code place_row(gemp_fetch *f, transfer *t, const row_request *one, size_t *piece)
{
	size_t end = *piece + piece_count(&f->tiles, one->view, one->slot), begin, size = 0;
	for (size_t i = *piece; i < end; i++)
		size += t->sizes[i];
	GEMP_TRY(gemp_row_cache_add(&f->cache, one->view, one->slot, size, &begin));
	for (; *piece < end; ++*piece) {
		t->begins[*piece] = begin;
		begin += t->sizes[*piece];
	}
	return GEMP_OK;
}

/* Addresses are taken after all rows have been added, since the arrays of the cache move when they grow. */
static void point_to_pieces(const gemp_fetch *f, transfer *t, const row_request *requests, size_t count)
{
	for (size_t i = 0, piece = 0; i < count; i++)
		for (size_t left = piece_count(&f->tiles, requests[i].view, requests[i].slot); left; left--, piece++)
			t->places[piece] = (gemp_row_target){ f->cache.neighbours + t->begins[piece],
				                                  f->resident_views[requests[i].view].edges
				                                      ? f->cache.edge + t->begins[piece]
				                                      : NULL };
}

/* Sizes are decoded first, so all rows get their places in the cache. Then all threads decode blocks. */
static gemp_code read_reply(gemp_fetch *f, transfer *t, size_t owner, const uint8_t *from, const uint8_t *end)
{
	const row_request *requests = t->requests + t->from[owner];
	size_t count = t->at[owner] - t->from[owner], pieces = 0, piece = 0;
	if (!count)
		return GEMP_OK;
	for (size_t i = 0; i < count; i++)
		pieces += piece_count(&f->tiles, requests[i].view, requests[i].slot);
	GEMP_TRY(make_lists(t, pieces));
	size_t blocks = gemp_row_blocks_read(from, end, pieces, t->sizes, t->blocks);
	if (!blocks)
		return bad_message("reply", owner);
	for (size_t i = 0; i < count; i++)
		GEMP_TRY(place_row(f, t, &requests[i], &piece));
	point_to_pieces(f, t, requests, count);
	if (!gemp_row_blocks_get(t->blocks, blocks, t->sizes, t->places))
		return bad_message("reply", owner);
	return GEMP_OK;
}

/* Replies are received in the order of ranks. */
static gemp_code read_replies(gemp_fetch *f, transfer *t)
{
	const uint8_t *from = t->receive;
	for (size_t r = 0; r < (size_t)f->graph->ranks; r++) {
		GEMP_TRY(read_reply(f, t, r, from, from + t->receive_size[r]));
		from += t->receive_size[r];
	}
	return GEMP_OK;
}

/* Collective. Sends the coded bytes, unless coding has failed on some rank. */
static gemp_code exchange_bytes(gemp_fetch *f, transfer *t, gemp_code code, gemp_traffic *traffic)
{
	return gemp_exchange(f->context->comm, code, t->send.data, t->send_size, &t->receive, &t->receive_capacity,
	                     t->receive_size, traffic);
}

/* Returns whether this rank has requests for later steps. */
static bool requests_left(const gemp_fetch *f, const transfer *t)
{
	for (int r = 0; r < f->graph->ranks; r++)
		if (t->at[r] < t->end[r])
			return true;
	return false;
}

/* Collective. Makes steps until no rank has requests left. The exchange that would have sent the bytes carries a
 * failure of coding to all ranks. */
static gemp_code fetch_all(gemp_fetch *f, transfer *t, gemp_traffic *traffic)
{
	const gemp_comm *comm = f->context->comm;
	while (gemp_comm_sum1(comm, requests_left(f, t))) {
		GEMP_TRY(exchange_bytes(f, t, put_requests(f, t), traffic));
		GEMP_TRY(exchange_bytes(f, t, put_replies(f, t), traffic));
		GEMP_TRY(gemp_comm_agree(comm, read_replies(f, t)));
		f->stats.steps++;
	}
	return GEMP_OK;
}

/* A rank without missing rows takes part too, as other ranks may request its rows. */
gemp_code gemp_fetch_rows(gemp_fetch *f, uint32_t *const *wanted, const gemp_tiles *tiles)
{
	GEMP_OWNED_BY(free_transfer) transfer t = { 0 };
	gemp_traffic traffic = { 0 };
	double began = gemp_now();
	if (f->residency->hot >= f->graph->vertex_count)
		return GEMP_OK;
	gemp_code code = gemp_row_cache_set_tiles(&f->cache, &f->tiles, tiles, f->view_count, f->graph->vertex_count);
	GEMP_THEN(list_requests(f, &t, wanted));
	GEMP_TRY(gemp_comm_agree(f->context->comm, code));
	GEMP_TRY(fetch_all(f, &t, &traffic));
	f->stats.bytes += traffic.bytes;
	f->stats.messages += traffic.messages;
	f->context->traffic.bytes += traffic.bytes;
	f->context->traffic.messages += traffic.messages;
	f->context->traffic.rounds += traffic.rounds;
	gemp_timers_add(&f->context->timers, GEMP_PHASE_EXCHANGE, began);
	return GEMP_OK;
}
