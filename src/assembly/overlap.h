/* overlap: the text that the vertices along an Euler circuit or path spell. Each vertex is a word, and each word begins
 * with all letters of the previous word except the first (de Bruijn 1946).
 *
 * Words are the keys of vertices. The keys are byte strings of the same length, or numbers. A number is written with
 * the letters of an alphabet as digits, and the number of digits is such that the graph has all words of this
 * length. */

#ifndef GEMP_ASSEMBLY_OVERLAP_H
#define GEMP_ASSEMBLY_OVERLAP_H

#include "euler/euler.h"

typedef struct gemp_overlap {
	size_t word;     /* number of letters of a vertex's word */
	char *head;      /* [word] the word of the first vertex, on all ranks */
	gemp_edge edges; /* number of edges on all ranks */
	gemp_edge start; /* place of the edge that is spelled first */
	gemp_edge first; /* this rank has the places first .. first + count - 1 */
	size_t count;
	char *letter; /* [count] the letter that the edge at each place adds */
} gemp_overlap;

/* Local. Returns GEMP_EUSAGE if the alphabet (NULL: no alphabet) does not fit the graph's keys, which need not be
 * loaded. */
gemp_code gemp_overlap_check(const gemp_shard *graph, const char *alphabet);

/* Collective. alphabet: different ASCII letters if keys are numbers; NULL if keys are texts. A circuit begins at the
 * edge from the smallest key to the smallest key after it. The order has its sources, and keys are loaded. GEMP_EDATA,
 * with an example: keys do not overlap. */
gemp_code gemp_overlap_new(gemp_overlap *out, const gemp_comm *comm, const gemp_shard *graph,
                           const gemp_euler_edges *edges, const gemp_euler_order *order, const char *alphabet);
void gemp_overlap_free(gemp_overlap *overlap);

/* Local. The text consists of the head and two stretches: the places from `start` on (stretch 0), and the places before
 * it (stretch 1). Returns this rank's letters of a stretch. The parts of the ranks follow one another in each stretch.
 * circular: the text closes, so the letters that repeat the head are left out at its end. *size: number of letters. */
const char *gemp_overlap_stretch(const gemp_overlap *overlap, int stretch, bool circular, size_t *size);

#endif
