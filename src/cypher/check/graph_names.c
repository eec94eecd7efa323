#include "cypher/check/graph_names.h"

#include "core/log.h"
#include "core/memory.h"
#include "cypher/function/procedure.h"
#include "cypher/syntax/tree_walk.h"
#include "pattern/bind/unknown_name.h"

#include <string.h>

enum { MAX_NAMES = 512 }; /* variables that are told apart; attributes of later ones are not looked up */

typedef struct name_check {
	const gemp_source *source;
	const gemp_shard *graph;
	bool lenient;
	const char **labels, **types, **vertex_names, **edge_names; /* of the graph; edge_names may repeat */
	size_t edge_name_count;
	/* variables that patterns bind, and those that something else binds */
	const char *nodes[MAX_NAMES], *edges[MAX_NAMES], *values[MAX_NAMES];
	size_t node_count, edge_count, value_count;
	const gemp_cypher_node *labelled[MAX_NAMES]; /* nodes of patterns that have a name and labels */
	size_t labelled_count;
	gemp_cypher_labelled_visitor *visit;
	void *visitor;
	size_t made_count;
	const char **made;    /* [made_count] labels, types and attributes that the query itself makes; may repeat */
	bool made_attributes; /* the query may make any attribute: SET n += $map */
} name_check;

static void free_check(name_check *c)
{
	gemp_free_all(c->labels, c->types, c->vertex_names, c->edge_names, c->made);
}

static bool has(const char *const *names, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(names[i], name) == 0)
			return true;
	return false;
}

/* Reports the name unless names[count] has it. */
static gemp_code need(const name_check *c, gemp_name_kind what, const char *const *names, size_t count,
                      const gemp_cypher_word *word)
{
	gemp_name_place place = { .source = c->source };
	if (has(names, count, word->bytes) || has(c->made, c->made_count, word->bytes))
		return GEMP_OK;
	gemp_source_place(c->source, word->place.begin, &place.line, &place.column);
	return gemp_unknown_name(&place, what, word->bytes, names, count, c->lenient);
}

static gemp_code need_all(const name_check *c, gemp_name_kind what, const char *const *names, size_t count,
                          const gemp_cypher_label *labels)
{
	for (const gemp_cypher_label *label = labels; label; label = label->next)
		GEMP_TRY(label->parts ? need_all(c, what, names, count, label->parts)
		                      : need(c, what, names, count, &label->name));
	return GEMP_OK;
}

static gemp_code need_attribute(const name_check *c, bool edge, const gemp_cypher_word *word)
{
	if (c->made_attributes)
		return GEMP_OK;
	if (edge)
		return need(c, GEMP_NAME_EDGE_ATTRIBUTE, c->edge_names, c->edge_name_count, word);
	return need(c, GEMP_NAME_ATTRIBUTE, c->vertex_names, c->graph->attributes.count, word);
}

static gemp_code need_keys(const name_check *c, bool edge, const gemp_cypher_expr *properties)
{
	if (!properties || properties->kind != GEMP_CY_MAP)
		return GEMP_OK;
	for (const gemp_cypher_expr *entry = properties->first; entry; entry = entry->next)
		GEMP_TRY(need_attribute(c, edge, &entry->name));
	return GEMP_OK;
}

static gemp_code check_node(const name_check *c, const gemp_cypher_node *node)
{
	GEMP_TRY(need_all(c, GEMP_NAME_LABEL, c->labels, c->graph->label_count, node->labels));
	return need_keys(c, false, node->properties);
}

static gemp_code check_pattern(void *self, const gemp_cypher_pattern *pattern, const gemp_cypher_expr *where)
{
	const name_check *c = self;
	(void)where;
	for (const gemp_cypher_path *path = pattern->first; path; path = path->next) {
		GEMP_TRY(check_node(c, path->from));
		for (const gemp_cypher_edge *edge = path->first; edge; edge = edge->next) {
			GEMP_TRY(need_all(c, GEMP_NAME_TYPE, c->types, c->graph->relation_count, edge->types));
			GEMP_TRY(need_keys(c, true, edge->properties));
			GEMP_TRY(check_node(c, edge->to));
		}
	}
	return GEMP_OK;
}

/* n:A tests a label of a node or a type of a relationship. */
static gemp_code check_expr(void *self, const gemp_cypher_expr *expr)
{
	const name_check *c = self;
	const char *subject = expr->first && expr->first->kind == GEMP_CY_VARIABLE ? expr->first->name.bytes : NULL;
	if (!subject || has(c->values, c->value_count, subject))
		return GEMP_OK;
	const bool node = has(c->nodes, c->node_count, subject), edge = has(c->edges, c->edge_count, subject);
	if (expr->kind == GEMP_CY_HAS_LABELS && node && !edge)
		return need_all(c, GEMP_NAME_LABEL, c->labels, c->graph->label_count, expr->labels);
	if (expr->kind == GEMP_CY_HAS_LABELS && edge && !node)
		return need_all(c, GEMP_NAME_TYPE, c->types, c->graph->relation_count, expr->labels);
	return expr->kind == GEMP_CY_PROPERTY && node != edge ? need_attribute(c, edge, &expr->name) : GEMP_OK;
}

/* NAMES THAT THE QUERY MAKES */

static gemp_code make_labels(name_check *c, const gemp_cypher_label *labels)
{
	for (; labels; labels = labels->next)
		if (labels->name.bytes)
			GEMP_TRY(GEMP_APPEND(c->made, c->made_count, &labels->name.bytes));
	return GEMP_OK;
}

/* The keys of a map; any other expression may have any key. */
static gemp_code make_keys(name_check *c, const gemp_cypher_expr *map)
{
	c->made_attributes |= map && map->kind != GEMP_CY_MAP;
	for (const gemp_cypher_expr *entry = map && map->kind == GEMP_CY_MAP ? map->first : NULL; entry;
	     entry = entry->next)
		GEMP_TRY(GEMP_APPEND(c->made, c->made_count, &entry->name.bytes));
	return GEMP_OK;
}

static gemp_code make_pattern(name_check *c, const gemp_cypher_pattern *pattern)
{
	for (const gemp_cypher_path *path = pattern->first; path; path = path->next) {
		GEMP_TRY(make_labels(c, path->from->labels));
		GEMP_TRY(make_keys(c, path->from->made));
		for (const gemp_cypher_edge *edge = path->first; edge; edge = edge->next) {
			GEMP_TRY(make_labels(c, edge->types));
			GEMP_TRY(make_keys(c, edge->made));
			GEMP_TRY(make_labels(c, edge->to->labels));
			GEMP_TRY(make_keys(c, edge->to->made));
		}
	}
	return GEMP_OK;
}

static gemp_code make_names(name_check *c, const gemp_cypher_clause *clause)
{
	if (clause->pattern && clause->pattern->creates)
		GEMP_TRY(make_pattern(c, clause->pattern));
	for (const gemp_cypher_update *update = clause->updates; update; update = update->next) {
		if (update->kind == GEMP_CY_SET_PROPERTY)
			GEMP_TRY(GEMP_APPEND(c->made, c->made_count, &update->target->name.bytes));
		if (update->kind == GEMP_CY_SET_ALL || update->kind == GEMP_CY_ADD_ALL)
			GEMP_TRY(make_keys(c, update->value));
		if (update->kind == GEMP_CY_SET_LABELS)
			GEMP_TRY(make_labels(c, update->labels));
	}
	return GEMP_OK;
}

/* VARIABLES */

static void add_name(const char **names, size_t *count, const gemp_cypher_word *word)
{
	if (word->bytes && *count < MAX_NAMES && !has(names, *count, word->bytes))
		names[(*count)++] = word->bytes;
}

/* A variable of a path with any length is a list. */
static gemp_code collect_pattern(void *self, const gemp_cypher_pattern *pattern, const gemp_cypher_expr *where)
{
	name_check *c = self;
	(void)where;
	for (const gemp_cypher_path *path = pattern->first; path; path = path->next) {
		add_name(c->values, &c->value_count, &path->name);
		add_name(c->nodes, &c->node_count, &path->from->name);
		for (const gemp_cypher_edge *edge = path->first; edge; edge = edge->next) {
			if (edge->variable)
				add_name(c->values, &c->value_count, &edge->name);
			else
				add_name(c->edges, &c->edge_count, &edge->name);
			add_name(c->nodes, &c->node_count, &edge->to->name);
		}
	}
	return GEMP_OK;
}

/* The columns of a procedure are nodes or values. */
static void collect_yields(name_check *c, const gemp_cypher_clause *clause)
{
	for (const gemp_cypher_item *item = clause->yields; item; item = item->next) {
		const gemp_cypher_parameter *columns = gemp_cypher_procedure_find(clause->name.bytes)->columns;
		const size_t at = gemp_cypher_parameter_find(columns, GEMP_CY_MAX_COLUMNS, item->expr->name.bytes);
		if (columns[at].kinds == GEMP_CY_BIT(NODE))
			add_name(c->nodes, &c->node_count, &item->alias);
		else
			add_name(c->values, &c->value_count, &item->alias);
	}
}

static gemp_code collect_clauses(name_check *c, const gemp_cypher_query *query);

/* UNWIND, FOREACH, and columns of WITH that are no variable under their own name. */
static gemp_code collect_clause(name_check *c, const gemp_cypher_clause *clause)
{
	if (clause->kind == GEMP_CY_UNWIND || clause->kind == GEMP_CY_FOREACH)
		add_name(c->values, &c->value_count, &clause->name);
	for (const gemp_cypher_item *item = clause->items; item; item = item->next)
		if (item->alias.bytes &&
		    (item->expr->kind != GEMP_CY_VARIABLE || strcmp(item->expr->name.bytes, item->alias.bytes) != 0))
			add_name(c->values, &c->value_count, &item->alias);
	collect_yields(c, clause);
	GEMP_TRY(make_names(c, clause));
	for (const gemp_cypher_clause *body = clause->body; body; body = body->next)
		GEMP_TRY(collect_clause(c, body));
	return clause->query ? collect_clauses(c, clause->query) : GEMP_OK;
}

static gemp_code collect_clauses(name_check *c, const gemp_cypher_query *query)
{
	for (const gemp_cypher_part *part = query->first; part; part = part->next)
		for (const gemp_cypher_clause *clause = part->first; clause; clause = clause->next)
			GEMP_TRY(collect_clause(c, clause));
	return GEMP_OK;
}

/* Variables of comprehensions, quantifiers, reduce and inner queries. */
static gemp_code collect_expr(void *self, const gemp_cypher_expr *expr)
{
	name_check *c = self;
	const bool binds = expr->kind == GEMP_CY_LIST_COMPREHENSION || expr->kind == GEMP_CY_REDUCE ||
	                   (expr->kind >= GEMP_CY_ALL && expr->kind <= GEMP_CY_NO_ONE);
	if (binds)
		add_name(c->values, &c->value_count, &expr->name);
	if (expr->kind == GEMP_CY_REDUCE)
		add_name(c->values, &c->value_count, &expr->name2);
	return expr->query ? collect_clauses(c, expr->query) : GEMP_OK;
}

/* THE GRAPH'S NAMES */

static gemp_code list_names(name_check *c)
{
	const gemp_shard *graph = c->graph;
	size_t capacity = 0;
	GEMP_TRY(GEMP_NEW(c->labels, graph->label_count));
	GEMP_TRY(GEMP_NEW(c->types, graph->relation_count));
	GEMP_TRY(GEMP_NEW(c->vertex_names, graph->attributes.count));
	for (size_t i = 0; i < graph->label_count; i++)
		c->labels[i] = graph->labels[i];
	for (size_t i = 0; i < graph->attributes.count; i++)
		c->vertex_names[i] = graph->attributes.columns[i].name;
	for (size_t r = 0; r < graph->relation_count; r++) {
		const gemp_table *props = &graph->relations[r].props;
		c->types[r] = graph->relations[r].name;
		GEMP_TRY(GEMP_RESERVE(c->edge_names, capacity, c->edge_name_count + props->count));
		for (size_t i = 0; i < props->count; i++)
			if (!has(c->edge_names, c->edge_name_count, props->columns[i].name))
				c->edge_names[c->edge_name_count++] = props->columns[i].name;
	}
	return GEMP_OK;
}

gemp_code gemp_cypher_check_names(const gemp_cypher_tree *tree, const gemp_shard *graph, bool lenient)
{
	GEMP_OWNED name_check *c = NULL;
	GEMP_TRY(GEMP_NEW(c, 1));
	*c = (name_check){ .source = &tree->source, .graph = graph, .lenient = lenient };
	gemp_code code = collect_clauses(c, tree->query);
	GEMP_THEN(list_names(c));
	GEMP_THEN(gemp_cypher_tree_walk(tree, collect_pattern, collect_expr, c));
	GEMP_THEN(gemp_cypher_tree_walk(tree, check_pattern, check_expr, c));
	free_check(c);
	return code;
}

/* ATTRIBUTES OF LABELLED NODES */

static void collect_labelled(name_check *c, const gemp_cypher_node *node)
{
	if (node->labels && node->name.bytes && c->labelled_count < MAX_NAMES)
		c->labelled[c->labelled_count++] = node;
}

static gemp_code collect_labels(void *self, const gemp_cypher_pattern *pattern, const gemp_cypher_expr *where)
{
	name_check *c = self;
	for (const gemp_cypher_path *path = pattern->first; path; path = path->next) {
		collect_labelled(c, path->from);
		for (const gemp_cypher_edge *edge = path->first; edge; edge = edge->next)
			collect_labelled(c, edge->to);
	}
	return collect_pattern(self, pattern, where);
}

static gemp_code visit_map(const name_check *c, const gemp_cypher_node *node)
{
	const gemp_cypher_expr *map = node->properties;
	for (const gemp_cypher_expr *entry = map && map->kind == GEMP_CY_MAP ? map->first : NULL; entry && node->labels;
	     entry = entry->next)
		GEMP_TRY(c->visit(c->visitor, node->labels, &entry->name));
	return GEMP_OK;
}

static gemp_code visit_maps(void *self, const gemp_cypher_pattern *pattern, const gemp_cypher_expr *where)
{
	(void)where;
	for (const gemp_cypher_path *path = pattern->first; path; path = path->next) {
		GEMP_TRY(visit_map(self, path->from));
		for (const gemp_cypher_edge *edge = path->first; edge; edge = edge->next)
			GEMP_TRY(visit_map(self, edge->to));
	}
	return GEMP_OK;
}

/* A name with labels in several places may be several variables, so nothing is said about it. */
static gemp_code visit_property(void *self, const gemp_cypher_expr *expr)
{
	const name_check *c = self;
	const gemp_cypher_node *found = NULL;
	if (expr->kind != GEMP_CY_PROPERTY || !expr->first || expr->first->kind != GEMP_CY_VARIABLE)
		return GEMP_OK; /* .name in n {.name} has no subject */
	const char *subject = expr->first->name.bytes;
	for (size_t i = 0; i < c->labelled_count; i++)
		if (strcmp(c->labelled[i]->name.bytes, subject) == 0) {
			if (found)
				return GEMP_OK;
			found = c->labelled[i];
		}
	if (!found || has(c->values, c->value_count, subject) || has(c->edges, c->edge_count, subject))
		return GEMP_OK;
	return c->visit(c->visitor, found->labels, &expr->name);
}

gemp_code gemp_cypher_visit_labelled(const gemp_cypher_tree *tree, gemp_cypher_labelled_visitor *visit, void *self)
{
	GEMP_OWNED name_check *c = NULL;
	GEMP_TRY(GEMP_NEW(c, 1));
	c->visit = visit;
	c->visitor = self;
	gemp_code code = collect_clauses(c, tree->query);
	GEMP_THEN(gemp_cypher_tree_walk(tree, collect_labels, collect_expr, c));
	GEMP_THEN(gemp_cypher_tree_walk(tree, visit_maps, visit_property, c));
	free_check(c);
	return code;
}

/* TYPES WITHOUT A COLON */

typedef struct type_check {
	const gemp_source *source;
	const gemp_shard *graph;
} type_check;

static gemp_code warn_pattern(void *self, const gemp_cypher_pattern *pattern, const gemp_cypher_expr *where)
{
	const type_check *c = self;
	int line, column;
	(void)where;
	for (const gemp_cypher_path *path = pattern->first; path; path = path->next)
		for (const gemp_cypher_edge *edge = path->first; edge; edge = edge->next) {
			if (edge->types || !edge->name.bytes || !gemp_shard_relation(c->graph, edge->name.bytes))
				continue;
			gemp_source_place(c->source, edge->name.place.begin, &line, &column);
			gemp_warn(
				"%s:%d:%d: '%s' is a variable here, and also an edge type of the graph; for edges of this type write "
				"-[:%s]-",
				c->source->file ? c->source->file : "query", line, column, edge->name.bytes, edge->name.bytes);
		}
	return GEMP_OK;
}

gemp_code gemp_cypher_warn_of_types(const gemp_cypher_tree *tree, const gemp_shard *graph)
{
	type_check check = { &tree->source, graph };
	return gemp_cypher_tree_patterns(tree, warn_pattern, &check);
}
