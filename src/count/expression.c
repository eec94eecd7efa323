#include "count/expression.h"

#include "core/status.h"
#include "core/text.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Symbols are whole words: "t_01" does not occur in "t_012" or "at_01". */
bool gemp_expression_mentions(const char *expression, const char *symbol)
{
	size_t length = strlen(symbol);
	for (const char *at = expression; at && (at = strstr(at, symbol)) != NULL; at += length) {
		bool starts = at == expression || !(isalnum((unsigned char)at[-1]) || at[-1] == '_');
		if (starts && !(isalnum((unsigned char)at[length]) || at[length] == '_'))
			return true;
	}
	return false;
}

/* The symbol is V<table>_<place>. */
bool gemp_expression_mentions_table(const char *expression, size_t table, int place)
{
	char symbol[48];
	snprintf(symbol, sizeof symbol, "V%zu_%d", table, place);
	return gemp_expression_mentions(expression, symbol);
}

/* up_<i> is computed from the degree, so it reads table 0 although the expression does not mention the table. */
bool gemp_expression_reads_table(const char *expression, size_t table)
{
	bool found = false;
	for (int place = 0; place < GEMP_PLACES; place++) {
		const char up[] = { 'u', 'p', '_', (char)('0' + place), 0 };
		found |= gemp_expression_mentions_table(expression, table, place) ||
		         (table == 0 && gemp_expression_mentions(expression, up));
	}
	return found;
}

/* A recursive-descent parser that writes the program of an expression. */
typedef struct reader {
	const char *at;
	gemp_compiled *out;
	int depth;  /* number of values on the stack after the steps so far */
	int nested; /* number of open parentheses and signs */
	bool bad;
} reader;

/* A step that takes two values leaves one, so `more` is -1 for it. */
static void add_step(reader *r, gemp_step_kind kind, int64_t value, int more)
{
	gemp_compiled *out = r->out;
	r->depth += more;
	r->bad |= out->count == GEMP_EXPRESSION_STEPS || r->depth > GEMP_EXPRESSION_DEPTH;
	if (r->bad)
		return;
	out->steps[out->count].kind = kind;
	out->steps[out->count++].value = value;
	if (kind == GEMP_STEP_SYMBOL)
		out->symbols |= UINT64_C(1) << value;
}

/* Skips spaces, and then the character c if it comes next. c may be 0, the end of the text. */
static bool take(reader *r, char c)
{
	while (isspace((unsigned char)*r->at))
		r->at++;
	if (*r->at != c)
		return false;
	r->at++;
	return true;
}

static bool is_symbol_char(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* The number of the symbol with this name; -1 if there is none. */
static int find_symbol(const char *name)
{
	static const struct {
		const char *name;
		int symbol;
	} fixed[] = {
		{ "t_01", GEMP_SYMBOL_SUPPORT }, { "t_02", GEMP_SYMBOL_SUPPORT + 1 }, { "t_12", GEMP_SYMBOL_SUPPORT + 2 },
		{ "a", GEMP_SYMBOL_ADJACENT },   { "g", GEMP_SYMBOL_CODEGREE },       { "o", GEMP_SYMBOL_ORDER },
		{ "u_01", GEMP_SYMBOL_OVER },    { "c", GEMP_SYMBOL_COMMON },
	};
	int table, place, end = 0;
	for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
		if (strcmp(name, fixed[i].name) == 0)
			return fixed[i].symbol;
	if (sscanf(name, "V%1d_%1d%n", &table, &place, &end) == 2 && !name[end] && table < GEMP_TABLES &&
	    place < GEMP_PLACES)
		return gemp_symbol_table(place, table);
	if (sscanf(name, "low_%1d%n", &place, &end) == 1 && !name[end] && place < GEMP_PLACES)
		return GEMP_SYMBOL_LOW + place;
	if (sscanf(name, "up_%1d%n", &place, &end) == 1 && !name[end] && place < GEMP_PLACES)
		return GEMP_SYMBOL_UP + place;
	return -1;
}

/* After an unknown symbol nothing more is read, so the error shows the text behind the symbol. */
static void read_symbol(reader *r)
{
	char name[32];
	size_t size = 0;
	for (; is_symbol_char(r->at[size]) && size < sizeof name - 1; size++)
		name[size] = r->at[size];
	name[size] = 0;
	r->at += size;
	int symbol = find_symbol(name);
	r->bad |= symbol < 0;
	add_step(r, GEMP_STEP_SYMBOL, symbol, 1);
}

static void read_number(reader *r)
{
	char *end;
	errno = 0;
	int64_t number = strtoll(r->at, &end, 10);
	r->bad |= errno != 0;
	r->at = end;
	add_step(r, GEMP_STEP_NUMBER, number, 1);
}

static void read_sum(reader *r);

/* A factor is a number, a symbol, a sum in parentheses, or a factor behind a minus. */
static void read_factor(reader *r)
{
	r->bad |= ++r->nested > GEMP_EXPRESSION_DEPTH;
	if (r->bad)
		return;
	if (take(r, '-')) {
		read_factor(r);
		add_step(r, GEMP_STEP_NEGATE, 0, 0);
	} else if (take(r, '(')) {
		read_sum(r);
		r->bad |= !take(r, ')');
	} else if (isdigit((unsigned char)*r->at)) {
		read_number(r);
	} else if (isalpha((unsigned char)*r->at)) {
		read_symbol(r);
	} else {
		r->bad = true;
	}
	r->nested--;
}

static void read_product(reader *r)
{
	read_factor(r);
	while (!r->bad && take(r, '*')) {
		read_factor(r);
		add_step(r, GEMP_STEP_MULTIPLY, 0, -1);
	}
}

static void read_sum(reader *r)
{
	read_product(r);
	while (!r->bad) {
		bool add = take(r, '+');
		if (!add && !take(r, '-'))
			return;
		read_product(r);
		add_step(r, add ? GEMP_STEP_ADD : GEMP_STEP_SUBTRACT, 0, -1);
	}
}

/* The parser must reach the end of the text; otherwise the text is not an expression. */
gemp_code gemp_expression_compile(gemp_compiled *out, const char *text)
{
	const char *expression = text ? text : "1";
	reader r = { .at = expression, .out = out };
	out->count = 0;
	out->symbols = 0;
	read_sum(&r);
	if (!r.bad)
		r.bad = !take(&r, 0);
	return r.bad ? gemp_fail(GEMP_EINTERNAL, "the expression '%s' of a sum is not understood at '%.20s'", expression,
	                         r.at)
	             : GEMP_OK;
}

/* The bounds of sums, differences and products follow from the bounds of their operands. */
double gemp_expression_bound(const gemp_compiled *expression, const double bounds[GEMP_SYMBOLS])
{
	double stack[GEMP_EXPRESSION_DEPTH + 1], most = 0;
	size_t top = 0;
	for (size_t i = 0; i < expression->count; i++) {
		int64_t value = expression->steps[i].value;
		switch (expression->steps[i].kind) {
		case GEMP_STEP_NUMBER: stack[top++] = fabs((double)value); break;
		case GEMP_STEP_SYMBOL: stack[top++] = bounds[value]; break;
		case GEMP_STEP_ADD:
		case GEMP_STEP_SUBTRACT: top--, stack[top - 1] += stack[top]; break;
		case GEMP_STEP_MULTIPLY: top--, stack[top - 1] *= stack[top]; break;
		case GEMP_STEP_NEGATE: break;
		}
		most = fmax(most, stack[top - 1]);
	}
	return most;
}

int64_t gemp_expression_value(const gemp_compiled *expression, const int64_t symbols[GEMP_SYMBOLS])
{
	int64_t stack[GEMP_EXPRESSION_DEPTH + 1];
	size_t top = 0;
	for (size_t i = 0; i < expression->count; i++) {
		int64_t value = expression->steps[i].value;
		switch (expression->steps[i].kind) {
		case GEMP_STEP_NUMBER: stack[top++] = value; break;
		case GEMP_STEP_SYMBOL: stack[top++] = symbols[value]; break;
		case GEMP_STEP_ADD: top--, stack[top - 1] += stack[top]; break;
		case GEMP_STEP_SUBTRACT: top--, stack[top - 1] -= stack[top]; break;
		case GEMP_STEP_MULTIPLY: top--, stack[top - 1] *= stack[top]; break;
		case GEMP_STEP_NEGATE: stack[top - 1] = -stack[top - 1]; break;
		}
	}
	return stack[0];
}

/* Pushes a number or the values of a symbol. */
static void push(int64_t *out, size_t count, const int64_t *column, int64_t value)
{
	for (size_t i = 0; i < count; i++)
		out[i] = column ? column[i] : value;
}

void gemp_expression_values(const gemp_compiled *expression, const int64_t symbols[GEMP_SYMBOLS],
                            const int64_t *const columns[GEMP_SYMBOLS], size_t count, int64_t *values)
{
	int64_t stack[GEMP_EXPRESSION_DEPTH + 1][GEMP_EXPRESSION_BATCH];
	size_t top = 0;
	for (size_t s = 0; s < expression->count; s++) {
		const int64_t value = expression->steps[s].value;
		const gemp_step_kind kind = expression->steps[s].kind;
		if (kind == GEMP_STEP_NUMBER || kind == GEMP_STEP_SYMBOL) {
			const int64_t *column = kind == GEMP_STEP_SYMBOL ? columns[value] : NULL;
			push(stack[top++], count, column, kind == GEMP_STEP_NUMBER ? value : symbols[value]);
			continue;
		}
		top -= kind != GEMP_STEP_NEGATE;
		int64_t *left = stack[top - 1];
		const int64_t *right = stack[top];
		switch (kind) {
		case GEMP_STEP_ADD:
			for (size_t i = 0; i < count; i++)
				left[i] += right[i];
			break;
		case GEMP_STEP_SUBTRACT:
			for (size_t i = 0; i < count; i++)
				left[i] -= right[i];
			break;
		case GEMP_STEP_MULTIPLY:
			for (size_t i = 0; i < count; i++)
				left[i] *= right[i];
			break;
		default:
			for (size_t i = 0; i < count; i++)
				left[i] = -left[i];
		}
	}
	push(values, count, stack[0], 0);
}

__int128 gemp_expression_wide_value(const gemp_compiled *expression, const int64_t symbols[GEMP_SYMBOLS], bool *fits)
{
	__int128 stack[GEMP_EXPRESSION_DEPTH + 1];
	size_t top = 0;
	bool over = false;
	for (size_t i = 0; i < expression->count; i++) {
		int64_t value = expression->steps[i].value;
		gemp_step_kind kind = expression->steps[i].kind;
		if (kind == GEMP_STEP_NUMBER || kind == GEMP_STEP_SYMBOL) {
			stack[top++] = kind == GEMP_STEP_NUMBER ? value : symbols[value];
			continue;
		}
		if (kind == GEMP_STEP_NEGATE) {
			over |= __builtin_sub_overflow((__int128)0, stack[top - 1], &stack[top - 1]);
			continue;
		}
		__int128 right = stack[--top], *left = &stack[top - 1];
		over |= kind == GEMP_STEP_ADD        ? __builtin_add_overflow(*left, right, left)
		        : kind == GEMP_STEP_SUBTRACT ? __builtin_sub_overflow(*left, right, left)
		                                     : __builtin_mul_overflow(*left, right, left);
	}
	*fits &= !over;
	return stack[0];
}

/* Replaces every - by + and every symbol by its magnitude as a double. */
void gemp_expression_magnitude(gemp_text *text, const char *expression)
{
	for (const char *at = expression; *at;) {
		size_t size = 0;
		while (is_symbol_char(at[size]))
			size++;
		if (size)
			gemp_text_print(text, isdigit((unsigned char)*at) ? "%.*s.0" : "fabs((double)%.*s)", (int)size, at);
		else
			gemp_text_print(text, "%c", *at == '-' ? '+' : *at);
		at += size ? size : 1;
	}
}
