/* rule_build: from what the grammar read to rules. Internal to src/pattern. */
#ifndef GEMP_PATTERN_RULE_BUILD_H
#define GEMP_PATTERN_RULE_BUILD_H

#include "pattern/parse.h"
#include "pattern/rule.h"

enum { RULE_MAX_UPDATES = 1000 };

/* A vertex or edge that updates speak of: matched or created. */
typedef struct rule_variable {
	const char *name; /* borrowed from the arena of the query */
	gemp_rule_element element;
	bool optional;    /* OPTIONAL MATCH gave it: it may be missing */
	bool end;         /* has got an edge by CREATE */
	bool gone;        /* is deleted, or merged into another */
	struct rule_variable *next;
} rule_variable;

typedef struct rule_build {
	parse *p;
	parse_scope *row; /* of the match; behind WITH: of its items */
	gemp_rule *rule;
	rule_variable *variables; /* in the arena, latest first */
	size_t capacity;          /* of rule->updates */
} rule_build;

/* NULL: no update has spoken of it yet. */
rule_variable *rule_find(const rule_build *b, const char *name);
/* *out: what an update is about; GEMP_EUSAGE if there is no such vertex or edge, or it is gone. */
gemp_code rule_resolve(rule_build *b, query_word word, rule_variable **out);
/* Of an element just created; word without bytes: it has no name. */
gemp_code rule_add_variable(rule_build *b, query_word word, gemp_rule_element element, rule_variable **out);

/* Appends; *out is valid until the next one. */
gemp_code rule_add_update(rule_build *b, gemp_update_kind kind, gemp_rule_element element, size_t at,
                          gemp_update **out);
/* element.name = value; refuses what is set already. */
gemp_code rule_set(rule_build *b, gemp_rule_element element, query_word name, const query_expr *value);
/* `:A:B` as names of the update, which has none; all of them are meant. */
gemp_code rule_labels(rule_build *b, const query_expr *from, gemp_update *update);

/* rule_create.c: CREATE. */
gemp_code rule_create(rule_build *b, const query_match *paths);
/* rule_update.c: all updates in order. */
gemp_code rule_updates(rule_build *b, const query_update *first);
/* rule_control.c */
gemp_code rule_control(parse *p, gemp_rules *rules);
void rule_free_control(gemp_control *control);

#endif
