#include "command/personalization.h"

#include "command/files.h"
#include "command/key_search.h"
#include "command/quantity.h"
#include "core/memory.h"

#include <math.h>
#include <string.h>

/* A line of a file. */
typedef struct line {
	size_t number;
	const char *key, *text; /* of the text: the key, ended by 0; the chance, NULL: none given, which stands for 1 */
	double chance;          /* NAN: the first line's text is no number, so that it may be a head */
} line;

typedef struct list {
	const char *path;
	size_t count, capacity;
	line *lines;      /* [count] */
	gemp_value *keys; /* [count] their bytes are the lines' */
} list;

static gemp_code fail_at(const list *l, const line *line, const char *place, const char *why)
{
	return gemp_fail(GEMP_EDATA, "%s:%zu:%zu: '%s'%s", l->path, line->number, (size_t)(place - line->key) + 1, place, why);
}

/* One line, ended by 0: a key, and a tab and a number if the key does not stand for 1. */
static gemp_code read_line(list *l, char *text, size_t number)
{
	gemp_code code = GEMP_OK;
	char *tab = strchr(text, '\t');
	line line = { .number = number, .key = text, .text = tab ? tab + 1 : NULL, .chance = 1 };
	if (*text == '\0' || *text == '#')
		return GEMP_OK;
	if (tab)
		*tab = '\0';
	if (tab && !gemp_parse_real(line.text, &line.chance)) {
		line.chance = NAN;
		if (l->count)
			return fail_at(l, &line, line.text, " is no number; lines are a key, a tab and a number");
	}
	if (line.chance < 0)
		return fail_at(l, &line, line.text, " is negative; a vertex is jumped to with a chance of 0 or more");
	GEMP_TRY(GEMP_RESERVE(l->lines, l->capacity, l->count + 1));
	l->lines[l->count++] = line;
done:
	return code;
}

/* Cuts the text into lines. */
static gemp_code read_lines(list *l, const gemp_graph *graph, char *text)
{
	gemp_code code = GEMP_OK;
	for (size_t number = 1; *text; number++) {
		char *end = text + strcspn(text, "\n"), *next = *end ? end + 1 : end;
		*end = '\0';
		if (end > text && end[-1] == '\r')
			end[-1] = '\0';
		GEMP_TRY(read_line(l, text, number));
		text = next;
	}
	GEMP_TRY(GEMP_NEW(l->keys, l->count));
	for (size_t i = 0; i < l->count; i++)
		l->keys[i] = gemp_key_of_text(graph, l->lines[i].key, strlen(l->lines[i].key));
done:
	return code;
}

/* Its vertices: each is one, and none comes twice. A first line that may be a head is one if it names no vertex. */
static gemp_code give(double *jump, const list *l, const gemp_vertex *ids, const gemp_gas_layout *layout)
{
	const gemp_graph *graph = layout->graph;
	double sum = 0;
	for (size_t i = 0; i < l->count; i++) {
		const line *line = &l->lines[i];
		bool number = !isnan(line->chance);
		if (ids[i] == GEMP_NO_VERTEX && !number)
			continue;
		if (ids[i] == GEMP_NO_VERTEX)
			return fail_at(l, line, line->key, graph->key.type == GEMP_INTEGER ?
			               " is no key of this graph, whose keys are integers" : " is no key of this graph");
		if (!number)
			return fail_at(l, line, line->text, " is no number; lines are a key, a tab and a number");
		sum += line->chance;
		if (ids[i] < graph->first || ids[i] - graph->first >= graph->rows)
			continue;
		double *own = &jump[layout->local[ids[i] - graph->first]];
		if (*own >= 0)
			return fail_at(l, line, line->key, " is there already; give each vertex one line");
		*own = line->chance;
	}
	if (!(sum > 0) || sum > 1e300)
		return gemp_fail(GEMP_EDATA, "%s: the numbers add up to %g; jumps must lead somewhere, with a sum above 0 and up to "
		                 "1e300", l->path, sum);
	return GEMP_OK;
}

/* Collective. */
static gemp_code from_file(double *jump, const gemp_gas_layout *layout, gemp_graph *graph, const char *path)
{
	gemp_code code = GEMP_OK;
	const gemp_comm *comm = layout->comm;
	list l = { .path = path };
	char *text = NULL;
	gemp_vertex *ids = NULL;
	GEMP_TRY(gemp_graph_need_keys(graph));
	GEMP_TRY(gemp_file_read(&text, comm, "--personalization", path));
	code = read_lines(&l, graph, text);
	if (code == GEMP_OK)
		code = GEMP_NEW(ids, l.count);
	GEMP_TRY(gemp_comm_agree(comm, code));
	GEMP_TRY(gemp_key_search(ids, comm, graph, l.keys, l.count));
	for (uint32_t v = 0; v < layout->own; v++)
		jump[v] = -1;
	GEMP_TRY(gemp_comm_agree(comm, give(jump, &l, ids, layout)));
	for (uint32_t v = 0; v < layout->own; v++)
		jump[v] = jump[v] < 0 ? 0 : jump[v];
done:
	gemp_free(l.lines);
	gemp_free(l.keys);
	gemp_free(text);
	gemp_free(ids);
	return code;
}

/* Collective. */
static gemp_code from_sources(double *jump, const gemp_gas_layout *layout, gemp_graph *graph,
                              const gemp_options *options)
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

gemp_code gemp_personalization(double **out, const gemp_gas_layout *layout, gemp_graph *graph,
                               const gemp_options *options)
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
