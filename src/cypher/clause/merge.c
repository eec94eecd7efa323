/* MERGE. Rows with the same bound nodes and equal properties form a class: one row of a class creates what the others
 * find. The pattern is searched once for the different bound nodes of all rows, without the properties that differ
 * between rows; a hash table of classes then gives each row its matches. So a million rows need one search.
 *
 * An element that one row creates or changes may be found by a row of another class only if the pattern has several
 * relationships, or one without direction at a new node, or if ON CREATE or ON MATCH changes what the pattern reads.
 * Then the rows are taken in blocks: a block ends with such a row, and the changes become part of the graph before the
 * rows behind it are searched. */

#include "core/memory.h"
#include "cypher/change/apply.h"
#include "cypher/check/check.h"
#include "cypher/clause/merge_pattern.h"
#include "cypher/clause/row_set.h"
#include "cypher/clause/update.h"

#include <string.h>

typedef struct merge_class {
	size_t row;     /* the first row of the class */
	size_t found;   /* 1 + the first match; 0: none */
	size_t created; /* 1 + the row of `out` that has created the elements; 0: none */
	bool never;     /* a property equals nothing, not even itself (NaN): each row creates */
} merge_class;

typedef struct merge {
	gemp_cypher_engine *engine;
	const gemp_cypher_clause *clause;
	const gemp_cypher_merge_pattern *pattern;
	const gemp_cypher_creator *creator;
	const gemp_cypher_table *in; /* a view of the rows of the block */
	gemp_cypher_table *out;
	gemp_cypher_row_set keys; /* a row for each class: bound nodes, then properties */
	size_t class_capacity;
	merge_class *classes; /* [keys.rows.rows] */
	size_t *class_of;     /* [in->rows] */
	gemp_cypher_table found;
	size_t *next; /* [found.rows] 1 + the next match of the class; 0: none */
	gemp_datum *key;
	gemp_cypher_environment environment; /* of the row that is emitted */
	gemp_arena scratch;
	bool stopped; /* the rows behind need another search */
} merge;

static void merge_free(merge *m)
{
	gemp_cypher_row_set_free(&m->keys);
	gemp_cypher_table_free(&m->found);
	gemp_arena_free(&m->scratch);
	gemp_free_all(m->classes, m->class_of, m->next, m->key, m->environment.row);
}

/* CLASSES */

static void put_bound(const merge *m, const gemp_datum *row, gemp_datum *key)
{
	const gemp_cypher_merge_pattern *p = m->pattern;
	for (size_t i = 0; i < p->bound_count; i++)
		key[i] = row[p->bound[i]];
	if (p->undirected && p->bound_count == 2 && key[0].id > key[1].id) {
		const gemp_datum first = key[0];
		key[0] = key[1];
		key[1] = first;
	}
}

static gemp_code check_bound(const merge *m, const gemp_datum *row)
{
	for (size_t i = 0; i < m->pattern->bound_count; i++) {
		const gemp_datum node = row[m->pattern->bound[i]];
		if (node.kind != GEMP_DATUM_NODE)
			return gemp_source_fail(m->engine->environment.source, m->clause->place.begin,
			                        "MERGE needs nodes at the ends of its relationships; one is of type %s",
			                        gemp_datum_kind_name[node.kind]);
	}
	return GEMP_OK;
}

static gemp_code read_key(merge *m, const gemp_cypher_environment *environment, bool *never)
{
	const gemp_cypher_merge_pattern *p = m->pattern;
	GEMP_TRY(check_bound(m, environment->row));
	put_bound(m, environment->row, m->key);
	*never = false;
	for (size_t i = 0; i < p->property_count; i++) {
		gemp_datum *value = &m->key[p->bound_count + i];
		const gemp_cypher_expr *expr = p->properties[i].value;
		GEMP_TRY(gemp_cypher_evaluate(environment, expr, value));
		if (gemp_datum_is_null(*value))
			return gemp_cypher_fail(
				environment, expr, "MERGE cannot search for NULL, which equals nothing; the property '%s' is NULL here",
				p->properties[i].name);
		*never |= gemp_datum_equal(*value, *value) != GEMP_IS_TRUE;
	}
	return GEMP_OK;
}

static gemp_code add_class(merge *m, size_t row, bool never)
{
	bool added;
	GEMP_TRY(gemp_cypher_row_set_add(&m->keys, m->key, 0, &m->class_of[row], &added));
	if (!added)
		return GEMP_OK;
	GEMP_TRY(GEMP_RESERVE(m->classes, m->class_capacity, m->keys.rows.rows));
	m->classes[m->class_of[row]] = (merge_class){ .row = row, .never = never };
	return GEMP_OK;
}

static gemp_code find_classes(merge *m)
{
	GEMP_OWNED_BY(gemp_cypher_cursor_close) gemp_cypher_cursor cursor = { 0 };
	const gemp_cypher_table *in = m->in;
	GEMP_TRY(gemp_cypher_cursor_open(&cursor, m->engine, in, NULL, (size_t)gemp_cypher_clause_slots(m->clause), NULL));
	for (size_t i = 0; i < m->pattern->property_count; i++)
		GEMP_TRY(gemp_cypher_cursor_expect(&cursor, m->pattern->properties[i].value));
	for (size_t begin = 0, end; begin < in->rows; begin = end) {
		end = gemp_cypher_block_end(begin, in->rows);
		GEMP_TRY(gemp_cypher_engine_check(m->engine, "merging", begin));
		GEMP_TRY(gemp_cypher_cursor_block(&cursor, begin, end));
		for (size_t r = begin; r < end; r++) {
			bool never;
			gemp_cypher_cursor_row(&cursor, r);
			GEMP_TRY(read_key(m, &cursor.environment, &never));
			GEMP_TRY(add_class(m, r, never));
		}
	}
	return GEMP_OK;
}

/* MATCHES */

/* One row for each different tuple of bound nodes. */
static gemp_code list_tuples(const merge *m, gemp_cypher_table *tuples)
{
	GEMP_OWNED_BY(gemp_cypher_row_set_free) gemp_cypher_row_set distinct = { 0 };
	distinct.rows.width = m->pattern->bound_count;
	tuples->width = m->in->width;
	for (size_t c = 0; c < m->keys.rows.rows; c++) {
		gemp_datum *cells;
		size_t index;
		bool added;
		GEMP_TRY(gemp_cypher_row_set_add(&distinct, gemp_cypher_table_row(&m->keys.rows, c), 0, &index, &added));
		if (!added)
			continue;
		GEMP_TRY(gemp_cypher_table_add(tuples, &cells));
		if (tuples->width)
			memcpy(cells, gemp_cypher_table_row(m->in, m->classes[c].row), tuples->width * sizeof *cells);
	}
	return GEMP_OK;
}

static gemp_code search(merge *m)
{
	GEMP_OWNED_BY(gemp_cypher_table_free) gemp_cypher_table tuples = { 0 };
	GEMP_OWNED_BY(gemp_arena_free) gemp_arena scratch = { 0 };
	gemp_cypher_environment environment = m->engine->environment;
	GEMP_TRY(list_tuples(m, &tuples));
	m->found.width = (size_t)m->clause->width_out;
	m->found.with_origin = true;
	environment.arena = &scratch;
	environment.slots = (size_t)gemp_cypher_clause_slots(m->clause);
	if (tuples.rows)
		GEMP_TRY(
			m->engine->match(m->engine->search, m->clause->pattern, NULL, false, &environment, &tuples, &m->found));
	return m->engine->load ? m->engine->load(m->engine->search, &m->found) : GEMP_OK;
}

/* The properties that the elements of a row have now. */
static gemp_code read_properties(merge *m, const gemp_datum *row, gemp_datum *values)
{
	const gemp_cypher_graph *graph = m->engine->environment.graph;
	for (size_t i = 0; i < m->pattern->property_count; i++) {
		const gemp_cypher_merge_property *property = &m->pattern->properties[i];
		GEMP_TRY(graph->property(graph->self, row[property->slot], property->name, &m->scratch, &values[i]));
	}
	return GEMP_OK;
}

/* The matches of a class are a list in the order of the search. */
static gemp_code list_matches(merge *m)
{
	GEMP_TRY(GEMP_NEW(m->next, m->found.rows));
	for (size_t f = m->found.rows; f-- > 0;) {
		const gemp_datum *row = gemp_cypher_table_row(&m->found, f);
		size_t class;
		gemp_arena_reset(&m->scratch);
		put_bound(m, row, m->key);
		GEMP_TRY(read_properties(m, row, m->key + m->pattern->bound_count));
		if (!gemp_cypher_row_set_find(&m->keys, m->key, 0, &class) || m->classes[class].never)
			continue;
		m->next[f] = m->classes[class].found;
		m->classes[class].found = f + 1;
	}
	return GEMP_OK;
}

/* ROWS */

/* ON CREATE or ON MATCH may have changed what other rows search for. */
static gemp_code check_changed(merge *m, const gemp_datum *row, const gemp_datum *key)
{
	const size_t bound = m->pattern->bound_count;
	GEMP_TRY(read_properties(m, row, m->key + bound));
	for (size_t i = 0; i < m->pattern->property_count; i++)
		m->stopped |= gemp_datum_equal(m->key[bound + i], key[bound + i]) != GEMP_IS_TRUE;
	return GEMP_OK;
}

static gemp_code update(merge *m, size_t class, const gemp_datum *cells, bool created)
{
	if (!m->clause->updates)
		return GEMP_OK;
	memcpy(m->environment.row, cells, m->out->width * sizeof *cells);
	GEMP_TRY(gemp_cypher_update_row(m->engine, &m->environment, m->clause->updates, created, !created));
	if (m->pattern->interplay == GEMP_CY_MERGE_FREE)
		return GEMP_OK;
	return check_changed(m, cells, gemp_cypher_table_row(&m->keys.rows, class));
}

static gemp_code add_row(merge *m, size_t r, gemp_datum **cells)
{
	GEMP_TRY(gemp_cypher_table_add(m->out, cells));
	if (m->out->with_origin)
		m->out->origin[m->out->rows - 1] = m->in->origin[r];
	if (m->in->width)
		memcpy(*cells, gemp_cypher_table_row(m->in, r), m->in->width * sizeof **cells);
	return GEMP_OK;
}

static gemp_code create(merge *m, size_t r, size_t class)
{
	gemp_datum *cells;
	GEMP_TRY(add_row(m, r, &cells));
	memcpy(m->environment.row, cells, m->out->width * sizeof *cells);
	GEMP_TRY(gemp_cypher_creator_run(m->creator, &m->environment, &m->out->arena, cells));
	m->classes[class].created = m->out->rows;
	m->stopped |= m->pattern->interplay == GEMP_CY_MERGE_CAREFUL;
	return update(m, class, cells, true);
}

/* The new slots are those behind the slots of `in`. */
static gemp_code take(merge *m, size_t r, size_t class, const gemp_datum *from)
{
	const size_t width = m->in->width;
	gemp_datum *cells;
	GEMP_TRY(add_row(m, r, &cells));
	if (m->out->width > width)
		memcpy(cells + width, from + width, (m->out->width - width) * sizeof *cells);
	return update(m, class, cells, false);
}

static gemp_code emit(merge *m, size_t r)
{
	const size_t class = m->class_of[r], created = m->classes[class].created;
	gemp_arena_reset(&m->scratch);
	for (size_t f = m->classes[class].found; f; f = m->next[f - 1])
		GEMP_TRY(take(m, r, class, gemp_cypher_table_row(&m->found, f - 1)));
	if (m->classes[class].found)
		return GEMP_OK;
	if (!created || m->classes[class].never)
		return create(m, r, class);
	/* the row may move when another is added, so the table has room for it first */
	GEMP_TRY(gemp_cypher_table_reserve(m->out, m->out->rows + 1));
	return take(m, r, class, gemp_cypher_table_row(m->out, created - 1));
}

/* BLOCKS */

/* *done becomes the number of rows that the block has finished. */
static gemp_code merge_block(gemp_cypher_engine *engine, const gemp_cypher_clause *clause,
                             const gemp_cypher_merge_pattern *pattern, const gemp_cypher_creator *creator,
                             const gemp_cypher_table *in, gemp_cypher_table *out, size_t *done)
{
	const size_t slots = (size_t)gemp_cypher_clause_slots(clause),
				 width = pattern->bound_count + pattern->property_count;
	GEMP_OWNED_BY(merge_free)
	merge m = { .engine = engine, .clause = clause, .pattern = pattern, .creator = creator, .in = in, .out = out };
	m.keys.rows.width = width;
	m.keys.copies = true;
	m.environment = engine->environment;
	m.environment.arena = &m.scratch;
	m.environment.slots = slots;
	GEMP_TRY(gemp_new_all(GEMP_ARRAY(m.class_of, in->rows), GEMP_ARRAY(m.key, width + 1),
	                      GEMP_ARRAY(m.environment.row, slots + 1)));
	GEMP_TRY(find_classes(&m));
	GEMP_TRY(search(&m));
	GEMP_TRY(list_matches(&m));
	for (*done = 0; *done < in->rows && !m.stopped; ++*done) {
		if (*done % GEMP_CYPHER_CHECK_ROWS == 0)
			GEMP_TRY(gemp_cypher_engine_check(engine, "merging", out->rows));
		GEMP_TRY(emit(&m, *done));
	}
	gemp_arena_join(&out->arena, &m.found.arena);
	return GEMP_OK;
}

static gemp_cypher_table view_rows(const gemp_cypher_table *in, size_t begin, size_t end)
{
	return (gemp_cypher_table){ .rows = end - begin,
		                        .width = in->width,
		                        .cells = in->width ? gemp_cypher_table_row(in, begin) : NULL,
		                        .with_origin = in->with_origin,
		                        .origin = in->origin ? in->origin + begin : NULL };
}

/* A block that ends early is followed by one of a single row, and each block that does not by one of twice its size, so
 * that neither many rows that create nor many that do not cost a search each for all rows behind them. */
static gemp_code merge_rows(gemp_cypher_engine *engine, const gemp_cypher_clause *clause,
                            const gemp_cypher_merge_pattern *pattern, const gemp_cypher_creator *creator,
                            const gemp_cypher_table *in, gemp_cypher_table *out)
{
	size_t size = pattern->interplay == GEMP_CY_MERGE_CAREFUL ? 1 : in->rows, done = 0;
	for (size_t begin = 0; begin < in->rows; begin += done) {
		const size_t end = in->rows - begin > size ? begin + size : in->rows;
		const gemp_cypher_table view = view_rows(in, begin, end);
		if (begin)
			GEMP_TRY(engine->apply(engine));
		GEMP_TRY(merge_block(engine, clause, pattern, creator, &view, out, &done));
		size = done < view.rows || pattern->single ? 1 : 2 * size;
	}
	return GEMP_OK;
}

gemp_code gemp_cypher_merge(gemp_cypher_engine *engine, const gemp_cypher_clause *clause, gemp_cypher_table *in,
                            gemp_cypher_table *out)
{
	GEMP_OWNED_BY(gemp_cypher_creator_free) gemp_cypher_creator creator = { 0 };
	GEMP_OWNED_BY(gemp_cypher_merge_pattern_free) gemp_cypher_merge_pattern pattern = { 0 };
	gemp_cypher_live_table live = { .table = out, .outer = engine->tables };
	out->width = (size_t)clause->width_out;
	out->with_origin = in->with_origin;
	GEMP_TRY(gemp_cypher_creator_new(&creator, engine, clause->pattern));
	GEMP_TRY(gemp_cypher_merge_pattern_new(&pattern, clause));
	engine->tables = &live;
	const gemp_code code = merge_rows(engine, clause, &pattern, &creator, in, out);
	engine->tables = live.outer;
	GEMP_TRY(code);
	gemp_arena_join(&out->arena, &in->arena);
	return GEMP_OK;
}
