/* merge_pattern: what MERGE compares itself, and whether the rows of a MERGE can affect each other. */

#ifndef GEMP_CYPHER_CLAUSE_MERGE_PATTERN_H
#define GEMP_CYPHER_CLAUSE_MERGE_PATTERN_H

#include "cypher/syntax/tree.h"

typedef struct gemp_cypher_merge_property {
	int slot; /* of its node or relationship */
	const char *name;
	const gemp_cypher_expr *value;
} gemp_cypher_merge_property;

typedef enum gemp_cypher_interplay {
	GEMP_CY_MERGE_FREE,    /* an element that a row creates or changes concerns only rows of its class */
	GEMP_CY_MERGE_CHECKED, /* the same, unless ON CREATE or ON MATCH has changed properties of the pattern */
	GEMP_CY_MERGE_CAREFUL  /* rows of other classes may find a new element */
} gemp_cypher_interplay;

typedef struct gemp_cypher_merge_pattern {
	size_t bound_count, property_count;
	int *bound; /* [bound_count] slots of bound nodes */
	gemp_cypher_merge_property *properties;
	bool undirected; /* one relationship without direction, between bound nodes */
	gemp_cypher_interplay interplay;
	bool single; /* each row needs a search of its own, even if it finds its elements */
} gemp_cypher_merge_pattern;

gemp_code gemp_cypher_merge_pattern_new(gemp_cypher_merge_pattern *out, const gemp_cypher_clause *clause);
void gemp_cypher_merge_pattern_free(gemp_cypher_merge_pattern *pattern);

#endif
