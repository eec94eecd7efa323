/* plan: a count plan, which is a linear combination of a few kinds of sums over the graph that gives the number of
 * matches of a pattern without enumerating them. Host only.
 *
 * derive.h derives the sums from the pattern's structure. Vertices attached to one vertex become degrees. Vertices
 * attached to an edge become the edge's support, the number of triangles on it. The sum visits the remaining core: a
 * vertex, an edge, a triangle, a cycle, a clique or a pair with common neighbours. Maps in which vertices coincide are
 * subtracted exactly (term.h).
 *
 * All sums are over one simple undirected view of the graph. Its rows are in slots, by descending degree
 * class. A vertex comes after another if its slot is greater:
 *
 *   VERTICES    every vertex 0
 *   EDGES       every edge 0-1 once, slot 0 < slot 1
 *   TRIANGLES   every triangle 0-1-2 once, slots 0 < 1 < 2
 *   WEDGES      every path 0-1-2 with slot 0 < slots 1 and 2, 1 <> 2; c = number of vertices x, slot x > slot 0,
 *               adjacent to 0 and 2
 *   PAIRS       every pair 0, 2 of vertices, slot 0 < slot 2, that has common neighbours; c = number of these
 *               neighbours, with any slot
 *   JOINED      sum over vertices r and edges w-y (each once), slots w, y > slot r, of c(w) * c(y), where c(w) = number
 *               of vertices x, slot x > slot r, adjacent to r and w. No expression.
 *   PATH_PAIRS  every two paths r-a-b-y and r-c-d-y, slots a, b, c, d, y > slot r, with a <> c, b <> d, and a, c <> y.
 *               Each pair is a 6-cycle, except if a = d or b = c. No expression.
 *   CLIQUES     every clique of `clique` vertices counts 1. No expression.
 *   NEIGHBOURS  every vertex 1 and pair 0, 2 of its neighbours, slot 0 < slot 2, with c > 0 vertices adjacent to all
 *               three
 *
 * Expressions are integer polynomials in OpenCL C over `long` variables. i and j are the places 0, 1, 2 above:
 *
 *   V<k>_<i>    vertex table k of the vertex at place i; V0 is the degree
 *   t_<i><j>    (i < j, adjacent in the shape) triangles on that edge
 *   c           WEDGES, PAIRS, NEIGHBOURS: see above
 *   a           PAIRS, NEIGHBOURS: 1 if 0 and 2 are adjacent, else 0
 *   g           NEIGHBOURS: common neighbours of 0 and 2 (1 among them); only if options.codegrees
 *   o           tables: 1 if the neighbour 1 comes after 0 (slot 0 < slot 1), else 0
 *   u_01        tables, together with o: triangles on the edge whose third vertex comes after 0
 *   low_<i>     TRIANGLES: neighbours of the vertex at place i whose slot is less than that of place 0
 *   up_<i>      TRIANGLES: neighbours of the vertex at place i whose slot is greater than that of place 0 */

#ifndef GEMP_COUNT_PLAN_H
#define GEMP_COUNT_PLAN_H

#include "core/memory.h"
#include "core/text.h"

#include <stdint.h>

/* EXPRESSIONS: integer polynomials in the symbols above, as data and as OpenCL C. */

/* The numbers of the symbols: vertex tables by place, supports, then the other symbols. */
enum { GEMP_PLACES = 3, GEMP_TABLES = 8 };
typedef enum gemp_symbol {
	GEMP_SYMBOL_TABLE = 0,                           /* + GEMP_TABLES * place + table */
	GEMP_SYMBOL_SUPPORT = GEMP_PLACES * GEMP_TABLES, /* + 0 for 01, 1 for 02, 2 for 12 */
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
/* The symbol of the support of the edge between two places. */
static inline int gemp_symbol_support(int i, int j)
{
	return GEMP_SYMBOL_SUPPORT + i + j - 1;
}

/* Returns false if there are already GEMP_MAX_MONOMIALS, or if a factor does not fit into 64 bits. */
bool gemp_polynomial_add(gemp_polynomial *polynomial, const gemp_monomial *monomial, int64_t factor);
/* The greatest common divisor of all factors and `with`; returns `with` if the factors are 0 or there are none. */
uint64_t gemp_polynomial_divisor(const gemp_polynomial *polynomial, uint64_t with);
void gemp_polynomial_divide(gemp_polynomial *polynomial, uint64_t by);
/* The greatest common divisor of a and b; b if a is 0. */
uint64_t gemp_common_divisor(uint64_t a, uint64_t b);
int64_t gemp_factorial(int n); /* n <= 20 */
bool gemp_polynomial_mentions(const gemp_polynomial *polynomial, int symbol);

/* Prints OpenCL C, by descending powers of c; "0" for an empty polynomial. */
void gemp_polynomial_print(const gemp_polynomial *polynomial, gemp_text *out);

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
	int clique;                  /* CLIQUES: number of vertices of a clique */
	int leaves;                  /* VERTICES: if not 0, each vertex adds its degree choose `leaves` */
	int64_t factor;              /* multiplies the sum; may be negative */
	char *expression;            /* owned; NULL is the expression 1 */
	gemp_polynomial *polynomial; /* VERTICES: the expression as data; owned */
	int power;                   /* the highest power of c in the expression */
} gemp_sum;

/* Table k >= 1: the sum over neighbours 1 of vertex 0 of an expression in V<j>_1 (j < k), V<j>_0, t_01, o and u_01. */
typedef struct gemp_vertex_table {
	char *expression; /* owned; NULL for table 0, the degree */
} gemp_vertex_table;

typedef struct gemp_count_plan {
	size_t sum_count;
	gemp_sum sums[GEMP_MAX_SUMS];
	size_t table_count; /* at least 1, since table 0 is the degree */
	gemp_vertex_table tables[GEMP_MAX_VERTEX_TABLES];
	bool support;         /* some sum reads supports: t or u in an expression, or NEIGHBOURS */
	bool ordered_support; /* some table's expression contains u_01 */
	/* number of matches (orbits) = sum of factor * sum over all sums / divisor; the division is exact */
	uint64_t divisor;
} gemp_count_plan;

/* Prints the sums for --explain, one to a line. */
void gemp_count_plan_print(const gemp_count_plan *plan, gemp_text *out);

void gemp_count_plan_free(gemp_count_plan *plan);
GEMP_RELEASE(gemp_count_plan_free, gemp_count_plan *)
/* For asserts: are the counts within the limits, is the divisor positive, do all tables but table 0 have an expression,
 * and does ordered_support imply support? */
bool gemp_count_plan_is_valid(const gemp_count_plan *plan);

/* Returns what a vertex of this degree adds to a sum over stars (leaves > 0): its degree choose `leaves`, or a maximum
 * that is beyond 64 bits with the sum's factor. */
__int128 gemp_sum_star(const gemp_sum *sum, int64_t degree);

/* Is this a sum over VERTICES, EDGES, TRIANGLES or CLIQUES? codegen.h emits the kernels of these sums. */
bool gemp_sum_is_direct(const gemp_sum *sum);

/* Is this a direct sum with a kernel? The number of vertices or of edges needs no kernel, and stars (leaves > 0) are
 * summed on the host. */
bool gemp_sum_has_kernel(const gemp_sum *sum);

#endif
