/* induced_rows: rows without the entries that a plan never wants (candidate-induced rows).
 *
 * A step takes its candidates from rows of vertices bound before. Of these only rows of candidates are read, and in
 * them only candidates of the step's own vertex matter. An induced view is a copy of a view that has nothing else, for
 * one pair of sets of candidates (pattern vertices with equal sets share it); its rows ascend as those of the view do.
 * Copies are made on the device when a search is made. The plan that reads them tests no candidates where all rows that
 * can give them are induced, and matches the same. A view is not copied if that would leave more than three quarters of
 * the entries, or take more than a quarter of the free memory on any rank; none is for a search that is expected to
 * read little.
 */

#ifndef GEMP_MATCH_SEARCH_INDUCED_ROWS_H
#define GEMP_MATCH_SEARCH_INDUCED_ROWS_H

#include "match/filter/candidates.h"
#include "match/search/search_state.h"

typedef struct gemp_induced_rows {
	gemp_plan plan; /* views from search->plan->view_count on are trimmed */
	gemp_buffer row_offsets[GEMP_MAX_VIEWS], column_indices[GEMP_MAX_VIEWS]; /* of these */
	uint32_t entries[GEMP_MAX_VIEWS];
} gemp_induced_rows;

/* Collective. For a search whose rows are all resident and narrow. *out is NULL where nothing is worth a copy. */
gemp_code gemp_induced_rows_new(gemp_induced_rows **out, const gemp_search *search, const gemp_view *views,
                                const gemp_candidates *candidates);
void gemp_induced_rows_free(gemp_induced_rows *trimmed, gemp_device *device);

#endif
