/* handles: owners that close a handle of the library when their scope ends (core/memory.h):
 *
 *     GEMP_OWNED_BY(gemp_graph_close_at) gemp_graph *graph = NULL;
 *
 * Handles are declared in the order in which they are opened, since the owners of a scope are released in the reverse order.
 */

#ifndef GEMP_CLI_HANDLES_H
#define GEMP_CLI_HANDLES_H

#include "core/memory.h"

#include <gemp/gemp.h>

GEMP_RELEASE(gemp_array_close, gemp_array *)
GEMP_RELEASE(gemp_columns_close, gemp_columns *)
GEMP_RELEASE(gemp_context_close, gemp_context *)
GEMP_RELEASE(gemp_graph_close, gemp_graph *)
GEMP_RELEASE(gemp_query_close, gemp_query *)
GEMP_RELEASE(gemp_report_close, gemp_report *)
GEMP_RELEASE(gemp_rules_close, gemp_rules *)
GEMP_RELEASE(gemp_som_model_close, gemp_som_model *)
GEMP_RELEASE(gemp_text_release, char *)

#endif
