/* The parts of the syntax tree beyond expressions: paths, edges, rules, control. The second half words the messages on
 * unexpected tokens: tables of unsupported words of openCypher come before the list of tokens that the grammar expects.
 */

#include "pattern/syntax/scan.h"
#include "pattern/syntax/syntax_tree.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* PATHS AND CLAUSES. */

/* The edge is added together with the vertex that follows it. */
void gemp_ast_add_edge(gemp_ast_path *path, gemp_ast_edge *edge, gemp_ast_node *to)
{
	edge->to = to;
	GEMP_LIST_APPEND(path->first, path->last, edge);
}

/* Labels and map become one conjunction of conditions, like conditions of WHERE. */
gemp_ast_node *gemp_ast_new_node(gemp_ast *q, gemp_ast_word variable, gemp_ast_expr *labels, gemp_ast_expr *map,
                                 gemp_ast_place place)
{
	gemp_ast_expr *conditions = labels ? labels : map;
	if (labels && map)
		conditions = gemp_ast_join(q, GEMP_AND, labels, map, place);
	return GEMP_AST_NODE(q, gemp_ast_node, .place = place, .variable = variable, .conditions = conditions);
}

/* The grammar rule that has read both sides of the bracket adds the arrow heads. */
gemp_ast_edge *gemp_ast_new_edge(gemp_ast *q, gemp_ast_word variable, gemp_ast_expr *types, gemp_ast_expr *map)
{
	return GEMP_AST_NODE(q, gemp_ast_edge, .variable = variable, .types = types, .conditions = map, .min_hops = 1,
	                     .max_hops = 1);
}

/* An edge written with `*`. Bounds are required, since an unbounded search would rarely end on a large graph. */
gemp_ast_edge *gemp_ast_new_hops(gemp_ast *q, gemp_ast_word variable, gemp_ast_expr *types, gemp_ast_hops trail,
                                 gemp_ast_place place)
{
	enum { LONGEST = 32 };
	if (variable.bytes)
		gemp_ast_refuse(q, variable.place.begin,
		                "a name for a path of variable length, which would be a list of edges; "
		                "leave the name out");
	else if (!trail.bounded)
		gemp_ast_fail(q, place.begin,
		              "a path of any length is not supported; give an upper bound, as in *%" PRIu64 "..%" PRIu64
		              " (the greatest is %d)",
		              trail.min_hops, trail.min_hops + 4, LONGEST);
	else if (trail.max_hops > LONGEST)
		gemp_ast_fail(q, place.begin, "the greatest length of a path is %d", LONGEST);
	else if (trail.max_hops == 0 || trail.min_hops > trail.max_hops)
		gemp_ast_fail(q, place.begin, "a path of this length there is not; write *m..n with m <= n and n at least 1");
	gemp_ast_edge *edge = q->code == GEMP_OK ? gemp_ast_new_edge(q, variable, types, NULL) : NULL;
	if (edge) {
		edge->path = true;
		edge->min_hops = (uint32_t)trail.min_hops;
		edge->max_hops = (uint32_t)trail.max_hops;
	}
	return edge;
}

/* An expression `variable.name` or `variable`. */
gemp_ast_expr *gemp_ast_new_access(gemp_ast *q, gemp_expr_kind kind, gemp_ast_word variable, gemp_ast_word name,
                                   gemp_ast_place place)
{
	return GEMP_AST_NODE(q, gemp_ast_expr, .kind = kind, .place = place, .weight = 1, .variable = variable,
	                     .name = name);
}

/* A pattern as an expression: EXISTS { }, COUNT { }, or a path without EXISTS, which is `bare`. */
gemp_ast_expr *gemp_ast_new_pattern(gemp_ast *q, gemp_expr_kind kind, gemp_ast_match *match, bool bare,
                                    gemp_ast_place place)
{
	match->place = place;
	return GEMP_AST_NODE(q, gemp_ast_expr, .kind = kind, .place = place, .weight = 1, .match = match, .bare = bare);
}

/* The word is unexpected in the language of one search and in rules. A chain of clauses has it in any place. */
void gemp_ast_begin_part(gemp_ast *q, gemp_ast_clause clause, gemp_ast_place place)
{
	if (!q->chains && (clause == GEMP_AST_MATCH || q->after_with)) {
		gemp_ast_unexpected(q, place, NULL);
		return;
	}
	q->clause = clause == GEMP_AST_WITH ? GEMP_AST_WITH : GEMP_AST_MATCH;
	q->after_with = clause == GEMP_AST_WITH;
}

void gemp_ast_check_end(gemp_ast *q, size_t at)
{
	if (q->after_with)
		gemp_ast_fail(q, at, "RETURN is missing: after WITH it says what the rows are");
}

/* RULES AND CONTROL. */

/* The clauses of the previous rule are reset; its nodes are in q->rules. */
void gemp_ast_begin_rule(gemp_ast *q)
{
	q->clause = GEMP_AST_MATCH;
	q->after_with = q->updating = false;
	q->parts = q->last_part = NULL;
	q->updates = q->last_update = NULL;
}

/* The clauses read since gemp_ast_begin_rule become those of the rule. */
void gemp_ast_end_rule(gemp_ast *q, gemp_ast_word name, gemp_ast_match *match)
{
	gemp_ast_rule *rule = GEMP_AST_NODE(q, gemp_ast_rule, .name = name, .match = match, .parts = q->parts,
	                                    .updates = q->updates);
	if (rule)
		GEMP_LIST_APPEND(q->rules, q->last_rule, rule);
}

/* The update is appended at once; the grammar fills in its operands afterwards. */
gemp_ast_update *gemp_ast_new_update(gemp_ast *q, gemp_update_kind kind, gemp_ast_word variable, gemp_ast_place place)
{
	gemp_ast_update *update = GEMP_AST_NODE(q, gemp_ast_update, .kind = kind, .variable = variable, .place = place);
	if (update)
		GEMP_LIST_APPEND(q->updates, q->last_update, update);
	return update;
}

/* The child may be NULL: a rule has none. */
gemp_ast_control *gemp_ast_new_control(gemp_ast *q, gemp_control_kind kind, gemp_ast_control *child,
                                       gemp_ast_place place)
{
	return GEMP_AST_NODE(q, gemp_ast_control, .kind = kind, .place = place, .first = child, .last = child);
}

/* Appends to a chain of the same kind instead of nesting it. */
gemp_ast_control *gemp_ast_join_control(gemp_ast *q, gemp_control_kind kind, gemp_ast_control *left,
                                        gemp_ast_control *right, gemp_ast_place place)
{
	if (!left)
		return right;
	if (left->kind != kind)
		left = gemp_ast_new_control(q, kind, left, place);
	if (left)
		GEMP_LIST_APPEND(left->first, left->last, right);
	return left;
}

/* True if the control applies to every graph. Repeating such a control never ends. */
static bool always_applies(const gemp_ast_control *control)
{
	bool any = false, all = true;
	for (const gemp_ast_control *child = control->first; child; child = child->next) {
		bool one = always_applies(child);
		any = any || one;
		all = all && one;
	}
	switch (control->kind) {
	case GEMP_RUN_RULE: return false;
	case GEMP_RUN_CHOICE: return any;
	case GEMP_RUN_SEQUENCE:
	case GEMP_RUN_TIMES: return all;
	default: return true;
	}
}

/* times 0: repeat until it does not apply. */
gemp_ast_control *gemp_ast_repeat(gemp_ast *q, gemp_ast_control *child, uint64_t times, gemp_ast_place place)
{
	if (times == 0 && always_applies(child)) {
		gemp_ast_fail(q, place.begin,
		              "this never ends: * repeats what applies, and TRY and * within it always do; write {n} "
		              "for this *, or leave it out");
		return NULL;
	}
	gemp_ast_control *repeat = gemp_ast_new_control(q, times ? GEMP_RUN_TIMES : GEMP_RUN_REPEAT, child, place);
	if (repeat)
		repeat->times = times;
	return repeat;
}

/* The RUN lines of a file form one sequence. */
void gemp_ast_run(gemp_ast *q, gemp_ast_control *sequence, uint64_t limit, gemp_ast_place place)
{
	if (!q->run)
		q->run = gemp_ast_new_control(q, GEMP_RUN_SEQUENCE, NULL, place);
	sequence->limit = limit;
	if (q->run)
		GEMP_LIST_APPEND(q->run->first, q->run->last, sequence);
}

/* A word takes no more bytes than its text between the quotes. */
gemp_ast_word gemp_ast_unquote(gemp_ast *q, const char *bytes, size_t size, gemp_ast_place place)
{
	gemp_ast_word word = { .bytes = gemp_ast_alloc(q, size + 1), .place = place };
	size_t wrong;
	if (word.bytes && !gemp_scan_unescape(word.bytes, &word.size, bytes, size, &wrong)) {
		gemp_ast_fail(q, place.begin + 1 + wrong, "%s", gemp_scan_escapes);
		return (gemp_ast_word){ 0 };
	}
	return word;
}

/* MESSAGES. A word of openCypher that begins an unsupported construct, and the construct's name for the message. */
typedef struct refusal {
	const char *word, *what;
} refusal;

/* In queries; reserved words are also REFUSED tokens of the grammar. */
static const refusal refused[] = {
	{ "OPTIONAL", "OPTIONAL MATCH here; it stands behind MATCH, before WITH and RETURN" },
	{ "WITH", "WITH here; it stands once, before RETURN" },
	{ "OFFSET", "OFFSET; write SKIP" },
	{ "CREATE", "CREATE; queries only read" },
	{ "MERGE", "MERGE; queries only read" },
	{ "DELETE", "DELETE; queries only read" },
	{ "DETACH", "DETACH DELETE; queries only read" },
	{ "SET", "SET; queries only read" },
	{ "REMOVE", "REMOVE; queries only read" },
	{ "UNWIND", "UNWIND" },
	{ "UNION", "UNION; run both queries" },
	{ "CASE", "CASE" },
	{ "CALL", "CALL" },
	{ "FOREACH", "FOREACH; queries only read" },
	{ "LOAD", "LOAD CSV; the subcommand import reads files" },
	{ "USE", "USE; the graph is an argument of the command" },
	{ "USING", "USING; the plan is chosen by cost" },
	{ "YIELD", "YIELD" },
	{ "FINISH", "FINISH" },
	{ "EXPLAIN", "EXPLAIN; the option --explain prints the plan" },
	{ "PROFILE", "PROFILE; the option --profile measures the run" },
	{ "NULLS", "NULLS FIRST or LAST; NULL is last when ascending" },
};

static const refusal refused_in_rules[] = {
	{ "RETURN", "RETURN in a rule; CREATE, SET, REMOVE, DELETE and MERGE say what becomes of a match" },
	{ "OPTIONAL", "OPTIONAL MATCH here; it stands behind MATCH, before WITH and the updates" },
	{ "WITH", "WITH here; it stands once, behind MATCH and before the updates" },
	{ "ORDER", "ORDER BY here; it stands in WITH" },
	{ "SKIP", "SKIP here; it stands in WITH" },
	{ "LIMIT", "LIMIT here; it stands in WITH, and behind RUN as the most steps" },
	{ "OFFSET", "OFFSET; write SKIP" },
	{ "ON", "ON CREATE and ON MATCH; write a rule for either" },
	{ "UNWIND", "UNWIND" },
	{ "UNION", "UNION; write a rule for each part" },
	{ "CASE", "CASE; write a rule for each case" },
	{ "CALL", "CALL; RUN says which rules are applied" },
	{ "FOREACH", "FOREACH; a rule is applied to each of its matches" },
};

/* Words of the language are compared without regard to case. */
static bool is_word(const char *token, size_t size, const char *word)
{
	return strlen(word) == size && strncasecmp(token, word, size) == 0;
}

/* Returns the message for a word. Its position decides for some words, the tables above for the others. */
static const char *refused_word(const gemp_ast *q, const char *word, size_t size)
{
	const refusal *table = q->is_rules ? refused_in_rules : refused;
	size_t count = q->is_rules ? sizeof refused_in_rules / sizeof *table : sizeof refused / sizeof *table;
	if (is_word(word, size, "MATCH"))
		return q->updating     ? "MATCH behind updates; write another rule"
		       : q->after_with ? "MATCH behind WITH"
		                       : "a second MATCH; join the paths by commas";
	if (is_word(word, size, "WHERE") && q->updating)
		return "WHERE behind updates; write it behind MATCH or WITH";
	if (is_word(word, size, "SKIP") && !q->is_rules && q->clause == GEMP_AST_LIMIT)
		return "SKIP behind LIMIT; write it before LIMIT";
	if (is_word(word, size, "ORDER") && !q->is_rules && q->clause == GEMP_AST_LIMIT)
		return "ORDER BY behind SKIP or LIMIT; write it before them";
	for (size_t i = 0; i < count; i++)
		if (is_word(word, size, table[i].word))
			return table[i].what;
	return NULL;
}

/* Returns the last character before `at` that is not a space, or 0. */
static char previous_char(const gemp_ast *q, size_t at)
{
	while (at > 0 && strchr(" \t\r\n", q->source.text[at - 1]))
		at--;
	return at > 0 ? q->source.text[at - 1] : '\0';
}

/* True if an arrow or `()` stands where an expression is expected. */
static bool is_pattern(const gemp_ast *q, gemp_ast_place place)
{
	char token = q->source.text[place.begin], next = *gemp_scan_space(q->source.text + place.end);
	char last = previous_char(q, place.begin);
	return (token == '-' && strchr("->[", next)) || (strchr("-[", token) && last == '-') ||
	       (token == ')' && last == '(') || (token == '-' && last == '<');
}

/* Returns the construct of openCypher that a token of punctuation would begin here, or NULL if there is none. */
static const char *punctuation(const gemp_ast *q, gemp_ast_place place)
{
	const char *token = q->source.text + place.begin;
	size_t size = place.end - place.begin;
	if (size == 2)
		return strncmp(token, "..", 2) == 0 && q->clause != GEMP_AST_MATCH ? "a range (..)" : NULL;
	if (size != 1 || q->clause == GEMP_AST_RUN)
		return NULL;
	if (*token == '!' || (*token == '%' && previous_char(q, place.begin) == ':'))
		return "an expression over labels with ! or %; NOT a:Label stands in WHERE";
	if (*token == '$' && q->clause == GEMP_AST_MATCH)
		return "a parameter instead of a map, a label or a type; parameters are values";
	if (q->clause == GEMP_AST_MATCH)
		return strchr("+*", *token) || (*token == '{' && strchr("->", previous_char(q, place.begin)))
		           ? "a repeated path (+, *, {m,n}); write -[:T*m..n]->"
		           : NULL;
	if (is_pattern(q, place))
		return "this shape of a path in an expression; write EXISTS { } around the path";
	switch (*token) {
	case '{': return "a map";
	case '^': return "a power (^)";
	case '[': return "a list outside of IN, or an index";
	case '.': return "an attribute of anything but a variable";
	case ':': return "a label of anything but a variable";
	case '|': return "a list comprehension";
	default: return NULL;
	}
}

/* Explains reserved words as names, clauses within braces, and unsupported words. Returns false if there is no
 * explanation. */
static bool explain_token(gemp_ast *q, gemp_ast_place place, const char *expected)
{
	const char *token = q->source.text + place.begin, *what;
	size_t size = place.end - place.begin;
	bool word = isalpha((unsigned char)*token);
	char last = previous_char(q, place.begin);
	bool name = q->is_rules && expected && strcmp(expected, "a name") == 0;
	if (word && (name || (q->clause == GEMP_AST_MATCH && strchr("([", last) && last))) {
		gemp_ast_fail(q, place.begin, "'%.*s' is a reserved word; as a name it needs backquotes", (int)size, token);
		return true;
	}
	if (q->nested > 0 && word) {
		static const char *const clauses[] = { "MATCH", "OPTIONAL", "RETURN", "WITH", "ORDER", "SKIP", "LIMIT" };
		for (size_t i = 0; i < sizeof clauses / sizeof *clauses; i++)
			if (is_word(token, size, clauses[i])) {
				gemp_ast_fail(q, place.begin, "%s within braces is not supported; there stand paths and WHERE",
				              clauses[i]);
				return true;
			}
	}
	what = refused_word(q, token, size);
	if (!what)
		what = punctuation(q, place);
	if (what)
		gemp_ast_refuse(q, place.begin, what);
	return what != NULL;
}

/* Returns the message for a text that begins unlike queries and rules, or NULL if another message fits better. */
static const char *missing_beginning(const gemp_ast *q, const char *token, size_t size, const char *expected)
{
	if (!expected)
		return NULL;
	if (strcmp(expected, "RULE or RUN") == 0 && q->clause == GEMP_AST_MATCH)
		return "a text of rules begins with RULE, as in RULE name MATCH (a) SET a.x = 1";
	if (refused_word(q, token, size))
		return NULL;
	if (strcmp(expected, "MATCH") == 0 && !q->is_rules)
		return "a query begins with MATCH, as in MATCH (a)-[:KNOWS]->(b) RETURN a, b";
	if (strcmp(expected, "MATCH") == 0)
		return "a rule begins with MATCH behind its name, as in RULE name MATCH (a) SET a.x = 1";
	return NULL;
}

/* Specific explanations come first. If none fits, the message names the token. */
void gemp_ast_unexpected(gemp_ast *q, gemp_ast_place place, const char *expected)
{
	const char *token = q->source.text + place.begin;
	size_t size = place.end - place.begin;
	const char *wanted = expected ? ", expected " : "", *begins = missing_beginning(q, token, size, expected);
	if (begins)
		gemp_ast_fail(q, place.begin, "%s", begins);
	else if (size == 0)
		gemp_ast_fail(q, place.begin, "the %s too early%s%s", q->is_rules ? "rules end" : "query ends", wanted,
		              expected ? expected : "");
	else if (!explain_token(q, place, expected))
		gemp_ast_fail(q, place.begin, "unexpected '%.*s'%s%s", size > 40 ? 40 : (int)size, token, wanted,
		              expected ? expected : "");
}
