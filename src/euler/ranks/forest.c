#include "euler/ranks/forest.h"

#include "core/memory.h"

enum { NUMBERS = 3 };

/* WHO HAS A CIRCUIT */

typedef struct holders {
	uint64_t *least, *most; /* [circuits] teams that have each circuit of this team */
} holders;

static void receive(void *context, size_t team, uint64_t circuit)
{
	holders *h = context;
	h->least[circuit] = team < h->least[circuit] ? team : h->least[circuit];
	h->most[circuit] = team > h->most[circuit] ? team : h->most[circuit];
}

/* In step s blocks are of 2^s teams. */
static uint64_t closing_step(const void *context, uint64_t circuit)
{
	const holders *h = context;
	uint64_t difference = h->least[circuit] ^ h->most[circuit];
	return difference ? 64 - (uint64_t)__builtin_clzll(difference) : 0;
}

gemp_code gemp_euler_forest_closing(gemp_euler_team *team, const gemp_euler_subset *present, uint8_t **reach)
{
	gemp_code code = GEMP_OK;
	holders h = { 0 };
	void *steps = NULL;
	GEMP_TRY(gemp_comm_agree(team->comm,
	                         gemp_new_all(GEMP_ARRAY(h.least, team->circuits), GEMP_ARRAY(h.most, team->circuits),
	                                      GEMP_ARRAY(*reach, present->count))));
	for (size_t c = 0; c < team->circuits; c++)
		h.least[c] = UINT64_MAX;
	const gemp_euler_request question = {
		.team = team, .named = present, .own = team->circuits, .receive = receive, .answer = closing_step, .context = &h
	};
	GEMP_TRY(gemp_euler_query(&question, &steps));
	for (size_t i = 0; i < present->count; i++)
		(*reach)[i] = (uint8_t)gemp_number_at(steps, i, team->wide);
done:
	gemp_free_all(h.least, h.most, steps);
	return code;
}

/* WHAT IS SETTLED */

typedef struct settling {
	gemp_euler_forest *forest;
	gemp_euler_subset circuits; /* of the joints */
	uint64_t *set, *open;       /* [circuits.count] sets of what is settled, and an open circuit of each root, + 1 */
	uint8_t *reach;
	uint64_t *kept; /* sets of open circuits that joints connect */
} settling;

static gemp_code begin_decided(settling *s, uint64_t bound)
{
	const gemp_euler_forest *forest = s->forest;
	GEMP_PROPAGATE(gemp_euler_subset_new(&s->circuits, bound));
	for (size_t i = 0; i < forest->count; i++) {
		gemp_euler_subset_add(&s->circuits, forest->joints[i].a);
		gemp_euler_subset_add(&s->circuits, forest->joints[i].b);
	}
	gemp_euler_subset_seal(&s->circuits);
	GEMP_PROPAGATE(gemp_new_all(GEMP_ARRAY(s->set, s->circuits.count), GEMP_ARRAY(s->open, s->circuits.count),
	                            GEMP_ARRAY(s->kept, s->circuits.count), GEMP_ARRAY(s->reach, s->circuits.count)));
	for (size_t i = 0; i < s->circuits.count; i++)
		s->set[i] = s->kept[i] = i;
	return GEMP_OK;
}

static void find_open(settling *s, unsigned step)
{
	for (size_t i = 0; i < s->forest->count; i++) {
		const gemp_euler_joint *joint = &s->forest->joints[i];
		size_t a = gemp_euler_subset_index(&s->circuits, joint->a);
		size_t b = gemp_euler_subset_index(&s->circuits, joint->b);
		s->reach[a] = joint->closing_a;
		s->reach[b] = joint->closing_b;
		s->open[a] = joint->closing_a > step ? joint->a + 1 : 0;
		s->open[b] = joint->closing_b > step ? joint->b + 1 : 0;
	}
}

/* Joints of sets that are both open are put off, the others settled or found to be needless. */
static gemp_code decide(settling *s)
{
	gemp_euler_forest *forest = s->forest;
	size_t left = 0;
	GEMP_PROPAGATE(GEMP_RESERVE(forest->decided, forest->decided_capacity, forest->decided_count + forest->count));
	for (size_t i = 0; i < forest->count; i++) {
		const gemp_euler_joint joint = forest->joints[i];
		uint64_t a = gemp_euler_root_of(s->set, gemp_euler_subset_index(&s->circuits, joint.a), true);
		uint64_t b = gemp_euler_root_of(s->set, gemp_euler_subset_index(&s->circuits, joint.b), true);
		if (a == b)
			continue;
		if (s->open[a] && s->open[b]) {
			forest->joints[left++] = joint;
			continue;
		}
		forest->decided[forest->decided_count++] = joint.slot;
		uint64_t open = s->open[a] ? s->open[a] : s->open[b];
		gemp_euler_unite(s->set, a, b, true);
		s->open[gemp_euler_root_of(s->set, a, true)] = open;
	}
	forest->count = left;
	return GEMP_OK;
}

/* Of what was put off a forest, between the open circuits that stand for their sets. */
static void keep_forest(settling *s)
{
	gemp_euler_forest *forest = s->forest;
	size_t kept = 0;
	for (size_t i = 0; i < forest->count; i++) {
		gemp_euler_joint joint = forest->joints[i];
		size_t a = gemp_euler_root_of(s->set, gemp_euler_subset_index(&s->circuits, joint.a), true);
		size_t b = gemp_euler_root_of(s->set, gemp_euler_subset_index(&s->circuits, joint.b), true);
		if (!gemp_euler_unite(s->kept, a, b, true))
			continue;
		joint.a = s->open[a] - 1;
		joint.b = s->open[b] - 1;
		joint.closing_a = s->reach[gemp_euler_subset_index(&s->circuits, joint.a)];
		joint.closing_b = s->reach[gemp_euler_subset_index(&s->circuits, joint.b)];
		forest->joints[kept++] = joint;
	}
	forest->count = kept;
}

/* Local. */
static gemp_code reduce(gemp_euler_forest *forest, unsigned step, uint64_t bound)
{
	gemp_code code = GEMP_OK;
	settling s = { .forest = forest };
	if (forest->count == 0)
		return GEMP_OK;
	GEMP_TRY(begin_decided(&s, bound));
	find_open(&s, step);
	GEMP_TRY(decide(&s));
	keep_forest(&s);
done:
	gemp_euler_subset_free(&s.circuits);
	gemp_free_all(s.set, s.open, s.kept, s.reach);
	return code;
}

/* WHAT IS SENT */

typedef struct merging {
	gemp_euler_team *team;
	gemp_euler_forest *forest;
	uint64_t bound;
	size_t size;   /* of a joint as it is sent */
	size_t *sizes; /* [2 * teams] bytes sent and received */
	char *packed;
	void *received;
	size_t received_capacity;
} merging;

static gemp_code pack(merging *m, size_t count)
{
	bool wide = m->team->wide;
	m->packed = gemp_calloc(count, m->size);
	if (!m->packed)
		return GEMP_ENOMEM;
	for (size_t i = 0; i < count; i++) {
		const gemp_euler_joint *joint = &m->forest->joints[i];
		char *to = m->packed + i * m->size;
		gemp_number_write(to, 0, joint->a, wide);
		gemp_number_write(to, 1, joint->b, wide);
		gemp_number_write(to, 2, joint->slot, wide);
		to[m->size - 2] = (char)joint->closing_a;
		to[m->size - 1] = (char)joint->closing_b;
	}
	return GEMP_OK;
}

static gemp_code add_received(merging *m, size_t count)
{
	bool wide = m->team->wide;
	gemp_euler_forest *forest = m->forest;
	gemp_euler_joint *larger = gemp_realloc(forest->joints, forest->count + count, sizeof *larger);
	if (!larger)
		return GEMP_ENOMEM;
	forest->joints = larger;
	for (size_t i = 0; i < count; i++) {
		const char *from = (const char *)m->received + i * m->size;
		larger[forest->count++] = (gemp_euler_joint){ gemp_number_read(from, 0, wide), gemp_number_read(from, 1, wide),
			                                          gemp_number_read(from, 2, wide), (uint8_t)from[m->size - 2],
			                                          (uint8_t)from[m->size - 1] };
	}
	return GEMP_OK;
}

/* The second half of each block of 2^step teams tells the first: its first team that one's. */
static gemp_code merge_step(merging *m, unsigned step)
{
	gemp_code code = GEMP_OK;
	gemp_euler_team *team = m->team;
	size_t block = (size_t)1 << step, half = block / 2, bytes = 0;
	size_t sending = team->team % block == half ? m->forest->count : 0;
	GEMP_TRY(gemp_comm_agree(team->comm, pack(m, sending)));
	memset(m->sizes, 0, 2 * team->teams * sizeof *m->sizes);
	if (sending)
		m->sizes[team->team - half] = sending * m->size;
	GEMP_TRY(gemp_exchange(team->comm, m->packed, m->sizes, &m->received, &m->received_capacity, m->sizes + team->teams,
	                       &team->traffic));
	for (size_t t = 0; t < team->teams; t++)
		bytes += m->sizes[team->teams + t];
	if (sending)
		m->forest->count = 0;
	code = add_received(m, bytes / m->size);
	GEMP_THEN(reduce(m->forest, step, m->bound));
	GEMP_TRY(gemp_comm_agree(team->comm, code));
done:
	gemp_free(m->packed);
	m->packed = NULL;
	return code;
}

gemp_code gemp_euler_forest_merge(gemp_euler_team *team, gemp_euler_forest *forest, uint64_t bound)
{
	gemp_code code = GEMP_OK;
	merging m = { .team = team,
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
