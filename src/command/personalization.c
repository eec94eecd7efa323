#include "command/personalization.h"

#include "command/files.h"
#include "command/key_search.h"
#include "command/quantity.h"
#include "core/memory.h"

#include <string.h>

/* Keys and weights of a file. */
typedef struct list {
	size_t count, key_capacity, weight_capacity, line_capacity;
	gemp_value *keys;  /* [count] their bytes are the text's */
	double *weights;   /* [count] */
	size_t *lines;     /* [count] */
} list;

static void list_free(list *l)
{
	gemp_free(l->keys);
	gemp_free(l->weights);
	gemp_free(l->lines);
}

static gemp_code add(list *l, gemp_value key, double weight, size_t line)
{
	gemp_code code = GEMP_OK;
	GEMP_TRY(GEMP_RESERVE(l->keys, l->key_capacity, l->count + 1));
	GEMP_TRY(GEMP_RESERVE(l->weights, l->weight_capacity, l->count + 1));
	GEMP_TRY(GEMP_RESERVE(l->lines, l->line_capacity, l->count + 1));
	l->keys[l->count] = key;
	l->weights[l->count] = weight;
	l->lines[l->count++] = line;
done:
	return code;
}

/* One line, ended by 0: a key, and a tab and a number if the key does not stand for 1. */
static gemp_code read_line(list *l, const gemp_graph *graph, const char *path, char *line, size_t number)
{
	char *tab = strchr(line, '\t');
	double weight = 1;
	if (*line == '\0' || *line == '#')
		return GEMP_OK;
	if (tab && !gemp_parse_real(tab + 1, &weight)) {
		if (number == 1)
			return GEMP_OK; /* its head */
		return gemp_fail(GEMP_EDATA, "%s:%zu: '%s' is no number; lines are a key, a tab and a number", path, number, tab + 1);
	}
	if (weight < 0)
		return gemp_fail(GEMP_EDATA, "%s:%zu: %g is negative; a vertex is jumped to with a chance of 0 or more", path, number,
		                 weight);
	size_t size = tab ? (size_t)(tab - line) : strlen(line);
	return add(l, gemp_key_of_text(graph, line, size), weight, number);
}

/* Cuts the text into lines. */
static gemp_code read_lines(list *l, const gemp_graph *graph, const char *path, char *text)
{
	gemp_code code = GEMP_OK;
	for (size_t number = 1; text && *text && code == GEMP_OK; number++) {
		char *end = text + strcspn(text, "\n"), *next = *end ? end + 1 : end;
		*end = '\0';
		if (end > text && end[-1] == '\r')
			end[-1] = '\0';
		code = read_line(l, graph, path, text, number);
		text = next;
	}
	return code;
}

/* Collective. Its vertices: each is one, and none comes twice. */
static gemp_code give(double *jump, const list *l, const gemp_vertex *ids, const gemp_gas_layout *layout, const char *path)
{
	const gemp_graph *graph = layout->graph;
	double sum = 0;
	for (size_t i = 0; i < l->count; i++) {
		sum += l->weights[i];
		if (ids[i] == GEMP_NO_VERTEX)
			return gemp_fail(GEMP_EDATA, "%s:%zu: the graph has no vertex with this key", path, l->lines[i]);
		if (ids[i] < graph->first || ids[i] - graph->first >= graph->rows)
			continue;
		double *own = &jump[layout->local[ids[i] - graph->first]];
		if (*own >= 0)
			return gemp_fail(GEMP_EDATA, "%s:%zu: this vertex is there already; give it one line", path, l->lines[i]);
		*own = l->weights[i];
	}
	if (!(sum > 0) || sum > 1e300)
		return gemp_fail(GEMP_EDATA, "%s: the numbers add up to %g; jumps must lead somewhere", path, sum);
	return GEMP_OK;
}

/* Collective. */
static gemp_code from_file(double *jump, const gemp_gas_layout *layout, gemp_graph *graph, const char *path)
{
	gemp_code code = GEMP_OK;
	const gemp_comm *comm = layout->comm;
	list l = { 0 };
	char *text = NULL;
	gemp_vertex *ids = NULL;
	GEMP_TRY(gemp_graph_need_keys(graph));
	GEMP_TRY(gemp_file_read(&text, comm, "--personalization", path));
	code = read_lines(&l, graph, path, text);
	if (code == GEMP_OK)
		code = GEMP_NEW(ids, l.count);
	GEMP_TRY(gemp_comm_agree(comm, code));
	GEMP_TRY(gemp_key_search(ids, comm, graph, l.keys, l.count));
	for (uint32_t v = 0; v < layout->own; v++)
		jump[v] = -1;
	GEMP_TRY(gemp_comm_agree(comm, give(jump, &l, ids, layout, path)));
	for (uint32_t v = 0; v < layout->own; v++)
		jump[v] = jump[v] < 0 ? 0 : jump[v];
done:
	list_free(&l);
	gemp_free(text);
	gemp_free(ids);
	return code;
}

/* Collective. */
static gemp_code from_sources(double *jump, const gemp_gas_layout *layout, gemp_graph *graph, const gemp_options *options)
{
	gemp_code code = GEMP_OK;
	const gemp_list *sources = &options->sources;
	gemp_vertex *ids = NULL;
	GEMP_TRY(gemp_comm_agree(layout->comm, GEMP_NEW(ids, sources->count)));
	GEMP_TRY(gemp_key_search_sources(ids, layout->comm, graph, options->arguments[0], sources->items, sources->count));
	for (size_t i = 0; i < sources->count; i++)
		if (ids[i] >= graph->first && ids[i] - graph->first < graph->rows)
			jump[layout->local[ids[i] - graph->first]] = 1;
done:
	gemp_free(ids);
	return code;
}

gemp_code gemp_personalization(double **out, const gemp_gas_layout *layout, gemp_graph *graph, const gemp_options *options)
{
	gemp_code code = GEMP_OK;
	double *jump = NULL;
	bool file = options->personalization, sources = options->sources.count > 0;
	*out = NULL;
	if (file && sources)
		return gemp_fail(GEMP_EUSAGE, "--source and --personalization both say where jumps lead; give one of them");
	if (!file && !sources)
		return GEMP_OK;
	GEMP_TRY(gemp_comm_agree(layout->comm, GEMP_NEW(jump, layout->own)));
	if (file)
		GEMP_TRY(from_file(jump, layout, graph, options->personalization));
	else
		GEMP_TRY(from_sources(jump, layout, graph, options));
	*out = jump;
	jump = NULL;
done:
	gemp_free(jump);
	return code;
}
