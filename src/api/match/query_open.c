/* query_open: opens queries of each source, and checks their texts. */

#include "api/match/statement.h"
#include "core/memory.h"
#include "core/text.h"

GEMP_RELEASE(gemp_query_close, gemp_query *)

/* Local. Finds mistakes in a query whose parameters have no values yet. Only the text of a single query can be checked
 * without values, so a script is parsed by its first run. */
static gemp_code check_text(gemp_query *query)
{
	GEMP_OWNED_BY(gemp_script_free) gemp_script script = { 0 };
	if (query->source == GEMP_QUERY_TEXT)
		return gemp_statement_is_kept(query) ? GEMP_OK : gemp_query_text_check(query);
	if (query->source == GEMP_QUERY_SCRIPT)
		return GEMP_OK;
	return gemp_query_parse(&script, query);
}

/* Collective. Copies the text and the name; the name may be NULL. */
static gemp_code open_query(gemp_query **out, gemp_graph *graph, gemp_query_source source, const char *text,
                            const char *name, const gemp_query_settings *settings)
{
	GEMP_OWNED_BY(gemp_query_close_at) gemp_query *query = NULL;
	*out = NULL;
	gemp_code code = GEMP_NEW(query, 1);
	if (code == GEMP_OK) {
		*query = (gemp_query){
			.graph = graph, .source = source, .text = gemp_strdup(text), .name = name ? gemp_strdup(name) : NULL
		};
		code = query->text && (query->name || !name) ? gemp_query_settings_read(&query->settings, source, settings)
		                                             : GEMP_ENOMEM;
	}
	GEMP_THEN(gemp_statement_key(query));
	GEMP_THEN(check_text(query));
	GEMP_TRY(gemp_comm_agree(&graph->context->comm, code));
	*out = GEMP_MOVE(query);
	return GEMP_OK;
}

gemp_code gemp_query_open(gemp_query **out, gemp_graph *graph, const char *text, const gemp_query_settings *settings)
{
	return open_query(out, graph, GEMP_QUERY_TEXT, text, NULL, settings);
}

gemp_code gemp_query_open_script(gemp_query **out, gemp_graph *graph, const char *text, const char *name,
                                 const gemp_query_settings *settings)
{
	return open_query(out, graph, GEMP_QUERY_SCRIPT, text, name, settings);
}

gemp_code gemp_query_open_pattern(gemp_query **out, gemp_graph *graph, const char *pattern,
                                  const gemp_query_settings *settings)
{
	return open_query(out, graph, GEMP_QUERY_NAMED, pattern, NULL, settings);
}

gemp_code gemp_query_open_query_graph(gemp_query **out, gemp_graph *graph, const char *path, const char *label_format,
                                      const gemp_query_settings *settings)
{
	return open_query(out, graph, GEMP_QUERY_GRAPH, path, label_format, settings);
}
