#include "match/distinct/class_set.h"

#include "core/threads.h"

#include <math.h>
#include <string.h>

/* True if exchanging the points at levels i and j is an automorphism. The tuple of the numbers 0, 1, ... along the
 * chain is the smallest of its orbit. So the exchanged tuple has this tuple as its canonical form if and only if the
 * exchange is an automorphism. */
static bool exchanges(const gemp_stab_chain *chain, const int *base, int count, int i, int j)
{
	uint64_t tuple[GEMP_MAX_PATTERN_VERTICES];
	for (int k = 0; k < count; k++)
		tuple[base[k]] = (uint64_t)(k == i ? j : k == j ? i : k);
	gemp_stab_chain_canonical(chain, tuple);
	for (int k = 0; k < count; k++)
		if (tuple[base[k]] != (uint64_t)k)
			return false;
	return true;
}

/* Finds blocks of exchangeable vertices. The group consists of all permutations within blocks if and only if its order
 * (the product of the orbits along the chain) is the number of these permutations (the product of the factorials of the
 * block sizes). In this case sorting within blocks makes a tuple canonical, which is much faster than the chain. */
static void find_permutation_blocks(gemp_record_form *form)
{
	int count = form->vertex_count, base[GEMP_MAX_PATTERN_VERTICES], places = 0;
	/* at most 32!; unequal orders differ by a factor of 2 or more, which rounding cannot hide */
	double group = 1, blocks = 1;
	bool placed[GEMP_MAX_PATTERN_VERTICES] = { false };
	for (int i = 0; i < count; i++) {
		const int *orbit;
		group *= (double)gemp_stab_chain_orbit(form->chain, (size_t)i, &orbit);
		base[i] = orbit[0];
	}
	for (int i = 0; i < count; i++) {
		if (placed[i])
			continue;
		int size = 0;
		for (int j = i; j < count; j++)
			if (j == i || (!placed[j] && exchanges(form->chain, base, count, i, j))) {
				placed[j] = true;
				form->block_order[places++] = base[j];
				blocks *= ++size;
			}
		form->block_size[form->block_count++] = size;
	}
	form->sorts = blocks > group * 0.75;
}

/* A record has an embedding in addition to its key only if the caller wants representatives. A count compares only
 * keys. */
void gemp_record_form_set(gemp_record_form *form, gemp_record_key kind, int vertex_count, int edge_count, bool keep,
                          const gemp_stab_chain *chain, const int (*pairs)[2], size_t pair_count)
{
	size_t vertices = (size_t)vertex_count, embedding = vertices + 2 * (size_t)edge_count;
	GEMP_CHECK(vertex_count <= GEMP_MAX_PATTERN_VERTICES && edge_count <= GEMP_MAX_PATTERN_EDGES);
	*form = (gemp_record_form){
		.kind = kind,
		.vertex_count = vertex_count,
		.edge_count = edge_count,
		.chain = chain,
		.pairs = pairs,
		.pair_count = pair_count,
	};
	form->key_words = kind == GEMP_KEY_VERTICES ? vertices : kind == GEMP_KEY_PAIRS ? 2 * vertices : embedding;
	form->embedding = kind == GEMP_KEY_ORBIT ? 0 : form->key_words;
	form->words = form->key_words + (keep && kind != GEMP_KEY_ORBIT ? embedding : 0);
	if (kind == GEMP_KEY_ORBIT && edge_count == 0)
		find_permutation_blocks(form);
}

/* Odd-even transposition sort. It has no branches, and the compiler unrolls it if count is a constant. */
static inline void sort_network(uint32_t *words, const int count)
{
	for (int round = 0; round < count; round++)
		for (int i = round & 1; i + 1 < count; i += 2) {
			uint32_t x = words[i], y = words[i + 1];
			words[i] = x < y ? x : y;
			words[i + 1] = x < y ? y : x;
		}
}

/* Most keys are short. Unrolled networks sort up to six words, and insertion sorts more words. A general sort such as
 * qsort would cost a call for each comparison, and this function runs once for each embedding. */
static void sort_words(uint32_t *words, int count)
{
	switch (count) {
	case 0:
	case 1: return;
	case 2: sort_network(words, 2); return;
	case 3: sort_network(words, 3); return;
	case 4: sort_network(words, 4); return;
	case 5: sort_network(words, 5); return;
	case 6: sort_network(words, 6); return;
	default: break;
	}
	for (int i = 1; i < count; i++) {
		uint32_t word = words[i];
		int j = i;
		for (; j > 0 && words[j - 1] > word; j--)
			words[j] = words[j - 1];
		words[j] = word;
	}
}

/* Writes the set of vertices in ascending order, padded to `count` words. Returns the size of the set. */
static int fill_vertex_set(uint32_t *key, const gemp_vertex *vertices, int count)
{
	memcpy(key, vertices, (size_t)count * sizeof *key);
	sort_words(key, count);
	int kept = count > 0;
	for (int i = 1; i < count; i++)
		if (key[i] != key[kept - 1])
			key[kept++] = key[i];
	for (int i = kept; i < count; i++)
		key[i] = GEMP_NO_VERTEX;
	return kept;
}

/* The high word comes first, so that comparing words orders edges as comparing numbers does. */
static void fill_edges(uint32_t *words, const uint64_t *edges, int count)
{
	for (int e = 0; e < count; e++) {
		words[2 * e] = (uint32_t)(edges[e] >> 32);
		words[2 * e + 1] = (uint32_t)edges[e];
	}
}

/* Insertion sort that drops repeated edges. A homomorphism may use an edge twice. */
static void fill_edge_set(uint32_t *key, const gemp_edge *edges, int count)
{
	gemp_edge set[GEMP_MAX_PATTERN_EDGES];
	int kept = 0;
	for (int e = 0; e < count; e++) {
		int at = kept;
		while (at > 0 && set[at - 1] > edges[e])
			at--;
		if (at > 0 && set[at - 1] == edges[e])
			continue;
		memmove(&set[at + 1], &set[at], (size_t)(kept - at) * sizeof *set);
		set[at] = edges[e];
		kept++;
	}
	while (kept < count)
		set[kept++] = GEMP_NO_EDGE;
	fill_edges(key, set, count);
}

/* Returns the index of a word, by linear search, since the set has few words. */
static int find_word(const uint32_t *words, int count, uint32_t word)
{
	int at = 0;
	while (at < count && words[at] != word)
		at++;
	return at;
}

/* A simple undirected graph has at most one edge between two vertices, so one bit for each pair of vertices identifies
 * the set of edges. */
static void fill_pair_set(const gemp_record_form *form, uint32_t *bits, const uint32_t *set, int set_size,
                          const gemp_vertex *vertices)
{
	memset(bits, 0, (size_t)form->vertex_count * sizeof *bits);
	for (size_t p = 0; p < form->pair_count; p++) {
		int a = find_word(set, set_size, vertices[form->pairs[p][0]]);
		int b = find_word(set, set_size, vertices[form->pairs[p][1]]);
		bits[a < b ? a : b] |= UINT32_C(1) << (a < b ? b : a);
	}
}

/* Writes the canonical form if the group consists of all permutations within blocks. */
static void fill_sorted_blocks(const gemp_record_form *form, const gemp_vertex *vertices, uint32_t *key)
{
	const int *place = form->block_order;
	for (int b = 0; b < form->block_count; place += form->block_size[b++]) {
		uint32_t block[GEMP_MAX_PATTERN_VERTICES];
		int size = form->block_size[b];
		for (int i = 0; i < size; i++)
			block[i] = vertices[place[i]];
		sort_words(block, size);
		for (int i = 0; i < size; i++)
			key[place[i]] = block[i];
	}
}

/* Writes the vertices and then the edges of an embedding or, if the form has a chain, of the smallest embedding of its
 * orbit. */
static void fill_embedding(const gemp_record_form *form, const gemp_vertex *vertices, const gemp_edge *edges,
                           const uint32_t *rank, uint32_t *words)
{
	uint64_t tuple[GEMP_MAX_PATTERN_VERTICES + GEMP_MAX_PATTERN_EDGES];
	int count = form->vertex_count;
	for (int v = 0; v < count; v++)
		tuple[v] = rank ? rank[vertices[v]] : vertices[v];
	for (int e = 0; e < form->edge_count; e++)
		tuple[count + e] = edges[e];
	if (form->chain)
		gemp_stab_chain_canonical(form->chain, tuple);
	for (int v = 0; v < count; v++)
		words[v] = (uint32_t)tuple[v];
	fill_edges(words + count, tuple + count, form->edge_count);
}

void gemp_record_fill(const gemp_record_form *form, const gemp_batch *batch, size_t row, uint32_t *record)
{
	int count = form->vertex_count;
	const gemp_vertex *vertices = batch->vertices + row * (size_t)count;
	const gemp_edge *edges = form->edge_count ? batch->edges + row * (size_t)form->edge_count : NULL;
	if (form->kind == GEMP_KEY_ORBIT) {
		if (form->sorts)
			fill_sorted_blocks(form, vertices, record);
		else
			fill_embedding(form, vertices, edges, NULL, record);
		return;
	}
	int set_size = fill_vertex_set(record, vertices, count);
	if (form->kind == GEMP_KEY_EDGES)
		fill_edge_set(record + count, edges, form->edge_count);
	else if (form->kind == GEMP_KEY_PAIRS)
		fill_pair_set(form, record + count, record, set_size, vertices);
	if (form->embedding < form->words)
		fill_embedding(form, vertices, edges, form->rank, record + form->embedding);
}

/* Copies the embedding of a record to a row of a batch. */
static void read_record(const gemp_record_form *form, const uint32_t *record, gemp_vertex *vertices, gemp_edge *edges)
{
	const uint32_t *words = record + form->embedding;
	for (int v = 0; v < form->vertex_count; v++)
		vertices[v] = form->vertex ? form->vertex[words[v]] : words[v];
	words += form->vertex_count;
	for (int e = 0; e < form->edge_count; e++)
		edges[e] = (gemp_edge)words[2 * e] << 32 | words[2 * e + 1];
}

/* Compares the embeddings of two records word by word. Their keys are equal. */
bool gemp_record_smaller(const gemp_record_form *form, const uint32_t *a, const uint32_t *b)
{
	for (size_t w = form->key_words; w < form->words; w++)
		if (a[w] != b[w])
			return a[w] < b[w];
	return false;
}

enum {
	CHUNK = 1 << 13,          /* number of records that one thread sorts at a time */
	AHEAD = 32,               /* number of records that are added together, so that their memory is prefetched */
	WORTH_DIVIDING = 32 << 20 /* bytes; a set with a smaller budget has one table */
};

static size_t chunks_of(size_t count)
{
	return (count + CHUNK - 1) / CHUNK;
}

/* A small set has one table, since sorting its blocks by table would cost more than several threads save. */
void gemp_class_set_init(gemp_class_set *set, const gemp_record_form *form, size_t budget)
{
	*set = (gemp_class_set){ .form = form, .table_count = budget < WORTH_DIVIDING ? 1 : GEMP_MAX_CLASS_TABLES };
	for (size_t t = 0; t < set->table_count; t++)
		gemp_record_table_init(&set->table[t], form->words, form->key_words, 0);
	gemp_class_set_budget(set, budget);
}

void gemp_class_set_free(gemp_class_set *set)
{
	for (size_t t = 0; t < set->table_count; t++)
		gemp_record_table_free(&set->table[t]);
}

/* Hashes distribute classes evenly, so all tables get the same budget. */
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

void gemp_class_set_retain(gemp_class_set *set, gemp_retain_function *keep, void *context)
{
	for (size_t t = 0; t < set->table_count; t++)
		gemp_record_table_retain(&set->table[t], keep, context);
}

void gemp_class_set_clear(gemp_class_set *set)
{
	for (size_t t = 0; t < set->table_count; t++)
		gemp_record_table_clear(&set->table[t]);
}

/* The multiplication selects bits that determine neither the owner, nor the pass, nor the slot in the table. */
uint8_t gemp_class_set_place(const gemp_class_set *set, uint64_t hash)
{
	return (uint8_t)(hash * UINT64_C(0x9e3779b97f4a7c15) >> 20 & (set->table_count - 1));
}

/* The smallest embedding represents a class, so the choice does not depend on the order of arrival. */
static void keep_smaller(const gemp_record_form *form, const uint32_t *record, uint32_t *found)
{
	if (gemp_record_smaller(form, record, found))
		memcpy(found, record, form->words * sizeof *record);
}

gemp_code gemp_class_set_add(gemp_class_set *set, const uint32_t *record, uint64_t hash, bool *fits)
{
	uint32_t *found;
	bool added;
	GEMP_TRY(gemp_record_table_add(&set->table[gemp_class_set_place(set, hash)], record, hash, &found, &added));
	*fits = found != NULL;
	if (found && !added)
		keep_smaller(set->form, record, found);
	return GEMP_OK;
}

/* The arguments of add_to_table. */
typedef struct add_context {
	gemp_class_set *set;
	const gemp_class_block *block;
	const bool *fits;
} add_context;

/* Adds some records in three passes: it prefetches slots, then prefetches the records of these slots, then compares
 * records. Accesses to large tables are random, and with three passes the latencies of many records overlap. */
static void add_ahead(gemp_record_table *table, const add_context *a, const uint32_t *order, size_t count)
{
	const gemp_record_form *form = a->set->form;
	const uint64_t *hash = a->block->hash;
	for (size_t i = 0; i < count; i++) {
		__builtin_prefetch(a->block->records + order[i] * form->words);
		gemp_record_table_prefetch(table, hash[order[i]]);
	}
	for (size_t i = 0; i < count; i++)
		gemp_record_table_prefetch_record(table, hash[order[i]]);
	for (size_t i = 0; i < count; i++) {
		const uint32_t *record = a->block->records + order[i] * form->words;
		bool added;
		uint32_t *found = gemp_record_table_add_reserved(table, record, hash[order[i]], &added);
		if (!added)
			keep_smaller(form, record, found);
	}
}

/* One thread adds all records of a table, so no slot needs a lock. */
static void add_to_table(void *context, unsigned thread, size_t t)
{
	const add_context *a = context;
	(void)thread;
	if (!a->fits[t])
		return;
	gemp_record_table_rehash(&a->set->table[t]);
	size_t end = a->block->bucket_offsets[t + 1];
	for (size_t at = a->block->bucket_offsets[t]; at < end; at += AHEAD)
		add_ahead(&a->set->table[t], a, a->block->order + at, gemp_min(end - at, AHEAD));
}

/* The calling thread reserves memory before all threads add records, and releases the unused memory afterwards (see
 * gemp_record_table_reserve). */
gemp_code gemp_class_set_add_block(gemp_class_set *set, const gemp_class_block *block, bool fits[GEMP_MAX_CLASS_TABLES])
{
	gemp_code code = GEMP_OK;
	add_context a = { set, block, fits };
	for (size_t t = 0; t < set->table_count && code == GEMP_OK; t++)
		code = gemp_record_table_reserve(&set->table[t], block->bucket_offsets[t + 1] - block->bucket_offsets[t],
		                                 &fits[t]);
	if (code == GEMP_OK && block->count > CHUNK)
		gemp_parallel_for(set->table_count, add_to_table, &a);
	for (size_t t = 0; t < set->table_count && code == GEMP_OK && block->count <= CHUNK; t++)
		add_to_table(&a, 0, t);
	for (size_t t = 0; t < set->table_count; t++)
		gemp_record_table_trim(&set->table[t]);
	return code;
}

/* The arguments of read_records. */
typedef struct read_task {
	const gemp_record_form *form;
	const gemp_record_table *table;
	size_t first;
	gemp_vertex *vertices;
	gemp_edge *edges;
} read_task;

/* Copies a range of records to the rows of a batch. */
static void read_records(void *context, size_t range, size_t begin, size_t end)
{
	const read_task *r = context;
	(void)range;
	for (size_t i = begin; i < end; i++)
		read_record(r->form, gemp_record_table_record(r->table, r->first + i),
		            r->vertices + i * (size_t)r->form->vertex_count, r->edges + i * (size_t)r->form->edge_count);
}

/* Tables are read one after another. All threads read one table. */
size_t gemp_class_set_read(const gemp_class_set *set, gemp_class_cursor *at, size_t capacity, gemp_vertex *vertices,
                           gemp_edge *edges)
{
	const gemp_record_form *form = set->form;
	size_t rows = 0;
	while (at->table < set->table_count && rows < capacity) {
		const gemp_record_table *table = &set->table[at->table];
		size_t left = table->count - at->record, count = gemp_min(left, capacity - rows);
		read_task r = { form, table, at->record, vertices + rows * (size_t)form->vertex_count,
			            edges + rows * (size_t)form->edge_count };
		gemp_for_chunks(count, CHUNK, read_records, &r);
		rows += count;
		at->record = count < left ? at->record + count : 0;
		at->table += count == left;
	}
	return rows;
}

/* A larger block replaces the block. Its records are not kept. */
gemp_code gemp_class_block_reserve(gemp_class_block *block, const gemp_record_form *form, size_t capacity)
{
	if (capacity <= block->capacity)
		return GEMP_OK;
	gemp_class_block_free(block);
	GEMP_TRY(gemp_new_all(GEMP_ARRAY(block->records, capacity * form->words), GEMP_ARRAY(block->hash, capacity),
	                      GEMP_ARRAY(block->table, capacity), GEMP_ARRAY(block->order, capacity),
	                      GEMP_ARRAY(block->histogram, chunks_of(capacity) * GEMP_CLASS_PLACES)));
	block->capacity = capacity;
	return GEMP_OK;
}

void gemp_class_block_free(gemp_class_block *block)
{
	gemp_free_all(block->records, block->hash, block->table, block->order, block->histogram);
	*block = (gemp_class_block){ 0 };
}

/* First pass of the counting sort: counts the records of each table in a chunk. */
static void count_places(void *context, size_t chunk, size_t begin, size_t end)
{
	gemp_class_block *block = context;
	size_t *histogram = block->histogram + chunk * GEMP_CLASS_PLACES;
	memset(histogram, 0, GEMP_CLASS_PLACES * sizeof *histogram);
	for (size_t i = begin; i < end; i++)
		histogram[block->table[i]]++;
}

/* Second pass: writes the records of each table after the records of earlier chunks, which makes the sort stable. */
static void order_records(void *context, size_t chunk, size_t begin, size_t end)
{
	gemp_class_block *block = context;
	size_t *next = block->histogram + chunk * GEMP_CLASS_PLACES;
	for (size_t i = begin; i < end; i++)
		block->order[next[block->table[i]]++] = (uint32_t)i;
}

/* A stable counting sort by table[], on all threads. */
void gemp_class_block_sort(gemp_class_block *block)
{
	size_t chunks = chunks_of(block->count), at = 0;
	gemp_for_chunks(block->count, CHUNK, count_places, block);
	for (size_t place = 0; place < GEMP_CLASS_PLACES; place++) {
		block->bucket_offsets[place] = at;
		for (size_t chunk = 0; chunk < chunks; chunk++) {
			size_t *here = &block->histogram[chunk * GEMP_CLASS_PLACES + place], count = *here;
			*here = at;
			at += count;
		}
	}
	block->bucket_offsets[GEMP_CLASS_PLACES] = at;
	gemp_for_chunks(block->count, CHUNK, order_records, block);
}
