/* A query graph is read line by line into a pattern of the simple graph. Labels become conditions at the end, because a
 * label needs its vertex, and vertices may come in any order.
 */

#include "pattern/shapes/query_graph.h"

#include "core/memory.h"
#include "core/text.h"
#include "pattern/condition/normal_form.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { MAX_NUMBERS = 4, MAX_SIZE = 1 << 20 };

/* The state of reading a file line by line: the header, the labels so far, and the numbers of the current line. */
typedef struct reader {
	const char *path, *label_format;
	gemp_pattern *pattern;
	int line;
	bool has_header;
	uint64_t vertices, edges; /* number in the header */
	uint64_t labels[GEMP_MAX_PATTERN_VERTICES];
	int label_line[GEMP_MAX_PATTERN_VERTICES]; /* 0: not seen yet */
	int label_column[GEMP_MAX_PATTERN_VERTICES];
	uint64_t numbers[MAX_NUMBERS]; /* of the line being read */
	int columns[MAX_NUMBERS];
	size_t count;
} reader;

/* The label format has exactly one %d, and %% for a percent sign. It comes from the user and is therefore never
 * passed to printf. */
static gemp_code check_format(const char *format)
{
	int numbers = 0;
	for (const char *at = format; *at; at++) {
		if (*at != '%')
			continue;
		at++;
		if (*at != 'd' && *at != '%')
			return gemp_fail(GEMP_EUSAGE, "query-labels '%s': only %%d (the label's number) and %%%% may stand there",
			                 format);
		numbers += *at == 'd';
	}
	if (numbers != 1)
		return gemp_fail(GEMP_EUSAGE, "query-labels '%s': %%d has to stand there once, as in 'L%%d'", format);
	return GEMP_OK;
}

/* Replaces %d by the number and %% by a percent sign. */
static char *label_name(const char *format, uint64_t label)
{
	gemp_text text = { 0 };
	for (const char *at = format; *at; at++) {
		if (*at == '%' && *++at == 'd')
			gemp_text_print(&text, "%" PRIu64, label);
		else
			gemp_text_add(&text, at, 1);
	}
	if (gemp_text_status(&text) != GEMP_OK)
		gemp_text_free(&text);
	return text.data;
}

/* Query graphs are tiny. The limit of 1 MiB avoids reading a wrong file as a whole. */
static gemp_code read_text(const char *path, char **out)
{
	GEMP_TRY(GEMP_NEW(*out, MAX_SIZE + 1));
	FILE *file = fopen(path, "rb");
	size_t size = file ? fread(*out, 1, MAX_SIZE + 1, file) : 0;
	gemp_code code = GEMP_OK;
	if (!file || ferror(file))
		code = gemp_fail(GEMP_ENOINPUT, "%s: %s", path, strerror(errno));
	else if (size > MAX_SIZE)
		code = gemp_fail(GEMP_EDATA, "%s: the file is longer than %d bytes; a query graph has at most %d vertices",
		                 path, MAX_SIZE, GEMP_MAX_PATTERN_VERTICES);
	else if (memchr(*out, '\0', size))
		code = gemp_fail(GEMP_EDATA, "%s: this is not a text file", path);
	if (file)
		fclose(file);
	return code;
}

/* Reads the numbers after the letter of a line, and stores their columns for error messages. */
static gemp_code read_numbers(reader *r, const char *line)
{
	const char *at = line + 1;
	r->count = 0;
	for (;;) {
		at += strspn(at, " \t\r");
		if (!*at || *at == '\n')
			return GEMP_OK;
		size_t size = strcspn(at, " \t\r\n");
		uint64_t value = 0;
		for (size_t i = 0; i < size; i++)
			if (!isdigit((unsigned char)at[i]) || value > UINT64_MAX / 10 - 1)
				return gemp_fail(GEMP_EDATA, "%s:%d: '%.*s' is not a number", r->path, r->line,
				                 size > 40 ? 40 : (int)size, at);
			else
				value = value * 10 + (uint64_t)(at[i] - '0');
		if (r->count == MAX_NUMBERS)
			return gemp_fail(GEMP_EDATA, "%s:%d: this line has too many numbers", r->path, r->line);
		r->columns[r->count] = (int)(at - line) + 1;
		r->numbers[r->count++] = value;
		at += size;
	}
}

/* All vertices exist from here on, so that lines may refer to them in any order. */
static gemp_code read_header(reader *r)
{
	if (r->has_header)
		return gemp_fail(GEMP_EDATA, "%s:%d: a second t line; a query file has one graph", r->path, r->line);
	if (r->count != 2)
		return gemp_fail(GEMP_EDATA, "%s:%d: the first line is 't VERTICES EDGES'", r->path, r->line);
	r->has_header = true;
	r->vertices = r->numbers[0];
	r->edges = r->numbers[1];
	if (r->vertices == 0)
		return gemp_fail(GEMP_EDATA, "%s:%d: the query graph has no vertices", r->path, r->line);
	if (r->vertices > GEMP_MAX_PATTERN_VERTICES || r->edges > GEMP_MAX_PATTERN_EDGES)
		return gemp_fail(GEMP_EUSAGE, "%s:%d: patterns have at most %d vertices and %d edges", r->path, r->line,
		                 GEMP_MAX_PATTERN_VERTICES, GEMP_MAX_PATTERN_EDGES);
	int index;
	for (uint64_t v = 0; v < r->vertices; v++)
		GEMP_TRY(gemp_pattern_add_vertex(r->pattern, NULL, &index));
	return GEMP_OK;
}

/* `v ID LABEL [DEGREE]`; the degree of the literature's files is redundant and ignored. */
static gemp_code read_vertex(reader *r)
{
	if (r->count != 2 && r->count != 3)
		return gemp_fail(GEMP_EDATA, "%s:%d: a vertex is 'v ID LABEL' or 'v ID LABEL DEGREE'", r->path, r->line);
	uint64_t v = r->numbers[0];
	if (v >= r->vertices)
		return gemp_fail(GEMP_EDATA, "%s:%d: vertex %" PRIu64 ": the first line says that ids are 0 to %" PRIu64,
		                 r->path, r->line, v, r->vertices - 1);
	if (r->label_line[v])
		return gemp_fail(GEMP_EDATA, "%s:%d: vertex %" PRIu64 " is there twice, first in line %d", r->path, r->line, v,
		                 r->label_line[v]);
	r->labels[v] = r->numbers[1];
	r->label_line[v] = r->line;
	r->label_column[v] = r->columns[1];
	return GEMP_OK;
}

/* The third number, an edge label in some files, must be 0. Repeated edges are refused with the line of the first
 * one. */
static gemp_code read_edge(reader *r)
{
	if (r->count == 3 && r->numbers[2] != 0)
		return gemp_fail(GEMP_EUSAGE, "%s:%d: labels of edges in query graphs are not supported yet", r->path, r->line);
	if (r->count != 2 && r->count != 3)
		return gemp_fail(GEMP_EDATA, "%s:%d: an edge is 'e ID ID'", r->path, r->line);
	uint64_t u = r->numbers[0], v = r->numbers[1];
	if (u >= r->vertices || v >= r->vertices)
		return gemp_fail(GEMP_EDATA,
		                 "%s:%d: an edge to vertex %" PRIu64 ": the first line says that ids are 0 to %" PRIu64,
		                 r->path, r->line, u > v ? u : v, r->vertices - 1);
	if (u == v)
		return gemp_fail(GEMP_EDATA, "%s:%d: a loop; query graphs are simple", r->path, r->line);
	for (size_t e = 0; e < r->pattern->edge_count; e++) {
		gemp_pattern_edge *edge = &r->pattern->edges[e];
		if ((edge->from == (int)u && edge->to == (int)v) || (edge->from == (int)v && edge->to == (int)u))
			return gemp_fail(GEMP_EDATA, "%s:%d: the edge %" PRIu64 " %" PRIu64 " is there twice, first in line %d",
			                 r->path, r->line, u, v, edge->line);
	}
	GEMP_TRY(gemp_pattern_add_edge(r->pattern, NULL, (int)u, (int)v, GEMP_EITHER));
	gemp_pattern_edge *edge = &r->pattern->edges[r->pattern->edge_count - 1];
	edge->line = r->line;
	edge->column = 1;
	return GEMP_OK;
}

/* Empty lines and comments (#) are skipped. */
static gemp_code read_line(reader *r, const char *line)
{
	line += strspn(line, " \t\r");
	if (!*line || *line == '\n' || *line == '#')
		return GEMP_OK;
	if (!strchr("tve", *line) || !strchr(" \t", line[1]))
		return gemp_fail(GEMP_EDATA, "%s:%d: lines begin with t, v or e", r->path, r->line);
	if (*line != 't' && !r->has_header)
		return gemp_fail(GEMP_EDATA, "%s:%d: the first line is 't VERTICES EDGES'", r->path, r->line);
	GEMP_TRY(read_numbers(r, line));
	return *line == 't' ? read_header(r) : *line == 'v' ? read_vertex(r) : read_edge(r);
}

/* Lines are numbered from 1, as editors do. */
static gemp_code read_lines(reader *r, const char *text)
{
	for (r->line = 1; *text; r->line++) {
		GEMP_TRY(read_line(r, text));
		text += strcspn(text, "\n");
		text += *text == '\n';
	}
	return GEMP_OK;
}

/* The label is a condition with the place of its number, so that an unknown label is reported there. */
static gemp_code add_label(reader *r, int v)
{
	GEMP_OWNED_BY(gemp_expr_free_at) gemp_expr *expr = NULL;
	GEMP_TRY(gemp_expr_new(&expr, GEMP_HAS_LABEL, r->label_line[v], r->label_column[v]));
	expr->variable = v;
	GEMP_TRY(GEMP_NEW(expr->names, 1));
	expr->names[0] = label_name(r->label_format, r->labels[v]);
	expr->name_count = expr->names[0] ? 1 : 0;
	return expr->names[0] ? gemp_pattern_require(r->pattern, &expr) : GEMP_ENOMEM;
}

/* The counts of the header must be right, and all vertices must be connected. */
static gemp_code check_whole(const reader *r)
{
	if (!r->has_header)
		return gemp_fail(GEMP_EDATA, "%s: the file is empty; its first line is 't VERTICES EDGES'", r->path);
	for (uint64_t v = 0; v < r->vertices; v++)
		if (!r->label_line[v])
			return gemp_fail(GEMP_EDATA, "%s: there is no line for vertex %" PRIu64 " of %" PRIu64, r->path, v,
			                 r->vertices);
	if (r->pattern->edge_count != r->edges)
		return gemp_fail(GEMP_EDATA, "%s: the first line says %" PRIu64 " edges, and there are %zu", r->path, r->edges,
		                 r->pattern->edge_count);
	return gemp_pattern_check_connected(r->pattern, r->path);
}

/* Labels are added last, when all vertices have one, in the order of vertices. */
gemp_code gemp_pattern_query_graph(gemp_pattern **out, const char *path, const char *label_format)
{
	reader r = { .path = path, .label_format = label_format ? label_format : "%d" };
	GEMP_OWNED_BY(gemp_pattern_free_at) gemp_pattern *pattern = NULL;
	GEMP_OWNED char *text = NULL;
	GEMP_TRY(check_format(r.label_format));
	GEMP_TRY(read_text(path, &text));
	GEMP_TRY(gemp_pattern_new(&pattern, text, path));
	pattern->simple = true;
	r.pattern = pattern;
	GEMP_TRY(read_lines(&r, text));
	GEMP_TRY(check_whole(&r));
	for (int v = 0; v < (int)r.vertices; v++)
		GEMP_TRY(add_label(&r, v));
	GEMP_TRY(gemp_pattern_return_vertices(pattern));
	*out = pattern;
	pattern = NULL;
	return GEMP_OK;
}
