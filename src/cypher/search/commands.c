/* A command is three numbers, whose meaning depends on the first. Seeds go to the ranks that own their first vertex,
 * which is where a search continues. The matches of all ranks go to rank 0. */

#include "cypher/search/commands.h"

#include "core/memory.h"

enum { COMMAND_SEARCH, COMMAND_VERTICES, COMMAND_EDGES, COMMAND_END };
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
