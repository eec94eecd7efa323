/* A bitmap over the range of all ends collects the distinct ends: bits are set by all threads and joined over the ranks
 * by a bitwise or. A table over the range of all keys, of 4 bytes a key, has the ids; the ranks send each other their
 * keys in turn. Ids are written over the ends from the start of the array, in blocks that double: the ids of ends
 * [s, 2 s) take the place of ends before s, so all threads can write a block while the ends of the block stay. */

#include "partition/build/dense_keys.h"

#include "core/limits.h"
#include "core/memory.h"
#include "core/random.h"
#include "core/threads.h"

#include <stdatomic.h>
#include <string.h>

enum {
	AHEAD = 16,             /* ends between the prefetch of a table's element and its use */
	FIRST_BLOCK = 1 << 14,  /* ends that are replaced through a copy */
	KEY_BLOCK = 1 << 20,    /* keys that a rank sends at a time */
	SMALL_TABLE = 1 << 20,  /* bytes that need no edges to pay for them */
	LARGEST_RANGE = 1 << 28 /* of a forced table */
};

/* The numbers from `first` on. */
typedef struct number_range {
	uint64_t first;
	uint64_t size; /* 0 if there are no numbers, or too many */
} number_range;

/* Numbers that all threads read, and their extremes. */
typedef struct extremes {
	const uint64_t *numbers;
	const int64_t *keys; /* instead of numbers */
	_Atomic uint64_t low, high;
} extremes;

/* The keys of a column are signed. */
static void find_extremes(void *context, size_t begin, size_t end)
{
	extremes *e = context;
	uint64_t low = UINT64_MAX, high = 0;
	for (size_t i = begin; i < end; i++) {
		uint64_t number = e->keys ? gemp_integer_number(e->keys[i]) : e->numbers[i];
		low = gemp_min(low, number);
		high = gemp_max(high, number);
	}
	for (uint64_t known = e->low; low < known && !atomic_compare_exchange_weak(&e->low, &known, low);)
		;
	for (uint64_t known = e->high; high > known && !atomic_compare_exchange_weak(&e->high, &known, high);)
		;
}

static uint64_t count_ends(const gemp_builder *builder)
{
	uint64_t count = 0;
	for (size_t p = 0; p < builder->part_count; p++)
		count += 2 * builder->parts[p].edges.count;
	return count;
}

/* Collective. A table of `bits` bits a number is small if it takes less memory than the ends of a rank's share of the
 * edges, of 8 bytes each. */
static number_range agree_on_range(const gemp_builder *builder, const extremes *found, uint64_t bits)
{
	uint64_t bounds[2] = { ~found->low, found->high };
	gemp_comm_max(builder->comm, bounds, 2);
	uint64_t low = ~bounds[0], high = bounds[1], ends = gemp_comm_sum1(builder->comm, count_ends(builder));
	const int wanted = gemp_limits_now()->dense_keys;
	uint64_t bytes = SMALL_TABLE + ends / (uint64_t)builder->comm->size * sizeof(uint64_t);
	uint64_t most = gemp_min(wanted > 0 ? LARGEST_RANGE : bytes * 8 / bits, UINT32_MAX);
	if (wanted == 0 || low > high || high - low >= most)
		return (number_range){ 0, 0 };
	return (number_range){ low, high - low + 1 };
}

/* Collective. The range of the ends of all edges. */
static number_range range_of_ends(const gemp_builder *builder)
{
	extremes found = { .low = UINT64_MAX };
	for (size_t p = 0; p < builder->part_count; p++) {
		found.numbers = builder->parts[p].edges.ends;
		gemp_for_elements(2 * builder->parts[p].edges.count, find_extremes, &found);
	}
	return agree_on_range(builder, &found, 1);
}

/* The bitmap of the ends, and the ends of a part. */
typedef struct end_marks {
	_Atomic uint64_t *words;
	const uint64_t *ends;
	uint64_t first;
	const gemp_builder *builder;
	uint64_t *picked; /* [ends that this rank owns] */
	uint64_t *before; /* [words + 1] owned ends in a word, then before a word */
} end_marks;

/* Most ends are marked already, and reading shares the cache line among the threads. */
static void mark_ends(void *context, size_t begin, size_t end)
{
	const end_marks *m = context;
	for (size_t i = begin; i < end; i++) {
		uint64_t place = m->ends[i] - m->first, bit = UINT64_C(1) << place % 64;
		if (i + AHEAD < end)
			__builtin_prefetch(&m->words[(m->ends[i + AHEAD] - m->first) / 64]);
		if (!(atomic_load_explicit(&m->words[place / 64], memory_order_relaxed) & bit))
			atomic_fetch_or_explicit(&m->words[place / 64], bit, memory_order_relaxed);
	}
}

/* Clears the bits of the ends that other ranks own, and counts the bits that stay. */
static void keep_owned(void *context, size_t begin, size_t end)
{
	const end_marks *m = context;
	const gemp_comm *comm = m->builder->comm;
	for (size_t w = begin; w < end; w++) {
		uint64_t word = m->words[w], left = word;
		for (; left && comm->size > 1; left &= left - 1) {
			uint64_t number = m->first + w * 64 + (uint64_t)__builtin_ctzll(left), hash;
			gemp_hash_keys(&number, 1, GEMP_KEY_OF_INTEGER, m->builder->options.seed, &hash);
			if (gemp_builder_key_owner(m->builder, hash) != comm->rank)
				word &= ~(left & -left);
		}
		m->words[w] = word;
		m->before[w + 1] = (uint64_t)__builtin_popcountll(word);
	}
}

static void pick_ends(void *context, size_t begin, size_t end)
{
	const end_marks *m = context;
	for (size_t w = begin; w < end; w++) {
		uint64_t *out = m->picked + m->before[w];
		for (uint64_t left = m->words[w]; left; left &= left - 1)
			*out++ = m->first + w * 64 + (uint64_t)__builtin_ctzll(left);
	}
}

/* Collective. Joins the bitmaps of all ranks. */
static void join_marks(const gemp_comm *comm, uint64_t *words, size_t count)
{
	for (size_t at = 0; at < count && comm->size > 1; at += KEY_BLOCK)
		GEMP_MPI(MPI_Allreduce(MPI_IN_PLACE, words + at, (int)gemp_min(count - at, KEY_BLOCK), MPI_UINT64_T, MPI_BOR,
		                       comm->world));
}

gemp_code gemp_dense_ends(gemp_builder *builder, bool *dense, uint64_t **numbers, size_t *count)
{
	const number_range range = range_of_ends(builder);
	const size_t words = (size_t)(range.size + 63) / 64;
	GEMP_OWNED uint64_t *marks = NULL, *before = NULL;
	*dense = range.size > 0;
	if (!*dense)
		return GEMP_OK;
	GEMP_TRY(gemp_comm_agree(builder->comm, gemp_new_all(GEMP_ARRAY(marks, words), GEMP_ARRAY(before, words + 1))));
	end_marks m = { .words = (_Atomic uint64_t *)marks, .first = range.first, .builder = builder, .before = before };
	for (size_t p = 0; p < builder->part_count; p++) {
		m.ends = builder->parts[p].edges.ends;
		gemp_for_elements(2 * builder->parts[p].edges.count, mark_ends, &m);
	}
	join_marks(builder->comm, marks, words);
	gemp_for_elements(words, keep_owned, &m);
	gemp_prefix_inclusive(before, words + 1);
	*count = before[words];
	GEMP_TRY(gemp_comm_agree(builder->comm, GEMP_NEW(*numbers, *count)));
	m.picked = *numbers;
	gemp_for_elements(words, pick_ends, &m);
	return GEMP_OK;
}

/* The table of ids, and the ends that are looked up. */
typedef struct id_table {
	number_range range;
	gemp_vertex *ids;    /* [range.size] GEMP_NO_VERTEX: no vertex has the key; NULL: the place of a key is its id */
	const int64_t *keys; /* keys of vertices with consecutive ids from `first` on */
	gemp_vertex first;
	const uint64_t *ends; /* looked up from ends[offset] on */
	gemp_vertex *out;     /* [ends] */
	size_t offset;
	atomic_bool unknown;
} id_table;

static void clear_ids(void *context, size_t begin, size_t end)
{
	const id_table *t = context;
	memset(t->ids + begin, 0xff, (end - begin) * sizeof *t->ids);
}

static void enter_keys(void *context, size_t begin, size_t end)
{
	const id_table *t = context;
	for (size_t i = begin; i < end; i++)
		t->ids[gemp_integer_number(t->keys[i]) - t->range.first] = t->first + (gemp_vertex)i;
}

/* Collective. Enters the keys of all ranks. Each rank sends its keys in blocks. */
static gemp_code enter_all(const gemp_comm *comm, const gemp_shard *graph, id_table *t)
{
	GEMP_OWNED int64_t *block = NULL;
	GEMP_TRY(gemp_comm_agree(comm, comm->size > 1 ? GEMP_NEW(block, KEY_BLOCK) : GEMP_OK));
	gemp_for_elements(t->range.size, clear_ids, t);
	t->keys = graph->keys.integers;
	t->first = (gemp_vertex)graph->first_vertex;
	gemp_for_elements(graph->rows, enter_keys, t);
	for (int r = 0; r < comm->size && comm->size > 1; r++)
		for (uint64_t at = graph->bounds[r]; at < graph->bounds[r + 1]; at += KEY_BLOCK) {
			size_t count = (size_t)gemp_min(graph->bounds[r + 1] - at, KEY_BLOCK);
			if (r == comm->rank)
				memcpy(block, graph->keys.integers + (at - graph->first_vertex), count * sizeof *block);
			GEMP_MPI(MPI_Bcast(block, (int)count, MPI_INT64_T, r, comm->world));
			t->keys = block;
			t->first = (gemp_vertex)at;
			gemp_for_elements(count, enter_keys, t);
		}
	return GEMP_OK;
}

static void find_ids(void *context, size_t begin, size_t end)
{
	id_table *t = context;
	const uint64_t *ends = t->ends + t->offset, first = t->range.first, size = t->range.size;
	gemp_vertex *out = t->out + t->offset;
	bool unknown = false;
	for (size_t i = begin; i < end; i++) {
		uint64_t place = ends[i] - first;
		if (i + AHEAD < end && t->ids)
			__builtin_prefetch(&t->ids[gemp_min(ends[i + AHEAD] - first, size - 1)]);
		gemp_vertex id = place >= size ? GEMP_NO_VERTEX : t->ids ? t->ids[place] : (gemp_vertex)place;
		out[i] = id;
		unknown |= id == GEMP_NO_VERTEX;
	}
	if (unknown)
		t->unknown = true;
}

/* The first block is replaced through a copy. Each later block is as long as all blocks before it. */
static gemp_code replace_ends(id_table *t, gemp_edge_list *edges, gemp_unknown_end *unknown)
{
	gemp_vertex copy[FIRST_BLOCK];
	size_t count = 2 * edges->count;
	gemp_code code = GEMP_OK;
	t->ends = edges->ends;
	for (size_t begin = 0, end = gemp_min(count, FIRST_BLOCK); begin < end; end = gemp_min(count, 2 * end)) {
		t->out = begin ? (gemp_vertex *)edges->ends : copy;
		t->offset = begin;
		t->unknown = false;
		gemp_for_elements(end - begin, find_ids, t);
		if (t->unknown && code == GEMP_OK)
			code = gemp_unknown_ends_note(edges, begin, t->out + begin, end - begin, unknown);
		if (begin == 0)
			memcpy(edges->ends, copy, end * sizeof *copy);
		begin = end;
	}
	GEMP_THEN(gemp_edge_list_use_ids(edges));
	return code;
}

/* Ordered keys are ids. */
static gemp_code ordered_ids(gemp_builder *builder, gemp_unknown_end *unknown)
{
	id_table t = { .range = { gemp_integer_number(0), builder->options.ordered_keys } };
	gemp_code code = GEMP_OK;
	for (size_t p = 0; p < builder->part_count; p++)
		GEMP_THEN(replace_ends(&t, &builder->parts[p].edges, unknown));
	return gemp_comm_agree(builder->comm, code);
}

gemp_code gemp_dense_ids(gemp_builder *builder, const gemp_shard *graph, bool *dense, gemp_unknown_end *unknown)
{
	if (builder->options.ordered_keys) {
		*dense = true;
		return ordered_ids(builder, unknown);
	}
	extremes found = { .keys = graph->keys.integers, .low = UINT64_MAX };
	gemp_for_elements(graph->rows, find_extremes, &found);
	id_table t = { .range = agree_on_range(builder, &found, 8 * sizeof(gemp_vertex)) };
	GEMP_OWNED gemp_vertex *ids = NULL;
	gemp_code code = GEMP_OK;
	*dense = t.range.size > 0;
	if (!*dense)
		return GEMP_OK;
	GEMP_TRY(gemp_comm_agree(builder->comm, GEMP_NEW(ids, t.range.size)));
	t.ids = ids;
	GEMP_TRY(enter_all(builder->comm, graph, &t));
	for (size_t p = 0; p < builder->part_count; p++)
		GEMP_THEN(replace_ends(&t, &builder->parts[p].edges, unknown));
	return gemp_comm_agree(builder->comm, code);
}
