#include "match/distinct/distinct.h"

#include "core/limits.h"
#include "core/threads.h"
#include "match/distinct/block_fill.h"
#include "match/distinct/class_set.h"
#include "match/distinct/device_set.h"
#include "match/distinct/key_ranks.h"
#include "match/distinct/outgoing_records.h"
#include "match/distinct/packed_places.h"
#include "match/distinct/recent_forms.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

enum {
	BLOCK_BYTES = 4 << 20, /* bytes of a block of records for each thread */
	MIN_CLASSES = 16,      /* a range with fewer classes is not shortened to save memory */
	BATCH_ROWS = 1 << 18,  /* rows of a batch for the next sink */
};
static const size_t min_memory = (size_t)256 << 20; /* minimum bytes of the tables without --host-memory */
static const double max_expected = 1e15;            /* a larger estimate would not fit into an integer */
static const uint64_t range_end = UINT64_C(1) << 32;

typedef struct distinct {
	gemp_runtime *context;
	gemp_record_form form;
	uint32_t *rank;      /* [vertices] key ranks of all vertices of the graph; NULL: not needed */
	gemp_vertex *vertex; /* [vertices] the vertex with each key rank */
	gemp_sink *next;
	uint64_t limit;
	gemp_class_set classes;
	gemp_class_block block;
	gemp_recent_forms recent; /* packed forms only */
	size_t offered;           /* number of rows and records from which the block was filled */
	size_t added;             /* number of rows and records from which the tables of this pass were filled */
	double expected; /* estimate of the number of records for the tables of this rank, over all passes; 0: unknown */
	size_t budget;
	bool beyond_budget;   /* the tables may exceed the budget, since the range cannot be shortened further */
	gemp_place_rule rule; /* which records this pass takes */
	size_t full_at;       /* number of records in the tables when a table last reached its budget; SIZE_MAX: never */
	gemp_outgoing_records outgoing;
	gemp_count counted;      /* number of classes in finished passes */
	gemp_form_source source; /* classes of devices; read is NULL: there are none */
	uint64_t passes;
	bool satisfied; /* no more rows are wanted, or all rows were passed on */
	bool ended;     /* `next` has ended its last round */
} distinct;

static uint64_t hash_of(const distinct *d, const uint32_t *record)
{
	return gemp_record_hash(&d->form, d->rule.hash_mask, record);
}

/* A gemp_retain_function. It computes the hash again, since tables store only a part of a hash. */
static bool in_current_range(void *self, const uint32_t *record, uint64_t *hash)
{
	*hash = hash_of(self, record);
	return gemp_place_in_range(&((const distinct *)self)->rule, *hash);
}

/* Shortens the range. Records beyond the new end are removed from the tables and from the block; a later pass finds
 * them again. */
static void cut_range(distinct *d, uint64_t high)
{
	const gemp_class_block *block = &d->block;
	if (high >= d->rule.high)
		return;
	d->rule.high = high;
	gemp_class_set_retain(&d->classes, in_current_range, d);
	for (size_t i = 0; i < block->count; i++)
		if (!gemp_place_in_range(&d->rule, hash_of(d, block->records + i * d->form.words)))
			block->place[i] = GEMP_CLASS_DROPPED;
}

/* Called after a record did not fit. Halves the range; if a shorter range would not help, lets the tables exceed the
 * budget. */
static gemp_code shrink_range(distinct *d)
{
	size_t count = gemp_class_set_count(&d->classes);
	if (count >= MIN_CLASSES && d->rule.high - d->rule.low > 1) {
		d->full_at = count;
		cut_range(d, d->rule.low + (d->rule.high - d->rule.low) / 2);
	} else if (!d->beyond_budget) {
		d->beyond_budget = true;
		gemp_class_set_budget(&d->classes, SIZE_MAX);
	} else {
		return gemp_fail(GEMP_ENOMEM, "%zu distinct matches on one rank are more than a table holds; use more ranks",
		                 count);
	}
	return GEMP_OK;
}

/* Adds a record. While the record does not fit, the range is shortened, until the record fits or is outside the
 * range. */
static gemp_code insert(distinct *d, const uint32_t *record, uint64_t hash)
{
	bool fits = false;
	while (!fits && gemp_place_in_range(&d->rule, hash)) {
		GEMP_TRY(gemp_class_set_add(&d->classes, record, hash, &fits));
		if (!fits)
			GEMP_TRY(shrink_range(d));
	}
	return GEMP_OK;
}

/* The hash of the record at this place of the sorted block. */
static uint64_t sorted_hash(const distinct *d, size_t at)
{
	const gemp_class_block *block = &d->block;
	return block->hash ? block->hash[block->order[at]] : hash_of(d, gemp_class_block_record(block, at));
}

/* Adds the records of one place one by one, because there is no memory for all of them. */
static gemp_code insert_singly(distinct *d, size_t place)
{
	const gemp_class_block *block = &d->block;
	for (size_t at = block->bucket_offsets[place]; at < block->bucket_offsets[place + 1]; at++)
		GEMP_TRY(insert(d, gemp_class_block_record(block, at), sorted_hash(d, at)));
	return GEMP_OK;
}

/* Estimates the final number of records in the tables: those that are still expected in this pass are new as often as
 * the records of this block were, together with those of their rows that were left out as recent. */
static void expect_classes(distinct *d, size_t known_before)
{
	const size_t count = gemp_class_set_count(&d->classes), own = d->block.bucket_offsets[GEMP_CLASS_REMOTE];
	const size_t added = (size_t)((double)own * (double)d->offered / (double)d->block.count);
	const double left = d->expected * (double)(d->rule.high - d->rule.low) / (double)range_end - (double)d->added -
	                    (double)added;
	d->added += added;
	d->offered = 0;
	if (left > 0 && added)
		d->classes.numbers.expected = count +
		                              (size_t)(left * (double)(count - gemp_min(count, known_before)) / (double)added);
}

/* Sorts the block on all threads, stores the records of other owners, and adds all other records to the tables. */
static gemp_code flush_block(distinct *d)
{
	gemp_class_block *block = &d->block;
	bool fits[GEMP_MAX_CLASS_PLACES];
	const size_t known_before = gemp_class_set_count(&d->classes);
	if (!block->count)
		return GEMP_OK;
	gemp_class_block_sort(block);
	for (size_t at = block->bucket_offsets[GEMP_CLASS_REMOTE]; at < block->bucket_offsets[GEMP_CLASS_REMOTE + 1]; at++)
		GEMP_TRY(gemp_outgoing_add(&d->outgoing, gemp_class_block_record(block, at), sorted_hash(d, at),
		                           (int)gemp_place_owner(&d->rule, sorted_hash(d, at))));
	GEMP_TRY(gemp_class_set_add_block(&d->classes, block, fits));
	for (size_t place = 0; place < d->classes.place_count; place++)
		if (!fits[place])
			GEMP_TRY(insert_singly(d, place));
	expect_classes(d, known_before);
	block->count = 0;
	return GEMP_OK;
}

/* The number of records of the next block. A block occupies all threads, and packed records are an eighth of the
 * slots of their set, or up to half after a long search: a larger block is added faster, but its new pages cost more
 * than a short search saves. A block takes at most an eighth of the budget, and it is made anew only if it becomes
 * twice as large. */
static size_t block_records(const distinct *d)
{
	const size_t record = d->form.words * sizeof(uint32_t), least = (size_t)BLOCK_BYTES * gemp_threads() / record;
	const size_t slots = gemp_class_set_slots(&d->classes), part = gemp_max(slots, gemp_min(d->added, 4 * slots)) / 8;
	const size_t count = gemp_max(gemp_min(gemp_max(part, least), d->budget / 8 / record), MIN_CLASSES);
	return d->block.capacity && count < 2 * d->block.capacity ? d->block.capacity : count;
}

/* Appends rows of a batch, or records if batch is NULL, to the block, and adds a full block to the tables. */
static gemp_code add_rows(distinct *d, const gemp_batch *batch, const uint32_t *records, size_t count)
{
	gemp_class_block *block = &d->block;
	gemp_block_source source = { &d->form, &d->rule, &d->classes, &d->recent, batch, records, 0 };
	while (source.first < count) {
		if (!block->count)
			GEMP_TRY(gemp_class_block_reserve(block, &d->form, block_records(d)));
		const size_t part = gemp_min(count - source.first, block->capacity - block->count);
		gemp_block_fill(block, &source, part);
		d->offered += part;
		source.first += part;
		if (block->count == block->capacity)
			GEMP_TRY(flush_block(d));
	}
	return GEMP_OK;
}

/* When enough classes are known, further rows are dropped until the search stops at the end of its round. */
static gemp_code distinct_consume(void *self, const gemp_batch *batch)
{
	distinct *d = self;
	double began = gemp_now();
	GEMP_CHECK(batch->vertex_count == d->form.vertex_count && batch->edge_count == d->form.edge_count);
	gemp_code code = d->satisfied ? GEMP_OK : add_rows(d, batch, NULL, batch->rows);
	gemp_timers_add(&d->context->timers, GEMP_PHASE_DISTINCT, began);
	return code;
}

/* Collective. Sends the stored records to their owners, and adds the received records. */
static gemp_code exchange_records(distinct *d, bool flush)
{
	gemp_runtime *context = d->context;
	GEMP_OWNED void *records = NULL;
	GEMP_OWNED size_t *from = NULL;
	double t = gemp_now();
	gemp_code code = flush ? flush_block(d) : GEMP_OK;
	t = gemp_timers_add(&context->timers, GEMP_PHASE_DISTINCT, t);
	GEMP_TRY(gemp_exchange_records(context->comm, code, d->outgoing.records, d->outgoing.count,
	                               d->form.words * sizeof(uint32_t), d->outgoing.owner, &records, &from,
	                               &context->traffic));
	gemp_runtime_count_forms(context, d->outgoing.count, from[context->comm->size]);
	d->outgoing.count = 0;
	t = gemp_timers_add(&context->timers, GEMP_PHASE_EXCHANGE, t);
	code = add_rows(d, NULL, records, from[context->comm->size]);
	if (flush)
		GEMP_THEN(flush_block(d));
	gemp_timers_add(&context->timers, GEMP_PHASE_DISTINCT, t);
	return gemp_comm_agree(context->comm, code);
}

/* In finished passes and in the tables. */
static gemp_count known(const distinct *d)
{
	return d->counted + gemp_class_set_count(&d->classes);
}

/* Collective. Passes all records to the next sink. `largest` is the maximum number of records of any rank. */
static gemp_code forward_classes(distinct *d, uint64_t largest)
{
	gemp_batch batch = { .vertex_count = d->form.vertex_count, .edge_count = d->form.edge_count };
	GEMP_OWNED gemp_vertex *vertices = NULL;
	GEMP_OWNED gemp_edge *edges = NULL;
	gemp_class_cursor at = { 0 };
	size_t rows = gemp_min(gemp_class_set_count(&d->classes), BATCH_ROWS);
	gemp_code code = gemp_new_all(GEMP_ARRAY(vertices, rows * (size_t)d->form.vertex_count),
	                              GEMP_ARRAY(edges, rows * (size_t)d->form.edge_count));
	GEMP_TRY(gemp_comm_agree(d->context->comm, code));
	batch.vertices = vertices;
	batch.edges = edges;
	for (uint64_t first = 0; first < largest && !d->satisfied; first += BATCH_ROWS) {
		bool again = false;
		batch.rows = gemp_class_set_read(&d->classes, &at, rows, vertices, edges);
		if (batch.rows)
			code = d->next->consume(d->next->self, &batch);
		GEMP_TRY(gemp_comm_agree(d->context->comm, code));
		GEMP_TRY(d->next->end_round(d->next->self, false, &d->satisfied, &again));
	}
	return GEMP_OK;
}

/* Begins a pass for the range of `width` hashes from `low` on, with empty tables and an empty cache. */
static void begin_pass(distinct *d, uint64_t low, uint64_t width)
{
	d->rule.low = low;
	d->rule.high = width < range_end - low ? low + width : range_end;
	d->beyond_budget = false;
	d->offered = d->added = 0;
	d->classes.numbers.expected = (size_t)d->expected;
	gemp_class_set_budget(&d->classes, d->budget);
	gemp_class_set_clear(&d->classes);
	gemp_outgoing_forget(&d->outgoing);
	gemp_recent_forms_forget(&d->recent);
	d->passes++;
}

/* Chooses the width of the next range so that its records fill 85 % of the tables, if hashes are as dense there as in
 * this pass. */
static uint64_t next_width(const distinct *d, uint64_t largest, uint64_t full_at)
{
	if (largest == 0)
		return range_end;
	double width = (double)(d->rule.high - d->rule.low) * 0.85 * (double)full_at / (double)largest;
	return width >= (double)range_end ? range_end : width < 1 ? 1 : (uint64_t)width;
}

/* Adds the classes that devices have counted. The number is enough if this pass takes all hashes and the host has no
 * class that a device may have counted, too. */
static gemp_code add_counted(distinct *d)
{
	const bool alone = d->rule.low == 0 && d->rule.high == range_end && gemp_class_set_count(&d->classes) == 0;
	GEMP_OWNED uint64_t *records = NULL;
	uint64_t classes;
	size_t at = 0, count;
	if (!d->source.read)
		return GEMP_OK;
	if (d->source.counts(d->source.self, &classes) && alone) {
		d->counted += classes;
		return GEMP_OK;
	}
	GEMP_TRY(GEMP_NEW(records, GEMP_DEVICE_SET_READ * d->form.words / 2));
	for (bool last = false; !last;) {
		GEMP_TRY(d->source.read(d->source.self, &at, records, &count, &last));
		GEMP_TRY(add_rows(d, NULL, (const uint32_t *)(const void *)records, count));
		GEMP_TRY(flush_block(d));
	}
	return GEMP_OK;
}

/* Collective. Passes on the classes of the pass, and begins the next pass if hashes are left. The rank whose tables
 * were full with the fewest records determines the width of the next pass. */
static gemp_code end_pass(distinct *d, bool *again)
{
	GEMP_TRY(add_counted(d));
	uint64_t greatest[2] = { gemp_class_set_count(&d->classes), SIZE_MAX - d->full_at };
	gemp_comm_max(d->context->comm, greatest, 2);
	if (d->next)
		GEMP_TRY(forward_classes(d, greatest[0]));
	d->counted += gemp_class_set_count(&d->classes);
	*again = d->rule.high < range_end && !d->satisfied;
	if (*again)
		begin_pass(d, d->rule.high, next_width(d, greatest[0], SIZE_MAX - greatest[1]));
	else
		gemp_class_set_clear(&d->classes);
	return GEMP_OK;
}

/* Collective. Exchanges the records of the round. All ranks then shorten their range to the shortest range of any
 * rank. */
static gemp_code continue_pass(distinct *d, bool last, bool *again)
{
	GEMP_TRY(exchange_records(d, last || d->limit));
	uint64_t removed = range_end - d->rule.high;
	gemp_comm_max(d->context->comm, &removed, 1);
	cut_range(d, range_end - removed);
	bool reached = d->limit && gemp_comm_sum1(d->context->comm, known(d)) >= d->limit;
	if (last || reached)
		GEMP_TRY(end_pass(d, again));
	if (reached) {
		d->satisfied = true;
		*again = false;
	}
	return GEMP_OK;
}

/* `next` ends its last round only once: after the last pass, or as soon as enough classes are known. */
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

/* The next sink is borrowed and stays. */
static void distinct_free(void *self)
{
	distinct *d = self;
	if (!d)
		return;
	gemp_class_set_free(&d->classes);
	gemp_class_block_free(&d->block);
	gemp_outgoing_free(&d->outgoing);
	gemp_recent_forms_free(&d->recent);
	gemp_free_all(d->rank, d->vertex, d);
}

GEMP_RELEASE(distinct_free, distinct *)

size_t gemp_distinct_memory(const gemp_runtime *context)
{
	long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
	if (context->budgets.host_memory)
		return context->budgets.host_memory / 2;
	if (pages <= 0 || page <= 0)
		return min_memory;
	return gemp_max((size_t)pages / 4 / (size_t)context->comm->node_size * (size_t)page, min_memory);
}

/* Chooses the key by which two embeddings are compared: the canonical embedding, the vertices, or the vertices and
 * edges. */
static gemp_record_key choose_key(const gemp_distinct_options *options)
{
	if (options->as_subgraph)
		return options->edge_count ? GEMP_KEY_EDGES : GEMP_KEY_PAIRS;
	return options->as_vertices || !options->chain ? GEMP_KEY_VERTICES : GEMP_KEY_ORBIT;
}

/* Key ranks are needed only if representatives are chosen by user keys. */
gemp_code gemp_distinct_new(gemp_sink *out, gemp_runtime *context, const gemp_distinct_options *options)
{
	GEMP_OWNED_BY(distinct_free_at) distinct *d = NULL;
	gemp_record_key kind = choose_key(options);
	gemp_code code = GEMP_NEW(d, 1);
	if (code == GEMP_OK) {
		d->context = context;
		d->next = options->next;
		d->limit = options->limit;
		d->rule.hash_mask = options->hash_mask ? options->hash_mask : UINT64_MAX;
		d->rule.rank = (uint64_t)context->comm->rank;
		d->rule.ranks = (uint64_t)context->comm->size;
		d->budget = options->memory ? options->memory : gemp_distinct_memory(context);
		d->full_at = SIZE_MAX;
		d->expected = fmin(options->expected / context->comm->size, max_expected);
		gemp_record_form_set(&d->form, kind, options->vertex_count, options->edge_count, options->next != NULL,
		                     options->chain, options->pairs, options->pair_count);
		d->form.hash_mask = d->rule.hash_mask;
		if (gemp_limits_now()->distinct_packed)
			gemp_record_form_pack(&d->form, options->vertices);
		gemp_class_set_init(&d->classes, &d->form, d->budget);
		d->rule.place_count = d->classes.place_count;
		code = gemp_outgoing_init(&d->outgoing, &d->form, context->comm->size, d->budget / 8);
		if (d->form.packed)
			GEMP_THEN(gemp_recent_forms_init(&d->recent, d->form.words / 2, d->budget / 16));
	}
	GEMP_TRY(gemp_comm_agree(context->comm, code));
	begin_pass(d, 0, range_end);
	if (options->graph && options->next && kind != GEMP_KEY_ORBIT)
		GEMP_TRY(gemp_key_ranks_gather(context->comm, options->graph, &d->rank, &d->vertex));
	d->form.rank = d->rank;
	d->form.vertex = d->vertex;
	*out = (gemp_sink){
		.self = d, .consume = distinct_consume, .end_round = distinct_end_round, .free = distinct_free
	};
	d = NULL;
	return GEMP_OK;
}

gemp_count gemp_distinct_count(const gemp_sink *sink)
{
	return known(sink->self);
}

uint64_t gemp_distinct_passes(const gemp_sink *sink)
{
	return ((const distinct *)sink->self)->passes;
}

bool gemp_distinct_only_counts(const gemp_sink *sink)
{
	const distinct *d = sink->self;
	return !d->next && !d->limit && d->context->comm->size == 1;
}

void gemp_distinct_take_from(const gemp_sink *sink, const gemp_form_source *source)
{
	((distinct *)sink->self)->source = source ? *source : (gemp_form_source){ 0 };
}

const gemp_packed_form *gemp_distinct_form(const gemp_sink *sink)
{
	const distinct *d = sink->self;
	return d->form.packed && d->form.columns.vertices ? &d->form.columns : NULL;
}
