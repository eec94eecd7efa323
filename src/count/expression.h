/* expression: integer polynomials in the symbols of a count plan (count/plan.h), as data and as text of OpenCL C.
 * Host only.
 */

#ifndef GEMP_COUNT_EXPRESSION_H
#define GEMP_COUNT_EXPRESSION_H

#include "core/text.h"

#include <stddef.h>
#include <stdint.h>

/* Does the expression mention this symbol ("t_01", "V1_0", "c")? NULL mentions none. */
bool gemp_expression_mentions(const char *expression, const char *symbol);
/* The vertex table at one place. The second also returns true at any place, and for the degree within up_<i>. */
bool gemp_expression_mentions_table(const char *expression, size_t table, int place);
bool gemp_expression_reads_table(const char *expression, size_t table);

/* Symbols by number: tables of a place, supports, then the rest. */
enum { GEMP_PLACES = 3, GEMP_TABLES = 8 };
typedef enum gemp_symbol {
	GEMP_SYMBOL_TABLE = 0,                           /* + GEMP_TABLES * place + table */
	GEMP_SYMBOL_SUPPORT = GEMP_PLACES * GEMP_TABLES, /* + 0: 01, 1: 02, 2: 12 */
	GEMP_SYMBOL_LOW = GEMP_SYMBOL_SUPPORT + 3,       /* + place */
	GEMP_SYMBOL_UP = GEMP_SYMBOL_LOW + GEMP_PLACES,
	GEMP_SYMBOL_ADJACENT = GEMP_SYMBOL_UP + GEMP_PLACES, /* a */
	GEMP_SYMBOL_CODEGREE,                                /* g */
	GEMP_SYMBOL_ORDER,                                   /* o */
	GEMP_SYMBOL_OVER,                                    /* u_01 */
	GEMP_SYMBOL_COMMON,                                  /* c */
	GEMP_SYMBOLS
} gemp_symbol;

typedef struct gemp_monomial {
	uint8_t power[GEMP_SYMBOLS];
} gemp_monomial;

enum { GEMP_MAX_MONOMIALS = 128 };
typedef struct gemp_polynomial {
	size_t count;
	struct {
		int64_t factor; /* not 0 */
		gemp_monomial monomial;
	} terms[GEMP_MAX_MONOMIALS];
} gemp_polynomial;

static inline int gemp_symbol_table(int place, int table)
{
	return GEMP_SYMBOL_TABLE + GEMP_TABLES * place + table;
}
/* Of the edge between two places. */
static inline int gemp_symbol_support(int i, int j)
{
	return GEMP_SYMBOL_SUPPORT + i + j - 1;
}

/* Returns false if there are GEMP_MAX_MONOMIALS already, or a factor does not fit into 64 bits. */
bool gemp_polynomial_add(gemp_polynomial *polynomial, const gemp_monomial *monomial, int64_t factor);
/* Greatest common divisor of the factors and `with`; 0 and an empty polynomial: with. */
uint64_t gemp_polynomial_divisor(const gemp_polynomial *polynomial, uint64_t with);
void gemp_polynomial_divide(gemp_polynomial *polynomial, uint64_t by);
bool gemp_polynomial_mentions(const gemp_polynomial *polynomial, int symbol);

/* As OpenCL C, by powers of c; 0 for an empty one. */
void gemp_polynomial_print(const gemp_polynomial *polynomial, gemp_text *out);

/* Bounds: how large an expression can become, so that sums in 64 bits are known to suffice before a kernel is built.
 *
 * Expressions consist of decimal integers, symbols, + - * and parentheses. */

/* The largest magnitude of a symbol's values; negative: there is no such symbol here. */
typedef double (*gemp_symbol_bound)(void *self, const char *symbol);

/* *bound becomes an upper bound on the magnitude of the expression. A text that is no such expression is GEMP_EINTERNAL. */
gemp_code gemp_expression_bound(const char *expression, gemp_symbol_bound symbol, void *self, double *bound);

/* OpenCL C for that bound at the actual values of the symbols: - becomes +, and all operands are doubles. */
void gemp_expression_magnitude(gemp_text *text, const char *expression);

#endif
