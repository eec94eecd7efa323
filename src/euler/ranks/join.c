#include "euler/ranks/join.h"

#include "core/search.h"
#include "core/threads.h"
#include "euler/ranks/forest.h"

/* The union-find has an element for each circuit. A single team numbers circuits densely, and its members share the
 * array. Each of several teams has an array of its own, over the circuits that have slots of the team, and the
 * resulting forests are merged. Most slots need no search for roots. Afforest's idea (Sutton, Ben-Nun and Barak 2018)
 * is to unite a sample of the slots first, and to compare roots for the other slots.
 *
 * Joining changes the successors along some stretches only. The labels of the joined slots name these stretches, and
 * only these stretches are walked again (gemp_euler_join_changed). */

enum { SLOTS_PER_CHUNK = 1 << 14, BLOCK = 1 << 12, SAMPLE = 1 << 8, CIRCUITS_PER_CHUNK = 1 << 15 };

/* With one team `circuit` and `root` give circuits. With several teams they give indices in `present`. */
typedef struct join_state {
	const gemp_euler_list *list;
	const gemp_euler_edges *edges;
	bool wide;
	gemp_euler_lookup circuit; /* the circuit of each slot */
	gemp_euler_lookup root;    /* the root of each slot's circuit at the last compression */
	gemp_euler_subset present; /* the circuits that have slots of this team; not used by a single team */
	size_t circuits;
	gemp_euler_block parent; /* [circuits] union-find (forest.h) */
	uint64_t *joined;
	uint64_t joins; /* number of joins that this rank has made */
	bool sampling;  /* true: this pass unites the first SAMPLE slots of each block; false: the other slots */
} join_state;

/* Unites the circuits of consecutive slots of a row. Slots with equal roots are skipped without a search in the
 * union-find. */
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

/* In most graphs a few slots of each block join nearly all circuits. For the other slots it then suffices to compare
 * roots. */
GEMP_INLINE void join_chunk(join_state *j, size_t begin, size_t end, bool wide)
{
	size_t joins = 0;
	for (size_t x = begin; x < end; x += BLOCK) {
		size_t sampled = x + SAMPLE < end ? x + SAMPLE : end, stop = x + BLOCK < end ? x + BLOCK : end;
		joins += j->sampling ? join_slots(j, x, sampled, wide) : join_slots(j, sampled, stop, wide);
	}
	if (joins)
		__atomic_fetch_add(&j->joins, joins, __ATOMIC_RELAXED);
}
GEMP_CHUNK_WIDTHS(join_body, join_chunk, join_state)

/* Replaces the circuits numbers[first .. end - 1] by their current roots, between the two passes. */
static void compress(join_state *j, void *numbers, size_t first, size_t end)
{
	for (size_t i = first; i < end; i++)
		gemp_number_put(numbers, i, gemp_euler_root_of(j->parent.at, gemp_number_at(numbers, i, j->wide), j->wide),
		                j->wide);
}

/* The loop covers two arrays of different lengths: the splitters of this member's part, and the values that this rank
 * has requested. The chunk is clipped to the length of each array. */
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

/* Collective over the team. Unites the circuits of the sample, compresses the roots, and unites the circuits of the
 * other slots. */
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

/* Replaces each circuit in numbers[count] by its index in `present`. *copy becomes a copy of the result. */
static gemp_code replace_by_index(join_state *j, void *numbers, size_t count, void **copy)
{
	GEMP_TRY(gemp_numbers_new(copy, count, j->wide));
	for (size_t i = 0; i < count; i++)
		gemp_number_put(numbers, i, gemp_euler_subset_index(&j->present, gemp_number_at(numbers, i, j->wide)), j->wide);
	memcpy(*copy, numbers, count * gemp_number_size(j->wide));
	return GEMP_OK;
}

/* With several teams, numbers the circuits that have slots of this team densely, and makes separate arrays for the
 * roots. */
static gemp_code index_circuits(join_state *j, uint64_t bound)
{
	size_t own = j->list->splitters, named = j->circuit.named.count;
	GEMP_TRY(gemp_euler_subset_new(&j->present, bound));
	add_circuits(j, j->circuit.own, own);
	add_circuits(j, j->circuit.values, named);
	gemp_euler_subset_seal(&j->present);
	j->circuits = j->present.count;
	GEMP_TRY(replace_by_index(j, j->circuit.own, own, &j->root.own));
	return replace_by_index(j, j->circuit.values, named, &j->root.values);
}

/* Lists the joined slots as edges of the circuit graph, and clears their bits, since other teams may decide not to join
 * them. */
static gemp_code list_forest_edges(join_state *j, const uint8_t *closing_steps, gemp_euler_forest *forest)
{
	const gemp_euler_list *list = j->list;
	GEMP_OWNED uint64_t *circuit = NULL;
	GEMP_TRY(gemp_new_all(GEMP_ARRAY(forest->edges, j->joins), GEMP_ARRAY(circuit, j->circuits)));
	gemp_euler_subset_list(&j->present, circuit);
	for (size_t word = 0; word <= list->count / 64; word++) {
		GEMP_EACH_BIT (j->joined[word], bit) {
			size_t x = word * 64 + bit;
			uint64_t a = gemp_euler_lookup_at(&j->circuit, x - 1, j->wide),
					 b = gemp_euler_lookup_at(&j->circuit, x, j->wide);
			forest->edges[forest->count++] = (gemp_circuit_edge){ circuit[a], circuit[b], list->first_number + x,
				                                                  closing_steps[a], closing_steps[b] };
		}
		j->joined[word] = 0;
	}
	return GEMP_OK;
}

/* Collective. A team that has decided an edge sends the edge's slot to the slot's owner, which sets the bit again. */
static gemp_code unite_teams(join_state *j, uint64_t bound)
{
	gemp_euler_team *team = j->list->team;
	GEMP_OWNED_BY(gemp_euler_forest_free) gemp_euler_forest forest = { 0 };
	GEMP_OWNED uint8_t *closing_steps = NULL;
	GEMP_TRY(gemp_euler_forest_closing(team, &j->present, &closing_steps));
	GEMP_TRY(gemp_comm_agree(team->comm, list_forest_edges(j, closing_steps, &forest)));
	GEMP_TRY(gemp_euler_forest_merge(&forest, team, bound));
	GEMP_TRY(gemp_euler_bits_set(team, forest.decided, forest.decided_count, j->list->bounds, j->joined));
	j->joins = forest.decided_count;
	return GEMP_OK;
}

/* Collective. Makes the union-find, in which every circuit is a set of its own. */
static gemp_code prepare_sets(join_state *j, uint64_t bound)
{
	gemp_euler_team *team = j->list->team;
	j->circuits = team->circuits;
	if (team->teams > 1)
		GEMP_TRY(gemp_comm_agree(team->comm, index_circuits(j, bound)));
	GEMP_TRY(gemp_euler_block_new(team, &j->parent, j->circuits, gemp_number_size(j->wide)));
	if (team->member == 0)
		for (size_t i = 0; i < j->circuits; i++)
			gemp_number_put(j->parent.at, i, i, j->wide);
	gemp_euler_team_fence(team);
	return GEMP_OK;
}

/* With several teams prepare_sets makes separate arrays for the roots. Until then the pointers are NULL, because
 * otherwise an early failure would free the arrays of `lookup`. Circuit j of team t has the number j * teams + t, so
 * the team with the most circuits decides the bound. */
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
	if (team->teams > 1)
		gemp_free_all(j.root.own, j.root.values);
	gemp_euler_subset_free(&j.present);
	gemp_euler_block_free(&j.parent);
	return code;
}

/* The splitter of the stretch that leads to a slot. If the slot is a splitter itself, this is the previous stretch. */
static uint64_t stretch_to(const gemp_euler_list *list, size_t slot)
{
	uint64_t label = gemp_euler_label_at(list, slot, list->wide), flag = gemp_euler_label_flag(list->wide);
	return label & flag ? gemp_number_at(list->from.at, (label & ~flag) - 1, list->wide) : label - 1;
}

/* Where changed stretches are marked: in a bitmap of the team's splitters, or in a subset of the splitters of all
 * teams. */
typedef struct change_marks {
	uint64_t *bits;
	gemp_euler_subset *subset; /* NULL: there is one team, and bits[] is used */
} change_marks;

static void mark_stretch(const change_marks *marks, uint64_t number)
{
	if (marks->subset)
		gemp_euler_subset_add(marks->subset, number);
	else
		gemp_bits64_set_atomic(marks->bits, number);
}

/* Marks the stretches that lead to joined slots. The first slot of a run of joined slots has no bit, but the edge that
 * leads to it also gets another successor, so its stretch is marked, too. */
static void mark_changed(const gemp_euler_list *list, const uint64_t *joined, change_marks marks)
{
	for (size_t word = list->own_begin / 64; word * 64 < list->own_end; word++)
		GEMP_EACH_BIT (joined[word], bit) {
			size_t slot = word * 64 + bit;
			if (slot < list->own_begin || slot >= list->own_end)
				continue;
			mark_stretch(&marks, stretch_to(list, slot));
			if (!gemp_bits64_test(joined, slot - 1))
				mark_stretch(&marks, stretch_to(list, slot - 1));
		}
}

/* Collective. Sends each changed stretch once, however many of its slots are joined. */
static gemp_code send_to_owners(const gemp_euler_list *list, const uint64_t *joined, uint64_t *bits)
{
	gemp_euler_team *team = list->team;
	GEMP_OWNED_BY(gemp_euler_subset_free) gemp_euler_subset changed = { 0 };
	uint64_t bound = list->splitters;
	GEMP_OWNED uint64_t *numbers = NULL;
	gemp_comm_max(team->comm, &bound, 1);
	gemp_code code = gemp_euler_subset_new(&changed, bound * team->teams);
	if (code == GEMP_OK) {
		mark_changed(list, joined, (change_marks){ .subset = &changed });
		gemp_euler_subset_seal(&changed);
		code = GEMP_NEW(numbers, changed.count);
	}
	GEMP_TRY(gemp_comm_agree(team->comm, code));
	gemp_euler_subset_list(&changed, numbers);
	return gemp_euler_bits_set(team, numbers, changed.count, NULL, bits);
}

/* Lists the marked splitters of this member's part, as starts of walks. */
static gemp_code list_set_bits(const gemp_euler_list *list, const uint64_t *bits, void **starts, size_t *count)
{
	size_t first, end;
	gemp_euler_team_part(list->team, list->splitters, &first, &end);
	*count = 0;
	for (size_t k = first; k < end; k++)
		*count += gemp_bits64_test(bits, k);
	GEMP_TRY(gemp_numbers_new(starts, *count, list->wide));
	*count = 0;
	for (size_t k = first; k < end; k++)
		if (gemp_bits64_test(bits, k))
			gemp_number_put(*starts, (*count)++, k, list->wide);
	return GEMP_OK;
}

/* The fence precedes the listing, since each member may mark splitters in the parts of other members. */
gemp_code gemp_euler_join_changed(const gemp_euler_list *list, const uint64_t *joined, void **starts, size_t *count)
{
	gemp_euler_team *team = list->team;
	GEMP_OWNED_BY(gemp_euler_block_free) gemp_euler_block bits = { 0 };
	GEMP_TRY(gemp_euler_block_new(team, &bits, list->splitters / 64 + 1, sizeof(uint64_t)));
	if (team->teams > 1)
		GEMP_TRY(send_to_owners(list, joined, bits.at));
	else
		mark_changed(list, joined, (change_marks){ .bits = bits.at });
	gemp_euler_team_fence(team);
	return gemp_comm_agree(team->comm, list_set_bits(list, bits.at, starts, count));
}
