#include "query/clause/group_set.h"

#include "core/loop_failure.h"
#include "core/threads.h"

#include <string.h>

enum {
	CHUNK = 1 << 13,       /* rows that a thread codes or adds at a time */
	CACHED = 1 << 14,      /* groups of a thread's table that fit into its cache */
	FIRST_BLOCK = 1 << 16, /* rows of the first block of each thread */
	BLOCK = 1 << 22,       /* maximum number of rows of a block */
	MIN_BLOCK = 1 << 10,
	SAVING = 2, /* pre-aggregation stays if a group stands for as many rows */
};

/* SETUP */

gemp_code gemp_group_set_init(gemp_group_set *set, const gemp_group_form *form, size_t columns, size_t budget)
{
	*set = (gemp_group_set){ .form = form, .threads = gemp_threads(), .columns = columns, .budget = budget };
	set->block_rows = (size_t)FIRST_BLOCK * set->threads;
	GEMP_TRY(GEMP_NEW(set->local, set->threads));
	GEMP_TRY(GEMP_NEW(set->parts, GEMP_GROUP_PARTS));
	GEMP_TRY(GEMP_NEW(set->memo, columns));
	for (size_t t = 0; t < set->threads; t++)
		GEMP_TRY(gemp_group_states_init(&set->local[t], form));
	for (size_t p = 0; p < GEMP_GROUP_PARTS; p++)
		GEMP_TRY(gemp_group_states_init(&set->parts[p], form));
	return GEMP_OK;
}

static void forget_memo(gemp_group_set *set)
{
	for (size_t c = 0; set->memo && c < set->columns; c++) {
		gemp_free(set->memo[c]);
		set->memo[c] = NULL;
	}
}

void gemp_group_set_free(gemp_group_set *set)
{
	for (size_t t = 0; set->local && t < set->threads; t++)
		gemp_group_states_free(&set->local[t], set->form);
	for (size_t p = 0; set->parts && p < GEMP_GROUP_PARTS; p++)
		gemp_group_states_free(&set->parts[p], set->form);
	forget_memo(set);
	gemp_free_all(set->local, set->parts, set->memo);
	*set = (gemp_group_set){ 0 };
}

/* The codes that memos have remembered are forgotten with the stored cells. */
void gemp_group_set_clear(gemp_group_set *set)
{
	for (size_t t = 0; t < set->threads; t++)
		gemp_group_states_clear(&set->local[t], set->form);
	for (size_t p = 0; p < GEMP_GROUP_PARTS; p++)
		gemp_group_states_clear(&set->parts[p], set->form);
	gemp_codes_clear(set->form->codes);
	forget_memo(set);
	set->local_rows = 0;
}

size_t gemp_group_set_memory(const gemp_group_set *set)
{
	size_t bytes = gemp_codes_memory(set->form->codes);
	for (size_t t = 0; t < set->threads; t++)
		bytes += gemp_group_states_memory(&set->local[t], set->form);
	for (size_t p = 0; p < GEMP_GROUP_PARTS; p++)
		bytes += gemp_group_states_memory(&set->parts[p], set->form);
	return bytes;
}

/* CODING */

/* One block of rows. The arrays of codes belong to aggregates that collect. */
typedef struct block_task {
	gemp_group_set *set;
	gemp_coded_rows rows;
	size_t count;
	uint16_t *part;   /* [count] */
	uint32_t *sorted; /* [count] rows of the block, by part */
	uint32_t *begin;  /* [chunks * GEMP_GROUP_PARTS] where a chunk's rows of a part begin */
	size_t *part_end; /* [GEMP_GROUP_PARTS] */
	gemp_loop_failure failure;
} block_task;

static void free_block(block_task *b)
{
	for (size_t i = 0; b->rows.codes && i < b->set->form->aggregate_count; i++)
		gemp_free(b->rows.codes[i]);
	gemp_free_all(b->rows.keys, b->rows.codes, b->part, b->sorted, b->begin, b->part_end);
}

/* Each value of a dictionary is coded once if the frame has at least half as many rows. Otherwise the array of zeros
 * would cost more than it saves. */
static gemp_code make_memo(gemp_group_set *set, const gemp_frame *frame, size_t column)
{
	const gemp_column *dictionary = frame->columns[column].dictionary;
	if (!dictionary || set->memo[column] || dictionary->rows / 2 > frame->rows)
		return GEMP_OK;
	return GEMP_NEW(set->memo[column], dictionary->rows);
}

gemp_code gemp_group_set_begin(gemp_group_set *set, const gemp_frame *frame)
{
	forget_memo(set);
	for (size_t c = 0; c < set->columns; c++)
		GEMP_TRY(make_memo(set, frame, c));
	return GEMP_OK;
}

static gemp_code code_range(block_task *b, size_t begin, size_t end)
{
	const gemp_group_form *form = b->set->form;
	const gemp_frame *frame = b->rows.frame;
	const size_t first = b->rows.first + begin, count = end - begin, stride = form->words * 2;
	uint32_t *keys = (uint32_t *)(b->rows.keys + begin * form->words);
	for (size_t k = 0; k < form->key_count; k++)
		GEMP_TRY(gemp_codes_add(form->codes, &frame->columns[k], first, count, b->set->memo[k], keys + k, stride));
	for (size_t i = 0; i < form->aggregate_count; i++)
		if (b->rows.codes[i])
			GEMP_TRY(gemp_codes_add(form->codes, &frame->columns[form->arguments[i]], first, count,
			                        b->set->memo[form->arguments[i]], b->rows.codes[i] + begin, 1));
	return GEMP_OK;
}

static void code_chunk(void *context, size_t chunk, size_t begin, size_t end)
{
	block_task *b = context;
	(void)chunk;
	if (!gemp_loop_failed(&b->failure))
		gemp_loop_record(&b->failure, code_range(b, begin, end));
}

static size_t bytes_of_row(const gemp_group_form *form)
{
	size_t collected = 0;
	for (size_t i = 0; i < form->aggregate_count; i++)
		collected += gemp_aggregate_collects(&form->aggregates[i]);
	return form->words * sizeof(uint64_t) + (collected + 1) * sizeof(uint32_t) + sizeof(uint16_t);
}

static gemp_code code_block(block_task *b)
{
	const gemp_group_form *form = b->set->form;
	GEMP_TRY(GEMP_NEW(b->rows.keys, b->count * form->words));
	GEMP_TRY(GEMP_NEW(b->rows.codes, form->aggregate_count));
	for (size_t i = 0; i < form->aggregate_count; i++)
		if (gemp_aggregate_collects(&form->aggregates[i]))
			GEMP_TRY(GEMP_NEW(b->rows.codes[i], b->count));
	gemp_for_chunks(b->count, CHUNK, code_chunk, b);
	return gemp_loop_status(&b->failure);
}

/* PRE-AGGREGATION */

static void add_chunk(void *context, unsigned thread, size_t chunk)
{
	block_task *b = context;
	gemp_group_set *set = b->set;
	const size_t begin = chunk * CHUNK, end = gemp_chunk_end(b->count, CHUNK, chunk);
	if (!gemp_loop_failed(&b->failure))
		gemp_loop_record(&b->failure,
		                 gemp_group_states_add(&set->local[thread], set->form, &b->rows, NULL, begin, end - begin));
}

/* The groups of a thread's table, by part. */
typedef struct split_table {
	uint32_t *sorted;                   /* [groups] */
	size_t begin[GEMP_GROUP_PARTS + 1]; /* part p has sorted[begin[p]] to sorted[begin[p + 1] - 1] */
} split_table;

typedef struct flush_task {
	gemp_group_set *set;
	split_table *split; /* [threads] */
	gemp_loop_failure failure;
} flush_task;

static gemp_code split(const gemp_group_form *form, const gemp_group_states *table, split_table *s)
{
	GEMP_OWNED uint16_t *part = NULL;
	const size_t count = table->keys.count;
	size_t at[GEMP_GROUP_PARTS];
	GEMP_TRY(GEMP_NEW(part, count));
	GEMP_TRY(GEMP_NEW(s->sorted, count));
	for (size_t g = 0; g < count; g++) {
		part[g] = (uint16_t)gemp_group_part(gemp_group_hash(form, gemp_code_table_key(&table->keys, g)));
		s->begin[part[g] + 1]++;
	}
	for (size_t p = 0; p < GEMP_GROUP_PARTS; p++)
		s->begin[p + 1] += s->begin[p];
	memcpy(at, s->begin, sizeof at);
	for (size_t g = 0; g < count; g++)
		s->sorted[at[part[g]]++] = (uint32_t)g;
	return GEMP_OK;
}

static void split_local(void *context, unsigned thread, size_t t)
{
	flush_task *f = context;
	(void)thread;
	gemp_loop_record(&f->failure, split(f->set->form, &f->set->local[t], &f->split[t]));
}

static void merge_part(void *context, unsigned thread, size_t p)
{
	flush_task *f = context;
	gemp_group_set *set = f->set;
	(void)thread;
	for (size_t t = 0; t < set->threads && !gemp_loop_failed(&f->failure); t++) {
		const size_t begin = f->split[t].begin[p], count = f->split[t].begin[p + 1] - begin;
		gemp_loop_record(&f->failure, gemp_group_states_merge(&set->parts[p], set->form, &set->local[t],
		                                                      f->split[t].sorted + begin, count));
	}
}

gemp_code gemp_group_set_flush(gemp_group_set *set)
{
	flush_task f = { .set = set };
	size_t groups = 0;
	for (size_t t = 0; t < set->threads; t++)
		groups += set->local[t].keys.count;
	set->local_rows = 0;
	if (groups == 0)
		return GEMP_OK;
	GEMP_TRY(GEMP_NEW(f.split, set->threads));
	gemp_parallel_for(set->threads, split_local, &f);
	if (!gemp_loop_failed(&f.failure))
		gemp_parallel_for(GEMP_GROUP_PARTS, merge_part, &f);
	for (size_t t = 0; t < set->threads; t++) {
		gemp_free(f.split[t].sorted);
		gemp_group_states_clear(&set->local[t], set->form);
	}
	gemp_free(f.split);
	return gemp_loop_status(&f.failure);
}

/* PARTITIONS */

static void count_chunk(void *context, unsigned thread, size_t chunk)
{
	block_task *b = context;
	const size_t words = b->set->form->words;
	uint32_t *count = b->begin + chunk * GEMP_GROUP_PARTS;
	(void)thread;
	for (size_t row = chunk * CHUNK; row < gemp_chunk_end(b->count, CHUNK, chunk); row++) {
		b->part[row] = (uint16_t)gemp_group_part(gemp_group_hash(b->set->form, b->rows.keys + row * words));
		count[b->part[row]]++;
	}
}

static void place_chunk(void *context, unsigned thread, size_t chunk)
{
	block_task *b = context;
	uint32_t *at = b->begin + chunk * GEMP_GROUP_PARTS;
	(void)thread;
	for (size_t row = chunk * CHUNK; row < gemp_chunk_end(b->count, CHUNK, chunk); row++)
		b->sorted[at[b->part[row]]++] = (uint32_t)row;
}

static void add_part(void *context, unsigned thread, size_t p)
{
	block_task *b = context;
	gemp_group_set *set = b->set;
	const size_t begin = p ? b->part_end[p - 1] : 0;
	(void)thread;
	if (!gemp_loop_failed(&b->failure))
		gemp_loop_record(&b->failure, gemp_group_states_add(&set->parts[p], set->form, &b->rows, b->sorted + begin, 0,
		                                                    b->part_end[p] - begin));
}

/* A counting sort of the rows by part: counts of each chunk, prefix sums over parts and chunks, then positions. */
static gemp_code add_to_parts(block_task *b)
{
	const size_t chunks = (b->count + CHUNK - 1) / CHUNK;
	uint32_t at = 0;
	GEMP_TRY(gemp_new_all(GEMP_ARRAY(b->part, b->count), GEMP_ARRAY(b->sorted, b->count),
	                      GEMP_ARRAY(b->begin, chunks * GEMP_GROUP_PARTS), GEMP_ARRAY(b->part_end, GEMP_GROUP_PARTS)));
	gemp_parallel_for(chunks, count_chunk, b);
	for (size_t p = 0; p < GEMP_GROUP_PARTS; p++) {
		for (size_t chunk = 0; chunk < chunks; chunk++) {
			const uint32_t count = b->begin[chunk * GEMP_GROUP_PARTS + p];
			b->begin[chunk * GEMP_GROUP_PARTS + p] = at;
			at += count;
		}
		b->part_end[p] = at;
	}
	gemp_parallel_for(chunks, place_chunk, b);
	gemp_parallel_for(GEMP_GROUP_PARTS, add_part, b);
	return gemp_loop_status(&b->failure);
}

/* BLOCKS */

/* Chunks are pre-aggregated by the threads. Tables that no longer fit into the cache are merged into the partitions. */
static gemp_code add_to_threads(block_task *b)
{
	gemp_group_set *set = b->set;
	size_t groups = 0, largest = 0;
	gemp_parallel_for((b->count + CHUNK - 1) / CHUNK, add_chunk, b);
	GEMP_TRY(gemp_loop_status(&b->failure));
	set->local_rows += b->count;
	for (size_t t = 0; t < set->threads; t++) {
		groups += set->local[t].keys.count;
		largest = gemp_max(largest, set->local[t].keys.count);
	}
	if (largest <= CACHED)
		return GEMP_OK;
	set->partitioned = set->local_rows / SAVING < groups;
	return gemp_group_set_flush(set);
}

gemp_code gemp_group_set_add(gemp_group_set *set, const gemp_frame *frame, size_t *first)
{
	GEMP_OWNED_BY(free_block) block_task b = { .set = set, .rows = { .frame = frame, .first = *first } };
	size_t rows = set->block_rows;
	if (set->budget)
		rows = gemp_min(rows, gemp_max((size_t)MIN_BLOCK, set->budget / 4 / bytes_of_row(set->form)));
	b.count = gemp_min(rows, frame->rows - *first);
	if (b.count == 0)
		return GEMP_OK;
	GEMP_TRY(code_block(&b));
	GEMP_TRY(set->partitioned ? add_to_parts(&b) : add_to_threads(&b));
	*first += b.count;
	set->block_rows = gemp_min(2 * set->block_rows, (size_t)BLOCK);
	return GEMP_OK;
}
