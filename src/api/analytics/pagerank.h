/* pagerank: the steps that gemp_graph_pagerank and the procedure gemp.pagerank() share. */

#ifndef GEMP_API_ANALYTICS_PAGERANK_H
#define GEMP_API_ANALYTICS_PAGERANK_H

#include "analytics/dense/pagerank.h"
#include "api/analytics/analysis.h"

GEMP_RELEASE(gemp_pagerank_free, gemp_pagerank *)

/* Local. GEMP_EUSAGE if a setting is out of its range. */
gemp_code gemp_pagerank_check(const gemp_analysis_settings *settings);
/* Collective. Makes the layout that the settings ask for. */
gemp_code gemp_pagerank_layout(gemp_analysis *a);
/* Collective. Makes an engine over the layout and runs it. jump: gemp_pagerank_params. The caller frees *out and
 * *found, also after a failure. */
gemp_code gemp_pagerank_solve(gemp_pagerank **out, gemp_analysis *a, const double *jump, gemp_pagerank_result *found);
/* Local. Warns if the iterations ended before the tolerance was reached. This is not a failure. */
void gemp_pagerank_warn(const gemp_analysis *a, const gemp_pagerank_result *found);

#endif
