/* query: the members of a gemp_query (gemp/query.h), its patterns, and its settings in the form of the engine. The list
 * of parameters holds the values of $names in a text of queries or of rules.
 *
 * A query belongs to one graph. The values of parameters are part of the pattern, so a run with other values makes the
 * pattern of the text again, which takes microseconds; otherwise the graph keeps it (statement.h). */

#ifndef GEMP_API_MATCH_QUERY_H
#define GEMP_API_MATCH_QUERY_H

#include "api/graph.h"
#include "core/text.h"
#include "gemp/query.h"
#include "pattern/semantic/parse.h"
#include "pattern/semantic/script.h"
#include "query/query.h"

/* {0} is an empty list. */
typedef struct gemp_parameter_list {
	size_t count, capacity;
	gemp_query_parameter *items; /* [count], names and strings owned */
} gemp_parameter_list;

/* Local. Sets a value, which replaces an earlier value of the same name. The list takes over the bytes of a string,
 * also after a failure. A string whose bytes are NULL means that the caller ran out of memory. */
gemp_code gemp_parameter_list_set(gemp_parameter_list *list, const char *name, gemp_value value);
gemp_code gemp_parameter_list_set_text(gemp_parameter_list *list, const char *name, const char *text);
/* Local. Sets the value of "name=value" or "name:type=value" (pattern/model/source.h). If `lists`, a list or map in
 * JSON becomes a value of the type GEMP_LIST. GEMP_EUSAGE if the name already has a value. */
gemp_code gemp_parameter_list_read(gemp_parameter_list *list, const char *assignment, bool lists);
/* Local. *out becomes "name=value; name=value", in the order in which the values were set. gemp_text_free frees
 * *out. */
gemp_code gemp_parameter_list_print(const gemp_parameter_list *list, struct gemp_text *out);
void gemp_parameter_list_free(gemp_parameter_list *list);

typedef enum gemp_query_source {
	GEMP_QUERY_TEXT,
	GEMP_QUERY_SCRIPT, /* `text` has several queries; `name` is the name of the text */
	GEMP_QUERY_NAMED,  /* `text` is the name of a pattern */
	GEMP_QUERY_GRAPH,  /* `text` is the path of a query graph; `name` is the format of labels */
} gemp_query_source;

struct gemp_query {
	gemp_graph *graph; /* borrowed */
	gemp_query_source source;
	char *text, *name; /* owned; name may be NULL */
	gemp_query_settings settings;
	gemp_parameter_list parameters;
	/* the checked tree of a single text, which runs borrow, and which a run clause by clause takes over, since it
	 * changes the tree; owned; NULL: the next run parses the text */
	struct gemp_cypher_tree *tree;
	gemp_text key; /* of the statement that the graph may keep (statement.h); empty: none */
};

/* Local. Parses the query with the values of its parameters. Only a script gives several patterns. gemp_script_free
 * frees *out. */
gemp_code gemp_query_parse(gemp_script *out, const gemp_query *query);

/* Local. Copies the settings (the defaults if `settings` is NULL) and checks them. The source decides which semantics
 * and distinct are the defaults. */
gemp_code gemp_query_settings_read(gemp_query_settings *out, gemp_query_source source,
                                   const gemp_query_settings *settings);

/* Local. Returns the engine's options for a plain count. */
gemp_prepared_options gemp_query_search_options(const gemp_query_settings *settings);

#endif
