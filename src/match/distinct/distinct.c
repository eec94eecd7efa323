#include "match/distinct/distinct.h"

#include "core/memory.h"
#include "core/random.h"
#include "core/threads.h"
#include "match/distinct/class_set.h"

#include <string.h>
#include <unistd.h>

enum {
	BLOCK_BYTES = 4 << 20,    /* records put in order at a time, for each thread */
	PIECE = 1 << 12,          /* of these, filled by one thread at a time */
	RECENT_BYTES = 2 << 20,   /* records lately sent */
	FEWEST_CLASSES = 16,      /* a range with fewer is not cut down for memory */
	HANDED_ON_ROWS = 1 << 18, /* between turns of the next sink */
};
static const size_t least_memory = (size_t)256 << 20; /* by default */
static const uint64_t range_end = UINT64_C(1) << 32;

typedef struct distinct {
	gemp_runtime *context;
	gemp_record_form form;
	uint32_t *rank;      /* [vertices] of keys, of the whole graph; NULL: not needed */
	gemp_vertex *vertex; /* [vertices] by rank */
	gemp_sink *next;
	uint64_t limit, hash_mask;
	gemp_class_set classes;
	gemp_class_block block;
	size_t block_records; /* at most */
	size_t budget;
	bool beyond_budget;  /* a range that could not be cut further */
	uint64_t low, high;  /* this pass: records whose hash's upper half lies in [low, high) */
	size_t full_at;      /* records in the tables when one last met its budget; SIZE_MAX: never */
	size_t recent_count; /* a power of two */
	uint32_t *recent;    /* [recent_count * words] all ones: free */
	size_t outgoing_count, outgoing_capacity, owner_capacity;
	uint32_t *outgoing; /* [outgoing_capacity * words] for other ranks */
	int *owner;         /* [owner_capacity] rank of each */
	gemp_count counted; /* in finished passes */
	uint64_t passes;
	bool satisfied; /* no more rows are wanted, or all were handed on */
	bool ended;     /* next had its last turn */
} distinct;

/* Equal keys hash alike on every rank: the upper half decides about the pass, the lower half about the owner. */
static uint64_t hash_of(const distinct *d, const uint32_t *record)
{
	return gemp_hash(record, d->form.key_words * sizeof *record, 0) & d->hash_mask;
}

/* A pass takes the records whose hash's upper half lies in its range; others are found again in a later pass. */
static bool in_range(const distinct *d, uint64_t hash)
{
	return hash >> 32 >= d->low && hash >> 32 < d->high;
}

/* The lower half of the hash, scaled to the number of ranks. */
static int owner_of(const distinct *d, uint64_t hash)
{
	return (int)((hash & UINT32_MAX) * (uint64_t)d->context->comm->size >> 32);
}

/* What gemp_record_table_retain asks of each record. The hash is computed again, since tables keep only a part of it.
 * */
static bool in_current_range(void *self, const uint32_t *record, uint64_t *hash)
{
	*hash = hash_of(self, record);
	return in_range(self, *hash);
}

/* Records beyond the new end leave the tables; they come again in a later pass. */
static void cut_range(distinct *d, uint64_t high)
{
	if (high >= d->high)
		return;
	d->high = high;
	gemp_class_set_retain(&d->classes, in_current_range, d);
}

/* Makes room for a record that did not fit: half of the range is given up, or, where that cannot help, the budget. */
static gemp_code shrink_range(distinct *d)
{
	size_t count = gemp_class_set_count(&d->classes);
	if (count >= FEWEST_CLASSES && d->high - d->low > 1) {
		d->full_at = count;
		cut_range(d, d->low + (d->high - d->low) / 2);
	} else if (!d->beyond_budget) {
		d->beyond_budget = true;
		gemp_class_set_budget(&d->classes, SIZE_MAX);
	} else {
		return gemp_fail(GEMP_ENOMEM, "%zu distinct matches on one rank are more than a table holds; use more ranks",
		                 count);
	}
	return GEMP_OK;
}

/* A record that does not fit makes the range shrink until it fits or is no longer in the range. */
static gemp_code insert(distinct *d, const uint32_t *record, uint64_t hash)
{
	bool fits = false;
	while (!fits && in_range(d, hash)) {
		GEMP_TRY(gemp_class_set_add(&d->classes, record, hash, &fits));
		if (!fits)
			GEMP_TRY(shrink_range(d));
	}
	return GEMP_OK;
}

/* BLOCKS of records: filled, put in order of where they go, sent or inserted. */

/* Was the record, or one of its class with a smaller embedding, sent a short while ago? */
static bool sent_recently(distinct *d, const uint32_t *record, uint64_t hash)
{
	uint32_t *entry = d->recent + (hash >> 16 & (d->recent_count - 1)) * d->form.words;
	bool same = memcmp(entry, record, d->form.key_words * sizeof *record) == 0;
	if (same && !gemp_record_smaller(&d->form, record, entry))
		return true;
	memcpy(entry, record, d->form.words * sizeof *record);
	return false;
}

/* Records for other ranks wait until the end of the round; one that was sent a short while ago is dropped. */
static gemp_code send_later(distinct *d, const uint32_t *record, uint64_t hash)
{
	size_t words = d->form.words, at = d->outgoing_count;
	if (sent_recently(d, record, hash))
		return GEMP_OK;
	if (at == d->outgoing_capacity)
		GEMP_TRY(gemp_reserve((void **)&d->outgoing, &d->outgoing_capacity, at + 1, words * sizeof *record));
	GEMP_TRY(GEMP_RESERVE(d->owner, d->owner_capacity, at + 1));
	memcpy(d->outgoing + at * words, record, words * sizeof *record);
	d->owner[at] = owner_of(d, hash);
	d->outgoing_count++;
	return GEMP_OK;
}

/* Which table takes the record; remote ones are sent, and those of later passes dropped. */
static uint8_t place_of(const distinct *d, uint64_t hash)
{
	if (!in_range(d, hash))
		return GEMP_CLASS_DROPPED;
	return owner_of(d, hash) == d->context->comm->rank ? gemp_class_set_place(&d->classes, hash) : GEMP_CLASS_REMOTE;
}

/* What a block is filled with: rows of a batch, or records from other ranks. */
typedef struct fill_task {
	distinct *d;
	const gemp_batch *batch; /* NULL: records */
	const uint32_t *records;
	size_t first; /* row */
} fill_task;

/* Threads make records of rows, or take over those that came from other ranks. */
static void fill_records(void *context, size_t range, size_t begin, size_t end)
{
	const fill_task *f = context;
	distinct *d = f->d;
	gemp_class_block *block = &d->block;
	size_t words = d->form.words;
	(void)range;
	for (size_t i = begin; i < end; i++) {
		uint32_t *record = block->records + i * words;
		if (f->batch)
			gemp_record_fill(&d->form, f->batch, f->first + i, record);
		else
			memcpy(record, f->records + (f->first + i) * words, words * sizeof *record);
		block->hash[i] = hash_of(d, record);
		block->table[i] = place_of(d, block->hash[i]);
	}
}

/* Those that their table has no room for at once: one by one, giving up what is needed. */
static gemp_code insert_singly(distinct *d, size_t table)
{
	const gemp_class_block *block = &d->block;
	for (size_t at = block->bucket_offsets[table]; at < block->bucket_offsets[table + 1]; at++) {
		uint32_t i = block->order[at];
		GEMP_TRY(insert(d, block->records + i * d->form.words, block->hash[i]));
	}
	return GEMP_OK;
}

/* A block is filled and ordered by all threads; remote records are set aside, and each table takes its own. Where a
 * table has no memory for all of its records, they are inserted one by one, and the range shrinks. */
static gemp_code add_block(distinct *d, const fill_task *f, size_t count)
{
	gemp_class_block *block = &d->block;
	bool fits[GEMP_MAX_CLASS_TABLES];
	block->count = count;
	gemp_for_chunks(count, PIECE, fill_records, (void *)(uintptr_t)f);
	gemp_class_block_sort(block);
	for (size_t at = block->bucket_offsets[GEMP_CLASS_REMOTE]; at < block->bucket_offsets[GEMP_CLASS_REMOTE + 1];
	     at++) {
		uint32_t i = block->order[at];
		GEMP_TRY(send_later(d, block->records + i * d->form.words, block->hash[i]));
	}
	GEMP_TRY(gemp_class_set_add_block(&d->classes, block, fits));
	for (size_t t = 0; t < d->classes.table_count; t++)
		if (!fits[t])
			GEMP_TRY(insert_singly(d, t));
	return GEMP_OK;
}

/* Rows are taken in blocks, so that memory for records is bounded. */
static gemp_code add_rows(distinct *d, fill_task f, size_t count)
{
	size_t most = d->block_records, room = count < most ? count : most;
	GEMP_TRY(gemp_class_block_reserve(&d->block, &d->form, room));
	for (size_t at = 0; at < count; at += room) {
		f.first = at;
		GEMP_TRY(add_block(d, &f, count - at < room ? count - at : room));
	}
	return GEMP_OK;
}

/* Rows that come after enough classes are known are dropped here, until the engine stops at the end of its round. */
static gemp_code distinct_consume(void *self, const gemp_batch *batch)
{
	distinct *d = self;
	double began = gemp_now();
	GEMP_CHECK(batch->vertex_count == d->form.vertex_count && batch->edge_count == d->form.edge_count);
	gemp_code code = d->satisfied ? GEMP_OK : add_rows(d, (fill_task){ .d = d, .batch = batch }, batch->rows);
	gemp_timers_add(&d->context->timers, GEMP_PHASE_DISTINCT, began);
	return code;
}

/* Collective. Records go to their owners. */
static gemp_code exchange_records(distinct *d)
{
	gemp_code code = GEMP_OK;
	gemp_runtime *context = d->context;
	GEMP_OWNED void *records = NULL;
	GEMP_OWNED size_t *from = NULL;
	double t = gemp_now();
	GEMP_TRY(gemp_exchange_records(context->comm, GEMP_OK, d->outgoing, d->outgoing_count,
	                               d->form.words * sizeof(uint32_t), d->owner, &records, &from, &context->traffic));
	d->outgoing_count = 0;
	t = gemp_timers_add(&context->timers, GEMP_PHASE_EXCHANGE, t);
	code = add_rows(d, (fill_task){ .d = d, .records = records }, from[context->comm->size]);
	gemp_timers_add(&context->timers, GEMP_PHASE_DISTINCT, t);
	return gemp_comm_agree(context->comm, code);
}

/* Collective. The range of all ranks is the smallest that any of them could hold. */
static void agree_on_range(distinct *d)
{
	uint64_t given_up = range_end - d->high;
	gemp_comm_max(d->context->comm, &given_up, 1);
	cut_range(d, range_end - given_up);
}

/* Classes of finished passes and those in the tables. */
static gemp_count known(const distinct *d)
{
	return d->counted + gemp_class_set_count(&d->classes);
}

/* Collective. All records to the next sink; `largest` is the records of the rank that has most. */
static gemp_code forward_classes(distinct *d, uint64_t largest)
{
	gemp_code code = GEMP_OK;
	gemp_batch batch = { .vertex_count = d->form.vertex_count, .edge_count = d->form.edge_count };
	GEMP_OWNED gemp_vertex *vertices = NULL;
	GEMP_OWNED gemp_edge *edges = NULL;
	gemp_class_cursor at = { 0 };
	size_t count = gemp_class_set_count(&d->classes), room = count < HANDED_ON_ROWS ? count : HANDED_ON_ROWS;
	code = GEMP_NEW(vertices, room * (size_t)d->form.vertex_count);
	GEMP_THEN(GEMP_NEW(edges, room * (size_t)d->form.edge_count));
	GEMP_TRY(gemp_comm_agree(d->context->comm, code));
	batch.vertices = vertices;
	batch.edges = edges;
	for (uint64_t first = 0; first < largest && !d->satisfied; first += HANDED_ON_ROWS) {
		bool again = false;
		batch.rows = gemp_class_set_read(&d->classes, &at, room, vertices, edges);
		if (batch.rows)
			code = d->next->consume(d->next->self, &batch);
		GEMP_TRY(gemp_comm_agree(d->context->comm, code));
		GEMP_TRY(d->next->end_round(d->next->self, false, &d->satisfied, &again));
	}
	return GEMP_OK;
}

/* Nothing of the pass before is kept but the figures. */
static void begin_pass(distinct *d, uint64_t low, uint64_t width)
{
	d->low = low;
	d->high = width < range_end - low ? low + width : range_end;
	d->beyond_budget = false;
	gemp_class_set_budget(&d->classes, d->budget);
	gemp_class_set_clear(&d->classes);
	memset(d->recent, 0xff, d->recent_count * d->form.words * sizeof *d->recent);
	d->passes++;
}

/* As much as fits into the table by what this pass held, with some room. */
static uint64_t next_width(const distinct *d, uint64_t largest, uint64_t full_at)
{
	if (largest == 0)
		return range_end;
	double width = (double)(d->high - d->low) * 0.85 * (double)full_at / (double)largest;
	return width >= (double)range_end ? range_end : width < 1 ? 1 : (uint64_t)width;
}

/* Collective. Hands the classes of the pass on, and begins the next pass where hashes are left. The rank that was
 * full with the fewest records decides how wide that pass may be. */
static gemp_code end_pass(distinct *d, bool *again)
{
	uint64_t most[2] = { gemp_class_set_count(&d->classes), SIZE_MAX - d->full_at };
	gemp_comm_max(d->context->comm, most, 2);
	if (d->next)
		GEMP_TRY(forward_classes(d, most[0]));
	d->counted += gemp_class_set_count(&d->classes);
	*again = d->high < range_end && !d->satisfied;
	if (*again)
		begin_pass(d, d->high, next_width(d, most[0], SIZE_MAX - most[1]));
	else
		gemp_class_set_clear(&d->classes);
	return GEMP_OK;
}

/* Collective. What came since the last turn. */
static gemp_code continue_pass(distinct *d, bool last, bool *again)
{
	GEMP_TRY(exchange_records(d));
	agree_on_range(d);
	bool reached = d->limit && gemp_comm_sum1(d->context->comm, known(d)) >= d->limit;
	if (last || reached)
		GEMP_TRY(end_pass(d, again));
	if (reached) {
		d->satisfied = true;
		*again = false;
	}
	return GEMP_OK;
}

/* The next sink gets its last end of a round once: after the last pass, or as soon as enough classes are known. */
static gemp_code distinct_end_round(void *self, bool last, bool *enough, bool *again)
{
	distinct *d = self;
	bool more = false, ignored = false;
	if (!d->satisfied)
		GEMP_TRY(continue_pass(d, last, &more));
	bool ends = ((last && !more) || d->satisfied) && !d->ended;
	d->ended |= ends;
	if (ends && d->next)
		GEMP_TRY(d->next->end_round(d->next->self, true, &d->satisfied, &ignored));
	*enough |= d->satisfied;
	*again |= more;
	return GEMP_OK;
}

/* The next sink is borrowed, and is freed by the chain. */
static void distinct_free(void *self)
{
	distinct *d = self;
	if (!d)
		return;
	gemp_class_set_free(&d->classes);
	gemp_class_block_free(&d->block);
	gemp_free_all(d->recent, d->outgoing, d->owner, d->rank, d->vertex, d);
}

GEMP_RELEASE(distinct_free, distinct *)

/* A block is an eighth of the budget at most, and enough for all threads to have work. */
static size_t block_records(const distinct *d)
{
	size_t most = (size_t)BLOCK_BYTES * gemp_threads(), bytes = d->budget / 8 < most ? d->budget / 8 : most;
	size_t records = bytes / (d->form.words * sizeof(uint32_t));
	return records < FEWEST_CLASSES ? FEWEST_CLASSES : records;
}

/* The cache of sent records is direct-mapped; one rank has nobody to send to. */
static size_t recent_entries(const distinct *d)
{
	size_t bytes = d->budget / 8 < RECENT_BYTES ? d->budget / 8 : RECENT_BYTES, entries = 1;
	if (d->context->comm->size == 1)
		return 0;
	while (2 * entries * d->form.words * sizeof(uint32_t) <= bytes)
		entries *= 2;
	return entries;
}

/* A quarter of the machine's memory for its ranks together. */
static size_t share_of_machine(const gemp_comm *comm)
{
	long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
	size_t share = pages > 0 && page > 0 ? (size_t)pages / 4 / (size_t)comm->node_size * (size_t)page : 0;
	return share < least_memory ? least_memory : share;
}

/* Half of --host-memory, or a share of the machine. */
static size_t choose_memory(const gemp_runtime *context, const gemp_distinct_options *options)
{
	if (options->memory)
		return options->memory;
	return context->budgets.host_memory ? context->budgets.host_memory / 2 : share_of_machine(context->comm);
}

/* Collective. The key ranks of all vertices: ranks own ids in their order. */
static gemp_code gather_key_ranks(distinct *d, gemp_shard *graph)
{
	gemp_code code = GEMP_OK;
	void *rank = NULL;
	GEMP_OWNED size_t *begin = NULL;
	GEMP_TRY(gemp_shard_load_keys(graph));
	GEMP_TRY(gemp_comm_allgather(d->context->comm, GEMP_OK, graph->key_ranks, graph->rows * sizeof *graph->key_ranks,
	                             &rank, &begin));
	d->rank = rank;
	code = gemp_comm_agree(d->context->comm, GEMP_NEW(d->vertex, graph->vertex_count));
	for (uint64_t id = 0; id < graph->vertex_count && code == GEMP_OK; id++)
		d->vertex[d->rank[id]] = (gemp_vertex)id;
	d->form.rank = d->rank;
	d->form.vertex = d->vertex;
	return code;
}

/* Two embeddings are one match if they differ by an automorphism, or have the same vertices, or the same edges. */
static gemp_record_key choose_key(const gemp_distinct_options *options)
{
	if (options->as_subgraph)
		return options->edge_count ? GEMP_KEY_EDGES : GEMP_KEY_PAIRS;
	return options->as_vertices || !options->chain ? GEMP_KEY_VERTICES : GEMP_KEY_ORBIT;
}

/* Key ranks are needed only where representatives are chosen by user keys. */
gemp_code gemp_distinct_new(gemp_sink *out, gemp_runtime *context, const gemp_distinct_options *options)
{
	gemp_code code = GEMP_OK;
	GEMP_OWNED_BY(distinct_free_at) distinct *d = NULL;
	gemp_record_key kind = choose_key(options);
	code = GEMP_NEW(d, 1);
	if (code == GEMP_OK) {
		d->context = context;
		d->next = options->next;
		d->limit = options->limit;
		d->hash_mask = options->hash_mask ? options->hash_mask : UINT64_MAX;
		d->budget = choose_memory(context, options);
		d->full_at = SIZE_MAX;
		gemp_record_form_set(&d->form, kind, options->vertex_count, options->edge_count, options->next != NULL,
		                     options->chain, options->pairs, options->pair_count);
		gemp_class_set_init(&d->classes, &d->form, d->budget);
		d->block_records = block_records(d);
		d->recent_count = recent_entries(d);
		code = GEMP_NEW(d->recent, d->recent_count * d->form.words);
	}
	GEMP_TRY(gemp_comm_agree(context->comm, code));
	begin_pass(d, 0, range_end);
	if (options->graph && options->next && kind != GEMP_KEY_ORBIT)
		GEMP_TRY(gather_key_ranks(d, options->graph));
	*out = (gemp_sink){
		.self = d, .consume = distinct_consume, .end_round = distinct_end_round, .free = distinct_free
	};
	d = NULL;
	return GEMP_OK;
}

gemp_count gemp_distinct_count(const gemp_sink *sink)
{
	const distinct *d = sink->self;
	return known(d);
}

uint64_t gemp_distinct_passes(const gemp_sink *sink)
{
	const distinct *d = sink->self;
	return d->passes;
}
