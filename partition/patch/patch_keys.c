/* Keys of new vertices, and the order of all keys.
 *
 * Old keys keep their order. New keys are all integers of a range, above all others; or the texts "#N" of all N in a
 * range, whose place among others follows from digits: how many of them come before a given text takes no search. */

#include "partition/patch/patch_keys.h"

#include "core/bitset.h"
#include "core/memory.h"
#include "core/prefix_sum.h"
#include "core/threads.h"
#include "graph/column_bulk.h"
#include "partition/patch/patch_vertices.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

/* What decides the ranks of old and new keys after the patch. */
typedef struct key_order {
	gemp_patch_state *p;
	bool strings;
	gemp_rank_bitmap deleted_ranks; /* key ranks of vertices that go */
	bool any_deleted;
	uint64_t left;      /* old keys of all ranks that stay */
	uint64_t low, high; /* numbers of the new strings */
	uint64_t *less;     /* [high - low + 1] how many old keys have no more than so many new ones before them */
} key_order;

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* How many of the numbers with `digits` digits in [low, high) come, as texts, before the text. */
static uint64_t count_before(int digits, uint64_t power, uint64_t low, uint64_t high, const char *text, size_t size)
{
	uint64_t bound = 0, rest = power; /* numbers below bound * rest come before it */
	int d = 0;
	for (; d < digits && (size_t)d < size && is_digit(text[d]); d++) {
		bound = bound * 10 + (uint64_t)(text[d] - '0');
		rest /= 10;
	}
	if (d == digits)
		bound += (size_t)d < size; /* the same digits, and more */
	else if ((size_t)d < size)
		bound += (unsigned char)text[d] > '9';
	bound *= rest;
	return bound <= low ? 0 : bound < high ? bound - low : high - low;
}

/* How many of "#low", ..., up to "#high", which is not one of them, come before the text. */
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

/* A string that is read as an integer precedes all strings. */
static uint64_t fresh_before_key(const key_order *o, size_t row)
{
	gemp_value key = gemp_column_get(&o->p->from->keys, row);
	int64_t number;
	bool integer = !o->p->patch->string_keys && gemp_canonical_integer(key.string.bytes, key.string.size, &number);
	return integer ? 0 : fresh_before(o, key.string.bytes, key.string.size);
}

/* THE KEYS */

/* New integer keys that all threads write. */
typedef struct key_task {
	const gemp_patch *patch;
	gemp_column *column;
} key_task;

/* New integer keys need no search: they are numbered on. */
static void make_range(void *context, size_t range, size_t begin, size_t end)
{
	(void)range;
	const key_task *m = context;
	for (size_t i = begin; i < end; i++)
		m->column->integers[i] = m->patch->first_key + (int64_t)m->patch->numbers[i];
}

/* New keys of a graph with strings are "#N". */
static gemp_code make_strings(const gemp_patch *patch, gemp_column *column)
{
	gemp_code code = GEMP_OK;
	char text[32];
	for (size_t i = 0; i < patch->new_vertices && code == GEMP_OK; i++) {
		int size = snprintf(text, sizeof text, "#%" PRId64, patch->first_key + (int64_t)patch->numbers[i]);
		code = gemp_column_add(column, &(gemp_value){ .type = GEMP_STRING, .string = { text, (size_t)size } });
	}
	return code;
}

/* Local. New keys behind the old ones, then without those of deleted vertices. */
static gemp_code make_keys(gemp_patch_state *p)
{
	GEMP_OWNED_BY(gemp_column_free) gemp_column made = { 0 };
	key_task m = { p->patch, &made };
	bool strings = p->from->keys.type == GEMP_STRING;
	GEMP_PROPAGATE(gemp_column_init(&made, p->from->keys.name, p->from->keys.type));
	GEMP_PROPAGATE(gemp_column_reserve(&made, p->patch->new_vertices, 0));
	if (strings) {
		GEMP_PROPAGATE(make_strings(p->patch, &made));
	} else {
		gemp_for_ranges(p->patch->new_vertices, make_range, &m);
		made.rows = p->patch->new_vertices;
	}
	GEMP_PROPAGATE(gemp_column_append(&p->from->keys, &made));
	return gemp_patch_survivors(p, &p->to->keys, &p->from->keys);
}

/* THEIR ORDER */

/* A bitmap by key rank tells how many deleted keys precede any rank. */
static void deleted_range(void *context, size_t range, size_t begin, size_t end)
{
	(void)range;
	key_order *o = context;
	const gemp_shard *from = o->p->from;
	for (size_t row = begin; row < end; row++)
		if (gemp_bits64_test(o->p->id_map.deleted.words, from->first_vertex + row))
			gemp_bits64_set_atomic(o->deleted_ranks.words, from->key_ranks[row]);
}

/* Collective. */
static gemp_code find_deleted(key_order *o)
{
	const gemp_shard *from = o->p->from;
	o->left = from->vertex_count;
	o->any_deleted = o->p->id_map.some_deleted;
	if (!o->any_deleted)
		return GEMP_OK;
	GEMP_PROPAGATE(gemp_comm_agree(o->p->comm, gemp_rank_bitmap_new(&o->deleted_ranks, from->vertex_count)));
	gemp_for_ranges(from->rows, deleted_range, o);
	o->left -= gemp_rank_bitmap_merge(&o->deleted_ranks, o->p->comm);
	return GEMP_OK;
}

/* Old keys by the number of new keys before them. */
static void count_range(void *context, size_t range, size_t begin, size_t end)
{
	(void)range;
	key_order *o = context;
	const gemp_shard *from = o->p->from;
	for (size_t row = begin; row < end; row++)
		if (!o->any_deleted || !gemp_bits64_test(o->p->id_map.deleted.words, from->first_vertex + row))
			__atomic_fetch_add(&o->less[fresh_before_key(o, row)], 1, __ATOMIC_RELAXED);
}

/* Collective. */
static gemp_code count_smaller(key_order *o)
{
	uint64_t count = o->p->new_vertices + 1;
	o->low = (uint64_t)o->p->patch->first_key;
	o->high = o->low + o->p->new_vertices;
	if (!o->strings)
		return GEMP_OK;
	GEMP_PROPAGATE(gemp_comm_agree(o->p->comm, GEMP_NEW(o->less, count)));
	gemp_for_ranges(o->p->from->rows, count_range, o);
	gemp_comm_sum_long(o->p->comm, o->less, count);
	gemp_prefix_inclusive(o->less, count);
	return GEMP_OK;
}

/* The new key's rank: new keys before it, and old keys that have no more new keys before them. */
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

/* Old keys move down by the deleted and up by the new keys before them. */
static void rank_range(void *context, size_t range, size_t begin, size_t end)
{
	(void)range;
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

/* Collective. */
static gemp_code order_keys(gemp_patch_state *p)
{
	gemp_code code = GEMP_OK;
	key_order o = { .p = p, .strings = p->new_vertices && p->from->keys.type == GEMP_STRING };
	GEMP_TRY(find_deleted(&o));
	GEMP_TRY(count_smaller(&o));
	GEMP_TRY(gemp_comm_agree(p->comm, GEMP_NEW(p->to->key_ranks, p->surviving_count)));
	gemp_for_ranges(p->surviving_count, rank_range, &o);
done:
	gemp_rank_bitmap_free(&o.deleted_ranks);
	gemp_free(o.less);
	return code;
}

/* WHERE NO STRING IS LEFT */

/* Strings that all threads read as integers, until one of them is none. */
typedef struct key_parse {
	const gemp_column *keys;
	int64_t *integers;
	atomic_bool others;
} key_parse;

/* Stops at the first key that is no integer. */
static void read_range(void *context, size_t range, size_t begin, size_t end)
{
	(void)range;
	key_parse *r = context;
	for (size_t i = begin; i < end; i++) {
		gemp_value key = gemp_column_get(r->keys, i);
		if (atomic_load_explicit(&r->others, memory_order_relaxed))
			return;
		if (!gemp_canonical_integer(key.string.bytes, key.string.size, &r->integers[i]))
			atomic_store_explicit(&r->others, true, memory_order_relaxed);
	}
}

/* Collective. Keys of a graph are integers again when those that were not are deleted_ranks. */
static gemp_code choose_key_type(gemp_patch_state *p)
{
	gemp_code code = GEMP_OK;
	key_parse r = { .keys = &p->to->keys };
	bool may = p->id_map.some_deleted && (!p->patch->string_keys || p->to->vertex_count == 0);
	if (!may || p->to->keys.type != GEMP_STRING)
		return GEMP_OK;
	GEMP_TRY(gemp_comm_agree(p->comm, GEMP_NEW(r.integers, p->to->rows)));
	gemp_for_ranges(p->to->rows, read_range, &r);
	uint64_t others = r.others;
	gemp_comm_max(p->comm, &others, 1);
	if (others)
		goto done;
	gemp_column *key = &p->to->keys;
	gemp_free_all(key->offsets, key->bytes);
	*key = (gemp_column){
		.name = key->name, .type = GEMP_INTEGER, .rows = key->rows, .capacity = key->rows, .integers = r.integers
	};
	r.integers = NULL;
done:
	gemp_free(r.integers);
	return code;
}

gemp_code gemp_patch_keys(gemp_patch_state *p)
{
	if (!p->new_vertices && !p->id_map.some_deleted) {
		p->to->keys = p->from->keys;
		p->to->key_ranks = p->from->key_ranks;
		p->from->keys = (gemp_column){ 0 };
		p->from->key_ranks = NULL;
		return GEMP_OK;
	}
	GEMP_PROPAGATE(order_keys(p));
	GEMP_PROPAGATE(gemp_comm_agree(p->comm, make_keys(p)));
	return choose_key_type(p);
}
