/* gemp/query.h: queries in the manner of openCypher (docs/query-language.md) over one graph.
 *
 *     gemp_query *query;
 *     gemp_query_open(&query, graph, "MATCH (p:Person)-[:ACTS_IN]->(m) WHERE m.year < $year RETURN p.name, m.name", NULL);
 *     gemp_query_bind_integer(query, "year", 1950);
 *     gemp_query_run(query, &rows, &result, NULL);                      // again with other values, as often as wanted
 *     gemp_query_close(query);
 *
 * A report gets the fields of `gemp-mpi match --json`, and the text that gemp-mpi prints for people.
 */

#ifndef GEMP_QUERY_H
#define GEMP_QUERY_H

#include <gemp/columns.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gemp_query gemp_query;

/* The same on all ranks. Strings are borrowed until the query is closed. */
typedef struct gemp_query_settings {
	size_t size; /* of this struct in bytes, set by gemp_query_settings_init */
	gemp_semantics semantics;
	gemp_distinct distinct;
	bool
		distinct_given; /* `distinct` also holds for aggregates, DISTINCT and WITH, which otherwise see all embeddings */
	uint64_t limit;     /* of rows, over all ranks; UINT64_MAX by default */
	bool lenient;       /* labels, types and attributes that the graph lacks match nothing, instead of being an error */

	/* Output in addition to rows. */
	uint64_t preview; /* rows that gemp_query_write shows in the text of the report if it has no path; 0 by default */
	const char *subgraph; /* path: also write the vertices and edges that matches cover, as a graph; NULL: do not */
	bool explain;         /* the text of the report begins with the plan */
	bool profile;         /* counts the rows of each step, and reports more */
	bool dry_run;         /* runs end when the plan is made: there is only a report, and no kernel is built */
	gemp_checkpoint_settings checkpoint; /* of gemp_query_write and gemp_query_count of one query */

	/* How the search works; the matches are the same under all of these. */
	const char *order; /* "a,b,c" or "0,1,2": the order in which vertices of the pattern are bound; NULL: chosen */
	gemp_condition_phase conditions;
	gemp_exchange_mode exchange;
	int64_t
		replicate; /* bytes of other ranks' rows that a rank holds; 0: none; GEMP_REPLICATE_AUTO (default) or _ALL */
	uint64_t combinations; /* limit of combined matches of pattern parts that no edge joins; 0: 10^9 */
	uint64_t lanes;        /* work-items for one row, at most 1024; 0: chosen by device */
	double launch_factor;  /* C of the launch formula (docs/ranks.md); 0: default */
	bool symmetry_by_hash; /* find all embeddings and keep one of each match by a hash, instead of breaking symmetry */
	bool count_by_search;  /* enumerate matches even if sums over the graph give a count */
	bool first_vertex_pivot; /* start from the first vertex of the text, instead of the most selective one */
} gemp_query_settings;

/* Counts of all ranks; for a script of several queries the result of the last one. */
typedef struct gemp_query_result {
	uint64_t matches;    /* as the settings `semantics` and `distinct` define them */
	uint64_t embeddings; /* mappings of the pattern into the graph; valid if embeddings_known */
	bool embeddings_known;
	uint64_t rows;
	bool complete; /* the limit left out no row */
} gemp_query_result;

/* Local. Sets all defaults. */
GEMP_API void gemp_query_settings_init(gemp_query_settings *settings);

/* OPENING. All are collective; the graph must outlive the query; settings NULL: defaults. gemp_query_close frees
 * *out. */

/* Collective. Checks the text, which is copied. The message of GEMP_EUSAGE names line and column of a mistake. Mistakes
 * that depend on values of parameters or on the graph are found by the first run. */
GEMP_API gemp_code gemp_query_open(gemp_query **out, gemp_graph *graph, const char *text,
                                   const gemp_query_settings *settings);
/* Collective. Opens a text of one query, or of several queries that end with `;` and run one after the other. name: of
 * the text, for messages, such as the path of its file. Text and name are copied. */
GEMP_API gemp_code gemp_query_open_script(gemp_query **out, gemp_graph *graph, const char *text, const char *name,
                                          const gemp_query_settings *settings);
/* Collective. Opens a named pattern, such as triangle, cycle:5 or clique:4. It is searched in the simple undirected
 * graph, and only counted. */
GEMP_API gemp_code gemp_query_open_pattern(gemp_query **out, gemp_graph *graph, const char *pattern,
                                           const gemp_query_settings *settings);
/* Collective. Opens a pattern from a file of lines `t`, `v` and `e`, as studies of subgraph matching use them.
 * label_format, such as "L%d", makes the name of a label from its number. */
GEMP_API gemp_code gemp_query_open_query_graph(gemp_query **out, gemp_graph *graph, const char *path,
                                               const char *label_format, const gemp_query_settings *settings);
/* Local. Frees the query; does nothing for NULL. */
GEMP_API void gemp_query_close(gemp_query *query);

/* PARAMETERS. All functions are local, and must be called with the same values on all ranks. They set the value of
 * $name from the next run on; name and value are copied. If the text has no such name, the next run fails.
 * GEMP_ENOMEM. */
GEMP_API gemp_code gemp_query_bind_integer(gemp_query *query, const char *name, int64_t value);
GEMP_API gemp_code gemp_query_bind_real(gemp_query *query, const char *name, double value);
GEMP_API gemp_code gemp_query_bind_boolean(gemp_query *query, const char *name, bool value);
GEMP_API gemp_code gemp_query_bind_text(gemp_query *query, const char *name, const char *value);
/* The same from text: "name=value" or "name:type=value" with the types string, int, float and bool. GEMP_EUSAGE: the
 * text is none of these, or the name has a value already. */
GEMP_API gemp_code gemp_query_bind(gemp_query *query, const char *assignment);

/* RUNS. All functions are collective. result, report: NULL if not wanted. */

/* Finds all rows. Each row is on one of the ranks; concatenated in rank order they are in the order of ORDER BY. An
 * edge becomes three columns, NAME.type, NAME.source and NAME.target. gemp_columns_close frees *rows. GEMP_EUSAGE: a
 * script of several queries. */
GEMP_API gemp_code gemp_query_run(gemp_query *query, gemp_columns **rows, gemp_query_result *result,
                                  gemp_report *report);
/* Writes the same rows to a file, whose ending is .tsv, .csv, .jsonl or .h5, or - for TSV on stdout. The file gets its
 * name only when it is complete. Each of several queries has a file of its own, with its number before the ending. path
 * NULL: the text of the report shows the first rows (settings.preview), and all are counted. GEMP_STOPPED: a checkpoint
 * was written. */
GEMP_API gemp_code gemp_query_write(gemp_query *query, const char *path, gemp_query_result *result,
                                    gemp_report *report);
/* Only counts matches, which is often far faster. */
GEMP_API gemp_code gemp_query_count(gemp_query *query, gemp_query_result *result, gemp_report *report);
/* Counts for each vertex of the graph the matches in which it is at `vertex` of the pattern (a variable or a number
 * from 0), or at a vertex of the pattern that is exchangeable with it. Rows of `key` and `count`, for vertices that are
 * in a match. path: as in gemp_query_write. */
GEMP_API gemp_code gemp_query_count_per(gemp_query *query, const char *vertex, const char *path,
                                        gemp_query_result *result, gemp_report *report);

/* The true number of matches is in [low, high] with this confidence. */
typedef struct gemp_query_estimate {
	double matches, low, high; /* high is infinite if no match was found and there may be some */
	double embeddings;         /* 0: they do not follow from matches */
	double confidence;         /* 1: the whole search was done, so the number is exact */
	uint64_t samples;          /* partial matches that were sampled */
} gemp_query_estimate;

/* Estimates the number of matches from samples, until the interval is within 5 % of the estimate, or for about
 * `seconds`. */
GEMP_API gemp_code gemp_query_sample(gemp_query *query, double seconds, uint64_t seed, gemp_query_estimate *result,
                                     gemp_report *report);
/* *out becomes the plan of gemp_query_count as text, which gemp_text_release frees. No kernel is built. */
GEMP_API gemp_code gemp_query_plan(gemp_query *query, char **out);

/* MOTIFS */

enum { GEMP_MOTIFS_MAX = 21 }; /* connected graphs of 5 vertices */

typedef struct gemp_motif {
	char pattern[64]; /* "edges:0-1,0-2,1-2", as gemp_query_open_pattern takes it */
	uint64_t count;
	double seconds; /* of its counting */
} gemp_motif;

/* Collective. Counts the connected subgraphs of 3, 4 or 5 vertices of the simple undirected graph, by kind:
 * edge-induced with the setting GEMP_ISO, vertex-induced with GEMP_INDUCED. name: "motifs:3", "motifs:4" or "motifs:5".
 * out[GEMP_MOTIFS_MAX] gets *count kinds; a dry run has 0. report NULL: none is wanted. */
GEMP_API gemp_code gemp_graph_motifs(gemp_graph *graph, const char *name, const gemp_query_settings *settings,
                                     gemp_motif *out, size_t *count, gemp_report *report);

#ifdef __cplusplus
}
#endif

#endif
