/* gemp/index.h: indexes of a graph file. An index repeats parts of the graph in another order, so that some questions
 * are answered faster; it changes no answer. A new graph file has those of gemp_write_settings, results that are
 * written into a graph file keep its indexes, and every other function that makes a graph file from another leaves
 * indexes out. docs/format.md describes how they are stored. */

#ifndef GEMP_INDEX_H
#define GEMP_INDEX_H

#include <gemp/query.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gemp_index_settings {
	size_t size; /* set by gemp_index_settings_init */
	/* [row_count] indexes of rows: the edge types of a question, joined by |, and its direction: "A|B:out", "A|B:in",
	 * "A|B:either"; "A|B" stands for out and in, and "*" for all types */
	const char *const *rows;
	size_t row_count;
	const char *const *values; /* [value_count] indexes of values: names of attributes of strings, integers or floats */
	size_t value_count;
	const gemp_query *query; /* adds the indexes that these queries would use; NULL: none */
	bool drop;               /* remove all indexes that the file has */
	bool compressed;         /* compress the arrays of the file that is written; false by default */
} gemp_index_settings;

/* Local. Sets all defaults. */
GEMP_API void gemp_index_settings_init(gemp_index_settings *settings);
/* Collective. Adds indexes to the file of a graph that gemp_graph_open has opened, and reports all that the file then
 * has. If nothing is to be added or removed, the function only reports. Otherwise the file is written anew under a
 * temporary name, so it is valid at any time, and the graph continues with the new file. GEMP_EUSAGE if the graph has
 * no file, if a type or attribute is unknown or has no index, or if the file has the rows of an index anyway. */
GEMP_API gemp_code gemp_graph_index(gemp_graph *graph, const gemp_index_settings *settings, gemp_report *report);

#ifdef __cplusplus
}
#endif

#endif
