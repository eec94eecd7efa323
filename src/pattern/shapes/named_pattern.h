/* named_pattern: shapes by name, as --pattern gives them, and the census of all connected graphs of some vertices.
 *
 * The result is a pattern of the simple undirected graph: edges have no types, and vertices have neither names nor
 * conditions.
 */

#ifndef GEMP_PATTERN_SHAPES_NAMED_PATTERN_H
#define GEMP_PATTERN_SHAPES_NAMED_PATTERN_H

#include "pattern/model/pattern.h"

/* triangle | cycle:N | clique:N | path:N (N vertices) | star:N (N leaves) | diamond | house | edges:0-1,1-2,... |
 * paw and other names of small_shapes.h */
gemp_code gemp_pattern_named(gemp_pattern **out, const char *name);

/* CENSUS: all connected graphs of k vertices up to isomorphism, and how often each is a subgraph of another.
 *
 * Vertex-induced counts follow from edge-induced counts: a set of k host vertices whose induced subgraph is of kind j
 * has embeddings[i][j] subgraphs of kind i on all k vertices, so edge_induced(i) is the sum over j of embeddings[i][j]
 * * vertex_induced(j). The kinds are ordered by edges, so this is a triangular system with ones on its diagonal.
 */

enum { GEMP_MIN_MOTIF = 3, GEMP_MAX_MOTIF = 5, GEMP_MAX_MOTIFS = 21 };

typedef struct gemp_census {
	int vertices;
	/* number of kinds, which are ordered by number of edges, ascending */
	int kinds;
	/* edges of each kind, as a set of pairs (gemp_census_pair) */
	unsigned edges[GEMP_MAX_MOTIFS];
	uint64_t embeddings[GEMP_MAX_MOTIFS][GEMP_MAX_MOTIFS]; /* [i][j] number of spanning subgraphs of kind i in kind j */
} gemp_census;

/* vertices: GEMP_MIN_MOTIF to GEMP_MAX_MOTIF. */
void gemp_census_new(gemp_census *out, int vertices);
/* The bit of the pair (a, b), a <> b, in a set of edges. */
unsigned gemp_census_pair(int a, int b);
/* Reads "motifs:K" of --pattern; *vertices becomes 0 for any other name. */
gemp_code gemp_census_named(const char *name, int *vertices);
/* "0-1,0-2,1-2" */
void gemp_census_text(const gemp_census *census, int kind, gemp_text *out);
/* The name of a kind, such as "paw" or "path:4", which gemp_pattern_named accepts. */
const char *gemp_census_name(const gemp_census *census, int kind);
/* Makes the pattern of a kind. It is not bound. */
gemp_code gemp_census_pattern(gemp_pattern **out, const gemp_census *census, int kind);

/* The kind of a connected graph with this set of edges on all vertices of the census. */
int gemp_census_kind(const gemp_census *census, unsigned edges);
/* True if kind j contains kind i. */
static inline bool gemp_census_contains(const gemp_census *census, int j, int i)
{
	return census->embeddings[i][j] > 0;
}
/* *sets becomes the number of sets of host vertices whose induced subgraph contains kind i: the sum of the
 * vertex-induced counts of the kinds that contain it. counts[kinds] are edge-induced counts of these kinds, and are
 * changed; the others are not read. GEMP_EDATA as below. */
gemp_code gemp_census_vertex_sets(const gemp_census *census, int i, gemp_count *counts, gemp_count *sets);

/* counts[kinds] are edge-induced, and become vertex-induced. GEMP_EDATA if they cannot be counts of one graph. */
gemp_code gemp_census_induce(const gemp_census *census, gemp_count *counts);

#endif
