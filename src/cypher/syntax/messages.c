/* Messages on unexpected tokens. Constructs of other products come before the list of tokens that the grammar expects;
 * behind the list stands the remedy of a frequent mistake. */

#include "cypher/syntax/build.h"
#include "cypher/syntax/mistakes.h"
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
	{ "WHERE", "WHERE stands behind the paths of MATCH, behind the items of WITH, or behind YIELD, and once: join its "
	           "conditions by AND" },
	{ "YIELD", "YIELD stands behind a procedure, as in CALL name() YIELD column" },
	{ "OPTIONAL", "OPTIONAL stands before MATCH only" },
	{ "DISTINCT", "DISTINCT stands behind WITH or RETURN, or in an aggregate, as in count(DISTINCT a)" },
	{ "AND", "AND joins conditions; write commas between paths and between items" },
	{ "OR", "OR joins conditions; write commas between paths and between items, and UNION between queries" },
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
	{ "FILTER", "FILTER; write WITH * WHERE condition" },
	{ "JOIN", "JOIN; write an edge, as in (a)-[:TYPE]->(b)" },
	{ "FROM", "FROM; write MATCH (a:Label) RETURN a" },
	{ "SHOW", "SHOW; `gemp-mpi info` shows labels, edge types and attributes of a graph file" },
	{ "DROP", "DROP; there are no constraints, and `gemp-mpi index` makes indexes" },
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

static void fail_unexpected(gemp_cypher_builder *b, gemp_cypher_place place, const gemp_cypher_expected *expected)
{
	const char *token = b->tree->source.text + place.begin;
	const int size = place.end - place.begin > 40 ? 40 : (int)(place.end - place.begin);
	const char *wanted = expected->list ? ", expected " : "", *list = expected->list ? expected->list : "";
	const bool name = gemp_scan_name(token) > token;
	char hint[GEMP_CY_HINT_SIZE] = "";
	if (gemp_cy_mistake(b->tree->source.text, place, expected, hint))
		gemp_cy_fail(b, place.begin, "unexpected '%.*s'%s%s; %s", size, token, wanted, list, hint);
	else if (expected->comma && begins_value(token, place.end - place.begin) && !expected->reserved)
		gemp_cy_fail(b, place.begin, "unexpected '%.*s'%s%s; a comma%s may be missing here", size, token, wanted, list,
		             name && expected->alias ? " or AS" : "");
	else
		gemp_cy_fail(b, place.begin, "unexpected '%.*s'%s%s", size, token, wanted, list);
}

void gemp_cy_unexpected(gemp_cypher_builder *b, gemp_cypher_place place, const gemp_cypher_expected *expected)
{
	const char *token = b->tree->source.text + place.begin;
	size_t size = place.end - place.begin;
	const char *wanted = expected->list ? ", expected " : "", *list = expected->list ? expected->list : "";
	char hint[GEMP_CY_HINT_SIZE] = "";
	bool closes = size == 1 && strchr(")]}", *token) && expected->end;
	if (closes)
		gemp_cy_fail(b, place.begin, "'%c' closes a bracket, but none is open here", *token);
	else if (size == 1 && *token == ';' && expected->end)
		gemp_cy_fail(b, place.begin, "the query has ended at the ; before; leave this one out");
	else if (size > 0 && expected->end && !expected->clause)
		gemp_cy_fail(b, place.begin, "a query ends at ;, and another one begins here");
	else if (size == 0 && gemp_cy_mistake(b->tree->source.text, place, expected, hint))
		gemp_cy_fail(b, place.begin, "the query ends too early%s%s; %s", wanted, list, hint);
	else if (size == 0)
		gemp_cy_fail(b, place.begin, "the query ends too early%s%s", wanted, list);
	else if (!explain(b, place, expected))
		fail_unexpected(b, place, expected);
}
