/* symmetry: automorphisms of a pattern, as generators (nauty) and stabiliser chains (Schreier-Sims). Host only.
 *
 * Points are the pattern's vertices 0..V-1, then its edges V..V+E-1; a permutation is an array images[points]. An automorphism keeps labels, relations,
 * directions, conditions (as a set, in normal form) and RETURN as a multiset. The whole group is never listed.
 */

#ifndef GEMP_PATTERN_SYMMETRY_PERMUTATION_GROUP_H
#define GEMP_PATTERN_SYMMETRY_PERMUTATION_GROUP_H

#include "core/memory.h"
#include "pattern/model/pattern.h"

typedef struct gemp_symmetry gemp_symmetry;

/* The group of every permutation of the vertices alone (for --distinct vertices), no edge points. */
gemp_code gemp_symmetry_full(gemp_symmetry **out, size_t vertices);
void gemp_symmetry_free(gemp_symmetry *symmetry);
GEMP_RELEASE(gemp_symmetry_free, gemp_symmetry *)

size_t gemp_symmetry_points(const gemp_symmetry *symmetry);
size_t gemp_symmetry_generators(const gemp_symmetry *symmetry);
const int *gemp_symmetry_generator(const gemp_symmetry *symmetry, size_t index); /* [points] images */
/* |G|; *overflow where it passes 2^64 - 1. */
uint64_t gemp_symmetry_order(const gemp_symmetry *symmetry, bool *overflow);

/* Stabiliser chain along `base`, an order of all points (or of the vertices only: then edges never stand first); NULL: 0, 1, ...
 * level i fixes base[0..i-1]; its orbit of base[i] under that group is orbit(i). Requiring of each embedding that
 * base[i]'s image is the greatest (or, everywhere, the least) among the images of orbit(i) keeps one of each orbit
 * of embeddings, where images are distinct. */
typedef struct gemp_stab_chain gemp_stab_chain;
gemp_code gemp_stab_chain_new(gemp_stab_chain **out, const gemp_symmetry *symmetry, const int *base, size_t base_size);
void gemp_stab_chain_free(gemp_stab_chain *chain);
GEMP_RELEASE(gemp_stab_chain_free, gemp_stab_chain *)
bool gemp_stab_chain_is_trivial(const gemp_stab_chain *chain); /* the group moves no point of the base */
/* Size; the points, base[level] first. */
size_t gemp_stab_chain_orbit(const gemp_stab_chain *chain, size_t level, const int **orbit);

/* The smallest tuple, by lexicographic order along the chain's base, among tuple o g for g in the group:
 * tuple[point] is the image of a point as a number to compare; it is replaced in place. `tuple` has as many
 * numbers as the base has points. Right for equal images too (hom, edge-iso); only choices between equal images
 * that differ elsewhere (two parallel edges to one vertex) cost a search. */
void gemp_stab_chain_canonical(const gemp_stab_chain *chain, uint64_t *tuple);

/* Permutation groups of at most GEMP_MAX_POINTS points, as stabiliser chains (Sims 1970; Seress, Permutation Group
 * Algorithms, 2003).
 */

enum { GEMP_MAX_POINTS = GEMP_MAX_PATTERN_VERTICES + GEMP_MAX_PATTERN_EDGES };

struct gemp_symmetry {
	size_t points, vertices;
	size_t count, capacity;
	int *images; /* [count][points], the generators */
	uint64_t order;
	bool overflow;
};

/* Computes the order. */
gemp_code gemp_symmetry_finish(gemp_symmetry *symmetry);

#endif
