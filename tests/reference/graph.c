/* Reads graphs from TSV tables, sorts vertices and edges, and makes the simple graph of a graph. */
#include "graph.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void ref_die(const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	fputs("gemp-reference: ", stderr);
	vfprintf(stderr, format, arguments);
	fputc('\n', stderr);
	va_end(arguments);
	exit(2);
}

void *ref_alloc(size_t count, size_t size)
{
	void *memory = calloc(count ? count : 1, size ? size : 1);
	if (!memory)
		ref_die("out of memory");
	return memory;
}

static char *read_all(const char *path)
{
	FILE *file = fopen(path, "rb");
	if (!file)
		ref_die("%s: %s", path, strerror(errno));
	size_t size = 0, room = 1 << 16;
	char *bytes = ref_alloc(room + 1, 1);
	for (size_t got; (got = fread(bytes + size, 1, room - size, file)) > 0;) {
		size += got;
		if (size == room && !(bytes = realloc(bytes, (room *= 2) + 1)))
			ref_die("out of memory");
	}
	fclose(file);
	bytes[size] = '\0';
	return bytes;
}

static bool is_integer(const char *cell)
{
	char *end;
	errno = 0;
	long long value = strtoll(cell, &end, 10);
	char again[32];
	snprintf(again, sizeof again, "%lld", value);
	return !errno && !*end && strcmp(again, cell) == 0; /* only the canonical form is an integer; 007 is a string */
}

static bool is_number(const char *cell)
{
	char *end;
	strtod(cell, &end);
	return end != cell && !*end && !strpbrk(cell, "xXnN");
}

static bool is_boolean(const char *cell)
{
	return strcmp(cell, "true") == 0 || strcmp(cell, "false") == 0;
}

static ref_kind infer(const ref_table *table, size_t column)
{
	bool integer = true, number = true, boolean = true;
	for (size_t row = 0; row < table->rows; row++) {
		const char *cell = table->cells[row][column];
		if (!cell)
			continue;
		integer = integer && is_integer(cell);
		number = number && is_number(cell);
		boolean = boolean && is_boolean(cell);
	}
	return integer ? REF_INTEGER : boolean ? REF_BOOLEAN : number ? REF_FLOAT : REF_STRING;
}

static ref_kind stated(char *name)
{
	static const struct {
		const char *name;
		ref_kind kind;
	} types[] = {
		{ ":int", REF_INTEGER },
		{ ":float", REF_FLOAT },
		{ ":bool", REF_BOOLEAN },
		{ ":string", REF_STRING },
	};
	for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
		char *colon = strrchr(name, ':');
		if (colon && strcmp(colon, types[i].name) == 0) {
			*colon = '\0';
			return types[i].kind;
		}
	}
	return REF_NULL;
}

static char *cut(char **cursor, char at)
{
	char *begin = *cursor, *end = begin;
	while (*end && *end != at)
		end++;
	*cursor = *end ? end + 1 : end;
	*end = '\0';
	return begin;
}

static void split_row(const ref_table *table, char *line, char **cells)
{
	char *end = line + strlen(line);
	if (end > line && end[-1] == '\r')
		end[-1] = '\0';
	for (size_t column = 0; column < table->columns; column++) {
		char *cell = cut(&line, '\t');
		cells[column] = *cell ? cell : NULL;
	}
}

static void read_table(ref_table *table, const char *path)
{
	char *cursor = table->bytes = read_all(path);
	size_t lines = 0;
	for (const char *c = cursor; *c; c++)
		lines += *c == '\n' || !c[1];
	char *header = cut(&cursor, '\n');
	table->columns = 1;
	for (const char *c = header; *c; c++)
		table->columns += *c == '\t';
	table->names = ref_alloc(table->columns, sizeof *table->names);
	table->kinds = ref_alloc(table->columns, sizeof *table->kinds);
	table->cells = ref_alloc(lines, sizeof *table->cells);
	split_row(table, header, table->names);
	while (*cursor) {
		char **cells = ref_alloc(table->columns, sizeof *cells);
		split_row(table, cut(&cursor, '\n'), cells);
		table->cells[table->rows++] = cells;
	}
	for (size_t column = 0; column < table->columns; column++) {
		if (!table->names[column])
			ref_die("%s: a column without a name", path);
		table->kinds[column] = stated(table->names[column]);
		if (table->kinds[column] == REF_NULL)
			table->kinds[column] = infer(table, column);
	}
}

ref_value ref_table_value(const ref_table *table, size_t row, const char *name)
{
	size_t column = 0;
	while (column < table->columns && strcmp(table->names[column], name) != 0)
		column++;
	if (column == table->columns)
		ref_die("no attribute '%s'", name);
	const char *cell = table->cells[row][column];
	if (!cell)
		return (ref_value){ .kind = REF_NULL };
	switch (table->kinds[column]) {
	case REF_INTEGER: return (ref_value){ .kind = REF_INTEGER, .integer = strtoll(cell, NULL, 10) };
	case REF_FLOAT: return (ref_value){ .kind = REF_FLOAT, .real = strtod(cell, NULL) };
	case REF_BOOLEAN: return (ref_value){ .kind = REF_BOOLEAN, .integer = strcmp(cell, "true") == 0 };
	default: return (ref_value){ .kind = REF_STRING, .text = cell };
	}
}

static int compare_keys(const char *a, const char *b)
{
	bool a_integer = is_integer(a), b_integer = is_integer(b);
	if (a_integer != b_integer)
		return a_integer ? -1 : 1;
	if (!a_integer)
		return strcmp(a, b);
	long long x = strtoll(a, NULL, 10), y = strtoll(b, NULL, 10);
	return (x > y) - (x < y);
}

typedef struct {
	const char *key;
	uint32_t vertex;
} keyed;

static int by_key(const void *a, const void *b)
{
	return compare_keys(((const keyed *)a)->key, ((const keyed *)b)->key);
}

const char *ref_graph_key(const ref_graph *graph, uint32_t vertex)
{
	return graph->vertices.cells[vertex][0];
}

static keyed *sort_keys(ref_graph *graph)
{
	keyed *sorted = ref_alloc(graph->n, sizeof *sorted);
	graph->vertex_order = ref_alloc(graph->n, sizeof *graph->vertex_order);
	for (uint32_t v = 0; v < graph->n; v++) {
		sorted[v] = (keyed){ ref_graph_key(graph, v), v };
		if (!sorted[v].key)
			ref_die("vertex line %u: no id", v + 2);
	}
	qsort(sorted, graph->n, sizeof *sorted, by_key);
	for (uint32_t i = 0; i < graph->n; i++) {
		if (i > 0 && by_key(&sorted[i - 1], &sorted[i]) == 0)
			ref_die("duplicate id '%s'", sorted[i].key);
		graph->vertex_order[sorted[i].vertex] = i;
	}
	return sorted;
}

static uint32_t find_key(const keyed *sorted, size_t n, const char *key)
{
	keyed wanted = { key, 0 };
	const keyed *found = key ? bsearch(&wanted, sorted, n, sizeof *sorted, by_key) : NULL;
	if (!found)
		ref_die("edge to unknown id '%s'", key ? key : "");
	return found->vertex;
}

static int by_neighbour(const void *a, const void *b)
{
	const ref_arc *x = a, *y = b;
	if (x->neighbour != y->neighbour)
		return x->neighbour < y->neighbour ? -1 : 1;
	return (x->edge > y->edge) - (x->edge < y->edge);
}

static void make_rows(size_t n, size_t m, const uint32_t *from, const uint32_t *to, size_t **begin, ref_arc **arcs)
{
	size_t *at = ref_alloc(n + 2, sizeof *at);
	*arcs = ref_alloc(m, sizeof **arcs);
	for (size_t e = 0; e < m; e++)
		at[from[e] + 2]++;
	for (size_t v = 0; v < n; v++)
		at[v + 2] += at[v + 1];
	for (uint32_t e = 0; e < m; e++)
		(*arcs)[at[from[e] + 1]++] = (ref_arc){ to[e], e };
	for (size_t v = 0; v < n; v++)
		qsort(*arcs + at[v], at[v + 1] - at[v], sizeof **arcs, by_neighbour);
	*begin = at;
}

static const ref_graph *sorting; /* qsort has no context argument */

static int by_place(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	const char *s = sorting->type[x] ? sorting->type[x] : "", *t = sorting->type[y] ? sorting->type[y] : "";
	int order = strcmp(s, t);
	if (order != 0)
		return order;
	uint32_t p = sorting->vertex_order[sorting->source[x]], q = sorting->vertex_order[sorting->source[y]];
	if (p != q)
		return p < q ? -1 : 1;
	p = sorting->vertex_order[sorting->target[x]], q = sorting->vertex_order[sorting->target[y]];
	if (p != q)
		return p < q ? -1 : 1;
	return (x > y) - (x < y);
}

static void finish(ref_graph *graph)
{
	make_rows(graph->n, graph->m, graph->source, graph->target, &graph->out_begin, &graph->out);
	make_rows(graph->n, graph->m, graph->target, graph->source, &graph->in_begin, &graph->in);
	uint32_t *sorted = ref_alloc(graph->m, sizeof *sorted);
	for (uint32_t e = 0; e < graph->m; e++)
		sorted[e] = e;
	sorting = graph;
	qsort(sorted, graph->m, sizeof *sorted, by_place);
	graph->edge_order = ref_alloc(graph->m, sizeof *graph->edge_order);
	for (uint32_t i = 0; i < graph->m; i++)
		graph->edge_order[sorted[i]] = i;
	free(sorted);
}

static void vertices_from_edges(ref_graph *graph)
{
	ref_table *table = &graph->vertices;
	keyed *ends = ref_alloc(2 * graph->m, sizeof *ends);
	for (size_t e = 0; e < graph->m; e++)
		for (size_t side = 0; side < 2; side++)
			ends[2 * e + side].key = graph->edges.cells[e][side];
	qsort(ends, 2 * graph->m, sizeof *ends, by_key);
	table->columns = 1;
	table->names = ref_alloc(1, sizeof *table->names);
	table->names[0] = "id";
	table->cells = ref_alloc(2 * graph->m, sizeof *table->cells);
	for (size_t i = 0; i < 2 * graph->m; i++) {
		if (i > 0 && by_key(&ends[i - 1], &ends[i]) == 0)
			continue;
		table->cells[table->rows] = ref_alloc(1, sizeof **table->cells);
		table->cells[table->rows++][0] = (char *)(uintptr_t)ends[i].key;
	}
	free(ends);
}

ref_graph *ref_graph_read(const char *vertices, const char *edges, bool undirected)
{
	ref_graph *graph = ref_alloc(1, sizeof *graph);
	graph->undirected = undirected;
	read_table(&graph->edges, edges);
	if (graph->edges.columns < 3)
		ref_die("%s: edges need src, dst and type", edges);
	graph->m = graph->edges.rows;
	if (vertices)
		read_table(&graph->vertices, vertices);
	else
		vertices_from_edges(graph);
	graph->n = graph->vertices.rows;
	keyed *sorted = sort_keys(graph);
	graph->source = ref_alloc(graph->m, sizeof *graph->source);
	graph->target = ref_alloc(graph->m, sizeof *graph->target);
	graph->type = ref_alloc(graph->m, sizeof *graph->type);
	for (size_t e = 0; e < graph->m; e++) {
		graph->source[e] = find_key(sorted, graph->n, graph->edges.cells[e][0]);
		graph->target[e] = find_key(sorted, graph->n, graph->edges.cells[e][1]);
		graph->type[e] = graph->edges.cells[e][2];
	}
	free(sorted);
	finish(graph);
	return graph;
}

static int by_ends(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;
	if (x[0] != y[0])
		return x[0] < y[0] ? -1 : 1;
	return (x[1] > y[1]) - (x[1] < y[1]);
}

ref_graph *ref_graph_simple(const ref_graph *graph)
{
	uint32_t(*pairs)[2] = ref_alloc(graph->m, sizeof *pairs);
	size_t count = 0, m = 0;
	for (size_t e = 0; e < graph->m; e++) {
		uint32_t s = graph->source[e], t = graph->target[e];
		if (s == t)
			continue;
		pairs[count][0] = s < t ? s : t;
		pairs[count++][1] = s < t ? t : s;
	}
	qsort(pairs, count, sizeof *pairs, by_ends);
	ref_graph *simple = ref_alloc(1, sizeof *simple);
	*simple = (ref_graph){
		.undirected = true, .n = graph->n, .vertices = graph->vertices, .vertex_order = graph->vertex_order
	};
	simple->source = ref_alloc(count, sizeof *simple->source);
	simple->target = ref_alloc(count, sizeof *simple->target);
	for (size_t i = 0; i < count; i++) {
		if (i > 0 && by_ends(pairs[i - 1], pairs[i]) == 0)
			continue;
		simple->source[m] = pairs[i][0];
		simple->target[m++] = pairs[i][1];
	}
	simple->m = m;
	simple->type = ref_alloc(m, sizeof *simple->type);
	free(pairs);
	finish(simple);
	return simple;
}

bool ref_graph_has_label(const ref_graph *graph, uint32_t vertex, const char *label)
{
	const char *labels = graph->vertices.columns > 1 ? graph->vertices.cells[vertex][1] : NULL;
	size_t length = strlen(label);
	while (labels && *labels) {
		size_t one = strcspn(labels, ";");
		if (one == length && strncmp(labels, label, length) == 0)
			return true;
		labels += one + (labels[one] == ';');
	}
	return false;
}
