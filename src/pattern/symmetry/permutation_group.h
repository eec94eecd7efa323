/* permutation_group: groups of automorphisms of a pattern, as generators and as stabiliser chains (Schreier-Sims). Host
 * only.
 *
 * Points are the pattern's vertices 0..V-1, then its edges V..V+E-1; a permutation is an array images[points]. An
 * automorphism keeps labels, relations, directions, conditions (as a set, in normal form) and RETURN as a multiset. The
 * elements of a group are never listed, since there may be more than memory holds.
 */

#ifndef GEMP_PATTERN_SYMMETRY_PERMUTATION_GROUP_H
#define GEMP_PATTERN_SYMMETRY_PERMUTATION_GROUP_H

#include "core/memory.h"
#include "pattern/model/pattern.h"

enum { GEMP_MAX_POINTS = GEMP_MAX_PATTERN_VERTICES + GEMP_MAX_PATTERN_EDGES };

typedef struct gemp_symmetry {
	size_t points, vertices;
	size_t count, capacity;
	int *images;    /* [count][points], the generators */
	uint64_t order; /* order of the group; UINT64_MAX if overflow: the order exceeds 64 bits */
	bool overflow;
} gemp_symmetry;

void gemp_symmetry_free(gemp_symmetry *symmetry);
GEMP_RELEASE(gemp_symmetry_free, gemp_symmetry *)

/* Local. Computes the order, once all generators are there. */
gemp_code gemp_symmetry_finish(gemp_symmetry *symmetry);
/* Returns the order of the group. *overflow becomes true if the order exceeds 2^64 - 1. */
uint64_t gemp_symmetry_order(const gemp_symmetry *symmetry, bool *overflow);

/* The stabiliser chain along `base`, an order of all points or of the vertices alone; NULL: 0, 1, ... Level i is the
 * subgroup that fixes base[0..i-1], and orbit(i) is the orbit of base[i] under it. If the images of an embedding are
 * distinct, the requirement that base[i]'s image is the greatest (or, at every level, the smallest) among the images of
 * orbit(i) keeps one embedding of each orbit of embeddings. */
typedef struct gemp_stab_chain gemp_stab_chain;
gemp_code gemp_stab_chain_new(gemp_stab_chain **out, const gemp_symmetry *symmetry, const int *base, size_t base_size);
void gemp_stab_chain_free(gemp_stab_chain *chain);
GEMP_RELEASE(gemp_stab_chain_free, gemp_stab_chain *)
bool gemp_stab_chain_is_trivial(const gemp_stab_chain *chain); /* the group moves no point of the base */
/* Returns the size of the orbit; (*orbit)[size] has its points, base[level] first. */
size_t gemp_stab_chain_orbit(const gemp_stab_chain *chain, size_t level, const int **orbit);

/* Replaces the tuple by the smallest tuple, in lexicographic order along the chain's base, among tuple o g for g in the
 * group. tuple[point] is the image of a point as a number to compare; there are as many numbers as the base has points.
 * Images may be equal (hom, edge-iso); only choices between equal images that differ elsewhere (two parallel edges to
 * one vertex) cost a search. */
void gemp_stab_chain_canonical(const gemp_stab_chain *chain, uint64_t *tuple);
/* The same for words whose images are distinct along the chain, at a fraction of the time. Returns the canonical tuple,
 * which is `tuple` or lies in `scratch`, or NULL if two images that it compared are equal. */
const uint32_t *gemp_stab_chain_canonical_words(const gemp_stab_chain *chain, const uint32_t *tuple,
                                                uint32_t scratch[2][GEMP_MAX_POINTS]);

/* The steps of gemp_stab_chain_canonical_words, for callers that do them for many tuples at a time. A step belongs to a
 * level with more than one point in its orbit. If the smallest image of the orbit is that of orbit[i], the tuple
 * becomes the tuple that has the image of to[v] at v. `to` has as many entries as the base has points. */
size_t gemp_stab_chain_moving(const gemp_stab_chain *chain); /* the number of steps */
/* Returns the size of the orbit of step m. */
size_t gemp_stab_chain_choices(const gemp_stab_chain *chain, size_t m, const uint8_t **orbit);
const uint8_t *gemp_stab_chain_choice(const gemp_stab_chain *chain, size_t m, size_t i);

#endif
