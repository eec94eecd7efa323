/* All rows of a random pattern (cypher_pattern.h), found by trying every relationship at every place. */
#ifndef GEMP_TESTS_CYPHER_REFERENCE_H
#define GEMP_TESTS_CYPHER_REFERENCE_H

#include "cypher_pattern.h"

enum { MAX_STEPS = MAX_EDGES + 1, MAX_FOUND = 1 << 16, MAX_WORK = 1 << 20 };

/* A row before the pattern: vertices and an edge of the fixture. */
typedef struct given_row {
	size_t nodes[GIVEN_NODES], edge;
} given_row;

/* The relationships of one hop, and the vertices behind them, from left to right. */
typedef struct reference_walk {
	size_t length, edges[MAX_STEPS], vertices[MAX_STEPS];
} reference_walk;

typedef struct reference {
	const fixture *made;
	const random_pattern *pattern;
	const given_row *given;
	size_t origin;
	size_t nodes[MAX_NODES]; /* SIZE_MAX: not bound */
	size_t from[MAX_PATHS];
	bool used[MAX_EDGES];
	bool taken[MAX_EDGES]; /* vertices that the only shortest path of the pattern has reached */
	reference_walk walks[MAX_HOPS];
	size_t count, before; /* rows; rows before the current origin */
	char **rows;          /* [count] texts */
	size_t work;          /* calls of match_walk */
	bool too_many;
} reference;

/* VALUES */

static inline void print_edge(const fixture *made, size_t e, gemp_text *out)
{
	const fixture_edge *edge = &made->edges[e];
	gemp_text_print(out, "%zu-%s->%zu", edge->source, edge->type, edge->target);
	if (!edge->values[0].null)
		gemp_text_print(out, " %lld", (long long)edge->values[0].integer);
	if (!edge->values[1].null)
		gemp_text_print(out, " %s", edge->note);
}

static inline void print_walk(const reference *r, const reference_walk *walk, bool vertices, gemp_text *out)
{
	for (size_t i = 0; i < walk->length; i++) {
		gemp_text_print(out, ", ");
		print_edge(r->made, walk->edges[i], out);
		if (vertices)
			gemp_text_print(out, ", %zu", walk->vertices[i]);
	}
}

static inline void print_new_values(const reference *r, gemp_text *out)
{
	const random_pattern *p = r->pattern;
	for (int v = GIVEN_NODES; v < MAX_NODES; v++)
		if (p->used[v])
			gemp_text_print(out, " n%d=%zu", v, r->nodes[v]);
	for (size_t h = 0; h < p->hop_count; h++)
		if (p->hops[h].named && !p->hops[h].is_given) {
			gemp_text_print(out, " r%zu=%s", h + 1, p->hops[h].variable ? "[" : "");
			print_walk(r, &r->walks[h], false, out);
		}
	for (size_t i = 0; i < p->path_count; i++)
		if (p->paths[i].named) {
			gemp_text_print(out, " p%zu=<%zu", i, r->from[i]);
			for (size_t h = 0; h < p->paths[i].hop_count; h++)
				print_walk(r, &r->walks[p->paths[i].first_hop + h], true, out);
		}
}

static inline void print_no_values(const random_pattern *p, gemp_text *out)
{
	for (int v = GIVEN_NODES; v < MAX_NODES; v++)
		if (p->used[v])
			gemp_text_print(out, " n%d=NULL", v);
	for (size_t h = 0; h < p->hop_count; h++)
		if (p->hops[h].named && !p->hops[h].is_given)
			gemp_text_print(out, " r%zu=NULL", h + 1);
	for (size_t i = 0; i < p->path_count; i++)
		if (p->paths[i].named)
			gemp_text_print(out, " p%zu=NULL", i);
}

static inline void add_reference_row(reference *r, bool found)
{
	gemp_text text = { 0 };
	if (r->count == MAX_FOUND) {
		r->too_many = true;
		return;
	}
	gemp_text_print(&text, "%zu:", r->origin);
	if (found)
		print_new_values(r, &text);
	else
		print_no_values(r->pattern, &text);
	r->rows[r->count++] = strdup(text.data);
	gemp_text_free(&text);
}

/* CONDITIONS. 1: true, 0: false, -1: unknown. */

static inline bool has_label(const fixture *made, size_t v, const char *label)
{
	const char *labels = made->vertices[v].labels, *at = strstr(labels, label);
	size_t size = strlen(label);
	for (; at; at = strstr(at + 1, label))
		if ((at == labels || at[-1] == ';') && (at[size] == 0 || at[size] == ';'))
			return true;
	return false;
}

static inline int name_is(const fixture_vertex *v, const char *name)
{
	return v->values[3].null ? -1 : strcmp(v->name, name) == 0;
}

static inline int flag_of(const fixture_vertex *v)
{
	return v->values[2].null ? -1 : v->values[2].truth;
}

static inline int either(int a, int b)
{
	return a == 1 || b == 1 ? 1 : a == 0 && b == 0 ? 0 : -1;
}

static inline int test_is_true(const reference *r, const random_test *t)
{
	const size_t i = r->nodes[t->a], j = r->nodes[t->b];
	const fixture_vertex *a = &r->made->vertices[i], *b = &r->made->vertices[j];
	switch (t->kind) {
	case NAME_IS: return name_is(a, "Jack");
	case NAME_IS_NOT: return !a->values[3].null && !name_is(a, "Jack");
	case NOT_NAME_IS: return !a->values[3].null && !name_is(a, "Z");
	case NAME_BEGINS: return !a->values[3].null && a->name[0] == 'J';
	case NAME_IN: return either(name_is(a, "Z"), name_is(a, "Jack"));
	case FLAG_IS: return flag_of(a);
	case NUMBER_MISSING: return a->values[0].null;
	case RATIO_ABOVE: return !a->values[1].null && a->values[1].real > 0.5;
	case NUMBER_BELOW_FLOAT: return !a->values[0].null && (double)a->values[0].integer < 1.5;
	case IS_FILM: return has_label(r->made, i, "Film");
	case IS_NOPE: return 1;
	case SAME_NAME: return !b->values[3].null && name_is(a, b->name) == 1;
	case DIFFERENT: return i != j;
	case KEY_BELOW: return a->key.integer < 2000001;
	case KEYS_ORDERED: return a->key.integer <= b->key.integer;
	default: return either(name_is(a, "Z"), flag_of(b));
	}
}

static inline bool node_fits(const reference *r, const random_node *node, size_t v)
{
	return (node->variable < 0 || r->nodes[node->variable] == SIZE_MAX || r->nodes[node->variable] == v) &&
	       (!node->label || has_label(r->made, v, node->label)) &&
	       (!node->name || name_is(&r->made->vertices[v], node->name) == 1);
}

static inline bool edge_fits(const reference *r, const random_hop *hop, size_t e)
{
	const fixture_edge *edge = &r->made->edges[e];
	bool knows = strcmp(edge->type, "KNOWS") == 0, acts = strcmp(edge->type, "ACTS_IN") == 0;
	bool type = hop->types == ANY_TYPE || (hop->types == KNOWS_TYPE && knows) ||
	            (hop->types == TWO_TYPES && (knows || acts));
	return type && (!hop->is_given || e == r->given->edge) &&
	       (!hop->has_weight || (!edge->values[0].null && edge->values[0].integer == hop->weight));
}

/* SEARCH */

static inline void match_path(reference *r, size_t path);
static inline void match_hop(reference *r, size_t path, size_t index, size_t at);

/* Binds a node of the pattern, continues with the next hop of the path, and unbinds it. */
static inline void bind_and_continue(reference *r, const random_node *node, size_t v, size_t path, size_t next_hop)
{
	if (!node_fits(r, node, v))
		return;
	size_t before = node->variable >= 0 ? r->nodes[node->variable] : 0;
	if (node->variable >= 0)
		r->nodes[node->variable] = v;
	match_hop(r, path, next_hop, v);
	if (node->variable >= 0)
		r->nodes[node->variable] = before;
}

/* The other end of an edge that leaves `at` in the hop's direction; SIZE_MAX: it does not. */
static inline size_t cross(const fixture *made, const random_hop *hop, size_t e, size_t at)
{
	const fixture_edge *edge = &made->edges[e];
	if (hop->heading != 1 && edge->source == at)
		return edge->target;
	return hop->heading != 0 && edge->target == at ? edge->source : SIZE_MAX;
}

/* Lengths of shortest walks from `at`; SIZE_MAX: not reached. */
static inline void distances(const reference *r, const random_hop *hop, size_t at, size_t *distance)
{
	for (size_t v = 0; v < r->made->vertex_count; v++)
		distance[v] = v == at ? 0 : SIZE_MAX;
	for (size_t round = 0; round < r->made->vertex_count; round++)
		for (size_t v = 0; v < r->made->vertex_count; v++)
			for (size_t e = 0; distance[v] == round && e < r->made->edge_count; e++) {
				size_t to = edge_fits(r, hop, e) ? cross(r->made, hop, e, v) : SIZE_MAX;
				if (to != SIZE_MAX && distance[to] == SIZE_MAX)
					distance[to] = round + 1;
			}
}

/* Extends a walk by one relationship after the other, and continues at each end that is far enough. `shortest` has the
 * length that a walk to each vertex must have; NULL: any. */
static inline void match_walk(reference *r, size_t path, size_t h, size_t at, const size_t *shortest)
{
	const random_hop *hop = &r->pattern->hops[h];
	reference_walk *walk = &r->walks[h];
	const bool single = r->pattern->paths[path].shortest == 1;
	r->too_many = r->too_many || ++r->work > MAX_WORK;
	size_t min = hop->variable ? hop->min : 1;
	size_t max = !hop->variable ? 1 : hop->bounded ? hop->max : MAX_EDGES;
	if (walk->length >= min && (!shortest || shortest[at] == walk->length) && !(single && r->taken[at])) {
		r->taken[at] = single;
		bind_and_continue(r, &hop->to, at, path, h + 1);
	}
	for (size_t e = 0; walk->length < max && e < r->made->edge_count && !r->too_many; e++) {
		size_t to = edge_fits(r, hop, e) ? cross(r->made, hop, e, at) : SIZE_MAX;
		if (to == SIZE_MAX || (shortest ? shortest[to] != walk->length + 1 : r->used[e]))
			continue;
		const bool before = r->used[e];
		r->used[e] = before || !shortest;
		walk->edges[walk->length] = e;
		walk->vertices[walk->length++] = to;
		match_walk(r, path, h, to, shortest);
		walk->length--;
		r->used[e] = before && shortest;
	}
}

static inline void match_hop(reference *r, size_t path, size_t h, size_t at)
{
	const random_path *p = &r->pattern->paths[path];
	size_t distance[64];
	if (h == p->first_hop + p->hop_count) {
		match_path(r, path + 1);
		return;
	}
	r->walks[h].length = 0;
	if (p->shortest)
		distances(r, &r->pattern->hops[h], at, distance);
	memset(r->taken, 0, sizeof r->taken);
	match_walk(r, path, h, at, p->shortest ? distance : NULL);
}

static inline void match_path(reference *r, size_t path)
{
	if (path == r->pattern->path_count) {
		bool right = true;
		for (size_t i = 0; i < r->pattern->test_count; i++)
			right = right && test_is_true(r, &r->pattern->tests[i]) == 1;
		if (right)
			add_reference_row(r, true);
		return;
	}
	const random_path *p = &r->pattern->paths[path];
	for (size_t v = 0; v < r->made->vertex_count && !r->too_many; v++) {
		r->from[path] = v;
		bind_and_continue(r, &p->from, v, path, p->first_hop);
	}
}

/* The rows that extend a given row. */
static inline void reference_extend(reference *r, const given_row *given, size_t origin)
{
	r->given = given;
	r->origin = origin;
	r->before = r->count;
	for (int v = 0; v < MAX_NODES; v++)
		r->nodes[v] = v < GIVEN_NODES ? given->nodes[v] : SIZE_MAX;
	match_path(r, 0);
	if (r->pattern->optional && r->count == r->before)
		add_reference_row(r, false);
}

static inline void reference_free(reference *r)
{
	for (size_t i = 0; i < r->count; i++)
		free(r->rows[i]);
	free(r->rows);
}

#endif
