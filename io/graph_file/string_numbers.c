#include "io/graph_file/string_numbers.h"

#include "core/loop_failure.h"
#include "core/threads.h"

typedef struct number_task {
	gemp_string_numbers *numbers;
	gemp_loop_failure failure;
} number_task;

static gemp_code number_rows(gemp_string_numbers *n, gemp_dictionary *part, size_t begin, size_t end)
{
	for (size_t i = begin; i < end && !atomic_load_explicit(&n->many, memory_order_relaxed); i++) {
		const gemp_value value = gemp_column_get(n->column, i);
		if (!value.null)
			GEMP_TRY(gemp_dictionary_add(part, value.string.bytes, value.string.size, &n->of[i]));
		if (part->list.count > n->limit)
			atomic_store(&n->many, true);
	}
	return GEMP_OK;
}

static void number_chunk(void *context, size_t chunk, size_t begin, size_t end)
{
	number_task *t = context;
	if (!gemp_loop_failed(&t->failure))
		gemp_loop_record(&t->failure, number_rows(t->numbers, &t->numbers->parts[chunk], begin, end));
}

gemp_code gemp_string_numbers_new(gemp_string_numbers *n, const gemp_column *column, uint64_t limit,
                                  gemp_dictionary *distinct)
{
	enum { CHUNK_ROWS = 1 << 14 };
	const size_t rows = column->rows, chunk = gemp_max((size_t)CHUNK_ROWS, rows / gemp_threads() + 1);
	number_task t = { .numbers = n };
	uint32_t index;
	n->column = column;
	n->rows = rows;
	n->chunk = chunk;
	n->chunks = (rows + chunk - 1) / chunk;
	n->limit = limit;
	GEMP_TRY(gemp_new_all(GEMP_ARRAY(n->parts, n->chunks), GEMP_ARRAY(n->of, rows)));
	gemp_for_chunks(rows, chunk, number_chunk, &t);
	GEMP_TRY(gemp_loop_status(&t.failure));
	for (size_t c = 0; c < n->chunks; c++)
		for (size_t i = 0; i < n->parts[c].list.count && !n->many; i++) {
			const gemp_string text = gemp_bytes_at(&n->parts[c].list, i);
			GEMP_TRY(gemp_dictionary_add(distinct, text.bytes, text.size, &index));
			n->many = distinct->list.count > limit;
		}
	return GEMP_OK;
}

/* The categories of each chunk's strings. */
typedef struct category_task {
	gemp_string_numbers *numbers;
	const uint32_t *categories; /* of the strings of all chunks */
	const size_t *begin;        /* [chunks] where those of a chunk begin */
} category_task;

static void replace_numbers(void *context, size_t chunk, size_t begin, size_t end)
{
	const category_task *t = context;
	const gemp_column *column = t->numbers->column;
	const uint32_t *categories = t->categories + t->begin[chunk];
	uint32_t *of = t->numbers->of;
	for (size_t i = begin; i < end; i++)
		of[i] = column->null && column->null[i] ? UINT32_MAX : categories[of[i]];
}

gemp_code gemp_string_numbers_categorize(gemp_string_numbers *n, const gemp_bytes *sorted)
{
	GEMP_OWNED size_t *begin = NULL;
	GEMP_OWNED uint32_t *categories = NULL;
	size_t sum = 0;
	GEMP_TRY(GEMP_NEW(begin, n->chunks));
	for (size_t c = 0; c < n->chunks; c++) {
		begin[c] = sum;
		sum += n->parts[c].list.count;
	}
	GEMP_TRY(GEMP_NEW(categories, sum));
	for (size_t c = 0; c < n->chunks; c++)
		for (size_t i = 0; i < n->parts[c].list.count; i++)
			categories[begin[c] + i] = (uint32_t)gemp_bytes_find(sorted, gemp_bytes_at(&n->parts[c].list, i));
	gemp_for_chunks(n->rows, n->chunk, replace_numbers, &(category_task){ n, categories, begin });
	return GEMP_OK;
}

void gemp_string_numbers_free(gemp_string_numbers *n)
{
	for (size_t c = 0; n->parts && c < n->chunks; c++)
		gemp_dictionary_free(&n->parts[c]);
	gemp_free_all(n->parts, n->of);
}
