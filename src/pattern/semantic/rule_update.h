/* rule_update: the updates of a rule (CREATE, SET, REMOVE, DELETE, MERGE) from the syntax tree. Internal to
 * src/pattern.
 *
 * Names are resolved to matched or created elements; the first use of a matched element or value makes it a column of
 * the pattern's RETURN. Contradictory updates (two values for one attribute, an update of a deleted vertex) are
 * refused here, so that steps of the transformation need no order among updates.
 */

#ifndef GEMP_PATTERN_SEMANTIC_RULE_UPDATE_H
#define GEMP_PATTERN_SEMANTIC_RULE_UPDATE_H

#include "pattern/semantic/expression.h"

enum { GEMP_RULE_MAX_UPDATES = 1000 };

/* A vertex or edge that updates use: matched or created. */
typedef struct gemp_rule_variable {
	const char *name; /* borrowed from the arena of the query */
	gemp_rule_element element;
	bool optional; /* OPTIONAL MATCH gave it: it may be missing */
	bool has_edge; /* gets an edge by CREATE or MERGE */
	bool deleted;  /* is deleted, or merged into another */
	struct gemp_rule_variable *next;
} gemp_rule_variable;

typedef struct gemp_rule_build {
	gemp_sema *p;
	gemp_sema_scope *row; /* of the match; behind WITH: of its items */
	gemp_rule *rule;
	gemp_rule_variable *variables; /* in the arena, latest first */
	size_t capacity;               /* of rule->updates */
} gemp_rule_build;

/* All updates in order. */
gemp_code gemp_rule_updates(gemp_rule_build *b, const gemp_ast_update *first);

#endif
