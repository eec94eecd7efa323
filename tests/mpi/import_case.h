/* Shared by tests of imports: compares an imported graph, printed as sorted lines, with the expected text, and checks
 * errors. The results must not depend on the number of ranks. */
#ifndef GEMP_TESTS_IMPORT_CASE_H
#define GEMP_TESTS_IMPORT_CASE_H

#include "core/memory.h"
#include "harness/collective.h"

#include "comm/comm.h"
#include "core/status.h"
#include "core/text.h"
#include "core/types.h"
#include "graph/column.h"
#include "graph/graph.h"
#include "io/import/import.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PARTS(...)        \
	(const char *const[]) \
	{                     \
		__VA_ARGS__, NULL \
	}

/* A communicator of this rank only. */
static const gemp_comm alone = { .world = MPI_COMM_SELF, .size = 1, .node = MPI_COMM_SELF, .node_size = 1 };

/* Collective. Rank 0 writes a file. Returns its path. */
static inline const char *write_text_file(const char *name, const char *text)
{
	size_t size = strlen(text);
	const char *path = test_path_all(name);
	bool good = true;
	if (test_comm.rank == 0) {
		FILE *file = fopen(path, "wb");
		good = file && fwrite(text, 1, size, file) == size;
		good = file && fclose(file) == 0 && good;
	}
	assert_all(good);
	return path;
}

static inline int compare_lines(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Sorts the lines of a text; every line ends with a newline. */
static inline void sort_lines(gemp_text *text)
{
	char *lines[1000], *rest = text->data;
	size_t count = 0;
	gemp_text sorted = { 0 };
	for (char *line; rest && (line = strsep(&rest, "\n")) != NULL && *line;)
		lines[count++] = line;
	qsort(lines, count, sizeof *lines, compare_lines);
	for (size_t i = 0; i < count; i++)
		gemp_text_print(&sorted, "%s\n", lines[i]);
	gemp_text_free(text);
	*text = sorted;
}

static inline void print_values(gemp_text *out, const gemp_table *table, size_t row)
{
	for (size_t i = 0; i < table->count; i++) {
		gemp_value value = gemp_column_get(&table->columns[i], row);
		if (value.null)
			continue;
		gemp_text_print(out, " %s:%c=", table->columns[i].name, gemp_type_name[value.type][0]);
		gemp_value_print(&value, out);
	}
}

static inline void print_key(gemp_text *out, const gemp_shard *graph, gemp_vertex id)
{
	gemp_value key = gemp_column_get(&graph->keys, id);
	gemp_value_print(&key, out);
}

/* Prints a graph of one rank as sorted lines "key LABELS attribute:t=value", then sorted lines "source-TYPE->target
 * attribute:t=value", where t is the first letter of a type. An undirected edge has no ">". */
static inline void dump(gemp_text *out, const gemp_shard *graph)
{
	gemp_text edges = { 0 };
	for (gemp_vertex v = 0; v < graph->rows; v++) {
		const gemp_label_set *set = &graph->label_sets[graph->label_set_of[v]];
		print_key(out, graph, v);
		for (size_t i = 0; i < set->count; i++)
			gemp_text_print(out, "%c%s", i ? ';' : ' ', graph->labels[set->labels[i]]);
		print_values(out, &graph->attributes, v);
		gemp_text_print(out, "\n");
		for (size_t r = 0; r < graph->relation_count; r++) {
			const gemp_relation *relation = &graph->relations[r];
			for (uint64_t e = relation->out_offsets[v]; e < relation->out_offsets[v + 1]; e++) {
				print_key(&edges, graph, v);
				gemp_text_print(&edges, "-%s-%s", relation->name, relation->directed ? ">" : "");
				print_key(&edges, graph, relation->out_targets[e]);
				print_values(&edges, &relation->props, e);
				gemp_text_print(&edges, "\n");
			}
		}
	}
	sort_lines(out);
	sort_lines(&edges);
	gemp_text_add(out, edges.data, edges.size);
	gemp_text_free(&edges);
}

/* Collective. Checks that each rank alone imports the expected graph, and that all ranks together import the same
 * graph. */
static inline void expect_graph(const gemp_import_options *options, const char *expected)
{
	gemp_shard *graph = NULL, *whole = NULL;
	gemp_text text = { 0 };
	size_t blocks = gemp_memory_blocks();
	assert_all_ok(gemp_import(&whole, &alone, options));
	dump(&text, whole);
	if (strcmp(text.data ? text.data : "", expected) != 0)
		fprintf(stderr, "is:\n%s\nshould be:\n%s\n", text.data, expected);
	assert_all(strcmp(text.data ? text.data : "", expected) == 0);
	gemp_text_free(&text);
	assert_all_ok(gemp_import(&graph, &test_comm, options));
	assert_all(graph->hash == whole->hash && graph->vertex_count == whole->vertex_count);
	gemp_shard_free(graph);
	gemp_shard_free(whole);
	assert_all(gemp_memory_blocks() == blocks);
}

static inline void expect_failure(const gemp_import_options *options, gemp_code code, const char *const *parts)
{
	gemp_shard *graph = NULL;
	size_t blocks = gemp_memory_blocks();
	assert_all_code(gemp_import(&graph, &test_comm, options), code);
	for (; *parts; parts++) {
		if (!strstr(gemp_message(), *parts))
			fprintf(stderr, "no '%s' in: %s\n", *parts, gemp_message());
		assert_all(strstr(gemp_message(), *parts) != NULL);
	}
	assert_all(graph == NULL);
	assert_all(gemp_memory_blocks() == blocks);
}

/* A text that is an error, the place of the error in the file (":5: "), and a part of the message. */
typedef struct bad_text {
	const char *text, *place, *part;
} bad_text;

static inline void expect_error(const gemp_import_options *options, const char *name, const bad_text *bad)
{
	char place[40];
	snprintf(place, sizeof place, "%s%s", name, bad->place);
	expect_failure(options, GEMP_EDATA, PARTS(place, bad->part));
}

/* The options for one file of a format, given as an edge file. */
typedef struct file_case {
	const char *path;
	gemp_import_options options;
} file_case;

static inline gemp_import_options *one_file(file_case *self, const char *format, const char *name, const char *text)
{
	*self = (file_case){ .path = write_text_file(name, text), .options = { .edge_file_count = 1, .seed = 1 } };
	self->options.edge_files = &self->path;
	assert_all_ok(gemp_format_parse(&self->options.format, format));
	return &self->options;
}

static inline gemp_code import_once(void *options)
{
	gemp_shard *graph = NULL;
	gemp_code code = gemp_import(&graph, &test_comm, options);
	gemp_shard_free(graph);
	return code;
}

/* Does nothing with more than three ranks, which take long and test nothing new. */
static inline void survives_without_memory(gemp_import_options *options)
{
	if (test_comm.size <= 3)
		assert_all_survive_no_memory(import_once, options);
}

#endif
