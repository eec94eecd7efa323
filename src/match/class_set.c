#include "match/class_set.h"

#include "core/memory.h"
#include "core/threads.h"

#include <string.h>

enum {
	PIECE = 1 << 13,          /* records that one thread orders at a time */
	AHEAD = 32,               /* records worked on together, so that memory is fetched ahead */
	WORTH_DIVIDING = 32 << 20 /* bytes; smaller sets are one table */
};

static size_t pieces_of(size_t count)
{
	return (count + PIECE - 1) / PIECE;
}

/* TABLES */

void gemp_class_set_init(gemp_class_set *set, const gemp_record_form *form, size_t budget)
{
	*set = (gemp_class_set){ .form = form, .table_count = budget < WORTH_DIVIDING ? 1 : GEMP_MOST_CLASS_TABLES };
	for (size_t t = 0; t < set->table_count; t++)
		gemp_class_table_init(&set->table[t], form->words, form->key_words, 0);
	gemp_class_set_budget(set, budget);
}

void gemp_class_set_free(gemp_class_set *set)
{
	for (size_t t = 0; t < set->table_count; t++)
		gemp_class_table_free(&set->table[t]);
}

void gemp_class_set_budget(gemp_class_set *set, size_t budget)
{
	for (size_t t = 0; t < set->table_count; t++)
		set->table[t].budget = budget == SIZE_MAX ? budget : budget / set->table_count;
}

size_t gemp_class_set_count(const gemp_class_set *set)
{
	size_t count = 0;
	for (size_t t = 0; t < set->table_count; t++)
		count += set->table[t].count;
	return count;
}

void gemp_class_set_keep(gemp_class_set *set, gemp_keep_function *keep, void *context)
{
	for (size_t t = 0; t < set->table_count; t++)
		gemp_class_table_keep(&set->table[t], keep, context);
}

void gemp_class_set_clear(gemp_class_set *set)
{
	for (size_t t = 0; t < set->table_count; t++)
		gemp_class_table_clear(&set->table[t]);
}

/* Bits that neither owners, passes nor places in a table are told by. */
uint8_t gemp_class_set_place(const gemp_class_set *set, uint64_t hash)
{
	return (uint8_t)(hash * UINT64_C(0x9e3779b97f4a7c15) >> 20 & (set->table_count - 1));
}

static void keep_smaller(const gemp_record_form *form, const uint32_t *record, uint32_t *found)
{
	if (gemp_record_smaller(form, record, found))
		memcpy(found, record, form->words * sizeof *record);
}

gemp_code gemp_class_set_add(gemp_class_set *set, const uint32_t *record, uint64_t hash, bool *fits)
{
	gemp_code code = GEMP_OK;
	uint32_t *found;
	bool added;
	GEMP_TRY(gemp_class_table_add(&set->table[gemp_class_set_place(set, hash)], record, hash, &found, &added));
	*fits = found != NULL;
	if (found && !added)
		keep_smaller(set->form, record, found);
done:
	return code;
}

typedef struct adding {
	gemp_class_set *set;
	const gemp_class_block *block;
	const bool *fits;
} adding;

static void add_ahead(gemp_class_table *table, const adding *a, const uint32_t *order, size_t count)
{
	const gemp_record_form *form = a->set->form;
	const uint64_t *hash = a->block->hash;
	for (size_t i = 0; i < count; i++) {
		__builtin_prefetch(a->block->records + order[i] * form->words);
		gemp_class_table_prefetch(table, hash[order[i]]);
	}
	for (size_t i = 0; i < count; i++)
		gemp_class_table_prefetch_record(table, hash[order[i]]);
	for (size_t i = 0; i < count; i++) {
		const uint32_t *record = a->block->records + order[i] * form->words;
		bool added;
		uint32_t *found = gemp_class_table_add_reserved(table, record, hash[order[i]], &added);
		if (!added)
			keep_smaller(form, record, found);
	}
}

static void add_to_table(void *context, unsigned thread, size_t t)
{
	const adding *a = context;
	(void)thread;
	if (!a->fits[t])
		return;
	gemp_class_table_settle(&a->set->table[t]);
	size_t end = a->block->begin[t + 1];
	for (size_t at = a->block->begin[t]; at < end; at += AHEAD)
		add_ahead(&a->set->table[t], a, a->block->order + at, end - at < AHEAD ? end - at : AHEAD);
}

gemp_code gemp_class_set_add_block(gemp_class_set *set, const gemp_class_block *block,
                                   bool fits[GEMP_MOST_CLASS_TABLES])
{
	gemp_code code = GEMP_OK;
	adding a = { set, block, fits };
	for (size_t t = 0; t < set->table_count && code == GEMP_OK; t++)
		code = gemp_class_table_reserve(&set->table[t], block->begin[t + 1] - block->begin[t], &fits[t]);
	if (code == GEMP_OK && block->count > PIECE)
		gemp_parallel_for(set->table_count, add_to_table, &a);
	for (size_t t = 0; t < set->table_count && code == GEMP_OK && block->count <= PIECE; t++)
		add_to_table(&a, 0, t);
	for (size_t t = 0; t < set->table_count; t++)
		gemp_class_table_trim(&set->table[t]);
	return code;
}

typedef struct reading {
	const gemp_record_form *form;
	const gemp_class_table *table;
	size_t first, rows;
	gemp_vertex *vertices;
	gemp_edge *edges;
} reading;

static void read_piece(void *context, unsigned thread, size_t piece)
{
	const reading *r = context;
	size_t end = r->rows - piece * PIECE < PIECE ? r->rows : (piece + 1) * PIECE;
	(void)thread;
	for (size_t i = piece * PIECE; i < end; i++)
		gemp_record_read(r->form, gemp_class_table_record(r->table, r->first + i),
		                 r->vertices + i * (size_t)r->form->vertex_count, r->edges + i * (size_t)r->form->edge_count);
}

size_t gemp_class_set_read(const gemp_class_set *set, gemp_class_place *at, size_t room, gemp_vertex *vertices,
                           gemp_edge *edges)
{
	const gemp_record_form *form = set->form;
	size_t rows = 0;
	while (at->table < set->table_count && rows < room) {
		const gemp_class_table *table = &set->table[at->table];
		size_t left = table->count - at->record, count = left < room - rows ? left : room - rows;
		reading r = { form, table, at->record, count,
			vertices + rows * (size_t)form->vertex_count, edges + rows * (size_t)form->edge_count };
		gemp_parallel_for(pieces_of(count), read_piece, &r);
		rows += count;
		at->record = count < left ? at->record + count : 0;
		at->table += count == left;
	}
	return rows;
}

/* BLOCKS: a counting sort by place, each piece by one thread. */

gemp_code gemp_class_block_reserve(gemp_class_block *block, const gemp_record_form *form, size_t capacity)
{
	gemp_code code = GEMP_OK;
	if (capacity <= block->capacity)
		return GEMP_OK;
	gemp_class_block_free(block);
	GEMP_TRY(GEMP_NEW(block->records, capacity * form->words));
	GEMP_TRY(GEMP_NEW(block->hash, capacity));
	GEMP_TRY(GEMP_NEW(block->place, capacity));
	GEMP_TRY(GEMP_NEW(block->order, capacity));
	GEMP_TRY(GEMP_NEW(block->histogram, pieces_of(capacity) * GEMP_CLASS_PLACES));
	block->capacity = capacity;
done:
	return code;
}

void gemp_class_block_free(gemp_class_block *block)
{
	gemp_free(block->records);
	gemp_free(block->hash);
	gemp_free(block->place);
	gemp_free(block->order);
	gemp_free(block->histogram);
	*block = (gemp_class_block){ 0 };
}

static size_t piece_end(const gemp_class_block *block, size_t piece)
{
	return block->count - piece * PIECE < PIECE ? block->count : (piece + 1) * PIECE;
}

static void count_piece(void *context, unsigned thread, size_t piece)
{
	gemp_class_block *block = context;
	size_t *histogram = block->histogram + piece * GEMP_CLASS_PLACES;
	(void)thread;
	memset(histogram, 0, GEMP_CLASS_PLACES * sizeof *histogram);
	for (size_t i = piece * PIECE; i < piece_end(block, piece); i++)
		histogram[block->place[i]]++;
}

static void sort_piece(void *context, unsigned thread, size_t piece)
{
	gemp_class_block *block = context;
	size_t *next = block->histogram + piece * GEMP_CLASS_PLACES;
	(void)thread;
	for (size_t i = piece * PIECE; i < piece_end(block, piece); i++)
		block->order[next[block->place[i]]++] = (uint32_t)i;
}

void gemp_class_block_sort(gemp_class_block *block)
{
	size_t pieces = pieces_of(block->count), at = 0;
	gemp_parallel_for(pieces, count_piece, block);
	for (size_t place = 0; place < GEMP_CLASS_PLACES; place++) {
		block->begin[place] = at;
		for (size_t piece = 0; piece < pieces; piece++) {
			size_t *here = &block->histogram[piece * GEMP_CLASS_PLACES + place], count = *here;
			*here = at;
			at += count;
		}
	}
	block->begin[GEMP_CLASS_PLACES] = at;
	gemp_parallel_for(pieces, sort_piece, block);
}
