/* The records are cut into chunks. Each chunk counts its records by bucket, prefix sums over buckets, then chunks, turn
 * the counts into places, and each chunk scatters its records. To save memory, reversing scatters the records of some
 * buckets at a time (a group) and reads the rows again for each group.
 *
 * A record is (row, slot) or (row, slot, index within the chunk), 32 bits each, with rows counted from the first. */

#include "partition/build/row_partition.h"

#include "core/limits.h"
#include "core/memory.h"
#include "core/pages.h"
#include "core/threads.h"

#include <stdatomic.h>
#include <string.h>

enum {
	MAX_BUCKETS = 2048,
	COMBINED = 16, /* records of a bucket that are collected before they are written */
	MAX_WIDTH = 3, /* 32-bit numbers of a record */
};

/* Memory of one thread. Bodies of loops cannot return codes, so a failed allocation is kept here. */
typedef struct partition_thread {
	uint32_t *combined;         /* [buckets][COMBINED][width], in the memory of all threads */
	unsigned char *waiting;     /* [buckets] records in `combined` */
	size_t *next;               /* [buckets] next place of this chunk in the records */
	uint64_t *places;           /* [rows of a bucket + 1], in the memory of all threads */
	gemp_vertex *slots, *spare; /* [capacity]; slots is NULL if nothing is dropped */
	gemp_edge *spare_edges;     /* [capacity]; NULL if records have two numbers */
	size_t capacity;
	gemp_code code;
} partition_thread;

typedef struct partition {
	gemp_row_builder *to;
	gemp_record_source source;
	uint64_t count; /* pairs, or slots of the rows that are reversed */
	size_t chunks, buckets, width;
	unsigned shift;                /* bucket = row >> shift */
	unsigned bits;                 /* slots are below 2^bits */
	uint64_t *places;              /* [chunks][buckets] */
	uint64_t *bucket_begin;        /* [buckets + 1] */
	size_t group_begin, group_end; /* the buckets that are scattered now */
	uint32_t *records;             /* the records of the group, `width` numbers each */
	uint64_t *kept;                /* [buckets] records that stay */
	bool drop;                     /* only with `width` 2 */
	atomic_bool parallel;
	unsigned threads;
	partition_thread *thread; /* [threads] */
	/* the arrays of all threads, of which each thread touches its own: together they are large blocks, which are not
	 * cleared by the thread that allocates them */
	uint32_t *thread_combined; /* [threads][buckets][COMBINED][width] */
	uint64_t *thread_places;   /* [threads][rows of a bucket + 1] */
} partition;

static void free_partition(partition *p)
{
	for (unsigned t = 0; p->thread && t < p->threads; t++) {
		partition_thread *own = &p->thread[t];
		gemp_free_all(own->waiting, own->next, own->slots, own->spare, own->spare_edges);
	}
	gemp_free_all(p->source.list_begin, p->places, p->bucket_begin, p->records, p->kept, p->thread, p->thread_combined,
	              p->thread_places);
}

static uint64_t chunk_begin(const partition *p, size_t chunk)
{
	return gemp_chunk_begin(p->count, p->chunks, chunk);
}

/* Buckets and chunks are large enough to pay for their counters. An index within a chunk must fit into 32 bits. */
static gemp_code prepare(partition *p)
{
	const uint64_t size = gemp_max(gemp_limits_now()->rows_bucket, 1);
	const uint64_t wanted = gemp_min(gemp_max((p->source.both ? 2 * p->count : p->count) / size, 1), MAX_BUCKETS);
	while (p->to->rows && (p->to->rows - 1) >> p->shift >= wanted)
		p->shift++;
	p->buckets = p->to->rows ? ((p->to->rows - 1) >> p->shift) + 1 : 1;
	p->threads = gemp_threads();
	p->chunks = gemp_max(gemp_min(p->count / size + 1, (size_t)4 * p->threads), (p->count >> 31) + 1);
	GEMP_TRY(gemp_new_all(GEMP_ARRAY(p->thread, p->threads), GEMP_ARRAY(p->places, p->chunks * p->buckets),
	                      GEMP_ARRAY(p->bucket_begin, p->buckets + 1), GEMP_ARRAY(p->kept, p->buckets)));
	GEMP_TRY(GEMP_NEW_UNSET(p->to->begin, p->to->rows + 1));
	p->to->begin[0] = 0;
	const size_t combined = p->buckets * COMBINED * p->width, places = ((size_t)1 << p->shift) + 1;
	GEMP_TRY(gemp_new_all(GEMP_ARRAY(p->thread_combined, p->threads * combined),
	                      GEMP_ARRAY(p->thread_places, p->threads * places)));
	for (unsigned t = 0; t < p->threads; t++) {
		partition_thread *own = &p->thread[t];
		own->combined = p->thread_combined + t * combined;
		own->places = p->thread_places + t * places;
		GEMP_TRY(gemp_new_all(GEMP_ARRAY(own->waiting, p->buckets), GEMP_ARRAY(own->next, p->buckets)));
	}
	return GEMP_OK;
}

static void count_chunk(void *context, unsigned thread, size_t chunk)
{
	const partition *p = context;
	uint64_t *counts = p->places + chunk * p->buckets;
	gemp_record_batch batch;
	(void)thread;
	gemp_record_batch_open(&batch, &p->source, chunk_begin(p, chunk), chunk_begin(p, chunk + 1));
	while (gemp_record_batch_read(&batch, &p->source))
		for (size_t i = 0; i < batch.count; i++)
			counts[batch.row[i] >> p->shift]++;
}

/* Places go by bucket, then by chunk, so the records of a bucket stay in their order. */
static void count_records(partition *p)
{
	uint64_t sum = 0;
	gemp_parallel_for(p->chunks, count_chunk, p);
	for (size_t b = 0; b < p->buckets; b++) {
		p->bucket_begin[b] = sum;
		for (size_t c = 0; c < p->chunks; c++) {
			uint64_t here = p->places[c * p->buckets + b];
			p->places[c * p->buckets + b] = sum;
			sum += here;
		}
	}
	p->bucket_begin[p->buckets] = sum;
}

/* Writes the collected records of a bucket. */
static void flush(const partition *p, partition_thread *own, size_t bucket, size_t width)
{
	size_t count = own->waiting[bucket];
	memcpy(p->records + own->next[bucket] * width, own->combined + bucket * COMBINED * width,
	       count * width * sizeof(uint32_t));
	own->next[bucket] += count;
	own->waiting[bucket] = 0;
}

/* Records of other groups are sorted out first, without a branch. */
static inline __attribute__((always_inline)) void scatter(const partition *p, partition_thread *own, size_t chunk,
                                                          size_t width)
{
	const size_t first = p->group_begin, buckets = p->group_end - p->group_begin;
	const uint64_t begin = chunk_begin(p, chunk);
	gemp_record_batch batch;
	gemp_record_batch_open(&batch, &p->source, chunk_begin(p, chunk), chunk_begin(p, chunk + 1));
	for (uint64_t at = batch.at; gemp_record_batch_read(&batch, &p->source); at = batch.at) {
		uint16_t chosen[GEMP_BATCH_RECORDS];
		size_t count = 0;
		for (size_t i = 0; i < batch.count; i++) {
			chosen[count] = (uint16_t)i;
			count += (batch.row[i] >> p->shift) - first < buckets;
		}
		for (size_t c = 0; c < count; c++) {
			size_t i = chosen[c], bucket = batch.row[i] >> p->shift;
			uint32_t *record = own->combined + (bucket * COMBINED + own->waiting[bucket]) * width;
			record[0] = batch.row[i];
			record[1] = batch.slot[i];
			if (width == MAX_WIDTH)
				record[2] = (uint32_t)(at - begin + i);
			if (++own->waiting[bucket] == COMBINED)
				flush(p, own, bucket, width);
		}
	}
	for (size_t bucket = p->group_begin; bucket < p->group_end; bucket++)
		flush(p, own, bucket, width);
}

/* The function is inlined once for each width, so the copies have constant sizes. */
static void scatter_chunk(void *context, unsigned thread, size_t chunk)
{
	const partition *p = context;
	partition_thread *own = &p->thread[thread];
	for (size_t b = p->group_begin; b < p->group_end; b++)
		own->next[b] = (size_t)(p->places[chunk * p->buckets + b] - p->bucket_begin[p->group_begin]);
	if (p->width == MAX_WIDTH)
		scatter(p, own, chunk, MAX_WIDTH);
	else
		scatter(p, own, chunk, 2);
}

/* Makes room for the slots of one bucket. The old content is not needed. */
static gemp_code reserve(const partition *p, partition_thread *own, size_t count)
{
	if (count <= own->capacity)
		return GEMP_OK;
	gemp_free_all(own->slots, own->spare, own->spare_edges);
	own->slots = own->spare = NULL;
	own->spare_edges = NULL;
	own->capacity = 0;
	GEMP_TRY(GEMP_NEW(own->spare, count));
	if (p->drop)
		GEMP_TRY(GEMP_NEW(own->slots, count));
	if (p->width == MAX_WIDTH)
		GEMP_TRY(GEMP_NEW(own->spare_edges, count));
	own->capacity = count;
	return GEMP_OK;
}

/* The rows of a bucket, and the place of its first record in the group's records. */
typedef struct bucket_range {
	size_t first, rows;
	uint64_t begin, count;
	uint32_t *records;
} bucket_range;

static bucket_range bucket_at(const partition *p, size_t bucket)
{
	bucket_range range = { .first = bucket << p->shift, .begin = p->bucket_begin[bucket] };
	range.rows = gemp_min(p->to->rows - range.first, (size_t)1 << p->shift);
	range.count = p->bucket_begin[bucket + 1] - range.begin;
	range.records = p->records + (range.begin - p->bucket_begin[p->group_begin]) * p->width;
	return range;
}

/* places[row] becomes the place of the row's first slot, from `before` on. */
static void find_places(const bucket_range *range, size_t width, uint64_t *places, uint64_t before)
{
	memset(places, 0, (range->rows + 1) * sizeof *places);
	for (uint64_t i = 0; i < range->count; i++)
		places[range->records[i * width] - range->first + 1]++;
	places[0] = before;
	for (size_t r = 0; r < range->rows; r++)
		places[r + 1] += places[r];
}

/* Moves the bucket's records to the places of their rows, in their order. Chunk by chunk, as the index of a record is
 * counted from the begin of its chunk. first_edge: the number of record 0 */
static void place_records(const partition *p, size_t bucket, const bucket_range *range, uint64_t *places,
                          uint64_t first_edge, gemp_vertex *slots, gemp_edge *edges)
{
	if (!edges) {
		for (uint64_t i = 0; i < range->count; i++)
			slots[places[range->records[2 * i] - range->first]++] = range->records[2 * i + 1];
		return;
	}
	for (size_t c = 0; c < p->chunks; c++) {
		uint64_t begin = p->places[c * p->buckets + bucket] - range->begin, base = first_edge + chunk_begin(p, c);
		uint64_t end = c + 1 < p->chunks ? p->places[(c + 1) * p->buckets + bucket] - range->begin : range->count;
		for (uint64_t i = begin; i < end; i++) {
			const uint32_t *record = range->records + i * MAX_WIDTH;
			uint64_t place = places[record[0] - range->first]++;
			slots[place] = record[1];
			edges[place] = base + record[2];
		}
	}
}

/* Copies the first of each group of equal slots to an earlier place. Returns the number of copied slots. */
static size_t unite(gemp_vertex *to, const gemp_vertex *slots, size_t count)
{
	size_t kept = 0;
	for (size_t i = 0; i < count; i++) {
		to[kept] = slots[i];
		kept += i + 1 == count || slots[i + 1] != slots[i];
	}
	return kept;
}

static void note_parallel(partition *p, const gemp_vertex *slots, size_t count)
{
	bool found = false;
	for (size_t i = 1; i < count; i++)
		found |= slots[i] == slots[i - 1];
	if (found)
		atomic_store_explicit(&p->parallel, true, memory_order_relaxed);
}

/* Makes the rows of one bucket at their places, which follow from the numbers of records. */
static void make_bucket(void *context, unsigned thread, size_t bucket)
{
	partition *p = context;
	partition_thread *own = &p->thread[thread];
	const bucket_range range = bucket_at(p, bucket);
	gemp_row_builder *to = p->to;
	if (own->code == GEMP_OK)
		own->code = reserve(p, own, range.count);
	if (own->code != GEMP_OK)
		return;
	find_places(&range, p->width, own->places, range.begin);
	memcpy(to->begin + range.first + 1, own->places + 1, range.rows * sizeof *to->begin);
	place_records(p, bucket, &range, own->places, 0, to->slots, to->edges);
	uint64_t at = range.begin;
	for (size_t r = 0; r < range.rows; r++) {
		size_t count = own->places[r] - at; /* the place is the end of the row now */
		if (count > 1) {
			gemp_row_sort(to->slots + at, to->edges ? to->edges + at : NULL, count, p->bits, own->spare,
			              own->spare_edges);
			note_parallel(p, to->slots + at, count);
		}
		at += count;
	}
}

/* Sorts the rows of one bucket and drops slots that repeat the slot before. begin[row + 1] becomes the length of a row.
 * Kept slots are written over the records, which take at least twice as much memory. */
static void drop_in_bucket(void *context, unsigned thread, size_t bucket)
{
	partition *p = context;
	partition_thread *own = &p->thread[thread];
	const bucket_range range = bucket_at(p, bucket);
	size_t kept = 0;
	if (own->code == GEMP_OK)
		own->code = reserve(p, own, range.count);
	if (own->code != GEMP_OK)
		return;
	find_places(&range, p->width, own->places, 0);
	place_records(p, bucket, &range, own->places, 0, own->slots, NULL);
	for (size_t r = 0, at = 0; r < range.rows; r++) {
		size_t count = own->places[r] - at;
		gemp_row_sort(own->slots + at, NULL, count, p->bits, own->spare, NULL);
		size_t length = unite(own->slots + kept, own->slots + at, count);
		p->to->begin[range.first + r + 1] = length;
		kept += length;
		at += count;
	}
	p->kept[bucket] = kept;
	if (kept)
		memcpy(range.records, own->slots, kept * sizeof *own->slots);
}

/* Copies the kept slots of a bucket to their place. */
static void copy_bucket(void *context, unsigned thread, size_t bucket)
{
	const partition *p = context;
	const bucket_range range = bucket_at(p, bucket);
	(void)thread;
	if (p->kept[bucket])
		memcpy(p->to->slots + p->to->begin[range.first], range.records, p->kept[bucket] * sizeof *p->to->slots);
}

static gemp_code loop_code(const partition *p)
{
	for (unsigned t = 0; t < p->threads; t++)
		if (p->thread[t].code != GEMP_OK)
			return gemp_fail(GEMP_ENOMEM, "out of memory for the rows of a partition of edges; use more ranks");
	return GEMP_OK;
}

/* Rows of which nothing is dropped have known places. */
static gemp_code make_rows(partition *p)
{
	const size_t buckets = p->to->rows ? p->buckets : 0;
	GEMP_TRY(GEMP_NEW_UNSET(p->to->slots, p->bucket_begin[p->buckets]));
	gemp_parallel_for(buckets, make_bucket, p);
	return loop_code(p);
}

/* The slots are allocated when their number is known. */
static gemp_code make_distinct_rows(partition *p)
{
	const size_t buckets = p->to->rows ? p->buckets : 0;
	gemp_parallel_for(buckets, drop_in_bucket, p);
	GEMP_TRY(loop_code(p));
	gemp_prefix_inclusive(p->to->begin, p->to->rows + 1);
	GEMP_TRY(GEMP_NEW_UNSET(p->to->slots, p->to->begin[p->to->rows]));
	gemp_parallel_for(buckets, copy_bucket, p);
	return GEMP_OK;
}

/* The pairs are freed before the slots are allocated. */
static gemp_code make(partition *p, gemp_pair_list *consumed)
{
	gemp_record_source *source = &p->source;
	GEMP_TRY(GEMP_NEW(source->list_begin, source->list_count + 1));
	for (size_t i = 0; i < source->list_count; i++)
		source->list_begin[i + 1] = source->list_begin[i] + source->lists[i].count;
	p->count = source->list_begin[source->list_count];
	GEMP_TRY(prepare(p));
	count_records(p);
	GEMP_TRY(GEMP_NEW_UNSET(p->records, p->bucket_begin[p->buckets] * p->width));
	if (p->width == MAX_WIDTH)
		GEMP_TRY(GEMP_NEW_UNSET(p->to->edges, p->count));
	p->group_end = p->buckets;
	gemp_parallel_for(p->chunks, scatter_chunk, p);
	for (size_t i = 0; consumed && i < source->list_count; i++) {
		gemp_free(consumed[i].pairs);
		consumed[i].pairs = NULL;
	}
	return p->drop ? make_distinct_rows(p) : make_rows(p);
}

/* The bits of the largest slot limit the number of digits that the radix sort reads. */
static unsigned slot_bits(uint64_t vertices)
{
	unsigned bits = 1;
	while (bits < 32 && vertices >> bits)
		bits++;
	return bits;
}

gemp_code gemp_row_partition_make(gemp_row_builder *rows, gemp_pair_list *lists, size_t count, uint64_t vertices,
                                  bool both, bool drop, bool *parallel)
{
	GEMP_OWNED_BY(free_partition)
	partition p = { .to = rows,
		            .source = { rows->rows, rows->first, .lists = lists, .list_count = count, .both = both },
		            .width = 2,
		            .drop = drop };
	p.bits = slot_bits(vertices);
	GEMP_TRY(make(&p, lists));
	*parallel = p.parallel;
	return GEMP_OK;
}

gemp_code gemp_row_builder_make(gemp_row_builder *rows, const gemp_edge_pair *pairs, size_t count, uint64_t vertices,
                                bool numbered, bool *parallel)
{
	const gemp_pair_list list = { (gemp_edge_pair *)(uintptr_t)pairs, count };
	GEMP_OWNED_BY(free_partition)
	partition p = { .to = rows,
		            .source = { rows->rows, rows->first, .lists = &list, .list_count = 1 },
		            .width = numbered ? MAX_WIDTH : 2 };
	p.bits = slot_bits(vertices);
	GEMP_TRY(make(&p, NULL));
	*parallel = p.parallel;
	return GEMP_OK;
}

/* The records of a bucket are in the order of their source rows, so the rows ascend. */
static void reverse_bucket(void *context, unsigned thread, size_t number)
{
	const partition *p = context;
	uint64_t *places = p->thread[thread].places;
	const bucket_range range = bucket_at(p, p->group_begin + number);
	find_places(&range, p->width, places, range.begin);
	memcpy(p->to->begin + range.first + 1, places + 1, range.rows * sizeof *places);
	place_records(p, p->group_begin + number, &range, places, p->source.from->first_edge, p->to->slots, p->to->edges);
}

/* A group has at least one bucket, and as many as its memory allows. */
static size_t end_of_group(const partition *p, uint64_t size)
{
	size_t end = p->group_begin + 1;
	while (end < p->buckets && p->bucket_begin[end + 1] - p->bucket_begin[p->group_begin] <= size)
		end++;
	return end;
}

/* A quarter of the edges at a time: a record has the size of the slot and the edge number that are made of it. */
gemp_code gemp_row_partition_reverse(gemp_row_builder *rows, const gemp_rows_to_reverse *from)
{
	GEMP_OWNED_BY(free_partition)
	partition p = { .to = rows,
		            .source = { rows->rows, rows->first, .from = from },
		            .count = from->begin[from->rows],
		            .width = MAX_WIDTH };
	GEMP_TRY(prepare(&p));
	count_records(&p);
	const uint64_t size = gemp_max(p.count / 4, gemp_limits_now()->rows_reversed);
	uint64_t largest = 0;
	for (; p.group_begin < p.buckets; p.group_begin = p.group_end) {
		p.group_end = end_of_group(&p, size);
		largest = gemp_max(largest, p.bucket_begin[p.group_end] - p.bucket_begin[p.group_begin]);
	}
	GEMP_TRY(GEMP_NEW_UNSET(p.records, largest * p.width));
	GEMP_TRY(GEMP_NEW_UNSET(rows->slots, p.count));
	GEMP_TRY(GEMP_NEW_UNSET(rows->edges, p.count));
	for (p.group_begin = 0; rows->rows && p.group_begin < p.buckets; p.group_begin = p.group_end) {
		p.group_end = end_of_group(&p, size);
		gemp_parallel_for(p.chunks, scatter_chunk, &p);
		gemp_parallel_for(p.group_end - p.group_begin, reverse_bucket, &p);
	}
	return GEMP_OK;
}
