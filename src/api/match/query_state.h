/* query_state: what a gemp_query (gemp/query.h) is inside, its patterns, and its settings as the engine takes them.
 *
 * A pattern is bound to one graph, once, and values of parameters are part of it: each run parses the text anew, which takes
 * microseconds.
 */

#ifndef GEMP_API_MATCH_QUERY_STATE_H
#define GEMP_API_MATCH_QUERY_STATE_H

#include "api/graph_state.h"
#include "api/parameters.h"
#include "gemp/query.h"
#include "pattern/semantic/parse.h"
#include "query/query.h"

typedef enum gemp_query_source {
	GEMP_QUERY_TEXT,
	GEMP_QUERY_SCRIPT, /* text has several queries, name is that of the text */
	GEMP_QUERY_NAMED,  /* text is the name of a pattern */
	GEMP_QUERY_GRAPH,  /* text is the path of a query graph, name the format of labels */
} gemp_query_source;

struct gemp_query {
	gemp_graph *graph; /* borrowed */
	gemp_query_source source;
	char *text, *name; /* owned; name may be NULL */
	gemp_query_settings settings;
	gemp_parameter_list parameters;
};

/* Local. The patterns of the query, one but for a script, with the values of parameters; gemp_script_free frees them. */
gemp_code gemp_query_parse(gemp_script *out, const gemp_query *query);

/* Local. Copies the settings, or defaults where they are NULL, and checks them. */
gemp_code gemp_query_settings_read(gemp_query_settings *out, const gemp_query_settings *settings);

/* The engine's options for a plain count. */
gemp_prepared_options gemp_query_search_options(const gemp_query_settings *settings);

#endif
