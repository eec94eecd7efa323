/* gemp/query.h: queries over one graph, in openCypher (docs/query-language.md).
 *
 *     gemp_query *query;
 *     gemp_query_open(&query, graph, "MATCH (p:Person)-[:ACTS_IN]->(m) WHERE m.year < $year RETURN p.name, m.name",
 * NULL);
 *     gemp_query_bind_integer(query, "year", 1950);
 *     gemp_query_run(query, &rows, &result, NULL);       // may be repeated with other values
 *     gemp_query_close(query);
 *
 * A report gets the fields of `gemp-mpi match --json` and the text that gemp-mpi prints for people. */

#ifndef GEMP_QUERY_H
#define GEMP_QUERY_H

#include <gemp/columns.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gemp_query gemp_query;

/* The settings must be the same on all ranks. Their strings must live until the query is closed. */
typedef struct gemp_query_settings {
	size_t size; /* the size of this struct in bytes; gemp_query_settings_init sets it */
	/* What a match is. By default a query text has the sense of openCypher: edges are distinct, vertices may repeat,
	 * and each embedding is a match. Named patterns, query graphs and motifs count subgraphs: GEMP_ISO and
	 * GEMP_BY_ORBIT. */
	gemp_semantics semantics;
	gemp_distinct distinct;
	/* apply `distinct` also to aggregates, DISTINCT and WITH, which otherwise see all embeddings */
	bool distinct_given;
	uint64_t limit; /* maximum number of rows over all ranks; UINT64_MAX by default */
	bool lenient;   /* labels, types and attributes that the graph lacks match nothing; otherwise they are an error */

	/* Output in addition to rows */
	/* number of rows that gemp_query_write and gemp_query_count_per show in the text of the report if they get no path;
	 * 0 by default */
	uint64_t preview;
	const char *subgraph; /* graph file for the vertices and edges that the matches cover; NULL: none */
	/* a picture of the pattern and of the order in which the search binds its vertices: .svg, .png or .dot; NULL: none.
	 * Each query of a script has a picture of its own, with its number before the ending */
	const char *picture;
	bool explain; /* the text of the report begins with the plan */
	bool profile; /* count the rows of each step, and add more figures to the report */
	bool dry_run; /* end each run after planning: no kernel is built, and the only output is the report */
	gemp_checkpoint_settings checkpoint; /* used by gemp_query_write and gemp_query_count of a single query */

	/* How the search works. The matches do not depend on the following settings. */
	/* "a,b,c" or "0,1,2": the order in which the pattern's vertices are bound; NULL: chosen by the planner */
	const char *order;
	gemp_condition_phase conditions;
	gemp_exchange_mode exchange;
	/* bytes that a rank spends on copies of other ranks' rows: 0 for none, GEMP_REPLICATE_AUTO (default) or _ALL */
	int64_t replicate;
	uint64_t combinations; /* limit on the combinations of matches of pattern parts that no edge joins; 0: 10^9 */
	uint64_t lanes;        /* number of work-items for one row, at most 1024; 0: chosen for the device */
	double launch_factor;  /* factor C of the launch formula (docs/launch-sizes.md); 0: the default */
	/* find all embeddings and keep one of each match by a hash; otherwise order restrictions break the symmetry */
	bool symmetry_by_hash;
	/* where to search: on the threads of the host, without OpenCL; on devices; AUTO: small questions on the host */
	gemp_placement place;
	bool count_by_search;    /* enumerate matches even if sums over the graph give the count */
	bool first_vertex_pivot; /* start at the first vertex of the text; otherwise at the most selective vertex */
	/* copy the values of conditions that are tested after the search for each match; otherwise once for each vertex */
	bool copy_each;
	bool by_rank; /* count the row entries that each rank reads, for the field `by_rank` of the report */
} gemp_query_settings;

/* Counts over all ranks. For a script of several queries they are the counts of the last query. */
typedef struct gemp_query_result {
	uint64_t matches;    /* number of matches as the settings `semantics` and `distinct` define them */
	uint64_t embeddings; /* number of mappings of the pattern into the graph; valid if embeddings_known is true */
	bool embeddings_known;
	uint64_t rows;
	bool complete; /* the limit has cut off no row */
} gemp_query_result;

/* Local. Sets all defaults. */
GEMP_API void gemp_query_settings_init(gemp_query_settings *settings);

/* OPENING. The functions are collective. The graph must outlive the query. If `settings` is NULL, the defaults apply.
 * gemp_query_close frees *out. */

/* Collective. Copies and checks the text of one query. GEMP_EUSAGE if it has a mistake; the message names line and
 * column. The first run finds mistakes that depend on values of parameters or on the graph. */
GEMP_API gemp_code gemp_query_open(gemp_query **out, gemp_graph *graph, const char *text,
                                   const gemp_query_settings *settings);
/* Collective. Opens a text of one or more queries, which run one after the other. If there are several queries, each
 * ends with `;`. Messages call the text `name`, such as the path of its file. Text and name are copied. */
GEMP_API gemp_code gemp_query_open_script(gemp_query **out, gemp_graph *graph, const char *text, const char *name,
                                          const gemp_query_settings *settings);
/* Collective. Opens a named pattern, such as triangle, cycle:5 or clique:4. The search runs on the simple undirected
 * graph, and the matches are only counted. */
GEMP_API gemp_code gemp_query_open_pattern(gemp_query **out, gemp_graph *graph, const char *pattern,
                                           const gemp_query_settings *settings);
/* Collective. Opens a pattern from a file with lines `t`, `v` and `e`, the format of studies of subgraph matching.
 * label_format, such as "L%d", makes the name of a label from its number. */
GEMP_API gemp_code gemp_query_open_query_graph(gemp_query **out, gemp_graph *graph, const char *path,
                                               const char *label_format, const gemp_query_settings *settings);
/* Local. Frees the query; does nothing for NULL. */
GEMP_API void gemp_query_close(gemp_query *query);

/* PARAMETERS. The functions are local, and must be called with the same values on all ranks. They set the value of the
 * parameter $name for all later runs. Name and value are copied. If the text has no such parameter, the next run fails.
 * GEMP_ENOMEM. */
GEMP_API gemp_code gemp_query_bind_integer(gemp_query *query, const char *name, int64_t value);
GEMP_API gemp_code gemp_query_bind_real(gemp_query *query, const char *name, double value);
GEMP_API gemp_code gemp_query_bind_boolean(gemp_query *query, const char *name, bool value);
GEMP_API gemp_code gemp_query_bind_text(gemp_query *query, const char *name, const char *value);
/* Sets a parameter from text: "name=value", or "name:type=value" with the types string, int, float and bool.
 * GEMP_EUSAGE if the text has another form, if the parameter has a value already, or if the query is a named pattern or
 * a query graph. */
GEMP_API gemp_code gemp_query_bind(gemp_query *query, const char *assignment);

/* RUNS. The functions are collective. `result` and `report` may be NULL. */

/* Finds all rows. Each row is on one of the ranks. The concatenation of the ranks' rows in rank order has the order of
 * ORDER BY. An edge becomes three columns, NAME.type, NAME.source and NAME.target. gemp_columns_close frees *rows.
 * GEMP_EUSAGE if the query is a script of several queries. */
GEMP_API gemp_code gemp_query_run(gemp_query *query, gemp_columns **rows, gemp_query_result *result,
                                  gemp_report *report);
/* Writes the same rows to the file `path`, whose name ends in .tsv, .csv, .jsonl or .h5, or is - for TSV on stdout. The
 * file gets its name only when it is complete. Each query of a script has a file of its own, with its number before the
 * ending. If `path` is NULL, all rows are counted, and the text of the report shows the first ones (settings.preview).
 * GEMP_STOPPED if the run stopped with a checkpoint. */
GEMP_API gemp_code gemp_query_write(gemp_query *query, const char *path, gemp_query_result *result,
                                    gemp_report *report);
/* Counts the matches without making rows, which is often far faster than gemp_query_write. GEMP_STOPPED if the run
 * stopped with a checkpoint. */
GEMP_API gemp_code gemp_query_count(gemp_query *query, gemp_query_result *result, gemp_report *report);
/* Counts for each vertex of the graph the matches in which it is the image of the pattern vertex `vertex`, or of a
 * pattern vertex that a symmetry exchanges with `vertex`. `vertex` is a variable, or a number from 0. Makes rows of
 * `key` and `count` for the vertices that are in a match. `path` has the same meaning as for gemp_query_write. */
GEMP_API gemp_code gemp_query_count_per(gemp_query *query, const char *vertex, const char *path,
                                        gemp_query_result *result, gemp_report *report);

/* An estimate of the number of matches. The true number is in [low, high] with the stated confidence. */
typedef struct gemp_query_estimate {
	double matches, low, high; /* high is infinite if the samples contain no match but the graph may contain one */
	double embeddings;         /* 0 if the number of embeddings does not follow from the number of matches */
	double confidence;         /* 1 if the whole search was done, which makes the number exact */
	uint64_t samples;          /* number of sampled partial matches */
} gemp_query_estimate;

/* Estimates the number of matches from samples. Sampling ends when the interval is within 5 % of the estimate, or after
 * about `seconds`. */
GEMP_API gemp_code gemp_query_sample(gemp_query *query, double seconds, uint64_t seed, gemp_query_estimate *result,
                                     gemp_report *report);
/* *out becomes the plan of gemp_query_count as text. gemp_text_release frees the text. No kernel is built. */
GEMP_API gemp_code gemp_query_plan(gemp_query *query, char **out);

/* CHANGES. The clauses CREATE, MERGE, SET, REMOVE, DELETE and FOREACH change a graph. Only gemp_query_update runs a
 * query that has them (docs/opencypher.md). */

typedef struct gemp_update_settings {
	size_t size;                      /* the size of this struct in bytes; gemp_update_settings_init sets it */
	const char *output;               /* file for the new graph; NULL: none */
	const gemp_write_settings *write; /* how `output` is written; NULL: the defaults */
	const char *rows;                 /* file for the rows of RETURN, as in gemp_query_write; NULL: a preview */
} gemp_update_settings;

/* Counts over all rows of the query. An element that the query creates and then deletes counts in both. */
typedef struct gemp_query_changes {
	uint64_t created_vertices, created_edges;
	uint64_t deleted_vertices, deleted_edges;
	uint64_t attributes_set; /* attributes that got a value or lost it */
	uint64_t labels_added, labels_removed;
} gemp_query_changes;

/* Local. Sets all defaults. */
GEMP_API void gemp_update_settings_init(gemp_update_settings *settings);
/* Collective. Runs the text of a single query, which may change the graph, once and clause by clause: each clause sees
 * what the clauses before it have done. The graph of the query becomes the new graph, whose hash equals the hash of the
 * file that gemp_graph_write makes of it. Files get their names only after the whole run. If `settings` is NULL,
 * nothing is written; `changes`, `result` and `report` may be NULL.
 *
 * GEMP_EUSAGE if the query has a mistake, whose line and column the message names. If the query cannot be parsed, or
 * names something that the graph lacks, the graph is unchanged. After any other failure the graph can only be
 * closed. */
GEMP_API gemp_code gemp_query_update(gemp_query *query, const gemp_update_settings *settings,
                                     gemp_query_changes *changes, gemp_query_result *result, gemp_report *report);

/* MOTIFS */

enum { GEMP_MOTIFS_MAX = 21 }; /* the number of connected graphs with 5 vertices */

typedef struct gemp_motif {
	char name[16];    /* "paw", "path:4"; gemp_query_open_pattern accepts it */
	char pattern[64]; /* the same as a list of edges, such as "edges:0-1,0-2,1-2", which it accepts, too */
	uint64_t count;
	double seconds; /* the time of the count */
} gemp_motif;

/* Collective. Counts the connected subgraphs with 3, 4 or 5 vertices of the simple undirected graph, by isomorphism
 * class. With the setting GEMP_ISO the subgraphs are edge-induced, with GEMP_INDUCED vertex-induced. `name` is
 * "motifs:3", "motifs:4" or "motifs:5". out[GEMP_MOTIFS_MAX] gets *count classes; in a dry run *count is 0. If `report`
 * is NULL, no report is made. */
GEMP_API gemp_code gemp_graph_motifs(gemp_graph *graph, const char *name, const gemp_query_settings *settings,
                                     gemp_motif *out, size_t *count, gemp_report *report);
/* Collective. Writes a row of name, pattern, edges and count for each class to a file: .tsv, .csv, .jsonl or .h5, or
 * "-" for TSV on stdout. */
GEMP_API gemp_code gemp_graph_motifs_write(gemp_graph *graph, const char *path, const gemp_motif *motifs, size_t count);

#ifdef __cplusplus
}
#endif

#endif
