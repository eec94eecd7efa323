#include "cypher/clause/merge_pattern.h"

#include "core/memory.h"

#include <string.h>
#include <strings.h>

/* ELEMENTS */

/* A node may be bound by the same pattern before: MERGE (a)-[:T]->(a). */
static bool is_bound(const gemp_cypher_clause *clause, const gemp_cypher_node *node)
{
	return node->slot < clause->pattern->width_in;
}

static gemp_code add_properties(gemp_cypher_merge_pattern *p, int slot, const gemp_cypher_expr *map)
{
	for (const gemp_cypher_expr *entry = map ? map->first : NULL; entry; entry = entry->next) {
		const gemp_cypher_merge_property property = { slot, entry->name.bytes, entry->first };
		GEMP_TRY(GEMP_APPEND(p->properties, p->property_count, &property));
	}
	return GEMP_OK;
}

static gemp_code add_node(gemp_cypher_merge_pattern *p, const gemp_cypher_clause *clause, const gemp_cypher_node *node)
{
	if (is_bound(clause, node))
		GEMP_TRY(GEMP_APPEND(p->bound, p->bound_count, &node->slot));
	return add_properties(p, node->slot, node->made);
}

/* INTERPLAY */

static bool names_property(const gemp_cypher_merge_pattern *p, const char *name)
{
	for (size_t i = 0; i < p->property_count; i++)
		if (strcmp(p->properties[i].name, name) == 0)
			return true;
	return false;
}

static bool has_label(const gemp_cypher_label *labels, const char *name)
{
	for (; labels; labels = labels->next)
		if (strcmp(labels->name.bytes, name) == 0)
			return true;
	return false;
}

static bool names_label(const gemp_cypher_path *path, const gemp_cypher_label *labels)
{
	for (; labels; labels = labels->next) {
		if (has_label(path->from->labels, labels->name.bytes))
			return true;
		for (const gemp_cypher_edge *edge = path->first; edge; edge = edge->next)
			if (has_label(edge->to->labels, labels->name.bytes))
				return true;
	}
	return false;
}

/* True if the update may change the property `name`; of NULL: any property of the pattern. */
static bool changes(const gemp_cypher_merge_pattern *p, const gemp_cypher_update *update, const char *name)
{
	switch (update->kind) {
	case GEMP_CY_SET_PROPERTY:
	case GEMP_CY_REMOVE_PROPERTY:
		return name ? strcmp(update->target->name.bytes, name) == 0 : names_property(p, update->target->name.bytes);
	case GEMP_CY_SET_ALL:
	case GEMP_CY_ADD_ALL: return name || p->property_count;
	default: return false;
	}
}

/* True if the value of an expression may change with the update. */
static bool reads(const gemp_cypher_merge_pattern *p, const gemp_cypher_update *update, const gemp_cypher_expr *expr)
{
	static const char *const readers[] = { "properties", "keys", "labels" };
	if (expr->kind == GEMP_CY_PROPERTY && changes(p, update, expr->name.bytes) && update->kind != GEMP_CY_SET_ALL &&
	    update->kind != GEMP_CY_ADD_ALL)
		return true;
	if (expr->kind == GEMP_CY_INDEX || expr->kind == GEMP_CY_HAS_LABELS || expr->kind == GEMP_CY_MAP_PROJECTION ||
	    expr->pattern || expr->query)
		return true;
	for (size_t i = 0; expr->kind == GEMP_CY_CALL && i < sizeof readers / sizeof *readers; i++)
		if (strcasecmp(expr->name.bytes, readers[i]) == 0)
			return true;
	for (const gemp_cypher_expr *child = expr->first; child; child = child->next)
		if (reads(p, update, child))
			return true;
	return false;
}

/* The variable whose element an update changes, or NULL if it is not known. */
static const gemp_cypher_expr *target_of(const gemp_cypher_update *update)
{
	const gemp_cypher_expr *target = update->target;
	if (update->kind == GEMP_CY_SET_PROPERTY || update->kind == GEMP_CY_REMOVE_PROPERTY)
		target = target->first;
	return target->kind == GEMP_CY_VARIABLE ? target : NULL;
}

/* A new element of the pattern can be checked after the update: it has the labels of the pattern already. */
static gemp_cypher_interplay interplay_of(const gemp_cypher_merge_pattern *p, const gemp_cypher_clause *clause,
                                          const gemp_cypher_update *update)
{
	const gemp_cypher_expr *target = target_of(update);
	const bool own = target && target->slot >= clause->pattern->width_in;
	const bool relabels = update->kind == GEMP_CY_SET_LABELS || update->kind == GEMP_CY_REMOVE_LABELS;
	for (size_t i = 0; i < p->property_count; i++)
		if (reads(p, update, p->properties[i].value))
			return GEMP_CY_MERGE_CAREFUL;
	if (relabels)
		return !own && names_label(clause->pattern->first, update->labels) ? GEMP_CY_MERGE_CAREFUL : GEMP_CY_MERGE_FREE;
	if (!changes(p, update, NULL))
		return GEMP_CY_MERGE_FREE;
	return own ? GEMP_CY_MERGE_CHECKED : GEMP_CY_MERGE_CAREFUL;
}

static bool is_used(const gemp_cypher_path *path, const gemp_cypher_edge *until, int slot)
{
	bool used = path->from->slot == slot;
	for (const gemp_cypher_edge *edge = path->first; edge != until; edge = edge->next)
		used |= edge->to->slot == slot;
	return used;
}

/* A path of new nodes whose relationships all have one direction. What a row creates is a component of its own, and the
 * path fits into it in one way only. */
static bool is_component(const gemp_cypher_merge_pattern *p, const gemp_cypher_path *path)
{
	const bool right = path->first->right;
	for (const gemp_cypher_edge *edge = path->first; edge; edge = edge->next)
		if (edge->left == edge->right || edge->right != right || is_used(path, edge, edge->to->slot))
			return false;
	return p->bound_count == 0;
}

static void find_interplay(gemp_cypher_merge_pattern *p, const gemp_cypher_clause *clause)
{
	const gemp_cypher_path *path = clause->pattern->first;
	const gemp_cypher_edge *edge = path->first;
	const bool both = edge && is_bound(clause, path->from) && is_bound(clause, edge->to);
	const bool either = edge && edge->left == edge->right;
	p->undirected = path->edges == 1 && either;
	if ((path->edges > 1 && !is_component(p, path)) || (either && (!both || path->name.bytes)))
		p->interplay = GEMP_CY_MERGE_CAREFUL;
	for (const gemp_cypher_update *update = clause->updates; update; update = update->next) {
		const gemp_cypher_interplay found = interplay_of(p, clause, update);
		p->single |= found == GEMP_CY_MERGE_CAREFUL;
		p->interplay = found > p->interplay ? found : p->interplay;
	}
}

gemp_code gemp_cypher_merge_pattern_new(gemp_cypher_merge_pattern *out, const gemp_cypher_clause *clause)
{
	const gemp_cypher_path *path = clause->pattern->first;
	*out = (gemp_cypher_merge_pattern){ 0 };
	GEMP_TRY(add_node(out, clause, path->from));
	for (const gemp_cypher_edge *edge = path->first; edge; edge = edge->next) {
		GEMP_TRY(add_properties(out, edge->slot, edge->made));
		GEMP_TRY(add_node(out, clause, edge->to));
	}
	find_interplay(out, clause);
	return GEMP_OK;
}

void gemp_cypher_merge_pattern_free(gemp_cypher_merge_pattern *pattern)
{
	gemp_free_all(pattern->bound, pattern->properties);
	*pattern = (gemp_cypher_merge_pattern){ 0 };
}
