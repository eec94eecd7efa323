#include "count/attachment.h"

#include <string.h>

typedef struct attach_context {
	gemp_attachments *attached;
	gemp_derivation *derivation;
	const gemp_term *term;
	unsigned core, left; /* bit sets; left: vertices not yet attached, the core among them */
	int centre;
} attach_context;

/* A vertex without attached factors of its own. Only such a vertex can become part of a support or a common
 * neighbour, since these symbols count vertices and do not weigh them. */
static bool is_bare(const attach_context *h, int v)
{
	static const uint8_t none[GEMP_TABLES];
	for (int u = 0; u < h->term->size; u++)
		if (h->attached->support[v][u])
			return false;
	return memcmp(h->attached->table[v], none, sizeof none) == 0;
}

/* Tables are shared between vertices whose attached factors are equal: each table costs one pass over all edges
 * and 8 bytes per vertex. Returns -1 when all GEMP_TABLES are in use. */
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

/* A rooted subtree: its factors become a vertex table, and that table becomes a factor of u. The support of the
 * edge u-v moves into the table, so both entries are cleared here. */
static bool attach_to_vertex(attach_context *h, int v, int u)
{
	int table = find_table(h, v, u);
	if (table < 0)
		return false;
	h->attached->table[u][table]++;
	h->attached->support[v][u] = h->attached->support[u][v] = 0;
	return true;
}

/* Case of a core that is the root alone: v is a neighbour of the root that comes after it, or it closes a triangle
 * over the edge from the root to u. Such triangles are the symbol u_01 of u's table; v must not carry that factor
 * itself. */
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

/* A rooted term with a larger core (a triangle): the kernels know how many neighbours of a corner come before or
 * after the least corner (low_i, up_i), and nothing else about them. */
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

/* Attaches v to the vertices that are left: by one neighbour as a subtree, by two adjacent ones as a triangle, or by
 * the whole core as a common neighbour. */
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
	if (on != h->core) /* else a pair */
		return false;
	h->attached->common++;
	return true;
}

/* Peels vertices until only the core is left; the order does not change the factors. */
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
