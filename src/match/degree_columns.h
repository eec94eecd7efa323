/* degree_columns: the degrees that conditions ask for, COUNT { (v)-[:T]->() }, each different one as a column of this
 * rank's own vertices. */
#ifndef GEMP_MATCH_DEGREE_COLUMNS_H
#define GEMP_MATCH_DEGREE_COLUMNS_H

#include "match/degrees.h"

typedef struct gemp_degree_columns {
	size_t relation_count;
	size_t count, capacity;
	const gemp_expr **of;    /* [count] an expression that asks for it; borrowed */
	gemp_column *columns;    /* [count]; NULL before gemp_degree_columns_fill */
} gemp_degree_columns;       /* {0} and relation_count: none */

/* Those in an expression, if they are not there yet. */
gemp_code gemp_degree_columns_note(gemp_degree_columns *degrees, const gemp_expr *expr);
/* Collective. Once, after the last was noted. */
gemp_code gemp_degree_columns_fill(gemp_degree_columns *degrees, gemp_context *context, gemp_graph *graph,
                                   bool count_loops);
void gemp_degree_columns_free(gemp_degree_columns *degrees);

/* Which one a GEMP_DEGREE that was noted asks for. */
size_t gemp_degree_columns_find(const gemp_degree_columns *degrees, const gemp_expr *expr);

#endif
