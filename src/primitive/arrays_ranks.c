#include "primitive/arrays.h"

#include "core/memory.h"
#include "primitive/select.h"

/* Elements cut[r] .. cut[r + 1] go to rank r; theirs come, by rank, into a new block in place of the old one. */
static gemp_code exchange(const gemp_comm *comm, gemp_arrays *a, const size_t *cut, unsigned size, void **array,
                          size_t *count)
{
	gemp_code code = GEMP_OK;
	size_t *send = NULL, *receive = NULL, capacity = 0, bytes = 0;
	void *come = NULL;
	code = GEMP_NEW(send, (size_t)comm->size);
	if (code == GEMP_OK)
		code = GEMP_NEW(receive, (size_t)comm->size);
	GEMP_TRY(gemp_comm_agree(comm, code));
	for (int r = 0; r < comm->size; r++)
		send[r] = (cut[r + 1] - cut[r]) * size;
	GEMP_TRY(gemp_exchange(comm, *array, send, &come, &capacity, receive, &a->traffic));
	for (int r = 0; r < comm->size; r++)
		bytes += receive[r];
	gemp_free(*array);
	*array = come;
	come = NULL;
	*count = bytes / size;
done:
	gemp_free(send);
	gemp_free(receive);
	gemp_free(come);
	return code;
}

/* Collective. Room for the cuts, and the cuts. */
static gemp_code find_cuts(const gemp_comm *comm, const void *keys, size_t count, gemp_key_map map, bool together, size_t **cut)
{
	gemp_code code = gemp_comm_agree(comm, GEMP_NEW(*cut, (size_t)comm->size + 1));
	return code == GEMP_OK ? gemp_select_cuts(comm, keys, count, map, together, *cut) : code;
}

gemp_code gemp_sort_ranks(const gemp_comm *comm, gemp_arrays *a, const gemp_sort *sort, void **keys, void **values,
                          size_t *count)
{
	gemp_code code = GEMP_OK;
	gemp_key_map map = gemp_key_map_of(sort->key, sort->descending);
	size_t *cut = NULL, come = 0;
	GEMP_TRY(gemp_comm_agree(comm, gemp_arrays_sort(a, sort, *keys, values ? *values : NULL, *count)));
	if (comm->size == 1)
		goto done;
	double began = gemp_now();
	GEMP_TRY(find_cuts(comm, *keys, *count, map, false, &cut));
	GEMP_TRY(exchange(comm, a, cut, map.size, keys, &come));
	if (sort->value_size)
		GEMP_TRY(exchange(comm, a, cut, sort->value_size, values, &come));
	*count = come;
	gemp_timers_add(&a->timers, GEMP_EXCHANGE, began);
	code = gemp_comm_agree(comm, gemp_arrays_sort(a, sort, *keys, values ? *values : NULL, *count));
done:
	gemp_free(cut);
	return code;
}

gemp_code gemp_distinct_ranks(const gemp_comm *comm, gemp_arrays *a, gemp_key_kind kind, const void *keys, size_t count,
                              void **out, size_t *distinct)
{
	gemp_code code = GEMP_OK;
	gemp_key_map map = gemp_key_map_of(kind, false);
	void *mine = NULL;
	size_t *cut = NULL, found, come = 0;
	*out = NULL;
	GEMP_TRY(gemp_comm_agree(comm, gemp_arrays_distinct(a, kind, keys, count, &mine, &found)));
	if (comm->size == 1) {
		*out = mine;
		*distinct = found;
		return GEMP_OK;
	}
	double began = gemp_now();
	GEMP_TRY(find_cuts(comm, mine, found, map, true, &cut));
	GEMP_TRY(exchange(comm, a, cut, map.size, &mine, &come));
	gemp_timers_add(&a->timers, GEMP_EXCHANGE, began);
	code = gemp_comm_agree(comm, gemp_arrays_distinct(a, kind, mine, come, out, distinct));
	if (code != GEMP_OK) {
		gemp_free(*out);
		*out = NULL;
	}
done:
	gemp_free(cut);
	gemp_free(mine);
	return code;
}
