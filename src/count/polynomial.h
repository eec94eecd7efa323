/* polynomial: an integer polynomial in the symbols of a count plan's expressions (count_plan.h). Host only. */
#ifndef GEMP_COUNT_POLYNOMIAL_H
#define GEMP_COUNT_POLYNOMIAL_H

#include "core/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Symbols by number: tables of a place, supports, then the rest. */
enum { GEMP_PLACES = 3, GEMP_TABLES = 8 };
typedef enum gemp_symbol {
	GEMP_SYMBOL_TABLE = 0, /* + GEMP_TABLES * place + table */
	GEMP_SYMBOL_SUPPORT = GEMP_PLACES * GEMP_TABLES, /* + 0: 01, 1: 02, 2: 12 */
	GEMP_SYMBOL_LOW = GEMP_SYMBOL_SUPPORT + 3, /* + place */
	GEMP_SYMBOL_UP = GEMP_SYMBOL_LOW + GEMP_PLACES,
	GEMP_SYMBOL_ADJACENT = GEMP_SYMBOL_UP + GEMP_PLACES, /* a */
	GEMP_SYMBOL_CODEGREE, /* g */
	GEMP_SYMBOL_ORDER, /* o */
	GEMP_SYMBOL_OVER, /* u_01 */
	GEMP_SYMBOL_COMMON, /* c */
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

/* False if there is no room, or a factor passes 63 bits. */
bool gemp_polynomial_add(gemp_polynomial *polynomial, const gemp_monomial *monomial, int64_t factor);
/* Greatest common divisor of the factors and `with`; 0 and an empty polynomial: with. */
uint64_t gemp_polynomial_divisor(const gemp_polynomial *polynomial, uint64_t with);
void gemp_polynomial_divide(gemp_polynomial *polynomial, uint64_t by);
bool gemp_polynomial_mentions(const gemp_polynomial *polynomial, int symbol);

/* As OpenCL C, by powers of c; 0 for an empty one. */
void gemp_polynomial_print(const gemp_polynomial *polynomial, gemp_text *out);

#endif
