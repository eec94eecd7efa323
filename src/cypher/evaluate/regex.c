/* The last compiled form of each =~ is kept, since most have a constant expression. */

#include "cypher/evaluate/parts.h"

struct gemp_cypher_regex {
	const gemp_cypher_expr *expr;
	int line, column;
	char *pattern; /* [size] */
	size_t size;
	gemp_regex *compiled; /* NULL: not yet, or the last expression was wrong */
	struct gemp_cypher_regex *next;
};

static gemp_value text_value(const char *bytes, size_t size)
{
	return (gemp_value){ .type = GEMP_STRING, .string = { bytes, size } };
}

static void release(struct gemp_cypher_regex *regex)
{
	gemp_regex_free(regex->compiled);
	gemp_free(regex->pattern);
	regex->compiled = NULL;
	regex->pattern = NULL;
}

void gemp_cypher_regexes_free(gemp_cypher_regexes *regexes)
{
	for (struct gemp_cypher_regex *regex = regexes->first, *next; regex; regex = next) {
		next = regex->next;
		release(regex);
		gemp_free(regex);
	}
	regexes->first = NULL;
}

static gemp_code compile(const gemp_cypher_environment *environment, const gemp_cypher_expr *expr, gemp_datum pattern,
                         struct gemp_cypher_regex *regex)
{
	const gemp_value text = text_value(pattern.text, pattern.size);
	char why[128] = "";
	size_t at = 0;
	release(regex);
	regex->pattern = gemp_strndup(pattern.text, pattern.size);
	regex->size = pattern.size;
	if (!regex->pattern)
		return GEMP_ENOMEM;
	gemp_code code = gemp_regex_new(&regex->compiled, &text, why, sizeof why, &at);
	if (code == GEMP_EUSAGE)
		return gemp_cypher_fail(environment, expr->last, "'%.*s' is not a regular expression: %s, at its character %zu",
		                        (int)gemp_min(pattern.size, 80), pattern.text, why, at + 1);
	return code;
}

/* Finds or makes the entry of `expr`. */
static gemp_code entry_of(const gemp_cypher_environment *environment, gemp_cypher_regexes *regexes,
                          const gemp_cypher_expr *expr, struct gemp_cypher_regex **out)
{
	struct gemp_cypher_regex *regex = regexes->first;
	while (regex && regex->expr != expr)
		regex = regex->next;
	if (!regex) {
		GEMP_TRY(GEMP_NEW(regex, 1));
		regex->expr = expr;
		gemp_source_place(environment->source, expr->place.begin, &regex->line, &regex->column);
		regex->next = regexes->first;
		regexes->first = regex;
	}
	*out = regex;
	return GEMP_OK;
}

static bool is_compiled(const struct gemp_cypher_regex *regex, gemp_datum pattern)
{
	return regex->compiled && regex->size == pattern.size && memcmp(regex->pattern, pattern.text, pattern.size) == 0;
}

gemp_code gemp_cypher_regex_match(const gemp_cypher_environment *environment, const gemp_cypher_expr *expr,
                                  gemp_datum text, gemp_datum pattern, gemp_truth *out)
{
	GEMP_OWNED_BY(gemp_cypher_regexes_free) gemp_cypher_regexes own = { 0 };
	struct gemp_cypher_regex *regex;
	const gemp_value value = text_value(text.text, text.size);
	bool match = false;
	GEMP_TRY(entry_of(environment, environment->regexes ? environment->regexes : &own, expr, &regex));
	if (!is_compiled(regex, pattern))
		GEMP_TRY(compile(environment, expr, pattern, regex));
	GEMP_TRY(gemp_regex_test(regex->compiled, &value, regex->line, regex->column, &match));
	*out = match ? GEMP_IS_TRUE : GEMP_IS_FALSE;
	return GEMP_OK;
}
