/* What to say of a word that the grammar does not allow where it stands. */
#include "pattern/query.h"

#include <ctype.h>
#include <string.h>

/* Words that begin parts of openCypher which are not there yet, and what to call these parts; reserved ones are also
 * REFUSED tokens of the grammar. */
static const struct { const char *word, *what; } refused[] = {
	{ "XOR", "XOR" },
	{ "OPTIONAL", "OPTIONAL MATCH" },
	{ "WITH", "WITH" },
	{ "ORDER", "ORDER BY" },
	{ "SKIP", "SKIP" },
	{ "OFFSET", "OFFSET" },
	{ "DISTINCT", "DISTINCT; the option --distinct says what counts as one match" },
	{ "EXISTS", "EXISTS" },
	{ "CREATE", "CREATE" },
	{ "MERGE", "MERGE" },
	{ "DELETE", "DELETE" },
	{ "DETACH", "DETACH DELETE" },
	{ "SET", "SET" },
	{ "REMOVE", "REMOVE" },
	{ "UNWIND", "UNWIND" },
	{ "UNION", "UNION" },
	{ "CASE", "CASE" },
	{ "CALL", "CALL" },
	{ "FOREACH", "FOREACH" },
	{ "LOAD", "LOAD CSV" },
	{ "USE", "USE" },
	{ "USING", "USING" },
	{ "YIELD", "YIELD" },
	{ "FINISH", "FINISH" },
	{ "EXPLAIN", "EXPLAIN; the option --explain prints the plan" },
	{ "PROFILE", "PROFILE; the option --profile measures the run" },
	{ "MATCH", "a second MATCH; join the paths by commas" },
};

const char *query_refused_word(const char *word, size_t size)
{
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

static char after(const query *q, size_t at)
{
	return q->source.text[at + strspn(q->source.text + at, " \t\r\n")];
}

/* An arrow, or `()`, where a condition is read. */
static bool is_pattern(const query *q, query_place place)
{
	char token = q->source.text[place.begin], next = after(q, place.end), last = before(q, place.begin);
	return (token == '-' && strchr("->[", next)) || (strchr("-[", token) && last == '-') || (token == ')' && last == '(')
	    || (token == '-' && last == '<');
}

/* How to call what a token of punctuation would begin; NULL: nothing known. */
static const char *punctuation(const query *q, query_place place, bool value_wanted)
{
	const char *token = q->source.text + place.begin;
	size_t size = place.end - place.begin;
	if (size == 2)
		return !strncmp(token, "=~", 2) ? "a regular expression (=~)" : !strncmp(token, "..", 2) ? "a range (..)"
		     : q->clause == QUERY_MATCH || value_wanted ? NULL : "a chain of comparisons; write a < b AND b < c";
	if (size != 1)
		return NULL;
	if (*token == '$')
		return "a parameter ($)";
	if (*token == '!' || (*token == '%' && before(q, place.begin) == ':'))
		return "an expression over labels with ! or %; NOT a:Label stands in WHERE";
	if (q->clause == QUERY_MATCH)
		return strchr("+*", *token) ? "a repeated path (+, *)" : NULL;
	if (is_pattern(q, place))
		return "a path inside of a condition";
	if (*token == '{')
		return "a map";
	if (strchr("+-*/%^", *token))
		return "arithmetic";
	if (strchr("=<>", *token) && !value_wanted)
		return "a chain of comparisons; write a < b AND b < c";
	return *token == '[' ? "a list outside of IN, or an index" : *token == '.' ? "an attribute of an attribute" : NULL;
}

void query_unexpected(query *q, query_place place, const char *expected)
{
	const char *token = q->source.text + place.begin;
	size_t size = place.end - place.begin;
	const char *wanted = expected ? ", expected " : "";
	char last = before(q, place.begin);
	if (expected && strcmp(expected, "MATCH") == 0 && !query_refused_word(token, size)) {
		query_fail(q, place.begin, "a query begins with MATCH, as in MATCH (a)-[:KNOWS]->(b) RETURN a, b");
		return;
	}
	if (size == 0) {
		query_fail(q, place.begin, "the query ends too early%s%s", wanted, expected ? expected : "");
		return;
	}
	if (q->clause == QUERY_MATCH && isalpha((unsigned char)*token) && (last == '(' || last == '[')) {
		query_fail(q, place.begin, "'%.*s' is a reserved word; as a name it needs backquotes", (int)size, token);
		return;
	}
	const char *what = query_refused_word(token, size);
	if (!what)
		what = last == '-' && q->clause != QUERY_MATCH && *token != '-' && *token != '[' 
			? "arithmetic" : punctuation(q, place, expected && strcmp(expected, "a value") == 0);
	if (what)
		query_refuse(q, place.begin, what);
	else
		query_fail(q, place.begin, "unexpected '%.*s'%s%s", size > 40 ? 40 : (int)size, token, wanted,
		           expected ? expected : "");
}
