#include "match/groups/value_classes.h"

#include "comm/exchange.h"
#include "core/random.h"
#include "primitive/record_table.h"

#include <math.h>
#include <string.h>

enum {
	FEW = 1 << 10,  /* so many values are never too many */
	SHARE = 4,      /* more values than one for so many rows are */
	TEST = 1 << 16, /* rows after which the number of values is tested, and then after each as many */
};

/* The rows of a column by their values. Slots are those of primitive/record_table.h; a record is a class. */
typedef struct numbering {
	const gemp_column *column;
	uint32_t *codes; /* [rows] */
	uint64_t *first; /* [count] the first row of each class */
	uint64_t *slots;
	size_t count, first_capacity, slot_count;
} numbering;

static void numbering_free(numbering *n)
{
	gemp_free_all(n->codes, n->first, n->slots);
}

static bool is_null(const gemp_column *column, size_t row)
{
	return column->null && column->null[row];
}

static gemp_string text_of(const gemp_column *column, size_t row)
{
	return (gemp_string){ column->bytes + column->offsets[row], column->offsets[row + 1] - column->offsets[row] };
}

/* A number that is equal for equal values that are neither NULL nor text. */
static uint64_t bits_of(const gemp_column *column, size_t row)
{
	uint64_t bits;
	if (column->type == GEMP_INTEGER)
		return (uint64_t)column->integers[row];
	if (column->type == GEMP_BOOLEAN)
		return column->booleans[row];
	const double value = isnan(column->floats[row]) ? (double)NAN : column->floats[row] == 0 ? 0 : column->floats[row];
	memcpy(&bits, &value, sizeof bits);
	return bits;
}

static uint64_t hash_of(const gemp_column *column, size_t row)
{
	if (is_null(column, row))
		return 0;
	if (!gemp_is_text(column->type))
		return gemp_mix(bits_of(column, row));
	const gemp_string text = text_of(column, row);
	return gemp_hash(text.bytes, text.size, 1);
}

static bool are_equal(const gemp_column *column, size_t a, size_t b)
{
	if (is_null(column, a) || is_null(column, b))
		return is_null(column, a) && is_null(column, b);
	if (!gemp_is_text(column->type))
		return bits_of(column, a) == bits_of(column, b);
	const gemp_string x = text_of(column, a), y = text_of(column, b);
	return x.size == y.size && memcmp(x.bytes, y.bytes, x.size) == 0;
}

/* Doubles the slots. The tags of classes follow from their first rows. */
static gemp_code grow(numbering *n)
{
	const size_t slot_count = gemp_slot_capacity(n->slot_count, n->count + 1);
	uint64_t *slots = NULL;
	if (slot_count == n->slot_count)
		return GEMP_OK;
	GEMP_TRY(GEMP_NEW(slots, slot_count));
	gemp_free(n->slots);
	n->slots = slots;
	n->slot_count = slot_count;
	for (size_t c = 0; c < n->count; c++)
		gemp_slot_occupy(slots, slot_count, gemp_slot_tag(hash_of(n->column, n->first[c])), c);
	return GEMP_OK;
}

static gemp_code number_row(numbering *n, size_t row)
{
	const uint32_t tag = gemp_slot_tag(hash_of(n->column, row));
	size_t at;
	GEMP_FOR_SLOTS (at, n->slots, n->slot_count, tag) {
		const size_t class = gemp_slot_index(n->slots[at]);
		if (are_equal(n->column, n->first[class], row)) {
			n->codes[row] = (uint32_t) class;
			return GEMP_OK;
		}
	}
	GEMP_TRY(grow(n));
	GEMP_TRY(GEMP_RESERVE(n->first, n->first_capacity, n->count + 1));
	gemp_slot_occupy(n->slots, n->slot_count, tag, n->count);
	n->first[n->count] = row;
	n->codes[row] = (uint32_t)n->count++;
	return GEMP_OK;
}

/* Local. *many becomes true, and the numbering is incomplete, if there are too many values; `all` allows any number. */
static gemp_code number_rows(numbering *n, const gemp_column *column, size_t rows, bool all, bool *many)
{
	*n = (numbering){ .column = column };
	*many = false;
	GEMP_TRY(GEMP_NEW(n->codes, rows + 1));
	for (size_t row = 0; row < rows && !*many; row++) {
		GEMP_TRY(number_row(n, row));
		if ((row + 1) % TEST == 0 || row + 1 == rows)
			*many = !all && n->count > FEW && n->count > row / SHARE;
	}
	return GEMP_OK;
}

/* Local. The values of this rank's classes as bytes. */
static gemp_code pack_values(const numbering *n, gemp_text *out)
{
	for (size_t c = 0; c < n->count; c++)
		GEMP_TRY(gemp_column_pack(n->column, n->first[c], out));
	return gemp_text_status(out);
}

static gemp_code unpack_values(gemp_column *out, const gemp_column *like, const char *at, const char *end)
{
	GEMP_TRY(gemp_column_init(out, like->name, like->type));
	while (at < end)
		GEMP_TRY(gemp_column_unpack(out, &at, end));
	return GEMP_OK;
}

/* Local. Replaces the codes of own rows by those of all ranks. `before` is the number of classes of lower ranks, and
 * ids[] has the first vertices of the classes of all ranks. */
static gemp_code merge(gemp_value_classes *out, numbering *own, const gemp_column *values, size_t before,
                       const gemp_vertex *ids, size_t rows)
{
	GEMP_OWNED_BY(numbering_free) numbering all = { 0 };
	bool many;
	GEMP_TRY(number_rows(&all, values, values->rows, true, &many));
	out->count = all.count;
	GEMP_TRY(GEMP_NEW(out->first, all.count + 1));
	for (size_t c = 0; c < all.count; c++)
		out->first[c] = ids[all.first[c]];
	for (size_t row = 0; row < rows; row++)
		own->codes[row] = all.codes[before + own->codes[row]];
	return GEMP_OK;
}

/* Collective. Ranks own ascending ranges of ids, so a class's first value in the order of ranks has its least id. */
static gemp_code agree(gemp_value_classes *out, numbering *own, const gemp_comm *comm, const gemp_shard *graph)
{
	GEMP_OWNED_BY(gemp_text_free) gemp_text packed = { 0 };
	GEMP_OWNED_BY(gemp_column_free) gemp_column values = { 0 };
	GEMP_OWNED gemp_vertex *first = NULL;
	GEMP_OWNED void *bytes = NULL, *ids = NULL, *codes = NULL;
	GEMP_OWNED size_t *bytes_begin = NULL, *ids_begin = NULL, *codes_begin = NULL;
	gemp_code code = pack_values(own, &packed);
	GEMP_THEN(GEMP_NEW(first, own->count + 1));
	for (size_t c = 0; code == GEMP_OK && c < own->count; c++)
		first[c] = (gemp_vertex)(graph->first_vertex + own->first[c]);
	GEMP_TRY(gemp_comm_allgather(comm, code, packed.data, packed.size, &bytes, &bytes_begin));
	GEMP_TRY(gemp_comm_allgather(comm, GEMP_OK, first, own->count * sizeof *first, &ids, &ids_begin));
	code = unpack_values(&values, own->column, bytes, (const char *)bytes + bytes_begin[comm->size]);
	GEMP_THEN(merge(out, own, &values, ids_begin[comm->rank] / sizeof *first, ids, graph->rows));
	GEMP_TRY(gemp_comm_allgather(comm, code, own->codes, graph->rows * sizeof *own->codes, &codes, &codes_begin));
	out->of = codes;
	codes = NULL;
	return GEMP_OK;
}

/* Local. */
static gemp_code take(gemp_value_classes *out, numbering *own)
{
	out->count = own->count;
	GEMP_TRY(GEMP_NEW(out->first, own->count + 1));
	for (size_t c = 0; c < own->count; c++)
		out->first[c] = (gemp_vertex)own->first[c];
	out->of = own->codes;
	own->codes = NULL;
	return GEMP_OK;
}

gemp_code gemp_value_classes_new(gemp_value_classes *out, gemp_runtime *context, gemp_shard *graph, size_t column)
{
	GEMP_OWNED_BY(numbering_free) numbering own = { 0 };
	const gemp_comm *comm = context->comm;
	bool many = false;
	*out = (gemp_value_classes){ 0 };
	GEMP_TRY(gemp_shard_load_attribute(graph, column));
	gemp_code code = number_rows(&own, &graph->attributes.columns[column], graph->rows, false, &many);
	GEMP_TRY(gemp_comm_agree(comm, code));
	if (gemp_comm_sum1(comm, many))
		return GEMP_OK;
	return comm->size > 1 ? agree(out, &own, comm, graph) : gemp_comm_agree(comm, take(out, &own));
}

void gemp_value_classes_free(gemp_value_classes *classes)
{
	gemp_free_all(classes->of, classes->first);
	*classes = (gemp_value_classes){ 0 };
}
