/* record_form: the keys by which embeddings are compared when duplicates are removed.
 *
 * A record consists of words of 32 bits. It has a key of fixed size, which is equal for all embeddings of one class. If
 * the key is not an embedding itself, the record also has an embedding. An embedding is written as its vertices, then
 * each edge as its high and low word; embeddings are ordered by comparing these words from the left. If a chain is
 * given, the embedding in a record is canonical under the pattern's group. The vertices of an embedding may be written
 * as the ranks of their user keys, so that the smallest embedding does not depend on ids. The keys are:
 *
 *   orbit      the canonical embedding under the pattern's group
 *   vertices   the set of image vertices, ascending, padded with GEMP_NO_VERTEX if images repeat (hom)
 *   subgraph   the image vertices as above, then the image edges, ascending, padded with GEMP_NO_EDGE
 *   subgraph without edge columns (a simple undirected graph): the image vertices, then a word for each image vertex;
 *              bit j (j >= i) of the i-th word is set if an image edge connects the i-th and the j-th image vertex
 *
 * A key of few vertices in a small graph is packed: its vertices become the digits of one or two numbers, which take a
 * third to two thirds of the memory and are compared without a loop. Local. */

#ifndef GEMP_MATCH_DISTINCT_RECORD_FORM_H
#define GEMP_MATCH_DISTINCT_RECORD_FORM_H

#include "graph/batch.h"
#include "match/distinct/packed_form.h"
#include "primitive/number_set.h"

typedef enum gemp_record_key { GEMP_KEY_ORBIT, GEMP_KEY_VERTICES, GEMP_KEY_EDGES, GEMP_KEY_PAIRS } gemp_record_key;

typedef struct gemp_record_form {
	gemp_record_key kind;
	int vertex_count, edge_count;
	/* makes the key canonical (GEMP_KEY_ORBIT), or the embedding (other keys); borrowed */
	const gemp_stab_chain *chain;
	/* [vertices] rank is the number that stands for a vertex in an embedding that is not the key, and vertex is its
	 * inverse. Both are borrowed. NULL: ids stand for vertices. */
	const uint32_t *rank;
	const gemp_vertex *vertex;
	size_t pair_count; /* number of pairs, for GEMP_KEY_PAIRS */
	const int (*pairs)[2];
	size_t key_words, words; /* words of the key; words of a whole record */
	/* first word of the embedding; 0: the key is the embedding; equal to `words`: there is no embedding */
	size_t embedding;
	/* The record is its key as one or two numbers of 64 bits: digits of base `base`, `digits` of them a number. */
	bool packed;
	int digits;
	uint64_t base;
	gemp_packed_form columns; /* the steps that make packed records */
	uint64_t hash_mask;       /* for tests: the bits of the hash that packed sets use */
	bool sorts;               /* GEMP_KEY_ORBIT: the group consists of all permutations within blocks of vertices */
	int block_count;
	int block_size[GEMP_MAX_PATTERN_VERTICES];
	/* the vertices block by block; within a block in the order of the chain */
	int block_order[GEMP_MAX_PATTERN_VERTICES];
} gemp_record_form;

enum { GEMP_MAX_RECORD_WORDS = 2 * (GEMP_MAX_PATTERN_VERTICES + 2 * GEMP_MAX_PATTERN_EDGES) };

/* `keep` says that records have an embedding. GEMP_KEY_ORBIT needs chain, and GEMP_KEY_PAIRS needs pairs. */
void gemp_record_form_set(gemp_record_form *form, gemp_record_key kind, int vertex_count, int edge_count, bool keep,
                          const gemp_stab_chain *chain, const int (*pairs)[2], size_t pair_count);

/* Packs the records if they consist of the key alone, the key has no edges, and it fits into two numbers. `vertices` is
 * the number of vertices of the graph; 0: it is not known. */
void gemp_record_form_pack(gemp_record_form *form, uint64_t vertices);

/* Writes the records of `rows` rows of a batch, from row `first` on, to records[rows * form->words]. */
void gemp_record_fill(const gemp_record_form *form, const gemp_batch *batch, size_t first, size_t rows,
                      uint32_t *records);

/* For two records with equal keys: true if the embedding of a is smaller than the embedding of b. */
bool gemp_record_smaller(const gemp_record_form *form, const uint32_t *a, const uint32_t *b);

/* Copies the embedding of a record to a row of a batch. */
void gemp_record_read(const gemp_record_form *form, const uint32_t *record, gemp_vertex *vertices, gemp_edge *edges);

#endif
