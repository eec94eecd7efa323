/* The first half is the census: sets of edges on at most five vertices are bit sets, and brute force over all
 * permutations gives their canonical form. The second half builds the patterns of named shapes.
 */

#include "pattern/shapes/named_pattern.h"

#include "pattern/shapes/small_shapes.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { PAIRS = GEMP_MAX_MOTIF * (GEMP_MAX_MOTIF - 1) / 2, SETS = 1 << PAIRS };

/* Pairs are numbered by columns of the triangle: (0,1), (0,2), (1,2), (0,3), ... */
unsigned gemp_census_pair(int a, int b)
{
	int low = a < b ? a : b, high = a < b ? b : a;
	return 1u << (high * (high - 1) / 2 + low);
}

/* Returns the edge set after image[] renames its vertices. */
static unsigned permuted(unsigned edges, const int *image, int vertices)
{
	unsigned out = 0;
	for (int b = 1; b < vertices; b++)
		for (int a = 0; a < b; a++)
			if (edges & gemp_census_pair(a, b))
				out |= gemp_census_pair(image[a], image[b]);
	return out;
}

/* Returns the smallest set of edges that a permutation of the vertices [placed, vertices) yields, by trying all
 * permutations, at most 5! = 120. */
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

/* Returns -1 if the form is no kind, since it is not connected. */
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

/* Other names are no error here, since gemp_pattern_named reads them; a wrong K is an error. */
gemp_code gemp_census_named(const char *name, int *vertices)
{
	static const char motifs[] = "motifs";
	size_t size = strlen(motifs);
	*vertices = 0;
	if (strncasecmp(name, motifs, size) != 0 || (name[size] && name[size] != ':'))
		return GEMP_OK;
	const char *number = name[size] ? name + size + 1 : "";
	if (strlen(number) != 1 || number[0] < '0' + GEMP_MIN_MOTIF || number[0] > '0' + GEMP_MAX_MOTIF)
		return gemp_fail(GEMP_EUSAGE, "pattern %s: write motifs:K, K being the vertices of the patterns, from %d to %d",
		                 name, GEMP_MIN_MOTIF, GEMP_MAX_MOTIF);
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

/* The table of names has edges as text, of vertices below 10. */
static unsigned edges_of(const char *text)
{
	unsigned set = 0;
	for (const char *at = text; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
		set |= gemp_census_pair(at[0] - '0', at[2] - '0');
	return set;
}

const char *gemp_census_name(const gemp_census *census, int kind)
{
	const gemp_small_shape *shape;
	for (size_t i = 0; (shape = gemp_small_shape_at(i)); i++)
		if (shape->vertices == census->vertices && gemp_census_kind(census, edges_of(shape->edges)) == kind)
			return shape->name;
	return "";
}

gemp_code gemp_census_pattern(gemp_pattern **out, const gemp_census *census, int kind)
{
	GEMP_OWNED_BY(gemp_text_free) gemp_text name = { 0 };
	gemp_text_print(&name, "edges:");
	gemp_census_text(census, kind, &name);
	GEMP_TRY(gemp_text_status(&name));
	return gemp_pattern_named(out, name.data);
}

int gemp_census_kind(const gemp_census *census, unsigned edges)
{
	return kind_of(census, canonical_form(edges, census->vertices));
}

/* Turns edge-induced counts into vertex-induced counts, for the kinds that contain kind `least`, or for all kinds if
 * `least` is -1. The complete graph comes first, since its two counts are equal. Then each kind subtracts its copies in
 * the kinds with more edges. A kind with more edges that contains this one also contains `least`, so its count is
 * known. */
static gemp_code solve(const gemp_census *census, int least, gemp_count *counts)
{
	for (int i = census->kinds - 1; i >= 0; i--)
		for (int j = i + 1; j < census->kinds && (least < 0 || gemp_census_contains(census, i, least)); j++) {
			gemp_count part;
			if (!gemp_census_contains(census, j, i))
				continue;
			if (__builtin_mul_overflow(census->embeddings[i][j], counts[j], &part) || part > counts[i])
				return gemp_fail(GEMP_EDATA,
				                 "counts of patterns contradict each other: fewer of one with %d edges than "
				                 "patterns with %d edges contain; the graph changed while it was counted",
				                 __builtin_popcount(census->edges[i]), __builtin_popcount(census->edges[j]));
			counts[i] -= part;
		}
	return GEMP_OK;
}

gemp_code gemp_census_induce(const gemp_census *census, gemp_count *counts)
{
	return solve(census, -1, counts);
}

/* The sum is at most the edge-induced count of kind i, so it does not overflow. */
gemp_code gemp_census_vertex_sets(const gemp_census *census, int i, gemp_count *counts, gemp_count *sets)
{
	*sets = 0;
	GEMP_TRY(solve(census, i, counts));
	for (int j = i; j < census->kinds; j++)
		*sets += gemp_census_contains(census, j, i) ? counts[j] : 0;
	return GEMP_OK;
}

/* Edges of shapes have neither types nor a direction. */
static gemp_code add_edge(gemp_pattern *pattern, int from, int to)
{
	return gemp_pattern_add_edge(pattern, NULL, from, to, GEMP_EITHER);
}

/* Adds vertices until there are `count`. */
static gemp_code add_vertices(gemp_pattern *pattern, int count)
{
	for (int index; (int)pattern->vertex_count < count;)
		GEMP_TRY(gemp_pattern_add_vertex(pattern, NULL, &index));
	return GEMP_OK;
}

/* The path 0-1-2-..., which build_cycle closes. */
static gemp_code build_path(gemp_pattern *pattern, int n)
{
	GEMP_TRY(add_vertices(pattern, n));
	for (int v = 1; v < n; v++)
		GEMP_TRY(add_edge(pattern, v - 1, v));
	return GEMP_OK;
}

/* A path whose two ends are joined. */
static gemp_code build_cycle(gemp_pattern *pattern, int n)
{
	GEMP_TRY(build_path(pattern, n));
	return add_edge(pattern, n - 1, 0);
}

/* Every two vertices are joined. */
static gemp_code build_clique(gemp_pattern *pattern, int n)
{
	GEMP_TRY(add_vertices(pattern, n));
	for (int v = 1; v < n; v++)
		for (int u = 0; u < v; u++)
			GEMP_TRY(add_edge(pattern, u, v));
	return GEMP_OK;
}

/* Vertex 0 is the centre. */
static gemp_code build_star(gemp_pattern *pattern, int leaves)
{
	GEMP_TRY(add_vertices(pattern, leaves + 1));
	for (int v = 1; v <= leaves; v++)
		GEMP_TRY(add_edge(pattern, 0, v));
	return GEMP_OK;
}

/* A cycle of four vertices with one chord. */
static gemp_code build_diamond(gemp_pattern *pattern, int n)
{
	GEMP_TRY(build_cycle(pattern, n));
	return add_edge(pattern, 0, 2);
}

/* A cycle of four vertices with a vertex joined to the ends of one edge as the roof. */
static gemp_code build_house(gemp_pattern *pattern, int n)
{
	GEMP_TRY(add_vertices(pattern, n));
	GEMP_TRY(build_cycle(pattern, n - 1));
	for (int v = 0; v < 2; v++)
		GEMP_TRY(add_edge(pattern, v, n - 1));
	return GEMP_OK;
}

/* Reads the digits at *at; returns -1 if there are none. Values beyond 9999 become 9999, which every caller refuses. */
static int read_number(const char **at)
{
	int n = isdigit((unsigned char)**at) ? 0 : -1;
	for (; isdigit((unsigned char)**at); (*at)++)
		n = n > 999 ? 9999 : n * 10 + (**at - '0');
	return n;
}

/* Reads the list `0-1,1-2` and refuses loops and repeated edges at their place. */
static gemp_code build_edges(gemp_pattern *pattern, const char *name, const char *list)
{
	const char *at = list;
	for (bool more = true; more;) {
		int u = read_number(&at), v = *at == '-' ? (at++, read_number(&at)) : -1;
		more = *at == ',';
		if (u < 0 || v < 0 || (*at && !more))
			return gemp_fail(GEMP_EUSAGE,
			                 "pattern %s: character %zu of the list: edges are two numbers, as in "
			                 "edges:0-1,1-2",
			                 name, (size_t)(at - list) + 1);
		if (u >= GEMP_MAX_PATTERN_VERTICES || v >= GEMP_MAX_PATTERN_VERTICES)
			return gemp_fail(GEMP_EUSAGE, "pattern %s: the edge %d-%d: vertices are numbered 0 to %d", name, u, v,
			                 GEMP_MAX_PATTERN_VERTICES - 1);
		if (u == v)
			return gemp_fail(GEMP_EUSAGE,
			                 "pattern %s: %d-%d is a loop; named patterns match the simple graph, which has "
			                 "none",
			                 name, u, v);
		if (gemp_pattern_joins(pattern, u, v))
			return gemp_fail(GEMP_EUSAGE, "pattern %s: the edge %d-%d is there twice", name, u, v);
		GEMP_TRY(add_vertices(pattern, (u > v ? u : v) + 1));
		GEMP_TRY(add_edge(pattern, u, v));
		at += more;
	}
	return GEMP_OK;
}

/* N lies in min_number..max_number; both are 0 for a shape without N, which has n vertices. */
static const struct shape {
	const char *name, *form;
	int min_number, max_number, n;
	gemp_code (*build)(gemp_pattern *pattern, int n);
} shapes[] = {
	{ "triangle", "triangle", 0, 0, 3, build_cycle },
	{ "cycle", "cycle:N", 3, GEMP_MAX_PATTERN_VERTICES, 0, build_cycle },
	{ "clique", "clique:N", 2, 11, 0, build_clique }, /* 55 edges; 12 would have 66 */
	{ "path", "path:N", 2, GEMP_MAX_PATTERN_VERTICES, 0, build_path },
	{ "star", "star:N", 1, GEMP_MAX_PATTERN_VERTICES - 1, 0, build_star },
	{ "diamond", "diamond", 0, 0, 4, build_diamond },
	{ "house", "house", 0, 0, 5, build_house },
	{ "edges", "edges:0-1,1-2,...", 0, 0, 0, NULL },
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

/* Lists the shapes, with a suggestion if the name is close to one. */
static gemp_code unknown_shape(const char *name, size_t size)
{
	enum { SMALL = 29 };
	const gemp_small_shape *small;
	const char *names[SHAPES + SMALL];
	size_t count = SHAPES;
	GEMP_OWNED_BY(gemp_text_free) gemp_text text = { 0 };
	GEMP_OWNED char *word = gemp_strndup(name, size);
	for (size_t i = 0; i < SHAPES; i++) {
		names[i] = shapes[i].name;
		gemp_text_print(&text, "%s%s", i ? ", " : "", shapes[i].form);
	}
	for (size_t i = 0; (small = gemp_small_shape_at(i)) && count < SHAPES + SMALL; i++)
		if (!strchr(small->name, ':') && strcmp(small->name, "triangle") != 0) {
			names[count++] = small->name;
			gemp_text_print(&text, ", %s", small->name);
		}
	GEMP_TRY(word ? gemp_text_status(&text) : GEMP_ENOMEM);
	const char *suggestion = gemp_text_nearest(word, names, count);
	return gemp_fail(GEMP_EUSAGE, "pattern %s: unknown shape '%s'%s%s%s; there are %s", name, word,
	                 suggestion ? ", did you mean '" : "", suggestion ? suggestion : "", suggestion ? "'?" : "",
	                 text.data);
}

/* `colon` is the text after the name: "" or ":N". */
static gemp_code build_shape(gemp_pattern *pattern, const struct shape *shape, const char *name, const char *colon)
{
	if (!shape->build && *colon)
		return build_edges(pattern, name, colon + 1);
	if (!shape->build || (shape->max_number && !*colon))
		return gemp_fail(GEMP_EUSAGE, "pattern %s: write %s", name, shape->form);
	if (!shape->max_number)
		return *colon ? gemp_fail(GEMP_EUSAGE, "pattern %s: %s takes no number", name, shape->name)
		              : shape->build(pattern, shape->n);
	const char *at = colon + 1;
	int n = read_number(&at);
	if (n < shape->min_number || n > shape->max_number || *at)
		return gemp_fail(GEMP_EUSAGE,
		                 "pattern %s: in %s, N is a number from %d to %d (patterns have at most %d vertices "
		                 "and %d edges)",
		                 name, shape->form, shape->min_number, shape->max_number, GEMP_MAX_PATTERN_VERTICES,
		                 GEMP_MAX_PATTERN_EDGES);
	return shape->build(pattern, n);
}

/* Builds a shape that exists in one size only. *found becomes false if there is none of this name. */
static gemp_code build_small(gemp_pattern *pattern, const char *name, bool *found)
{
	const gemp_small_shape *shape;
	for (size_t i = 0; (shape = gemp_small_shape_at(i)); i++)
		if (strcasecmp(shape->name, name) == 0) {
			*found = true;
			return build_edges(pattern, name, shape->edges);
		}
	*found = false;
	return GEMP_OK;
}

/* Names of shapes ignore case. All vertices are returned. A list of edges may fall into several parts, which is
 * refused. */
gemp_code gemp_pattern_named(gemp_pattern **out, const char *name)
{
	GEMP_OWNED_BY(gemp_pattern_free_at) gemp_pattern *pattern = NULL;
	const struct shape *shape = shapes;
	size_t size = strcspn(name, ":");
	char prefix[256];
	while (shape < shapes + SHAPES && (strlen(shape->name) != size || strncasecmp(shape->name, name, size) != 0))
		shape++;
	bool found = shape < shapes + SHAPES;
	GEMP_TRY(gemp_pattern_new(&pattern, name, NULL));
	pattern->simple = true;
	GEMP_TRY(found ? build_shape(pattern, shape, name, name + size) : build_small(pattern, name, &found));
	if (!found)
		return unknown_shape(name, size);
	snprintf(prefix, sizeof prefix, "pattern %s", name);
	GEMP_TRY(gemp_pattern_check_connected(pattern, prefix));
	GEMP_TRY(gemp_pattern_return_vertices(pattern));
	*out = pattern;
	pattern = NULL;
	return GEMP_OK;
}
