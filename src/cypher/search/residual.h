/* residual: the conditions and property maps that no search has tested. */

#ifndef GEMP_CYPHER_SEARCH_RESIDUAL_H
#define GEMP_CYPHER_SEARCH_RESIDUAL_H

#include "cypher/clause/row_set.h"
#include "cypher/evaluate/environment.h"
#include "cypher/search/state.h"

/* All functions run on rank 0. */

/* Removes the rows of the frame for which a residual condition is not true, of those conditions whose elements the last
 * of `steps` steps has made known. */
gemp_code gemp_cypher_test_rows(gemp_cypher_answer *answer, size_t steps, const gemp_cypher_environment *environment);
/* Evaluates step->map for each row of the frame, before the step. The cell of the step's hop becomes the number of its
 * value among the different values in `maps`. Call gemp_cypher_row_set_free also after a failure. */
gemp_code gemp_cypher_number_maps(gemp_cypher_answer *answer, const gemp_cypher_step *step,
                                  const gemp_cypher_environment *environment, gemp_cypher_row_set *maps);
/* Sets *passes to false unless the element has all properties of the map. No element has those of the map NULL. */
gemp_code gemp_cypher_test_properties(const gemp_cypher_answer *answer, gemp_datum element, gemp_datum map,
                                      bool *passes);

#endif
