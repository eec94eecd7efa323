/* induced_rows: copies of rows without the entries that a plan never uses (candidate-induced rows).
 *
 * A step takes its candidates from the rows of vertices bound before. It reads only rows of candidates, and in these
 * rows it uses only the candidates of the step's own vertex. An induced view is a copy of a view that has only these
 * rows and entries, in ascending order. There is one copy for each pair of sets of candidates; pattern vertices with
 * equal sets share it. The copies are made on the device when a search is made. The plan that reads them tests no
 * candidates if all rows that give them are induced, and has the same matches.
 *
 * A view is not copied if the copy would keep more than three quarters of the entries, or take more than a quarter of
 * the free memory on any rank. No view is copied for a search that is expected to read little. */

#ifndef GEMP_MATCH_SEARCH_INDUCED_ROWS_H
#define GEMP_MATCH_SEARCH_INDUCED_ROWS_H

#include "match/filter/candidates.h"
#include "match/search/search_state.h"

typedef struct gemp_induced_rows {
	gemp_plan plan; /* a copy of the search's plan; its views from search->plan->view_count on are induced */
	/* by view: the buffers of the induced views */
	gemp_buffer row_offsets[GEMP_MAX_VIEWS], column_indices[GEMP_MAX_VIEWS];
	uint32_t entries[GEMP_MAX_VIEWS];
} gemp_induced_rows;

/* Collective. For a search whose rows are all resident and narrow. *out is NULL if no view is copied. */
gemp_code gemp_induced_rows_new(gemp_induced_rows **out, const gemp_search *search, const gemp_view *views,
                                const gemp_candidates *candidates);
void gemp_induced_rows_free(gemp_induced_rows *trimmed, gemp_device *device);

#endif
