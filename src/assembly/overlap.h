/* overlap: what the vertices along an Euler circuit or path spell, if they are words of which each begins with all but
 * the first letter of the one before it (de Bruijn 1946).
 *
 * Words are keys of vertices: texts of one length, of bytes; or numbers to the base of an alphabet, of as many digits
 * as make a different number of each vertex.
 */

#ifndef GEMP_ASSEMBLY_OVERLAP_H
#define GEMP_ASSEMBLY_OVERLAP_H

#include "euler/euler.h"

typedef struct gemp_overlap {
	size_t word;     /* letters of a vertex's */
	char *head;      /* [word] that of the first vertex; the same on all ranks */
	gemp_edge edges; /* of all ranks */
	gemp_edge start; /* the place of the edge that is spelled first */
	gemp_edge first; /* places first .. first + count - 1 are this rank's */
	size_t count;
	char *letter; /* [count] by place, what the edge there adds */
} gemp_overlap;

/* Local. Does the alphabet (NULL: none) go with the graph's keys, which need not be loaded? */
gemp_code gemp_overlap_check(const gemp_shard *graph, const char *alphabet);

/* Collective. alphabet: of keys that are numbers, ASCII letters, no two the same; NULL: keys are texts. A circuit is
 * begun at an edge that leaves the least key for the least one there. The order has its sources, keys are loaded. Keys
 * that are no such words are GEMP_EDATA, with an example. */
gemp_code gemp_overlap_new(gemp_overlap *out, const gemp_comm *comm, const gemp_shard *graph,
                           const gemp_euler_edges *edges, const gemp_euler_order *order, const char *alphabet);
void gemp_overlap_free(gemp_overlap *overlap);

/* This rank's letters of the two stretches that make the text, behind the head: places from `start` on (0), and those
 * before it (1). Ranks follow one another in each. circular: the text closes, so that the letters of the head are left
 * out at its end. *size of them. */
const char *gemp_overlap_stretch(const gemp_overlap *overlap, int stretch, bool circular, size_t *size);

#endif
