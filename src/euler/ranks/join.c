#include "euler/ranks/join.h"

#include "core/search.h"
#include "core/status.h"
#include "core/threads.h"

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

/* Collective. Circuits that have slots of this team: which step closes each, reach[present->count], the caller's. */
static gemp_code gemp_euler_forest_closing(gemp_euler_team *team, const gemp_euler_subset *present, uint8_t **reach)
{
	gemp_code code = GEMP_OK;
	team_extent h = { 0 };
	void *steps = NULL;
	GEMP_TRY_DONE(gemp_comm_agree(team->comm, gemp_new_all(GEMP_ARRAY(h.first_team, team->circuits),
	                                                       GEMP_ARRAY(h.last_team, team->circuits),
	                                                       GEMP_ARRAY(*reach, present->count))));
	for (size_t c = 0; c < team->circuits; c++)
		h.first_team[c] = UINT64_MAX;
	const gemp_euler_request request = {
		.team = team, .named = present, .own = team->circuits, .receive = receive, .answer = closing_step, .context = &h
	};
	GEMP_TRY_DONE(gemp_euler_query(&request, &steps));
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
static gemp_code index_forest_circuits(reduction *s, uint64_t bound)
{
	const gemp_euler_forest *forest = s->forest;
	GEMP_TRY(gemp_euler_subset_new(&s->circuits, bound));
	for (size_t i = 0; i < forest->count; i++) {
		gemp_euler_subset_add(&s->circuits, forest->joints[i].a);
		gemp_euler_subset_add(&s->circuits, forest->joints[i].b);
	}
	gemp_euler_subset_seal(&s->circuits);
	GEMP_TRY(gemp_new_all(GEMP_ARRAY(s->decided_sets, s->circuits.count),
	                      GEMP_ARRAY(s->open_circuit, s->circuits.count), GEMP_ARRAY(s->kept_sets, s->circuits.count),
	                      GEMP_ARRAY(s->closing, s->circuits.count)));
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
	GEMP_TRY(GEMP_RESERVE(forest->decided, forest->decided_capacity, forest->decided_count + forest->count));
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
	GEMP_TRY_DONE(index_forest_circuits(&s, bound));
	find_open(&s, step);
	GEMP_TRY_DONE(decide(&s));
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
	void *received;
	size_t received_capacity;
} merge_state;

/* Numbers have the width of the graph; closing steps are bytes. */
static gemp_code pack(const merge_state *m, size_t count, char **out)
{
	bool wide = m->team->wide;
	*out = gemp_calloc(count, m->size);
	if (!*out)
		return GEMP_ENOMEM;
	for (size_t i = 0; i < count; i++) {
		const gemp_circuit_edge *joint = &m->forest->joints[i];
		char *to = *out + i * m->size;
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
	GEMP_OWNED char *send_buffer = NULL;
	gemp_euler_team *team = m->team;
	size_t block = (size_t)1 << step, half = block / 2, bytes = 0;
	size_t sending = team->team % block == half ? m->forest->count : 0;
	GEMP_TRY(gemp_comm_agree(team->comm, pack(m, sending, &send_buffer)));
	memset(m->sizes, 0, 2 * team->teams * sizeof *m->sizes);
	if (sending)
		m->sizes[team->team - half] = sending * m->size;
	GEMP_TRY(gemp_exchange(team->comm, GEMP_OK, send_buffer, m->sizes, &m->received, &m->received_capacity,
	                       m->sizes + team->teams, &team->traffic));
	for (size_t t = 0; t < team->teams; t++)
		bytes += m->sizes[team->teams + t];
	if (sending)
		m->forest->count = 0;
	gemp_code code = add_received(m, bytes / m->size);
	GEMP_THEN(reduce(m->forest, step, m->bound));
	return gemp_comm_agree(team->comm, code);
}

/* Collective. joints: a forest of this team, all of it open; afterwards settled, on whichever team. A number of a
 * circuit is below `bound`. */
static gemp_code merge_forests(gemp_euler_team *team, gemp_euler_forest *forest, uint64_t bound)
{
	merge_state m = { .team = team,
		              .forest = forest,
		              .bound = bound,
		              .size = NUMBERS * gemp_number_size(team->wide) + 2 * sizeof(uint8_t) };
	gemp_code code = GEMP_NEW(m.sizes, 2 * team->teams);
	GEMP_THEN(reduce(forest, 0, bound));
	code = gemp_comm_agree(team->comm, code);
	for (unsigned step = 1; (size_t)1 << step < 2 * team->teams; step++)
		GEMP_THEN(merge_step(&m, step));
	gemp_free_all(m.sizes, m.received);
	return code;
}

static void forest_free(gemp_euler_forest *forest)
{
	gemp_free_all(forest->joints, forest->decided);
}

enum { SLOTS_PER_CHUNK = 1 << 14, BLOCK = 1 << 12, SAMPLE = 1 << 8, CIRCUITS_PER_CHUNK = 1 << 15 };

/* With several teams `circuit` and `root` refer to indices of the circuits present here; with one team to circuits
 * themselves. */
typedef struct join_state {
	const gemp_euler_list *list;
	const gemp_euler_edges *edges;
	bool wide;
	gemp_euler_lookup circuit; /* of each slot; of several teams, its index in `present` */
	gemp_euler_lookup root;    /* of each slot, the root of its circuit */
	gemp_euler_subset present; /* circuits that have slots here; of a single team not used */
	size_t circuits;
	gemp_euler_block parent; /* [circuits] numbers */
	uint64_t *joined;
	uint64_t joins; /* made here */
	bool sampling;  /* the first slots of each block, or the others */
} join_state;

/* Consecutive slots of one row are united; equal roots are skipped without touching the union-find. */
GEMP_INLINE uint64_t join_slots(join_state *j, size_t first, size_t end, bool wide)
{
	const gemp_euler_edges *edges = j->edges;
	size_t row = gemp_range_find(edges->begin, edges->rows, first), base = j->list->own_begin;
	uint64_t joins = 0;
	for (size_t x = first; x < end; row++) {
		size_t stop = edges->begin[row + 1] < end ? edges->begin[row + 1] : end;
		x = x > edges->begin[row] ? x : edges->begin[row] + 1;
		if (x >= stop) {
			x = stop;
			continue;
		}
		for (uint64_t last = gemp_euler_lookup_at(&j->root, base + x - 1, wide); x < stop; x++) {
			uint64_t root = gemp_euler_lookup_at(&j->root, base + x, wide);
			if (root != last && gemp_euler_unite(j->parent.at, last, root, wide)) {
				gemp_bits64_set_atomic(j->joined, base + x);
				joins++;
			}
			last = root;
		}
	}
	return joins;
}

/* A few slots of each block join nearly all circuits of most graphs; for the others a comparison of roots then
 * suffices. */
GEMP_INLINE void join_piece(join_state *j, size_t begin, size_t end, bool wide)
{
	size_t joins = 0;
	for (size_t x = begin; x < end; x += BLOCK) {
		size_t sampled = x + SAMPLE < end ? x + SAMPLE : end, stop = x + BLOCK < end ? x + BLOCK : end;
		joins += j->sampling ? join_slots(j, x, sampled, wide) : join_slots(j, sampled, stop, wide);
	}
	if (joins)
		__atomic_fetch_add(&j->joins, joins, __ATOMIC_RELAXED);
}
GEMP_CHUNK_WIDTHS(join_body, join_piece, join_state)

/* Replaces circuits by their current roots between the two passes. */
static void compress(join_state *j, void *numbers, size_t first, size_t end)
{
	for (size_t i = first; i < end; i++)
		gemp_number_set(numbers, i, gemp_euler_root_of(j->parent.at, gemp_number_at(numbers, i, j->wide), j->wide),
		                j->wide);
}

static void compress_body(void *context, size_t chunk, size_t begin, size_t end)
{
	join_state *j = context;
	size_t first, last;
	(void)chunk;
	gemp_euler_team_part(j->list->team, j->list->splitters, &first, &last);
	compress(j, j->root.own, first + begin, first + end < last ? first + end : last);
	if (j->root.values)
		compress(j, j->root.values, begin, end < j->root.named.count ? end : j->root.named.count);
}

/* Collective over the team: sample, compress, rest. */
static void unite_slots(join_state *j)
{
	const gemp_euler_team *team = j->list->team;
	size_t slots = j->list->own_end - j->list->own_begin;
	size_t max_count = j->list->splitters > j->root.named.count ? j->list->splitters : j->root.named.count;
	j->sampling = true;
	gemp_for_chunks(slots, SLOTS_PER_CHUNK, join_body, j);
	gemp_euler_team_fence(team);
	gemp_for_chunks(max_count, CIRCUITS_PER_CHUNK, compress_body, j);
	gemp_euler_team_fence(team);
	j->sampling = false;
	gemp_for_chunks(slots, SLOTS_PER_CHUNK, join_body, j);
	gemp_euler_team_fence(team);
}

static void add_circuits(join_state *j, const void *numbers, size_t count)
{
	for (size_t i = 0; i < count; i++)
		gemp_euler_subset_add(&j->present, gemp_number_at(numbers, i, j->wide));
}

/* Arrays of circuits become arrays of their dense indices. */
static void replace_by_index(join_state *j, void *numbers, size_t count)
{
	for (size_t i = 0; i < count; i++)
		gemp_number_set(numbers, i, gemp_euler_subset_index(&j->present, gemp_number_at(numbers, i, j->wide)), j->wide);
}

/* Several teams: circuits that have slots here get dense numbers, and roots get arrays of their own. */
static gemp_code index_circuits(join_state *j, uint64_t bound)
{
	size_t size = gemp_number_size(j->wide), own = j->list->splitters, named = j->circuit.named.count;
	GEMP_TRY(gemp_euler_subset_new(&j->present, bound));
	add_circuits(j, j->circuit.own, own);
	add_circuits(j, j->circuit.values, named);
	gemp_euler_subset_seal(&j->present);
	replace_by_index(j, j->circuit.own, own);
	replace_by_index(j, j->circuit.values, named);
	j->circuits = j->present.count;
	j->root.own = gemp_calloc(own, size);
	j->root.values = gemp_calloc(named, size);
	if (!j->root.own || !j->root.values)
		return GEMP_ENOMEM;
	memcpy(j->root.own, j->circuit.own, own * size);
	memcpy(j->root.values, j->circuit.values, named * size);
	return GEMP_OK;
}

/* Lists the joined slots as edges of the circuit graph and clears their bits: other teams may decide otherwise. */
static gemp_code list_forest_edges(join_state *j, const uint8_t *reach, gemp_euler_forest *forest)
{
	const gemp_euler_list *list = j->list;
	GEMP_OWNED uint64_t *circuit = NULL;
	size_t count = 0;
	GEMP_TRY(gemp_new_all(GEMP_ARRAY(forest->joints, j->joins), GEMP_ARRAY(circuit, j->circuits)));
	for (size_t word = 0; word < j->present.words; word++)
		GEMP_EACH_BIT(j->present.word[word].bits, bit)
	circuit[count++] = word * 64 + bit;
	for (size_t word = 0; word <= list->count / 64; word++) {
		GEMP_EACH_BIT(j->joined[word], bit)
		{
			size_t x = word * 64 + bit;
			uint64_t a = gemp_euler_lookup_at(&j->circuit, x - 1, j->wide),
					 b = gemp_euler_lookup_at(&j->circuit, x, j->wide);
			forest->joints[forest->count++] = (gemp_circuit_edge){ circuit[a], circuit[b], list->first_number + x,
				                                                   reach[a], reach[b] };
		}
		j->joined[word] = 0;
	}
	return GEMP_OK;
}

/* Collective. Slots are told by whichever team decides about them. */
static gemp_code unite_teams(join_state *j, uint64_t bound)
{
	gemp_euler_team *team = j->list->team;
	GEMP_OWNED_BY(forest_free) gemp_euler_forest forest = { 0 };
	GEMP_OWNED uint8_t *reach = NULL;
	GEMP_TRY(gemp_euler_forest_closing(team, &j->present, &reach));
	GEMP_TRY(gemp_comm_agree(team->comm, list_forest_edges(j, reach, &forest)));
	GEMP_TRY(merge_forests(team, &forest, bound));
	GEMP_TRY(gemp_euler_bits_set(team, forest.decided, forest.decided_count, j->list->bounds, j->joined));
	j->joins = forest.decided_count;
	return GEMP_OK;
}

/* Collective. Union-find over the circuits that have slots here. */
static gemp_code prepare_sets(join_state *j, uint64_t bound)
{
	gemp_code code = GEMP_OK;
	gemp_euler_team *team = j->list->team;
	j->circuits = team->circuits;
	if (team->teams > 1)
		code = index_circuits(j, bound);
	GEMP_TRY(gemp_comm_agree(team->comm, code));
	code = gemp_euler_block_new(team, &j->parent, j->circuits, gemp_number_size(j->wide));
	GEMP_TRY(gemp_comm_agree(team->comm, code));
	if (team->member == 0)
		for (size_t i = 0; i < j->circuits; i++)
			gemp_number_set(j->parent.at, i, i, j->wide);
	gemp_euler_team_fence(team);
	return GEMP_OK;
}

gemp_code gemp_euler_join(gemp_euler_lookup *lookup, const gemp_euler_edges *edges, uint64_t *joined, uint64_t *joins)
{
	gemp_code code = GEMP_OK;
	const gemp_euler_list *list = lookup->list;
	gemp_euler_team *team = list->team;
	join_state j = {
		.list = list, .edges = edges, .wide = list->wide, .circuit = *lookup, .root = *lookup, .joined = joined
	};
	uint64_t bound = team->circuits;
	if (team->teams > 1)
		j.root.own = j.root.values = NULL;
	gemp_comm_max(team->comm, &bound, 1);
	bound *= team->teams;
	GEMP_TRY_DONE(prepare_sets(&j, bound));
	unite_slots(&j);
	if (team->teams > 1)
		GEMP_TRY_DONE(unite_teams(&j, bound));
	*joins = gemp_comm_sum1(team->comm, j.joins);
done:
	if (team->teams > 1) {
		gemp_free_all(j.root.own, j.root.values);
	}
	gemp_euler_subset_free(&j.present);
	gemp_euler_block_free(&j.parent);
	return code;
}

/* The stretch that leads to a slot: its own, or the previous one if a stretch begins there. */
static uint64_t stretch_to(const gemp_euler_list *list, size_t slot)
{
	uint64_t label = gemp_euler_label_at(list, slot, list->wide), flag = gemp_euler_label_flag(list->wide);
	return label & flag ? gemp_number_at(list->from.at, (label & ~flag) - 1, list->wide) : label - 1;
}

/* Marks a stretch as changed: in the bitmap, or for its owner. */
typedef struct change_marker {
	uint64_t *bits;
	gemp_euler_subset *remote; /* NULL: there is but one team */
} change_marker;

static void mark_stretch(const change_marker *n, uint64_t number)
{
	if (n->remote)
		gemp_euler_subset_add(n->remote, number);
	else
		gemp_bits64_set_atomic(n->bits, number);
}

/* The first slot of a run of joined slots has no bit of its own, but its predecessor changes, too. */
static void mark_changed(const gemp_euler_list *list, const uint64_t *joined, change_marker n)
{
	for (size_t word = list->own_begin / 64; word * 64 < list->own_end; word++)
		GEMP_EACH_BIT(joined[word], bit)
		{
			size_t slot = word * 64 + bit;
			if (slot < list->own_begin || slot >= list->own_end)
				continue;
			mark_stretch(&n, stretch_to(list, slot));
			if (!gemp_bits64_test(joined, slot - 1))
				mark_stretch(&n, stretch_to(list, slot - 1));
		}
}

/* Collective. Each changed stretch is sent once, however many slots of it are joined. */
static gemp_code send_to_owners(const gemp_euler_list *list, const uint64_t *joined, uint64_t *bits)
{
	gemp_code code = GEMP_OK;
	gemp_euler_team *team = list->team;
	GEMP_OWNED_BY(gemp_euler_subset_free) gemp_euler_subset changed = { 0 };
	uint64_t bound = list->splitters;
	GEMP_OWNED uint64_t *numbers = NULL;
	size_t count = 0;
	gemp_comm_max(team->comm, &bound, 1);
	code = gemp_euler_subset_new(&changed, bound * team->teams);
	if (code == GEMP_OK) {
		mark_changed(list, joined, (change_marker){ .remote = &changed });
		gemp_euler_subset_seal(&changed);
		code = GEMP_NEW(numbers, changed.count);
	}
	GEMP_TRY(gemp_comm_agree(team->comm, code));
	for (size_t word = 0; word < changed.words; word++)
		GEMP_EACH_BIT(changed.word[word].bits, bit)
	numbers[count++] = word * 64 + bit;
	return gemp_euler_bits_set(team, numbers, count, NULL, bits);
}

/* The numbers of this member's part, as starts of walks. */
static gemp_code list_set_bits(const gemp_euler_list *list, const uint64_t *bits, void **starts, size_t *count)
{
	size_t first, end;
	gemp_euler_team_part(list->team, list->splitters, &first, &end);
	*count = 0;
	for (size_t k = first; k < end; k++)
		*count += gemp_bits64_test(bits, k);
	*starts = gemp_calloc(*count, gemp_number_size(list->wide));
	if (!*starts)
		return GEMP_ENOMEM;
	*count = 0;
	for (size_t k = first; k < end; k++)
		if (gemp_bits64_test(bits, k))
			gemp_number_set(*starts, (*count)++, k, list->wide);
	return GEMP_OK;
}

gemp_code gemp_euler_join_changed(const gemp_euler_list *list, const uint64_t *joined, void **starts, size_t *count)
{
	gemp_code code = GEMP_OK;
	gemp_euler_team *team = list->team;
	GEMP_OWNED_BY(gemp_euler_block_free) gemp_euler_block bits = { 0 };
	code = gemp_euler_block_new(team, &bits, list->splitters / 64 + 1, sizeof(uint64_t));
	GEMP_TRY(gemp_comm_agree(team->comm, code));
	if (team->teams > 1)
		GEMP_TRY(send_to_owners(list, joined, bits.at));
	else
		mark_changed(list, joined, (change_marker){ .bits = bits.at });
	gemp_euler_team_fence(team);
	return gemp_comm_agree(team->comm, list_set_bits(list, bits.at, starts, count));
}
