#include "euler/ranks/forest.h"

#include "core/memory.h"

enum { NUMBERS = 3 };

/* WHO HAS A CIRCUIT */

/* The first and last team that has each circuit of this team. */
typedef struct team_extent {
	uint64_t *first_team, *last_team; /* [circuits] teams that have each circuit of this team */
} team_extent;

static void receive(void *context, size_t team, uint64_t circuit)
{
	team_extent *h = context;
	h->first_team[circuit] = team < h->first_team[circuit] ? team : h->first_team[circuit];
	h->last_team[circuit] = team > h->last_team[circuit] ? team : h->last_team[circuit];
}

/* In step s blocks have 2^s teams: the highest differing bit of the two extremes names the step that unites them. */
static uint64_t closing_step(const void *context, uint64_t circuit)
{
	const team_extent *h = context;
	uint64_t difference = h->first_team[circuit] ^ h->last_team[circuit];
	return difference ? 64 - (uint64_t)__builtin_clzll(difference) : 0;
}

gemp_code gemp_euler_forest_closing(gemp_euler_team *team, const gemp_euler_subset *present, uint8_t **reach)
{
	gemp_code code = GEMP_OK;
	team_extent h = { 0 };
	void *steps = NULL;
	GEMP_TRY(gemp_comm_agree(team->comm, gemp_new_all(GEMP_ARRAY(h.first_team, team->circuits),
	                                                  GEMP_ARRAY(h.last_team, team->circuits),
	                                                  GEMP_ARRAY(*reach, present->count))));
	for (size_t c = 0; c < team->circuits; c++)
		h.first_team[c] = UINT64_MAX;
	const gemp_euler_request request = {
		.team = team, .named = present, .own = team->circuits, .receive = receive, .answer = closing_step, .context = &h
	};
	GEMP_TRY(gemp_euler_query(&request, &steps));
	for (size_t i = 0; i < present->count; i++)
		(*reach)[i] = (uint8_t)gemp_number_at(steps, i, team->wide);
done:
	gemp_free_all(h.first_team, h.last_team, steps);
	return code;
}

/* WHAT IS SETTLED */

typedef struct reduction {
	gemp_euler_forest *forest;
	gemp_euler_subset circuits; /* of the joints */
	uint64_t *decided_sets,
		*open_circuit; /* [circuits.count] sets of what is settled, and an open circuit of each root, + 1 */
	uint8_t *closing;
	uint64_t *kept_sets; /* sets of open circuits that joints connect */
} reduction;

/* Circuits of the forest get dense numbers. */
static gemp_code index_circuits(reduction *s, uint64_t bound)
{
	const gemp_euler_forest *forest = s->forest;
	GEMP_PROPAGATE(gemp_euler_subset_new(&s->circuits, bound));
	for (size_t i = 0; i < forest->count; i++) {
		gemp_euler_subset_add(&s->circuits, forest->joints[i].a);
		gemp_euler_subset_add(&s->circuits, forest->joints[i].b);
	}
	gemp_euler_subset_seal(&s->circuits);
	GEMP_PROPAGATE(
		gemp_new_all(GEMP_ARRAY(s->decided_sets, s->circuits.count), GEMP_ARRAY(s->open_circuit, s->circuits.count),
	                 GEMP_ARRAY(s->kept_sets, s->circuits.count), GEMP_ARRAY(s->closing, s->circuits.count)));
	for (size_t i = 0; i < s->circuits.count; i++)
		s->decided_sets[i] = s->kept_sets[i] = i;
	return GEMP_OK;
}

/* Which circuits are still open in this step. */
static void find_open(reduction *s, unsigned step)
{
	for (size_t i = 0; i < s->forest->count; i++) {
		const gemp_circuit_edge *joint = &s->forest->joints[i];
		size_t a = gemp_euler_subset_index(&s->circuits, joint->a);
		size_t b = gemp_euler_subset_index(&s->circuits, joint->b);
		s->closing[a] = joint->closing_a;
		s->closing[b] = joint->closing_b;
		s->open_circuit[a] = joint->closing_a > step ? joint->a + 1 : 0;
		s->open_circuit[b] = joint->closing_b > step ? joint->b + 1 : 0;
	}
}

/* Edges between two open sets are deferred; the others are decided, or redundant if both ends are in one set
 * already. */
static gemp_code decide(reduction *s)
{
	gemp_euler_forest *forest = s->forest;
	size_t left = 0;
	GEMP_PROPAGATE(GEMP_RESERVE(forest->decided, forest->decided_capacity, forest->decided_count + forest->count));
	for (size_t i = 0; i < forest->count; i++) {
		const gemp_circuit_edge joint = forest->joints[i];
		uint64_t a = gemp_euler_root_of(s->decided_sets, gemp_euler_subset_index(&s->circuits, joint.a), true);
		uint64_t b = gemp_euler_root_of(s->decided_sets, gemp_euler_subset_index(&s->circuits, joint.b), true);
		if (a == b)
			continue;
		if (s->open_circuit[a] && s->open_circuit[b]) {
			forest->joints[left++] = joint;
			continue;
		}
		forest->decided[forest->decided_count++] = joint.slot;
		uint64_t open = s->open_circuit[a] ? s->open_circuit[a] : s->open_circuit[b];
		gemp_euler_unite(s->decided_sets, a, b, true);
		s->open_circuit[gemp_euler_root_of(s->decided_sets, a, true)] = open;
	}
	forest->count = left;
	return GEMP_OK;
}

/* Of the deferred edges only a forest is kept, between open circuits that represent their sets. */
static void keep_forest(reduction *s)
{
	gemp_euler_forest *forest = s->forest;
	size_t kept = 0;
	for (size_t i = 0; i < forest->count; i++) {
		gemp_circuit_edge joint = forest->joints[i];
		size_t a = gemp_euler_root_of(s->decided_sets, gemp_euler_subset_index(&s->circuits, joint.a), true);
		size_t b = gemp_euler_root_of(s->decided_sets, gemp_euler_subset_index(&s->circuits, joint.b), true);
		if (!gemp_euler_unite(s->kept_sets, a, b, true))
			continue;
		joint.a = s->open_circuit[a] - 1;
		joint.b = s->open_circuit[b] - 1;
		joint.closing_a = s->closing[gemp_euler_subset_index(&s->circuits, joint.a)];
		joint.closing_b = s->closing[gemp_euler_subset_index(&s->circuits, joint.b)];
		forest->joints[kept++] = joint;
	}
	forest->count = kept;
}

/* Local. One step of the merge: decides what can be decided and reduces the rest to a forest. */
static gemp_code reduce(gemp_euler_forest *forest, unsigned step, uint64_t bound)
{
	gemp_code code = GEMP_OK;
	reduction s = { .forest = forest };
	if (forest->count == 0)
		return GEMP_OK;
	GEMP_TRY(index_circuits(&s, bound));
	find_open(&s, step);
	GEMP_TRY(decide(&s));
	keep_forest(&s);
done:
	gemp_euler_subset_free(&s.circuits);
	gemp_free_all(s.decided_sets, s.open_circuit, s.kept_sets, s.closing);
	return code;
}

/* WHAT IS SENT */

typedef struct merge_state {
	gemp_euler_team *team;
	gemp_euler_forest *forest;
	uint64_t bound;
	size_t size;   /* of a joint as it is sent */
	size_t *sizes; /* [2 * teams] bytes sent and received */
	char *send_buffer;
	void *received;
	size_t received_capacity;
} merge_state;

/* Numbers have the width of the graph; closing steps are bytes. */
static gemp_code pack(merge_state *m, size_t count)
{
	bool wide = m->team->wide;
	m->send_buffer = gemp_calloc(count, m->size);
	if (!m->send_buffer)
		return GEMP_ENOMEM;
	for (size_t i = 0; i < count; i++) {
		const gemp_circuit_edge *joint = &m->forest->joints[i];
		char *to = m->send_buffer + i * m->size;
		gemp_number_write(to, 0, joint->a, wide);
		gemp_number_write(to, 1, joint->b, wide);
		gemp_number_write(to, 2, joint->slot, wide);
		to[m->size - 2] = (char)joint->closing_a;
		to[m->size - 1] = (char)joint->closing_b;
	}
	return GEMP_OK;
}

/* The received forest simply joins the own edges; reduce removes what is redundant. */
static gemp_code add_received(merge_state *m, size_t count)
{
	bool wide = m->team->wide;
	gemp_euler_forest *forest = m->forest;
	gemp_circuit_edge *larger = gemp_realloc(forest->joints, forest->count + count, sizeof *larger);
	if (!larger)
		return GEMP_ENOMEM;
	forest->joints = larger;
	for (size_t i = 0; i < count; i++) {
		const char *from = (const char *)m->received + i * m->size;
		larger[forest->count++] = (gemp_circuit_edge){ gemp_number_read(from, 0, wide), gemp_number_read(from, 1, wide),
			                                           gemp_number_read(from, 2, wide), (uint8_t)from[m->size - 2],
			                                           (uint8_t)from[m->size - 1] };
	}
	return GEMP_OK;
}

/* Collective. The first team of the second half of each block sends its forest to the first team of the block. */
static gemp_code merge_step(merge_state *m, unsigned step)
{
	gemp_code code = GEMP_OK;
	gemp_euler_team *team = m->team;
	size_t block = (size_t)1 << step, half = block / 2, bytes = 0;
	size_t sending = team->team % block == half ? m->forest->count : 0;
	GEMP_TRY(gemp_comm_agree(team->comm, pack(m, sending)));
	memset(m->sizes, 0, 2 * team->teams * sizeof *m->sizes);
	if (sending)
		m->sizes[team->team - half] = sending * m->size;
	GEMP_TRY(gemp_exchange(team->comm, GEMP_OK, m->send_buffer, m->sizes, &m->received, &m->received_capacity,
	                       m->sizes + team->teams, &team->traffic));
	for (size_t t = 0; t < team->teams; t++)
		bytes += m->sizes[team->teams + t];
	if (sending)
		m->forest->count = 0;
	code = add_received(m, bytes / m->size);
	GEMP_THEN(reduce(m->forest, step, m->bound));
	GEMP_TRY(gemp_comm_agree(team->comm, code));
done:
	gemp_free(m->send_buffer);
	m->send_buffer = NULL;
	return code;
}

gemp_code gemp_euler_forest_merge(gemp_euler_team *team, gemp_euler_forest *forest, uint64_t bound)
{
	gemp_code code = GEMP_OK;
	merge_state m = { .team = team,
		              .forest = forest,
		              .bound = bound,
		              .size = NUMBERS * gemp_number_size(team->wide) + 2 * sizeof(uint8_t) };
	code = GEMP_NEW(m.sizes, 2 * team->teams);
	GEMP_THEN(reduce(forest, 0, bound));
	GEMP_TRY(gemp_comm_agree(team->comm, code));
	for (unsigned step = 1; (size_t)1 << step < 2 * team->teams; step++)
		GEMP_TRY(merge_step(&m, step));
done:
	gemp_free_all(m.sizes, m.received);
	return code;
}

void gemp_euler_forest_free(gemp_euler_forest *forest)
{
	gemp_free_all(forest->joints, forest->decided);
	*forest = (gemp_euler_forest){ 0 };
}
