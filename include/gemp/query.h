/* gemp/query.h: queries in the manner of openCypher (docs/query-language.md) over one graph.
 *
 *     gemp_query *query;
 *     gemp_query_open(&query, graph, "MATCH (p:Person)-[:ACTS_IN]->(m) WHERE m.year < $year RETURN p.name, m.name", NULL);
 *     gemp_query_bind_integer(query, "year", 1950);
 *     gemp_query_run(query, &rows, &result, NULL);                      // again with other values, as often as wanted
 *     gemp_query_close(query);
 */

#ifndef GEMP_QUERY_H
#define GEMP_QUERY_H

#include <gemp/columns.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gemp_query gemp_query;

typedef struct gemp_query_settings {
	size_t size; /* set by gemp_query_settings_init */
	gemp_semantics semantics;
	gemp_distinct distinct;
	bool distinct_given; /* else aggregates, DISTINCT and WITH see all embeddings */
	uint64_t limit;      /* rows, over all ranks; UINT64_MAX by default */
	bool lenient; /* labels, types and attributes that the graph lacks match nothing, instead of being an error */
} gemp_query_settings;

typedef struct gemp_query_result {
	uint64_t matches;    /* in the sense that was chosen, over all ranks */
	uint64_t embeddings; /* mappings of the pattern; where embeddings_known */
	bool embeddings_known;
	uint64_t rows; /* over all ranks */
	bool complete; /* no row was left out by the limit */
} gemp_query_result;

/* Local. */
GEMP_API void gemp_query_settings_init(gemp_query_settings *settings);

/* Collective. Reads the text; the graph must outlive the query. GEMP_EUSAGE names line and column of what is wrong with it; what
 * depends on values of parameters and on the graph is said by the first run. settings NULL: defaults. */
GEMP_API gemp_code gemp_query_open(gemp_query **out, gemp_graph *graph, const char *text,
                                   const gemp_query_settings *settings);
/* Collective. A named pattern, as triangle, cycle:5, clique:4, of the simple undirected graph: counts only. */
GEMP_API gemp_code gemp_query_open_pattern(gemp_query **out, gemp_graph *graph, const char *pattern,
                                           const gemp_query_settings *settings);
/* Local. Takes NULL. */
GEMP_API void gemp_query_close(gemp_query *query);

/* Local, alike on all ranks. The value of $name from the next run on; it is copied. A name that the text does not have is an
 * error of the next run. */
GEMP_API gemp_code gemp_query_bind_integer(gemp_query *query, const char *name, int64_t value);
GEMP_API gemp_code gemp_query_bind_real(gemp_query *query, const char *name, double value);
GEMP_API gemp_code gemp_query_bind_boolean(gemp_query *query, const char *name, bool value);
GEMP_API gemp_code gemp_query_bind_text(gemp_query *query, const char *name, const char *value);

/* Collective. All rows, each on one of the ranks; rank by rank they are in the order of ORDER BY. An edge is three columns, NAME.type,
 * NAME.source and NAME.target. gemp_columns_close frees *rows. result, report: NULL if not wanted. */
GEMP_API gemp_code gemp_query_run(gemp_query *query, gemp_columns **rows, gemp_query_result *result,
                                  gemp_report *report);
/* Collective. The same rows to a file, by its ending .tsv, .csv, .jsonl or .h5; written under another name until it is whole. */
GEMP_API gemp_code gemp_query_write(gemp_query *query, const char *path, gemp_query_result *result,
                                    gemp_report *report);
/* Collective. Only how many there are, which is often far faster. */
GEMP_API gemp_code gemp_query_count(gemp_query *query, gemp_query_result *result, gemp_report *report);
/* Collective. The plan as text; gemp_text_release frees it. */
GEMP_API gemp_code gemp_query_plan(gemp_query *query, char **out);

#ifdef __cplusplus
}
#endif

#endif
