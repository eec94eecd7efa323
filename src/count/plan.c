#include "count/plan.h"

#include "core/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* Each step multiplies before it divides, so every quotient is an integer. The sum of 2^32 values that are at most the
 * maximum is less than 2^127. */
__int128 gemp_sum_star(const gemp_sum *sum, int64_t degree)
{
	const __int128 maximum = ((__int128)1 << 90) / sum->factor;
	int64_t leaves = sum->leaves;
	__int128 ways = degree >= leaves;
	if (degree - leaves < leaves)
		leaves = degree - leaves; /* the symmetric coefficient, whose steps never decrease */
	for (int64_t i = 0; i < leaves && ways < maximum; i++)
		ways = ways * (degree - i) / (i + 1);
	return ways < maximum ? ways : maximum;
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
