/* A command is three numbers, whose meaning depends on the first. Seeds go to the ranks that own their first vertex,
 * which is where a search continues. The matches of all ranks go to rank 0. */

#include "cypher/search/commands.h"

#include "core/memory.h"

#include <string.h>

enum {
	COMMAND_SEARCH,
	COMMAND_VERTICES,
	COMMAND_EDGES,
	COMMAND_ANALYSIS_BEGIN,
	COMMAND_ANALYSIS_RUN,
	COMMAND_ANALYSIS_END,
	COMMAND_END
};
enum { COMMAND_WORDS = 3 };

typedef struct command {
	uint64_t kind, words[COMMAND_WORDS - 1];
} command;

/* Collective. Rank 0's command reaches all ranks. */
static void broadcast(const gemp_cypher_session *s, command *c)
{
	const gemp_comm *comm = s->context->comm;
	if (comm->size > 1)
		GEMP_MPI(MPI_Bcast(c, COMMAND_WORDS, MPI_UINT64_T, 0, comm->world));
}

/* SEARCH */

void gemp_cypher_found_free(gemp_cypher_found *found)
{
	gemp_free_all(found->vertices, found->edges);
	*found = (gemp_cypher_found){ 0 };
}

/* Collective. Rank 0's seeds become those of the owners of their first vertices. */
static gemp_code scatter_seeds(gemp_cypher_session *s, size_t width, const gemp_vertex *seeds, size_t count,
                               gemp_vertex **mine, size_t *my_count)
{
	const gemp_comm *comm = s->context->comm;
	GEMP_OWNED int *owner = NULL;
	GEMP_OWNED size_t *from = NULL;
	GEMP_OWNED void *received = NULL;
	gemp_code code = GEMP_NEW(owner, count);
	for (size_t i = 0; code == GEMP_OK && i < count; i++)
		owner[i] = gemp_shard_owner(s->graph, seeds[i * width]);
	GEMP_TRY(gemp_exchange_records(comm, code, seeds, count, width * sizeof *seeds, owner, &received, &from,
	                               &s->context->traffic));
	*mine = received;
	received = NULL;
	*my_count = from[comm->size];
	return GEMP_OK;
}

/* Collective. *out, on rank 0, becomes the bytes of all ranks. */
static gemp_code gather(gemp_cypher_session *s, gemp_code code, const void *bytes, size_t size, void **out,
                        size_t *received)
{
	const gemp_comm *comm = s->context->comm;
	GEMP_OWNED size_t *sizes = NULL;
	GEMP_THEN(GEMP_NEW(sizes, (size_t)comm->size));
	if (code == GEMP_OK)
		sizes[0] = size;
	return gemp_exchange_bytes(comm, code, bytes, sizes, out, received, &s->context->traffic);
}

/* Collective. */
static gemp_code gather_rows(gemp_cypher_session *s, const gemp_pattern *pattern, gemp_row_store *rows,
                             gemp_cypher_found *out)
{
	size_t bytes = 0;
	GEMP_OWNED void *block = NULL;
	out->vertex_count = pattern->vertex_count;
	out->edge_count = pattern->edge_count;
	if (s->context->comm->size == 1) {
		out->rows = rows->rows;
		out->vertices = rows->vertices;
		out->edges = rows->edges;
		*rows = (gemp_row_store){ 0 };
		return GEMP_OK;
	}
	GEMP_TRY(gather(s, GEMP_OK, rows->vertices, rows->rows * pattern->vertex_count * sizeof *rows->vertices, &block,
	                &bytes));
	out->vertices = block;
	block = NULL;
	out->rows = bytes / (pattern->vertex_count * sizeof *out->vertices);
	if (!pattern->edge_count)
		return GEMP_OK;
	GEMP_TRY(gather(s, GEMP_OK, rows->edges, rows->rows * pattern->edge_count * sizeof *rows->edges, &block, &bytes));
	out->edges = block;
	block = NULL;
	return GEMP_OK;
}

/* Collective. */
static gemp_code run_search(gemp_cypher_session *s, size_t plan, size_t step_number, const gemp_vertex *seeds,
                            size_t count, gemp_cypher_found *out)
{
	gemp_cypher_step *step = &s->plans[plan].steps[step_number];
	GEMP_OWNED_BY(gemp_row_store_free) gemp_row_store rows = { 0 };
	GEMP_OWNED gemp_vertex *mine = NULL;
	gemp_sink sink = gemp_row_store_sink(&rows);
	if (!step->finder)
		GEMP_TRY(gemp_finder_new(&step->finder, s->context, s->graph, step->pattern, &s->options));
	if (step->arguments && s->context->comm->size > 1) {
		GEMP_TRY(scatter_seeds(s, step->arguments, seeds, count, &mine, &count));
		seeds = mine;
	}
	GEMP_TRY(gemp_finder_run(step->finder, seeds, count, &sink, NULL));
	return gather_rows(s, step->pattern, &rows, out);
}

gemp_code gemp_cypher_command_search(gemp_cypher_session *s, size_t plan, size_t step, const gemp_vertex *seeds,
                                     size_t count, gemp_cypher_found *out)
{
	command c = { COMMAND_SEARCH, { plan, step } };
	*out = (gemp_cypher_found){ 0 };
	broadcast(s, &c);
	return run_search(s, plan, step, seeds, count, out);
}

/* ELEMENTS */

gemp_code gemp_cypher_command_vertices(gemp_cypher_session *s, int column, const gemp_vertex *ids, size_t count,
                                       gemp_vertex **found, size_t *found_count, gemp_column *out)
{
	command c = { COMMAND_VERTICES, { (uint64_t)(int64_t)column } };
	broadcast(s, &c);
	return gemp_fetch_values(s->context, s->graph, ids, count, &column, 1, found, found_count, out);
}

/* Collective. The name is copied, because loading a relation replaces its columns. */
static gemp_code run_edges(gemp_cypher_session *s, size_t relation, size_t attribute, const gemp_edge *edges,
                           size_t count, gemp_edge_values *out)
{
	if (attribute == SIZE_MAX)
		return gemp_fetch_edges(out, s->context, s->graph, edges, count, NULL, 0);
	GEMP_OWNED char *copy = gemp_strdup(s->graph->relations[relation].props.columns[attribute].name);
	const char *name = copy;
	GEMP_TRY(gemp_comm_agree(s->context->comm, copy ? GEMP_OK : GEMP_ENOMEM));
	return gemp_fetch_edges(out, s->context, s->graph, edges, count, &name, 1);
}

gemp_code gemp_cypher_command_edges(gemp_cypher_session *s, size_t relation, size_t attribute, const gemp_edge *edges,
                                    size_t count, gemp_edge_values *out)
{
	command c = { COMMAND_EDGES, { relation, attribute } };
	broadcast(s, &c);
	return run_edges(s, relation, attribute, edges, count, out);
}

/* ANALYSES */

/* Collective. On ranks other than 0 the analysis becomes that of rank 0, whose arrays lie in *block. The block has the
 * vertices, and then the strings, each with its 0: the weight, if there is one, and the types. */
static gemp_code share_analysis(const gemp_cypher_session *s, gemp_cypher_analysis *what, char **block)
{
	const gemp_comm *comm = s->context->comm;
	const char **types;
	const bool weighted = what->weight != NULL;
	size_t sizes[2] = { what->jump_count * sizeof *what->jumps, weighted ? strlen(what->weight) + 1 : 0 };
	for (size_t i = 0; i < what->type_count; i++)
		sizes[1] += strlen(what->types[i]) + 1;
	GEMP_MPI(MPI_Bcast(what, sizeof *what, MPI_BYTE, 0, comm->world));
	GEMP_MPI(MPI_Bcast(sizes, sizeof sizes, MPI_BYTE, 0, comm->world));
	const size_t list = what->type_count * sizeof *types, bytes = sizes[0] + sizes[1];
	gemp_code code = bytes > INT32_MAX ? gemp_fail(GEMP_EUSAGE, "the sources and types of a procedure are too many")
	                                   : GEMP_NEW(*block, list + bytes);
	GEMP_TRY(gemp_comm_agree(comm, code));
	char *vertices = *block + list, *text = vertices + sizes[0];
	if (comm->rank == 0) {
		if (sizes[0])
			memcpy(vertices, what->jumps, sizes[0]);
		if (weighted)
			text = stpcpy(text, what->weight) + 1;
		for (size_t i = 0; i < what->type_count; i++)
			text = stpcpy(text, what->types[i]) + 1;
	}
	GEMP_MPI(MPI_Bcast(vertices, (int)bytes, MPI_BYTE, 0, comm->world));
	text = vertices + sizes[0];
	types = (const char **)*block;
	if (what->weight) {
		what->weight = text;
		text += strlen(text) + 1;
	}
	for (size_t i = 0; i < what->type_count; i++, text += strlen(text) + 1)
		types[i] = text;
	what->types = types;
	what->jumps = (const gemp_vertex *)vertices;
	return GEMP_OK;
}

/* Collective. Only rank 0's analysis counts. */
static gemp_code begin_analysis(gemp_cypher_session *s, gemp_cypher_analysis what)
{
	GEMP_OWNED char *block = NULL;
	GEMP_TRY(share_analysis(s, &what, &block));
	return s->analyses->begin(s->analyses->self, s->context, s->graph, &what);
}

/* Each vertex has at most one row, so its place in the order of keys is a place in an array. */
static gemp_code sort_by_keys(const gemp_cypher_session *s, gemp_cypher_analysis_rows *found)
{
	GEMP_OWNED gemp_cypher_analysis_row *sorted = NULL;
	GEMP_OWNED uint32_t *place = NULL;
	GEMP_TRY(GEMP_NEW(sorted, found->count));
	GEMP_TRY(GEMP_NEW(place, s->graph->vertex_count));
	for (size_t i = 0; i < found->count; i++)
		place[found->rows[i].key_rank] = (uint32_t)i + 1;
	for (size_t rank = 0, at = 0; rank < s->graph->vertex_count; rank++)
		if (place[rank])
			sorted[at++] = found->rows[place[rank] - 1];
	gemp_free(found->rows);
	found->rows = sorted;
	sorted = NULL;
	return GEMP_OK;
}

/* Collective. *out gets rows on rank 0 only. */
static gemp_code run_analysis(gemp_cypher_session *s, gemp_vertex source, gemp_cypher_analysis_rows *out)
{
	gemp_cypher_analysis_rows own = { 0 };
	void *block = NULL;
	size_t bytes = 0;
	gemp_code code = s->analyses->run(s->analyses->self, source, &own);
	for (size_t i = 0; code == GEMP_OK && i < own.count; i++)
		own.rows[i].key_rank = s->graph->key_ranks[own.rows[i].vertex - s->graph->first_vertex];
	code = gather(s, code, own.rows, own.count * sizeof *own.rows, &block, &bytes);
	gemp_free(own.rows);
	*out = (gemp_cypher_analysis_rows){ .rows = block, .count = bytes / sizeof *out->rows, .real = own.real };
	return code;
}

gemp_code gemp_cypher_command_begin(gemp_cypher_session *s, const gemp_cypher_analysis *what)
{
	command c = { COMMAND_ANALYSIS_BEGIN, { 0 } };
	broadcast(s, &c);
	return begin_analysis(s, *what);
}

gemp_code gemp_cypher_command_run(gemp_cypher_session *s, gemp_vertex source, gemp_cypher_analysis_rows *out)
{
	command c = { COMMAND_ANALYSIS_RUN, { source } };
	broadcast(s, &c);
	GEMP_TRY(run_analysis(s, source, out));
	return sort_by_keys(s, out);
}

void gemp_cypher_command_end(gemp_cypher_session *s)
{
	command c = { COMMAND_ANALYSIS_END, { 0 } };
	broadcast(s, &c);
	s->analyses->end(s->analyses->self);
}

/* SERVING */

/* Collective. A rank other than 0 asks for nothing, and its results are empty. */
static void serve_search(gemp_cypher_session *s, const command *c)
{
	gemp_cypher_found found = { 0 };
	(void)run_search(s, c->words[0], c->words[1], NULL, 0, &found);
	gemp_cypher_found_free(&found);
}

static void serve_vertices(gemp_cypher_session *s, const command *c)
{
	int column = (int)(int64_t)c->words[0];
	gemp_vertex *found = NULL;
	size_t found_count;
	gemp_column values = { 0 };
	(void)gemp_fetch_values(s->context, s->graph, NULL, 0, &column, 1, &found, &found_count, &values);
	gemp_free(found);
	gemp_column_free(&values);
}

static void serve_edges(gemp_cypher_session *s, const command *c)
{
	gemp_edge_values values = { 0 };
	(void)run_edges(s, c->words[0], c->words[1], NULL, 0, &values);
	gemp_edge_values_free(&values);
}

static void serve_run(gemp_cypher_session *s, const command *c)
{
	gemp_cypher_analysis_rows found = { 0 };
	(void)run_analysis(s, (gemp_vertex)c->words[0], &found);
	gemp_free(found.rows);
}

/* Rank 0 knows the code of each command, too, and decides what follows. */
gemp_code gemp_cypher_session_serve(gemp_cypher_session *s)
{
	for (;;) {
		command c = { COMMAND_END, { 0 } };
		broadcast(s, &c);
		switch (c.kind) {
		case COMMAND_SEARCH: serve_search(s, &c); break;
		case COMMAND_VERTICES: serve_vertices(s, &c); break;
		case COMMAND_EDGES: serve_edges(s, &c); break;
		case COMMAND_ANALYSIS_BEGIN: (void)begin_analysis(s, (gemp_cypher_analysis){ 0 }); break;
		case COMMAND_ANALYSIS_RUN: serve_run(s, &c); break;
		case COMMAND_ANALYSIS_END: s->analyses->end(s->analyses->self); break;
		default: return gemp_comm_agree(s->context->comm, GEMP_OK);
		}
	}
}

/* The agreement also takes rank 0's message to the other ranks. */
void gemp_cypher_session_end(gemp_cypher_session *s, gemp_code code)
{
	command c = { COMMAND_END, { 0 } };
	broadcast(s, &c);
	(void)gemp_comm_agree(s->context->comm, code);
}
