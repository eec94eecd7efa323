/* A naive reference for clauses: every rank evaluates them over all rows, row by row and pair by pair. */
#ifndef GEMP_TESTS_QUERY_NAIVE_H
#define GEMP_TESTS_QUERY_NAIVE_H

#include "query_case.h"

/* A cell of the naive evaluation: NULL, a value, a vertex or an edge. */
typedef struct cell {
	enum { IS_NULL, IS_VALUE, IS_VERTEX, IS_EDGE } what;
	gemp_value value;
	uint64_t id;
} cell;

typedef struct table {
	size_t rows, columns;
	cell *cells; /* [rows * columns] */
} table;

/* Strings of the evaluation, which are freed all at once. */
static char *pool[1 << 20];
static size_t pool_size;

static const char *copy_string(const char *bytes, size_t size)
{
	assert_true(pool_size < sizeof pool / sizeof *pool);
	pool[pool_size] = malloc(size + 1);
	memcpy(pool[pool_size], bytes, size);
	return pool[pool_size++];
}

static inline void free_pool(void)
{
	while (pool_size)
		free(pool[--pool_size]);
}

static const made_edge *edge_of(const made_graph *made, uint64_t edge)
{
	return &made->edges[edge / MADE_EDGES][edge % MADE_EDGES];
}

static inline cell value_cell(gemp_value value)
{
	if (!value.null && value.type == GEMP_STRING)
		value.string.bytes = copy_string(value.string.bytes, value.string.size);
	return (cell){ .what = value.null ? IS_NULL : IS_VALUE, .value = value };
}

static const cell *variable_cell(const cell *row, const gemp_expr *expr, bool match)
{
	return &row[expr->variable + (match && (expr->of_edge || expr->kind == GEMP_EDGE) ? VERTICES : 0)];
}

static inline cell number_cell(int64_t number)
{
	return value_cell((gemp_value){ .type = GEMP_INTEGER, .integer = number });
}

static inline int64_t count_edges(const made_graph *made, const gemp_expr *expr, gemp_vertex from)
{
	int64_t count = 0;
	for (int k = 0; k < MADE_RELATIONS; k++)
		for (int i = 0; i < MADE_EDGES && expr->relations[k]; i++)
			count += made->edges[k][i].source == from;
	return count;
}

static inline cell plus_number(cell value, const gemp_expr *expr)
{
	if (expr->kind == GEMP_ADD && value.what == IS_VALUE)
		value.value.integer += expr->children[1]->value.integer;
	return value;
}

static inline cell evaluate(const made_graph *made, const gemp_expr *expr, const cell *row, bool match)
{
	char room[64];
	if (expr->kind == GEMP_COLUMN)
		return row[expr->item];
	if (expr->kind == GEMP_ADD)
		return plus_number(evaluate(made, expr->children[0], row, match), expr);
	const cell *variable = variable_cell(row, expr, match);
	if (expr->kind == GEMP_VERTEX || expr->kind == GEMP_EDGE || variable->what == IS_NULL)
		return *variable;
	if (expr->kind == GEMP_KEY)
		return number_cell(made_key(made, (gemp_vertex)variable->id));
	if (expr->kind == GEMP_DEGREE)
		return number_cell(count_edges(made, expr, (gemp_vertex)variable->id));
	if (!expr->of_edge)
		return value_cell(made_value(made, expr->attribute, (gemp_vertex)variable->id, room));
	int64_t weight = edge_of(made, variable->id)->weight;
	bool there = variable->id < MADE_EDGES && weight % 2 == 0;
	return value_cell((gemp_value){ .type = GEMP_INTEGER, .null = !there, .integer = weight });
}

static inline int compare_numbers(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

/* The ascending order of ORDER BY. */
static inline int compare_cells(const made_graph *made, const cell *a, const cell *b)
{
	if (a->what == IS_NULL || b->what == IS_NULL)
		return (a->what == IS_NULL) - (b->what == IS_NULL);
	if (a->what == IS_VERTEX)
		return compare_numbers(made_key(made, (gemp_vertex)a->id), made_key(made, (gemp_vertex)b->id));
	if (a->what == IS_EDGE) {
		const made_edge *x = edge_of(made, a->id), *y = edge_of(made, b->id);
		int order = compare_numbers((int64_t)(a->id / MADE_EDGES), (int64_t)(b->id / MADE_EDGES));
		order = order ? order : compare_numbers(made_key(made, x->source), made_key(made, y->source));
		order = order ? order : compare_numbers(made_key(made, x->target), made_key(made, y->target));
		return order ? order : compare_numbers((int64_t)a->id, (int64_t)b->id);
	}
	const gemp_value *x = &a->value, *y = &b->value;
	if (x->type == GEMP_INTEGER)
		return compare_numbers(x->integer, y->integer);
	if (x->type == GEMP_FLOAT)
		return (x->real > y->real) - (x->real < y->real);
	if (x->type == GEMP_BOOLEAN)
		return x->truth - y->truth;
	size_t common = x->string.size < y->string.size ? x->string.size : y->string.size;
	int order = memcmp(x->string.bytes, y->string.bytes, common);
	return order ? order : compare_numbers((int64_t)x->string.size, (int64_t)y->string.size);
}

static inline void print_json(gemp_text *out, const made_graph *made, const cell *c)
{
	if (c->what == IS_VERTEX) {
		gemp_text_print(out, "%lld", (long long)made_key(made, (gemp_vertex)c->id));
	} else if (c->what == IS_EDGE) {
		const made_edge *e = edge_of(made, c->id);
		gemp_text_print(out, "{\"type\": \"%s\", \"source\": %lld, \"target\": %lld}",
		                c->id < MADE_EDGES ? "LIKES" : "OWES", (long long)made_key(made, e->source),
		                (long long)made_key(made, e->target));
	} else if (c->value.type == GEMP_STRING) {
		gemp_text_print(out, "\"");
		for (size_t i = 0; i < c->value.string.size; i++) {
			char byte = c->value.string.bytes[i];
			gemp_text_print(out,
			                byte == '\t'                  ? "\\t"
			                : byte == '\n'                ? "\\n"
			                : byte == '"' || byte == '\\' ? "\\%c"
			                                              : "%c",
			                byte);
		}
		gemp_text_print(out, "\"");
	} else {
		gemp_value_print(&c->value, out);
	}
}

/* values[count] are the arguments of the rows of a group. */
static inline cell aggregate(const made_graph *made, const gemp_expr *expr, cell *values, size_t count)
{
	size_t kept = 0;
	for (size_t i = 0; i < count; i++) {
		bool again = false;
		for (size_t k = 0; k < kept && expr->distinct; k++)
			again |= compare_cells(made, &values[k], &values[i]) == 0;
		if (values[i].what != IS_NULL && !again)
			values[kept++] = values[i];
	}
	for (size_t i = 1; i < kept; i++)
		for (size_t k = i; k > 0 && compare_cells(made, &values[k - 1], &values[k]) > 0; k--) {
			cell c = values[k];
			values[k] = values[k - 1];
			values[k - 1] = c;
		}
	int64_t whole = 0;
	double real = 0; /* exact, because the values are a few multiples of 1/8 */
	for (size_t i = 0; i < kept; i++) {
		whole += values[i].value.type == GEMP_INTEGER ? values[i].value.integer : 0;
		real += values[i].value.type == GEMP_FLOAT ? values[i].value.real : 0;
	}
	bool floats = expr->count && expr->children[0]->type == GEMP_FLOAT;
	gemp_text list = { 0 };
	gemp_value result = { .type = GEMP_INTEGER, .integer = (int64_t)kept };
	switch (expr->kind) {
	case GEMP_SUM:
		result = floats ? (gemp_value){ .type = GEMP_FLOAT, .real = real }
		                : (gemp_value){ .type = GEMP_INTEGER, .integer = whole };
		break;
	case GEMP_AVG:
		result = (gemp_value){ .type = GEMP_FLOAT,
			                   .null = !kept,
			                   .real = (floats ? real : (double)whole) / (double)kept };
		break;
	case GEMP_MIN: return kept ? values[0] : (cell){ .what = IS_NULL };
	case GEMP_MAX: return kept ? values[kept - 1] : (cell){ .what = IS_NULL };
	case GEMP_COLLECT:
		gemp_text_print(&list, "[");
		for (size_t i = 0; i < kept; i++) {
			gemp_text_print(&list, "%s", i ? ", " : "");
			print_json(&list, made, &values[i]);
		}
		gemp_text_print(&list, "]");
		result = (gemp_value){ .type = GEMP_LIST, .string = { copy_string(list.data, list.size), list.size } };
		gemp_text_free(&list);
		break;
	default: break;
	}
	return (cell){ .what = result.null ? IS_NULL : IS_VALUE, .value = result };
}

static inline bool same_cells(const made_graph *made, const cell *a, const cell *b, const bool *compared, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (compared[i] && compare_cells(made, &a[i], &b[i]) != 0)
			return false;
	return true;
}

/* Groups rows in place. On entry the cell of an aggregate holds its argument, on return its value. */
static inline void group_rows(const made_graph *made, const gemp_clause *clause, table *t)
{
	size_t n = t->columns, groups = 0;
	bool key[MAX_ITEMS], *taken = calloc(t->rows + 1, 1);
	cell *out = calloc((t->rows + 1) * n, sizeof *out), *values = calloc(t->rows + 1, sizeof *values);
	bool keys = false;
	for (size_t i = 0; i < n; i++)
		keys |= key[i] = !is_aggregate(clause->items[i].expr);
	for (size_t row = 0; row < t->rows || (!keys && row == 0); row++) {
		if (row < t->rows && taken[row])
			continue;
		for (size_t i = 0; i < n; i++) {
			size_t count = 0;
			for (size_t other = row; other < t->rows; other++)
				if (same_cells(made, &t->cells[row * n], &t->cells[other * n], key, n)) {
					values[count++] = t->cells[other * n + i];
					taken[other] = i + 1 == n;
				}
			const gemp_expr *expr = clause->items[i].expr;
			out[groups * n + i] = key[i] ? t->cells[row * n + i]
			                             : plus_number(aggregate(made, aggregate_of(expr), values, count), expr);
		}
		groups++;
	}
	free(taken);
	free(values);
	free(t->cells);
	t->cells = out;
	t->rows = groups;
}

static inline void remove_duplicates(const made_graph *made, table *t)
{
	bool all[MAX_ITEMS];
	size_t kept = 0, n = t->columns;
	memset(all, 1, sizeof all);
	for (size_t row = 0; row < t->rows; row++) {
		bool again = false;
		for (size_t k = 0; k < kept; k++)
			again |= same_cells(made, &t->cells[k * n], &t->cells[row * n], all, n);
		if (!again)
			memmove(&t->cells[kept++ * n], &t->cells[row * n], n * sizeof *t->cells);
	}
	t->rows = kept;
}

static inline int compare_by(const made_graph *made, const gemp_clause *clause, const cell *a, const cell *b)
{
	for (size_t i = 0; i < clause->order_count; i++) {
		int order = compare_cells(made, &a[clause->orders[i].item], &b[clause->orders[i].item]);
		if (order)
			return clause->orders[i].descending ? -order : order;
	}
	for (size_t i = 0; i < clause->item_count; i++) {
		int order = compare_cells(made, &a[i], &b[i]);
		if (order)
			return order;
	}
	return 0;
}

static inline void order_rows(const made_graph *made, const gemp_clause *clause, table *t)
{
	size_t n = t->columns, bytes = n * sizeof *t->cells;
	cell room[MAX_ITEMS];
	for (size_t row = 1; row < t->rows; row++)
		for (size_t k = row; k > 0 && compare_by(made, clause, &t->cells[(k - 1) * n], &t->cells[k * n]) > 0; k--) {
			memcpy(room, &t->cells[k * n], bytes);
			memcpy(&t->cells[k * n], &t->cells[(k - 1) * n], bytes);
			memcpy(&t->cells[(k - 1) * n], room, bytes);
		}
	size_t skip = clause->skip < t->rows ? clause->skip : t->rows;
	memmove(t->cells, &t->cells[skip * n], (t->rows - skip) * bytes);
	t->rows -= skip;
	if (clause->has_limit && t->rows > clause->limit)
		t->rows = clause->limit;
}

static inline void apply_clause(const made_graph *made, const gemp_clause *clause, table *t, bool match)
{
	table out = { t->rows, clause->item_count, calloc(t->rows * clause->item_count + 1, sizeof *out.cells) };
	for (size_t row = 0; row < t->rows; row++)
		for (size_t i = 0; i < out.columns; i++) {
			const gemp_expr *expr = clause->items[i].expr, *inner = aggregate_of(expr);
			cell one = { .what = IS_VALUE };
			if (!inner || inner->count)
				one = evaluate(made, inner ? inner->children[0] : expr, &t->cells[row * t->columns], match);
			out.cells[row * out.columns + i] = one;
		}
	free(t->cells);
	*t = out;
	if (clause->grouped)
		group_rows(made, clause, t);
	if (clause->distinct)
		remove_duplicates(made, t);
	if (clause->order_count)
		order_rows(made, clause, t);
	size_t kept = 0;
	for (size_t row = 0; row < t->rows; row++) {
		const cell *cells = &t->cells[row * t->columns];
		if (!clause->where || evaluate(made, clause->where->children[0], cells, false).what != IS_NULL)
			memmove(&t->cells[kept++ * t->columns], cells, t->columns * sizeof *cells);
	}
	t->rows = kept;
}

static inline void print_cell(gemp_text *out, const made_graph *made, const cell *c)
{
	if (c->what == IS_VERTEX) {
		gemp_text_print(out, "%lld", (long long)made_key(made, (gemp_vertex)c->id));
	} else if (c->what == IS_EDGE) {
		const made_edge *e = edge_of(made, c->id);
		gemp_text_print(out, "%s:%lld->%lld", c->id < MADE_EDGES ? "LIKES" : "OWES",
		                (long long)made_key(made, e->source), (long long)made_key(made, e->target));
	} else if (c->what == IS_VALUE) {
		gemp_value_print(&c->value, out);
	}
}

/* Returns the lines that the pipeline must output. Lines end in \1, because names may contain line feeds. */
static inline gemp_text expected_text(const input_rows *g)
{
	gemp_text out = { 0 };
	table t = { 0, VERTICES + EDGES, calloc(MAX_ROWS * 3 * (VERTICES + EDGES) + 1, sizeof *t.cells) };
	for (size_t i = 0; i < g->rows; i++)
		for (uint64_t k = 0; k < g->row[i].times; k++, t.rows++) {
			cell *cells = &t.cells[t.rows * t.columns];
			for (int v = 0; v < VERTICES; v++)
				cells[v] = (cell){ .what = g->row[i].vertices[v] == GEMP_NO_VERTEX ? IS_NULL : IS_VERTEX,
					               .id = g->row[i].vertices[v] };
			for (int e = 0; e < EDGES; e++)
				cells[VERTICES + e] = (cell){ .what = g->row[i].edges[e] == GEMP_NO_EDGE ? IS_NULL : IS_EDGE,
					                          .id = g->row[i].edges[e] };
		}
	if (g->pattern->with)
		apply_clause(g->made, g->pattern->with, &t, true);
	apply_clause(g->made, &g->pattern->result, &t, !g->pattern->with);
	for (size_t row = 0; row < t.rows; row++)
		for (size_t i = 0; i < g->pattern->result.shown; i++) {
			print_cell(&out, g->made, &t.cells[row * t.columns + i]);
			gemp_text_print(&out, i + 1 < g->pattern->result.shown ? "\t|" : "\1");
		}
	free(t.cells);
	free_pool();
	return out;
}

#endif
