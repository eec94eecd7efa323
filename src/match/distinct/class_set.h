/* class_set: classes of embeddings, each once: what embeddings are compared by when duplicates are removed, and the tables of
 * what was found.
 *
 * A record is a key of fixed size, equal for embeddings of one class, and, where the key is not itself an embedding, the
 * embedding. All are words of 32 bits, so that words compared from the left order embeddings: vertices, then each edge as its high
 * and low word. An embedding beside a key is canonical under the pattern's group, if a chain is given, and its vertices
 * may be written by the rank of their user keys, so that the smallest is the same for every order of ids. Keys:
 *
 *   orbit      the canonical embedding under the pattern's group
 *   vertices   the image vertices, ascending, as a set: padded with GEMP_NO_VERTEX where images repeat (hom)
 *   subgraph   the image vertices as above, then the image edges, ascending, padded with GEMP_NO_EDGE
 *   subgraph without edge columns (a simple undirected graph): the image vertices, then for each of them one word whose
 *              bit j says that a pattern edge lies between it and the j-th of them, j not less than its own place
 *
 * Records lie in several tables (primitive/record_table.h), by their hashes, so that threads add to them at once. The caller
 * fills a block of records (records, hash, table), orders it by table and adds it: the records of each table by one thread. Of
 * two records of one class the one with the smaller embedding is kept. Local.
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
	const gemp_stab_chain *chain; /* of the key of GEMP_KEY_ORBIT, else of the embedding; borrowed */
	const uint32_t *rank;         /* of embeddings beside a key: what to write for a vertex, */
	const gemp_vertex *vertex;    /* and the vertex of what is written; borrowed; NULL: ids */
	size_t pair_count;            /* GEMP_KEY_PAIRS */
	const int (*pairs)[2];
	size_t key_words, words; /* of the key; of a whole record */
	size_t embedding;        /* word where the embedding begins; 0: the key is one; = words: none is kept */
	bool sorts;              /* GEMP_KEY_ORBIT: the group permutes blocks of vertices freely */
	int block_count;
	int block_size[GEMP_MAX_PATTERN_VERTICES];
	int block_order[GEMP_MAX_PATTERN_VERTICES]; /* vertices by block, in a block along the chain */
} gemp_record_form;

enum { GEMP_MAX_RECORD_WORDS = 2 * (GEMP_MAX_PATTERN_VERTICES + 2 * GEMP_MAX_PATTERN_EDGES) };

/* keep: an embedding of each class is wanted. chain is needed for GEMP_KEY_ORBIT, pairs for GEMP_KEY_PAIRS. */
void gemp_record_form_set(gemp_record_form *form, gemp_record_key kind, int vertex_count, int edge_count, bool keep,
                          const gemp_stab_chain *chain, const int (*pairs)[2], size_t pair_count);

/* record[form->words] of one row. */
void gemp_record_fill(const gemp_record_form *form, const gemp_batch *batch, size_t row, uint32_t *record);

/* The embedding in a record, as a row of a batch. */
void gemp_record_read(const gemp_record_form *form, const uint32_t *record, gemp_vertex *vertices, gemp_edge *edges);

/* Of two records with one key: has the first the smaller embedding? */
bool gemp_record_smaller(const gemp_record_form *form, const uint32_t *a, const uint32_t *b);

enum {
	GEMP_MAX_CLASS_TABLES = 64,
	GEMP_CLASS_REMOTE = GEMP_MAX_CLASS_TABLES, /* places of records that go elsewhere, */
	GEMP_CLASS_DROPPED,                        /* or are not wanted */
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
	uint8_t *table;    /* [count] a table, or GEMP_CLASS_REMOTE or _NOWHERE */
	uint32_t *order;   /* [count] by place */
	size_t bucket_offsets[GEMP_CLASS_PLACES + 1];
	size_t *histogram;
} gemp_class_block;

/* budget: bytes of all tables together. */
void gemp_class_set_init(gemp_class_set *set, const gemp_record_form *form, size_t budget);
void gemp_class_set_free(gemp_class_set *set);
void gemp_class_set_budget(gemp_class_set *set, size_t budget);
size_t gemp_class_set_count(const gemp_class_set *set);
void gemp_class_set_retain(gemp_class_set *set, gemp_retain_function *keep, void *context);
void gemp_class_set_clear(gemp_class_set *set); /* keeps its memory */

uint8_t gemp_class_set_place(const gemp_class_set *set, uint64_t hash);

/* One record. *fits is false where its table would pass its budget: then it was not added. */
gemp_code gemp_class_set_add(gemp_class_set *set, const uint32_t *record, uint64_t hash, bool *fits);
/* Those of a block that is in order. Where a table has no room for all of its records, none is added: fits[table] is
 * false. */
gemp_code gemp_class_set_add_block(gemp_class_set *set, const gemp_class_block *block,
                                   bool fits[GEMP_MAX_CLASS_TABLES]);

/* The embeddings of the next `room` records from a place (at first all 0) on, or of fewer at the end; returns how
 * many. */
typedef struct gemp_class_cursor {
	size_t table, record;
} gemp_class_cursor;
size_t gemp_class_set_read(const gemp_class_set *set, gemp_class_cursor *at, size_t room, gemp_vertex *vertices,
                           gemp_edge *edges);

gemp_code gemp_class_block_reserve(gemp_class_block *block, const gemp_record_form *form, size_t capacity);
void gemp_class_block_free(gemp_class_block *block);
void gemp_class_block_sort(gemp_class_block *block); /* of count, places set: makes order and begin */

#endif
