/* Updates are read in the order of the text. The list of variables records for each element whether it is created, is
 * deleted or gets an edge. If two updates contradict each other, the error points to the second one. */

#include "pattern/semantic/rule_update.h"

#include "core/memory.h"

#include <string.h>

/* Returns NULL if no update has named the element yet. The list is short. */
static gemp_rule_variable *find_variable(const gemp_rule_build *b, const char *name)
{
	for (gemp_rule_variable *variable = b->variables; variable; variable = variable->next)
		if (strcmp(variable->name, name) == 0)
			return variable;
	return NULL;
}

/* Records an element under its name. An element without a name is not listed. */
static gemp_code rule_add_variable(gemp_rule_build *b, gemp_ast_word word, gemp_rule_element element,
                                   gemp_rule_variable **out)
{
	gemp_rule_variable *variable = gemp_ast_alloc(b->p->q, sizeof *variable);
	if (!variable)
		return GEMP_ENOMEM;
	*variable = (gemp_rule_variable){ .name = word.bytes, .element = element };
	if (word.bytes) {
		variable->next = b->variables;
		b->variables = variable;
	}
	*out = variable;
	return GEMP_OK;
}

/* Finds the column of RETURN that has this value, or makes a column, which takes *expr. */
static gemp_code find_column(gemp_rule_build *b, gemp_expr **expr, gemp_ast_place place, size_t *out)
{
	const gemp_clause *result = &b->rule->pattern->result;
	const char *text = b->p->q->source.text + place.begin;
	for (*out = 0; *out < result->item_count; ++*out)
		if (gemp_expr_compare(result->items[*out].expr, *expr) == 0)
			return GEMP_OK;
	if (result->item_count == GEMP_SEMA_MAX_ITEMS)
		return gemp_sema_fail(b->p, place.begin, "the rule uses more than %d elements and values of its match",
		                      GEMP_SEMA_MAX_ITEMS);
	return gemp_pattern_add_return(b->rule->pattern, expr, text, place.end - place.begin);
}

/* Elements of OPTIONAL MATCH have greater numbers than those of the pattern. An update of a missing element does
 * nothing. */
static bool may_be_missing(const gemp_rule_build *b, const gemp_sema_name *name)
{
	const gemp_pattern *pattern = b->rule->pattern;
	int index = pattern->with ? pattern->with->items[name->index].expr->variable : name->index;
	return index >= (int)(name->sort == GEMP_SEMA_EDGE ? pattern->edge_count : pattern->vertex_count);
}

/* The first update that names an element gives it a column of RETURN. */
static gemp_code add_matched(gemp_rule_build *b, gemp_ast_word word, gemp_rule_variable **out)
{
	const gemp_sema_name *name;
	GEMP_OWNED_BY(gemp_expr_free_at) gemp_expr *expr = NULL;
	gemp_rule_element element = { 0 };
	GEMP_TRY(gemp_sema_resolve(b->p, b->row, word, &name));
	if (name->sort != GEMP_SEMA_VERTEX && name->sort != GEMP_SEMA_EDGE)
		return gemp_sema_fail(b->p, word.place.begin, "'%s' is a value; what a rule changes is a vertex or an edge",
		                      word.bytes);
	element.edge = name->sort == GEMP_SEMA_EDGE;
	GEMP_TRY(gemp_sema_new_expr(b->p, element.edge ? GEMP_EDGE : GEMP_VERTEX, word.place.begin, &expr));
	expr->variable = name->index;
	expr->of_edge = element.edge;
	GEMP_TRY(find_column(b, &expr, word.place, &element.index));
	GEMP_TRY(rule_add_variable(b, word, element, out));
	(*out)->optional = may_be_missing(b, name);
	return GEMP_OK;
}

/* *out becomes the element that an update changes. GEMP_EUSAGE if there is no such element, or if an earlier update
 * deletes it. */
static gemp_code rule_resolve(gemp_rule_build *b, gemp_ast_word word, gemp_rule_variable **out)
{
	*out = find_variable(b, word.bytes);
	if (*out && (*out)->deleted)
		return gemp_sema_fail(b->p, word.place.begin,
		                      "'%s' is gone: an update before this one deletes it or merges it into "
		                      "another; leave this out, or the other",
		                      word.bytes);
	return *out ? GEMP_OK : add_matched(b, word, out);
}

/* Appends an update. *out is valid until the next update is appended. */
static gemp_code rule_add_update(gemp_rule_build *b, gemp_update_kind kind, gemp_rule_element element, size_t at,
                                 gemp_update **out)
{
	gemp_rule *rule = b->rule;
	if (rule->update_count == GEMP_RULE_MAX_UPDATES)
		return gemp_sema_fail(b->p, at, "more than %d updates in a rule", GEMP_RULE_MAX_UPDATES);
	GEMP_TRY(GEMP_RESERVE(rule->updates, b->capacity, rule->update_count + 1));
	gemp_sema_move(b->p, at);
	*out = &rule->updates[rule->update_count++];
	**out = (gemp_update){ .kind = kind, .element = element, .line = b->p->cursor.line, .place = b->p->cursor.column };
	return GEMP_OK;
}

/* The values are those before the rule is applied, when the elements that the rule creates do not exist yet. */
static gemp_code check_value(gemp_rule_build *b, const gemp_ast_expr *expr)
{
	const gemp_rule_variable *made = expr->variable.bytes ? find_variable(b, expr->variable.bytes) : NULL;
	if (made && made->element.created)
		return gemp_sema_fail(b->p, expr->variable.place.begin,
		                      "'%s' is created by this rule, and values are those of the match "
		                      "as it was found; repeat the value itself",
		                      expr->variable.bytes);
	for (const gemp_ast_expr *child = expr->first; child; child = child->next)
		GEMP_TRY(check_value(b, child));
	return GEMP_OK;
}

/* The update stores a literal and takes over its string. NULL removes the attribute. Every other value becomes a column
 * of RETURN. */
static gemp_code add_value(gemp_rule_build *b, gemp_expr **expr, gemp_ast_place place, gemp_update *update)
{
	if ((*expr)->kind != GEMP_LITERAL)
		return find_column(b, expr, place, &update->column);
	if ((*expr)->value.null) {
		update->kind = GEMP_REMOVE_ATTRIBUTE;
		return GEMP_OK;
	}
	update->constant = true;
	update->literal = (*expr)->value;
	if (update->literal.type == GEMP_STRING)
		(*expr)->value = (gemp_value){ .null = true };
	return GEMP_OK;
}

/* `index` is a column for a matched element, and a number among the vertices or edges of CREATE for a created
 * element. */
static bool is_same_element(gemp_rule_element a, gemp_rule_element b)
{
	return a.created == b.created && a.edge == b.edge && a.index == b.index;
}

/* Adds an update of an attribute. A second update of the same attribute is refused, since updates have no order. */
static gemp_code add_attribute(gemp_rule_build *b, gemp_update_kind kind, gemp_rule_element element, gemp_ast_word name,
                               gemp_update **out)
{
	for (size_t i = 0; i < b->rule->update_count; i++) {
		const gemp_update *other = &b->rule->updates[i];
		bool attribute = other->kind == GEMP_SET_ATTRIBUTE || other->kind == GEMP_REMOVE_ATTRIBUTE;
		if (attribute && is_same_element(other->element, element) && strcmp(other->names[0], name.bytes) == 0)
			return gemp_sema_fail(b->p, name.place.begin,
			                      "the attribute '%s' is set or removed twice; a rule gives it one value", name.bytes);
	}
	GEMP_TRY(rule_add_update(b, kind, element, name.place.begin, out));
	return gemp_names_copy(&(*out)->names, &(*out)->name_count, &name.bytes, 1);
}

/* The value is computed from the graph before the rule is applied, so the updates of a rule do not see each other. */
static gemp_code rule_set(gemp_rule_build *b, gemp_rule_element element, gemp_ast_word name, const gemp_ast_expr *value)
{
	gemp_sema_context context = { .scope = b->row,
		                          .no_aggregates = "stands in WITH only; give it a name there, as in "
		                                           "WITH a, count(*) AS n SET a.n = n" };
	GEMP_OWNED_BY(gemp_expr_free_at) gemp_expr *expr = NULL;
	gemp_update *update;
	GEMP_TRY(check_value(b, value));
	GEMP_TRY(gemp_sema_expr(b->p, &context, value, GEMP_SEMA_PLAIN, &expr));
	GEMP_TRY(add_attribute(b, GEMP_SET_ATTRIBUTE, element, name, &update));
	return add_value(b, &expr, value->place, update);
}

/* Adds the names of a conjunction of labels to `list`. Conditions of a map are skipped, since set_attributes turns them
 * into updates of attributes. */
static gemp_code gather_labels(gemp_rule_build *b, const gemp_ast_expr *from, gemp_ast_expr *list)
{
	if (from->kind == GEMP_OR)
		return gemp_sema_fail(b->p, from->place.begin,
		                      "a choice of labels has no meaning here; write all that are meant, as in "
		                      ":A:B");
	if (from->kind == GEMP_HAS_LABEL)
		for (const gemp_ast_expr *name = from->first; name; name = name->next) {
			gemp_ast_expr *copy = gemp_ast_string(
				b->p->q, (gemp_ast_word){ (char *)name->value.string.bytes, name->value.string.size, name->place });
			if (!copy)
				return b->p->q->code;
			gemp_ast_adopt(b->p->q, list, copy);
		}
	for (const gemp_ast_expr *child = from->first; from->kind == GEMP_AND && child; child = child->next)
		GEMP_TRY(gather_labels(b, child, list));
	return GEMP_OK;
}

/* Gives an update the sorted names of `:A:B`. `:A|B` is refused, since it does not say which label is meant. */
static gemp_code rule_labels(gemp_rule_build *b, const gemp_ast_expr *from, gemp_update *update)
{
	gemp_ast_expr *list = gemp_ast_leaf(b->p->q, GEMP_IN, from->place);
	if (!list)
		return GEMP_ENOMEM;
	GEMP_TRY(gather_labels(b, from, list));
	if (list->first)
		GEMP_TRY(gemp_sema_names(list, &update->names, &update->name_count));
	return GEMP_OK;
}

/* REMOVE of a label that CREATE does not give has no effect, as in openCypher. */
static void remove_name(gemp_update *update, const char *name)
{
	size_t kept = 0;
	for (size_t i = 0; i < update->name_count; i++)
		if (strcmp(update->names[i], name) == 0)
			gemp_free(update->names[i]);
		else
			update->names[kept++] = update->names[i];
	update->name_count = kept;
}

static void free_names(gemp_update *update)
{
	gemp_names_free(update->names, update->name_count);
}

/* If the rule creates the vertex, SET and REMOVE change the labels of its CREATE. */
static gemp_code labels_of_created(gemp_rule_build *b, const gemp_ast_update *from, gemp_rule_element element)
{
	GEMP_OWNED_BY(free_names) gemp_update named = { 0 };
	gemp_update *create = b->rule->updates;
	while (create->kind != GEMP_CREATE_VERTEX || !is_same_element(create->element, element))
		create++;
	GEMP_TRY(rule_labels(b, from->labels, &named));
	for (size_t i = 0; i < named.name_count; i++) {
		if (from->kind == GEMP_REMOVE_LABELS) {
			remove_name(create, named.names[i]);
		} else {
			GEMP_TRY(GEMP_APPEND(create->names, create->name_count, &named.names[i]));
			named.names[i] = NULL;
		}
	}
	gemp_sema_sort_names(create->names, &create->name_count);
	return GEMP_OK;
}

/* Adds an update of the labels of a vertex or of the type of an edge. */
static gemp_code update_labels(gemp_rule_build *b, const gemp_ast_update *from, const gemp_rule_variable *variable)
{
	const char *name = from->variable.bytes;
	bool edge = variable->element.edge,
		 one = from->labels->kind == GEMP_HAS_LABEL && from->labels->first == from->labels->last;
	gemp_update *update;
	if (edge && from->kind == GEMP_REMOVE_LABELS)
		return gemp_sema_fail(b->p, from->labels->place.begin,
		                      "an edge always has a type; write SET %s:OTHER, or DELETE %s", name, name);
	if (edge && variable->element.created)
		return gemp_sema_fail(b->p, from->labels->place.begin, "'%s' is created by this rule; write its type in CREATE",
		                      name);
	if (edge && !one)
		return gemp_sema_fail(b->p, from->labels->place.begin, "an edge has one type; write one, as in SET %s:OTHER",
		                      name);
	if (variable->element.created)
		return labels_of_created(b, from, variable->element);
	GEMP_TRY(rule_add_update(b, edge ? GEMP_SET_TYPE : from->kind, variable->element, from->place.begin, &update));
	return rule_labels(b, from->labels, update);
}

/* A rule cannot delete an element to which it gives an edge, since the edge would have no end. */
static gemp_code mark_deleted(gemp_rule_build *b, gemp_ast_word word, const char *what, gemp_rule_variable *variable)
{
	if (variable->element.created)
		return gemp_sema_fail(b->p, word.place.begin,
		                      "'%s' is created by this rule, which cannot %s it too; leave both out", word.bytes, what);
	if (variable->has_edge)
		return gemp_sema_fail(b->p, word.place.begin,
		                      "CREATE or MERGE gives '%s' an edge, so that the rule cannot %s it too", word.bytes,
		                      what);
	variable->deleted = true;
	return GEMP_OK;
}

static gemp_code delete_element(gemp_rule_build *b, const gemp_ast_update *from, gemp_rule_variable *variable)
{
	gemp_update *update;
	GEMP_TRY(mark_deleted(b, from->variable, "delete", variable));
	GEMP_TRY(rule_add_update(b, GEMP_DELETE, variable->element, from->place.begin, &update));
	update->detach = from->detach && !variable->element.edge;
	return GEMP_OK;
}

/* MERGE gives `into` the edges of the other vertex, so that the rule cannot delete `into`. */
static gemp_code merge_vertices(gemp_rule_build *b, const gemp_ast_update *from, gemp_rule_variable *variable)
{
	gemp_rule_variable *into;
	gemp_update *update;
	GEMP_TRY(rule_resolve(b, from->into, &into));
	if (variable->element.edge || into->element.edge) {
		gemp_ast_word word = variable->element.edge ? from->variable : from->into;
		return gemp_sema_fail(b->p, word.place.begin, "'%s' is an edge; MERGE joins two vertices", word.bytes);
	}
	if (is_same_element(variable->element, into->element))
		return gemp_sema_fail(b->p, from->into.place.begin, "'%s' cannot be merged into itself; name another vertex",
		                      from->into.bytes);
	if (into->optional)
		return gemp_sema_fail(b->p, from->into.place.begin,
		                      "'%s' may be missing, since OPTIONAL MATCH gave it, and then there "
		                      "is nothing to merge into; match it by MATCH",
		                      from->into.bytes);
	GEMP_TRY(mark_deleted(b, from->variable, "merge", variable));
	into->has_edge = true;
	GEMP_TRY(rule_add_update(b, GEMP_MERGE, variable->element, from->place.begin, &update));
	update->to = into->element;
	return GEMP_OK;
}

/* CREATE makes vertices and edges of paths, and sets their attributes. */

/* A map is a conjunction of equalities. Each equality becomes a SET. */
static gemp_code set_attributes(gemp_rule_build *b, gemp_rule_element element, const gemp_ast_expr *from)
{
	if (from->kind == GEMP_EQ)
		return rule_set(b, element, from->first->name, from->last);
	for (const gemp_ast_expr *child = from->first; from->kind == GEMP_AND && child; child = child->next)
		GEMP_TRY(set_attributes(b, element, child));
	return GEMP_OK;
}

/* Adds labels and `{k: value}` of the element that the last update creates. */
static gemp_code fill_created(gemp_rule_build *b, gemp_rule_element element, const gemp_ast_expr *from)
{
	if (!from)
		return GEMP_OK;
	if (!element.edge)
		GEMP_TRY(rule_labels(b, from, &b->rule->updates[b->rule->update_count - 1]));
	return set_attributes(b, element, from);
}

/* GEMP_CREATE_VERTEX contains the labels. Attributes become updates of their own. */
static gemp_code create_vertex(gemp_rule_build *b, const gemp_ast_node *node, gemp_rule_variable **out)
{
	gemp_rule_element element = { .created = true, .index = b->rule->created_vertices++ };
	gemp_update *update;
	GEMP_TRY(rule_add_update(b, GEMP_CREATE_VERTEX, element, node->place.begin, &update));
	GEMP_TRY(fill_created(b, element, node->conditions));
	return rule_add_variable(b, node->variable, element, out);
}

/* CREATE may give an existing vertex an edge, but no labels or attributes. */
static gemp_code known_vertex(gemp_rule_build *b, const gemp_ast_node *node, bool alone, gemp_rule_variable **out)
{
	const char *name = node->variable.bytes;
	size_t at = node->variable.place.begin;
	GEMP_TRY(rule_resolve(b, node->variable, out));
	const char *origin = (*out)->element.created ? "created" : "matched";
	if ((*out)->element.edge)
		return gemp_sema_fail(b->p, at, "'%s' is an edge already, it cannot be a vertex too", name);
	if (node->conditions)
		return gemp_sema_fail(b->p, at,
		                      "'%s' is %s already, so that CREATE gives it no labels and attributes; write (%s) here, "
		                      "and SET",
		                      name, origin, name);
	if (alone)
		return gemp_sema_fail(b->p, at, "'%s' is %s already, and CREATE (%s) alone makes nothing new; leave it out",
		                      name, origin, name);
	if ((*out)->optional)
		return gemp_sema_fail(b->p, at,
		                      "'%s' may be missing, since OPTIONAL MATCH gave it, and an edge needs both ends; match "
		                      "it by MATCH",
		                      name);
	(*out)->has_edge = true;
	return GEMP_OK;
}

/* A known name refers to the element of that name. Every other node is a new vertex. */
static gemp_code create_node(gemp_rule_build *b, const gemp_ast_node *node, bool alone, gemp_rule_variable **out)
{
	const char *name = node->variable.bytes;
	bool known = name && (find_variable(b, name) || gemp_sema_find(b->row, name));
	return known ? known_vertex(b, node, alone, out) : create_vertex(b, node, out);
}

/* A created edge needs one type, one direction and a new name. */
static gemp_code check_edge(gemp_rule_build *b, const gemp_ast_edge *edge)
{
	const char *name = edge->variable.bytes;
	if (name && (find_variable(b, name) || gemp_sema_find(b->row, name)))
		return gemp_sema_fail(b->p, edge->variable.place.begin,
		                      "'%s' is there already; an edge that is created needs a name of "
		                      "its own, or none",
		                      name);
	if (edge->path)
		return gemp_sema_fail(b->p, edge->place.begin,
		                      "CREATE makes single edges; a path of variable length has no meaning "
		                      "here");
	if (edge->left == edge->right)
		return gemp_sema_fail(b->p, edge->place.begin, "an edge that is created has one direction; write --> or <--");
	if (!edge->types || edge->types->first != edge->types->last)
		return gemp_sema_fail(b->p, edge->types ? edge->types->place.begin : edge->place.begin,
		                      "an edge that is created has one "
		                      "type; write it as in -[:KNOWS]->");
	return GEMP_OK;
}

/* The edge refers to its ends by element, so each end may be matched or created. */
static gemp_code create_edge(gemp_rule_build *b, const gemp_ast_edge *edge, const gemp_rule_variable *from,
                             const gemp_rule_variable *to)
{
	gemp_rule_element element = { .created = true, .edge = true, .index = b->rule->created_edges++ };
	gemp_update *update;
	gemp_rule_variable *made;
	GEMP_TRY(rule_add_update(b, GEMP_CREATE_EDGE, element, edge->place.begin, &update));
	update->from = edge->left ? to->element : from->element;
	update->to = edge->left ? from->element : to->element;
	GEMP_TRY(rule_labels(b, edge->types, update));
	GEMP_TRY(fill_created(b, element, edge->conditions));
	return rule_add_variable(b, edge->variable, element, &made);
}

/* Creates vertices and edges from left to right, so that an edge is created after both of its ends. */
static gemp_code create_path(gemp_rule_build *b, const gemp_ast_path *path)
{
	gemp_rule_variable *from, *to;
	GEMP_TRY(create_node(b, path->from, !path->first, &from));
	for (const gemp_ast_edge *edge = path->first; edge; edge = edge->next) {
		GEMP_TRY(check_edge(b, edge));
		GEMP_TRY(create_node(b, edge->to, false, &to));
		GEMP_TRY(create_edge(b, edge, from, to));
		from = to;
	}
	return GEMP_OK;
}

/* CREATE introduces variables. All other updates name an element that exists. */
static gemp_code add_update(gemp_rule_build *b, const gemp_ast_update *from)
{
	gemp_rule_variable *variable;
	gemp_update *update;
	if (from->kind == GEMP_CREATE_VERTEX) {
		for (const gemp_ast_path *path = from->paths->first; path; path = path->next)
			GEMP_TRY(create_path(b, path));
		return GEMP_OK;
	}
	GEMP_TRY(rule_resolve(b, from->variable, &variable));
	switch (from->kind) {
	case GEMP_SET_ATTRIBUTE: return rule_set(b, variable->element, from->name, from->value);
	case GEMP_REMOVE_ATTRIBUTE: return add_attribute(b, from->kind, variable->element, from->name, &update);
	case GEMP_DELETE: return delete_element(b, from, variable);
	case GEMP_MERGE: return merge_vertices(b, from, variable);
	default: return update_labels(b, from, variable);
	}
}

/* The order of the text matters, since an element must be created before it is used. */
gemp_code gemp_rule_updates(gemp_rule_build *b, const gemp_ast_update *first)
{
	for (; first; first = first->next)
		GEMP_TRY(add_update(b, first));
	return GEMP_OK;
}
