/* class_set: a set of classes of embeddings, each class once: the keys by which embeddings are compared when duplicates are
 * removed, and the tables of the classes that were found.
 *
 * A record has a key of fixed size, which is equal for all embeddings of one class, and, where the key is not an embedding
 * itself, an embedding. It consists of words of 32 bits, which compared from the left order embeddings: vertices, then each
 * edge as its high and low word. An embedding beside a key is canonical under the pattern's group, if a chain is given. Its
 * vertices may be written as the ranks of their user keys, so that the smallest embedding does not depend on ids. Keys:
 *
 *   orbit      the canonical embedding under the pattern's group
 *   vertices   the image vertices, ascending, as a set: padded with GEMP_NO_VERTEX where images repeat (hom)
 *   subgraph   the image vertices as above, then the image edges, ascending, padded with GEMP_NO_EDGE
 *   subgraph without edge columns (a simple undirected graph): the image vertices, then for each of them one word, in which
 *              bit j is set if a pattern edge lies between it and the j-th of them, j not less than its own place
 *
 * Hashes distribute the records over several tables (primitive/record_table.h), to which threads add in parallel. The caller
 * fills a block of records (records, hash, table), sorts it by table and adds it; one thread adds the records of each table.
 * Of two records of one class, the one with the smaller embedding is kept. Local.
 */

#ifndef GEMP_MATCH_DISTINCT_CLASS_SET_H
#define GEMP_MATCH_DISTINCT_CLASS_SET_H

#include "graph/batch.h"
#include "pattern/symmetry/permutation_group.h"
#include "primitive/record_table.h"

typedef enum gemp_record_key { GEMP_KEY_ORBIT, GEMP_KEY_VERTICES, GEMP_KEY_EDGES, GEMP_KEY_PAIRS } gemp_record_key;

typedef struct gemp_record_form {
	gemp_record_key kind;
	int vertex_count, edge_count;
	const gemp_stab_chain *chain; /* makes the key of GEMP_KEY_ORBIT, else the embedding, canonical; borrowed */
	const uint32_t *rank;         /* [vertices] the number written for a vertex in an embedding beside a key, */
	const gemp_vertex *vertex;    /* [vertices] and its inverse; both borrowed; NULL: vertices are written as ids */
	size_t pair_count;            /* for GEMP_KEY_PAIRS */
	const int (*pairs)[2];
	size_t key_words, words; /* of the key; of a whole record */
	size_t embedding;        /* first word of the embedding; 0: the key is the embedding; = words: there is none */
	bool sorts;              /* GEMP_KEY_ORBIT: the group consists of all permutations within blocks of vertices */
	int block_count;
	int block_size[GEMP_MAX_PATTERN_VERTICES];
	int block_order[GEMP_MAX_PATTERN_VERTICES]; /* vertices by block, within a block in the order of the chain */
} gemp_record_form;

enum { GEMP_MAX_RECORD_WORDS = 2 * (GEMP_MAX_PATTERN_VERTICES + 2 * GEMP_MAX_PATTERN_EDGES) };

/* keep: records have an embedding. chain is needed for GEMP_KEY_ORBIT, and pairs for GEMP_KEY_PAIRS. */
void gemp_record_form_set(gemp_record_form *form, gemp_record_key kind, int vertex_count, int edge_count, bool keep,
                          const gemp_stab_chain *chain, const int (*pairs)[2], size_t pair_count);

/* Makes the record[form->words] of one row. */
void gemp_record_fill(const gemp_record_form *form, const gemp_batch *batch, size_t row, uint32_t *record);

/* For two records with one key: true if the first has the smaller embedding. */
bool gemp_record_smaller(const gemp_record_form *form, const uint32_t *a, const uint32_t *b);

enum {
	GEMP_MAX_CLASS_TABLES = 64,
	GEMP_CLASS_REMOTE = GEMP_MAX_CLASS_TABLES, /* in place of a table: the record belongs to another rank, */
	GEMP_CLASS_DROPPED,                        /* or is not wanted */
	GEMP_CLASS_PLACES
};

typedef struct gemp_class_set {
	const gemp_record_form *form; /* borrowed */
	size_t table_count;           /* a power of two */
	gemp_record_table table[GEMP_MAX_CLASS_TABLES];
} gemp_class_set;

typedef struct gemp_class_block {
	size_t capacity, count;
	uint32_t *records;                            /* [count * form->words] */
	uint64_t *hash;                               /* [count] */
	uint8_t *table;                               /* [count] a table, GEMP_CLASS_REMOTE or GEMP_CLASS_DROPPED */
	uint32_t *order;                              /* [count] records sorted by table[] */
	size_t bucket_offsets[GEMP_CLASS_PLACES + 1]; /* in order[], of each value of table[] */
	size_t *histogram;                            /* [chunks][GEMP_CLASS_PLACES] scratch of the sort */
} gemp_class_block;

/* budget: bytes of all tables together. */
void gemp_class_set_init(gemp_class_set *set, const gemp_record_form *form, size_t budget);
void gemp_class_set_free(gemp_class_set *set);
void gemp_class_set_budget(gemp_class_set *set, size_t budget);
size_t gemp_class_set_count(const gemp_class_set *set);
void gemp_class_set_retain(gemp_class_set *set, gemp_retain_function *keep, void *context);
void gemp_class_set_clear(gemp_class_set *set); /* keeps its memory */

/* The table of the records with this hash. */
uint8_t gemp_class_set_place(const gemp_class_set *set, uint64_t hash);

/* Adds one record. *fits becomes false, and the record is not added, if its table would exceed its budget. */
gemp_code gemp_class_set_add(gemp_class_set *set, const uint32_t *record, uint64_t hash, bool *fits);
/* Adds the records of a sorted block. fits[table] becomes false, and no record of the table is added, if the table
 * would exceed its budget. */
gemp_code gemp_class_set_add_block(gemp_class_set *set, const gemp_class_block *block,
                                   bool fits[GEMP_MAX_CLASS_TABLES]);

/* Copies the embeddings of at most `capacity` records from the cursor (at first {0}) on, advances the cursor, and
 * returns the number of rows. */
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
