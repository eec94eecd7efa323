#include "pattern/shapes/motif_census.h"

#include <string.h>
#include <strings.h>

enum { PAIRS = GEMP_MAX_MOTIF * (GEMP_MAX_MOTIF - 1) / 2, SETS = 1 << PAIRS };

/* Pairs are numbered by columns of the triangle: (0,1), (0,2), (1,2), (0,3), ... */
unsigned gemp_census_pair(int a, int b)
{
	int low = a < b ? a : b, high = a < b ? b : a;
	return 1u << (high * (high - 1) / 2 + low);
}

/* The edge set after its vertices are renamed by image[]. */
static unsigned permuted(unsigned edges, const int *image, int vertices)
{
	unsigned out = 0;
	for (int b = 1; b < vertices; b++)
		for (int a = 0; a < b; a++)
			if (edges & gemp_census_pair(a, b))
				out |= gemp_census_pair(image[a], image[b]);
	return out;
}

/* The smallest set of edges that a permutation of the vertices [placed, vertices) yields, by trying all of them:
 * at most 5! = 120. */
static unsigned smallest_form(unsigned edges, int *image, int placed, int vertices)
{
	unsigned smallest = permuted(edges, image, vertices);
	for (int i = placed; i < vertices; i++) {
		int kept = image[placed];
		image[placed] = image[i];
		image[i] = kept;
		unsigned found = placed + 1 < vertices ? smallest_form(edges, image, placed + 1, vertices)
		                                       : permuted(edges, image, vertices);
		smallest = found < smallest ? found : smallest;
		image[i] = image[placed];
		image[placed] = kept;
	}
	return smallest;
}

/* Brute force over all permutations is fast enough for five vertices. */
static unsigned canonical_form(unsigned edges, int vertices)
{
	int image[GEMP_MAX_MOTIF];
	for (int v = 0; v < vertices; v++)
		image[v] = v;
	return smallest_form(edges, image, 0, vertices);
}

/* Grows the component of vertex 0 until it stops. */
static bool connected(unsigned edges, int vertices)
{
	unsigned reached = 1, before = 0;
	while (reached != before) {
		before = reached;
		for (int b = 1; b < vertices; b++)
			for (int a = 0; a < b; a++)
				if (edges & gemp_census_pair(a, b) && (reached >> a & 1 || reached >> b & 1))
					reached |= 1u << a | 1u << b;
	}
	return reached == (1u << vertices) - 1;
}

/* -1: the set is not connected, so it is no kind. */
static int kind_of(const gemp_census *census, unsigned form)
{
	for (int i = 0; i < census->kinds; i++)
		if (census->edges[i] == form)
			return i;
	return -1;
}

/* Enumerates all edge sets (at most 2^10) and groups them by canonical form; embeddings[i][j] counts the subsets of
 * kind j that are of kind i. */
void gemp_census_new(gemp_census *out, int vertices)
{
	int pairs = vertices * (vertices - 1) / 2;
	unsigned form[SETS];
	GEMP_CHECK(vertices >= GEMP_MIN_MOTIF && vertices <= GEMP_MAX_MOTIF);
	memset(out, 0, sizeof *out);
	out->vertices = vertices;
	for (unsigned set = 0; set < 1u << pairs; set++)
		form[set] = canonical_form(set, vertices);
	for (int edges = vertices - 1; edges <= pairs; edges++)
		for (unsigned set = 0; set < 1u << pairs; set++)
			if (form[set] == set && __builtin_popcount(set) == edges && connected(set, vertices))
				out->edges[out->kinds++] = set;
	for (int j = 0; j < out->kinds; j++)
		for (unsigned set = 0; set < 1u << pairs; set++) {
			int i = (set & out->edges[j]) == set ? kind_of(out, form[set]) : -1;
			if (i >= 0)
				out->embeddings[i][j]++;
		}
}

/* A name that is not motifs is left to named_pattern.h; a wrong K is an error here. */
gemp_code gemp_census_named(const char *name, int *vertices)
{
	static const char motifs[] = "motifs";
	size_t size = strlen(motifs);
	*vertices = 0;
	if (strncasecmp(name, motifs, size) != 0 || (name[size] && name[size] != ':'))
		return GEMP_OK;
	const char *number = name[size] ? name + size + 1 : "";
	if (strlen(number) != 1 || number[0] < '0' + GEMP_MIN_MOTIF || number[0] > '0' + GEMP_MAX_MOTIF)
		return gemp_fail(GEMP_EUSAGE,
		                 "--pattern %s: write motifs:K, K being the vertices of the patterns, from %d to %d", name,
		                 GEMP_MIN_MOTIF, GEMP_MAX_MOTIF);
	*vertices = number[0] - '0';
	return GEMP_OK;
}

/* The form that --pattern edges:... takes, so that a kind can be searched for on its own. */
void gemp_census_text(const gemp_census *census, int kind, gemp_text *out)
{
	bool any = false;
	for (int a = 0; a < census->vertices; a++)
		for (int b = a + 1; b < census->vertices; b++)
			if (census->edges[kind] & gemp_census_pair(a, b)) {
				gemp_text_print(out, "%s%d-%d", any ? "," : "", a, b);
				any = true;
			}
}

/* Solves the triangular system from the kind with most edges on, whose induced counts are its edge-induced ones. */
gemp_code gemp_census_induce(const gemp_census *census, gemp_count *counts)
{
	for (int i = census->kinds - 1; i >= 0; i--)
		for (int j = i + 1; j < census->kinds; j++) {
			gemp_count part;
			if (__builtin_mul_overflow(census->embeddings[i][j], counts[j], &part) || part > counts[i])
				return gemp_fail(GEMP_EDATA,
				                 "counts of patterns contradict each other: fewer of one with %d edges than "
				                 "patterns with %d edges contain; the graph changed while it was counted",
				                 __builtin_popcount(census->edges[i]), __builtin_popcount(census->edges[j]));
			counts[i] -= part;
		}
	return GEMP_OK;
}
