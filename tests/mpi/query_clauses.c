/* WITH and RETURN of random rows of a made graph: random clauses against a naive evaluation of the same trees by one rank
 * that knows all rows. */
#include "made_graph.h"

#include "core/text.h"
#include "pattern/expr.h"
#include "query/clause.h"
#include "query/pipeline.h"
#include "query/projection.h"

enum { MOST_ROWS = 300, ROUNDS = 3, VERTICES = 3, EDGES = 2, MOST_ITEMS = 8, TRIALS = 60 };

typedef struct given_row {
	gemp_vertex vertices[VERTICES];
	gemp_edge edges[EDGES];
	uint64_t times;
	int round, rank;
} given_row;

typedef struct given {
	made_graph *made;
	gemp_pattern *pattern;
	size_t rows;
	bool counted; /* rows have multiplicities */
	given_row row[MOST_ROWS];
} given;

/* CLAUSES */

static const char *const attribute_name[MADE_ATTRIBUTES] = { "name", "age", "size", "good" };
static const gemp_type attribute_type[MADE_ATTRIBUTES] = { GEMP_STRING, GEMP_INTEGER, GEMP_FLOAT, GEMP_BOOLEAN };

static gemp_expr *node(gemp_expr_kind kind, gemp_type type)
{
	gemp_expr *expr;
	assert_ok(gemp_expr_new(&expr, kind, 1, 1));
	expr->type = type;
	return expr;
}

static gemp_expr *element(int variable, bool edge)
{
	gemp_expr *expr = node(edge ? GEMP_EDGE : GEMP_VERTEX, GEMP_STRING);
	expr->variable = variable;
	expr->of_edge = edge;
	return expr;
}

static gemp_expr *attribute(int variable, int which)
{
	gemp_expr *expr = node(GEMP_ATTRIBUTE, attribute_type[which]);
	expr->variable = variable;
	expr->attribute = which;
	expr->name = gemp_strdup(attribute_name[which]);
	return expr;
}

static gemp_expr *edge_attribute(int variable)
{
	gemp_expr *expr = node(GEMP_ATTRIBUTE, GEMP_INTEGER);
	expr->variable = variable;
	expr->of_edge = true;
	expr->name = gemp_strdup("weight");
	return expr;
}

static gemp_expr *parent(gemp_expr_kind kind, gemp_type type, gemp_expr *child)
{
	gemp_expr *expr = node(kind, type);
	assert_ok(gemp_expr_children(expr, 1));
	expr->children[0] = child;
	return expr;
}

/* What a clause may speak of: variables of the match, or items of WITH. */
typedef struct source {
	size_t vertex_count, edge_count, value_count;
	int vertices[MOST_ITEMS], edges[MOST_ITEMS], values[MOST_ITEMS];
	gemp_type types[MOST_ITEMS];
} source;

static const source of_match = { 3, 2, 0, { 0, 1, 2 }, { 0, 1 }, { 0 }, { 0 } };

static gemp_expr *any_value(const source *from, uint64_t *seed)
{
	uint64_t what = gemp_random_below(seed, 10);
	if (from->value_count && (what < 6 || !from->vertex_count)) {
		size_t i = gemp_random_below(seed, from->value_count);
		gemp_expr *expr = node(GEMP_COLUMN, from->types[i]);
		expr->item = (size_t)from->values[i];
		return expr;
	}
	if (from->edge_count && (what == 6 || !from->vertex_count))
		return edge_attribute(from->edges[gemp_random_below(seed, from->edge_count)]);
	if (!from->vertex_count)
		return node(GEMP_COUNT_STAR, GEMP_INTEGER);
	int vertex = from->vertices[gemp_random_below(seed, from->vertex_count)];
	if (what == 7) {
		gemp_expr *key = node(GEMP_KEY, GEMP_INTEGER);
		key->variable = vertex;
		return key;
	}
	return attribute(vertex, (int)gemp_random_below(seed, MADE_ATTRIBUTES));
}

static gemp_expr *any_plain(const source *from, uint64_t *seed)
{
	uint64_t what = gemp_random_below(seed, 6);
	if (what == 0 && from->edge_count)
		return element(from->edges[gemp_random_below(seed, from->edge_count)], true);
	if (what < 3 && from->vertex_count)
		return element(from->vertices[gemp_random_below(seed, from->vertex_count)], false);
	return any_value(from, seed);
}

static gemp_expr *any_aggregate(const source *from, uint64_t *seed)
{
	gemp_expr *child = gemp_random_below(seed, 2) ? any_plain(from, seed) : any_value(from, seed);
	bool number = child->kind != GEMP_VERTEX && child->kind != GEMP_EDGE &&
	              (child->type == GEMP_INTEGER || child->type == GEMP_FLOAT);
	bool value = child->kind != GEMP_VERTEX && child->kind != GEMP_EDGE;
	static const gemp_expr_kind kinds[] = { GEMP_COUNT, GEMP_COLLECT, GEMP_MIN, GEMP_MAX, GEMP_SUM, GEMP_AVG };
	gemp_expr_kind kind = kinds[gemp_random_below(seed, number ? 6 : value ? 4 : 2)];
	if (kind == GEMP_COLLECT && value && child->type == GEMP_LIST)
		kind = GEMP_COUNT;
	if (child->kind == GEMP_COUNT_STAR)
		return child;
	gemp_type type = kind == GEMP_COUNT ? GEMP_INTEGER : kind == GEMP_COLLECT ? GEMP_LIST : kind == GEMP_AVG ? GEMP_FLOAT
	               : child->type;
	gemp_expr *expr = parent(kind, type, child);
	expr->distinct = gemp_random_below(seed, 3) == 0;
	return expr;
}

static bool is_aggregate(const gemp_expr *expr)
{
	return expr->kind >= GEMP_COUNT_STAR;
}

static void make_clause(gemp_clause *clause, const source *from, uint64_t *seed)
{
	*clause = (gemp_clause){ .item_count = 1 + gemp_random_below(seed, 4) };
	uint64_t kind = gemp_random_below(seed, 3); /* 0: plain, 1: mixed, 2: aggregates alone */
	clause->shown = clause->item_count;
	assert_ok(GEMP_NEW(clause->items, clause->item_count));
	for (size_t i = 0; i < clause->item_count; i++) {
		char name[32];
		bool aggregate = kind == 2 || (kind == 1 && gemp_random_below(seed, 2));
		clause->items[i].expr = aggregate ? any_aggregate(from, seed) : any_plain(from, seed);
		clause->grouped |= is_aggregate(clause->items[i].expr);
		snprintf(name, sizeof name, "c%zu", i);
		clause->items[i].name = gemp_strdup(name);
	}
	clause->distinct = gemp_random_below(seed, 3) == 0;
	if (gemp_random_below(seed, 2)) {
		clause->order_count = 1 + gemp_random_below(seed, 2);
		assert_ok(GEMP_NEW(clause->orders, clause->order_count));
		for (size_t i = 0; i < clause->order_count; i++)
			clause->orders[i] = (gemp_sort){ gemp_random_below(seed, clause->item_count), gemp_random_below(seed, 2) };
		if (!clause->distinct && clause->item_count > 1 && gemp_random_below(seed, 2))
			clause->shown--;
		clause->has_skip = gemp_random_below(seed, 3) == 0;
		clause->skip = clause->has_skip ? gemp_random_below(seed, 20) : 0;
		clause->has_limit = gemp_random_below(seed, 2);
		clause->limit = clause->has_limit ? gemp_random_below(seed, 40) : 0;
	}
}

static source items_of(const gemp_clause *clause)
{
	source from = { 0 };
	for (size_t i = 0; i < clause->shown; i++) {
		const gemp_expr *expr = clause->items[i].expr;
		if (expr->kind == GEMP_VERTEX) {
			from.vertices[from.vertex_count++] = (int)i;
		} else if (expr->kind == GEMP_EDGE) {
			from.edges[from.edge_count++] = (int)i;
		} else {
			from.types[from.value_count] = expr->type;
			from.values[from.value_count++] = (int)i;
		}
	}
	return from;
}

static void make_clauses(given *g, uint64_t *seed)
{
	gemp_pattern *pattern = g->pattern;
	source from = of_match;
	if (gemp_random_below(seed, 2)) {
		assert_ok(GEMP_NEW(pattern->with, 1));
		make_clause(pattern->with, &from, seed);
		from = items_of(pattern->with);
		if (gemp_random_below(seed, 2))
			pattern->with->where = parent(GEMP_IS_NOT_NULL, GEMP_BOOLEAN, any_value(&from, seed));
		if (pattern->with->where && pattern->with->where->children[0]->kind == GEMP_COUNT_STAR) {
			gemp_expr_free(pattern->with->where);
			pattern->with->where = NULL;
		}
	}
	for (size_t i = 0; i < pattern->result.item_count; i++) {
		gemp_expr_free(pattern->result.items[i].expr);
		gemp_free(pattern->result.items[i].name);
	}
	gemp_free(pattern->result.items);
	make_clause(&pattern->result, &from, seed);
}

static given *give(uint64_t seed, size_t rows)
{
	given *g;
	assert_all_ok(GEMP_NEW(g, 1));
	g->made = made_graph_new(seed);
	g->rows = rows;
	g->counted = gemp_random_below(&seed, 2);
	assert_all_ok(gemp_pattern_parse(&g->pattern, "MATCH (a)-[r]->(b)<-[s]-(c) RETURN a", NULL));
	assert_all_ok(gemp_pattern_bind(g->pattern, &g->made->graph));
	uint64_t few = 1 + gemp_random_below(&seed, MADE_VERTICES);
	for (size_t i = 0; i < rows; i++) {
		given_row *row = &g->row[i];
		for (int v = 0; v < VERTICES; v++)
			row->vertices[v] = (gemp_vertex)gemp_random_below(&seed, few);
		for (int e = 0; e < EDGES; e++)
			row->edges[e] = gemp_random_below(&seed, MADE_RELATIONS * MADE_EDGES);
		if (gemp_random_below(&seed, 5) == 0) { /* as OPTIONAL MATCH leaves them */
			row->vertices[2] = GEMP_NO_VERTEX;
			row->edges[1] = GEMP_NO_EDGE;
		}
		row->times = g->counted ? 1 + gemp_random_below(&seed, 3) : 1;
		row->round = (int)gemp_random_below(&seed, ROUNDS);
		row->rank = (int)gemp_random_below(&seed, (uint64_t)test_comm.size);
		if (row->rank == 2)
			row->rank = 0; /* rank 2 finds nothing */
	}
	make_clauses(g, &seed);
	return g;
}

static void give_back(given *g)
{
	gemp_pattern_free(g->pattern);
	made_graph_free(g->made);
	gemp_free(g);
}

/* NAIVE EVALUATION */

typedef struct cell {
	enum { IS_NULL, IS_VALUE, IS_VERTEX, IS_EDGE } what;
	gemp_value value;
	uint64_t id;
} cell;

typedef struct table {
	size_t rows, columns;
	cell *cells;      /* [rows * columns] */
} table;

/* Strings of the naive evaluation, freed all at once. */
static char *pool[1 << 20];
static size_t pooled;

static const char *keep(const char *bytes, size_t size)
{
	assert_true(pooled < sizeof pool / sizeof *pool);
	pool[pooled] = malloc(size + 1);
	memcpy(pool[pooled], bytes, size);
	return pool[pooled++];
}

static void empty_pool(void)
{
	while (pooled)
		free(pool[--pooled]);
}

static const made_edge *edge_of(const made_graph *made, uint64_t edge)
{
	return &made->edges[edge / MADE_EDGES][edge % MADE_EDGES];
}

static cell value_cell(gemp_value value)
{
	if (!value.null && value.type == GEMP_STRING)
		value.string.bytes = keep(value.string.bytes, value.string.size);
	return (cell){ .what = value.null ? IS_NULL : IS_VALUE, .value = value };
}

static const cell *variable_cell(const cell *row, const gemp_expr *expr, bool match)
{
	return &row[expr->variable + (match && (expr->of_edge || expr->kind == GEMP_EDGE) ? VERTICES : 0)];
}

static cell evaluate(const made_graph *made, const gemp_expr *expr, const cell *row, bool match)
{
	char room[64];
	if (expr->kind == GEMP_COLUMN)
		return row[expr->item];
	const cell *variable = variable_cell(row, expr, match);
	if (expr->kind == GEMP_VERTEX || expr->kind == GEMP_EDGE || variable->what == IS_NULL)
		return *variable;
	if (expr->kind == GEMP_KEY)
		return value_cell((gemp_value){ .type = GEMP_INTEGER, .integer = made_key(made, (gemp_vertex)variable->id) });
	if (!expr->of_edge)
		return value_cell(made_value(made, expr->attribute, (gemp_vertex)variable->id, room));
	int64_t weight = edge_of(made, variable->id)->weight;
	bool there = variable->id < MADE_EDGES && weight % 2 == 0;
	return value_cell((gemp_value){ .type = GEMP_INTEGER, .null = !there, .integer = weight });
}

static int compare_numbers(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

/* As ORDER BY does, ascending. */
static int compare_cells(const made_graph *made, const cell *a, const cell *b)
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

static void say_json(gemp_text *out, const made_graph *made, const cell *c)
{
	if (c->what == IS_VERTEX) {
		gemp_text_print(out, "%lld", (long long)made_key(made, (gemp_vertex)c->id));
	} else if (c->what == IS_EDGE) {
		const made_edge *e = edge_of(made, c->id);
		gemp_text_print(out, "{\"type\": \"%s\", \"source\": %lld, \"target\": %lld}", c->id < MADE_EDGES ? "LIKES" : "OWES",
		                (long long)made_key(made, e->source), (long long)made_key(made, e->target));
	} else if (c->value.type == GEMP_STRING) {
		gemp_text_print(out, "\"");
		for (size_t i = 0; i < c->value.string.size; i++) {
			char byte = c->value.string.bytes[i];
			gemp_text_print(out, byte == '\t' ? "\\t" : byte == '\n' ? "\\n" : byte == '"' || byte == '\\' ? "\\%c" : "%c", byte);
		}
		gemp_text_print(out, "\"");
	} else {
		gemp_value_print(&c->value, out);
	}
}

/* values[0..count) are the arguments of a group's rows. */
static cell aggregate(const made_graph *made, const gemp_expr *expr, cell *values, size_t count)
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
	double real = 0; /* exact: eighths, and few */
	for (size_t i = 0; i < kept; i++) {
		whole += values[i].value.type == GEMP_INTEGER ? values[i].value.integer : 0;
		real += values[i].value.type == GEMP_FLOAT ? values[i].value.real : 0;
	}
	bool floats = expr->count && expr->children[0]->type == GEMP_FLOAT;
	gemp_text list = { 0 };
	gemp_value result = { .type = GEMP_INTEGER, .integer = (int64_t)kept };
	switch (expr->kind) {
	case GEMP_SUM:
		result = floats ? (gemp_value){ .type = GEMP_FLOAT, .real = real } : (gemp_value){ .type = GEMP_INTEGER, .integer = whole };
		break;
	case GEMP_AVG:
		result = (gemp_value){ .type = GEMP_FLOAT, .null = !kept, .real = (floats ? real : (double)whole) / (double)kept };
		break;
	case GEMP_MIN:
		return kept ? values[0] : (cell){ .what = IS_NULL };
	case GEMP_MAX:
		return kept ? values[kept - 1] : (cell){ .what = IS_NULL };
	case GEMP_COLLECT:
		gemp_text_print(&list, "[");
		for (size_t i = 0; i < kept; i++) {
			gemp_text_print(&list, "%s", i ? ", " : "");
			say_json(&list, made, &values[i]);
		}
		gemp_text_print(&list, "]");
		result = (gemp_value){ .type = GEMP_LIST, .string = { keep(list.data, list.size), list.size } };
		gemp_text_free(&list);
		break;
	default:
		break;
	}
	return (cell){ .what = result.null ? IS_NULL : IS_VALUE, .value = result };
}

static bool same_cells(const made_graph *made, const cell *a, const cell *b, const bool *compared, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (compared[i] && compare_cells(made, &a[i], &b[i]) != 0)
			return false;
	return true;
}

/* Rows of the items, with arguments in place of aggregates, become groups. */
static void group_rows(const made_graph *made, const gemp_clause *clause, table *t)
{
	size_t n = t->columns, groups = 0;
	bool key[MOST_ITEMS], *taken = calloc(t->rows + 1, 1);
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
			out[groups * n + i] = key[i] ? t->cells[row * n + i] : aggregate(made, clause->items[i].expr, values, count);
		}
		groups++;
	}
	free(taken);
	free(values);
	free(t->cells);
	t->cells = out;
	t->rows = groups;
}

static void drop_repeated(const made_graph *made, table *t)
{
	bool all[MOST_ITEMS];
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

static int compare_by(const made_graph *made, const gemp_clause *clause, const cell *a, const cell *b)
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

static void order_rows(const made_graph *made, const gemp_clause *clause, table *t)
{
	size_t n = t->columns, bytes = n * sizeof *t->cells;
	cell room[MOST_ITEMS];
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

static void apply(const made_graph *made, const gemp_clause *clause, table *t, bool match)
{
	table out = { t->rows, clause->item_count, calloc(t->rows * clause->item_count + 1, sizeof *out.cells) };
	for (size_t row = 0; row < t->rows; row++)
		for (size_t i = 0; i < out.columns; i++) {
			const gemp_expr *expr = clause->items[i].expr;
			cell one = { .what = IS_VALUE };
			if (expr->kind != GEMP_COUNT_STAR)
				one = evaluate(made, is_aggregate(expr) ? expr->children[0] : expr, &t->cells[row * t->columns], match);
			out.cells[row * out.columns + i] = one;
		}
	free(t->cells);
	*t = out;
	if (clause->grouped)
		group_rows(made, clause, t);
	if (clause->distinct)
		drop_repeated(made, t);
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

static void say_cell(gemp_text *out, const made_graph *made, const cell *c)
{
	if (c->what == IS_VERTEX) {
		gemp_text_print(out, "%lld", (long long)made_key(made, (gemp_vertex)c->id));
	} else if (c->what == IS_EDGE) {
		const made_edge *e = edge_of(made, c->id);
		gemp_text_print(out, "%s:%lld->%lld", c->id < MADE_EDGES ? "LIKES" : "OWES", (long long)made_key(made, e->source),
		                (long long)made_key(made, e->target));
	} else if (c->what == IS_VALUE) {
		gemp_value_print(&c->value, out);
	}
}

/* Lines end in \1, since names have line feeds in them. */
static gemp_text expected_text(const given *g)
{
	gemp_text out = { 0 };
	table t = { 0, VERTICES + EDGES, calloc(MOST_ROWS * 3 * (VERTICES + EDGES) + 1, sizeof *t.cells) };
	for (size_t i = 0; i < g->rows; i++)
		for (uint64_t k = 0; k < g->row[i].times; k++, t.rows++) {
			cell *cells = &t.cells[t.rows * t.columns];
			for (int v = 0; v < VERTICES; v++)
				cells[v] = (cell){ .what = g->row[i].vertices[v] == GEMP_NO_VERTEX ? IS_NULL : IS_VERTEX, .id = g->row[i].vertices[v] };
			for (int e = 0; e < EDGES; e++)
				cells[VERTICES + e] = (cell){ .what = g->row[i].edges[e] == GEMP_NO_EDGE ? IS_NULL : IS_EDGE, .id = g->row[i].edges[e] };
		}
	if (g->pattern->with)
		apply(g->made, g->pattern->with, &t, true);
	apply(g->made, &g->pattern->result, &t, !g->pattern->with);
	for (size_t row = 0; row < t.rows; row++)
		for (size_t i = 0; i < g->pattern->result.shown; i++) {
			say_cell(&out, g->made, &t.cells[row * t.columns + i]);
			gemp_text_print(&out, i + 1 < g->pattern->result.shown ? "\t|" : "\1");
		}
	free(t.cells);
	empty_pool();
	return out;
}

/* WHAT COMES OUT */

typedef struct output {
	const given *g;
	gemp_text text; /* of all ranks, in the order in which it was handed on */
	bool over;
} output;

static void say_value(gemp_text *out, const gemp_column *column, size_t row)
{
	gemp_value value = gemp_column_get(column, row);
	gemp_value_print(&value, out);
}

static gemp_code output_push(void *self, gemp_frame *frame, bool last, bool *enough)
{
	gemp_code code = GEMP_OK;
	output *o = self;
	size_t shown = o->g->pattern->result.shown, *begin = NULL;
	gemp_projected columns[MOST_ITEMS];
	gemp_text mine = { 0 };
	void *all = NULL;
	GEMP_CHECK(!o->over);
	GEMP_TRY(gemp_comm_agree(&test_comm, gemp_frame_expand(frame, UINT64_MAX)));
	GEMP_TRY(gemp_project(&o->g->made->context, &o->g->made->graph, o->g->pattern, frame, columns));
	for (size_t row = 0; row < frame->rows; row++)
		for (size_t c = 0; c < shown; c++) {
			say_value(&mine, &columns[c].value, row);
			if (columns[c].edge && !gemp_column_get(&columns[c].value, row).null) {
				gemp_text_print(&mine, ":");
				say_value(&mine, &columns[c].source, row);
				gemp_text_print(&mine, "->");
				say_value(&mine, &columns[c].target, row);
			}
			gemp_text_print(&mine, c + 1 < shown ? "\t|" : "\1");
		}
	gemp_projected_free(columns, shown);
	GEMP_TRY(gemp_comm_agree(&test_comm, gemp_text_status(&mine)));
	GEMP_TRY(gemp_comm_gather_all(&test_comm, mine.data, mine.size, &all, &begin));
	gemp_text_add(&o->text, all, begin[test_comm.size]);
	code = gemp_comm_agree(&test_comm, gemp_text_status(&o->text));
	o->over = last;
	(void)enough;
done:
	gemp_text_free(&mine);
	gemp_free(all);
	gemp_free(begin);
	return code;
}

static gemp_code run(const given *g, output *o)
{
	gemp_code code = GEMP_OK;
	gemp_pipeline *pipeline = NULL;
	gemp_row_store store = { 0 };
	uint64_t times[MOST_ROWS];
	bool enough = false;
	*o = (output){ .g = g };
	GEMP_TRY(gemp_pipeline_new(&pipeline, &g->made->context, &g->made->graph, g->pattern,
	                           &(gemp_stage){ .self = o, .push = output_push }));
	for (int round = 0; round < ROUNDS && !enough; round++) {
		gemp_row_store_clear(&store);
		for (size_t i = 0; i < g->rows && code == GEMP_OK; i++)
			if (g->row[i].round == round && g->row[i].rank == test_comm.rank) {
				times[store.rows] = g->row[i].times;
				code = gemp_row_store_add(&store, &(gemp_batch){
					.rows = 1, .vertex_count = VERTICES, .edge_count = EDGES,
					.vertices = g->row[i].vertices, .edges = g->row[i].edges }, 1);
			}
		GEMP_TRY(gemp_comm_agree(&test_comm, code));
		GEMP_TRY(gemp_pipeline_push(pipeline, &store, g->counted ? times : NULL, round + 1 == ROUNDS, &enough));
	}
	GEMP_CHECK(o->over);
done:
	gemp_pipeline_free(pipeline);
	gemp_row_store_free(&store);
	return code;
}

/* TESTS */

static int compare_lines(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Lines in some order, where none was asked for. Frees nothing. */
static void sort_lines(gemp_text *text)
{
	size_t count = 0;
	char **lines = calloc(text->size + 1, sizeof *lines), *copy = calloc(text->size + 1, 1);
	for (size_t i = 0, begin = 0; i < text->size; i++)
		if (text->data[i] == '\1') {
			text->data[i] = '\0';
			lines[count++] = text->data + begin;
			begin = i + 1;
		}
	qsort(lines, count, sizeof *lines, compare_lines);
	size_t at = 0;
	for (size_t i = 0; i < count; i++)
		at += (size_t)snprintf(copy + at, text->size + 1 - at, "%s\1", lines[i]);
	memcpy(text->data, copy, at);
	free(copy);
	free(lines);
}

static bool same(gemp_text *expected, gemp_text *found, bool ordered)
{
	if (!ordered && expected->size == found->size && expected->size) {
		sort_lines(expected);
		sort_lines(found);
	}
	bool equal = expected->size == found->size && (expected->size == 0 || memcmp(expected->data, found->data, found->size) == 0);
	if (!equal)
		fprintf(stderr, "expected (%zu):\n%.3000s\nfound (%zu):\n%.3000s\n", expected->size, expected->data ? expected->data : "",
		        found->size, found->data ? found->data : "");
	gemp_text_free(expected);
	gemp_text_free(found);
	return equal;
}

static void check(uint64_t seed, size_t rows)
{
	given *g = give(seed, rows);
	output o;
	assert_all_ok(run(g, &o));
	gemp_text expected = expected_text(g);
	bool ordered = g->pattern->result.order_count || !test_comm.size;
	bool equal = same(&expected, &o.text, ordered);
	if (!equal)
		fprintf(stderr, "seed of the trial: %llu, %zu rows\n", (unsigned long long)seed, rows);
	assert_all(equal);
	give_back(g);
}

static void random_clauses(void **state)
{
	(void)state;
	static const size_t sizes[] = { 0, 1, 7, 60, MOST_ROWS };
	uint64_t seed = test_seed_all();
	for (int trial = 0; trial < TRIALS; trial++)
		check(gemp_random(&seed), sizes[trial % 5]);
	assert_all(gemp_memory_blocks() == 0);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_clauses),
	};
	return test_main_all(argc, argv, tests);
}
