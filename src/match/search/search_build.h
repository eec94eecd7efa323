/* search_build: builds the kernel of a search, on each of the rank's devices, at once or while other work goes on.
 *
 *   gemp_search_build, or gemp_search_build_begin -> gemp_search_build_has_ended ... -> gemp_search_build_end
 *
 * Every rank generates the text, and one process of each node compiles it (device/program.h). `first` is the search on
 * the rank's first device, with the searches on the other devices behind it. */

#ifndef GEMP_MATCH_SEARCH_SEARCH_BUILD_H
#define GEMP_MATCH_SEARCH_SEARCH_BUILD_H

#include "match/search/search_state.h"

/* Collective. Does nothing if the kernels are built. */
gemp_code gemp_search_build(gemp_search *first);
/* Collective. *known is false if some rank must compile a program. The kernels are not built. */
gemp_code gemp_search_is_known(gemp_search *first, bool *known);

/* Collective. Begins to build the programs on threads, unless it has begun. The kernels are not built. A search that is
 * freed abandons its compilation. */
gemp_code gemp_search_build_begin(gemp_search *first);
/* Local. */
bool gemp_search_build_has_ended(const gemp_search *first);
/* Collective. Waits for the programs and makes the kernels. Does nothing if the kernels are built. */
gemp_code gemp_search_build_end(gemp_search *first);

#endif
