/* expression: the expressions of sums and vertex tables (plan.h), read and evaluated on the host.
 *
 * An expression consists of decimal integers, symbols, + - * and parentheses; NULL is the expression 1. Compiled, it is
 * a program for a stack machine: a step pushes a number or the value of a symbol, or replaces the topmost values by
 * their sum, difference, product or negation. The same program gives the value for given values of the symbols, and an
 * upper bound on the magnitude for given bounds. */

#ifndef GEMP_COUNT_EXPRESSION_H
#define GEMP_COUNT_EXPRESSION_H

#include "count/plan.h"

/* Does the expression mention this symbol ("t_01", "V1_0", "c")? The expression NULL mentions none. */
bool gemp_expression_mentions(const char *expression, const char *symbol);
/* Does the expression mention a vertex table at this place? Does it read the table at any place? up_<i> reads the
 * degree. */
bool gemp_expression_mentions_table(const char *expression, size_t table, int place);
bool gemp_expression_reads_table(const char *expression, size_t table);

enum { GEMP_EXPRESSION_STEPS = 2048, GEMP_EXPRESSION_DEPTH = 64 };

typedef enum gemp_step_kind {
	GEMP_STEP_NUMBER,
	GEMP_STEP_SYMBOL,
	GEMP_STEP_ADD,
	GEMP_STEP_SUBTRACT,
	GEMP_STEP_MULTIPLY,
	GEMP_STEP_NEGATE
} gemp_step_kind;

typedef struct gemp_compiled {
	size_t count;     /* number of steps; at no step are there more than GEMP_EXPRESSION_DEPTH values */
	uint64_t symbols; /* bit s: the expression mentions the gemp_symbol s */
	struct {
		gemp_step_kind kind;
		int64_t value; /* the number, or the gemp_symbol */
	} steps[GEMP_EXPRESSION_STEPS];
} gemp_compiled;

/* GEMP_EINTERNAL if the text is not an expression, or too long. */
gemp_code gemp_expression_compile(gemp_compiled *out, const char *text);

/* Returns an upper bound on the magnitude of all values on the stack. bounds[s]: an upper bound on the magnitude of
 * symbol s. */
double gemp_expression_bound(const gemp_compiled *expression, const double bounds[GEMP_SYMBOLS]);

/* Returns the value, if 64 bits hold all values on the stack (gemp_expression_bound). */
int64_t gemp_expression_value(const gemp_compiled *expression, const int64_t symbols[GEMP_SYMBOLS]);
/* The same for `count` assignments: values[i] is the value if symbol s is columns[s][i], or symbols[s] where columns[s]
 * is NULL. Each step of the program is a loop over the assignments. */
enum { GEMP_EXPRESSION_BATCH = 64 }; /* maximum of count */
void gemp_expression_values(const gemp_compiled *expression, const int64_t symbols[GEMP_SYMBOLS],
                            const int64_t *const columns[GEMP_SYMBOLS], size_t count, int64_t *values);
/* The same as gemp_expression_value in 128 bits. *fits becomes false if they do not hold some value. */
__int128 gemp_expression_wide_value(const gemp_compiled *expression, const int64_t symbols[GEMP_SYMBOLS], bool *fits);

/* Prints OpenCL C for a bound on the magnitude at given values of the symbols: - becomes +, and all operands are
 * doubles. */
void gemp_expression_magnitude(gemp_text *text, const char *expression);

#endif
