/* Applies a patch in stages. This file finds the new ids and the keys; other modules make labels, attributes and
 * relations.
 *
 * Ids: deleted vertices are bits of a bitmap that all ranks have, so every rank computes the new id of any vertex.
 * Keys: old keys keep their order. New keys are a range of integers above all other integers, or the texts "#N" of a
 * range. The places of these texts among the old keys follow from their digits, so no key is sorted or sent. */

#include "core/bitset.h"
#include "core/memory.h"
#include "core/pages.h"
#include "core/threads.h"
#include "partition/build/rows_source.h"
#include "partition/patch/new_keys.h"
#include "partition/patch/patch.h"
#include "partition/patch/patch_state.h"

#include <stdio.h>
#include <string.h>

/* Collective. Joins the bits of changed vertices from all ranks, as a rank may change an edge to a vertex of any
 * rank. */
static gemp_code join_changed(gemp_patch_state *p)
{
	uint64_t *words = p->result->changed;
	if (!words)
		return GEMP_OK;
	gemp_patch_mark_vertices(p);
	GEMP_MPI(
		MPI_Allreduce(MPI_IN_PLACE, words, (int)(p->to->vertex_count / 64 + 1), MPI_UINT64_T, MPI_BOR, p->comm->world));
	return GEMP_OK;
}

/* Threads divide the words of the bitmap and not the rows, so two threads never write to the same word. */
static void mark_deleted_words(void *context, size_t begin, size_t end)
{
	gemp_patch_state *p = context;
	const gemp_shard *g = p->from;
	uint64_t first = (g->first_vertex / 64 + begin) * 64, last = (g->first_vertex / 64 + end) * 64;
	uint64_t id = first > g->first_vertex ? first : g->first_vertex, own_end = g->first_vertex + g->rows;
	for (; id < last && id < own_end; id++)
		if (p->patch->deleted[id - g->first_vertex])
			gemp_bits64_set(p->id_map.deleted.words, id);
}

/* Collective. Joins bitmaps by summing words. At most one rank has set each bit, so the sum never carries. Returns the
 * number of set bits. */
static uint64_t merge_bits(gemp_rank_bitmap *bits, const gemp_comm *comm)
{
	gemp_comm_sum_long(comm, bits->words, bits->count / 64 + 1);
	return gemp_rank_bitmap_count(bits);
}

/* Collective. Every rank gets the bits of all deleted vertices. If no vertex is deleted, no bitmap is made. */
static gemp_code merge_deleted(gemp_patch_state *p)
{
	const gemp_shard *g = p->from;
	uint64_t some = 0;
	for (size_t row = 0; p->patch->deleted && !some && row < g->rows; row++)
		some = p->patch->deleted[row] != 0;
	gemp_comm_max(p->comm, &some, 1);
	p->id_map.some_deleted = some;
	if (!some)
		return GEMP_OK;
	GEMP_TRY(gemp_comm_agree(p->comm, gemp_rank_bitmap_new(&p->id_map.deleted, g->vertex_count)));
	if (p->patch->deleted && g->rows)
		gemp_for_elements((g->first_vertex + g->rows - 1) / 64 - g->first_vertex / 64 + 1, mark_deleted_words, p);
	merge_bits(&p->id_map.deleted, p->comm);
	return GEMP_OK;
}

/* Collective. Finds the new bounds, and the number that is added to the ids of each rank. */
static gemp_code find_bounds(gemp_patch_state *p)
{
	gemp_id_map *m = &p->id_map;
	const uint64_t *old = p->from->bounds;
	size_t ranks = m->ranks = (size_t)p->comm->size;
	GEMP_TRY(gemp_comm_agree(p->comm, gemp_new_all(GEMP_ARRAY(m->old_bounds, ranks + 1),
	                                               GEMP_ARRAY(m->new_bounds, ranks + 1), GEMP_ARRAY(m->shift, ranks))));
	memcpy(m->old_bounds, old, (ranks + 1) * sizeof *old);
	m->new_bounds[p->comm->rank + 1] = p->patch->new_vertices;
	gemp_comm_sum(p->comm, m->new_bounds, (int)ranks + 1);
	m->identity = !m->some_deleted;
	for (size_t r = 0; r < ranks; r++) {
		uint64_t before = m->some_deleted ? gemp_rank_bitmap_rank(&m->deleted, old[r]) : 0;
		uint64_t after = m->some_deleted ? gemp_rank_bitmap_rank(&m->deleted, old[r + 1]) : 0;
		p->new_vertices += m->new_bounds[r + 1];
		m->shift[r] = m->new_bounds[r] - (old[r] - before);
		m->identity &= m->shift[r] == 0 || old[r] == old[r + 1];
		m->new_bounds[r + 1] += m->new_bounds[r] + (old[r + 1] - old[r]) - (after - before);
	}
	if (m->new_bounds[ranks] > GEMP_MAX_VERTICES)
		return gemp_fail(GEMP_EDATA, "the graph would have %" PRIu64 " vertices, but it may have at most %" PRIu64,
		                 m->new_bounds[ranks], GEMP_MAX_VERTICES);
	return GEMP_OK;
}

/* The rank bitmap gives the number of survivors before a range of rows, so ranges are independent. */
static void list_surviving_range(void *context, size_t begin, size_t end)
{
	const gemp_patch_state *p = context;
	const gemp_shard *g = p->from;
	bool some = p->id_map.some_deleted;
	size_t to = begin;
	if (some)
		to -= (size_t)(gemp_rank_bitmap_rank(&p->id_map.deleted, g->first_vertex + begin) -
		               gemp_rank_bitmap_rank(&p->id_map.deleted, g->first_vertex));
	for (size_t row = begin; row < end; row++)
		if (!some || !gemp_bits64_test(p->id_map.deleted.words, g->first_vertex + row))
			p->surviving[to++] = row;
}

/* Local. The rows of new vertices follow the old rows. Without deletions no list is needed. */
static gemp_code find_surviving(gemp_patch_state *p)
{
	if (!p->id_map.some_deleted)
		return GEMP_OK;
	GEMP_TRY(GEMP_NEW_UNSET(p->surviving, p->surviving_count));
	gemp_for_elements(p->from->rows, list_surviving_range, p);
	for (size_t i = 0; i < p->patch->new_vertices; i++)
		p->surviving[p->survivors + i] = p->from->rows + i;
	return GEMP_OK;
}

/* Collective. The survivors of a rank keep their order, and the new vertices of the rank follow them. */
static gemp_code assign_ids(gemp_patch_state *p)
{
	const gemp_shard *from = p->from;
	gemp_shard *to = p->to;
	GEMP_TRY(merge_deleted(p));
	GEMP_TRY(find_bounds(p));
	GEMP_TRY(gemp_comm_agree(p->comm, GEMP_NEW(to->bounds, p->id_map.ranks + 1)));
	memcpy(to->bounds, p->id_map.new_bounds, (p->id_map.ranks + 1) * sizeof *to->bounds);
	to->rank = from->rank;
	to->ranks = from->ranks;
	to->seed = from->seed;
	to->vertex_count = to->bounds[to->ranks];
	to->first_vertex = to->bounds[to->rank];
	to->rows = p->surviving_count = (size_t)(to->bounds[to->rank + 1] - to->first_vertex);
	p->survivors = to->rows - p->patch->new_vertices;
	return gemp_comm_agree(p->comm, find_surviving(p));
}

/* Keys of new vertices, and the order of all keys.
 *
 * Old keys keep their order. New keys are all integers of a range above all other keys, or the texts "#N" of all N in a
 * range. In the second case the digits of an old key give the number of new keys before it, without a search. */

/* The numbers from which the new key ranks are computed. */
typedef struct key_order {
	gemp_patch_state *p;
	bool strings;
	gemp_rank_bitmap deleted_ranks; /* bits by key rank: the key of a deleted vertex */
	bool any_deleted;
	uint64_t left;      /* number of old keys of all ranks that stay */
	uint64_t low, high; /* the new keys are "#N" with low <= N < high */
	uint64_t *less;     /* [high - low + 1] less[n]: number of old keys with at most n new keys before them */
} key_order;

/* Sets the bits of deleted keys. */
static void deleted_range(void *context, size_t begin, size_t end)
{
	key_order *o = context;
	const gemp_shard *from = o->p->from;
	for (size_t row = begin; row < end; row++)
		if (gemp_bits64_test(o->p->id_map.deleted.words, from->first_vertex + row))
			gemp_bits64_set_atomic(o->deleted_ranks.words, from->key_ranks[row]);
}

/* Collective. Makes the bitmap of the deleted vertices' key ranks. The bitmap gives the number of deleted keys before
 * any key rank. */
static gemp_code find_deleted(key_order *o)
{
	const gemp_shard *from = o->p->from;
	o->left = from->vertex_count;
	o->any_deleted = o->p->id_map.some_deleted;
	if (!o->any_deleted)
		return GEMP_OK;
	GEMP_TRY(gemp_comm_agree(o->p->comm, gemp_rank_bitmap_new(&o->deleted_ranks, from->vertex_count)));
	gemp_for_elements(from->rows, deleted_range, o);
	o->left -= merge_bits(&o->deleted_ranks, o->p->comm);
	return GEMP_OK;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Among the numbers in [low, high), all of which have `digits` digits, counts the numbers that precede the text when
 * they are written as texts. power: the smallest number with `digits` digits. */
static uint64_t count_before(int digits, uint64_t power, uint64_t low, uint64_t high, const char *text, size_t size)
{
	uint64_t bound = 0, rest = power; /* numbers below bound * rest precede the text */
	int d = 0;
	for (; d < digits && (size_t)d < size && is_digit(text[d]); d++) {
		bound = bound * 10 + (uint64_t)(text[d] - '0');
		rest /= 10;
	}
	if (d == digits)
		bound += (size_t)d < size; /* a longer text with the same digits follows the number */
	else if ((size_t)d < size)
		bound += (unsigned char)text[d] > '9';
	bound *= rest;
	return bound <= low ? 0 : bound < high ? bound - low : high - low;
}

/* Counts the texts "#N" with low <= N < high that precede the text. */
static uint64_t fresh_before(const key_order *o, const char *text, size_t size)
{
	uint64_t before = 0, power = 1;
	if (size == 0 || (unsigned char)text[0] != '#')
		return size && (unsigned char)text[0] > '#' ? o->high - o->low : 0;
	for (int digits = 1; digits <= 19 && power < o->high; digits++) {
		uint64_t first = power > o->low ? power : o->low;
		power *= 10;
		uint64_t last = power < o->high ? power : o->high;
		if (first < last)
			before += count_before(digits, power, first, last, text + 1, size - 1);
	}
	return before;
}

/* A string that is an integer in canonical form precedes all other strings, unless the patch has string_keys. */
static uint64_t fresh_before_key(const key_order *o, size_t row)
{
	gemp_value key = gemp_column_get(&o->p->from->keys, row);
	int64_t number;
	bool integer = !o->p->patch->string_keys && gemp_canonical_integer(key.string.bytes, key.string.size, &number);
	return integer ? 0 : fresh_before(o, key.string.bytes, key.string.size);
}

/* less[n] counts the old keys with n new keys before them. */
static void count_range(void *context, size_t begin, size_t end)
{
	key_order *o = context;
	const gemp_shard *from = o->p->from;
	for (size_t row = begin; row < end; row++)
		if (!o->any_deleted || !gemp_bits64_test(o->p->id_map.deleted.words, from->first_vertex + row))
			__atomic_fetch_add(&o->less[fresh_before_key(o, row)], 1, __ATOMIC_RELAXED);
}

/* Collective. A prefix sum turns less[n] into the number of old keys with at most n new keys before them. */
static gemp_code count_smaller(key_order *o)
{
	uint64_t count = o->p->new_vertices + 1;
	o->low = (uint64_t)o->p->patch->first_key;
	o->high = o->low + o->p->new_vertices;
	if (!o->strings)
		return GEMP_OK;
	GEMP_TRY(gemp_comm_agree(o->p->comm, GEMP_NEW(o->less, count)));
	gemp_for_elements(o->p->from->rows, count_range, o);
	gemp_comm_sum_long(o->p->comm, o->less, count);
	gemp_prefix_inclusive(o->less, count);
	return GEMP_OK;
}

/* The rank of a new key with n new keys before it is n plus the number of old keys with at most n new keys before
 * them. */
static uint64_t rank_of_new(const key_order *o, size_t i)
{
	char text[32];
	uint64_t number = o->p->patch->numbers[i];
	if (!o->strings)
		return o->left + number;
	int size = snprintf(text, sizeof text, "#%" PRIu64, o->low + number);
	uint64_t before = fresh_before(o, text, (size_t)size);
	return before + o->less[before];
}

/* The rank of an old key decreases by the deleted keys before it and increases by the new keys before it. */
static void rank_range(void *context, size_t begin, size_t end)
{
	const key_order *o = context;
	const gemp_patch_state *p = o->p;
	const gemp_shard *from = p->from;
	for (size_t i = begin; i < end; i++) {
		size_t row = p->surviving ? (size_t)p->surviving[i] : i;
		uint64_t rank = 0;
		if (row < from->rows) {
			rank = from->key_ranks[row];
			rank -= o->any_deleted ? gemp_rank_bitmap_rank(&o->deleted_ranks, rank) : 0;
			rank += o->strings ? fresh_before_key(o, row) : 0;
		} else {
			rank = rank_of_new(o, row - from->rows);
		}
		p->to->key_ranks[i] = (uint32_t)rank;
	}
}

static void free_key_order(key_order *o)
{
	gemp_rank_bitmap_free(&o->deleted_ranks);
	gemp_free(o->less);
}

/* Collective. Computes the new key ranks, which are dense. */
static gemp_code order_keys(gemp_patch_state *p)
{
	GEMP_OWNED_BY(free_key_order)
	key_order o = { .p = p, .strings = p->new_vertices && p->from->keys.type == GEMP_STRING };
	GEMP_TRY(find_deleted(&o));
	GEMP_TRY(count_smaller(&o));
	GEMP_TRY(gemp_comm_agree(p->comm, GEMP_NEW_UNSET(p->to->key_ranks, p->surviving_count)));
	gemp_for_elements(p->surviving_count, rank_range, &o);
	return GEMP_OK;
}

/* String keys and the integers that they stand for. */
typedef struct key_parse {
	const gemp_column *keys;
	int64_t *integers; /* [rows] */
} key_parse;

/* Returns whether the key is no integer in canonical form. If it is an integer, stores it. */
static bool is_no_integer(const void *self, size_t row)
{
	const key_parse *parse = self;
	gemp_value key = gemp_column_get(parse->keys, row);
	return !gemp_canonical_integer(key.string.bytes, key.string.size, &parse->integers[row]);
}

/* Collective. If all remaining string keys are integers in canonical form, they become integers, unless the patch has
 * string_keys. The vertices with other strings have been deleted. */
static gemp_code choose_key_type(gemp_patch_state *p)
{
	GEMP_OWNED int64_t *integers = NULL;
	gemp_column *key = &p->to->keys;
	bool possible = p->id_map.some_deleted && (!p->patch->string_keys || p->to->vertex_count == 0);
	if (!possible || key->type != GEMP_STRING)
		return GEMP_OK;
	GEMP_TRY(gemp_comm_agree(p->comm, GEMP_NEW(integers, p->to->rows)));
	if (gemp_comm_sum1(p->comm, gemp_any(p->to->rows, is_no_integer, &(key_parse){ key, integers })))
		return GEMP_OK;
	gemp_free_all(key->offsets, key->bytes);
	*key = (gemp_column){
		.name = key->name, .type = GEMP_INTEGER, .rows = key->rows, .capacity = key->rows, .integers = integers
	};
	integers = NULL;
	return GEMP_OK;
}

/* Without new or deleted vertices the arrays move to the new graph unchanged. */
static gemp_code patch_keys(gemp_patch_state *p)
{
	if (!p->new_vertices && !p->id_map.some_deleted) {
		p->to->keys = p->from->keys;
		p->to->key_ranks = p->from->key_ranks;
		p->from->keys = (gemp_column){ 0 };
		p->from->key_ranks = NULL;
		return GEMP_OK;
	}
	GEMP_TRY(order_keys(p));
	gemp_code code = gemp_new_keys_append(&p->from->keys, p->patch->first_key, p->patch->numbers,
	                                      p->patch->new_vertices);
	GEMP_THEN(gemp_patch_survivors(p, &p->to->keys, &p->from->keys));
	GEMP_TRY(gemp_comm_agree(p->comm, code));
	return choose_key_type(p);
}

/* Collective. Runs the stages in the order of patch_state.h. Each stage ends with the same code on all ranks. */
static gemp_code patch_all(gemp_patch_state *p)
{
	gemp_code code = GEMP_OK;
	GEMP_TRY(gemp_comm_agree(p->comm, GEMP_NEW(p->to, 1)));
	p->to->loader = gemp_rows_source(p->comm);
	GEMP_TRY(assign_ids(p));
	if (p->patch->want_changed)
		code = GEMP_NEW(p->result->changed, p->to->vertex_count / 64 + 1);
	GEMP_TRY(gemp_comm_agree(p->comm, code));
	GEMP_TRY(patch_keys(p));
	GEMP_TRY(gemp_patch_labels(p));
	GEMP_TRY(gemp_patch_attributes(p));
	GEMP_TRY(gemp_patch_relations(p));
	return join_changed(p);
}

/* The old graph is freed when the new graph is complete. Some of its arrays have moved to the new graph before. */
gemp_code gemp_shard_patch(gemp_shard **graph, const gemp_comm *comm, gemp_patch *patch, gemp_patch_result *done)
{
	GEMP_OWNED_BY(gemp_patch_result_free) gemp_patch_result local = { 0 };
	gemp_patch_state p = { .comm = comm, .from = *graph, .patch = patch, .result = &local };
	GEMP_TRY(gemp_shard_load_outgoing(*graph));
	gemp_code code = patch_all(&p);
	gemp_free(p.surviving);
	local.id_map = p.id_map;
	if (code != GEMP_OK) {
		gemp_shard_free(p.to);
		return code;
	}
	gemp_shard_free(*graph);
	*graph = p.to;
	if (done) {
		*done = local;
		local = (gemp_patch_result){ 0 };
	}
	return GEMP_OK;
}

/* The patch owns values and names. */
static void free_columns(gemp_patch_columns *all)
{
	for (size_t i = 0; i < all->value_count; i++) {
		gemp_free(all->values[i].rows);
		gemp_column_free(&all->values[i].values);
	}
	for (size_t c = 0; c < all->count; c++)
		gemp_free(all->columns[c].name);
	gemp_free_all(all->values, all->columns);
}

/* Some members of the patch may be unset. */
void gemp_patch_free(gemp_patch *patch)
{
	gemp_free_all(patch->deleted, patch->merges, patch->numbers);
	gemp_dictionary_free(&patch->sets);
	gemp_free_all(patch->label_set, patch->added_sets);
	free_columns(&patch->vertices);
	free_columns(&patch->edges);
	for (size_t r = 0; patch->edge_actions && r < patch->relation_count; r++)
		gemp_free(patch->edge_actions[r]);
	gemp_free_all(patch->edge_actions, patch->types);
	for (size_t i = 0; i < patch->added_edge_count; i++) {
		gemp_free_all(patch->added_edges[i].source, patch->added_edges[i].target);
		gemp_table_free(&patch->added_edges[i].values);
	}
	gemp_free(patch->added_edges);
	*patch = (gemp_patch){ 0 };
}

/* The id map outlives the patch, as callers translate their own ids with it. */
void gemp_patch_result_free(gemp_patch_result *done)
{
	gemp_free_all(done->id_map.old_bounds, done->id_map.new_bounds, done->id_map.shift, done->relations);
	gemp_rank_bitmap_free(&done->id_map.deleted);
	for (size_t i = 0; done->origins && i < done->origin_count; i++)
		gemp_free(done->origins[i]);
	for (size_t r = 0; done->growth && r < done->relation_count; r++)
		gemp_free(done->growth[r].added);
	gemp_free_all(done->origins, done->changed, done->growth);
	*done = (gemp_patch_result){ 0 };
}
