#include "cypher/check/checker.h"

/* What a pattern may do with variables. */
typedef struct pattern_rules {
	const char *clause; /* "MATCH", for messages */
	bool declares;      /* new variables are allowed */
	bool creates;       /* CREATE or MERGE: elements are made, so relationships have one type */
	bool merges;        /* all elements have slots, since MERGE reads their properties */
	size_t before;      /* variables before the pattern */
} pattern_rules;

static gemp_code fail_conflict(const gemp_checker *checker, gemp_cypher_word name, gemp_cypher_type type,
                               const char *needed)
{
	GEMP_OWNED_BY(gemp_text_free) gemp_text given = { 0 };
	gemp_cypher_kinds_text(type.kinds, &given);
	GEMP_TRY(gemp_text_status(&given));
	return gemp_checker_fail(checker, name.place,
	                         "the variable '%s' has type %s, so it cannot be %s here; use another name", name.bytes,
	                         given.data, needed);
}

static gemp_code fail_new(const gemp_checker *checker, gemp_cypher_word name)
{
	GEMP_TRY(gemp_checker_not_dropped(checker, name));
	return gemp_checker_fail(
		checker, name.place,
		"a pattern in an expression cannot bind '%s'; bind it in MATCH before, leave out the name, or "
		"write EXISTS { MATCH ... }",
		name.bytes);
}

/* CREATE (a) with a bound `a` would make it again. */
static gemp_code check_created_node(const gemp_checker *checker, const gemp_cypher_node *node,
                                    const gemp_cypher_path *path, const char *clause)
{
	if (!node->labels && !node->properties && path->first)
		return GEMP_OK;
	return gemp_checker_fail(
		checker, node->place,
		"the variable '%s' is already bound, so %s cannot make this node; write only (%s), as an end of "
		"a relationship, and set labels and properties with SET",
		node->name.bytes, clause, node->name.bytes);
}

static gemp_code check_created_labels(const gemp_checker *checker, const gemp_cypher_node *node, const char *clause)
{
	for (const gemp_cypher_label *label = node->labels; label; label = label->next)
		if (label->parts)
			return gemp_checker_fail(checker, node->place, "%s takes a list of labels, as in (a:A:B)", clause);
	return GEMP_OK;
}

static gemp_code declare_node(gemp_checker *checker, gemp_cypher_node *node, const gemp_cypher_path *path,
                              const pattern_rules *rules)
{
	node->slot = GEMP_CY_NO_SLOT;
	node->bound = false;
	if (rules->creates)
		GEMP_TRY(check_created_labels(checker, node, rules->clause));
	if (!node->name.bytes) {
		if (path->name.bytes || rules->merges)
			node->slot = gemp_checker_take_slot(checker);
		return GEMP_OK;
	}
	const gemp_cypher_variable *variable = gemp_checker_look_up(checker, node->name);
	if (!variable) {
		if (!rules->declares)
			return fail_new(checker, node->name);
		GEMP_TRY(gemp_checker_not_dropped(checker, node->name));
		return gemp_checker_declare(checker, node->name, gemp_cypher_type_of(GEMP_CY_BIT(NODE)), &node->slot);
	}
	if (!gemp_cypher_type_fits(variable->type, GEMP_CY_BIT(NODE)))
		return fail_conflict(checker, node->name, variable->type, "a node");
	node->slot = variable->slot;
	node->bound = true;
	return rules->creates ? check_created_node(checker, node, path, rules->clause) : GEMP_OK;
}

static gemp_code declare_edge(gemp_checker *checker, gemp_cypher_edge *edge, const gemp_cypher_path *path,
                              const pattern_rules *rules)
{
	const uint32_t kind = edge->variable ? GEMP_CY_BIT(LIST) : GEMP_CY_BIT(RELATIONSHIP);
	edge->slot = GEMP_CY_NO_SLOT;
	edge->bound = false;
	if (!edge->name.bytes) {
		if (path->name.bytes || rules->merges)
			edge->slot = gemp_checker_take_slot(checker);
		return GEMP_OK;
	}
	const gemp_cypher_variable *variable = gemp_checker_look_up(checker, edge->name);
	if (!variable) {
		gemp_cypher_type type = { kind, GEMP_CY_BIT(RELATIONSHIP) };
		if (!rules->declares)
			return fail_new(checker, edge->name);
		GEMP_TRY(gemp_checker_not_dropped(checker, edge->name));
		return gemp_checker_declare(checker, edge->name, type, &edge->slot);
	}
	if (!gemp_cypher_type_fits(variable->type, kind))
		return fail_conflict(checker, edge->name, variable->type,
		                     edge->variable ? "a list of relationships" : "a relationship");
	if ((size_t)(variable - checker->variables) >= rules->before)
		return gemp_checker_fail(
			checker, edge->name.place,
			"the relationship '%s' stands twice in one pattern, where relationships are distinct; use "
			"another name",
			edge->name.bytes);
	if (rules->creates)
		return gemp_checker_fail(checker, edge->name.place, "the variable '%s' is already bound, so %s cannot make it",
		                         edge->name.bytes, rules->clause);
	edge->slot = variable->slot;
	edge->bound = true;
	return GEMP_OK;
}

/* shortestPath and allShortestPaths take (a)-[*]-(b). */
static gemp_code check_shortest(const gemp_checker *checker, const gemp_cypher_path *path)
{
	if (path->kind == GEMP_CY_PATH || path->edges == 1)
		return GEMP_OK;
	return gemp_checker_fail(checker, path->place, "%s needs a pattern of one relationship, such as (a)-[*]-(b)",
	                         path->kind == GEMP_CY_SHORTEST ? "shortestPath" : "allShortestPaths");
}

static gemp_code declare_path(gemp_checker *checker, gemp_cypher_path *path, const pattern_rules *rules)
{
	path->slot = GEMP_CY_NO_SLOT;
	GEMP_TRY(check_shortest(checker, path));
	if (path->name.bytes) {
		if (!rules->declares)
			return fail_new(checker, path->name);
		GEMP_TRY(gemp_checker_must_be_new(checker, path->name, "a path"));
		GEMP_TRY(gemp_checker_declare(checker, path->name, gemp_cypher_type_of(GEMP_CY_BIT(PATH)), &path->slot));
	}
	GEMP_TRY(declare_node(checker, path->from, path, rules));
	for (gemp_cypher_edge *edge = path->first; edge; edge = edge->next) {
		GEMP_TRY(declare_edge(checker, edge, path, rules));
		GEMP_TRY(declare_node(checker, edge->to, path, rules));
	}
	return GEMP_OK;
}

static gemp_code check_properties(gemp_checker *checker, gemp_cypher_expr *properties)
{
	return properties ? gemp_checker_expr(checker, properties, NULL) : GEMP_OK;
}

/* Properties of MATCH may read all variables of the pattern; CREATE and MERGE make elements from earlier variables. */
static gemp_code check_all_properties(gemp_checker *checker, gemp_cypher_pattern *pattern, const pattern_rules *rules)
{
	const size_t hidden_from = checker->hidden_from, hidden_to = checker->hidden_to;
	const char *no_aggregates = checker->no_aggregates;
	if (rules->creates) {
		checker->hidden_from = hidden_to > hidden_from ? hidden_from : rules->before;
		checker->hidden_to = checker->count;
	}
	checker->no_aggregates = "a pattern";
	for (gemp_cypher_path *path = pattern->first; path; path = path->next) {
		GEMP_TRY(check_properties(checker, path->from->properties));
		for (gemp_cypher_edge *edge = path->first; edge; edge = edge->next) {
			GEMP_TRY(check_properties(checker, edge->properties));
			GEMP_TRY(check_properties(checker, edge->to->properties));
		}
	}
	checker->hidden_from = hidden_from;
	checker->hidden_to = hidden_to;
	checker->no_aggregates = no_aggregates;
	return GEMP_OK;
}

static gemp_code check_pattern(gemp_checker *checker, gemp_cypher_pattern *pattern, const pattern_rules *rules)
{
	pattern->width_in = checker->top;
	for (gemp_cypher_path *path = pattern->first; path; path = path->next)
		GEMP_TRY(declare_path(checker, path, rules));
	pattern->width_out = checker->top;
	return check_all_properties(checker, pattern, rules);
}

gemp_code gemp_checker_pattern(gemp_checker *checker, gemp_cypher_pattern *pattern, bool declares)
{
	const pattern_rules rules = { .clause = "MATCH", .declares = declares, .before = checker->count };
	return check_pattern(checker, pattern, &rules);
}

/* A relationship that CREATE or MERGE makes. */
static gemp_code check_created_edge(const gemp_checker *checker, const gemp_cypher_edge *edge, bool merges)
{
	const char *clause = merges ? "MERGE" : "CREATE";
	if (edge->variable)
		return gemp_checker_fail(checker, edge->place,
		                         "%s cannot make a relationship of variable length; leave out `*`", clause);
	if (!edge->types || edge->types->next)
		return gemp_checker_fail(checker, edge->place,
		                         "a relationship in %s needs exactly one type, such as -[:KNOWS]->", clause);
	if (!merges && edge->left == edge->right)
		return gemp_checker_fail(checker, edge->place, "a relationship in CREATE needs one direction: --> or <--");
	return GEMP_OK;
}

/* MERGE searches for constant properties. It compares others itself, for all rows together (clause/merge.c). */
static void divide(gemp_cypher_expr **searched, gemp_cypher_expr **made)
{
	*made = *searched;
	if (*searched && ((*searched)->kind != GEMP_CY_MAP || gemp_datum_is_null((*searched)->value)))
		*searched = NULL;
}

static void divide_properties(gemp_cypher_pattern *pattern)
{
	for (gemp_cypher_path *path = pattern->first; path; path = path->next) {
		divide(&path->from->properties, &path->from->made);
		for (gemp_cypher_edge *edge = path->first; edge; edge = edge->next) {
			divide(&edge->properties, &edge->made);
			divide(&edge->to->properties, &edge->to->made);
		}
	}
}

gemp_code gemp_checker_new_elements(gemp_checker *checker, gemp_cypher_clause *clause)
{
	const bool merges = clause->kind == GEMP_CY_MERGE;
	const pattern_rules rules = { .clause = merges ? "MERGE" : "CREATE",
		                          .declares = true,
		                          .creates = true,
		                          .merges = merges,
		                          .before = checker->count };
	for (gemp_cypher_path *path = clause->pattern->first; path; path = path->next)
		for (gemp_cypher_edge *edge = path->first; edge; edge = edge->next)
			GEMP_TRY(check_created_edge(checker, edge, merges));
	GEMP_TRY(check_pattern(checker, clause->pattern, &rules));
	clause->pattern->creates = true;
	clause->pattern->merges = merges;
	divide_properties(clause->pattern);
	return GEMP_OK;
}
