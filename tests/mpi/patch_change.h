/* Changes a world at random. Vertices are added, deleted, merged, and get other labels and values. Edges are added,
 * deleted, and get other types and values. */
#ifndef GEMP_TESTS_PATCH_CHANGE_H
#define GEMP_TESTS_PATCH_CHANGE_H

#include "mpi/patch_world.h"

/* Returns N if the key is the text #N as rules make it, otherwise 0. */
static inline uint64_t number_of(const char *text)
{
	char *end;
	bool plain = text[0] == '#' && text[1] >= '1' && text[1] <= '9';
	uint64_t number = plain ? strtoull(text + 1, &end, 10) : 0;
	return plain && *end == 0 ? number : 0;
}

/* Returns the smallest key that a rule would give to a new vertex. */
static inline int64_t first_key(const world *w, gemp_type type)
{
	int64_t most = type == GEMP_INTEGER ? INT64_MIN : 0;
	for (size_t i = 0; i < w->old_vertices; i++) {
		int64_t number = type == GEMP_INTEGER ? w->vertices[i].key.integer
		                                      : (int64_t)number_of(w->vertices[i].key_text);
		most = number > most ? number : most;
	}
	return w->old_vertices || type == GEMP_STRING ? most + 1 : 0;
}

static inline void add_vertices(world *w, gemp_type type, int64_t first, uint64_t *random)
{
	size_t count = gemp_random_below(random, 3) ? gemp_random_below(random, 30) : 0,
		   *order = fixture_order(count, random);
	uint64_t made[64] = { 0 };
	for (size_t i = 0; i < count; i++) {
		world_vertex *v = &w->vertices[w->vertex_count++];
		v->new = v->touched = true;
		v->into = WORLD_NOBODY;
		v->number = order[i];
		v->rank = (int)gemp_random_below(random, (uint64_t)test_comm.size);
		v->index = made[v->rank]++;
		int64_t key = first + (int64_t)order[i];
		snprintf(v->key_text, sizeof v->key_text, type == GEMP_INTEGER ? "%lld" : "#%lld", (long long)key);
		v->key = type == GEMP_INTEGER ? (gemp_value){ .type = GEMP_INTEGER, .integer = key }
		                              : fixture_string(v->key_text);
		snprintf(v->labels, sizeof v->labels, "%s", gemp_random_below(random, 2) ? "New;Film" : "");
		for (size_t c = 0; c < WORLD_COLUMNS; c++)
			v->values[c].null = true;
	}
	free(order);
}

static inline void remove_vertices(world *w, uint64_t *random)
{
	static const uint64_t chances[] = { 0, 0, 1, 5, 10 };
	uint64_t chance = chances[gemp_random_below(random, 5)];
	for (size_t i = 0; i < w->old_vertices; i++)
		w->vertices[i].gone = gemp_random_below(random, 10) < chance;
	for (size_t i = 0; i < w->old_vertices; i++) {
		world_vertex *v = &w->vertices[i];
		size_t into = gemp_random_below(random, w->vertex_count);
		if (v->gone && !w->vertices[into].gone && gemp_random_below(random, 3) == 0)
			v->into = (int)into;
	}
}

static inline void relabel(world *w, uint64_t *random)
{
	static const char *const labels[] = { "Film;Person", "Person;Other", "", "Film", "Other;Person" };
	uint64_t chance = gemp_random_below(random, 2) ? gemp_random_below(random, 10) : 0;
	for (size_t i = 0; i < w->old_vertices; i++)
		if (gemp_random_below(random, 10) < chance)
			snprintf(w->vertices[i].labels, sizeof w->vertices[i].labels, "%s", labels[gemp_random_below(random, 5)]);
}

static inline void set_vertex_values(world *w, uint64_t *random)
{
	w->vertex_types[0] = gemp_random_below(random, 4) ? GEMP_INTEGER : GEMP_FLOAT;
	w->columns = gemp_random_below(random, 2) ? 5 : 4;
	for (size_t c = 0; c < w->columns; c++) {
		uint64_t chance = gemp_random_below(random, 2) ? gemp_random_below(random, 10) : 0;
		for (size_t i = 0; i < w->vertex_count; i++)
			if (gemp_random_below(random, 10) < chance)
				world_set(&w->vertices[i].values[c], w->vertices[i].texts[c], w->vertex_types[c], random);
	}
}

static inline void set_edge_values(world *w, uint64_t *random)
{
	w->edge_types[0] = gemp_random_below(random, 4) ? GEMP_INTEGER : GEMP_FLOAT;
	w->props = gemp_random_below(random, 2) ? 3 : 2;
	for (size_t c = 0; c < w->props; c++) {
		uint64_t chance = gemp_random_below(random, 2) ? gemp_random_below(random, 11) : 0;
		bool remove = gemp_random_below(random, 4) == 0;
		for (size_t i = 0; i < w->edge_count; i++)
			if (gemp_random_below(random, 10) < chance) {
				world_set(&w->edges[i].values[c], w->edges[i].texts[c], w->edge_types[c], random);
				w->edges[i].values[c].null |= remove;
			}
	}
}

static inline void delete_or_retype_edges(world *w, uint64_t *random)
{
	static const char *const types[] = { "KNOWS", "ACTS_IN", "AFTER", "Zoo" };
	uint64_t goes = gemp_random_below(random, 2) ? gemp_random_below(random, 11) : 0;
	uint64_t turns = gemp_random_below(random, 2) ? gemp_random_below(random, 4) : 0;
	for (size_t i = 0; i < w->edge_count; i++)
		if (gemp_random_below(random, 10) < goes)
			w->edges[i].gone = true;
		else if (gemp_random_below(random, 10) < turns)
			snprintf(w->edges[i].type, FIXTURE_TEXT, "%s", types[gemp_random_below(random, 4)]);
}

static inline void add_edges(world *w, uint64_t *random)
{
	static const char *const types[] = { "KNOWS", "ACTS_IN", "BEFORE" };
	size_t count = w->vertex_count && gemp_random_below(random, 4) ? gemp_random_below(random, 60) : 0;
	for (size_t i = 0; i < count; i++) {
		world_edge *e = &w->edges[w->edge_count];
		e->source = gemp_random_below(random, gemp_random_below(random, 2) ? w->vertex_count : w->vertex_count / 4 + 1);
		e->target = gemp_random_below(random, gemp_random_below(random, 2) ? w->vertex_count : w->vertex_count / 4 + 1);
		size_t type = gemp_random_below(random, 3);
		snprintf(e->type, sizeof e->type, "%s", types[type]);
		for (size_t c = 0; c < WORLD_PROPS; c++) {
			world_set(&e->values[c], e->texts[c], w->edge_types[c], random);
			e->values[c].null |= type == 1 || c >= w->props;
		}
		w->edge_count += !w->vertices[e->source].gone && !w->vertices[e->target].gone;
	}
}

/* Returns the vertex that a vertex was merged into, or the vertex itself. */
static inline size_t place_of(const world *w, size_t vertex)
{
	const world_vertex *v = &w->vertices[vertex];
	return v->gone && v->into != WORLD_NOBODY ? (size_t)v->into : vertex;
}

/* Lets string values point to the texts of this world after it was copied. */
static inline void point_to_own_texts(world *w)
{
	for (size_t i = 0; i < w->vertex_count; i++) {
		world_vertex *v = &w->vertices[i];
		v->key.string.bytes = v->key.type == GEMP_STRING ? v->key_text : v->key.string.bytes;
		for (size_t c = 0; c < WORLD_COLUMNS; c++)
			if (v->values[c].type == GEMP_STRING)
				v->values[c].string.bytes = v->texts[c];
	}
	for (size_t i = 0; i < w->edge_count; i++)
		for (size_t c = 0; c < WORLD_PROPS; c++)
			if (w->edges[i].values[c].type == GEMP_STRING)
				w->edges[i].values[c].string.bytes = w->edges[i].texts[c];
}

/* Changes the world. One change in four adds, deletes and relabels no vertices. */
static inline void change(world *w, gemp_type type, uint64_t *random)
{
	const uint64_t kind = gemp_random_below(random, 4);
	const bool still = kind == 0, grows = kind == 1; /* a graph that only grows keeps its ids and its edges */
	if (!still)
		add_vertices(w, type, first_key(w, type), random);
	if (w->vertex_count && !still && !grows)
		remove_vertices(w, random);
	if (!still)
		relabel(w, random);
	set_vertex_values(w, random);
	set_edge_values(w, random);
	if (!grows)
		delete_or_retype_edges(w, random);
	add_edges(w, random);
}

/* Moves edges of merged vertices, and removes edges of deleted vertices. */
static inline void move_edges(world *w)
{
	for (size_t i = 0; i < w->edge_count; i++) {
		world_edge *e = &w->edges[i];
		e->source = place_of(w, e->source);
		e->target = place_of(w, e->target);
		e->gone |= w->vertices[e->source].gone || w->vertices[e->target].gone;
	}
}

static inline bool differs(const gemp_value *a, const gemp_value *b)
{
	bool comparable;
	if (a->null || b->null)
		return a->null != b->null;
	return gemp_value_compare(a, b, &comparable) != 0;
}

/* Does the patch change the vertex, its edges or their attributes? */
static inline bool is_changed(const world *before, const world *after, size_t vertex)
{
	const world_vertex *v = &after->vertices[vertex];
	bool touched = v->new || strcmp(v->labels, before->vertices[vertex].labels) != 0;
	for (size_t c = 0; c < WORLD_COLUMNS && !touched; c++)
		touched = differs(&v->values[c], &before->vertices[vertex].values[c]);
	for (size_t i = 0; i < after->edge_count && !touched; i++) {
		const world_edge *e = &after->edges[i], *old = &before->edges[i];
		bool end = i >= before->edge_count ? e->source == vertex || e->target == vertex
		                                   : old->source == vertex || old->target == vertex;
		touched = end && (i >= before->edge_count || e->gone || strcmp(e->type, old->type) != 0 ||
		                  after->vertices[old->source].gone || after->vertices[old->target].gone);
		for (size_t c = 0; c < WORLD_PROPS && end && !touched; c++)
			touched = differs(&e->values[c], &old->values[c]);
		/* an edge that moved here because one of its ends was merged */
		if (i < before->edge_count && !e->gone && !touched)
			touched = (place_of(after, old->source) == vertex && old->source != vertex &&
			           !after->vertices[place_of(after, old->target)].gone) ||
			          (place_of(after, old->target) == vertex && old->target != vertex &&
			           !after->vertices[place_of(after, old->source)].gone);
	}
	return touched;
}

#endif
