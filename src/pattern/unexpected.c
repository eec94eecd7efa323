/* What to say of a word that the grammar does not allow where it stands. */
#include "pattern/query.h"

#include <ctype.h>
#include <string.h>

/* Words that begin parts of openCypher which are not there, and what to call these parts; reserved ones are also
 * REFUSED tokens of the grammar. */
static const struct { const char *word, *what; } refused[] = {
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

/* The same in rules. */
static const struct { const char *word, *what; } refused_in_rules[] = {
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

static const char *refused_in_rule(const query *q, const char *word, size_t size)
{
	if (size == 5 && strncasecmp(word, "MATCH", size) == 0)
		return q->updating ? "MATCH behind updates; write another rule" : q->behind ? "MATCH behind WITH"
		                                                               : "a second MATCH; join the paths by commas";
	if (size == 5 && strncasecmp(word, "WHERE", size) == 0 && q->updating)
		return "WHERE behind updates; write it behind MATCH or WITH";
	for (size_t i = 0; i < sizeof refused_in_rules / sizeof *refused_in_rules; i++)
		if (strlen(refused_in_rules[i].word) == size && strncasecmp(word, refused_in_rules[i].word, size) == 0)
			return refused_in_rules[i].what;
	return NULL;
}

/* The same for one word in one place. */
static const char *refused_word(const query *q, const char *word, size_t size)
{
	if (q->ruled)
		return refused_in_rule(q, word, size);
	if (size == 5 && strncasecmp(word, "MATCH", size) == 0)
		return q->behind ? "MATCH behind WITH" : "a second MATCH; join the paths by commas";
	if (size == 4 && strncasecmp(word, "SKIP", size) == 0 && q->clause == QUERY_LIMIT)
		return "SKIP behind LIMIT; write it before LIMIT";
	if (size == 5 && strncasecmp(word, "ORDER", size) == 0 && q->clause == QUERY_LIMIT)
		return "ORDER BY behind SKIP or LIMIT; write it before them";
	for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
		if (strlen(refused[i].word) == size && strncasecmp(word, refused[i].word, size) == 0)
			return refused[i].what;
	return NULL;
}

static char before(const query *q, size_t at)
{
	while (at > 0 && strchr(" \t\r\n", q->source.text[at - 1]))
		at--;
	return at > 0 ? q->source.text[at - 1] : '\0';
}

/* An arrow, or `()`, where an expression is read. */
static bool is_pattern(const query *q, query_place place)
{
	char token = q->source.text[place.begin], next = *query_skip_space(q->source.text + place.end);
	char last = before(q, place.begin);
	return (token == '-' && strchr("->[", next)) || (strchr("-[", token) && last == '-') || (token == ')' && last == '(')
	    || (token == '-' && last == '<');
}

/* How to call what a token of punctuation would begin; NULL: nothing known. */
static const char *punctuation(const query *q, query_place place)
{
	const char *token = q->source.text + place.begin;
	size_t size = place.end - place.begin;
	if (size == 2)
		return strncmp(token, "..", 2) == 0 && q->clause != QUERY_MATCH ? "a range (..)" : NULL;
	if (size != 1 || q->clause == QUERY_RUN)
		return NULL;
	if (*token == '!' || (*token == '%' && before(q, place.begin) == ':'))
		return "an expression over labels with ! or %; NOT a:Label stands in WHERE";
	if (*token == '$' && q->clause == QUERY_MATCH)
		return "a parameter instead of a map, a label or a type; parameters are values";
	if (q->clause == QUERY_MATCH)
		return strchr("+*", *token) || (*token == '{' && strchr("->", before(q, place.begin)))
		     ? "a repeated path (+, *, {m,n}); write -[:T*m..n]->" : NULL;
	if (is_pattern(q, place))
		return "this shape of a path in an expression; write EXISTS { } around the path";
	switch (*token) {
	case '{':
		return "a map";
	case '^':
		return "a power (^)";
	case '[':
		return "a list outside of IN, or an index";
	case '.':
		return "an attribute of anything but a variable";
	case ':':
		return "a label of anything but a variable";
	case '|':
		return "a list comprehension";
	default:
		return NULL;
	}
}

static bool explain(query *q, query_place place, const char *expected)
{
	const char *token = q->source.text + place.begin, *what;
	size_t size = place.end - place.begin;
	bool word = isalpha((unsigned char)*token);
	char last = before(q, place.begin);
	bool name = q->ruled && expected && strcmp(expected, "a name") == 0;
	if (word && (name || (q->clause == QUERY_MATCH && strchr("([", last) && last))) {
		query_fail(q, place.begin, "'%.*s' is a reserved word; as a name it needs backquotes", (int)size, token);
		return true;
	}
	if (q->nested > 0 && word) {
		static const char *const clauses[] = { "MATCH", "OPTIONAL", "RETURN", "WITH", "ORDER", "SKIP", "LIMIT" };
		for (size_t i = 0; i < sizeof clauses / sizeof *clauses; i++)
			if (strlen(clauses[i]) == size && strncasecmp(token, clauses[i], size) == 0) {
				query_fail(q, place.begin, "%s within braces is not supported; there stand paths and WHERE", clauses[i]);
				return true;
			}
	}
	what = refused_word(q, token, size);
	if (!what)
		what = punctuation(q, place);
	if (what)
		query_refuse(q, place.begin, what);
	return what != NULL;
}

/* What rules begin with, where something else stands; NULL: it has its own message. */
static const char *beginning(const query *q, const char *token, size_t size, const char *expected)
{
	if (!expected)
		return NULL;
	if (strcmp(expected, "RULE or RUN") == 0 && q->clause == QUERY_MATCH)
		return "a text of rules begins with RULE, as in RULE name MATCH (a) SET a.x = 1";
	if (refused_word(q, token, size))
		return NULL;
	if (strcmp(expected, "MATCH") == 0 && !q->ruled)
		return "a query begins with MATCH, as in MATCH (a)-[:KNOWS]->(b) RETURN a, b";
	if (strcmp(expected, "MATCH") == 0)
		return "a rule begins with MATCH behind its name, as in RULE name MATCH (a) SET a.x = 1";
	return NULL;
}

void query_unexpected(query *q, query_place place, const char *expected)
{
	const char *token = q->source.text + place.begin;
	size_t size = place.end - place.begin;
	const char *wanted = expected ? ", expected " : "", *begins = beginning(q, token, size, expected);
	if (begins)
		query_fail(q, place.begin, "%s", begins);
	else if (size == 0)
		query_fail(q, place.begin, "the %s too early%s%s", q->ruled ? "rules end" : "query ends", wanted,
		           expected ? expected : "");
	else if (!explain(q, place, expected))
		query_fail(q, place.begin, "unexpected '%.*s'%s%s", size > 40 ? 40 : (int)size, token, wanted,
		           expected ? expected : "");
}
