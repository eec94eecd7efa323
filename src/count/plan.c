#include "count/plan.h"

#include "core/memory.h"

#include <ctype.h>
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

/* A linear search finds an equal monomial, since there are few. A monomial whose factor becomes 0 is removed. */
bool gemp_polynomial_add(gemp_polynomial *p, const gemp_monomial *monomial, int64_t factor)
{
	size_t i = 0;
	while (i < p->count && memcmp(&p->terms[i].monomial, monomial, sizeof *monomial))
		i++;
	if (i == p->count) {
		if (i == GEMP_MAX_MONOMIALS)
			return false;
		p->terms[p->count++].monomial = *monomial;
		p->terms[i].factor = 0;
	}
	if (__builtin_add_overflow(p->terms[i].factor, factor, &p->terms[i].factor))
		return false;
	if (p->terms[i].factor == 0)
		p->terms[i] = p->terms[--p->count];
	return true;
}

/* Euclid's algorithm. */
uint64_t gemp_common_divisor(uint64_t a, uint64_t b)
{
	while (a) {
		uint64_t rest = b % a;
		b = a;
		a = rest;
	}
	return b;
}

int64_t gemp_factorial(int n)
{
	int64_t product = 1;
	for (int i = 2; i <= n; i++)
		product *= i;
	return product;
}

uint64_t gemp_polynomial_divisor(const gemp_polynomial *p, uint64_t with)
{
	for (size_t i = 0; i < p->count; i++)
		with = gemp_common_divisor((uint64_t)llabs((long long)p->terms[i].factor), with);
	return with;
}

void gemp_polynomial_divide(gemp_polynomial *p, uint64_t by)
{
	for (size_t i = 0; i < p->count; i++)
		p->terms[i].factor /= (int64_t)by;
}

/* Does the symbol occur with a power greater than 0? */
bool gemp_polynomial_mentions(const gemp_polynomial *p, int symbol)
{
	for (size_t i = 0; i < p->count; i++)
		if (p->terms[i].monomial.power[symbol])
			return true;
	return false;
}

/* Prints the name that the kernels declare for the symbol (count/plan.h). Symbols are numbered in groups, one group
 * behind the other. */
static void print_symbol(int symbol, gemp_text *out)
{
	static const char *const supports[] = { "t_01", "t_02", "t_12" }, *const others[] = { "a", "g", "o", "u_01" };
	if (symbol == GEMP_SYMBOL_COMMON)
		gemp_text_print(out, "c");
	else if (symbol >= GEMP_SYMBOL_ADJACENT)
		gemp_text_print(out, "%s", others[symbol - GEMP_SYMBOL_ADJACENT]);
	else if (symbol >= GEMP_SYMBOL_UP)
		gemp_text_print(out, "up_%d", symbol - GEMP_SYMBOL_UP);
	else if (symbol >= GEMP_SYMBOL_LOW)
		gemp_text_print(out, "low_%d", symbol - GEMP_SYMBOL_LOW);
	else if (symbol >= GEMP_SYMBOL_SUPPORT)
		gemp_text_print(out, "%s", supports[symbol - GEMP_SYMBOL_SUPPORT]);
	else
		gemp_text_print(out, "V%d_%d", symbol % GEMP_TABLES, symbol / GEMP_TABLES);
}

/* Prints a monomial with its sign in front; a factor of 1 is left out. */
static void print_monomial(const gemp_monomial *m, int64_t factor, int power, bool first, gemp_text *out)
{
	unsigned long long size = (unsigned long long)llabs((long long)factor);
	const char *times = "";
	gemp_text_print(out, "%s", first ? (factor < 0 ? "-" : "") : factor < 0 ? " - " : " + ");
	if (size != 1) {
		gemp_text_print(out, "%llu", size);
		times = " * ";
	}
	for (int s = 0; s < GEMP_SYMBOLS; s++)
		for (int i = 0; i < (s == GEMP_SYMBOL_COMMON ? power : m->power[s]); i++) {
			gemp_text_print(out, "%s", times);
			print_symbol(s, out);
			times = " * ";
		}
	if (!*times)
		gemp_text_print(out, "1");
}

/* Prints all monomials with one power of c. By Horner's rule they share the power, which saves multiplications in the
 * innermost loop. */
static size_t print_power(const gemp_polynomial *p, int power, bool first, gemp_text *out)
{
	size_t found = 0;
	for (size_t i = 0; i < p->count; i++)
		found += p->terms[i].monomial.power[GEMP_SYMBOL_COMMON] == power;
	bool together = found > 1 && power > 0, one = first;
	if (together) {
		gemp_text_print(out, "%s", first ? "" : " + ");
		for (int i = 0; i < power; i++)
			gemp_text_print(out, "c * ");
		gemp_text_print(out, "(");
		one = true;
	}
	for (size_t i = 0; i < p->count; i++)
		if (p->terms[i].monomial.power[GEMP_SYMBOL_COMMON] == power) {
			print_monomial(&p->terms[i].monomial, p->terms[i].factor, together ? 0 : power, one, out);
			one = false;
		}
	gemp_text_print(out, together ? ")" : "");
	return found;
}

/* Prints the highest power of c first, and an empty polynomial as 0. */
void gemp_polynomial_print(const gemp_polynomial *p, gemp_text *out)
{
	size_t printed = 0;
	for (int power = UINT8_MAX; power >= 0; power--)
		printed += print_power(p, power, printed == 0, out);
	if (!printed)
		gemp_text_print(out, "0");
}

enum { MAX_SYMBOL_LENGTH = 32 };

/* A recursive-descent parser of expressions that computes the bound of each subexpression. */
typedef struct reader {
	const char *at;
	gemp_symbol_bound symbol;
	void *self;
	bool bad;
} reader;

static double read_sum(reader *r);

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

/* A negative bound means that the caller does not know the symbol. Then the parser accepts only closing brackets, so
 * the error shows the text behind the symbol. */
static double read_symbol(reader *r)
{
	char name[MAX_SYMBOL_LENGTH];
	size_t size = 0;
	for (; is_symbol_char(r->at[size]) && size < sizeof name - 1; size++)
		name[size] = r->at[size];
	name[size] = 0;
	r->at += size;
	double bound = r->symbol(r->self, name);
	r->bad |= bound < 0;
	return bound;
}

/* A factor is a number, a symbol, a sum in brackets, or a factor behind a minus, which does not change the
 * magnitude. */
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

/* The product of two bounds is a bound on the product. */
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

/* The parser must reach the end of the text; otherwise the text is not an expression. */
gemp_code gemp_expression_bound(const char *expression, gemp_symbol_bound symbol, void *self, double *bound)
{
	reader r = { .at = expression, .symbol = symbol, .self = self };
	*bound = read_sum(&r);
	if (!r.bad)
		r.bad = !take(&r, 0);
	return r.bad ? gemp_fail(GEMP_EINTERNAL, "the expression '%s' of a sum is not understood at '%.20s'", expression,
	                         r.at)
	             : GEMP_OK;
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

void gemp_count_plan_free(gemp_count_plan *plan)
{
	if (!plan)
		return;
	for (size_t i = 0; i < GEMP_MAX_SUMS; i++) {
		gemp_free_all(plan->sums[i].expression, plan->sums[i].polynomial);
	}
	for (size_t k = 0; k < GEMP_MAX_VERTEX_TABLES; k++)
		gemp_free(plan->tables[k].expression);
	gemp_free(plan);
}

/* Table 0 is the degree, which has no expression. */
bool gemp_count_plan_is_valid(const gemp_count_plan *plan)
{
	bool valid = plan->sum_count <= GEMP_MAX_SUMS && plan->table_count >= 1 &&
	             plan->table_count <= GEMP_MAX_VERTEX_TABLES && plan->divisor > 0;
	for (size_t k = 1; k < plan->table_count && valid; k++)
		valid = plan->tables[k].expression != NULL;
	return valid && (plan->support || !plan->ordered_support);
}

/* The names of the sums in --explain. */
static const char *sum_name(gemp_sum_kind kind)
{
	static const char *const names[] = {
		[GEMP_SUM_VERTICES] = "Vertices",   [GEMP_SUM_EDGES] = "Edges",          [GEMP_SUM_TRIANGLES] = "Triangles",
		[GEMP_SUM_WEDGES] = "Wedges",       [GEMP_SUM_PAIRS] = "Pairs",          [GEMP_SUM_NEIGHBOURS] = "Neighbours",
		[GEMP_SUM_JOINED] = "JoinedWedges", [GEMP_SUM_PATH_PAIRS] = "PathPairs", [GEMP_SUM_CLIQUES] = "Cliques",
	};
	return names[kind];
}

/* Prints the formula, the expression of each sum, and then a line for each input that the expressions mention. */
void gemp_count_plan_print(const gemp_count_plan *plan, gemp_text *out)
{
	gemp_text_print(out, "counted without enumerating: (");
	for (size_t i = 0; i < plan->sum_count; i++) {
		const gemp_sum *sum = &plan->sums[i];
		long long factor = (long long)sum->factor;
		gemp_text_print(out, "%s", factor < 0 ? (i ? " - " : "-") : i ? " + " : "");
		if (factor != 1 && factor != -1)
			gemp_text_print(out, "%lld ", factor < 0 ? -factor : factor);
		gemp_text_print(out, "%s%.0d", sum_name(sum->kind), sum->clique);
	}
	gemp_text_print(out, ") / %llu\n", (unsigned long long)plan->divisor);
	for (size_t i = 0; i < plan->sum_count; i++) {
		const gemp_sum *sum = &plan->sums[i];
		gemp_text_print(out, "  %-20s ", sum_name(sum->kind));
		if (sum->leaves)
			gemp_text_print(out, "V0_0 choose %d\n", sum->leaves);
		else
			gemp_text_print(out, "%s\n", sum->expression ? sum->expression : "1");
	}
	for (size_t k = 1; k < plan->table_count; k++)
		gemp_text_print(out, "  V%zu_0                 sum over neighbours: %s\n", k, plan->tables[k].expression);
	if (plan->support)
		gemp_text_print(out, "  t                    triangles on each edge\n");
	if (plan->ordered_support)
		gemp_text_print(out, "  u                    triangles on each edge whose third vertex comes after vertex 0\n");
}

/* Sums over wedges and neighbourhoods are not direct: each has a program of its own. */
bool gemp_sum_is_direct(const gemp_sum *sum)
{
	return sum->kind <= GEMP_SUM_TRIANGLES || sum->kind == GEMP_SUM_CLIQUES;
}

/* A sum over vertices or edges without an expression is the number of vertices or edges. */
bool gemp_sum_has_kernel(const gemp_sum *sum)
{
	bool ones = !sum->expression && (sum->kind == GEMP_SUM_VERTICES || sum->kind == GEMP_SUM_EDGES);
	return gemp_sum_is_direct(sum) && !ones && !sum->leaves;
}
