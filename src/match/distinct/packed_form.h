/* packed_form: makes packed records of blocks of embeddings.
 *
 * A packed record is a canonical form whose vertices are the digits of one or two numbers
 * (match/distinct/record_form.h). The embeddings of a block become columns, column[vertices][GEMP_PACKED_ROWS], and
 * every step treats a whole column, so that the compiler uses the widest registers of the processor. A step either
 * exchanges two columns where the first one is greater, which sorts a set of vertices or a block of exchangeable
 * vertices, or chooses among the permutations of a level of the stabiliser chain (match/distinct/packed_lanes.h).
 * match/distinct/device_set writes the same steps as a kernel. Local. */

#ifndef GEMP_MATCH_DISTINCT_PACKED_FORM_H
#define GEMP_MATCH_DISTINCT_PACKED_FORM_H

#include "core/types.h"
#include "pattern/symmetry/permutation_group.h"

enum {
	GEMP_PACKED_ROWS = 64,    /* rows of a block */
	GEMP_PACKED_VERTICES = 8, /* more vertices have no steps */
	GEMP_PACKED_SWAPS = GEMP_PACKED_VERTICES * (GEMP_PACKED_VERTICES - 1) / 2
};

/* Takes the permutation to[i] for the i with the smallest image of orbit[i]. */
typedef struct gemp_packed_choice {
	size_t orbit_size;
	uint8_t orbit[GEMP_PACKED_VERTICES];
	uint8_t to[GEMP_PACKED_VERTICES][GEMP_PACKED_VERTICES]; /* [orbit_size][vertices] */
} gemp_packed_choice;

typedef struct gemp_packed_form {
	size_t vertices; /* 0: there are no steps */
	size_t digits;   /* digits of the first number */
	size_t words;    /* numbers of a record: 1 or 2 */
	uint64_t base;
	size_t swap_count, choice_count;
	uint8_t swaps[GEMP_PACKED_SWAPS][2];
	gemp_packed_choice choices[GEMP_PACKED_VERTICES];
	size_t pair_count; /* pairs of columns that swaps may leave equal, which then need another rule */
	uint8_t pairs[GEMP_PACKED_VERTICES][2];
} gemp_packed_form;

/* Adds the steps that sort these `count` columns. */
void gemp_packed_sort(gemp_packed_form *form, const int *columns, size_t count);
/* Adds the steps that make an embedding canonical along the chain. */
void gemp_packed_choose(gemp_packed_form *form, const gemp_stab_chain *chain);

/* Writes the records of GEMP_PACKED_ROWS rows, records[rows][words]. Bit i of the result is set if equal images
 * occurred in row i, whose record then has no meaning. */
uint64_t gemp_packed_fill(const gemp_packed_form *form, const gemp_vertex *vertices, uint64_t *records);

#endif
