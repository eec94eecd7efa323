/* record: what embeddings are compared by when duplicates are removed: a key of fixed size, equal for embeddings of one
 * class, and, where the key is not itself an embedding, the embedding.
 *
 * All are words of 32 bits, so that words compared from the left order embeddings: vertices, then each edge as its high
 * and low word. An embedding beside a key is canonical under the pattern's group, if a chain is given, and its vertices
 * may be written by the rank of their user keys, so that the smallest is the same for every order of ids. Keys:
 *
 *   orbit      the canonical embedding under the pattern's group
 *   vertices   the image vertices, ascending, as a set: padded with GEMP_NO_VERTEX where images repeat (hom)
 *   subgraph   the image vertices as above, then the image edges, ascending, padded with GEMP_NO_EDGE
 *   subgraph without edge columns (a simple undirected graph): the image vertices, then for each of them one word whose
 *              bit j says that a pattern edge lies between it and the j-th of them, j not less than its own place
 */

#ifndef GEMP_MATCH_DISTINCT_RECORD_H
#define GEMP_MATCH_DISTINCT_RECORD_H

#include "graph/batch.h"
#include "pattern/symmetry/permutation_group.h"

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

#endif
