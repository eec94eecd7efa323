#include "count/derive.h"

#include <string.h>

enum { MAX_TERMS = 1 << 14, SLOTS = 1 << 15, IMPOSSIBLE = 1 << 28 };

/* A way to count a term: a kind of sum, and the vertices of the term that the sum visits. */
typedef struct sum_choice {
	bool known;
	int kind; /* gemp_sum_kind, or BY_DIFFERENCE */
	unsigned core;
	int centre; /* the middle vertex of a core of NEIGHBOURS; -1 for other kinds */
	int cost;
} sum_choice;

/* An entry of the memo table: a term and the best way to count it. */
typedef struct term_entry {
	gemp_term term;
	sum_choice best;
} term_entry;

/* The memoised search, and the symbols that it may use. */
typedef struct derive_search {
	term_entry *entries; /* [SLOTS] a hash table with open addressing */
	size_t count;
	bool too_many_terms; /* the search reached more than MAX_TERMS terms */
	bool codegrees, ordered;
} derive_search;

/* A kind of sum for rooted terms: all maps minus the maps in which another vertex has the least slot. */
enum { BY_DIFFERENCE = GEMP_SUM_CLIQUES + 1 };

/* Relative times of kernels on graphs of 10^5 to 10^7 edges. Wrong costs make a count slower, not wrong. */
static const int kind_cost[] = {
	[GEMP_SUM_VERTICES] = 1,     [GEMP_SUM_EDGES] = 2,        [GEMP_SUM_TRIANGLES] = 15, [GEMP_SUM_WEDGES] = 60,
	[GEMP_SUM_PAIRS] = 200,      [GEMP_SUM_NEIGHBOURS] = 300, [GEMP_SUM_JOINED] = 150,   [GEMP_SUM_CLIQUES] = 30,
	[GEMP_SUM_PATH_PAIRS] = 600, [BY_DIFFERENCE] = 0,
};
enum { TABLE_COST = 2, SUPPORT_COST = 12, ORDERED_COST = 16, CODEGREE_COST = 500 };

/* May the term be counted BY_DIFFERENCE? That recurses into the terms with another vertex as the root. The recursion
 * ends if each vertex that is not equivalent to the root has more neighbours than the root. At least one such vertex
 * must exist. */
static bool root_is_least(const gemp_term *term)
{
	int others = 0;
	for (int u = 1; u < term->size; u++) {
		if (gemp_term_equivalent(term, 0, u))
			continue;
		if (__builtin_popcount(term->adjacent[u]) <= __builtin_popcount(term->adjacent[0]))
			return false;
		others++;
	}
	return others > 0;
}

/* Does the core have the shape that this kind of sum visits? */
static bool core_is(const gemp_term *term, const sum_choice *c)
{
	unsigned core = c->core;
	int size = __builtin_popcount(core), cycle[GEMP_MAX_TERM];
	switch (c->kind) {
	case GEMP_SUM_VERTICES: return size == 1 && (!term->rooted || core == 1);
	case GEMP_SUM_EDGES: return size == 2 && !term->rooted && gemp_term_clique(term, core);
	case GEMP_SUM_PAIRS: return size == 2 && !term->rooted && !gemp_term_clique(term, core);
	case GEMP_SUM_TRIANGLES: return size == 3 && gemp_term_clique(term, core);
	case GEMP_SUM_WEDGES: return size == 4 && !term->rooted && gemp_term_cycle(term, core, cycle);
	case GEMP_SUM_NEIGHBOURS:
		return size == 3 && !term->rooted && (term->adjacent[c->centre] & core) == (core & ~(1u << c->centre));
	case GEMP_SUM_JOINED: return size == 5 && term->size == 5 && gemp_term_cycle(term, core, cycle);
	case GEMP_SUM_PATH_PAIRS: return size == 6 && term->size == 6 && gemp_term_cycle(term, core, cycle);
	case BY_DIFFERENCE: return term->rooted && size == term->size && root_is_least(term);
	case GEMP_SUM_CLIQUES: return size >= 4 && term->size == size && !term->rooted && gemp_term_clique(term, core);
	}
	return false;
}

/* Does this kind of sum visit only maps in which the non-adjacent core vertices i and j are different? */
static bool must_differ(const gemp_term *term, int kind, int i, int j)
{
	if (kind == GEMP_SUM_PATH_PAIRS && term->rooted)
		return (term->adjacent[i] & term->adjacent[j]) != 0; /* opposite vertices of the cycle may be equal */
	return kind == GEMP_SUM_PATH_PAIRS || kind == BY_DIFFERENCE || kind == GEMP_SUM_PAIRS || kind == GEMP_SUM_WEDGES ||
	       kind == GEMP_SUM_NEIGHBOURS || (kind == GEMP_SUM_JOINED && !term->rooted);
}

/* The terms that correct a sum: the number of maps of the term is its own sum plus the signed counts of all `terms`. */
typedef struct coincidences {
	int count;
	gemp_term rest; /* the term in which exactly those pairs must differ that the sum keeps different */
	gemp_term terms[GEMP_MAX_TERM * GEMP_MAX_TERM];
	int sign[GEMP_MAX_TERM * GEMP_MAX_TERM];
} coincidences;

/* Inclusion and exclusion, one pair of vertices after the other: if the term requires a pair to differ and the sum does
 * not, the maps in which the two are equal are subtracted. In the opposite case they are added. */
static void find_coincidences(coincidences *out, const gemp_term *term, int kind, unsigned core)
{
	gemp_term now = *term;
	*out = (coincidences){ 0 };
	for (int i = term->rooted; i < term->size; i++) /* the root differs from all other vertices */
		for (int j = i + 1; j < term->size; j++) {
			bool in_core = core >> i & 1 && core >> j & 1, apart = gemp_term_differ(&now, i, j);
			bool wanted = in_core && must_differ(term, kind, i, j) && !gemp_term_adjacent(term, i, j);
			if (apart == wanted)
				continue;
			gemp_term_set_differ(&now, i, j, false);
			if (gemp_term_merge(&now, i, j, &out->terms[out->count]))
				out->sign[out->count++] = apart ? -1 : 1;
			gemp_term_set_differ(&now, i, j, wanted);
		}
	out->rest = now;
}

/* Finds places 0, 1, 2 of a wedge in a square whose least vertex is r. The fourth vertex of the square has no place in
 * a wedge, so it must have no factors. Both directions around the square are tried. */
static bool square_places(const gemp_attachments *attached, const int *square, int r, int place[3])
{
	static const uint8_t none[GEMP_TABLES];
	for (int step = 1; step <= 3; step += 2) {
		int last = square[(r + 3 * step) % 4];
		for (int i = 0; i < 3; i++)
			place[i] = square[(r + i * step) % 4];
		if (!memcmp(attached->table[last], none, sizeof none) && !attached->support[last][place[0]] &&
		    !attached->support[last][place[2]])
			return true;
	}
	return false;
}

/* Any corner of the square may be the least vertex, so there must be places for each corner. */
static bool has_square_places(const gemp_term *term, unsigned core, const gemp_attachments *attached)
{
	int square[GEMP_MAX_TERM], place[3];
	gemp_term_cycle(term, core, square);
	for (int r = 0; r < 4; r++)
		if (!square_places(attached, square, r, place))
			return false;
	return true;
}

/* CHOOSING a sum */

/* Checks the conditions of a kind that do not follow from the shape of its core. PAIRS and NEIGHBOURS visit only pairs
 * with common neighbours, WEDGES need a corner without factors, and rooted sums need a device with ordered supports. */
static bool is_countable(const derive_search *d, const gemp_term *term, const sum_choice *c,
                         const gemp_attachments *attached)
{
	switch (c->kind) {
	case GEMP_SUM_PAIRS: return attached->common > 0;
	case GEMP_SUM_NEIGHBOURS: return attached->common > 0 && (!attached->codegree || d->codegrees);
	case GEMP_SUM_WEDGES: return has_square_places(term, c->core, attached);
	case GEMP_SUM_VERTICES: return d->ordered || !term->rooted;
	case GEMP_SUM_PATH_PAIRS:
	case BY_DIFFERENCE: return d->ordered;
	default: return true;
	}
}

/* Cost of the sum alone: of its kind, of a pass for each vertex table, and of supports if a factor needs them. */
static int own_cost(const derive_search *d, const gemp_term *term, const sum_choice *c)
{
	gemp_derivation scratch = { .table_count = 1 };
	gemp_attachments attached;
	if (!core_is(term, c) || !gemp_attach(&attached, &scratch, term, c->core, c->centre) ||
	    !is_countable(d, term, c, &attached))
		return IMPOSSIBLE;
	int cost = kind_cost[c->kind] + TABLE_COST * (int)(scratch.table_count - 1) +
	           (attached.codegree ? CODEGREE_COST : 0);
	if (c->kind == GEMP_SUM_NEIGHBOURS)
		return cost + SUPPORT_COST;
	for (int i = 0; i < term->size; i++)
		for (int j = 0; j < i; j++)
			if (attached.support[i][j])
				return cost + SUPPORT_COST;
	for (size_t k = 0; k < scratch.table_count; k++)
		if (scratch.tables[k].power[gemp_symbol_support(0, 1)] || scratch.tables[k].power[GEMP_SYMBOL_OVER])
			return cost + (term->rooted ? ORDERED_COST : SUPPORT_COST);
	return cost;
}

/* Returns the term's entry, or the empty entry for it. The hash is FNV-1a (Fowler, Noll, Vo) over the bytes of the
 * term, whose padding is zero. SLOTS is twice MAX_TERMS, so linear probing always ends. */
static term_entry *find_term(derive_search *d, const gemp_term *term)
{
	uint64_t hash = UINT64_C(14695981039346656037);
	for (size_t i = 0; i < sizeof *term; i++)
		hash = (hash ^ ((const unsigned char *)term)[i]) * UINT64_C(1099511628211);
	size_t at = hash % SLOTS;
	while (d->entries[at].term.size && memcmp(&d->entries[at].term, term, sizeof *term))
		at = (at + 1) % SLOTS;
	return &d->entries[at];
}

/* Sorts the vertices by their own degrees and those of their neighbours, so that most isomorphic terms become equal.
 * The order is not canonical: an isomorphic term that is not found is only derived again. */
static gemp_term normalize(const gemp_term *term)
{
	int key[GEMP_MAX_TERM], order[GEMP_MAX_TERM];
	gemp_term out;
	memset(&out, 0, sizeof out); /* padding is compared and hashed */
	for (int v = 0; v < term->size; v++) {
		key[v] = __builtin_popcount(term->adjacent[v]) * 64 + __builtin_popcount(term->differ[v]);
		for (int u = 0; u < term->size; u++)
			if (gemp_term_adjacent(term, v, u))
				key[v] += 512 * __builtin_popcount(term->adjacent[u]);
		if (term->rooted && v == 0)
			key[v] = -1;
		int at = v;
		for (; at > 0 && key[order[at - 1]] > key[v]; at--)
			order[at] = order[at - 1];
		order[at] = v;
	}
	out.size = term->size;
	out.rooted = term->rooted;
	for (int i = 0; i < term->size; i++)
		for (int j = 0; j < term->size; j++) {
			out.adjacent[i] |= (uint8_t)(gemp_term_adjacent(term, order[i], order[j]) << j);
			out.differ[i] |= (uint8_t)(gemp_term_differ(term, order[i], order[j]) << j);
		}
	return out;
}

static int cost_of(derive_search *d, const gemp_term *term);

/* JOINED and PATH_PAIRS count cycles at the least vertex: a cycle of n vertices is n times the rooted cycle. */
static bool is_rooted_cycle(const sum_choice *by)
{
	return by->kind == GEMP_SUM_JOINED || by->kind == GEMP_SUM_PATH_PAIRS;
}

/* The term without its root, with all non-adjacent vertices required to differ from vertex 0. */
static gemp_term without_root(const gemp_term *term)
{
	gemp_term all = *term;
	all.rooted = false;
	for (int v = 1; v < all.size; v++)
		gemp_term_set_differ(&all, 0, v, !gemp_term_adjacent(&all, 0, v));
	return all;
}

/* Cost of the term without a root and of the terms with another vertex as the root. */
static int cost_of_difference(derive_search *d, const gemp_term *rooted, int minimum)
{
	gemp_term all = without_root(rooted);
	int cost = cost_of(d, &all);
	for (int u = 1; u < all.size && cost < minimum; u++)
		if (!gemp_term_equivalent(&all, 0, u)) {
			gemp_term other = gemp_term_root(&all, u);
			cost += cost_of(d, &other);
		}
	return cost;
}

/* Branch and bound: stops when the cost of this choice reaches `minimum`, the best cost so far. */
static int cost_with(derive_search *d, const gemp_term *term, const sum_choice *by, int minimum)
{
	coincidences c;
	int cost = own_cost(d, term, by);
	if (cost >= minimum)
		return IMPOSSIBLE;
	find_coincidences(&c, term, by->kind, by->core);
	if (is_rooted_cycle(by) && !term->rooted) {
		gemp_term rooted = gemp_term_root(&c.rest, 0); /* every vertex of a cycle is equivalent to vertex 0 */
		cost += cost_of(d, &rooted);
	}
	if (by->kind == BY_DIFFERENCE)
		cost += cost_of_difference(d, &c.rest, minimum);
	for (int i = 0; i < c.count && cost < minimum; i++)
		cost += cost_of(d, &c.terms[i]);
	return cost;
}

/* Tries one kind of sum with one core. NEIGHBOURS is tried with each vertex of the core as the centre. */
static void try_sum(derive_search *d, const gemp_term *term, int kind, unsigned core, sum_choice *best)
{
	unsigned centres = kind == GEMP_SUM_NEIGHBOURS ? core : 1;
	for (; centres; centres &= centres - 1) {
		sum_choice by = { true, kind, core, kind == GEMP_SUM_NEIGHBOURS ? __builtin_ctz(centres) : -1, 0 };
		by.cost = cost_with(d, term, &by, best->cost);
		if (by.cost < best->cost)
			*best = by;
	}
}

/* Searches all cores and kinds, with memoisation. A term that needs too many other terms is not counted, since the
 * search would be slow. The entry is looked up again after the loop, because the recursion adds entries. */
static int cost_of(derive_search *d, const gemp_term *original)
{
	gemp_term term = normalize(original);
	term_entry *e = find_term(d, &term);
	if (e->best.known)
		return e->best.cost;
	sum_choice best = { true, GEMP_SUM_VERTICES, 0, -1, IMPOSSIBLE };
	if (++d->count > MAX_TERMS) {
		d->too_many_terms = true;
		return IMPOSSIBLE;
	}
	for (unsigned core = 1; core < 1u << term.size; core++)
		for (int kind = GEMP_SUM_VERTICES; kind <= BY_DIFFERENCE; kind++)
			try_sum(d, &term, kind, core, &best);
	e = find_term(d, &term);
	*e = (term_entry){ term, best };
	return best.cost;
}

/* ADDING UP the sums of the chosen ways */
typedef struct sum_builder {
	derive_search *derive_search;
	gemp_derivation *out;
	bool fits;
} sum_builder;

/* The product of the core's factors: the factors of core[i] become symbols of place[i]. */
static gemp_monomial place_factors(const gemp_attachments *attached, const int *core, const int *place, int size)
{
	gemp_monomial m = { 0 };
	for (int i = 0; i < size; i++) {
		for (int k = 0; k < GEMP_TABLES; k++)
			m.power[gemp_symbol_table(place[i], k)] = attached->table[core[i]][k];
		m.power[GEMP_SYMBOL_LOW + place[i]] = attached->low[core[i]];
		m.power[GEMP_SYMBOL_UP + place[i]] = attached->up[core[i]];
		for (int j = 0; j < i; j++)
			if (attached->support[core[i]][core[j]])
				m.power[gemp_symbol_support(place[i], place[j])] = attached->support[core[i]][core[j]];
	}
	m.power[GEMP_SYMBOL_COMMON] = (uint8_t)attached->common;
	return m;
}

/* Adds a monomial to the sum of this kind. fits becomes false if a coefficient exceeds 63 bits or there are too many
 * monomials; then the pattern is not counted by sums. */
static void add(sum_builder *a, int kind, const gemp_monomial *m, int64_t factor)
{
	a->fits = a->fits && gemp_polynomial_add(&a->out->sums[kind], m, factor);
}

/* Adds the product of the core's factors, with core[i] at place[i]. */
static void add_placed(sum_builder *a, const sum_choice *by, const gemp_attachments *attached, const int *core,
                       const int *place, int size, int64_t factor)
{
	gemp_monomial m = place_factors(attached, core, place, size);
	add(a, by->kind, &m, factor);
}

/* Adds a monomial for each order of the core's vertices: a sum visits an edge, pair or triangle once, but a map exists
 * for each order. */
static void add_all_orders(sum_builder *a, const gemp_term *term, const sum_choice *by,
                           const gemp_attachments *attached, int64_t factor)
{
	static const int orders[6][3] = { { 0, 1, 2 }, { 0, 2, 1 }, { 1, 0, 2 }, { 2, 0, 1 }, { 1, 2, 0 }, { 2, 1, 0 } };
	static const int pairs[2][2] = { { 0, 2 }, { 2, 0 } }, edges[2][2] = { { 0, 1 }, { 1, 0 } };
	int core[GEMP_MAX_TERM], size = 0;
	for (unsigned v = by->core; v; v &= v - 1)
		core[size++] = __builtin_ctz(v);
	if (size == 1)
		add_placed(a, by, attached, core, orders[0], 1, factor);
	for (int w = 0; size == 2 && w < 2; w++)
		add_placed(a, by, attached, core, by->kind == GEMP_SUM_PAIRS ? pairs[w] : edges[w], 2, factor);
	bool fixed = term->rooted && by->core & 1; /* the root, vertex 0, must be at place 0, the least */
	for (int w = 0; size == 3 && w < (fixed ? 2 : 6); w++)
		add_placed(a, by, attached, core, orders[w], 3, factor);
}

/* Of the c common neighbours of vertices 0 and 2, all but vertex 1 can be the fourth vertex of the square. */
static void add_square(sum_builder *a, const gemp_term *term, const sum_choice *by, const gemp_attachments *attached,
                       int64_t factor)
{
	static const int places[] = { 0, 1, 2 };
	int square[GEMP_MAX_TERM], place[3];
	gemp_term_cycle(term, by->core, square);
	for (int r = 0; r < 4; r++) {
		square_places(attached, square, r, place);
		gemp_monomial m = place_factors(attached, place, places, 3);
		add(a, GEMP_SUM_WEDGES, &m, -factor); /* vertex 1 itself is not the fourth vertex */
		m.power[GEMP_SYMBOL_COMMON]++;
		add(a, GEMP_SUM_WEDGES, &m, factor);
	}
}

/* Adds a monomial for both orders of the centre's two neighbours. */
static void add_neighbours(sum_builder *a, const gemp_term *term, const sum_choice *by,
                           const gemp_attachments *attached, int64_t factor)
{
	static const int places[2][3] = { { 1, 0, 2 }, { 1, 2, 0 } };
	unsigned ends = by->core & ~(1u << by->centre);
	const int core[] = { by->centre, __builtin_ctz(ends), 31 - __builtin_clz(ends) };
	for (int w = 0; w < 2; w++) {
		gemp_monomial m = place_factors(attached, core, places[w], 3);
		m.power[GEMP_SYMBOL_ADJACENT] = gemp_term_adjacent(term, core[1], core[2]);
		m.power[GEMP_SYMBOL_CODEGREE] = (uint8_t)attached->codegree;
		add(a, GEMP_SUM_NEIGHBOURS, &m, factor);
	}
}

static void add_term(sum_builder *a, const gemp_term *original, int64_t factor);

/* Subtracts, from the maps without a root, the maps with any vertex as the root that is not equivalent to vertex 0. The
 * `alike` vertices that are equivalent to vertex 0 share the remainder equally. The scale of 6! keeps the division
 * exact. */
static void add_difference(sum_builder *a, const gemp_term *rooted, int64_t factor)
{
	gemp_term all = without_root(rooted);
	int alike = 1;
	for (int u = 1; u < all.size; u++)
		alike += gemp_term_equivalent(&all, 0, u);
	a->fits = a->fits && factor % alike == 0;
	add_term(a, &all, factor / alike);
	for (int u = 1; u < all.size; u++)
		if (!gemp_term_equivalent(&all, 0, u)) {
			gemp_term other = gemp_term_root(&all, u);
			add_term(a, &other, -factor / alike);
		}
}

/* Adds the way that the search chose for the term, and recursively its corrections. */
static void add_term(sum_builder *a, const gemp_term *original, int64_t factor)
{
	gemp_term term = normalize(original);
	const sum_choice by = find_term(a->derive_search, &term)->best;
	gemp_attachments attached;
	coincidences c;
	find_coincidences(&c, &term, by.kind, by.core);
	for (int i = 0; i < c.count; i++)
		add_term(a, &c.terms[i], c.sign[i] * factor);
	a->fits = a->fits && gemp_attach(&attached, a->out, &term, by.core, by.centre);
	if (!a->fits)
		return;
	if (by.kind == GEMP_SUM_CLIQUES) {
		a->out->plain[term.size] += factor * gemp_factorial(term.size);
	} else if (by.kind == GEMP_SUM_JOINED && term.rooted) {
		a->out->plain[GEMP_PLAIN_JOINED] += 2 * factor; /* the edge w-y counts in both directions */
	} else if (by.kind == GEMP_SUM_PATH_PAIRS && term.rooted) {
		a->out->plain[GEMP_PLAIN_PATH_PAIRS] += 2 * factor; /* the two paths count in both orders */
	} else if (is_rooted_cycle(&by)) {
		gemp_term rooted = gemp_term_root(&c.rest, 0);
		add_term(a, &rooted, term.size * factor);
	} else if (by.kind == BY_DIFFERENCE) {
		add_difference(a, &c.rest, factor);
	} else if (by.kind == GEMP_SUM_WEDGES) {
		add_square(a, &term, &by, &attached, factor);
	} else if (by.kind == GEMP_SUM_NEIGHBOURS) {
		add_neighbours(a, &term, &by, &attached, factor);
	} else {
		add_all_orders(a, &term, &by, &attached, factor);
	}
}

/* Replaces the sum of supports alone by 3 times the number of triangles, if nothing else needs supports. */
static void prefer_triangles(sum_builder *a)
{
	gemp_derivation *d = a->out;
	gemp_polynomial *edges = &d->sums[GEMP_SUM_EDGES];
	gemp_monomial support = { 0 };
	const gemp_monomial one = { 0 };
	bool others = d->sums[GEMP_SUM_WEDGES].count || d->sums[GEMP_SUM_NEIGHBOURS].count || d->table_count > 1;
	support.power[gemp_symbol_support(0, 1)] = 1;
	if (others || edges->count != 1 || memcmp(&edges->terms[0].monomial, &support, sizeof support))
		return;
	add(a, GEMP_SUM_TRIANGLES, &one, 3 * edges->terms[0].factor);
	edges->count = 0;
}

/* Replaces the number of triangles by half the sum of a vertex table, if a table already counts the triangles at each
 * least vertex: that table contains each triangle twice. */
static void prefer_table(sum_builder *a)
{
	gemp_derivation *d = a->out;
	gemp_polynomial *triangles = &d->sums[GEMP_SUM_TRIANGLES];
	gemp_monomial over = { 0 }, table = { 0 };
	const gemp_monomial one = { 0 };
	size_t k = 0;
	over.power[GEMP_SYMBOL_ORDER] = over.power[GEMP_SYMBOL_OVER] = 1;
	while (k < d->table_count && memcmp(&d->tables[k], &over, sizeof over))
		k++;
	if (k == d->table_count || triangles->count != 1 || memcmp(&triangles->terms[0].monomial, &one, sizeof one) ||
	    triangles->terms[0].factor % 2)
		return;
	table.power[gemp_symbol_table(0, (int)k)] = 1;
	add(a, GEMP_SUM_VERTICES, &table, triangles->terms[0].factor / 2);
	triangles->count = 0;
}

/* Finds the way of least cost for each term and for every correction, then adds up the sums of these ways. */
gemp_code gemp_derive(gemp_derivation *out, const gemp_term_sum *terms, bool codegrees, bool ordered, bool *found)
{
	GEMP_OWNED term_entry *entries = NULL;
	GEMP_TRY(GEMP_NEW(entries, SLOTS));
	derive_search d = { .entries = entries, .codegrees = codegrees, .ordered = ordered };
	*out = (gemp_derivation){ .table_count = 1 };
	sum_builder a = { &d, out, true };
	for (size_t i = 0; i < terms->count; i++)
		*found = (!i || *found) && cost_of(&d, &terms->summands[i].term) < IMPOSSIBLE && !d.too_many_terms;
	for (size_t i = 0; i < terms->count && *found; i++)
		add_term(&a, &terms->summands[i].term, terms->summands[i].sign * GEMP_DERIVATION_SCALE);
	prefer_triangles(&a);
	prefer_table(&a);
	*found = *found && a.fits;
	return GEMP_OK;
}
