/* rule: rules that rewrite a graph, and the control that applies them. Host only.
 *
 * A file of rules is read into a gemp_rule_set: rules and their control. Each rule has a gemp_pattern, which runs as a
 * query does, and a list of updates for every match. docs/rules.md describes the language.
 *
 * The reader of rules makes the pattern's RETURN; gemp_pattern_bind types its columns. Columns [0, update_columns) are
 * what the updates name: matched vertices (GEMP_VERTEX), matched edges (GEMP_EDGE) and values, each once. Rows that
 * differ in these columns are different matches: pattern->fixed_items says so to gemp_automorphism_find. The columns
 * after these are the other vertices and edges of the match, which give its read set; they distinguish no matches. If
 * WITH has an aggregate or DISTINCT, only the columns of WITH are listed, because a row then stands for many matches.
 *
 * Values are those of the match as it was found, whatever the rule does. An element that OPTIONAL MATCH did not find is
 * missing in its column (UINT64_MAX): an update of it does nothing; it is never an end of a created edge. NULL as a
 * value of GEMP_SET_ATTRIBUTE removes the attribute.
 */

#ifndef GEMP_PATTERN_MODEL_RULE_H
#define GEMP_PATTERN_MODEL_RULE_H

#include "core/memory.h"
#include "pattern/model/pattern.h"
#include "pattern/model/source.h"

/* A vertex or edge that an update refers to. */
typedef struct gemp_rule_element {
	bool created; /* by this rule */
	bool edge;
	size_t index; /* matched: column of the pattern's RETURN; created: among created_vertices or created_edges */
} gemp_rule_element;

typedef enum gemp_update_kind {
	GEMP_CREATE_VERTEX,    /* element, with the labels names[], those of SET included; the attributes follow as
	                          GEMP_SET_ATTRIBUTE */
	GEMP_CREATE_EDGE,      /* element, from -> to, of type names[0]; likewise */
	GEMP_SET_ATTRIBUTE,    /* element.names[0] = value */
	GEMP_REMOVE_ATTRIBUTE, /* element.names[0] */
	GEMP_ADD_LABELS,       /* names[] to a matched vertex */
	GEMP_REMOVE_LABELS,    /* names[] from a matched vertex, where it has them */
	GEMP_SET_TYPE,         /* names[0] of a matched edge: the same edge, with its attributes, in another relation */
	GEMP_DELETE,           /* a matched vertex or edge; detach: also deletes the edges of the vertex; without it the
	                          dangling-edge condition makes the match inapplicable */
	GEMP_MERGE, /* a matched vertex, into the vertex `to`: its edges become edges of `to` (one between the two a
	                          loop), then it is deleted; labels and attributes of `to` stay as they are */
} gemp_update_kind;

typedef struct gemp_update {
	gemp_update_kind kind;
	gemp_rule_element element, from, to;
	bool detach;
	bool constant;      /* the value is `literal`, otherwise a column */
	gemp_value literal; /* a string's bytes are owned; never NULL */
	size_t column;      /* of the pattern's RETURN */
	size_t name_count;
	char **names;    /* sorted, each once; owned */
	int line, place; /* where it stands in the file: line and column, from 1 */
} gemp_update;

typedef struct gemp_rule {
	char *name;            /* owned */
	int line, column;      /* of the name */
	gemp_pattern *pattern; /* owned; pattern->text is the text of the file, pattern->file its name */
	size_t update_columns; /* columns that updates name; the columns behind them are read only */
	/* All vertices and edges of a match are columns, except those in EXISTS, COUNT and paths of variable length. */
	bool has_all_columns;
	size_t created_vertices, created_edges;
	size_t update_count;
	gemp_update *updates; /* as written; an element is created before it is used */
} gemp_rule;

/* Control. A part applies or not:
 * a rule applies if it changed at least one match; a sequence runs its parts in order up to the first that does not
 * apply, and applies if all did; a choice runs them in order up to the first that applies, and applies if one did; `*`
 * runs its part until it does not apply, and always applies itself; `{n}` is a sequence of n; TRY always applies.
 * Nothing is undone. */
typedef enum gemp_control_kind {
	GEMP_RUN_RULE,     /* rule; one */
	GEMP_RUN_SEQUENCE, /* children in order */
	GEMP_RUN_CHOICE,   /* children by priority */
	GEMP_RUN_REPEAT,   /* children[0]* */
	GEMP_RUN_TIMES,    /* children[0]{times} */
	GEMP_RUN_TRY,      /* TRY children[0] */
} gemp_control_kind;

typedef struct gemp_control {
	gemp_control_kind kind;
	int line, column;
	size_t rule;    /* of gemp_rule_set */
	bool one;       /* ONE: a single match; else all that do not conflict, in one step */
	uint64_t times; /* >= 1 */
	uint64_t limit; /* RUN ... LIMIT n: at most n steps (applications of rules) within, and then an error; 0: none */
	size_t count;
	struct gemp_control **children; /* [count]; owned */
} gemp_control;

typedef struct gemp_rule_set {
	char *file, *text; /* owned; file: "rules" if it has no name */
	size_t count;
	gemp_rule *rules;      /* [count], at least one; names differ */
	gemp_control *control; /* a sequence of the RUN lines; no RUN: TRY of every rule, in order; owned */
} gemp_rule_set;

void gemp_rule_set_free(gemp_rule_set *rules); /* takes NULL */
GEMP_RELEASE(gemp_rule_set_free, gemp_rule_set *)

/* For a bound rule: SET to a value that is NULL in every row becomes the removal of the attribute. */
void gemp_rule_drop_nulls(gemp_rule *rule);

/* GEMP_EUSAGE at a place of the file, for errors found after parsing, such as an attribute of another type. The set
 * keeps its text, so that the message shows the line. */
#define gemp_rule_set_fail(rules, line, column, ...) \
	gemp_source_fail_at(&(const gemp_source){ (rules)->file, (rules)->text }, (line), (column), __VA_ARGS__)

/* COLUMNS of a rule's rows. */

#define GEMP_NO_COLUMN SIZE_MAX

/* Maps each vertex and edge of a rule's pattern and its OPTIONAL MATCH to its column of the rows. */
typedef struct gemp_rule_columns {
	size_t vertex[GEMP_MAX_PATTERN_VERTICES]; /* GEMP_NO_COLUMN: in none */
	size_t edge[GEMP_MAX_PATTERN_EDGES];
} gemp_rule_columns;

void gemp_rule_columns_find(gemp_rule_columns *out, const gemp_rule *rule);

/* A matched edge: the pattern's edge, and the columns of its ends, or GEMP_NO_COLUMN. */
typedef struct gemp_rule_edge {
	const gemp_pattern_edge *edge;
	bool optional; /* of OPTIONAL MATCH */
	size_t from, to;
} gemp_rule_edge;

/* The edge in this column; returns false if the column is no edge of the pattern. */
bool gemp_rule_edge_find(gemp_rule_edge *out, const gemp_rule *rule, const gemp_rule_columns *columns, size_t column);

#endif
