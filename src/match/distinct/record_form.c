#include "match/distinct/record_form.h"

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

/* Vertices are the digits of one or two numbers. The first number is 1 more than its digits say, so it is never 0. */
static void pack(const gemp_record_form *form, const uint32_t *key, uint32_t *record)
{
	uint64_t words[GEMP_NUMBER_WORDS] = { 0 };
	const uint64_t base = form->base;
	const int count = form->vertex_count, first = count < form->digits ? count : form->digits;
	for (int v = 0; v < first; v++)
		words[0] = words[0] * base + (key[v] < base ? key[v] : base - 1);
	for (int v = first; v < count; v++)
		words[1] = words[1] * base + (key[v] < base ? key[v] : base - 1);
	words[0]++;
	if (form->words == 2) /* a copy of constant size needs no call */
		memcpy(record, words, sizeof *words);
	else
		memcpy(record, words, sizeof words);
}

/* Writes the canonical embedding, or returns where it is already. Images are nearly always distinct, except under
 * homomorphisms. */
static const uint32_t *fill_orbit(const gemp_record_form *form, const gemp_vertex *vertices, const gemp_edge *edges,
                                  uint32_t scratch[2][GEMP_MAX_POINTS], uint32_t *key)
{
	const uint32_t *found = NULL;
	if (form->sorts) {
		fill_sorted_blocks(form, vertices, key);
		return key;
	}
	if (!form->edge_count)
		found = gemp_stab_chain_canonical_words(form->chain, vertices, scratch);
	if (found)
		return found;
	fill_embedding(form, vertices, edges, NULL, key);
	return key;
}

/* Writes the set of vertices, then what else the key has, then the embedding. */
static void fill_set(const gemp_record_form *form, const gemp_vertex *vertices, const gemp_edge *edges,
                     uint32_t *record)
{
	const int count = form->vertex_count, set_size = fill_vertex_set(record, vertices, count);
	if (form->kind == GEMP_KEY_EDGES)
		fill_edge_set(record + count, edges, form->edge_count);
	else if (form->kind == GEMP_KEY_PAIRS)
		fill_pair_set(form, record + count, record, set_size, vertices);
	if (form->embedding < form->words)
		fill_embedding(form, vertices, edges, form->rank, record + form->embedding);
}

static void fill_row(const gemp_record_form *form, const gemp_batch *batch, size_t row, uint32_t *record)
{
	const gemp_vertex *vertices = batch->vertices + row * (size_t)form->vertex_count;
	const gemp_edge *edges = form->edge_count ? batch->edges + row * (size_t)form->edge_count : NULL;
	uint32_t buffer[GEMP_MAX_PATTERN_VERTICES], scratch[2][GEMP_MAX_POINTS];
	uint32_t *key = form->packed ? buffer : record;
	const uint32_t *filled = key;
	if (form->kind == GEMP_KEY_ORBIT)
		filled = fill_orbit(form, vertices, edges, scratch, key);
	else
		fill_set(form, vertices, edges, key);
	if (form->packed)
		pack(form, filled, record);
	else if (filled != record)
		memcpy(record, filled, form->words * sizeof *record);
}

/* Short keys are packed in blocks, which takes a fifth of the time of fill_row. Rows in which a vertex repeats are
 * rare. */
void gemp_record_fill(const gemp_record_form *form, const gemp_batch *batch, size_t first, size_t rows,
                      uint32_t *records)
{
	size_t row = 0;
	for (; form->columns.vertices && row + GEMP_PACKED_ROWS <= rows; row += GEMP_PACKED_ROWS) {
		uint64_t numbers[GEMP_PACKED_ROWS * GEMP_NUMBER_WORDS];
		const gemp_vertex *vertices = batch->vertices + (first + row) * form->columns.vertices;
		uint64_t repeats = gemp_packed_fill(&form->columns, vertices, numbers);
		memcpy(records + row * form->words, numbers, GEMP_PACKED_ROWS * form->words * sizeof *records);
		for (; repeats; repeats &= repeats - 1) {
			const size_t at = row + (size_t)__builtin_ctzll(repeats);
			fill_row(form, batch, first + at, records + at * form->words);
		}
	}
	for (; row < rows; row++)
		fill_row(form, batch, first + row, records + row * form->words);
}

/* Reads the digits of a packed record from the last to the first. */
static void unpack(const gemp_record_form *form, const uint32_t *record, gemp_vertex *vertices)
{
	uint64_t words[GEMP_NUMBER_WORDS];
	memcpy(words, record, form->words * sizeof *record);
	words[0]--;
	for (int v = form->vertex_count; v-- > 0;) {
		uint64_t *word = &words[v / form->digits];
		vertices[v] = (gemp_vertex)(*word % form->base);
		*word /= form->base;
	}
}

void gemp_record_read(const gemp_record_form *form, const uint32_t *record, gemp_vertex *vertices, gemp_edge *edges)
{
	if (form->packed) {
		unpack(form, record, vertices);
		return;
	}
	const uint32_t *words = record + form->embedding;
	for (int v = 0; v < form->vertex_count; v++)
		vertices[v] = form->vertex ? form->vertex[words[v]] : words[v];
	words += form->vertex_count;
	for (int e = 0; e < form->edge_count; e++)
		edges[e] = (gemp_edge)words[2 * e] << 32 | words[2 * e + 1];
}

/* Lists the steps that make a record of an embedding. */
static void list_steps(gemp_record_form *form)
{
	gemp_packed_form *columns = &form->columns;
	static const int ascending[GEMP_PACKED_VERTICES] = { 0, 1, 2, 3, 4, 5, 6, 7 };
	if (form->vertex_count > GEMP_PACKED_VERTICES)
		return;
	columns->vertices = (size_t)form->vertex_count;
	columns->digits = (size_t)form->digits;
	columns->words = form->words / 2;
	columns->base = form->base;
	const int *block = form->block_order;
	if (form->kind == GEMP_KEY_VERTICES)
		gemp_packed_sort(columns, ascending, columns->vertices);
	else if (form->sorts)
		for (int b = 0; b < form->block_count; block += form->block_size[b++])
			gemp_packed_sort(columns, block, (size_t)form->block_size[b]);
	else
		gemp_packed_choose(columns, form->chain);
}

/* A number holds as many digits as leave it below 2^64 - 1, since a record of all ones marks a free place. One more
 * digit than there are vertices stands for GEMP_NO_VERTEX. */
void gemp_record_form_pack(gemp_record_form *form, uint64_t vertices)
{
	const uint64_t base = vertices + 1;
	uint64_t number = 1;
	int digits = 0;
	while (vertices && number < (UINT64_MAX - 1) / base && digits < form->vertex_count) {
		number *= base;
		digits++;
	}
	if (form->edge_count || form->kind > GEMP_KEY_VERTICES || form->words != form->key_words || !digits ||
	    form->vertex_count > digits * GEMP_NUMBER_WORDS)
		return;
	form->packed = true;
	form->base = base;
	form->digits = digits;
	form->words = form->key_words = form->vertex_count > digits ? 4 : 2;
	form->embedding = form->kind == GEMP_KEY_ORBIT ? 0 : form->words;
	list_steps(form);
}

/* Compares the embeddings of two records word by word. Their keys are equal. */
bool gemp_record_smaller(const gemp_record_form *form, const uint32_t *a, const uint32_t *b)
{
	for (size_t w = form->key_words; w < form->words; w++)
		if (a[w] != b[w])
			return a[w] < b[w];
	return false;
}
