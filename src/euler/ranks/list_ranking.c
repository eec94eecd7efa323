#include "euler/ranks/list_ranking.h"

#include "core/memory.h"
#include "core/search.h"
#include "core/threads.h"

#include <stdlib.h>

enum { ELEMENTS_PER_CHUNK = 1 << 15 };

typedef struct solving {
	gemp_euler_list *list;
	bool wide;
	void *values;
	uint64_t total;               /* 0: circuits are asked for */
	gemp_euler_lookup lookup;     /* of the splitters' values */
	const gemp_euler_list *above; /* the list of the splitters */
} solving;

/* Circuits of a single element are numbered and done. How many elements are on others? */
static uint64_t number_closed(solving *s)
{
	gemp_euler_list *list = s->list;
	gemp_euler_team *team = list->team;
	uint64_t closed = 0, all, first;
	for (size_t x = list->part; x < list->part_end; x++)
		closed += gemp_euler_closed(list, x, s->wide);
	first = team->circuits + gemp_euler_team_before(team, closed, &all);
	team->circuits += all;
	for (size_t x = list->part; x < list->part_end; x++)
		if (gemp_euler_closed(list, x, s->wide))
			gemp_number_set(s->values, x, s->total ? 0 : first++ * team->teams + team->team, s->wide);
	return gemp_comm_sum1(team->comm, list->part_end - list->part - closed);
}

/* By one member, in the memory of the team. */
static void follow_here(solving *s)
{
	gemp_euler_list *list = s->list;
	for (size_t x = 0; x < list->count; x++) {
		if (gemp_euler_closed(list, x, s->wide) || gemp_euler_label_at(list, x, s->wide) != 0)
			continue;
		uint64_t at = 0, circuit = list->team->circuits++;
		for (size_t y = x; gemp_euler_label_at(list, y, s->wide) == 0; y = gemp_euler_next_at(list, y, s->wide)) {
			gemp_number_set(list->link.at, 2 * y + 1, 1, s->wide);
			gemp_number_set(s->values, y, s->total ? at : circuit, s->wide);
			at += gemp_number_at(list->weight.at, y, s->wide);
		}
	}
}

static void solve_here(solving *s)
{
	gemp_euler_team *team = s->list->team;
	if (team->member == 0)
		follow_here(s);
	if (team->members > 1)
		gemp_comm_max(team->comm, &team->circuits, 1);
}

typedef struct element {
	uint64_t number, next, weight, value;
	bool seen;
} element;

static int by_number(const void *a, const void *b)
{
	uint64_t x = ((const element *)a)->number, y = ((const element *)b)->number;
	return (x > y) - (x < y);
}

/* Elements are in the order of their numbers, since teams are. Each circuit is numbered by the team of its first
 * one. */
static void follow_gathered(const solving *s, element *elements, size_t count, uint64_t *circuits)
{
	const gemp_euler_list *list = s->list;
	for (size_t i = 0; i < count; i++) {
		if (elements[i].seen)
			continue;
		size_t team = gemp_range_find(list->bounds, list->team->teams, elements[i].number);
		uint64_t at = 0, circuit = circuits[team]++ * list->team->teams + team;
		for (element *e = &elements[i]; !e->seen;) {
			e->seen = true;
			e->value = s->total ? at : circuit;
			at += e->weight;
			e = bsearch(&(element){ .number = e->next }, elements, count, sizeof *elements, by_number);
		}
	}
}

static gemp_code solve_gathered(solving *s)
{
	gemp_code code = GEMP_OK;
	gemp_euler_list *list = s->list;
	gemp_euler_team *team = list->team;
	element *mine = NULL;
	void *all = NULL;
	uint64_t *circuits = NULL;
	size_t *begin = NULL, count = 0;
	GEMP_TRY(
		gemp_comm_agree(team->comm, gemp_new_all(GEMP_ARRAY(mine, list->count), GEMP_ARRAY(circuits, team->teams))));
	for (size_t x = 0; x < list->count; x++)
		if (!gemp_euler_closed(list, x, s->wide))
			mine[count++] = (element){ .number = list->low + x,
				                       .next = gemp_euler_next_at(list, x, s->wide),
				                       .weight = gemp_number_at(list->weight.at, x, s->wide) };
	GEMP_TRY(gemp_comm_allgather(team->comm, mine, count * sizeof *mine, &all, &begin));
	team->traffic.bytes += count * sizeof *mine * (team->teams - 1);
	GEMP_MPI(MPI_Allgather(&team->circuits, 1, MPI_UINT64_T, circuits, 1, MPI_UINT64_T, team->comm->world));
	element *elements = all;
	follow_gathered(s, elements, begin[team->teams] / sizeof *elements, circuits);
	for (size_t i = begin[team->team] / sizeof *elements; i < begin[team->team + 1] / sizeof *elements; i++)
		gemp_number_set(s->values, elements[i].number - list->low, elements[i].value, s->wide);
	team->circuits = circuits[team->team];
done:
	gemp_free_all(mine, all, begin, circuits);
	return code;
}

/* The list above leads back: what is far there is near here. */
GEMP_INLINE void spread_piece(solving *s, size_t begin, size_t end, bool wide)
{
	const gemp_euler_list *list = s->list;
	for (size_t x = list->part + begin; x < list->part + end; x++) {
		if (gemp_euler_closed(list, x, wide))
			continue;
		uint64_t value = gemp_euler_lookup_at(&s->lookup, x, wide);
		if (s->total)
			value = (value ? s->total - value : 0) + gemp_number_at(list->distance.at, x, wide);
		gemp_number_set(s->values, x, value, wide);
	}
}
GEMP_CHUNK_WIDTHS(spread_body, spread_piece, solving)

static gemp_code solve(gemp_euler_list *list, void *values, uint64_t total);

static gemp_code solve_by_splitters(solving *s)
{
	gemp_code code = GEMP_OK;
	gemp_euler_list *list = s->list, above = { 0 };
	gemp_euler_team *team = list->team;
	gemp_euler_block values = { 0 };
	uint64_t *bounds = NULL;
	code = gemp_euler_block_new(team, &list->distance, list->count, gemp_number_size(s->wide));
	GEMP_TRY(gemp_comm_agree(team->comm, code));
	GEMP_TRY(gemp_euler_list_contract(list, NULL, NULL));
	GEMP_TRY(gemp_euler_list_of_splitters(&above, &bounds, list));
	code = gemp_euler_block_new(team, &values, above.count, gemp_number_size(s->wide));
	GEMP_TRY(gemp_comm_agree(team->comm, code));
	GEMP_TRY(solve(&above, values.at, s->total));
	GEMP_TRY(gemp_euler_lookup_new(&s->lookup, list, values.at));
	gemp_for_chunks(list->part_end - list->part, ELEMENTS_PER_CHUNK, spread_body, s);
	gemp_euler_team_fence(team);
done:
	gemp_euler_lookup_free(&s->lookup);
	gemp_euler_block_free(&values);
	gemp_euler_list_free(&above);
	gemp_free(bounds);
	return code;
}

static gemp_code solve(gemp_euler_list *list, void *values, uint64_t total)
{
	solving s = { .list = list, .wide = list->wide, .values = values, .total = total };
	uint64_t active = number_closed(&s);
	if (active > list->team->gather)
		return solve_by_splitters(&s);
	if (active > 0 && list->team->teams > 1)
		GEMP_PROPAGATE(solve_gathered(&s));
	else if (active > 0)
		solve_here(&s);
	gemp_euler_team_fence(list->team);
	return GEMP_OK;
}

gemp_code gemp_euler_solve_circuits(gemp_euler_list *list, void *values)
{
	return solve(list, values, 0);
}

gemp_code gemp_euler_solve_places(gemp_euler_list *list, void *values, uint64_t total)
{
	uint64_t circuits = list->team->circuits;
	gemp_code code = solve(list, values, total);
	list->team->circuits = circuits;
	return code;
}

typedef struct copying {
	gemp_euler_list *to;
	const gemp_euler_list *from;
	bool wide;
} copying;

GEMP_INLINE void copy_piece(copying *c, size_t begin, size_t end, bool wide)
{
	gemp_euler_list *to = c->to;
	size_t teams = to->team->teams;
	for (size_t k = to->part + begin; k < to->part + end; k++) {
		uint64_t number = gemp_number_at(c->from->from.at, k, wide);
		if (teams > 1)
			number = to->bounds[number % teams] + number / teams;
		gemp_number_set(to->link.at, 2 * k, number, wide);
		gemp_number_set(to->weight.at, k, gemp_number_at(c->from->length.at, k, wide), wide);
	}
}
GEMP_CHUNK_WIDTHS(copy_body, copy_piece, copying)

gemp_code gemp_euler_list_of_splitters(gemp_euler_list *out, uint64_t **bounds, const gemp_euler_list *list)
{
	gemp_code code = GEMP_OK;
	gemp_euler_team *team = list->team;
	size_t size = gemp_number_size(list->wide);
	uint64_t mine = list->splitters;
	*out = (gemp_euler_list){
		.team = team, .wide = list->wide, .level = list->level + 1, .count = list->splitters, .chosen = SIZE_MAX
	};
	GEMP_TRY(gemp_comm_agree(team->comm, GEMP_NEW(*bounds, team->teams + 1)));
	if (team->teams > 1)
		GEMP_MPI(MPI_Allgather(&mine, 1, MPI_UINT64_T, *bounds + 1, 1, MPI_UINT64_T, team->comm->world));
	else
		(*bounds)[1] = mine;
	for (size_t t = 0; t < team->teams; t++)
		(*bounds)[t + 1] += (*bounds)[t];
	out->bounds = *bounds;
	out->low = (*bounds)[team->team];
	gemp_euler_team_part(team, out->count, &out->part, &out->part_end);
	code = gemp_euler_block_new(team, &out->link, 2 * out->count, size);
	GEMP_THEN(gemp_euler_block_new(team, &out->weight, out->count, size));
	GEMP_TRY(gemp_comm_agree(team->comm, code));
	copying c = { .to = out, .from = list, .wide = list->wide };
	gemp_for_chunks(out->part_end - out->part, ELEMENTS_PER_CHUNK, copy_body, &c);
	gemp_euler_team_fence(team);
done:
	return code;
}
