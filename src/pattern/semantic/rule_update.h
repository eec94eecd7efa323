/* rule_update: makes the updates of a rule (CREATE, SET, REMOVE, DELETE, MERGE) from the syntax tree. Internal to
 * src/pattern.
 *
 * Names are resolved to matched or created elements (vertices and edges). The first use of a matched element or of a
 * value makes it a column of the pattern's RETURN. Contradictory updates (two values for one attribute, an update of a
 * deleted vertex) are refused here, so the transformation may apply updates in any order. */

#ifndef GEMP_PATTERN_SEMANTIC_RULE_UPDATE_H
#define GEMP_PATTERN_SEMANTIC_RULE_UPDATE_H

#include "pattern/semantic/expression.h"

enum { GEMP_RULE_MAX_UPDATES = 1000 };

/* A matched or created vertex or edge that updates use. */
typedef struct gemp_rule_variable {
	const char *name; /* borrowed: a word in the arena of the query */
	gemp_rule_element element;
	bool optional; /* the element comes from OPTIONAL MATCH, so it may be missing */
	bool has_edge; /* an update gives the element an edge, by CREATE or MERGE */
	bool deleted;  /* is deleted, or merged into another */
	struct gemp_rule_variable *next;
} gemp_rule_variable;

typedef struct gemp_rule_build {
	gemp_sema *p;
	gemp_sema_scope *row; /* scope of the match, or of the items of WITH */
	gemp_rule *rule;
	gemp_rule_variable *variables; /* linked list in the arena, latest first */
	size_t capacity;               /* capacity of rule->updates */
} gemp_rule_build;

/* Analyses all updates, in the order of the text. */
gemp_code gemp_rule_updates(gemp_rule_build *b, const gemp_ast_update *first);

#endif
