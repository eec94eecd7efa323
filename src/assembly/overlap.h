/* overlap: the text that the vertices along an Euler circuit or path spell, if each is a word that begins with all but
 * the first letter of the word before it (de Bruijn 1946).
 *
 * Words are the keys of vertices: byte strings of one length; or numbers to the base of an alphabet, with as many
 * digits as give each vertex a different number.
 */

#ifndef GEMP_ASSEMBLY_OVERLAP_H
#define GEMP_ASSEMBLY_OVERLAP_H

#include "euler/euler.h"

typedef struct gemp_overlap {
	size_t word;     /* letters of a vertex's word */
	char *head;      /* [word] the word of the first vertex, on all ranks */
	gemp_edge edges; /* of all ranks */
	gemp_edge start; /* the place of the edge that is spelled first */
	gemp_edge first; /* places [first, first + count) are this rank's */
	size_t count;
	char *letter; /* [count] by place: the letter that the edge there adds */
} gemp_overlap;

/* Local. GEMP_EUSAGE if the alphabet (NULL: none) does not fit the graph's keys, which need not be loaded. */
gemp_code gemp_overlap_check(const gemp_shard *graph, const char *alphabet);

/* Collective. alphabet: different ASCII letters, for keys that are numbers; NULL: keys are texts. A circuit begins at
 * the edge from the smallest key to the smallest key after it. The order has its sources, and keys are loaded.
 * GEMP_EDATA, with an example, if keys do not overlap. */
gemp_code gemp_overlap_new(gemp_overlap *out, const gemp_comm *comm, const gemp_shard *graph,
                           const gemp_euler_edges *edges, const gemp_euler_order *order, const char *alphabet);
void gemp_overlap_free(gemp_overlap *overlap);

/* Local. This rank's letters of one of two stretches, which follow the head and make up the text: places from `start`
 * on (stretch 0), and places before it (stretch 1). Ranks follow one another in each stretch. circular: the text
 * closes, so the letters of the head are left out at its end. *size: number of letters. */
const char *gemp_overlap_stretch(const gemp_overlap *overlap, int stretch, bool circular, size_t *size);

#endif
