#include "match/distinct/block_fill.h"

#include "core/threads.h"

#include <stdatomic.h>
#include <string.h>

enum {
	CHUNK = 1 << 12, /* number of records that one thread fills at a time */
	FORMS = 1 << 10  /* number of packed forms that one thread makes at a time, which stay in its cache */
};

/* The arguments of fill_records and fill_forms. */
typedef struct fill_task {
	gemp_class_block *block;
	const gemp_block_source *source;
	size_t count;
	atomic_size_t filled; /* records of the block, with those that a thread is writing */
} fill_task;

/* Finds the places of records at [at, end) of the block. Records of other owners are marked for sending, and records of
 * later passes are marked as dropped. */
static void find_places(gemp_class_block *block, const gemp_block_source *source, size_t at, size_t end)
{
	const gemp_record_form *form = source->form;
	const gemp_place_rule *rule = source->rule;
	const uint32_t *record = block->records + at * form->words;
	if (form->packed) {
		gemp_packed_places(rule, record, form->words, end - at, block->place + at);
		return;
	}
	for (; at < end; at++, record += form->words) {
		const uint64_t hash = block->hash[at] = gemp_record_hash(form, rule->hash_mask, record);
		block->place[at] = !gemp_place_in_range(rule, hash)             ? GEMP_CLASS_DROPPED
		                   : gemp_place_owner(rule, hash) == rule->rank ? gemp_class_set_place(source->classes, hash)
		                                                                : GEMP_CLASS_REMOTE;
	}
}

/* Makes records of rows, or copies records from other ranks. */
static void fill_records(void *context, size_t range, size_t begin, size_t end)
{
	const fill_task *f = context;
	const gemp_block_source *source = f->source;
	const size_t words = source->form->words, at = f->block->count;
	uint32_t *records = f->block->records + (at + begin) * words;
	(void)range;
	if (source->batch)
		gemp_record_fill(source->form, source->batch, source->first + begin, end - begin, records);
	else
		memcpy(records, source->records + (source->first + begin) * words, (end - begin) * words * sizeof *records);
	find_places(f->block, source, at + begin, at + end);
}

/* Makes packed forms of rows, and appends those that the thread has not met shortly before. */
static void fill_forms(void *context, unsigned thread, size_t chunk)
{
	fill_task *f = context;
	const gemp_block_source *source = f->source;
	const size_t words = source->form->words, begin = chunk * FORMS, end = gemp_chunk_end(f->count, FORMS, chunk);
	uint64_t forms[FORMS * GEMP_NUMBER_WORDS];
	gemp_record_fill(source->form, source->batch, source->first + begin, end - begin, (uint32_t *)(void *)forms);
	const size_t kept = gemp_recent_forms_drop(source->recent, thread, forms, end - begin);
	const size_t at = atomic_fetch_add(&f->filled, kept);
	memcpy(f->block->records + at * words, forms, kept * words * sizeof *f->block->records);
	find_places(f->block, source, at, at + kept);
}

void gemp_block_fill(gemp_class_block *block, const gemp_block_source *source, size_t count)
{
	fill_task f = { .block = block, .source = source, .count = count, .filled = block->count };
	if (source->form->packed && source->batch) {
		gemp_parallel_for((count + FORMS - 1) / FORMS, fill_forms, &f);
		block->count = f.filled;
	} else {
		gemp_for_chunks(count, CHUNK, fill_records, &f);
		block->count += count;
	}
}
