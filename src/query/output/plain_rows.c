#include "query/output/plain_rows.h"

#include "core/threads.h"
#include "query/clause/clause.h"
#include "query/clause/projection.h"

#include <string.h>

enum { CHUNK_ROWS = 1 << 12 };                        /* that one thread converts at a time */
static const size_t default_memory = (size_t)1 << 30; /* of tables */

struct gemp_plain_rows {
	const gemp_stab_chain *chain;
	uint32_t *rank; /* [vertices] by id, if there is a chain: the number that keys compare by */
	int64_t *key;   /* [vertices] by rank, if there is a chain, else by id */
	size_t column_count, rows;
	int *vertex;             /* [column_count] place in a row */
	gemp_projected *columns; /* [column_count] */
};

/* Every item must be a vertex of the match with an integer key, and no clause may be left to evaluate. */
static bool is_plain(const gemp_shard *graph, const gemp_pattern *pattern)
{
	bool plain = gemp_clause_streams(pattern) && !pattern->result.has_limit && pattern->optional_count == 0 &&
	             graph->keys.type == GEMP_INTEGER;
	for (size_t i = 0; i < pattern->result.item_count; i++)
		plain = plain && pattern->result.items[i].expr->kind == GEMP_VERTEX;
	return plain;
}

/* The tables may use a quarter of the memory budget. */
bool gemp_plain_rows_apply(const gemp_runtime *context, const gemp_shard *graph, const gemp_pattern *pattern)
{
	size_t budget = context->budgets.host_memory ? context->budgets.host_memory / 4 : default_memory;
	return is_plain(graph, pattern) && graph->vertex_count <= budget / (sizeof(int64_t) * 2 + sizeof(uint32_t));
}

/* TABLES */

/* Collective. Ranks own consecutive ids, so that concatenation by rank gives an array by id. */
static gemp_code gather(const gemp_comm *comm, const void *mine, size_t size, void **all)
{
	size_t *begin = NULL;
	gemp_code code = gemp_comm_allgather(comm, mine, size, all, &begin);
	gemp_free(begin);
	return code;
}

/* Canonical tuples consist of key ranks, so that the table must be indexed by rank. */
static gemp_code keys_by_rank(gemp_plain_rows *plain, uint64_t vertices)
{
	int64_t *by_id = plain->key, *by_rank;
	gemp_code code = GEMP_NEW(by_rank, vertices);
	for (uint64_t id = 0; id < vertices && code == GEMP_OK; id++)
		by_rank[plain->rank[id]] = by_id[id];
	if (code == GEMP_OK)
		plain->key = by_rank;
	gemp_free(code == GEMP_OK ? by_id : NULL);
	return code;
}

static gemp_code begin_columns(gemp_plain_rows *plain, const gemp_shard *graph, const gemp_pattern *pattern)
{
	GEMP_PROPAGATE(GEMP_NEW(plain->columns, pattern->result.shown));
	GEMP_PROPAGATE(GEMP_NEW(plain->vertex, pattern->result.shown));
	GEMP_PROPAGATE(gemp_project_header(graph, pattern, plain->columns));
	plain->column_count = pattern->result.shown;
	for (size_t c = 0; c < plain->column_count; c++)
		plain->vertex[c] = pattern->result.items[c].expr->variable;
	return GEMP_OK;
}

/* Ranks own consecutive ids, so gathering the local arrays in rank order gives arrays by id. */
gemp_code gemp_plain_rows_new(gemp_plain_rows **out, gemp_runtime *context, const gemp_shard *graph,
                              const gemp_pattern *pattern, const gemp_stab_chain *chain)
{
	gemp_code code = GEMP_OK;
	gemp_plain_rows *plain;
	void *rank = NULL, *key = NULL;
	code = GEMP_NEW(plain, 1);
	GEMP_THEN(begin_columns(plain, graph, pattern));
	GEMP_TRY(gemp_comm_agree(context->comm, code));
	plain->chain = chain;
	GEMP_TRY(gather(context->comm, graph->keys.integers, graph->rows * sizeof *graph->keys.integers, &key));
	plain->key = key;
	if (chain) {
		GEMP_TRY(gather(context->comm, graph->key_ranks, graph->rows * sizeof *graph->key_ranks, &rank));
		plain->rank = rank;
		code = keys_by_rank(plain, graph->vertex_count);
	}
	GEMP_TRY(gemp_comm_agree(context->comm, code));
	*out = plain;
	plain = NULL;
done:
	gemp_plain_rows_free(plain);
	return code;
}

void gemp_plain_rows_free(gemp_plain_rows *plain)
{
	if (!plain)
		return;
	gemp_projected_free(plain->columns, plain->column_count);
	gemp_free_all(plain->columns, plain->vertex, plain->rank, plain->key, plain);
}

/* ROWS */

typedef struct row_conversion {
	gemp_plain_rows *plain;
	const gemp_batch *batch;
	size_t first, rows; /* rows of the columns; of the batch */
} row_conversion;

/* From ids to ranks of keys, to the canonical tuple, to keys. Without a chain the ids index the keys directly. */
static void convert_row(const row_conversion *t, size_t row)
{
	const gemp_plain_rows *plain = t->plain;
	size_t width = (size_t)t->batch->vertex_count, at = t->first + row;
	const gemp_vertex *ids = t->batch->vertices + row * width;
	uint64_t positions[GEMP_MAX_PATTERN_VERTICES + GEMP_MAX_PATTERN_EDGES];
	for (size_t v = 0; v < width; v++)
		positions[v] = plain->rank ? plain->rank[ids[v]] : ids[v];
	if (plain->chain)
		gemp_stab_chain_canonical(plain->chain, positions);
	for (size_t c = 0; c < plain->column_count; c++)
		plain->columns[c].value.integers[at] = plain->key[positions[plain->vertex[c]]];
}

static void convert_rows(void *context, size_t range, size_t begin, size_t end)
{
	(void)range;
	for (size_t row = begin; row < end; row++)
		convert_row(context, row);
}

bool gemp_plain_rows_accepts(const gemp_plain_rows *plain, const gemp_batch *batch)
{
	return !batch->multiplicity && !(plain->chain && batch->edge_count);
}

/* Columns grow by half at least, since they are reserved once a batch. */
gemp_code gemp_plain_rows_take(gemp_plain_rows *plain, const gemp_batch *batch, size_t rows)
{
	row_conversion t = { plain, batch, plain->rows, rows };
	for (size_t c = 0; c < plain->column_count; c++) {
		gemp_column *value = &plain->columns[c].value;
		size_t needed = plain->rows + rows, larger = value->capacity + value->capacity / 2;
		if (needed > value->capacity)
			GEMP_PROPAGATE(gemp_column_reserve(value, needed > larger ? needed : larger, 0));
	}
	gemp_for_chunks(rows, CHUNK_ROWS, convert_rows, &t);
	plain->rows += rows;
	for (size_t c = 0; c < plain->column_count; c++)
		plain->columns[c].value.rows = plain->rows;
	return GEMP_OK;
}

size_t gemp_plain_rows_count(const gemp_plain_rows *plain)
{
	return plain->rows;
}

const gemp_projected *gemp_plain_rows_columns(const gemp_plain_rows *plain)
{
	return plain->columns;
}

void gemp_plain_rows_clear(gemp_plain_rows *plain)
{
	plain->rows = 0;
	for (size_t c = 0; c < plain->column_count; c++)
		plain->columns[c].value.rows = 0;
}
