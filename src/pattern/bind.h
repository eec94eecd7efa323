/* bind: what binding names and inferring types share. Internal to src/pattern. */
#ifndef GEMP_PATTERN_BIND_H
#define GEMP_PATTERN_BIND_H

#include "pattern/rule.h"
#include "pattern/source.h"

typedef enum gemp_named { GEMP_A_LABEL, GEMP_A_TYPE, GEMP_AN_ATTRIBUTE, GEMP_AN_EDGE_ATTRIBUTE } gemp_named;

typedef struct gemp_binding {
	gemp_pattern *pattern;
	const gemp_graph *graph;
	gemp_source source;
	bool lenient;
	const gemp_rules *rules; /* names that their updates give may be new to the graph; NULL: none */
	const gemp_clause *with; /* expressions speak of its items; NULL: of the pattern's variables */
} gemp_binding;

/* A whole pattern. */
gemp_code gemp_bind_pattern(gemp_binding *b);
/* Does some update of the rules give this name to something? */
bool gemp_rules_give(const gemp_rules *rules, gemp_named what, const char *name);

/* Names, then types. */
gemp_code gemp_bind_expr(const gemp_binding *b, gemp_expr **slot);
/* Whose type is known: may it stand as a condition? */
gemp_code gemp_bind_condition(const gemp_binding *b, const gemp_expr *expr);
/* The regular expression of =~, if it is a string. */
gemp_code gemp_bind_regex(const gemp_binding *b, gemp_expr *expr);
/* The type of each expression, from its leaves up; what has none is GEMP_EUSAGE with its place. */
gemp_code gemp_bind_types(const gemp_binding *b, gemp_expr *expr);
/* Comparisons of what cannot be equal become what they come to, with a warning. */
gemp_code gemp_bind_fold(const gemp_binding *b, gemp_expr **slot);

#endif
