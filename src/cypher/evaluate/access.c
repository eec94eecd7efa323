#include "cypher/evaluate/evaluate.h"
#include "cypher/evaluate/parts.h"
#include "cypher/temporal/temporal.h"

static gemp_code fail_kind(const gemp_cypher_environment *environment, const gemp_cypher_expr *expr, const char *what,
                           gemp_datum value)
{
	return gemp_cypher_fail(environment, expr, "%s, but this value is of type %s", what,
	                        gemp_datum_kind_name[value.kind]);
}

/* PROPERTIES */

static gemp_code property_of(const gemp_cypher_environment *environment, const gemp_cypher_expr *expr,
                             gemp_datum subject, const char *name, gemp_datum *out)
{
	const gemp_cypher_graph *graph = environment->graph;
	*out = gemp_datum_null();
	switch (subject.kind) {
	case GEMP_DATUM_NULL: return GEMP_OK;
	case GEMP_DATUM_NODE:
	case GEMP_DATUM_RELATIONSHIP:
		return gemp_cypher_fail_at(environment, expr,
		                           graph->property(graph->self, subject, name, environment->arena, out));
	case GEMP_DATUM_MAP: {
		const gemp_datum *value = gemp_datum_find(subject, name);
		if (value)
			*out = *value;
		return GEMP_OK;
	}
	default: break;
	}
	bool known = false;
	if (gemp_datum_is_temporal(subject))
		GEMP_TRY(gemp_temporal_component(subject, name, environment->arena, out, &known));
	else
		return fail_kind(environment, expr, "only nodes, relationships, maps and temporal values have properties",
		                 subject);
	if (known)
		return GEMP_OK;
	return gemp_cypher_fail(environment, expr, "a value of type %s has no component '%s'",
	                        gemp_datum_kind_name[subject.kind], name);
}

gemp_code gemp_cypher_property(const gemp_cypher_environment *environment, const gemp_cypher_expr *expr,
                               gemp_datum *out)
{
	gemp_datum subject;
	GEMP_TRY(gemp_cypher_evaluate(environment, expr->first, &subject));
	return property_of(environment, expr, subject, expr->name.bytes, out);
}

/* LISTS */

gemp_code gemp_cypher_index(const gemp_cypher_environment *environment, const gemp_cypher_expr *expr, gemp_datum *out)
{
	gemp_datum subject, index;
	GEMP_TRY(gemp_cypher_evaluate(environment, expr->first, &subject));
	GEMP_TRY(gemp_cypher_evaluate(environment, expr->last, &index));
	*out = gemp_datum_null();
	const bool named = subject.kind == GEMP_DATUM_MAP || subject.kind == GEMP_DATUM_NODE ||
	                   subject.kind == GEMP_DATUM_RELATIONSHIP;
	if (!named && subject.kind != GEMP_DATUM_LIST && !gemp_datum_is_null(subject))
		return fail_kind(environment, expr, "[ ] needs a list, a map, a node or a relationship in front", subject);
	if (gemp_datum_is_null(subject) || gemp_datum_is_null(index))
		return GEMP_OK;
	if (named) {
		if (index.kind != GEMP_DATUM_STRING)
			return fail_kind(environment, expr->last, "the name of a property is a string", index);
		return property_of(environment, expr, subject, index.text, out);
	}
	if (index.kind != GEMP_DATUM_INTEGER)
		return fail_kind(environment, expr->last, "an index of a list is an integer", index);
	const int64_t size = subject.size, at = index.integer < 0 ? index.integer + size : index.integer;
	if (at >= 0 && at < size)
		*out = subject.items[at];
	return GEMP_OK;
}

/* A bound of a slice, within [0, size]. *missing: the bound is NULL, and so is the slice. */
static gemp_code slice_bound(const gemp_cypher_environment *environment, const gemp_cypher_expr *expr, int64_t size,
                             int64_t *at, bool *missing)
{
	gemp_datum bound;
	if (expr->kind == GEMP_CY_NONE)
		return GEMP_OK;
	GEMP_TRY(gemp_cypher_evaluate(environment, expr, &bound));
	if (gemp_datum_is_null(bound)) {
		*missing = true;
		return GEMP_OK;
	}
	if (bound.kind != GEMP_DATUM_INTEGER)
		return fail_kind(environment, expr, "a bound of a slice is an integer", bound);
	*at = bound.integer < 0 ? bound.integer + size : bound.integer;
	*at = *at < 0 ? 0 : *at > size ? size : *at;
	return GEMP_OK;
}

/* A slice shares the elements of its list. */
gemp_code gemp_cypher_slice(const gemp_cypher_environment *environment, const gemp_cypher_expr *expr, gemp_datum *out)
{
	gemp_datum list;
	bool missing = false;
	GEMP_TRY(gemp_cypher_evaluate(environment, expr->first, &list));
	*out = gemp_datum_null();
	if (list.kind != GEMP_DATUM_LIST && !gemp_datum_is_null(list))
		return fail_kind(environment, expr, "a slice needs a list in front", list);
	const int64_t size = gemp_datum_is_null(list) ? 0 : list.size;
	int64_t from = 0, to = size;
	GEMP_TRY(slice_bound(environment, expr->first->next, size, &from, &missing));
	GEMP_TRY(slice_bound(environment, expr->last, size, &to, &missing));
	if (missing || gemp_datum_is_null(list))
		return GEMP_OK;
	const size_t count = to > from ? (size_t)(to - from) : 0;
	return gemp_datum_list_of(out, list.items + (count ? from : 0), count);
}

/* LABELS */

static bool holds(gemp_datum strings, gemp_cypher_word word)
{
	for (size_t i = 0; i < strings.size; i++)
		if (strings.items[i].size == word.size && memcmp(strings.items[i].text, word.bytes, word.size) == 0)
			return true;
	return false;
}

/* True if the names have all labels of the list; with `any`, one of them. */
static bool holds_labels(gemp_datum names, const gemp_cypher_label *labels, bool any)
{
	for (const gemp_cypher_label *label = labels; label; label = label->next)
		if ((label->parts ? holds_labels(names, label->parts, label->any) : holds(names, label->name)) == any)
			return any;
	return !any;
}

/* The names are all labels of a node, or the one type of a relationship. */
gemp_code gemp_cypher_has_labels(const gemp_cypher_environment *environment, const gemp_cypher_expr *expr,
                                 gemp_datum *out)
{
	const gemp_cypher_graph *graph = environment->graph;
	gemp_datum subject, type, names = { 0 };
	GEMP_TRY(gemp_cypher_evaluate(environment, expr->first, &subject));
	*out = gemp_datum_null();
	switch (subject.kind) {
	case GEMP_DATUM_NULL: return GEMP_OK;
	case GEMP_DATUM_NODE:
		GEMP_TRY(
			gemp_cypher_fail_at(environment, expr, graph->labels(graph->self, subject.id, environment->arena, &names)));
		break;
	case GEMP_DATUM_RELATIONSHIP:
		GEMP_TRY(graph->type(graph->self, subject.id, environment->arena, &type));
		GEMP_TRY(gemp_datum_list_of(&names, &type, 1));
		break;
	default: return fail_kind(environment, expr, "only nodes and relationships have labels", subject);
	}
	*out = gemp_datum_boolean(holds_labels(names, expr->labels, false));
	return GEMP_OK;
}

/* MAPS */

gemp_code gemp_cypher_map(const gemp_cypher_environment *environment, const gemp_cypher_expr *expr, gemp_datum *out)
{
	gemp_datum_entry *entries;
	size_t count = 0;
	GEMP_TRY(GEMP_ARENA_NEW(environment->arena, entries, expr->count));
	for (const gemp_cypher_expr *entry = expr->first; entry; entry = entry->next, count++) {
		entries[count].key = entry->name.bytes;
		GEMP_TRY(gemp_cypher_evaluate(environment, entry->first, &entries[count].value));
	}
	return gemp_cypher_fail_at(environment, expr, gemp_datum_map(out, environment->arena, entries, count));
}

/* The map of all properties; a map is its own. */
static gemp_code all_properties(const gemp_cypher_environment *environment, gemp_datum subject, gemp_datum *out)
{
	const gemp_cypher_graph *graph = environment->graph;
	*out = subject;
	if (subject.kind == GEMP_DATUM_MAP)
		return GEMP_OK;
	return graph->properties(graph->self, subject, environment->arena, out);
}

gemp_code gemp_cypher_map_projection(const gemp_cypher_environment *environment, const gemp_cypher_expr *expr,
                                     gemp_datum *out)
{
	GEMP_OWNED gemp_datum_entry *entries = NULL;
	size_t count = 0, capacity = 0;
	gemp_datum subject, all;
	GEMP_TRY(gemp_cypher_evaluate(environment, expr->first, &subject));
	*out = gemp_datum_null();
	if (gemp_datum_is_null(subject))
		return GEMP_OK;
	if (subject.kind != GEMP_DATUM_MAP && subject.kind != GEMP_DATUM_NODE && subject.kind != GEMP_DATUM_RELATIONSHIP)
		return fail_kind(environment, expr, "a map projection needs a node, a relationship or a map in front", subject);
	for (const gemp_cypher_expr *part = expr->first->next; part; part = part->next) {
		if (part->kind == GEMP_CY_NONE) {
			GEMP_TRY(all_properties(environment, subject, &all));
			GEMP_TRY(GEMP_RESERVE(entries, capacity, count + all.size));
			if (all.size)
				memcpy(entries + count, all.entries, all.size * sizeof *entries);
			count += all.size;
			continue;
		}
		GEMP_TRY(GEMP_RESERVE(entries, capacity, count + 1));
		entries[count].key = part->name.bytes;
		if (part->kind == GEMP_CY_PROPERTY)
			GEMP_TRY(property_of(environment, part, subject, part->name.bytes, &entries[count].value));
		else
			GEMP_TRY(gemp_cypher_evaluate(environment, part->kind == GEMP_CY_ENTRY ? part->first : part,
			                              &entries[count].value));
		count++;
	}
	return gemp_cypher_fail_at(environment, expr, gemp_datum_map(out, environment->arena, entries, count));
}
