/* gemp-reference [--undirected] [--semantics S] [--distinct D] [--rows] [--most N] VERTICES|- EDGES < QUERIES
 *
 * For each query it prints a line with the query's name, embeddings, matches and order of the group. If there are more
 * than N embeddings, the line has the name and `more`. With --rows a line for each match follows: `row`, the keys of
 * its vertices, and the numbers of its edges (lines of the file, from 0), in the order of the query. Tabs separate the
 * fields. */
#include "match.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int choose(const char *text, const char *const *names)
{
	for (int i = 0; names[i]; i++)
		if (text && strcmp(text, names[i]) == 0)
			return i;
	ref_die("no choice '%s'", text ? text : "");
}

static char *read_queries(void)
{
	size_t size = 0, room = 1 << 16;
	char *text = ref_alloc(room + 1, 1);
	for (size_t got; (got = fread(text + size, 1, room - size, stdin)) > 0;) {
		size += got;
		if (size == room && !(text = realloc(text, (room *= 2) + 1)))
			ref_die("out of memory");
	}
	text[size] = '\0';
	return text;
}

static void print_rows(const ref_graph *graph, const ref_query *query, const ref_answer *answer)
{
	for (size_t row = 0; row < answer->rows; row++) {
		fputs("row", stdout);
		for (size_t i = 0; i < answer->width; i++) {
			uint32_t element = answer->elements[row * answer->width + i];
			if (i < (size_t)query->vertex_count)
				printf("\t%s", ref_graph_key(graph, element));
			else
				printf("\t%" PRIu32, element);
		}
		putchar('\n');
	}
}

int main(int argc, char **argv)
{
	static const char *const semantics_names[] = { "iso", "edge-iso", "hom", "induced", NULL };
	static const char *const distinct_names[] = { "orbit", "subgraph", "vertices", "none", NULL };
	bool undirected = false, rows = false;
	ref_semantics semantics = REF_ISO;
	ref_distinct distinct = REF_ORBIT;
	uint64_t most = UINT64_MAX;
	int i = 1;
	for (; i < argc && strncmp(argv[i], "--", 2) == 0; i++) {
		if (strcmp(argv[i], "--undirected") == 0)
			undirected = true;
		else if (strcmp(argv[i], "--rows") == 0)
			rows = true;
		else if (strcmp(argv[i], "--semantics") == 0)
			semantics = (ref_semantics)choose(argv[++i], semantics_names);
		else if (strcmp(argv[i], "--distinct") == 0)
			distinct = (ref_distinct)choose(argv[++i], distinct_names);
		else if (strcmp(argv[i], "--most") == 0)
			most = strtoull(argv[++i], NULL, 10);
		else
			ref_die("no option '%s'", argv[i]);
	}
	if (argc - i != 2)
		ref_die("usage: gemp-reference [--undirected] [--semantics S] [--distinct D] [--rows] [--most N] "
		        "VERTICES|- EDGES < QUERIES");
	ref_graph *graph = ref_graph_read(strcmp(argv[i], "-") == 0 ? NULL : argv[i], argv[i + 1], undirected);
	ref_graph *simple = NULL;
	char *cursor = read_queries();
	for (ref_query *query; (query = ref_query_next(&cursor)) != NULL;) {
		if (query->simple && !simple)
			simple = ref_graph_simple(graph);
		const ref_graph *host = query->simple ? simple : graph;
		ref_answer answer = ref_matches(host, query, semantics, distinct, rows, most);
		if (!answer.complete)
			printf("%s\tmore\n", query->name);
		else
			printf("%s\t%" PRIu64 "\t%" PRIu64 "\t%zu\n", query->name, answer.embeddings, answer.matches,
			       answer.group_order);
		if (rows && answer.complete)
			print_rows(host, query, &answer);
		fflush(stdout);
		free(answer.elements);
	}
	return 0;
}
