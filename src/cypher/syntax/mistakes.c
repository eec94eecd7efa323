#include "cypher/syntax/mistakes.h"

#include "core/text.h"
#include "pattern/model/source.h"
#include "pattern/syntax/scan.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

typedef struct range {
	size_t begin, end;
} range;

/* The unexpected token and what stands before it. */
typedef struct mistake {
	const char *text;
	const gemp_cypher_expected *expected;
	const char *token;
	size_t at, size; /* of the token */
	size_t behind;   /* end of the text before the token, without spaces */
	char before;     /* the last character before the token that is no space; 0: none */
	range word;      /* the name that ends at `behind`; empty: there is none */
	char before_word;
	char *hint;
} mistake;

/* READING */

static size_t skip_back(const char *text, size_t at)
{
	while (at > 0 && isspace((unsigned char)text[at - 1]))
		at--;
	return at;
}

static bool in_name(char c)
{
	return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

static range word_before(const char *text, size_t end)
{
	size_t begin = end;
	while (begin > 0 && in_name(text[begin - 1]))
		begin--;
	return (range){ begin, end };
}

static bool is_range(const mistake *m, range r, const char *word)
{
	return r.end - r.begin == strlen(word) && strncasecmp(m->text + r.begin, word, strlen(word)) == 0;
}

static bool is_token(const mistake *m, const char *word)
{
	return strlen(word) == m->size && strncasecmp(m->token, word, m->size) == 0;
}

static bool is_name(const mistake *m)
{
	return m->size > 0 && in_name(*m->token) && !isdigit((unsigned char)*m->token);
}

static bool say(const mistake *m, const char *format, ...) __attribute__((format(printf, 2, 3)));
static bool say(const mistake *m, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(m->hint, GEMP_CY_HINT_SIZE, format, arguments);
	va_end(arguments);
	return true;
}

/* WORDS */

typedef struct foreign_word {
	const char *word, *remedy;
} foreign_word;

/* Operators of other languages, where an operator may stand. */
static const foreign_word operators[] = {
	{ "LIKE", "instead of LIKE write STARTS WITH, ENDS WITH or CONTAINS, or =~ with a regular expression" },
	{ "ILIKE", "instead of ILIKE write toLower(x) STARTS WITH or CONTAINS, or =~ '(?i)...'" },
	{ "RLIKE", "instead of RLIKE write =~ with a regular expression" },
	{ "REGEXP", "instead of REGEXP write =~ with a regular expression" },
	{ "MATCHES", "instead of MATCHES write =~ with a regular expression" },
	{ "SIMILAR", "instead of SIMILAR TO write =~ with a regular expression" },
	{ "BETWEEN", "instead of x BETWEEN a AND b write a <= x AND x <= b" },
	{ "STARTSWITH", "write STARTS WITH" },
	{ "ENDSWITH", "write ENDS WITH" },
	{ "BEGINS", "write STARTS WITH" },
	{ "HAS", "write CONTAINS, or IN for an element of a list" },
	{ "INCLUDES", "write CONTAINS, or IN for an element of a list" },
	{ "EQUALS", "write =" },
	{ "MOD", "write %" },
	{ "DIV", "write /" },
	{ "NOT", "NOT stands before the whole comparison, as in NOT x IN list" },
	{ "SORT", "write ORDER BY" },
	{ "FETCH", "write LIMIT" },
	{ "FOR", "a comprehension is written [x IN list WHERE condition | value]" },
};

static bool foreign_operator(const mistake *m)
{
	for (size_t i = 0; m->expected->operator&& i<sizeof operators / sizeof * operators; i++)
		if (is_token(m, operators[i].word))
			return say(m, "%s", operators[i].remedy);
	return false;
}

/* Short words are near each other, so a suggestion allows few edits. */
static bool is_near(const char *word, const char *keyword)
{
	const size_t length = strlen(keyword), edits = gemp_text_edits(word, keyword);
	if (strlen(word) < 3 || length < 3 || edits == 0)
		return false;
	if (length == 3 && toupper((unsigned char)*word) != *keyword)
		return false;
	return edits <= (length > 5 ? 2 : 1);
}

static const char *nearest_keyword(const char *word, const gemp_cypher_expected *expected)
{
	const char *best = NULL;
	for (size_t i = 0; i < expected->word_count; i++)
		if (is_near(word, expected->words[i]) &&
		    (!best || gemp_text_edits(word, expected->words[i]) < gemp_text_edits(word, best)))
			best = expected->words[i];
	return best;
}

static bool misspelt_keyword(const mistake *m)
{
	char word[32];
	if (!is_name(m) || m->size >= sizeof word || m->expected->reserved)
		return false;
	memcpy(word, m->token, m->size);
	word[m->size] = 0;
	const char *keyword = nearest_keyword(word, m->expected);
	return keyword && say(m, "did you mean %s?", keyword);
}

/* RETURN DISTNCT x, RETURN TOP 3 x: the word before the token was read as a name. */
static bool wrong_word_before(const mistake *m)
{
	char word[32];
	const size_t size = m->word.end - m->word.begin;
	const range first = word_before(m->text, skip_back(m->text, m->word.begin));
	if (!m->expected->operator|| size >= sizeof word || !(is_range(m, first, "RETURN") || is_range(m, first, "WITH")))
		return false;
	memcpy(word, m->text + m->word.begin, size);
	word[size] = 0;
	if (is_range(m, m->word, "TOP"))
		return say(m, "instead of TOP write LIMIT behind the items");
	return is_near(word, "DISTINCT") && say(m, "did you mean DISTINCT instead of '%s'?", word);
}

static bool null_test(const mistake *m)
{
	return (is_range(m, m->word, "IS") || is_range(m, m->word, "NOT")) && m->expected->null_only &&
	       say(m, "IS tests for NULL only; compare values by = and <>, and test labels as in a:Label");
}

/* NAMES AND STRINGS */

static bool quote_in_string(const mistake *m)
{
	return m->behind == m->at && m->at > 0 && strchr("'\"", m->before) &&
	       (in_name(*m->token) || strchr("'\"", *m->token)) &&
	       say(m, "a quote within a string needs a backslash, as in 'O\\'Brien'");
}

static bool quoted_name(const mistake *m)
{
	if (!m->expected->name || m->expected->value || !strchr("'\"", *m->token) || m->size < 3)
		return false;
	const char *name = m->token + 1;
	const bool plain = (size_t)(gemp_scan_name(name) - name) == m->size - 2;
	const char *quote = plain ? "" : "`";
	return say(m, "a name stands without quotes: %s%.*s%s", quote, m->size > 60 ? 60 : (int)m->size - 2, name, quote);
}

/* PATTERNS */

static bool edge_signs(const mistake *m)
{
	const char *text = m->text;
	const size_t behind = m->behind;
	if (!m->expected->edge)
		return false;
	if (*m->token == '>' && behind > 1 && text[behind - 1] == '-' && text[behind - 2] == '<')
		return say(m, "an edge of either direction is written --");
	if (*m->token == '>')
		return say(m, "an edge is written --> or -[:TYPE]->");
	if (*m->token == '(' && m->before == ']')
		return say(m, "behind ] an edge ends in ->, or in - if both directions are meant");
	if (strchr("({", *m->token) && gemp_scan_space(m->token + 1)[0] == ':')
		return say(m, "an edge type stands in brackets, as in -[:TYPE]->");
	if (is_name(m))
		return say(m, "an edge type stands in brackets, as in -[:%.*s]->", m->size > 60 ? 60 : (int)m->size, m->token);
	return say(m, "an edge is written --, --> or -[:TYPE]->");
}

/* -[*1-3]->, -[*1,3]->, -[*1...3]->, -[:T 1..3]-> */
static bool wrong_hops(const mistake *m)
{
	size_t at = m->behind;
	while (at > 0 && (isdigit((unsigned char)m->text[at - 1]) || m->text[at - 1] == '.'))
		at--;
	at = skip_back(m->text, at);
	if (m->expected->closing && at > 0 && m->text[at - 1] == '*' && strchr("-,:.", *m->token))
		return say(m, "a range of lengths has two dots, as in *1..3");
	return m->expected->edge_types && isdigit((unsigned char)*m->token) &&
	       say(m, "a length stands behind *, as in *1..3");
}

/* What stands in a vertex or an edge behind its name, labels and types. */
static bool wrong_in_element(const mistake *m)
{
	const bool labelled = m->expected->edge_types || m->expected->labels;
	const char *kind = m->expected->edge_types ? "types" : "labels";
	if (!m->expected->element || !m->expected->closing)
		return false;
	if (is_token(m, "OR") || is_token(m, "AND") || (*m->token == ',' && m->expected->edge_types))
		return say(m, "%s are joined by |, as in :A|B", kind);
	if (*m->token == ',')
		return say(m, "each vertex has its own parentheses, as in (a:A), (b:B), and labels are joined by |");
	if (strchr("([", *m->token) || (is_name(m) && *gemp_scan_space(m->token + m->size) == ':'))
		return say(m, "attributes stand in braces, as in {name: 'Jack'}");
	if (labelled || m->word.end == m->word.begin)
		return false;
	if (*m->token == '-')
		return say(m, "a name with - needs backquotes");
	if (is_token(m, "IS") || strchr(".'\"", *m->token))
		return say(m, "a label needs a colon, as in (p:Person)");
	return is_name(m) && !m->expected->reserved &&
	       say(m, "a label needs a colon, as in (p:%.*s), and a name with a space needs backquotes",
	           m->size > 60 ? 60 : (int)m->size, m->token);
}

/* MATCH p, and the path selectors of Cypher 5 */
static bool no_vertex(const mistake *m)
{
	const range first = word_before(m->text, skip_back(m->text, m->word.begin));
	if (!m->expected->path_name || m->word.begin == m->word.end)
		return false;
	if (is_range(m, m->word, "INDEX") || is_range(m, m->word, "CONSTRAINT"))
		return say(m, "`gemp-mpi index` makes an index of a graph file; there are no constraints");
	if (is_range(m, m->word, "SHORTEST") || is_token(m, "SHORTEST"))
		return say(m, "write shortestPath((a)-[:TYPE*]->(b)) or allShortestPaths(...)");
	return (is_range(m, first, "MATCH") || m->before_word == ',') &&
	       say(m, "a vertex stands in parentheses, as in (%.*s)", (int)(m->word.end - m->word.begin),
	           m->text + m->word.begin);
}

static bool shortest_of_vertex(const mistake *m)
{
	const range name = word_before(m->text, skip_back(m->text, m->behind - (m->before == '(')));
	return m->before == '(' && is_range(m, name, "shortestPath") &&
	       say(m, "a path stands in parentheses of its own, as in shortestPath((a)-[:TYPE*]->(b))");
}

/* VALUES */

static bool wrong_value(const mistake *m)
{
	if (*m->token == '}' && m->expected->colon && m->word.end > m->word.begin)
		return say(m, "each name of a map needs a value, as in {name: 'Jack'}; a parameter is written $name");
	if (!m->expected->value)
		return false;
	if (*m->token == ':')
		return say(m, "a parameter is written $name");
	return *m->token == '>' && m->before == '-' && say(m, "an attribute is read by a dot, as in a.name");
}

static bool wrong_comma(const mistake *m)
{
	const range word = word_before(m->text, skip_back(m->text, m->word.begin));
	if (*m->token != ',' || !m->expected->operator)
		return false;
	if (is_range(m, word, "LIMIT"))
		return say(m, "instead of LIMIT m, n write SKIP m LIMIT n");
	if (m->expected->clause)
		return say(m, "conditions are joined by AND and OR, and numbers have no commas");
	const size_t open = m->expected->open_at;
	return open != SIZE_MAX && m->text[open] == '(' &&
	       is_range(m, word_before(m->text, skip_back(m->text, open)), "IN") &&
	       say(m, "a list stands in brackets, as in x IN [1, 2]");
}

/* RETURN p -- a comment */
static bool foreign_comment(const mistake *m)
{
	for (size_t at = m->at; at > 1 && m->text[at - 1] != '\n'; at--)
		if (m->text[at - 1] == '-' && m->text[at - 2] == '-' && m->text[at] == ' ' &&
		    isalpha((unsigned char)m->text[at + 1]))
			return say(m, "a comment begins with //");
	return false;
}

/* A bracket that is open where another clause, the end or another bracket stands */
static bool open_bracket(const mistake *m)
{
	const gemp_source source = { .text = m->text };
	const size_t at = m->expected->open_at;
	int line, column;
	if (at == SIZE_MAX || !(m->expected->reserved || strchr(")]};", *m->token)))
		return false;
	gemp_source_place(&source, at, &line, &column);
	return say(m, "the %c at %d:%d is still open", m->text[at], line, column);
}

typedef bool rule(const mistake *m);

/* The first rule that recognises the mistake words the hint. The end of a text is a token of no bytes. */
static rule *const rules[] = {
	quote_in_string, foreign_operator, quoted_name, misspelt_keyword,   wrong_word_before,
	null_test,       edge_signs,       wrong_hops,  shortest_of_vertex, wrong_value,
	wrong_comma,     wrong_in_element, no_vertex,   open_bracket,       foreign_comment,
};
static rule *const rules_at_end[] = { no_vertex, open_bracket };

static bool apply(rule *const *list, size_t count, const mistake *m)
{
	for (size_t i = 0; i < count; i++)
		if (list[i](m))
			return true;
	return false;
}

bool gemp_cy_mistake(const char *text, gemp_cypher_place place, const gemp_cypher_expected *expected, char *hint)
{
	mistake m = { .text = text,
		          .expected = expected,
		          .token = text + place.begin,
		          .at = place.begin,
		          .size = place.end - place.begin,
		          .behind = skip_back(text, place.begin),
		          .hint = hint };
	m.before = m.behind > 0 ? text[m.behind - 1] : '\0';
	m.word = word_before(text, m.behind);
	const size_t before_word = skip_back(text, m.word.begin);
	m.before_word = before_word > 0 ? text[before_word - 1] : '\0';
	return m.size ? apply(rules, sizeof rules / sizeof *rules, &m)
	              : apply(rules_at_end, sizeof rules_at_end / sizeof *rules_at_end, &m);
}
