#include "euler/ranks/forest.h"

#include "core/memory.h"

/* In step s team t belongs to block t / 2^s. So the highest bit in which the numbers of two teams differ gives the step
 * in which they first share a block. Every step reduces the forest with two union-finds over the circuits of its edges.
 * The first has the sets that decided edges connect. The second keeps the deferred edges a forest. */

/* An edge is sent as three numbers, its circuits and its slot, and a byte for the closing step of each circuit. */
enum { NUMBERS = 3, CLOSING_STEPS = 2 };

/* CLOSING STEPS */

/* For each circuit of this team, the first and the last team that has slots of the circuit. */
typedef struct team_extents {
	uint64_t *first, *last; /* [circuits] */
} team_extents;

static void extend(void *context, size_t team, uint64_t circuit)
{
	team_extents *extents = context;
	extents->first[circuit] = gemp_min(team, extents->first[circuit]);
	extents->last[circuit] = gemp_max(team, extents->last[circuit]);
}

/* The highest bit in which the numbers of the first and the last team differ, counted from 1; 0 if only one team has
 * the circuit. */
static uint64_t closing_step(const void *context, uint64_t circuit)
{
	const team_extents *extents = context;
	uint64_t difference = extents->first[circuit] ^ extents->last[circuit];
	return difference ? 64 - (uint64_t)__builtin_clzll(difference) : 0;
}

/* Every team requests the closing step of each circuit of which it has slots from the circuit's owner. From these
 * requests the owner learns which teams have the circuit. */
gemp_code gemp_euler_forest_closing(gemp_euler_team *team, const gemp_euler_subset *present, uint8_t **closing_steps)
{
	GEMP_OWNED uint64_t *first = NULL, *last = NULL;
	GEMP_OWNED void *steps = NULL;
	GEMP_TRY(
		gemp_comm_agree(team->comm, gemp_new_all(GEMP_ARRAY(first, team->circuits), GEMP_ARRAY(last, team->circuits),
	                                             GEMP_ARRAY(*closing_steps, present->count))));
	for (size_t c = 0; c < team->circuits; c++)
		first[c] = UINT64_MAX;
	team_extents extents = { first, last };
	const gemp_euler_request request = { .team = team,
		                                 .named = present,
		                                 .own = team->circuits,
		                                 .receive = extend,
		                                 .answer = closing_step,
		                                 .context = &extents };
	GEMP_TRY(gemp_euler_query(&request, &steps));
	for (size_t i = 0; i < present->count; i++)
		(*closing_steps)[i] = (uint8_t)gemp_number_at(steps, i, team->wide);
	return GEMP_OK;
}

/* DECISIONS OF A STEP */

/* Arrays by circuit have circuits.count elements, and their index is the circuit's index in `circuits`. */
typedef struct reduction {
	gemp_euler_forest *forest;
	gemp_euler_subset circuits; /* the circuits of the forest's edges */
	uint64_t *decided_sets;     /* union-find of the circuits that decided edges connect */
	uint64_t *kept_sets;        /* union-find over the roots of decided_sets, which kept deferred edges unite */
	/* for each root of decided_sets: 1 + an open circuit of its set; 0: no circuit of the set is open */
	uint64_t *open_circuit;
	uint8_t *closing; /* the step that closes each circuit */
} reduction;

/* Numbers the circuits of the forest densely, and makes each circuit a set of its own. */
static gemp_code index_forest_circuits(reduction *s, uint64_t bound)
{
	const gemp_euler_forest *forest = s->forest;
	GEMP_TRY(gemp_euler_subset_new(&s->circuits, bound));
	for (size_t i = 0; i < forest->count; i++) {
		gemp_euler_subset_add(&s->circuits, forest->edges[i].a);
		gemp_euler_subset_add(&s->circuits, forest->edges[i].b);
	}
	gemp_euler_subset_seal(&s->circuits);
	GEMP_TRY(gemp_new_all(GEMP_ARRAY(s->decided_sets, s->circuits.count),
	                      GEMP_ARRAY(s->open_circuit, s->circuits.count), GEMP_ARRAY(s->kept_sets, s->circuits.count),
	                      GEMP_ARRAY(s->closing, s->circuits.count)));
	for (size_t i = 0; i < s->circuits.count; i++)
		s->decided_sets[i] = s->kept_sets[i] = i;
	return GEMP_OK;
}

static void set_closing(reduction *s, uint64_t circuit, uint8_t closing, unsigned step)
{
	size_t i = gemp_euler_subset_index(&s->circuits, circuit);
	s->closing[i] = closing;
	s->open_circuit[i] = closing > step ? circuit + 1 : 0;
}

/* The root of the set in which decided edges have put this circuit. */
static size_t set_of(reduction *s, uint64_t circuit)
{
	return gemp_euler_root_of(s->decided_sets, gemp_euler_subset_index(&s->circuits, circuit), true);
}

/* Edges between two open sets are deferred. Any other edge is decided, or dropped if both ends are in the same set. The
 * union of an open and a closed set is open. */
static gemp_code decide(reduction *s)
{
	gemp_euler_forest *forest = s->forest;
	size_t left = 0;
	GEMP_TRY(GEMP_RESERVE(forest->decided, forest->decided_capacity, forest->decided_count + forest->count));
	for (size_t i = 0; i < forest->count; i++) {
		const gemp_circuit_edge edge = forest->edges[i];
		size_t a = set_of(s, edge.a), b = set_of(s, edge.b);
		if (a == b)
			continue;
		if (s->open_circuit[a] && s->open_circuit[b]) {
			forest->edges[left++] = edge;
			continue;
		}
		forest->decided[forest->decided_count++] = edge.slot;
		uint64_t open = s->open_circuit[a] ? s->open_circuit[a] : s->open_circuit[b];
		gemp_euler_unite(s->decided_sets, a, b, true);
		s->open_circuit[gemp_euler_root_of(s->decided_sets, a, true)] = open;
	}
	forest->count = left;
	return GEMP_OK;
}

/* Keeps only a forest of the deferred edges. Each end of an edge becomes the open circuit that represents its set,
 * since a team that receives the edge also knows this circuit. */
static void keep_forest(reduction *s)
{
	gemp_euler_forest *forest = s->forest;
	size_t kept = 0;
	for (size_t i = 0; i < forest->count; i++) {
		gemp_circuit_edge edge = forest->edges[i];
		size_t a = set_of(s, edge.a), b = set_of(s, edge.b);
		if (!gemp_euler_unite(s->kept_sets, a, b, true))
			continue;
		edge.a = s->open_circuit[a] - 1;
		edge.b = s->open_circuit[b] - 1;
		edge.closing_a = s->closing[gemp_euler_subset_index(&s->circuits, edge.a)];
		edge.closing_b = s->closing[gemp_euler_subset_index(&s->circuits, edge.b)];
		forest->edges[kept++] = edge;
	}
	forest->count = kept;
}

/* Local. One step of the merge: decides the edges that can be decided, and reduces the other edges to a forest. */
static gemp_code reduce(gemp_euler_forest *forest, unsigned step, uint64_t bound)
{
	gemp_code code = GEMP_OK;
	reduction s = { .forest = forest };
	if (forest->count == 0)
		return GEMP_OK;
	GEMP_TRY_DONE(index_forest_circuits(&s, bound));
	for (size_t i = 0; i < forest->count; i++) {
		set_closing(&s, forest->edges[i].a, forest->edges[i].closing_a, step);
		set_closing(&s, forest->edges[i].b, forest->edges[i].closing_b, step);
	}
	GEMP_TRY_DONE(decide(&s));
	keep_forest(&s);
done:
	gemp_euler_subset_free(&s.circuits);
	gemp_free_all(s.decided_sets, s.open_circuit, s.kept_sets, s.closing);
	return code;
}

/* MESSAGES */

typedef struct merge_state {
	gemp_euler_team *team;
	gemp_euler_forest *forest;
	uint64_t bound; /* upper bound of the numbers of circuits */
	size_t size;    /* bytes of an edge as it is sent; numbers have the team's width, and closing steps are bytes */
	size_t *sizes;  /* [2 * teams] bytes sent to each team, then bytes received */
	void *received;
	size_t received_capacity;
} merge_state;

/* The closing steps are the last two bytes of a record. A step is the number of a bit, so it is at most 64. */
static gemp_code pack(const merge_state *m, size_t count, char **out)
{
	bool wide = m->team->wide;
	*out = gemp_calloc(count, m->size);
	if (!*out)
		return GEMP_ENOMEM;
	for (size_t i = 0; i < count; i++) {
		const gemp_circuit_edge *edge = &m->forest->edges[i];
		char *to = *out + i * m->size;
		gemp_number_write(to, 0, edge->a, wide);
		gemp_number_write(to, 1, edge->b, wide);
		gemp_number_write(to, 2, edge->slot, wide);
		to[m->size - 2] = (char)edge->closing_a;
		to[m->size - 1] = (char)edge->closing_b;
	}
	return GEMP_OK;
}

/* Appends the received forest to the forest of this team. The result may have cycles, which `reduce` breaks. */
static gemp_code add_received(merge_state *m, size_t count)
{
	bool wide = m->team->wide;
	gemp_euler_forest *forest = m->forest;
	gemp_circuit_edge *larger = gemp_realloc(forest->edges, forest->count + count, sizeof *larger);
	if (!larger)
		return GEMP_ENOMEM;
	forest->edges = larger;
	for (size_t i = 0; i < count; i++) {
		const char *from = (const char *)m->received + i * m->size;
		larger[forest->count++] = (gemp_circuit_edge){ .a = gemp_number_read(from, 0, wide),
			                                           .b = gemp_number_read(from, 1, wide),
			                                           .slot = gemp_number_read(from, 2, wide),
			                                           .closing_a = (uint8_t)from[m->size - 2],
			                                           .closing_b = (uint8_t)from[m->size - 1] };
	}
	return GEMP_OK;
}

/* Collective. The first team of the second half of each block sends its forest to the first team of the block. */
static gemp_code merge_step(merge_state *m, unsigned step)
{
	GEMP_OWNED char *send_buffer = NULL;
	gemp_euler_team *team = m->team;
	size_t block = (size_t)1 << step, half = block / 2, bytes = 0;
	size_t sending = team->team % block == half ? m->forest->count : 0;
	gemp_code code = pack(m, sending, &send_buffer);
	memset(m->sizes, 0, 2 * team->teams * sizeof *m->sizes);
	if (sending)
		m->sizes[team->team - half] = sending * m->size;
	GEMP_TRY(gemp_exchange(team->comm, code, send_buffer, m->sizes, &m->received, &m->received_capacity,
	                       m->sizes + team->teams, &team->traffic));
	for (size_t t = 0; t < team->teams; t++)
		bytes += m->sizes[team->teams + t];
	if (sending)
		m->forest->count = 0;
	code = add_received(m, bytes / m->size);
	GEMP_THEN(reduce(m->forest, step, m->bound));
	return gemp_comm_agree(team->comm, code);
}

/* Step 0 is local and decides the edges of circuits that no other team has. */
gemp_code gemp_euler_forest_merge(gemp_euler_forest *forest, gemp_euler_team *team, uint64_t bound)
{
	merge_state m = { .team = team,
		              .forest = forest,
		              .bound = bound,
		              .size = NUMBERS * gemp_number_size(team->wide) + CLOSING_STEPS * sizeof(uint8_t) };
	gemp_code code = GEMP_NEW(m.sizes, 2 * team->teams);
	GEMP_THEN(reduce(forest, 0, bound));
	code = gemp_comm_agree(team->comm, code);
	for (unsigned step = 1; (size_t)1 << step < 2 * team->teams; step++)
		GEMP_THEN(merge_step(&m, step));
	gemp_free_all(m.sizes, m.received);
	return code;
}

void gemp_euler_forest_free(gemp_euler_forest *forest)
{
	gemp_free_all(forest->edges, forest->decided);
}
