/* count_plan: how a pattern is counted without enumerating it: as a sum of few kinds of sums over the graph. Host only.
 *
 * The sums are derived from the pattern's structure: vertices attached to one vertex become degrees, vertices attached to an
 * edge become the edge's support (its triangles), the remaining core (a vertex, an edge, a triangle, a cycle, a clique, a pair
 * with common neighbours) is summed over, and the cases in which vertices coincide are subtracted exactly (term.h).
 *
 * All sums are over one simple undirected view of the graph, with its rows in slots (descending degree; slot 0 is the greatest hub):
 *
 *   VERTICES    every vertex 0
 *   EDGES       every edge 0-1 once, slot 0 < slot 1
 *   TRIANGLES   every triangle 0-1-2 once, slots 0 < 1 < 2
 *   WEDGES      every path 0-1-2 with slot 0 < slots 1 and 2, 1 <> 2; c = vertices x, slot x > slot 0, adjacent to 0 and 2
 *   PAIRS       every pair 0, 2 of vertices, slot 0 < slot 2, that has common neighbours; c = their number (of any slot)
 *   JOINED      sum over vertices r and edges w-y (each once), slots w, y > slot r, of c(w) * c(y), where c(w) = vertices x,
 *               slot x > slot r, adjacent to r and w. No expression.
 *   PATH_PAIRS  every two paths r-a-b-y and r-c-d-y, slots a, b, c, d, y > slot r, with a <> c, b <> d, and a, c <> y: halves of
 *               6-cycles, unless a = d or b = c. No expression.
 *   CLIQUES     every clique of `clique` vertices counts 1. No expression.
 *   NEIGHBOURS  every vertex 1 and pair 0, 2 of its neighbours, slot 0 < slot 2, with at least one vertex adjacent to all
 *               three; c = the number of those
 *
 * Expressions are integer polynomials in OpenCL C over `long` variables; i, j are the places named above:
 *
 *   V<k>_<i>    vertex table k of the vertex at place i; V0 is the degree
 *   t_<i><j>    (i < j, adjacent in the shape) triangles on that edge
 *   c           WEDGES, PAIRS, NEIGHBOURS
 *   a           PAIRS, NEIGHBOURS: 1 if 0 and 2 are adjacent, else 0
 *   g           NEIGHBOURS: common neighbours of 0 and 2 (1 among them); only if options.codegrees
 *   o           tables: 1 if the neighbour 1 comes after 0 (slot 0 < slot 1), else 0
 *   u_01        tables, together with o: triangles on the edge whose third vertex comes after 0
 *   low_<i>     TRIANGLES: neighbours of the vertex at place i whose slot is less than that of place 0
 *   up_<i>      TRIANGLES: neighbours of the vertex at place i whose slot is greater than that of place 0
 */

#ifndef GEMP_COUNT_PLAN_H
#define GEMP_COUNT_PLAN_H

#include "core/memory.h"
#include "core/text.h"

#include <stdint.h>

/* expression: integer polynomials in the symbols of a count plan (count/plan.h), as data and as text of OpenCL C.
 * Host only.
 */

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
/* The greatest common divisor; of 0 and b: b. */
uint64_t gemp_common_divisor(uint64_t a, uint64_t b);
int64_t gemp_factorial(int n); /* n <= 20 */
bool gemp_polynomial_mentions(const gemp_polynomial *polynomial, int symbol);

/* As OpenCL C, by powers of c; 0 for an empty one. */
void gemp_polynomial_print(const gemp_polynomial *polynomial, gemp_text *out);

/* Bounds tell how large an expression can become, and so whether sums in 64 bits suffice, before a kernel is built. An
 * expression consists of decimal integers, symbols, + - * and parentheses. */

/* The largest magnitude of a symbol's values; negative: there is no such symbol here. */
typedef double (*gemp_symbol_bound)(void *self, const char *symbol);

/* *bound becomes an upper bound on the magnitude of the expression. A text that is no such expression is
 * GEMP_EINTERNAL. */
gemp_code gemp_expression_bound(const char *expression, gemp_symbol_bound symbol, void *self, double *bound);

/* OpenCL C for that bound at the actual values of the symbols: - becomes +, and all operands are doubles. */
void gemp_expression_magnitude(gemp_text *text, const char *expression);

typedef enum gemp_sum_kind {
	GEMP_SUM_VERTICES,
	GEMP_SUM_EDGES,
	GEMP_SUM_TRIANGLES,
	GEMP_SUM_WEDGES,
	GEMP_SUM_PAIRS,
	GEMP_SUM_NEIGHBOURS,
	GEMP_SUM_JOINED,
	GEMP_SUM_PATH_PAIRS,
	GEMP_SUM_CLIQUES,
} gemp_sum_kind;

enum { GEMP_MAX_SUMS = 16, GEMP_MAX_VERTEX_TABLES = 8 };

typedef struct gemp_sum {
	gemp_sum_kind kind;
	int clique;                  /* CLIQUES */
	int leaves;                  /* VERTICES: if not 0, each counts for the ways to choose so many of its neighbours */
	int64_t factor;              /* multiplies the sum; may be negative */
	char *expression;            /* owned; NULL: 1 for each */
	gemp_polynomial *polynomial; /* the same, of VERTICES; owned */
	int power;                   /* of c: the highest in the expression */
} gemp_sum;

/* Table k >= 1: the sum over neighbours 1 of vertex 0 of an expression in V<j>_1 (j < k), V<j>_0, t_01, o and u_01. */
typedef struct gemp_vertex_table {
	char *expression; /* owned; [0] (the degree) has none */
} gemp_vertex_table;

typedef struct gemp_count_plan {
	size_t sum_count;
	gemp_sum sums[GEMP_MAX_SUMS];
	size_t table_count; /* at least 1 */
	gemp_vertex_table tables[GEMP_MAX_VERTEX_TABLES];
	bool support;         /* some expression contains t */
	bool ordered_support; /* some expression contains u */
	uint64_t divisor;     /* matches (orbits) = total of factor * sum, divided by this, exactly */
} gemp_count_plan;

/* For --explain: the sums, one to a line. */
void gemp_count_plan_print(const gemp_count_plan *plan, gemp_text *out);

void gemp_count_plan_free(gemp_count_plan *plan);
GEMP_RELEASE(gemp_count_plan_free, gemp_count_plan *)
/* Counts are within the limits, and supports and the divisor are what the fields above promise. For asserts. */
bool gemp_count_plan_is_valid(const gemp_count_plan *plan);

/* Is this a sum over VERTICES, EDGES, TRIANGLES or CLIQUES, whose kernels codegen.h emits? */
bool gemp_sum_is_direct(const gemp_sum *sum);

/* Has such a sum a kernel? Tasks that all count 1 need not be visited, and stars of many leaves are summed on the
 * host. */
bool gemp_sum_has_kernel(const gemp_sum *sum);

#endif
