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
	bool distinct_given; /* else aggregates, DISTINCT and WITH see all embeddings */
	uint64_t limit;      /* rows, over all ranks; UINT64_MAX by default */
	bool lenient; /* labels, types and attributes that the graph lacks match nothing, instead of being an error */

	/* Output beside rows. */
	uint64_t
		preview; /* rows that gemp_query_write shows in the text of the report where it has no path; 0 by default */
	const char *subgraph; /* path: also write the vertices and edges that matches cover, as a graph; NULL: do not */
	bool explain;         /* the text of the report begins with the plan */
	bool profile;         /* counts the rows of each step, and reports more */
	bool dry_run;         /* runs end when the plan is made: only the report gets anything, and no kernel is built */
	gemp_checkpoint_settings checkpoint; /* of gemp_query_write and gemp_query_count of one query */

	/* How the search works; the matches are the same under all of these. */
	const char *order; /* "a,b,c" or "0,1,2": the order in which vertices of the pattern are bound; NULL: chosen */
	gemp_condition_phase conditions;
	gemp_exchange_mode exchange;
	int64_t
		replicate; /* bytes of other ranks' rows that a rank holds, or GEMP_REPLICATE_AUTO (default), _ALL; 0: none */
	uint64_t combinations; /* of matches of parts of a pattern that no edge joins, at most; 0: 10^9 */
	uint64_t lanes;        /* that work on one row, at most 1024; 0: chosen by device */
	double launch_factor;  /* C of the launch formula (docs/ranks.md); 0: default */
	bool
		symmetry_by_hash; /* finds all embeddings and keeps one of each match by a hash, instead of breaking symmetry */
	bool count_by_search; /* enumerates also where sums over the graph give a count */
	bool first_vertex_pivot; /* starts from the first vertex of the text, instead of the most selective one */
} gemp_query_settings;

/* Of all ranks; of several queries that of the last one. */
typedef struct gemp_query_result {
	uint64_t matches;    /* in the sense that was chosen */
	uint64_t embeddings; /* mappings of the pattern; where embeddings_known */
	bool embeddings_known;
	uint64_t rows;
	bool complete; /* no row was left out by the limit */
} gemp_query_result;

/* Local. */
GEMP_API void gemp_query_settings_init(gemp_query_settings *settings);

/* OPENING. All are collective; the graph must outlive the query; settings NULL: defaults. gemp_query_close frees *out. */

/* Reads the text, which is copied. GEMP_EUSAGE names line and column of what is wrong with it; what depends on values of parameters
 * and on the graph is said by the first run. */
GEMP_API gemp_code gemp_query_open(gemp_query **out, gemp_graph *graph, const char *text,
                                   const gemp_query_settings *settings);
/* A text of one query, or of several that end with `;`, which run one after the other. name: of the text, for messages, as the path
 * of its file; text and name are copied. */
GEMP_API gemp_code gemp_query_open_script(gemp_query **out, gemp_graph *graph, const char *text, const char *name,
                                          const gemp_query_settings *settings);
/* A named pattern, as triangle, cycle:5, clique:4, of the simple undirected graph: counts only. */
GEMP_API gemp_code gemp_query_open_pattern(gemp_query **out, gemp_graph *graph, const char *pattern,
                                           const gemp_query_settings *settings);
/* A pattern from a file of lines `t`, `v` and `e`, as studies of subgraph matching use them. label_format, as "L%d", makes the name
 * of a label of its number. */
GEMP_API gemp_code gemp_query_open_query_graph(gemp_query **out, gemp_graph *graph, const char *path,
                                               const char *label_format, const gemp_query_settings *settings);
/* Local. Takes NULL. */
GEMP_API void gemp_query_close(gemp_query *query);

/* PARAMETERS. All are local, alike on all ranks: the value of $name from the next run on, which is copied. A name that the text does
 * not have is an error of the next run. */
GEMP_API gemp_code gemp_query_bind_integer(gemp_query *query, const char *name, int64_t value);
GEMP_API gemp_code gemp_query_bind_real(gemp_query *query, const char *name, double value);
GEMP_API gemp_code gemp_query_bind_boolean(gemp_query *query, const char *name, bool value);
GEMP_API gemp_code gemp_query_bind_text(gemp_query *query, const char *name, const char *value);
/* From text, "name=value" or "name:type=value" with the types string, int, float and bool. GEMP_EUSAGE also where the query has a
 * value for the name. */
GEMP_API gemp_code gemp_query_bind(gemp_query *query, const char *assignment);

/* RUNS. All are collective. result, report: NULL if not wanted. */

/* All rows, each on one of the ranks; rank by rank they are in the order of ORDER BY. An edge is three columns, NAME.type,
 * NAME.source and NAME.target. gemp_columns_close frees *rows. GEMP_EUSAGE: a script of several queries. */
GEMP_API gemp_code gemp_query_run(gemp_query *query, gemp_columns **rows, gemp_query_result *result,
                                  gemp_report *report);
/* The same rows to a file, by its ending .tsv, .csv, .jsonl or .h5, or - for TSV on stdout; written under another name until it is
 * whole. Of several queries each has a file, with its number before the ending. path NULL: the first rows are shown
 * (settings.preview), and all are counted. GEMP_STOPPED: a checkpoint was written. */
GEMP_API gemp_code gemp_query_write(gemp_query *query, const char *path, gemp_query_result *result,
                                    gemp_report *report);
/* Only how many there are, which is often far faster. */
GEMP_API gemp_code gemp_query_count(gemp_query *query, gemp_query_result *result, gemp_report *report);
/* In how many matches each vertex of the graph is at `vertex` of the pattern, a variable or a number from 0, or at a vertex that is
 * exchangeable with it: rows `key`, `count` of the vertices that are in some match. path: as of gemp_query_write. */
GEMP_API gemp_code gemp_query_count_per(gemp_query *query, const char *vertex, const char *path,
                                        gemp_query_result *result, gemp_report *report);

/* The true number of matches is in [low, high] with this confidence. */
typedef struct gemp_query_estimate {
	double matches, low, high; /* high is infinite where no match was met and there may be some */
	double embeddings;         /* 0: they do not follow from matches */
	double confidence;         /* 1: everything was visited */
	uint64_t samples;          /* partial matches that were carried along */
} gemp_query_estimate;

/* Estimates the number of matches from samples, to 5 %, or for about so many seconds. result: NULL if not wanted. */
GEMP_API gemp_code gemp_query_sample(gemp_query *query, double seconds, uint64_t seed, gemp_query_estimate *result,
                                     gemp_report *report);
/* The plan of gemp_query_count as text, which gemp_text_release frees; no kernel is built. */
GEMP_API gemp_code gemp_query_plan(gemp_query *query, char **out);

/* MOTIFS */

enum { GEMP_MOTIFS_MAX = 21 }; /* connected graphs of 5 vertices */

typedef struct gemp_motif {
	char pattern[64]; /* "edges:0-1,0-2,1-2", as gemp_query_open_pattern takes it */
	uint64_t count;
	double seconds; /* that its counting took */
} gemp_motif;

/* Collective. Counts the connected subgraphs of the simple undirected graph that have so many vertices, by kind: with GEMP_ISO of the
 * settings edge-induced, with GEMP_INDUCED vertex-induced. name: "motifs:3", "motifs:4" or "motifs:5"; out[GEMP_MOTIFS_MAX];
 * *count: the kinds, 0 of a dry run. */
GEMP_API gemp_code gemp_graph_motifs(gemp_graph *graph, const char *name, const gemp_query_settings *settings,
                                     gemp_motif *out, size_t *count, gemp_report *report);

#ifdef __cplusplus
}
#endif

#endif
