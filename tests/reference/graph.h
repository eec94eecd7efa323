/* The host graph of the reference: a directed or undirected property multigraph in memory, read from TSV.
 *
 * It is deliberately simple and shares no code with the program under test. Lack of memory and wrong input end the
 * process with a message.
 */
#ifndef REFERENCE_GRAPH_H
#define REFERENCE_GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum { REF_NULL, REF_BOOLEAN, REF_INTEGER, REF_FLOAT, REF_STRING } ref_kind;

typedef struct {
	ref_kind kind;
	int64_t integer; /* or a boolean */
	double real;
	const char *text;
} ref_value;

typedef struct {
	size_t rows, columns;
	char **names;    /* [columns] names without the stated type */
	char ***cells;   /* [rows][columns]; an empty cell is NULL */
	ref_kind *kinds; /* [columns] */
	char *bytes;     /* the text of the file, to which names and cells point */
} ref_table;

typedef struct {
	uint32_t neighbour;
	uint32_t edge;
} ref_arc;

typedef struct {
	bool undirected;
	size_t n, m;
	ref_table vertices, edges;    /* tables of the attributes; a simple graph has no edge table */
	uint32_t *vertex_order;       /* [n] the vertices by key; integers come before strings */
	uint32_t *edge_order;         /* [m] the edges by (relation, source, target, number in the file) */
	uint32_t *source, *target;    /* [m] */
	char **type;                  /* [m]; NULL: no type */
	size_t *out_begin, *in_begin; /* [n + 1] */
	ref_arc *out, *in;            /* sorted by neighbour, then by edge */
} ref_graph;

/* If `vertices` is NULL, the vertices are the ends of the edges. */
ref_graph *ref_graph_read(const char *vertices, const char *edges, bool undirected);
/* Returns the simple undirected graph of a graph, without loops, types, directions and parallel edges. It borrows the
 * vertex table of `graph`. */
ref_graph *ref_graph_simple(const ref_graph *graph);
const char *ref_graph_key(const ref_graph *graph, uint32_t vertex);
bool ref_graph_has_label(const ref_graph *graph, uint32_t vertex, const char *label);
ref_value ref_table_value(const ref_table *table, size_t row, const char *name);

void *ref_alloc(size_t count, size_t size);
_Noreturn void ref_die(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
