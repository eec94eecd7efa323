#include "match/groups/value_classes.h"

#include "comm/exchange.h"
#include "core/bitset.h"
#include "core/limits.h"
#include "core/loop_failure.h"
#include "core/random.h"
#include "core/threads.h"
#include "primitive/record_table.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

enum {
	FEW = 1 << 10,  /* so many values are never too many */
	SHARE = 4,      /* more values than one for so many rows are */
	TEST = 1 << 16, /* rows of a chunk after which the number of values is tested, and then after each as many */
};

/* Some rows of a column by their values. Slots are those of primitive/record_table.h; a record is a class. */
typedef struct numbering {
	const gemp_column *column;
	uint64_t *first; /* [count] the first row of each class */
	uint64_t *slots;
	size_t count, first_capacity, slot_count;
	size_t rows; /* of a chunk that are numbered */
} numbering;

static void numbering_free(numbering *n)
{
	gemp_free_all(n->first, n->slots);
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

/* *class becomes that of the row's value, which is a new one if no row before had this value. */
static gemp_code number_row(numbering *n, size_t row, uint32_t *class)
{
	const uint32_t tag = gemp_slot_tag(hash_of(n->column, row));
	size_t at;
	GEMP_FOR_SLOTS (at, n->slots, n->slot_count, tag) {
		const size_t known = gemp_slot_index(n->slots[at]);
		if (are_equal(n->column, n->first[known], row)) {
			*class = (uint32_t)known;
			return GEMP_OK;
		}
	}
	GEMP_TRY(grow(n));
	GEMP_TRY(GEMP_RESERVE(n->first, n->first_capacity, n->count + 1));
	gemp_slot_occupy(n->slots, n->slot_count, tag, n->count);
	n->first[n->count] = row;
	*class = (uint32_t)n->count++;
	return GEMP_OK;
}

/* CHUNKS OF ROWS
 *
 * Each thread numbers the values of chunks of rows. The first rows of the chunks' classes are then numbered in their
 * order, and the codes of each chunk follow, so that the classes are those of one pass over all rows. */

typedef struct chunk_task {
	const gemp_column *column;
	const uint32_t *among; /* by id; NULL: all rows are numbered */
	uint64_t first_vertex;
	uint32_t *codes;       /* [rows] */
	numbering *parts;      /* [chunks] */
	const uint32_t *class; /* the class of all rows for each class of each chunk */
	const size_t *begin;   /* [chunks] where those of a chunk begin */
	atomic_bool many;      /* some chunk has too many values */
	gemp_loop_failure failure;
} chunk_task;

static bool too_many(size_t values, size_t rows)
{
	return values > FEW && values > rows / SHARE;
}

static gemp_code number_rows(chunk_task *t, numbering *part, size_t begin, size_t end)
{
	part->column = t->column;
	for (size_t row = begin; row < end; row++) {
		if (t->among && !gemp_bits32_test(t->among, t->first_vertex + row))
			continue;
		GEMP_TRY(number_row(part, row, &t->codes[row]));
		if (++part->rows % TEST)
			continue;
		if (too_many(part->count, part->rows))
			atomic_store(&t->many, true);
		if (atomic_load(&t->many))
			break;
	}
	if (too_many(part->count, part->rows))
		atomic_store(&t->many, true);
	return GEMP_OK;
}

static void number_chunk(void *context, size_t chunk, size_t begin, size_t end)
{
	chunk_task *t = context;
	if (!gemp_loop_failed(&t->failure) && !atomic_load(&t->many))
		gemp_loop_record(&t->failure, number_rows(t, &t->parts[chunk], begin, end));
}

static void replace_codes(void *context, size_t chunk, size_t begin, size_t end)
{
	const chunk_task *t = context;
	const uint32_t *class = t->class + t->begin[chunk];
	for (size_t row = begin; row < end; row++)
		t->codes[row] = class[t->codes[row]];
}

/* Numbers the classes of all chunks, and replaces the codes of rows. */
static gemp_code join_chunks(chunk_task *t, numbering *out, size_t rows, size_t chunk, size_t chunks)
{
	GEMP_OWNED uint32_t *class = NULL;
	GEMP_OWNED size_t *begin = NULL;
	size_t sum = 0;
	GEMP_TRY(GEMP_NEW(begin, chunks));
	for (size_t c = 0; c < chunks; sum += t->parts[c++].count)
		begin[c] = sum;
	GEMP_TRY(GEMP_NEW(class, sum + 1));
	for (size_t c = 0; c < chunks; c++)
		for (size_t k = 0; k < t->parts[c].count; k++)
			GEMP_TRY(number_row(out, t->parts[c].first[k], &class[begin[c] + k]));
	t->class = class;
	t->begin = begin;
	if (chunks > 1)
		gemp_for_chunks(rows, chunk, replace_codes, t);
	return GEMP_OK;
}

/* Local. *many becomes true, and the numbering is incomplete, if there are too many values. */
static gemp_code number_column(numbering *out, uint32_t **codes, const gemp_column *column, const gemp_shard *graph,
                               const uint32_t *among, bool *many)
{
	const size_t rows = graph->rows;
	const size_t chunk = gemp_max(gemp_limits_now()->class_chunk, rows / gemp_threads() + 1);
	const size_t chunks = (rows + chunk - 1) / chunk;
	chunk_task t = { .column = column, .among = among, .first_vertex = graph->first_vertex };
	size_t numbered = 0;
	*out = (numbering){ .column = column };
	GEMP_TRY(GEMP_NEW(*codes, rows + 1));
	t.codes = *codes;
	GEMP_TRY(GEMP_NEW(t.parts, chunks));
	gemp_for_chunks(rows, chunk, number_chunk, &t);
	gemp_code code = gemp_loop_status(&t.failure);
	*many = atomic_load(&t.many);
	if (!*many)
		GEMP_THEN(join_chunks(&t, out, rows, chunk, chunks));
	for (size_t c = 0; c < chunks; c++) {
		numbered += t.parts[c].rows;
		numbering_free(&t.parts[c]);
	}
	gemp_free(t.parts);
	*many |= too_many(out->count, numbered);
	return code;
}

/* RANKS */

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
static gemp_code merge(gemp_value_classes *out, uint32_t *codes, const gemp_column *values, size_t before,
                       const gemp_vertex *ids, size_t rows)
{
	GEMP_OWNED_BY(numbering_free) numbering all = { .column = values };
	GEMP_OWNED uint32_t *class = NULL;
	GEMP_TRY(GEMP_NEW(class, values->rows + 1));
	for (size_t i = 0; i < values->rows; i++)
		GEMP_TRY(number_row(&all, i, &class[i]));
	out->count = all.count;
	GEMP_TRY(GEMP_NEW(out->first, all.count + 1));
	for (size_t c = 0; c < all.count; c++)
		out->first[c] = ids[all.first[c]];
	for (size_t row = 0; row < rows; row++)
		codes[row] = class[before + codes[row]];
	return GEMP_OK;
}

/* Collective. Ranks own ascending ranges of ids, so a class's first value in the order of ranks has its least id. */
static gemp_code agree(gemp_value_classes *out, const numbering *own, uint32_t *own_codes, const gemp_comm *comm,
                       const gemp_shard *graph)
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
	GEMP_THEN(merge(out, own_codes, &values, ids_begin[comm->rank] / sizeof *first, ids, graph->rows));
	GEMP_TRY(gemp_comm_allgather(comm, code, own_codes, graph->rows * sizeof *own_codes, &codes, &codes_begin));
	out->of = codes;
	codes = NULL;
	return GEMP_OK;
}

/* Local. Takes the codes. */
static gemp_code take(gemp_value_classes *out, const numbering *own, uint32_t **codes)
{
	out->count = own->count;
	GEMP_TRY(GEMP_NEW(out->first, own->count + 1));
	for (size_t c = 0; c < own->count; c++)
		out->first[c] = (gemp_vertex)own->first[c];
	out->of = *codes;
	*codes = NULL;
	return GEMP_OK;
}

gemp_code gemp_value_classes_new(gemp_value_classes *out, gemp_runtime *context, gemp_shard *graph, size_t column,
                                 const uint32_t *among)
{
	GEMP_OWNED_BY(numbering_free) numbering own = { 0 };
	GEMP_OWNED uint32_t *codes = NULL;
	const gemp_comm *comm = context->comm;
	bool many = false;
	*out = (gemp_value_classes){ 0 };
	GEMP_TRY(gemp_shard_load_attribute(graph, column));
	gemp_code code = number_column(&own, &codes, &graph->attributes.columns[column], graph, among, &many);
	GEMP_TRY(gemp_comm_agree(comm, code));
	if (gemp_comm_sum1(comm, many))
		return GEMP_OK;
	return comm->size > 1 ? agree(out, &own, codes, comm, graph) : gemp_comm_agree(comm, take(out, &own, &codes));
}

void gemp_value_classes_free(gemp_value_classes *classes)
{
	gemp_free_all(classes->of, classes->first);
	*classes = (gemp_value_classes){ 0 };
}
