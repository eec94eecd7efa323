/* Messages on unexpected tokens. Hints about words and signs come before the list of tokens that the grammar
 * expects. */

#include "cypher/syntax/build.h"
#include "pattern/syntax/scan.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

typedef struct hint {
	const char *word, *text;
} hint;

/* Words that stand at a wrong place. */
static const hint misplaced[] = {
	{ "ORDER", "ORDER BY stands behind the items of WITH or RETURN, before SKIP and LIMIT" },
	{ "SKIP", "SKIP stands in WITH or RETURN, behind ORDER BY and before LIMIT" },
	{ "LIMIT", "LIMIT stands in WITH or RETURN, behind ORDER BY and SKIP" },
	{ "WHERE", "WHERE stands behind the paths of MATCH, behind the items of WITH, or behind YIELD" },
	{ "YIELD", "YIELD stands behind a procedure, as in CALL name() YIELD column" },
	{ "OPTIONAL", "OPTIONAL stands before MATCH only" },
	{ "ON", "ON CREATE SET and ON MATCH SET stand behind the path of MERGE" },
};

/* Words of other languages and products. */
static const hint unsupported[] = {
	{ "OFFSET", "OFFSET; write SKIP" },
	{ "LOAD", "LOAD CSV; the subcommand import reads files" },
	{ "USE", "USE; the graph is an argument of the command" },
	{ "USING", "USING; the plan is chosen by cost" },
	{ "FINISH", "FINISH" },
	{ "INSERT", "INSERT; write CREATE" },
	{ "SELECT", "SELECT; write MATCH (a) RETURN a" },
	{ "GROUP", "GROUP BY; the items of RETURN without an aggregate are the groups" },
	{ "HAVING", "HAVING; write WITH ... WHERE" },
	{ "LET", "LET; write WITH *, expression AS name" },
	{ "EXPLAIN", "EXPLAIN; the option --explain prints the plan" },
	{ "PROFILE", "PROFILE; the option --profile measures the run" },
	{ "NULLS", "NULLS FIRST or LAST; NULL is last when ascending" },
};

static const char *find(const hint *table, size_t count, const char *token, size_t size)
{
	for (size_t i = 0; i < count; i++)
		if (strlen(table[i].word) == size && strncasecmp(token, table[i].word, size) == 0)
			return table[i].text;
	return NULL;
}

/* Returns the construct of other products that a sign begins here, or NULL. */
static const char *unsupported_sign(const char *token, size_t size, const gemp_cypher_expected *expected)
{
	if (size == 2 && strncmp(token, "..", 2) == 0 && expected->element)
		return "a length without *; write *1..3";
	if (size != 1)
		return NULL;
	if ((expected->element || expected->name) && strchr("|&!%", *token))
		return "an expression over labels with ! or %; write it in WHERE, as in WHERE NOT a:A";
	if (expected->name && *token == '$')
		return "a parameter instead of a label, a type or a name; parameters are values";
	if (expected->value && *token == '!')
		return "a negation by !; write NOT";
	if (expected->node && strchr("{+*", *token))
		return "a repeated path (+, *, {m,n}); write -[:T*m..n]->";
	return NULL;
}

/* True if the token begins a value, so that a comma may be missing in front of it. */
static bool begins_value(const char *token, size_t size)
{
	return size > 0 && (gemp_scan_name(token) > token || isdigit((unsigned char)*token) || strchr("'\"$([{", *token));
}

/* Returns true if it has explained the token by a hint. */
static bool explain(gemp_cypher_builder *b, gemp_cypher_place place, const gemp_cypher_expected *expected)
{
	const char *token = b->tree->source.text + place.begin;
	size_t size = place.end - place.begin;
	if (isalpha((unsigned char)*token) && expected->name) {
		gemp_cy_fail(b, place.begin, "'%.*s' is a reserved word; as a name it needs backquotes", (int)size, token);
		return true;
	}
	const char *what = unsupported_sign(token, size, expected);
	if (!what && !expected->value && !expected->closing)
		what = find(unsupported, sizeof unsupported / sizeof *unsupported, token, size);
	if (what) {
		gemp_cy_refuse(b, place.begin, what);
		return true;
	}
	what = expected->value || expected->closing ? NULL
	                                            : find(misplaced, sizeof misplaced / sizeof *misplaced, token, size);
	if (what)
		gemp_cy_fail(b, place.begin, "%s", what);
	return what != NULL;
}

void gemp_cy_unexpected(gemp_cypher_builder *b, gemp_cypher_place place, const gemp_cypher_expected *expected)
{
	const char *token = b->tree->source.text + place.begin;
	size_t size = place.end - place.begin;
	const char *wanted = expected->list ? ", expected " : "", *list = expected->list ? expected->list : "";
	bool comma = expected->comma && begins_value(token, size);
	bool closes = size == 1 && strchr(")]}", *token) && expected->end;
	if (closes)
		gemp_cy_fail(b, place.begin, "'%c' closes a bracket, but none is open here", *token);
	else if (size > 0 && expected->end && !expected->clause)
		gemp_cy_fail(b, place.begin, "a query ends at ;, and another one begins here");
	else if (size == 0)
		gemp_cy_fail(b, place.begin, "the query ends too early%s%s", wanted, list);
	else if (!explain(b, place, expected))
		gemp_cy_fail(b, place.begin, "unexpected '%.*s'%s%s%s", size > 40 ? 40 : (int)size, token, wanted, list,
		             comma ? "; a comma may be missing here" : "");
}
