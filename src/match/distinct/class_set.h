/* class_set: a set of classes of embeddings, which has each class once. It has two parts: the keys by which embeddings
 * are compared when duplicates are removed, and the tables of the classes that were found.
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
 * Hashes distribute the records over several tables (primitive/record_table.h), to which threads add in parallel. The
 * caller fills a block of records (records, hash, table), sorts it by table and adds it. One thread adds the records of
 * each table. Of several records of one class, the set keeps the record with the smallest embedding. Local. */

#ifndef GEMP_MATCH_DISTINCT_CLASS_SET_H
#define GEMP_MATCH_DISTINCT_CLASS_SET_H

#include "graph/batch.h"
#include "pattern/symmetry/permutation_group.h"
#include "primitive/record_table.h"

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
	bool sorts; /* GEMP_KEY_ORBIT: the group consists of all permutations within blocks of vertices */
	int block_count;
	int block_size[GEMP_MAX_PATTERN_VERTICES];
	/* the vertices block by block; within a block in the order of the chain */
	int block_order[GEMP_MAX_PATTERN_VERTICES];
} gemp_record_form;

enum { GEMP_MAX_RECORD_WORDS = 2 * (GEMP_MAX_PATTERN_VERTICES + 2 * GEMP_MAX_PATTERN_EDGES) };

/* `keep` says that records have an embedding. GEMP_KEY_ORBIT needs chain, and GEMP_KEY_PAIRS needs pairs. */
void gemp_record_form_set(gemp_record_form *form, gemp_record_key kind, int vertex_count, int edge_count, bool keep,
                          const gemp_stab_chain *chain, const int (*pairs)[2], size_t pair_count);

/* Writes the record of one row of a batch to record[form->words]. */
void gemp_record_fill(const gemp_record_form *form, const gemp_batch *batch, size_t row, uint32_t *record);

/* For two records with equal keys: true if the embedding of a is smaller than the embedding of b. */
bool gemp_record_smaller(const gemp_record_form *form, const uint32_t *a, const uint32_t *b);

enum {
	GEMP_MAX_CLASS_TABLES = 64,
	GEMP_CLASS_REMOTE = GEMP_MAX_CLASS_TABLES, /* in place of a table: another rank owns the record, */
	GEMP_CLASS_DROPPED,                        /* or the record is not wanted */
	GEMP_CLASS_PLACES
};

typedef struct gemp_class_set {
	const gemp_record_form *form; /* borrowed */
	size_t table_count;           /* a power of two */
	gemp_record_table table[GEMP_MAX_CLASS_TABLES];
} gemp_class_set;

typedef struct gemp_class_block {
	size_t capacity, count;
	uint32_t *records; /* [count * form->words] */
	uint64_t *hash;    /* [count] */
	/* [count] number of a table, GEMP_CLASS_REMOTE or GEMP_CLASS_DROPPED */
	uint8_t *table;
	uint32_t *order;                              /* [count] indices of the records, sorted by table[] */
	size_t bucket_offsets[GEMP_CLASS_PLACES + 1]; /* for each value of table[], the first index in order[] */
	size_t *histogram;                            /* [chunks][GEMP_CLASS_PLACES] scratch of the sort */
} gemp_class_block;

/* `budget` is the maximum bytes of all tables together. */
void gemp_class_set_init(gemp_class_set *set, const gemp_record_form *form, size_t budget);
void gemp_class_set_free(gemp_class_set *set);
void gemp_class_set_budget(gemp_class_set *set, size_t budget);
size_t gemp_class_set_count(const gemp_class_set *set);
void gemp_class_set_retain(gemp_class_set *set, gemp_retain_function *keep, void *context);
void gemp_class_set_clear(gemp_class_set *set); /* Removes all records and keeps the memory. */

/* The number of the table for records with this hash. */
uint8_t gemp_class_set_place(const gemp_class_set *set, uint64_t hash);

/* Adds one record. If its table would exceed its budget, the record is not added and *fits becomes false. */
gemp_code gemp_class_set_add(gemp_class_set *set, const uint32_t *record, uint64_t hash, bool *fits);
/* Adds the records of a sorted block. If a table would exceed its budget, none of the table's records is added and
 * fits[table] becomes false. */
gemp_code gemp_class_set_add_block(gemp_class_set *set, const gemp_class_block *block,
                                   bool fits[GEMP_MAX_CLASS_TABLES]);

/* Copies the embeddings of at most `capacity` records, beginning at the cursor ({0} at first), and advances the cursor.
 * Returns the number of rows. */
typedef struct gemp_class_cursor {
	size_t table, record;
} gemp_class_cursor;
size_t gemp_class_set_read(const gemp_class_set *set, gemp_class_cursor *at, size_t capacity, gemp_vertex *vertices,
                           gemp_edge *edges);

gemp_code gemp_class_block_reserve(gemp_class_block *block, const gemp_record_form *form, size_t capacity);
void gemp_class_block_free(gemp_class_block *block);
/* Makes order[] and bucket_offsets[] from count and table[]. */
void gemp_class_block_sort(gemp_class_block *block);

#endif
