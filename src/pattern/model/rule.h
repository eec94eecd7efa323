/* rule: rules that rewrite a graph, and the control that applies them. Host only.
 *
 * A file of rules is read into a gemp_rule_set: rules and their control. Each rule has a gemp_pattern, which is
 * searched for like a query, and a list of updates for every match. docs/rules.md describes the language.
 *
 * The parser makes the pattern's RETURN, and gemp_pattern_bind types its columns. Columns [0, update_columns) are the
 * operands of updates: matched vertices (GEMP_VERTEX), matched edges (GEMP_EDGE) and values, each once. Rows that
 * differ in these columns are different matches; pattern->fixed_items passes this to gemp_automorphism_find. The later
 * columns are the other vertices and edges of the match. They give the match's read set and do not distinguish matches.
 * If WITH has an aggregate or DISTINCT, only the columns of WITH are listed, because a row then stands for many
 * matches.
 *
 * Values are those of the match before the rule changes the graph. An element that OPTIONAL MATCH did not find is
 * missing in its column (UINT64_MAX). An update of a missing element does nothing, and a created edge never has such an
 * element as an end. GEMP_SET_ATTRIBUTE with the value NULL removes the attribute. */

#ifndef GEMP_PATTERN_MODEL_RULE_H
#define GEMP_PATTERN_MODEL_RULE_H

#include "core/memory.h"
#include "pattern/model/pattern.h"
#include "pattern/model/source.h"

/* A vertex or edge that an update refers to. */
typedef struct gemp_rule_element {
	bool created; /* true if this rule creates the element */
	bool edge;
	size_t index; /* matched: column of the pattern's RETURN; created: index among the created vertices or edges */
} gemp_rule_element;

typedef enum gemp_update_kind {
	GEMP_CREATE_VERTEX,    /* element, with the labels names[], those of SET included; the attributes follow as
	                          GEMP_SET_ATTRIBUTE */
	GEMP_CREATE_EDGE,      /* element, from -> to, of type names[0]; the attributes follow as GEMP_SET_ATTRIBUTE */
	GEMP_SET_ATTRIBUTE,    /* element.names[0] = value */
	GEMP_REMOVE_ATTRIBUTE, /* removes element.names[0] */
	GEMP_ADD_LABELS,       /* adds names[] to a matched vertex */
	GEMP_REMOVE_LABELS,    /* removes names[] from a matched vertex */
	GEMP_SET_TYPE,         /* moves a matched edge, with its attributes, to the relation names[0] */
	GEMP_DELETE,           /* a matched vertex or edge; detach: also deletes the edges of the vertex; without it the
	                          dangling-edge condition makes the match inapplicable */
	GEMP_MERGE, /* a matched vertex, into the vertex `to`: its edges become edges of `to` (one between the two a
	                          loop), then it is deleted; labels and attributes of `to` stay as they are */
} gemp_update_kind;

typedef struct gemp_update {
	gemp_update_kind kind;
	gemp_rule_element element, from, to;
	bool detach;
	bool constant;      /* true if the value is `literal`, false if it is a column */
	gemp_value literal; /* a string's bytes are owned; never NULL */
	size_t column;      /* column of the pattern's RETURN */
	size_t name_count;
	char **names;    /* sorted, each once; owned */
	int line, place; /* place in the file: line and column, from 1 */
} gemp_update;

typedef struct gemp_rule {
	char *name;            /* owned */
	int line, column;      /* place of the name */
	gemp_pattern *pattern; /* owned; pattern->text is the text of the file, pattern->file its name */
	size_t update_columns; /* number of columns that updates use; later columns are only read */
	/* All vertices and edges of a match are columns, except those in EXISTS, COUNT and paths of variable length. */
	bool has_all_columns;
	size_t created_vertices, created_edges;
	size_t update_count;
	gemp_update *updates; /* in the order of the text; an element is created before another update uses it */
} gemp_rule;

/* A node of the control tree. Each node applies or does not apply. A rule applies if it changed at least one match. A
 * sequence runs its children in order up to the first child that does not apply, and applies if all children did. A
 * choice runs its children in order up to the first child that applies, and applies if one child did. `*` runs its
 * child until the child does not apply, and always applies itself. `{n}` is a sequence of n runs of its child. TRY
 * always applies. No change is undone. */
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
	size_t rule; /* index in gemp_rule_set */
	/* ONE: a step applies a single match; otherwise a step applies a maximal set of matches without conflicts */
	bool one;
	uint64_t times; /* >= 1 */
	uint64_t limit; /* RUN ... LIMIT n: an error after n steps (applications of rules) within this node; 0: no limit */
	size_t count;
	struct gemp_control **children; /* [count]; owned */
} gemp_control;

typedef struct gemp_rule_set {
	char *file, *text; /* owned; file is "rules" if the text has no file */
	size_t count;
	gemp_rule *rules;      /* [count], at least one; names differ */
	gemp_control *control; /* a sequence of the RUN lines; without RUN lines, TRY of every rule, in order; owned */
} gemp_rule_set;

void gemp_rule_set_free(gemp_rule_set *rules); /* rules may be NULL */
GEMP_RELEASE(gemp_rule_set_free, gemp_rule_set *)

/* For a bound rule. SET to a value that is NULL in every row becomes the removal of the attribute. */
void gemp_rule_drop_nulls(gemp_rule *rule);

/* Returns GEMP_EUSAGE with a place of the file, for errors found after parsing, such as an attribute of another type.
 * The set keeps its text, so that the message can show the line. */
#define gemp_rule_set_fail(rules, line, column, ...) \
	gemp_source_fail_at(&(const gemp_source){ (rules)->file, (rules)->text }, (line), (column), __VA_ARGS__)

/* COLUMNS of a rule's rows. */

#define GEMP_NO_COLUMN SIZE_MAX

/* Maps each vertex and edge of a rule's pattern and its OPTIONAL MATCH to its column of the rows. */
typedef struct gemp_rule_columns {
	size_t vertex[GEMP_MAX_PATTERN_VERTICES]; /* GEMP_NO_COLUMN: the element has no column */
	size_t edge[GEMP_MAX_PATTERN_EDGES];
} gemp_rule_columns;

void gemp_rule_columns_find(gemp_rule_columns *out, const gemp_rule *rule);

/* A matched edge: the pattern's edge, and the columns of its ends. An end without a column has GEMP_NO_COLUMN. */
typedef struct gemp_rule_edge {
	const gemp_pattern_edge *edge;
	bool optional; /* true if the edge belongs to an OPTIONAL MATCH */
	size_t from, to;
} gemp_rule_edge;

/* Finds the edge in this column. Returns false if the column is not an edge of the pattern. */
bool gemp_rule_edge_find(gemp_rule_edge *out, const gemp_rule *rule, const gemp_rule_columns *columns, size_t column);

#endif
