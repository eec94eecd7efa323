#include "count/polynomial.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

uint64_t gemp_polynomial_divisor(const gemp_polynomial *p, uint64_t with)
{
	for (size_t i = 0; i < p->count; i++) {
		uint64_t a = (uint64_t)llabs((long long)p->terms[i].factor);
		while (a) {
			uint64_t rest = with % a;
			with = a;
			a = rest;
		}
	}
	return with;
}

void gemp_polynomial_divide(gemp_polynomial *p, uint64_t by)
{
	for (size_t i = 0; i < p->count; i++)
		p->terms[i].factor /= (int64_t)by;
}

bool gemp_polynomial_mentions(const gemp_polynomial *p, int symbol)
{
	for (size_t i = 0; i < p->count; i++)
		if (p->terms[i].monomial.power[symbol])
			return true;
	return false;
}

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

static void print_factor(bool *bare, gemp_text *out)
{
	if (!*bare)
		gemp_text_print(out, " * ");
	*bare = false;
}

/* A monomial with c to the power given. */
static void print_monomial(const gemp_monomial *m, int64_t factor, int power, bool first, gemp_text *out)
{
	unsigned long long size = (unsigned long long)llabs((long long)factor);
	bool bare = true;
	gemp_text_print(out, "%s", first ? (factor < 0 ? "-" : "") : factor < 0 ? " - " : " + ");
	if (size != 1) {
		print_factor(&bare, out);
		gemp_text_print(out, "%llu", size);
	}
	for (int s = 0; s < GEMP_SYMBOLS; s++)
		for (int i = 0; i < (s == GEMP_SYMBOL_COMMON ? power : m->power[s]); i++) {
			print_factor(&bare, out);
			print_symbol(s, out);
		}
	if (bare)
		gemp_text_print(out, "1");
}

/* Those of one power of c: several have it before a parenthesis. */
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

void gemp_polynomial_print(const gemp_polynomial *p, gemp_text *out)
{
	size_t printed = 0;
	for (int power = UINT8_MAX; power >= 0; power--)
		printed += print_power(p, power, printed == 0, out);
	if (!printed)
		gemp_text_print(out, "0");
}
