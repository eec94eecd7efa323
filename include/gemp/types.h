/* gemp/types.h: words that queries, columns and engines have in common. */

#ifndef GEMP_TYPES_H
#define GEMP_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a match of a pattern may be (docs/query-language.md): distinct vertices and edges; distinct edges; neither; and induced: of
 * a relation that the pattern names, no other edge joins the vertices of a match. */
typedef enum gemp_semantics { GEMP_ISO, GEMP_EDGE_ISO, GEMP_HOM, GEMP_INDUCED } gemp_semantics;

/* Which embeddings are one match: those that differ by an automorphism of the query; those with the same vertices and edges; those
 * with the same vertices; none. */
typedef enum gemp_distinct { GEMP_BY_ORBIT, GEMP_BY_SUBGRAPH, GEMP_BY_VERTICES, GEMP_BY_NOTHING } gemp_distinct;

/* The type of a column. A list is its JSON text. */
typedef enum gemp_type { GEMP_STRING, GEMP_INTEGER, GEMP_FLOAT, GEMP_BOOLEAN, GEMP_LIST } gemp_type;

/* Along edges, against them, or either way. */
typedef enum gemp_edge_direction { GEMP_ALONG, GEMP_AGAINST, GEMP_EITHER_WAY } gemp_edge_direction;

#endif
