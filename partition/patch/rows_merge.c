#include "partition/patch/rows_merge.h"

#include "core/limits.h"
#include "core/search.h"
#include "core/threads.h"
#include "primitive/sort.h"

#include <string.h>

bool gemp_rows_merge_pays(size_t rows, size_t count)
{
	return count <= rows / gemp_limits_now()->sparse_rows;
}

gemp_code gemp_rows_merge_sort(uint64_t *keys, uint64_t *numbers, size_t count)
{
	return gemp_sort_host(&(gemp_sort){ .key = GEMP_KEY_U64, .value_size = numbers ? 8 : 0 }, keys, numbers, count);
}

/* The first new entry of a row, or of the rows behind it. */
static size_t first_new(const gemp_rows_merge *m, size_t row)
{
	size_t low;
	GEMP_PARTITION_POINT(low, 0, m->count, m->keys[low] >> 32 < row);
	return low;
}

/* The first old entry of a row. New rows are empty. */
static uint64_t old_begin(const gemp_rows_merge *m, size_t row)
{
	return m->old_begin[gemp_min(row, m->old_rows)];
}

static gemp_vertex old_entry(const gemp_rows_merge *m, uint64_t at)
{
	return m->ids ? gemp_id_map_get(m->ids, m->old[at]) : m->old[at];
}

static void shift_offsets(void *context, size_t begin, size_t end)
{
	const gemp_rows_merge *m = context;
	size_t before = first_new(m, begin);
	for (size_t row = begin; row < end; row++) {
		while (before < m->count && m->keys[before] >> 32 < row)
			before++;
		m->begin[row] = old_begin(m, row) + before;
	}
}

/* Copies the rows [first, end), which have no new entries. */
static void copy_run(const gemp_rows_merge *m, size_t first, size_t end)
{
	const uint64_t from = old_begin(m, first), to = m->begin[first], count = old_begin(m, end) - from;
	if (!m->ids && count)
		memcpy(m->to + to, m->old + from, (size_t)count * sizeof *m->to);
	for (uint64_t e = 0; e < count && m->ids; e++)
		m->to[to + e] = old_entry(m, from + e);
	for (uint64_t e = 0; e < count && m->order; e++)
		m->order[to + e] = from + e;
}

/* Merges the old entries of a row with its new entries, of which `next` is the first. Returns the first new entry
 * behind the row. *parallel becomes true if the row has an entry twice. */
static size_t merge_row(const gemp_rows_merge *m, size_t row, size_t next, bool *parallel)
{
	uint64_t at = old_begin(m, row), end = old_begin(m, row + 1);
	for (uint64_t to = m->begin[row]; to < m->begin[row + 1]; to++) {
		bool more = next < m->count && m->keys[next] >> 32 == row;
		gemp_vertex new = more ? (gemp_vertex)m->keys[next] : GEMP_NO_VERTEX;
		gemp_vertex old = at < end ? old_entry(m, at) : GEMP_NO_VERTEX;
		bool takes_old = at < end && (!more || old <= new);
		m->to[to] = takes_old ? old : new;
		if (m->order)
			m->order[to] = takes_old ? at : m->old_begin[m->old_rows] + m->numbers[next];
		*parallel |= to > m->begin[row] && m->to[to] == m->to[to - 1];
		at += takes_old;
		next += !takes_old;
	}
	return next;
}

static void merge_range(void *context, size_t begin, size_t end)
{
	gemp_rows_merge *m = context;
	bool parallel = false;
	size_t next = first_new(m, begin);
	for (size_t row = begin; row < end; row++) {
		size_t changed = next < m->count ? gemp_min((size_t)(m->keys[next] >> 32), end) : end;
		copy_run(m, row, changed);
		if (changed < end)
			next = merge_row(m, changed, next, &parallel);
		row = changed;
	}
	if (parallel)
		__atomic_store_n(&m->parallel, true, __ATOMIC_RELAXED);
}

void gemp_rows_merge_begin(const gemp_rows_merge *m)
{
	gemp_for_elements(m->rows + 1, shift_offsets, (void *)m);
}

void gemp_rows_merge_entries(gemp_rows_merge *m)
{
	m->parallel = false;
	gemp_for_elements(m->rows, merge_range, m);
}
