#include "rematch/influence.h"

#include "pattern/rule_columns.h"

#include <string.h>

static bool has(char *const *names, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(names[i], name) == 0)
			return true;
	return false;
}

static bool have_one(char *const *a, size_t count, char *const *b, size_t b_count)
{
	bool some = count == 0 || b_count == 0;
	for (size_t i = 0; i < count && !some; i++)
		some = has(b, b_count, a[i]);
	return some;
}

/* Is a matched edge in this column perhaps of one of the types? */
static bool may_be(const gemp_rule *rule, size_t column, char *const *types, size_t count)
{
	gemp_rule_columns columns;
	gemp_rule_edge e;
	gemp_rule_columns_find(&columns, rule);
	return !gemp_rule_edge_find(&e, rule, &columns, column) ||
	       have_one(e.edge->types, e.edge->type_count, types, count);
}

static bool updates_edges(const gemp_rule *rule, const gemp_update *u, char *const *types, size_t count)
{
	if (u->kind == GEMP_CREATE_EDGE)
		return have_one(u->names, 1, types, count);
	if (u->kind == GEMP_MERGE || (u->kind == GEMP_DELETE && u->detach))
		return true;
	if (!u->element.edge || u->element.created)
		return false;
	return (u->kind == GEMP_SET_TYPE && have_one(u->names, 1, types, count)) ||
	       may_be(rule, u->element.index, types, count);
}

/* What one is asked for. */
typedef enum about { EDGES, LABELS, ATTRIBUTES, VERTICES } about;

static bool is_one(const gemp_rule *rule, const gemp_update *u, about what, char *const *names, size_t count)
{
	bool labels = u->kind == GEMP_ADD_LABELS || u->kind == GEMP_REMOVE_LABELS;
	bool values = u->kind == GEMP_SET_ATTRIBUTE || u->kind == GEMP_REMOVE_ATTRIBUTE;
	switch (what) {
	case EDGES:
		return updates_edges(rule, u, names, count);
	case LABELS:
		return labels && !u->element.created && have_one(u->names, u->name_count, names, count);
	case ATTRIBUTES:
		return values && !u->element.created && !u->element.edge && have_one(u->names, 1, names, count);
	case VERTICES:
		return u->kind == GEMP_CREATE_VERTEX;
	}
	return true;
}

static bool some(const gemp_influence *influence, about what, char *const *names, size_t count)
{
	for (size_t r = 0; r < influence->rules->count; r++) {
		const gemp_rule *rule = &influence->rules->rules[r];
		for (size_t i = 0; i < rule->update_count && (!influence->applied || influence->applied[r]); i++)
			if (is_one(rule, &rule->updates[i], what, names, count))
				return true;
	}
	return false;
}

bool gemp_influences_edges(const gemp_influence *influence, char *const *types, size_t count)
{
	return some(influence, EDGES, types, count);
}

bool gemp_influences_label(const gemp_influence *influence, const char *name)
{
	return some(influence, LABELS, (char *const[]){ (char *)name }, 1);
}

bool gemp_influences_attribute(const gemp_influence *influence, const char *name)
{
	return some(influence, ATTRIBUTES, (char *const[]){ (char *)name }, 1);
}

bool gemp_influences_vertices(const gemp_influence *influence)
{
	return some(influence, VERTICES, NULL, 0);
}
