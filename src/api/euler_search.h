/* euler_search: finds an Euler circuit or path of a graph's edges, or why there is none: chooses the engine, gives undirected edges
 * directions, and closes a path by an edge between its ends.
 */

#ifndef GEMP_API_EULER_SEARCH_H
#define GEMP_API_EULER_SEARCH_H

#include "api/context_state.h"
#include "device/tuning.h"
#include "euler/balance.h"
#include "euler/euler.h"

/* The caller sets the fields of the first block, and `edges` by gemp_euler_edges_new; all else is {0}. */
typedef struct gemp_euler_search {
	bool path;            /* a path will do where there is no circuit */
	gemp_placement place; /* GEMP_PLACE_DEVICE needs one rank */
	gemp_euler_options options;
	gemp_timers *timers; /* gets the seconds of orientation; NULL: not wanted */

	gemp_runtime *runtime;  /* the context's; NULL: no device was opened */
	gemp_euler_edges edges; /* undirected ones as they are gone along */
	gemp_euler_edges plain; /* undirected ones as they are; {0} for directed ones */
	gemp_euler_result result;
	gemp_euler_balance balance;
	bool balanced; /* balance is filled, since degrees are not those of a circuit */
} gemp_euler_search;

/* Collective. A graph without circuit is not a failure. One rank takes its device for large graphs, several take the threads of
 * all ranks. */
gemp_code gemp_euler_search_run(gemp_euler_search *search, gemp_context *context, gemp_shard *graph);
/* Is there a circuit, or a path where one will do? Then result.order is that. */
bool gemp_euler_search_found(const gemp_euler_search *search);
void gemp_euler_search_free(gemp_euler_search *search);

#endif
