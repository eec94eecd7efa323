#include "euler/ranks/list_ranking.h"

#include "core/memory.h"
#include "core/search.h"
#include "core/threads.h"

#include <stdlib.h>

/* The same recursion gives the circuits of a list, and the places on its only circuit, since a walk either assigns one
 * number to all elements or counts their distances. Only the expansion differs. The circuit of a splitter is copied to
 * its elements. The distance of a splitter is reversed, and the distance within the stretch is added. */

enum { ELEMENTS_PER_CHUNK = 1 << 15 };

/* One level of the recursion. */
typedef struct ranking_state {
	gemp_euler_list *list;
	bool wide;
	void *values;             /* [list->count] circuits or distances */
	uint64_t total;           /* 0: values are circuits */
	gemp_euler_lookup lookup; /* gives the values of splitters */
} ranking_state;

/* Collective. Sets the values of circuits of a single element, which need no further work. Returns the number of
 * elements on other circuits, over all ranks. */
static uint64_t number_closed(ranking_state *s)
{
	gemp_euler_list *list = s->list;
	gemp_euler_team *team = list->team;
	uint64_t closed = 0, all, first;
	for (size_t x = list->own_begin; x < list->own_end; x++)
		closed += gemp_euler_closed(list, x, s->wide);
	first = team->circuits + gemp_euler_team_before(team, closed, &all);
	team->circuits += all;
	for (size_t x = list->own_begin; x < list->own_end; x++)
		if (gemp_euler_closed(list, x, s->wide))
			gemp_number_put(s->values, x, s->total ? 0 : first++ * team->teams + team->team, s->wide);
	return gemp_comm_sum1(team->comm, list->own_end - list->own_begin - closed);
}

/* One member follows the circuits in the team's memory while the other members wait, since the list is short by then.
 * The label 1 marks an element as seen. */
static void follow_local(ranking_state *s)
{
	gemp_euler_list *list = s->list;
	for (size_t x = 0; x < list->count; x++) {
		if (gemp_euler_closed(list, x, s->wide) || gemp_euler_label_at(list, x, s->wide) != 0)
			continue;
		uint64_t at = 0, circuit = list->team->circuits++;
		for (size_t y = x; gemp_euler_label_at(list, y, s->wide) == 0; y = gemp_euler_next_at(list, y, s->wide)) {
			gemp_number_put(list->link.at, 2 * y + 1, 1, s->wide);
			gemp_number_put(s->values, y, s->total ? at : circuit, s->wide);
			at += gemp_number_at(list->weight.at, y, s->wide);
		}
	}
}

/* A gathered element, of any team. */
typedef struct gathered_element {
	uint64_t number, next, weight, value;
	bool seen;
} gathered_element;

static int by_number(const void *a, const void *b)
{
	uint64_t x = ((const gathered_element *)a)->number, y = ((const gathered_element *)b)->number;
	return (x > y) - (x < y);
}

/* Elements ascend, since they are gathered team by team. The team of a circuit's first element numbers the circuit, so
 * all ranks assign the same number. */
static void follow_gathered(const ranking_state *s, gathered_element *elements, size_t count, uint64_t *circuits)
{
	const gemp_euler_list *list = s->list;
	for (size_t i = 0; i < count; i++) {
		if (elements[i].seen)
			continue;
		size_t team = gemp_range_find(list->bounds, list->team->teams, elements[i].number);
		uint64_t at = 0, circuit = circuits[team]++ * list->team->teams + team;
		for (gathered_element *e = &elements[i]; !e->seen;) {
			e->seen = true;
			e->value = s->total ? at : circuit;
			at += e->weight;
			e = bsearch(&(gathered_element){ .number = e->next }, elements, count, sizeof *elements, by_number);
		}
	}
}

/* Collective. Every rank ranks the whole list, since another level of contraction would cost more rounds of
 * messages. */
static gemp_code rank_gathered(ranking_state *s)
{
	gemp_euler_list *list = s->list;
	gemp_euler_team *team = list->team;
	GEMP_OWNED gathered_element *own = NULL;
	GEMP_OWNED void *all = NULL;
	GEMP_OWNED uint64_t *circuits = NULL;
	GEMP_OWNED size_t *begin = NULL;
	size_t count = 0;
	gemp_code code = gemp_new_all(GEMP_ARRAY(own, list->count), GEMP_ARRAY(circuits, team->teams));
	for (size_t x = 0; x < list->count && code == GEMP_OK; x++)
		if (!gemp_euler_closed(list, x, s->wide))
			own[count++] = (gathered_element){ .number = list->first_number + x,
				                               .next = gemp_euler_next_at(list, x, s->wide),
				                               .weight = gemp_number_at(list->weight.at, x, s->wide) };
	GEMP_TRY(gemp_comm_allgather(team->comm, code, own, count * sizeof *own, &all, &begin));
	team->traffic.bytes += count * sizeof *own * (team->teams - 1);
	GEMP_MPI(MPI_Allgather(&team->circuits, 1, MPI_UINT64_T, circuits, 1, MPI_UINT64_T, team->comm->world));
	gathered_element *elements = all;
	follow_gathered(s, elements, begin[team->teams] / sizeof *elements, circuits);
	for (size_t i = begin[team->team] / sizeof *elements; i < begin[team->team + 1] / sizeof *elements; i++)
		gemp_number_put(s->values, elements[i].number - list->first_number, elements[i].value, s->wide);
	team->circuits = circuits[team->team];
	return GEMP_OK;
}

/* Computes the values of elements from the values of their splitters. The list of splitters leads backwards, so
 * distances on it are subtracted from the total. */
GEMP_INLINE void expand_values(ranking_state *s, size_t begin, size_t end, bool wide)
{
	const gemp_euler_list *list = s->list;
	for (size_t x = list->own_begin + begin; x < list->own_begin + end; x++) {
		if (gemp_euler_closed(list, x, wide))
			continue;
		uint64_t value = gemp_euler_lookup_at(&s->lookup, x, wide);
		if (s->total)
			value = (value ? s->total - value : 0) + gemp_number_at(list->distance.at, x, wide);
		gemp_number_put(s->values, x, value, wide);
	}
}
GEMP_CHUNK_WIDTHS(expand_body, expand_values, ranking_state)

/* Collective. Runs one level of contraction, the recursion, and the expansion. Each level has a fraction of the
 * elements of the level below, so all levels together take little more memory than the first. */
static gemp_code rank_by_splitters(ranking_state *s)
{
	gemp_code code = GEMP_OK;
	gemp_euler_list *list = s->list, above = { 0 };
	gemp_euler_team *team = list->team;
	gemp_euler_block values = { 0 };
	uint64_t *bounds = NULL;
	GEMP_TRY_DONE(gemp_euler_block_new(team, &list->distance, list->count, gemp_number_size(s->wide)));
	GEMP_TRY_DONE(gemp_euler_list_contract(list, NULL));
	GEMP_TRY_DONE(gemp_euler_list_of_splitters(&above, &bounds, list));
	GEMP_TRY_DONE(gemp_euler_block_new(team, &values, above.count, gemp_number_size(s->wide)));
	GEMP_TRY_DONE(gemp_euler_rank_list(&above, values.at, s->total));
	GEMP_TRY_DONE(gemp_euler_lookup_new(&s->lookup, list, values.at));
	gemp_for_chunks(list->own_end - list->own_begin, ELEMENTS_PER_CHUNK, expand_body, s);
	gemp_euler_team_fence(team);
done:
	gemp_euler_lookup_free(&s->lookup);
	gemp_euler_block_free(&values);
	gemp_euler_list_free(&above);
	gemp_free(bounds);
	return code;
}

/* If places are wanted, the number of circuits is restored at the end, since the result reports the circuits before
 * joining. */
gemp_code gemp_euler_rank_list(gemp_euler_list *list, void *values, uint64_t total)
{
	gemp_code code = GEMP_OK;
	gemp_euler_team *team = list->team;
	ranking_state s = { .list = list, .wide = list->wide, .values = values, .total = total };
	const uint64_t circuits = team->circuits;
	uint64_t active = number_closed(&s);
	if (active > team->gather)
		code = rank_by_splitters(&s);
	else if (active > 0 && team->teams > 1)
		code = rank_gathered(&s);
	else if (active > 0 && team->member == 0)
		follow_local(&s);
	if (team->members > 1)
		gemp_comm_max(team->comm, &team->circuits, 1);
	if (total)
		team->circuits = circuits;
	gemp_euler_team_fence(team);
	return code;
}

typedef struct splitter_copy {
	gemp_euler_list *to;
	const gemp_euler_list *from;
	bool wide;
} splitter_copy;

/* In the list of splitters the successor of a splitter is the previous splitter, and the weight is the distance from
 * it. */
GEMP_INLINE void copy_splitters(splitter_copy *c, size_t begin, size_t end, bool wide)
{
	gemp_euler_list *to = c->to;
	size_t teams = to->team->teams;
	for (size_t k = to->own_begin + begin; k < to->own_begin + end; k++) {
		uint64_t number = gemp_number_at(c->from->from.at, k, wide);
		if (teams > 1)
			number = to->bounds[number % teams] + number / teams;
		gemp_number_put(to->link.at, 2 * k, number, wide);
		gemp_number_put(to->weight.at, k, gemp_number_at(c->from->length.at, k, wide), wide);
	}
}
GEMP_CHUNK_WIDTHS(copy_body, copy_splitters, splitter_copy)

/* *bounds: [teams + 1] prefix sums of the teams' numbers of splitters. The links come from the last walk, so after
 * joining the list must be made again. */
gemp_code gemp_euler_list_of_splitters(gemp_euler_list *out, uint64_t **bounds, const gemp_euler_list *list)
{
	gemp_euler_team *team = list->team;
	size_t size = gemp_number_size(list->wide);
	uint64_t own = list->splitters;
	*out = (gemp_euler_list){
		.team = team, .wide = list->wide, .level = list->level + 1, .count = list->splitters, .fixed_splitter = SIZE_MAX
	};
	GEMP_TRY(gemp_comm_agree(team->comm, GEMP_NEW(*bounds, team->teams + 1)));
	if (team->teams > 1)
		GEMP_MPI(MPI_Allgather(&own, 1, MPI_UINT64_T, *bounds + 1, 1, MPI_UINT64_T, team->comm->world));
	else
		(*bounds)[1] = own;
	gemp_prefix_inclusive(*bounds, team->teams + 1);
	out->bounds = *bounds;
	out->first_number = (*bounds)[team->team];
	gemp_euler_team_part(team, out->count, &out->own_begin, &out->own_end);
	GEMP_TRY(gemp_euler_block_new(team, &out->link, 2 * out->count, size));
	GEMP_TRY(gemp_euler_block_new(team, &out->weight, out->count, size));
	splitter_copy c = { .to = out, .from = list, .wide = list->wide };
	gemp_for_chunks(out->own_end - out->own_begin, ELEMENTS_PER_CHUNK, copy_body, &c);
	gemp_euler_team_fence(team);
	return GEMP_OK;
}
