/* Arrays grow by half, and the places of edges are stored in runs. */

#include "partition/build/edge_list.h"

#include "core/memory.h"
#include "core/search.h"
#include "partition/build/dictionary.h"

void gemp_edge_list_free(gemp_edge_list *list)
{
	gemp_free_all(list->ends, list->ids, list->types, list->runs);
	*list = (gemp_edge_list){ 0 };
}

gemp_code gemp_edge_list_reserve(gemp_edge_list *list, size_t count)
{
	return gemp_reserve((void **)&list->ends, &list->capacity, count, 2 * sizeof *list->ends);
}

/* The places of consecutive edges are mostly equal or ascend by one, so a run of 24 bytes stands for many edges. */
static gemp_code add_place(gemp_edge_list *list, uint64_t place)
{
	gemp_place_run *last = list->run_count ? &list->runs[list->run_count - 1] : NULL;
	if (last) {
		uint64_t since = list->count - last->first;
		if (since == 1 && (place == last->place || place == last->place + 1))
			last->step = place - last->place;
		if (place == last->place + since * last->step)
			return GEMP_OK;
	}
	GEMP_TRY(GEMP_RESERVE(list->runs, list->run_capacity, list->run_count + 1));
	list->runs[list->run_count++] = (gemp_place_run){ list->count, place, 0 };
	return GEMP_OK;
}

/* The array of types is made when the first edge with a type other than 0 is added. */
static gemp_code add_type(gemp_edge_list *list, uint32_t type)
{
	if (!list->types && type == 0)
		return GEMP_OK;
	size_t known = list->types ? list->count : 0;
	GEMP_TRY(GEMP_RESERVE(list->types, list->type_capacity, list->count + 1));
	for (size_t e = known; e < list->count; e++)
		list->types[e] = 0;
	list->types[list->count] = type;
	return GEMP_OK;
}

/* The type and the place are added first, as both functions read the number of earlier edges. */
gemp_code gemp_edge_list_add(gemp_edge_list *list, uint64_t source, uint64_t target, uint32_t type, uint64_t place)
{
	GEMP_TRY(gemp_edge_list_reserve(list, list->count + 1));
	GEMP_TRY(add_type(list, type));
	GEMP_TRY(add_place(list, place));
	list->ends[2 * list->count] = source;
	list->ends[2 * list->count + 1] = target;
	list->count++;
	return GEMP_OK;
}

/* The edges form one run, or lengthen the last run. */
gemp_code gemp_edge_list_add_all(gemp_edge_list *list, const int64_t *ends, size_t count, uint32_t type, uint64_t place,
                                 uint64_t step)
{
	const gemp_place_run *last = list->run_count ? &list->runs[list->run_count - 1] : NULL;
	if (!count)
		return GEMP_OK;
	GEMP_TRY(gemp_edge_list_reserve(list, list->count + count));
	if (!last || last->step != step || last->place + (list->count - last->first) * step != place) {
		GEMP_TRY(GEMP_RESERVE(list->runs, list->run_capacity, list->run_count + 1));
		list->runs[list->run_count++] = (gemp_place_run){ list->count, place, step };
	}
	uint64_t *out = list->ends + 2 * list->count;
	for (size_t i = 0; i < 2 * count; i++)
		out[i] = gemp_integer_number(ends[i]);
	for (size_t i = 0; i < count; i++) {
		GEMP_TRY(add_type(list, type));
		list->count++;
	}
	return GEMP_OK;
}

/* Runs ascend by their first edge. The run of an edge is the last run that does not begin after the edge. */
uint64_t gemp_edge_list_place(const gemp_edge_list *list, size_t edge)
{
	size_t after;
	GEMP_PARTITION_POINT(after, 1, list->run_count, list->runs[after].first <= edge);
	const gemp_place_run *run = &list->runs[after - 1];
	return run->place + (edge - run->first) * run->step;
}

/* Ids take half of the memory of ends, so the block is shrunk in place. */
gemp_code gemp_edge_list_use_ids(gemp_edge_list *list)
{
	gemp_edge_pair *ids = gemp_realloc(list->ends, list->count, sizeof *ids);
	if (!ids)
		return GEMP_ENOMEM;
	list->ids = ids;
	list->ends = NULL;
	list->capacity = list->count;
	gemp_free(list->runs);
	list->runs = NULL;
	list->run_count = list->run_capacity = 0;
	return GEMP_OK;
}

/* Frees the memory of edges that have been sent while other edges still wait. */
gemp_code gemp_edge_list_truncate(gemp_edge_list *list, size_t count)
{
	gemp_edge_pair *ids = gemp_realloc(list->ids, count, sizeof *ids);
	if (!ids)
		return GEMP_ENOMEM;
	list->ids = ids;
	list->count = list->capacity = count;
	return GEMP_OK;
}

/* An edge whose source and target are both unknown counts once, and its source is reported. */
bool gemp_unknown_end_note(gemp_unknown_end *unknown, const gemp_vertex ends[2], const gemp_edge_list *edges,
                           size_t edge)
{
	if (ends[0] != GEMP_NO_VERTEX && ends[1] != GEMP_NO_VERTEX)
		return false;
	uint64_t place = gemp_edge_list_place(edges, edge);
	if (unknown->count++ && place >= unknown->place)
		return false;
	unknown->place = place;
	unknown->source = ends[0] == GEMP_NO_VERTEX;
	return true;
}

void gemp_unknown_end_free(gemp_unknown_end *unknown)
{
	gemp_text_free(&unknown->key);
}

/* Unknown ends are noted while the keys are still there, before the ids replace the keys. */
gemp_code gemp_unknown_ends_note(const gemp_edge_list *edges, size_t first, const gemp_vertex *ids, size_t count,
                                 gemp_unknown_end *unknown)
{
	for (size_t i = 0; i < count; i += 2)
		if (gemp_unknown_end_note(unknown, ids + i, edges, (first + i) / 2)) {
			uint64_t number = edges->ends[first + i + !unknown->source];
			gemp_value key = { .type = GEMP_INTEGER, .integer = gemp_integer_of(number) };
			GEMP_TRY(gemp_key_encode(&key, &unknown->key));
		}
	return GEMP_OK;
}
