#include "partition/column_exchange.h"

#include "comm/exchange.h"
#include "core/memory.h"

#include <string.h>

typedef struct sending {
	const gemp_comm *comm;
	const gemp_column *column;
	const int *owner;
	size_t came; /* rows */
} sending;

/* Collective. One array of the column; *out is the caller's. */
static gemp_code send_array(sending *s, const void *array, size_t size, void **out)
{
	gemp_code code = GEMP_OK;
	size_t *from = NULL;
	GEMP_TRY(gemp_exchange_records(s->comm, array, s->column->rows, size, s->owner, out, &from, NULL));
	s->came = from[s->comm->size];
done:
	gemp_free(from);
	return code;
}

static gemp_code pack_strings(const sending *s, uint64_t *lengths, char **bytes, size_t *sizes)
{
	gemp_code code = GEMP_OK;
	const gemp_column *column = s->column;
	size_t *place = NULL;
	GEMP_TRY(GEMP_NEW(place, (size_t)s->comm->size));
	GEMP_TRY(GEMP_NEW(*bytes, column->rows ? column->offsets[column->rows] : 0));
	for (size_t i = 0; i < column->rows; i++) {
		lengths[i] = column->offsets[i + 1] - column->offsets[i];
		sizes[s->owner[i]] += lengths[i];
	}
	for (int r = 1; r < s->comm->size; r++)
		place[r] = place[r - 1] + sizes[r - 1];
	for (size_t i = 0; i < column->rows; i++) {
		if (lengths[i])
			memcpy(*bytes + place[s->owner[i]], column->bytes + column->offsets[i], lengths[i]);
		place[s->owner[i]] += lengths[i];
	}
done:
	gemp_free(place);
	return code;
}

/* Local. Lengths become places. */
static gemp_code place_strings(const sending *s, gemp_column *out, const uint64_t *lengths)
{
	gemp_code code = GEMP_OK;
	GEMP_TRY(GEMP_NEW(out->offsets, s->came + 1));
	for (size_t i = 0; i < s->came; i++)
		out->offsets[i + 1] = out->offsets[i] + lengths[i];
done:
	return code;
}

/* Collective. */
static gemp_code send_strings(sending *s, gemp_column *out)
{
	gemp_code code = GEMP_OK;
	size_t ranks = (size_t)s->comm->size, *sizes = NULL;
	uint64_t *lengths = NULL;
	char *bytes = NULL;
	void *came = NULL;
	code = GEMP_NEW(sizes, 2 * ranks);
	if (code == GEMP_OK)
		code = GEMP_NEW(lengths, s->column->rows);
	if (code == GEMP_OK)
		code = pack_strings(s, lengths, &bytes, sizes);
	GEMP_TRY(gemp_comm_agree(s->comm, code));
	GEMP_TRY(send_array(s, lengths, sizeof *lengths, &came));
	GEMP_TRY(gemp_comm_agree(s->comm, place_strings(s, out, came)));
	code = gemp_exchange(s->comm, bytes, sizes, (void **)&out->bytes, &out->bytes_capacity, sizes + ranks, NULL);
done:
	gemp_free(sizes);
	gemp_free(lengths);
	gemp_free(bytes);
	gemp_free(came);
	return code;
}

/* Collective. */
static gemp_code send_values(sending *s, gemp_column *out)
{
	switch (s->column->type) {
	case GEMP_INTEGER:
		return send_array(s, s->column->integers, sizeof *out->integers, (void **)&out->integers);
	case GEMP_FLOAT:
		return send_array(s, s->column->floats, sizeof *out->floats, (void **)&out->floats);
	case GEMP_BOOLEAN:
		return send_array(s, s->column->booleans, sizeof *out->booleans, (void **)&out->booleans);
	case GEMP_STRING:
	case GEMP_LIST:
		return send_strings(s, out);
	}
	return GEMP_OK;
}

/* Collective. Where some rank has NULLs, all send which rows they are. */
static gemp_code send_nulls(sending *s, gemp_column *out)
{
	gemp_code code = GEMP_OK;
	uint64_t nulls = s->column->null != NULL;
	uint8_t *none = NULL;
	gemp_comm_max(s->comm, &nulls, 1);
	if (!nulls)
		return GEMP_OK;
	if (!s->column->null)
		code = GEMP_NEW(none, s->column->rows);
	GEMP_TRY(gemp_comm_agree(s->comm, code));
	GEMP_TRY(send_array(s, none ? none : s->column->null, 1, (void **)&out->null));
	if (s->came == 0 || !memchr(out->null, 1, s->came)) {
		gemp_free(out->null);
		out->null = NULL;
	}
done:
	gemp_free(none);
	return code;
}

gemp_code gemp_column_exchange(gemp_column *out, const gemp_comm *comm, const gemp_column *column, const int *owner)
{
	gemp_code code = GEMP_OK;
	sending s = { .comm = comm, .column = column, .owner = owner };
	GEMP_TRY(gemp_comm_agree(comm, gemp_column_init(out, column->name, column->type)));
	GEMP_TRY(send_values(&s, out));
	GEMP_TRY(send_nulls(&s, out));
	out->rows = out->capacity = s.came;
	code = gemp_comm_agree(comm, gemp_column_reserve(out, s.came, out->bytes_capacity));
done:
	if (code != GEMP_OK)
		gemp_column_free(out);
	return code;
}
