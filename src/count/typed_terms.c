#include "count/typed_terms.h"

#include "core/random.h"
#include "core/status.h"

#include <string.h>

/* Leaves of the expansion, and terms that are not isomorphic. Conditions that all of five vertices differ have 120
 * leaves and 52 terms before isomorphic ones are joined. */
enum { MAX_LEAVES = 4096, MAX_TERMS = 128 };

/* TYPES */

gemp_code gemp_type_sets_add(gemp_type_sets *s, const bool *relations, size_t *index)
{
	for (*index = 0; *index < s->count; ++*index)
		if (memcmp(gemp_type_set(s, *index), relations, s->relation_count * sizeof *relations) == 0)
			return GEMP_OK;
	GEMP_TRY(GEMP_RESERVE(s->sets, s->capacity, (s->count + 1) * s->relation_count));
	memcpy(s->sets + s->count++ * s->relation_count, relations, s->relation_count * sizeof *relations);
	return GEMP_OK;
}

void gemp_type_sets_free(gemp_type_sets *s)
{
	gemp_free(s->sets);
	*s = (gemp_type_sets){ 0 };
}

/* *index becomes that of the intersection; *empty tells whether it has no relation. */
static gemp_code intersect(gemp_type_sets *s, size_t a, size_t b, size_t *index, bool *empty)
{
	GEMP_OWNED bool *both = NULL;
	*empty = true;
	GEMP_TRY(GEMP_NEW(both, s->relation_count));
	for (size_t r = 0; r < s->relation_count; r++) {
		both[r] = gemp_type_set(s, a)[r] && gemp_type_set(s, b)[r];
		*empty &= !both[r];
	}
	return gemp_type_sets_add(s, both, index);
}

/* ISOMORPHISM */

/* Colours by what is around a vertex (Weisfeiler and Leman 1968), for two rounds. They do not depend on the order of
 * vertices and edges. */
static void find_colours(const gemp_typed_term *t, uint64_t *colour)
{
	uint64_t next[GEMP_MAX_PATTERN_VERTICES];
	for (int v = 0; v < t->vertex_count; v++)
		colour[v] = gemp_mix(gemp_mix(t->candidates[v] + 1) ^ t->weights[v] ^ (uint64_t)(v == t->root) << 63);
	for (int round = 0; round < 2; round++) {
		memcpy(next, colour, (size_t)t->vertex_count * sizeof *next);
		for (int e = 0; e < t->edge_count; e++) {
			const gemp_typed_edge *edge = &t->edges[e];
			const uint64_t kind = edge->types * 4 + edge->exists;
			next[edge->from] += gemp_mix(colour[edge->to] ^ gemp_mix(kind + (edge->either ? 2 : 0)));
			next[edge->to] += gemp_mix(colour[edge->from] ^ gemp_mix(kind + (edge->either ? 2 : 0)) ^ !edge->either);
		}
		for (int v = 0; v < t->vertex_count; v++)
			colour[v] = gemp_mix(next[v]);
	}
}

typedef struct isomorphism {
	const gemp_typed_term *a, *b;
	uint64_t colour_a[GEMP_MAX_PATTERN_VERTICES], colour_b[GEMP_MAX_PATTERN_VERTICES];
	int image[GEMP_MAX_PATTERN_VERTICES];
	uint64_t used;
} isomorphism;

/* The number of edges of t that are like `edge` and join u and v. */
static int count_like(const gemp_typed_term *t, const gemp_typed_edge *edge, int u, int v)
{
	int count = 0;
	for (int e = 0; e < t->edge_count; e++) {
		const gemp_typed_edge *other = &t->edges[e];
		bool along = other->from == u && other->to == v, against = other->from == v && other->to == u;
		count += other->types == edge->types && other->either == edge->either && other->exists == edge->exists &&
		         (along || (against && edge->either));
	}
	return count;
}

/* Do v and w have the same conditions and weights, whatever their edges? */
static bool vertices_agree(const isomorphism *i, int v, int w)
{
	return i->colour_a[v] == i->colour_b[w] && i->a->candidates[v] == i->b->candidates[w] &&
	       i->a->weights[v] == i->b->weights[w] && (v == i->a->root) == (w == i->b->root);
}

/* True if vertex v and its image have the same edges to themselves and to earlier vertices and their images. Both
 * patterns have equally many edges, so edges of b alone would be missing elsewhere. */
static bool edges_agree(const isomorphism *i, int v)
{
	for (int e = 0; e < i->a->edge_count; e++) {
		const gemp_typed_edge *edge = &i->a->edges[e];
		if ((edge->from != v && edge->to != v) || edge->from > v || edge->to > v)
			continue;
		if (count_like(i->a, edge, edge->from, edge->to) !=
		    count_like(i->b, edge, i->image[edge->from], i->image[edge->to]))
			return false;
	}
	return true;
}

static bool extend(isomorphism *i, int v)
{
	if (v == i->a->vertex_count)
		return true;
	for (int w = 0; w < i->b->vertex_count; w++) {
		if (i->used & GEMP_BIT(w) || !vertices_agree(i, v, w))
			continue;
		i->image[v] = w;
		i->used |= GEMP_BIT(w);
		if (edges_agree(i, v) && extend(i, v + 1))
			return true;
		i->used &= ~GEMP_BIT(w);
	}
	return false;
}

bool gemp_typed_terms_isomorphic(const gemp_typed_term *a, const gemp_typed_term *b)
{
	isomorphism i = { .a = a, .b = b };
	if (a->target != b->target || a->vertex_count != b->vertex_count || a->edge_count != b->edge_count)
		return false;
	find_colours(a, i.colour_a);
	find_colours(b, i.colour_b);
	return extend(&i, 0);
}

gemp_code gemp_typed_terms_add(gemp_typed_terms *terms, const gemp_typed_term *term)
{
	for (size_t i = 0; i < terms->count; i++)
		if (gemp_typed_terms_isomorphic(&terms->terms[i], term)) {
			terms->terms[i].factor += term->factor;
			return GEMP_OK;
		}
	GEMP_TRY(GEMP_RESERVE(terms->terms, terms->capacity, terms->count + 1));
	terms->terms[terms->count++] = *term;
	return GEMP_OK;
}

/* EXPANSION */

/* A quotient of the pattern: vertices and edges that have become one. */
typedef struct quotient {
	int64_t factor;
	int image[GEMP_MAX_PATTERN_VERTICES];    /* the vertex that stands for each vertex */
	int same[GEMP_TYPED_EDGES];              /* the edge that stands for each edge; -1: the edge was left out */
	gemp_typed_edge edges[GEMP_TYPED_EDGES]; /* with ends of the whole pattern */
} quotient;

/* Conditions in the order in which they are resolved: absent edges, unequal vertices, edges that differ. */
typedef enum condition_kind { ABSENT, UNEQUAL, DIFFER } condition_kind;
typedef struct condition {
	condition_kind kind;
	int a, b;
} condition;

enum { MAX_CONDITIONS = 256 };

typedef struct expansion {
	gemp_typed_pattern *pattern;
	gemp_typed_terms *out;
	size_t condition_count, leaves;
	condition conditions[MAX_CONDITIONS];
	bool fits;
} expansion;

static void merge(quotient *q, int vertex_count, int a, int b)
{
	const int keep = q->image[a], gone = q->image[b];
	for (int v = 0; v < vertex_count; v++)
		if (q->image[v] == gone)
			q->image[v] = keep;
}

/* Edge f becomes edge e. An edge with direction decides the direction. */
static gemp_code identify(expansion *x, quotient *q, int e, int f, bool *empty)
{
	const int keep = q->same[e], gone = q->same[f];
	gemp_typed_edge *edge = &q->edges[keep];
	const gemp_typed_edge other = q->edges[gone];
	size_t types;
	GEMP_TRY(intersect(&x->pattern->types, edge->types, other.types, &types, empty));
	if (edge->either)
		*edge = other;
	edge->types = types;
	for (int i = 0; i < x->pattern->whole.edge_count; i++)
		if (q->same[i] == gone)
			q->same[i] = keep;
	return GEMP_OK;
}

/* Makes a term of the quotient, and adds it to an isomorphic one if there is any. */
static gemp_code add_leaf(expansion *x, const quotient *q)
{
	const gemp_typed_term *whole = &x->pattern->whole;
	gemp_typed_term term = { .factor = q->factor, .target = whole->target };
	int number[GEMP_MAX_PATTERN_VERTICES];
	x->fits &= ++x->leaves <= MAX_LEAVES;
	for (int v = 0; v < whole->vertex_count; v++)
		if (q->image[v] == v)
			number[v] = term.vertex_count++;
	for (int v = 0; v < whole->vertex_count; v++) {
		term.candidates[number[q->image[v]]] |= whole->candidates[v];
		term.weights[number[q->image[v]]] |= whole->weights[v];
	}
	term.root = whole->root < 0 ? -1 : number[q->image[whole->root]];
	for (int e = 0; e < whole->edge_count; e++) {
		if (q->same[e] != e)
			continue;
		gemp_typed_edge *edge = &term.edges[term.edge_count++];
		*edge = q->edges[e];
		edge->from = number[q->image[edge->from]];
		edge->to = number[q->image[edge->to]];
	}
	return gemp_typed_terms_add(x->out, &term);
}

static gemp_code expand(expansion *x, const quotient *q, size_t at);

/* Subtracts the matches in which edges e and f have the same image: in the same direction, in opposite directions if
 * one of them has none, and, since loops are both, adds those in which they are a loop. */
static gemp_code expand_same_edge(expansion *x, const quotient *q, int e, int f, size_t at)
{
	const gemp_typed_edge *a = &q->edges[q->same[e]], *b = &q->edges[q->same[f]];
	const int vertices = x->pattern->whole.vertex_count;
	const bool crosses = a->either || b->either;
	for (int way = 0; way < (crosses ? 3 : 1); way++) {
		quotient one = *q;
		bool empty;
		one.factor = way == 2 ? q->factor : -q->factor;
		if (way != 1) {
			merge(&one, vertices, a->from, b->from);
			merge(&one, vertices, a->to, b->to);
		}
		if (way != 0) {
			merge(&one, vertices, a->from, b->to);
			merge(&one, vertices, a->to, b->from);
		}
		GEMP_TRY(identify(x, &one, e, f, &empty));
		if (!empty)
			GEMP_TRY(expand(x, &one, at + 1));
	}
	return GEMP_OK;
}

/* Resolves the conditions from number `at` on. */
static gemp_code expand(expansion *x, const quotient *q, size_t at)
{
	if (!x->fits)
		return GEMP_OK;
	if (at == x->condition_count)
		return add_leaf(x, q);
	const condition *c = &x->conditions[at];
	quotient other = *q;
	switch (c->kind) {
	case ABSENT:
		other.same[c->a] = -1;
		GEMP_TRY(expand(x, &other, at + 1));
		other = *q;
		other.factor = -q->factor;
		return expand(x, &other, at + 1);
	case UNEQUAL:
		if (q->image[c->a] == q->image[c->b])
			return GEMP_OK;
		GEMP_TRY(expand(x, q, at + 1));
		other.factor = -q->factor;
		merge(&other, x->pattern->whole.vertex_count, c->a, c->b);
		return expand(x, &other, at + 1);
	default:
		if (q->same[c->a] == q->same[c->b])
			return GEMP_OK;
		GEMP_TRY(expand(x, q, at + 1));
		return expand_same_edge(x, q, c->a, c->b, at);
	}
}

/* CONDITIONS */

static void add_condition(expansion *x, condition_kind kind, int a, int b)
{
	if (x->condition_count == MAX_CONDITIONS)
		x->fits = false;
	else
		x->conditions[x->condition_count++] = (condition){ kind, a, b };
}

static bool are_unequal(const gemp_typed_pattern *p, int a, int b)
{
	for (size_t i = 0; i < p->unequal_count; i++)
		if ((p->unequal[i][0] == a && p->unequal[i][1] == b) || (p->unequal[i][0] == b && p->unequal[i][1] == a))
			return true;
	return false;
}

/* Can edges e and f have the same image, although some vertices must differ? */
static gemp_code can_coincide(gemp_typed_pattern *p, int e, int f, bool *can)
{
	const gemp_typed_edge *a = &p->whole.edges[e], *b = &p->whole.edges[f];
	const bool along = !are_unequal(p, a->from, b->from) && !are_unequal(p, a->to, b->to);
	const bool against = (a->either || b->either) && !are_unequal(p, a->from, b->to) && !are_unequal(p, a->to, b->from);
	size_t types;
	bool empty;
	GEMP_TRY(intersect(&p->types, a->types, b->types, &types, &empty));
	*can = !empty && (along || against);
	return GEMP_OK;
}

static gemp_code list_conditions(expansion *x)
{
	gemp_typed_pattern *p = x->pattern;
	for (int e = 0; e < p->whole.edge_count; e++)
		if (p->absent[e])
			add_condition(x, ABSENT, e, e);
	for (size_t i = 0; i < p->unequal_count; i++)
		add_condition(x, UNEQUAL, p->unequal[i][0], p->unequal[i][1]);
	for (int e = 0; e < p->whole.edge_count; e++)
		for (int f = 0; f < e; f++) {
			bool can = p->match[e] >= 0 && p->match[e] == p->match[f];
			if (can)
				GEMP_TRY(can_coincide(p, e, f, &can));
			if (can)
				add_condition(x, DIFFER, e, f);
		}
	return GEMP_OK;
}

gemp_code gemp_typed_terms_new(gemp_typed_terms *out, gemp_typed_pattern *pattern, bool *fits)
{
	expansion x = { .pattern = pattern, .out = out, .fits = true };
	quotient q = { .factor = 1 };
	size_t kept = 0;
	*out = (gemp_typed_terms){ 0 };
	for (int v = 0; v < pattern->whole.vertex_count; v++)
		q.image[v] = v;
	for (int e = 0; e < pattern->whole.edge_count; e++) {
		q.same[e] = e;
		q.edges[e] = pattern->whole.edges[e];
	}
	gemp_code code = list_conditions(&x);
	if (code == GEMP_OK)
		code = expand(&x, &q, 0);
	for (size_t i = 0; i < out->count; i++)
		if (out->terms[i].factor)
			out->terms[kept++] = out->terms[i];
	out->count = kept;
	*fits = x.fits && kept <= MAX_TERMS;
	if (code != GEMP_OK)
		gemp_typed_terms_free(out);
	return code;
}

void gemp_typed_terms_free(gemp_typed_terms *terms)
{
	gemp_free(terms->terms);
	*terms = (gemp_typed_terms){ 0 };
}
