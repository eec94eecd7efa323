/* The key of the reported end is kept encoded, as the ids replace the keys. */

#include "partition/build/unknown_end.h"

#include "core/memory.h"
#include "partition/build/dictionary.h"

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
