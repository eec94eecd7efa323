#include "count/host_sums.h"

#include "core/bitset.h"
#include "core/search.h"

#include <math.h>
#include <string.h>

/* The rows of a graph, in the short names that the loops below need. */
typedef struct rows {
	const uint64_t *begin, *upper;
	const gemp_vertex *row;
} rows;

static rows rows_of(const gemp_host_worker *w)
{
	return (rows){ w->graph->view->begin, w->graph->upper, w->graph->view->neighbours };
}

static int64_t support_at(const gemp_host_graph *g, uint64_t entry)
{
	return g->support ? g->support[entry] : 0;
}

static void add_vertex(gemp_host_worker *w, uint32_t v)
{
	gemp_host_bind(w, 0, v);
	gemp_host_add(w, 1);
}

static void add_star(gemp_host_worker *w, uint32_t v)
{
	gemp_host_add_wide(w, gemp_sum_star(w->context, w->graph->tables[0][v]), 1);
}

/* An edge is taken at its end with the greater slot, which is place 1. */
static void add_edges(gemp_host_worker *w, uint32_t v)
{
	const rows r = rows_of(w);
	gemp_host_bind(w, 1, v);
	for (uint64_t i = r.begin[v]; i < r.upper[v]; i++) {
		gemp_host_bind(w, 0, r.row[i]);
		w->symbols[gemp_symbol_support(0, 1)] = support_at(w->graph, i);
		gemp_host_add(w, 1);
	}
}

/* low_<i> and up_<i> follow from the position at which vertex 0 was found in row i. Vertices 1 and 2 have vertex 0
 * itself as a neighbour, hence the - 1. */
static void bind_neighbours(gemp_host_worker *w, const gemp_vertex slot[3], const uint64_t at[3])
{
	for (int i = 0; i < 3; i++) {
		int64_t low = (int64_t)(at[i] - w->graph->view->begin[slot[i]]);
		w->symbols[GEMP_SYMBOL_LOW + i] = low;
		w->symbols[GEMP_SYMBOL_UP + i] = w->graph->tables[0][slot[i]] - low - (i > 0);
	}
}

/* A triangle is taken at its vertex with the greatest slot, place 2. The marks are positions in its row, plus one. */
static void add_triangles(gemp_host_worker *w, uint32_t v)
{
	const rows r = rows_of(w);
	const gemp_host_graph *g = w->graph;
	bool plain = !w->expression->symbols;
	for (uint64_t i = r.begin[v]; i < r.upper[v]; i++)
		w->marks[r.row[i]] = (uint32_t)(i - r.begin[v]) + 1;
	gemp_host_bind(w, 2, v);
	for (uint64_t i = r.begin[v] + 1; i < r.upper[v]; i++) {
		gemp_vertex x = r.row[i];
		int64_t found = 0;
		gemp_host_bind(w, 1, x);
		w->symbols[gemp_symbol_support(1, 2)] = support_at(g, i);
		for (uint64_t k = r.begin[x]; k < r.upper[x]; k++) {
			gemp_vertex u = r.row[k];
			if (plain || !w->marks[u]) {
				found += plain && w->marks[u];
				continue;
			}
			uint64_t at = r.begin[v] + w->marks[u] - 1;
			gemp_host_bind(w, 0, u);
			w->symbols[gemp_symbol_support(0, 1)] = support_at(g, k);
			w->symbols[gemp_symbol_support(0, 2)] = support_at(g, at);
			bind_neighbours(w, (const gemp_vertex[]){ u, x, v }, (const uint64_t[]){ r.upper[u], k, at });
			gemp_host_add(w, 1);
		}
		if (found)
			gemp_host_add(w, found);
	}
	for (uint64_t i = r.begin[v]; i < r.upper[v]; i++)
		w->marks[r.row[i]] = 0;
}

/* Returns the first entry of row x whose slot is greater than `root`. */
static uint64_t after_root(const rows *r, gemp_vertex x, uint32_t root)
{
	return r->begin[x] + gemp_lower_bound_u32(r->row + r->begin[x], r->begin[x + 1] - r->begin[x], (uint64_t)root + 1);
}

/* counts[w] becomes the number of paths root-x-w with slot w > root, over the middles x in the root's row from entry
 * `from` on. touched[0 .. result) are the ends. */
static size_t count_ends(gemp_host_worker *w, const rows *r, uint32_t root, uint64_t from)
{
	size_t found = 0;
	for (uint64_t i = from; i < r->begin[root + 1]; i++) {
		gemp_vertex x = r->row[i];
		for (uint64_t k = after_root(r, x, root); k < r->begin[x + 1]; k++)
			if (w->counts[r->row[k]]++ == 0)
				w->touched[found++] = r->row[k];
	}
	return found;
}

static void clear_ends(gemp_host_worker *w, size_t found)
{
	for (size_t i = 0; i < found; i++)
		w->counts[w->touched[i]] = 0;
}

/* Does the value of a path differ between the paths with the same ends? */
static bool depends_on_middle(const gemp_compiled *expression)
{
	uint64_t middle = UINT64_C(1) << gemp_symbol_support(0, 1) | UINT64_C(1) << gemp_symbol_support(1, 2);
	middle |= ((UINT64_C(1) << GEMP_TABLES) - 1) << gemp_symbol_table(1, 0);
	return expression->symbols & middle;
}

/* Adds the values of up to GEMP_EXPRESSION_BATCH vertices at place 2, each once, or as often as there are paths to it.
 * Their counts are c and their marks a. support: of their edges to place 1; NULL if the expression does not have
 * them. */
static void add_batch(gemp_host_worker *w, const uint32_t *ends, const uint32_t *support, size_t count, bool paths)
{
	int64_t common[GEMP_EXPRESSION_BATCH], other[GEMP_EXPRESSION_BATCH], values[GEMP_EXPRESSION_BATCH];
	int64_t tables[GEMP_TABLES][GEMP_EXPRESSION_BATCH];
	const int64_t *columns[GEMP_SYMBOLS] = { [GEMP_SYMBOL_COMMON] = common };
	columns[support ? gemp_symbol_support(1, 2) : GEMP_SYMBOL_ADJACENT] = other;
	for (size_t i = 0; i < count; i++) {
		common[i] = w->counts[ends[i]];
		other[i] = support ? support[i] : w->marks[ends[i]];
	}
	for (int k = 0; k < GEMP_TABLES; k++) {
		const int symbol = gemp_symbol_table(2, k);
		if (!gemp_host_mentions(w, symbol))
			continue;
		columns[symbol] = tables[k];
		for (size_t i = 0; i < count; i++)
			tables[k][i] = w->graph->tables[k][ends[i]];
	}
	gemp_expression_values(w->expression, w->symbols, columns, count, values);
	for (size_t i = 0; i < count; i++)
		w->total += (__int128)values[i] * (paths ? common[i] : 1);
}

/* Adds the values of ends[count], in batches if 64 bits hold them. The arguments are those of add_batch. */
static void add_ends(gemp_host_worker *w, const uint32_t *ends, const uint32_t *support, size_t count, bool paths)
{
	for (size_t i = 0; i < count && w->narrow; i += GEMP_EXPRESSION_BATCH)
		add_batch(w, ends + i, support ? support + i : NULL, gemp_min(count - i, (size_t)GEMP_EXPRESSION_BATCH), paths);
	for (size_t i = 0; i < count && !w->narrow; i++) {
		gemp_host_bind(w, 2, ends[i]);
		w->symbols[GEMP_SYMBOL_COMMON] = w->counts[ends[i]];
		w->symbols[support ? gemp_symbol_support(1, 2) : GEMP_SYMBOL_ADJACENT] = support ? support[i]
		                                                                                 : w->marks[ends[i]];
		gemp_host_add(w, paths ? w->counts[ends[i]] : 1);
	}
}

/* WEDGES: the paths are walked twice, first for c and then for the values. */
static void add_paths(gemp_host_worker *w, uint32_t root)
{
	const rows r = rows_of(w);
	const bool each = depends_on_middle(w->expression);
	size_t found = count_ends(w, &r, root, r.upper[root]);
	gemp_host_bind(w, 0, root);
	if (!each)
		add_ends(w, w->touched, NULL, found, true);
	for (uint64_t i = r.upper[root]; i < r.begin[root + 1] && each; i++) {
		gemp_vertex x = r.row[i];
		gemp_host_bind(w, 1, x);
		w->symbols[gemp_symbol_support(0, 1)] = support_at(w->graph, i);
		const uint64_t first = after_root(&r, x, root);
		const uint32_t *support = w->graph->support ? w->graph->support + first : NULL;
		add_ends(w, r.row + first, support, (size_t)(r.begin[x + 1] - first), false);
	}
	clear_ends(w, found);
}

/* PAIRS: the middles may have any slot, and each pair counts once. */
static void add_pairs(gemp_host_worker *w, uint32_t root)
{
	const rows r = rows_of(w);
	size_t found = count_ends(w, &r, root, r.begin[root]);
	for (uint64_t i = r.begin[root]; i < r.begin[root + 1]; i++)
		w->marks[r.row[i]] = 1;
	gemp_host_bind(w, 0, root);
	add_ends(w, w->touched, NULL, found, false);
	for (uint64_t i = r.begin[root]; i < r.begin[root + 1]; i++)
		w->marks[r.row[i]] = 0;
	clear_ends(w, found);
}

/* JOINED: each edge between two ends is taken at its end with the smaller slot. */
static void add_joined(gemp_host_worker *w, uint32_t root)
{
	const rows r = rows_of(w);
	size_t found = count_ends(w, &r, root, r.upper[root]);
	for (size_t i = 0; i < found; i++) {
		uint32_t end = w->touched[i];
		uint64_t sum = 0; /* less than 2^64, as there are fewer than 2^32 paths to each of fewer than 2^32 ends */
		for (uint64_t k = r.upper[end]; k < r.begin[end + 1]; k++)
			sum += w->counts[r.row[k]];
		gemp_host_add_wide(w, sum, w->counts[end]);
	}
	clear_ends(w, found);
}

/* The number of cliques of `left` vertices in the set, which has `used` words. Row i of the bitmap has `words` words:
 * the neighbours of i before i. bits[(left - 2) * words] is scratch. */
static uint64_t count_cliques(const uint64_t *bitmap, size_t words, const uint64_t *set, size_t used, int left,
                              uint64_t *bits)
{
	uint64_t found = 0;
	if (left == 1)
		return gemp_bits64_count(set, used);
	for (size_t word = 0; word < used; word++)
		for (uint64_t rest = set[word]; rest; rest &= rest - 1) {
			const uint64_t *row = bitmap + (word * 64 + (size_t)__builtin_ctzll(rest)) * words;
			for (size_t i = 0; i <= word; i++)
				bits[i] = set[i] & row[i];
			found += count_cliques(bitmap, words, bits, word + 1, left - 1, bits + words);
		}
	return found;
}

/* The clique's greatest vertex is v. The others are in its low row, whose bitmap has an edge at its greater end. */
static void add_cliques(gemp_host_worker *w, uint32_t v)
{
	const rows r = rows_of(w);
	const int clique = ((const gemp_sum *)w->context)->clique;
	const gemp_vertex *low = r.row + r.begin[v];
	size_t count = (size_t)(r.upper[v] - r.begin[v]), words = (count + 63) / 64;
	uint64_t *bitmap = w->bits, *set = bitmap + count * words;
	if (count + 1 < (size_t)clique)
		return;
	memset(w->bits, 0, (count + 1) * words * sizeof *w->bits);
	for (size_t i = 0; i < count; i++) {
		w->marks[low[i]] = (uint32_t)i + 1;
		gemp_bits64_set(set, i);
	}
	for (size_t i = 1; i < count; i++)
		for (uint64_t k = r.begin[low[i]]; k < r.upper[low[i]]; k++)
			if (w->marks[r.row[k]])
				gemp_bits64_set(bitmap + i * words, w->marks[r.row[k]] - 1);
	for (size_t i = 0; i < count; i++)
		w->marks[low[i]] = 0;
	gemp_host_add_wide(w, count_cliques(bitmap, words, set, words, clique - 1, set + words), 1);
}

static size_t longest_low(const gemp_view *view)
{
	size_t most = 0;
	for (size_t v = 0; v < view->rows; v++) {
		size_t degree = (size_t)(view->begin[v + 1] - view->begin[v]);
		most = gemp_max(most, gemp_lower_bound_u32(view->neighbours + view->begin[v], degree, v));
	}
	return most;
}

/* The words of the bitmap of the longest low row, of its set, and of the sets of count_cliques. */
static size_t clique_words(size_t low, int clique)
{
	return (low + 1 + (size_t)clique) * ((low + 63) / 64);
}

/* The row i of the bitmap of v has a bit for each neighbour of v that is adjacent to neighbour i. Only the neighbours
 * in a triangle with v are numbered: entries[i] is the entry of neighbour i. */
static size_t fill_neighbourhood(gemp_host_worker *w, uint32_t v, uint32_t *entries)
{
	const rows r = rows_of(w);
	size_t count = 0;
	for (uint64_t i = r.begin[v]; i < r.begin[v + 1]; i++)
		if (w->graph->support[i]) {
			entries[count++] = (uint32_t)(i - r.begin[v]);
			w->marks[r.row[i]] = (uint32_t)count;
		}
	size_t words = (count + 63) / 64;
	memset(w->bits, 0, count * words * sizeof *w->bits);
	for (size_t i = 0; i < count; i++) {
		gemp_vertex x = r.row[r.begin[v] + entries[i]];
		for (uint64_t k = r.begin[x]; k < r.begin[x + 1]; k++)
			if (w->marks[r.row[k]])
				gemp_bits64_set(w->bits + i * words, w->marks[r.row[k]] - 1);
	}
	for (size_t i = 0; i < count; i++)
		w->marks[r.row[r.begin[v] + entries[i]]] = 0;
	return count;
}

static bool depends_on_c_alone(const gemp_compiled *expression)
{
	return expression->symbols == UINT64_C(1) << GEMP_SYMBOL_COMMON;
}

/* NEIGHBOURS: v is place 1. A value that depends on c alone is computed once for each c, after the pairs with this c
 * have been counted. */
static void add_neighbours(gemp_host_worker *w, uint32_t v)
{
	const rows r = rows_of(w);
	const bool plain = depends_on_c_alone(w->expression);
	uint32_t *entries = w->touched;
	size_t count = fill_neighbourhood(w, v, entries), words = (count + 63) / 64;
	gemp_host_bind(w, 1, v);
	for (size_t i = 0; i < count; i++) {
		const uint64_t *left = w->bits + i * words;
		gemp_host_bind(w, 0, r.row[r.begin[v] + entries[i]]);
		w->symbols[gemp_symbol_support(0, 1)] = support_at(w->graph, r.begin[v] + entries[i]);
		for (size_t j = i + 1; j < count; j++) {
			const uint64_t *right = w->bits + j * words;
			uint32_t common = 0;
			for (size_t k = 0; k < words; k++)
				common += (uint32_t)__builtin_popcountll(left[k] & right[k]);
			if (plain || !common) {
				w->counts[common]++;
				continue;
			}
			gemp_host_bind(w, 2, r.row[r.begin[v] + entries[j]]);
			w->symbols[gemp_symbol_support(1, 2)] = support_at(w->graph, r.begin[v] + entries[j]);
			w->symbols[GEMP_SYMBOL_COMMON] = common;
			w->symbols[GEMP_SYMBOL_ADJACENT] = gemp_bits64_test(left, j);
			gemp_host_add(w, 1);
		}
	}
	w->counts[0] = 0;
	for (size_t c = 1; c < count && plain; c++) {
		w->symbols[GEMP_SYMBOL_COMMON] = (int64_t)c;
		gemp_host_add(w, w->counts[c]);
		w->counts[c] = 0;
	}
}

/* The body of the loop over vertices that computes a sum; NULL if the sum has no form for the host. */
static gemp_host_body *body_of(const gemp_sum *sum)
{
	switch (sum->kind) {
	case GEMP_SUM_VERTICES: return sum->leaves ? add_star : add_vertex;
	case GEMP_SUM_EDGES: return add_edges;
	case GEMP_SUM_TRIANGLES: return add_triangles;
	case GEMP_SUM_WEDGES: return add_paths;
	case GEMP_SUM_PAIRS: return add_pairs;
	case GEMP_SUM_JOINED: return add_joined;
	case GEMP_SUM_CLIQUES: return add_cliques;
	case GEMP_SUM_NEIGHBOURS: return add_neighbours;
	default: return NULL;
	}
}

static size_t scratch_words(const gemp_host_graph *graph, const gemp_sum *sum)
{
	size_t degree = (size_t)graph->bounds[GEMP_SYMBOL_COMMON];
	return sum->kind == GEMP_SUM_CLIQUES      ? clique_words(longest_low(graph->view), sum->clique)
	       : sum->kind == GEMP_SUM_NEIGHBOURS ? degree * ((degree + 63) / 64)
	                                          : 0;
}

gemp_code gemp_host_sums(const gemp_host_graph *graph, const gemp_count_plan *plan, __int128 totals[GEMP_MAX_SUMS])
{
	for (size_t i = 0; i < plan->sum_count; i++) {
		const gemp_sum *sum = &plan->sums[i];
		gemp_compiled expression;
		size_t words = scratch_words(graph, sum);
		totals[i] = 0;
		GEMP_TRY(gemp_expression_compile(&expression, sum->expression));
		GEMP_TRY(gemp_host_for_vertices(graph, &expression, false, words, sum, body_of(sum), &totals[i]));
	}
	return GEMP_OK;
}

/* WORK */

enum { MAX_NEIGHBOURHOOD = 1 << 14 }; /* the bitmap of this many neighbours has 32 MiB */
enum { VALUE_ENTRIES = 8 };           /* an evaluation takes as long as this number of entries */

/* Numbers of row entries that loops read, by kind of loop. */
typedef struct work {
	double marks; /* for each edge, the row of its end with the greater slot: supports */
	double lows;  /* for each edge, the low row of its end with the smaller slot: triangles, cliques */
	double paths; /* for each edge, the entries of the second row after the root: WEDGES, JOINED */
	double pairs; /* the same in both directions of each edge: PAIRS */
	double joins; /* for each root, its ends times the mean length of rows after the slot of the end */
	double most;  /* maximum length of a low row */
	double near;  /* for each vertex, the words of its bitmap that pairs of neighbours read: NEIGHBOURS */
	double degree;
} work;

/* Each edge is read at its end with the smaller slot, the root. */
static work measure(const gemp_view *view)
{
	const uint64_t *begin = view->begin;
	const gemp_vertex *row = view->neighbours;
	size_t n = view->rows;
	work w = { 0 };
	for (size_t v = 0; v < n; v++) {
		double paths = 0, behind = (double)(n - v - 1);
		size_t degree = (size_t)(begin[v + 1] - begin[v]);
		size_t low = gemp_lower_bound_u32(row + begin[v], degree, v);
		for (uint64_t i = begin[v]; i < begin[v + 1]; i++) {
			gemp_vertex x = row[i];
			size_t length = (size_t)(begin[x + 1] - begin[x]);
			size_t at = gemp_lower_bound_u32(row + begin[x], length, v);
			w.pairs += (double)(length - at);
			if (x < v)
				continue;
			w.marks += (double)length;
			paths += (double)(length - at);
			w.lows += (double)low;
		}
		w.paths += paths;
		w.joins += fmin(paths, behind) * (double)(begin[n] - begin[v]) / 2 / fmax(1, behind);
		w.most = fmax(w.most, (double)low);
		w.near += (double)degree * (double)degree / 2 * (2 + (double)degree / 64);
		w.degree = fmax(w.degree, (double)degree);
	}
	return w;
}

/* Each further vertex of a clique multiplies the work by about a quarter of the mean length of a low row at an edge. */
static double clique_work(const work *w, double edges, int clique)
{
	return w->lows * (1 + pow(w->lows / fmax(1, edges) / 4, clique - 3)) + w->most * w->most / 32;
}

/* A value that depends on c alone costs nothing, and the words of bitmaps are read at the rate of memory. */
static double neighbours_work(const gemp_sum *sum, const work *w)
{
	gemp_compiled expression;
	if (w->degree > MAX_NEIGHBOURHOOD || gemp_expression_compile(&expression, sum->expression) != GEMP_OK)
		return INFINITY;
	return w->marks * 2 + w->near / 4 + (depends_on_c_alone(&expression) ? 0 : w->pairs * VALUE_ENTRIES);
}

static double sum_work(const gemp_sum *sum, const work *w, double vertices, double edges)
{
	const double value = sum->expression ? VALUE_ENTRIES : 1;
	switch (sum->kind) {
	case GEMP_SUM_VERTICES: return vertices * value;
	case GEMP_SUM_EDGES: return edges * value;
	case GEMP_SUM_TRIANGLES: return w->lows * value;
	case GEMP_SUM_WEDGES: return w->paths * (1 + value);
	case GEMP_SUM_PAIRS: return w->pairs * value;
	case GEMP_SUM_JOINED: return w->paths + w->joins;
	case GEMP_SUM_CLIQUES: return clique_work(w, edges, sum->clique);
	case GEMP_SUM_NEIGHBOURS: return neighbours_work(sum, w);
	default: return INFINITY;
	}
}

/* Every sum reads some entries of each row several times, and so does its estimate. */
bool gemp_host_sums_too_large(uint64_t edges, double limit)
{
	enum { READS = 8 };
	return 2 * READS * (double)edges > limit;
}

double gemp_host_sums_work(const gemp_count_plan *plan, const gemp_view *view)
{
	double entries = (double)view->begin[view->rows], edges = entries / 2, vertices = (double)view->rows, total;
	for (size_t i = 0; i < plan->sum_count; i++)
		if (!body_of(&plan->sums[i]))
			return INFINITY;
	const work w = measure(view);
	total = entries + vertices + (double)plan->table_count * entries * VALUE_ENTRIES;
	if (plan->support)
		total += w.marks;
	for (size_t i = 0; i < plan->sum_count; i++)
		total += sum_work(&plan->sums[i], &w, vertices, edges);
	return total;
}
