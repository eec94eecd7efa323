/* hierholzer: a sequential search for an Euler circuit (Hierholzer 1873), with which jobs/reproduce/euler.py compares.
 * It uses nothing of the program, so that an installed jobs/ needs only a compiler. tests/bench/hierholzer.c, which
 * measures two layouts of the rows, is linked to the reader of graph files.
 *     hierholzer VERTICES EDGES F.adj
 * F.adj is adjacency text (`0 -> 3, 3, 7`) whose vertices are the numbers from 0. Prints the seconds of the search,
 * from the rows in memory to the order in memory, the best of three runs. */
#define _POSIX_C_SOURCE 200809L
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct graph {
	uint32_t vertices, edges;
	uint32_t *begin, *target; /* [vertices + 1], [edges] */
} graph;

static void fail(const char *message)
{
	fprintf(stderr, "hierholzer: %s\n", message);
	exit(1);
}

static void *array(size_t count, size_t size)
{
	void *memory = calloc(count ? count : 1, size);
	if (!memory)
		fail("out of memory");
	return memory;
}

/* Returns the next number of the text, or a negative value: -1 for an arrow, -2 for the end of a line, -3 for the end
 * of the file. */
static int64_t next_token(FILE *file)
{
	int c;
	while ((c = getc_unlocked(file)) == ' ' || c == ',' || c == '>')
		continue;
	if (c < '0' || c > '9')
		return c == '-' ? -1 : c == '\n' ? -2 : -3;
	int64_t number = 0;
	for (; c >= '0' && c <= '9'; c = getc_unlocked(file))
		number = 10 * number + (c - '0');
	ungetc(c, file);
	return number;
}

/* Reads the text twice: to count the edges of each vertex, and to store them. */
static void read_graph(graph *g, const char *path)
{
	FILE *file = fopen(path, "r");
	uint32_t *place = array((size_t)g->vertices + 1, sizeof *place);
	uint64_t stored = 0;
	if (!file)
		fail("cannot read the file");
	for (int pass = 0; pass < 2; pass++) {
		int64_t source = -1, token;
		rewind(file);
		while ((token = next_token(file)) != -3) {
			if (token >= (int64_t)g->vertices)
				fail("a vertex has a number that is too large");
			if (token == -2)
				source = -1;
			else if (token >= 0 && source < 0)
				source = token;
			else if (token >= 0 && pass == 0)
				g->begin[source + 1]++;
			else if (token >= 0 && stored++ < g->edges)
				g->target[place[source]++] = (uint32_t)token;
		}
		for (uint32_t v = 0; v < g->vertices && pass == 0; v++)
			place[v + 1] = g->begin[v + 1] += g->begin[v];
		if (g->begin[g->vertices] != g->edges)
			fail("the file has another number of edges");
	}
	fclose(file);
	free(place);
}

/* Walks along unused edges until a vertex has none, and then goes back along the walk. Edges get their places in
 * reverse order. The first walk ends where it begins, with no unused edge there. Returns the number of places. */
static uint32_t search(const graph *g, uint32_t *next, uint32_t *trail, uint32_t *order)
{
	uint32_t length = 0, placed = 0, at = 0;
	memcpy(next, g->begin, g->vertices * sizeof *next);
	while (at < g->vertices && g->begin[at] == g->begin[at + 1])
		at++;
	for (;;) {
		for (; next[at] < g->begin[at + 1]; at = g->target[trail[length++]])
			trail[length] = next[at]++;
		if (length == 0)
			return placed;
		order[g->edges - ++placed] = trail[--length];
		if (length)
			at = g->target[trail[length - 1]];
	}
}

/* The search takes each edge once. Here each edge must begin where the edge before it ends, also around the circuit. */
static void check(const graph *g, const uint32_t *order)
{
	for (uint32_t i = 0; i < g->edges; i++) {
		const uint32_t end = g->target[order[i]], next = order[i + 1 < g->edges ? i + 1 : 0];
		if (next < g->begin[end] || next >= g->begin[end + 1])
			fail("the order is no circuit");
	}
}

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(int argc, char **argv)
{
	double best = 0;
	if (argc != 4)
		fail("usage: hierholzer VERTICES EDGES F.adj");
	graph g = { .vertices = (uint32_t)strtoul(argv[1], NULL, 10), .edges = (uint32_t)strtoul(argv[2], NULL, 10) };
	g.begin = array((size_t)g.vertices + 1, sizeof *g.begin);
	g.target = array(g.edges, sizeof *g.target);
	read_graph(&g, argv[3]);
	uint32_t *next = array(g.vertices, sizeof *next), *trail = array(g.edges, sizeof *trail);
	uint32_t *order = array(g.edges, sizeof *order);
	memset(trail, 1, g.edges * sizeof *trail); /* the memory is there before the clock starts */
	memset(order, 1, g.edges * sizeof *order);
	for (int run = 0; run < 3; run++) {
		double since = now();
		if (search(&g, next, trail, order) != g.edges)
			fail("the graph has no Euler circuit");
		double seconds = now() - since;
		best = run == 0 || seconds < best ? seconds : best;
	}
	check(&g, order);
	printf("%.9f\n", best);
	return 0;
}
