#include "count/sweep_bound.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SYMBOL = 32 };

typedef struct reader {
	const char *at;
	gemp_symbol_bound symbol;
	void *self;
	bool bad;
} reader;

static double read_sum(reader *r);

static bool take(reader *r, char c)
{
	while (isspace((unsigned char)*r->at))
		r->at++;
	if (*r->at != c)
		return false;
	r->at++;
	return true;
}

static bool in_symbol(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static double read_symbol(reader *r)
{
	char name[MOST_SYMBOL];
	size_t size = 0;
	for (; in_symbol(r->at[size]) && size < sizeof name - 1; size++)
		name[size] = r->at[size];
	name[size] = 0;
	r->at += size;
	double bound = r->symbol(r->self, name);
	r->bad |= bound < 0;
	return bound;
}

static double read_factor(reader *r)
{
	double value = 0;
	if (take(r, '-'))
		return read_factor(r);
	if (take(r, '(')) {
		value = read_sum(r);
		r->bad |= !take(r, ')');
	} else if (isdigit((unsigned char)*r->at)) {
		char *end;
		value = (double)strtoull(r->at, &end, 10);
		r->at = end;
	} else if (isalpha((unsigned char)*r->at)) {
		value = read_symbol(r);
	} else {
		r->bad = true;
	}
	return value;
}

static double read_product(reader *r)
{
	double value = read_factor(r);
	while (!r->bad && take(r, '*'))
		value *= read_factor(r);
	return value;
}

static double read_sum(reader *r)
{
	double value = read_product(r);
	while (!r->bad && (take(r, '+') || take(r, '-')))
		value += read_product(r);
	return value;
}

gemp_code gemp_expression_bound(const char *expression, gemp_symbol_bound symbol, void *self, double *bound)
{
	reader r = { .at = expression, .symbol = symbol, .self = self };
	*bound = read_sum(&r);
	if (!r.bad)
		r.bad = !take(&r, 0);
	return r.bad ? gemp_fail(GEMP_EINTERNAL, "the expression '%s' of a sum is not understood at '%.20s'", expression,
	                         r.at) : GEMP_OK;
}

void gemp_expression_magnitude(gemp_text *text, const char *expression)
{
	for (const char *at = expression; *at;) {
		size_t size = 0;
		while (in_symbol(at[size]))
			size++;
		if (size)
			gemp_text_print(text, isdigit((unsigned char)*at) ? "%.*s.0" : "fabs((double)%.*s)", (int)size, at);
		else
			gemp_text_print(text, "%c", *at == '-' ? '+' : *at);
		at += size ? size : 1;
	}
}
