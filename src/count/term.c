#include "count/term.h"

#include <stdlib.h>
#include <string.h>

/* A term whose vertices outside the core are being attached, one after the other. */
typedef struct attach_context {
	gemp_attachments *attached;
	gemp_derivation *derivation;
	const gemp_term *term;
	unsigned core, left; /* bit sets; left: the core and the vertices that are not attached yet */
	int centre;
} attach_context;

/* Does v have no factors of its own? Only such a vertex can become part of a support or a common neighbour, since these
 * symbols count vertices and cannot multiply them by factors. */
static bool is_bare(const attach_context *h, int v)
{
	static const uint8_t none[GEMP_TABLES];
	for (int u = 0; u < h->term->size; u++)
		if (h->attached->support[v][u])
			return false;
	return memcmp(h->attached->table[v], none, sizeof none) == 0;
}

/* Returns the table of v's factors, which may be new. Vertices with equal factors share a table, since a table costs a
 * pass over all edges and 8 bytes per vertex. Returns -1 if all GEMP_TABLES are in use. */
static int find_table(const attach_context *h, int v, int u)
{
	gemp_derivation *d = h->derivation;
	gemp_monomial monomial = { 0 };
	for (int k = 0; k < GEMP_TABLES; k++)
		monomial.power[gemp_symbol_table(1, k)] = h->attached->table[v][k];
	monomial.power[gemp_symbol_support(0, 1)] = h->attached->support[v][u];
	monomial.power[GEMP_SYMBOL_OVER] = h->attached->ordered_support[v];
	monomial.power[GEMP_SYMBOL_ORDER] = h->term->rooted;
	for (size_t k = 0; k < d->table_count; k++)
		if (!memcmp(&d->tables[k], &monomial, sizeof monomial))
			return (int)k;
	if (d->table_count == GEMP_TABLES)
		return -1;
	d->tables[d->table_count] = monomial;
	return (int)d->table_count++;
}

/* Attaches the rooted subtree of v to u: v's factors become a vertex table, which becomes a factor of u. The support of
 * the edge u-v moves into the table, so both of its elements are cleared. */
static bool attach_to_vertex(attach_context *h, int v, int u)
{
	int table = find_table(h, v, u);
	if (table < 0)
		return false;
	h->attached->table[u][table]++;
	h->attached->support[v][u] = h->attached->support[u][v] = 0;
	return true;
}

/* Attaches v if the root alone is the core. v is a neighbour of the root that comes after the root, or the third vertex
 * of a triangle over the edge from the root to u. The symbol u_01 in u's table counts such triangles. A v with this
 * symbol in its own table cannot be the third vertex. */
static bool attach_to_root(attach_context *h, int v, unsigned on)
{
	if (on == 1)
		return attach_to_vertex(h, v, 0);
	int u = on ? 31 - __builtin_clz(on) : 0;
	if (!(on & 1) || __builtin_popcount(on) != 2 || !gemp_term_adjacent(h->term, 0, u) ||
	    h->attached->ordered_support[v])
		return false;
	h->attached->ordered_support[u]++;
	return true;
}

/* Attaches v to a vertex u of a core with several vertices, in a rooted term. The kernels know how many neighbours of u
 * come before or after the least corner of the triangle (low_i, up_i), and no other property of these neighbours. */
static bool attach_in_order(attach_context *h, int v, int u)
{
	if (!is_bare(h, v) || !(h->core >> u & 1))
		return false;
	if (v == 0)
		h->attached->low[u]++;
	else if (h->core & 1)
		h->attached->up[u]++;
	else
		return false;
	return true;
}

/* Attaches v to its neighbours that are left: to one as a subtree, to two adjacent ones as a triangle, or to the whole
 * core as a common neighbour. If the core has a centre, v may also be attached to the core without the centre. */
static bool attach_vertex(attach_context *h, int v)
{
	unsigned on = h->term->adjacent[v] & h->left;
	int count = __builtin_popcount(on), a = on ? __builtin_ctz(on) : 0, b = on ? 31 - __builtin_clz(on) : 0;
	if (h->term->rooted && h->core == 1)
		return attach_to_root(h, v, on);
	if (count == 1)
		return h->term->rooted ? attach_in_order(h, v, a) : attach_to_vertex(h, v, a);
	if (count < 2 || h->term->rooted || !is_bare(h, v))
		return false;
	if (h->centre >= 0 && on == h->core) {
		h->attached->common++;
		return true;
	}
	if (h->centre >= 0 && on == (h->core & ~(1u << h->centre))) {
		h->attached->codegree++;
		return true;
	}
	if (count != 2)
		return false;
	if (gemp_term_adjacent(h->term, a, b)) {
		h->attached->support[a][b]++;
		h->attached->support[b][a]++;
		return true;
	}
	if (on != h->core) /* two non-adjacent vertices must be the whole core, a pair */
		return false;
	h->attached->common++;
	return true;
}

/* Attaches vertices until only the core is left. The order of attachment does not change the factors. */
bool gemp_attach(gemp_attachments *out, gemp_derivation *derivation, const gemp_term *term, unsigned core, int centre)
{
	attach_context h = { out, derivation, term, core, (1u << term->size) - 1, centre };
	bool more = true;
	*out = (gemp_attachments){ 0 };
	while (more) {
		more = false;
		for (int v = 0; v < term->size; v++)
			if ((h.left & ~core) >> v & 1 && attach_vertex(&h, v)) {
				h.left &= ~(1u << v);
				more = true;
			}
	}
	return h.left == core;
}

#define BIT(i) ((uint8_t)(1u << (i)))

void gemp_term_set_differ(gemp_term *term, int i, int j, bool apart)
{
	term->differ[i] = (uint8_t)((term->differ[i] & ~BIT(j)) | (apart ? BIT(j) : 0));
	term->differ[j] = (uint8_t)((term->differ[j] & ~BIT(i)) | (apart ? BIT(i) : 0));
}

/* Vertex v becomes to[v]; two vertices with the same number become one. Bits in `differ` of adjacent vertices are
 * cleared, since adjacent vertices always differ. Equal terms are thus equal as bytes. */
static gemp_term renumber(const gemp_term *term, const int *to, int size)
{
	gemp_term out = { .size = size, .rooted = term->rooted };
	for (int i = 0; i < term->size; i++)
		for (int j = 0; j < term->size; j++) {
			out.adjacent[to[i]] |= (uint8_t)(gemp_term_adjacent(term, i, j) ? BIT(to[j]) : 0);
			out.differ[to[i]] |= (uint8_t)(gemp_term_differ(term, i, j) ? BIT(to[j]) : 0);
		}
	for (int i = 0; i < size; i++)
		out.differ[i] &= (uint8_t)~out.adjacent[i];
	return out;
}

/* The vertex with the greater number is removed, and greater numbers decrease by one. */
bool gemp_term_merge(const gemp_term *term, int i, int j, gemp_term *out)
{
	int to[GEMP_MAX_TERM], low = i < j ? i : j, high = i < j ? j : i;
	if (gemp_term_adjacent(term, i, j) || (term->rooted && low == 0))
		return false;
	gemp_term free = *term;
	gemp_term_set_differ(&free, i, j, false);
	for (int v = 0; v < term->size; v++)
		to[v] = v == high ? low : v - (v > high);
	*out = renumber(&free, to, term->size - 1);
	return true;
}

/* The other vertices keep their order. */
gemp_term gemp_term_root(const gemp_term *term, int root)
{
	int to[GEMP_MAX_TERM];
	for (int v = 0; v < term->size; v++)
		to[v] = v == root ? 0 : v + (v < root);
	gemp_term out = renumber(term, to, term->size);
	out.rooted = true;
	for (int v = 1; v < out.size; v++)
		gemp_term_set_differ(&out, 0, v, false);
	return out;
}

/* Backtracks over the images of the remaining vertices. A term has at most 7. */
static bool complete(const gemp_term *term, int to[GEMP_MAX_TERM], unsigned used, int known)
{
	if (known == term->size)
		return true;
	for (int v = 0; v < term->size; v++) {
		bool fits = !(used >> v & 1);
		for (int u = 0; u < known && fits; u++)
			fits = gemp_term_adjacent(term, u, known) == gemp_term_adjacent(term, to[u], v);
		to[known] = v;
		if (fits && complete(term, to, used | 1u << v, known + 1))
			return true;
	}
	return false;
}

/* Numbers i as vertex 0, maps it to j, and tries to extend the map to an automorphism. */
bool gemp_term_equivalent(const gemp_term *term, int i, int j)
{
	int to[GEMP_MAX_TERM], first[GEMP_MAX_TERM];
	for (int v = 0; v < term->size; v++)
		first[v] = v == i ? 0 : v + (v < i);
	gemp_term in_front = renumber(term, first, term->size); /* the term with i as vertex 0 */
	to[0] = first[j];
	return complete(&in_front, to, 1u << to[0], 1);
}

/* In a cycle every vertex has two neighbours in the set, and a walk along neighbours visits all vertices. */
bool gemp_term_cycle(const gemp_term *term, unsigned set, int cycle[GEMP_MAX_TERM])
{
	int length = __builtin_popcount(set), at = __builtin_ctz(set);
	unsigned left = set;
	for (unsigned v = set; v; v &= v - 1)
		if (__builtin_popcount(term->adjacent[__builtin_ctz(v)] & set) != 2)
			return false;
	for (int i = 0; i < length; i++) {
		cycle[i] = at;
		left &= ~(1u << at);
		unsigned next = term->adjacent[at] & left;
		if (!next)
			return i == length - 1;
		at = __builtin_ctz(next);
	}
	return false;
}

/* Each vertex must be adjacent to all other vertices of the set. */
bool gemp_term_clique(const gemp_term *term, unsigned set)
{
	for (unsigned v = set; v; v &= v - 1) {
		int i = __builtin_ctz(v);
		if ((term->adjacent[i] & set) != (set & ~(1u << i)))
			return false;
	}
	return true;
}
