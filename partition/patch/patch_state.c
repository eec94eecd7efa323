/* Columns and labels of vertices after a patch. A column first gets NULLs for new vertices and then its new values.
 * Then the rows of the surviving vertices are gathered. Without deletions the column moves to the new graph unchanged.
 * Label sets get new numbers only if some set has become empty or some vertex has a set that the old graph does not
 * have. */

#include "partition/patch/patch_state.h"

#include "core/memory.h"
#include "core/pages.h"
#include "core/threads.h"
#include "graph/column_bulk.h"
#include "partition/build/builder_state.h"

#include <string.h>

/* The old column is consumed in both cases. */
gemp_code gemp_patch_survivors(const gemp_patch_state *p, gemp_column *to, gemp_column *column)
{
	GEMP_TRY(gemp_column_pad(column, p->from->rows + p->patch->new_vertices));
	if (p->surviving) {
		GEMP_TRY(gemp_column_gather(to, column, NULL, p->surviving, p->surviving_count));
		gemp_column_free(column);
	} else {
		*to = *column;
		*column = (gemp_column){ 0 };
	}
	return GEMP_OK;
}

/* Local. Makes one attribute: converts the type, appends NULLs for new vertices, writes new values, and drops the rows
 * of deleted vertices. */
static gemp_code patch_column(gemp_patch_state *p, size_t c, gemp_column *out)
{
	const gemp_patch_columns *all = &p->patch->vertices;
	gemp_table *table = &p->from->attributes;
	GEMP_OWNED_BY(gemp_column_free) gemp_column new = { 0 };
	gemp_column *column = c < table->count ? &table->columns[c] : &new;
	if (c >= table->count)
		GEMP_TRY(gemp_column_init(&new, all->columns[c].name, all->columns[c].type));
	if (c < all->count)
		GEMP_TRY(gemp_column_convert(column, all->columns[c].type));
	GEMP_TRY(gemp_column_pad(column, p->from->rows + p->patch->new_vertices));
	for (size_t i = 0; i < all->value_count; i++)
		if (all->values[i].column == c)
			GEMP_TRY(gemp_column_scatter(column, all->values[i].rows, all->values[i].count, &all->values[i].values));
	return gemp_patch_survivors(p, out, column);
}

/* New attributes of the patch follow the attributes of the graph. */
gemp_code gemp_patch_attributes(gemp_patch_state *p)
{
	gemp_table *to = &p->to->attributes;
	const size_t count = gemp_max(p->from->attributes.count, p->patch->vertices.count);
	gemp_code code = GEMP_RESERVE(to->columns, to->capacity, count);
	while (code == GEMP_OK && to->count < count) {
		code = patch_column(p, to->count, &to->columns[to->count]);
		to->count += code == GEMP_OK; /* a column that could not be made is not freed */
	}
	to->rows = p->to->rows;
	return gemp_comm_agree(p->comm, code);
}

/* This rank's vertices while the changed vertices are marked. */
typedef struct change_task {
	const gemp_patch_state *p;
	const uint64_t *rows; /* [count] rows with new values; NULL: all vertices whose label set changes are marked */
	size_t count;
} change_task;

static void mark_range(void *context, size_t begin, size_t end)
{
	const change_task *n = context;
	const gemp_patch_state *p = n->p;
	const gemp_shard *from = p->from;
	for (size_t i = begin; i < end; i++) {
		size_t row = n->rows ? (size_t)n->rows[i] : i;
		if (row < from->rows && (n->rows || p->patch->label_set[row] != from->label_set_of[row]))
			gemp_patch_mark_changed(p, gemp_id_map_get(&p->id_map, (gemp_vertex)(from->first_vertex + row)));
	}
}

/* rows: the rows with new values; if NULL, the label sets of `count` vertices are compared. */
static void mark_rows(const gemp_patch_state *p, const uint64_t *rows, size_t count)
{
	gemp_for_elements(count, mark_range, &(change_task){ p, rows, count });
}

/* Called only if the caller wants the changed vertices. Threads set bits atomically. */
void gemp_patch_mark_vertices(const gemp_patch_state *p)
{
	const gemp_patch *patch = p->patch;
	for (size_t i = 0; i < patch->vertices.value_count; i++)
		mark_rows(p, patch->vertices.values[i].rows, patch->vertices.values[i].count);
	if (patch->label_set)
		mark_rows(p, NULL, p->from->rows);
	for (size_t i = 0; i < patch->new_vertices; i++)
		gemp_patch_mark_changed(p, (gemp_vertex)(p->to->first_vertex + p->survivors + i));
}

/* The label sets of the graph and of the patch, the number of vertices of each set, and the numbers of the sets in the
 * new graph. */
typedef struct label_state {
	gemp_patch_state *p;
	size_t old, sets; /* number of sets of the graph; number of sets of the graph and the patch together */
	uint32_t *set;    /* [surviving_count] set of each new row, numbered as in the patch */
	size_t stride;    /* sets, and a cache line between the counts of two ranges */
	uint64_t *counts; /* [ranges][stride] number of rows */
	uint32_t *number; /* [sets] number of each set in the new graph */
} label_state;

/* Finds the label sets of the rows of the new graph. Every range has counts of its own. */
static void set_range(void *context, size_t range, size_t begin, size_t end)
{
	const label_state *l = context;
	const gemp_patch_state *p = l->p;
	size_t rows = p->from->rows;
	const uint32_t *old = p->patch->label_set ? p->patch->label_set : p->from->label_set_of;
	uint64_t *counts = l->counts + range * l->stride;
	for (size_t i = begin; i < end; i++) {
		size_t row = p->surviving ? (size_t)p->surviving[i] : i;
		l->set[i] = row < rows ? old[row] : p->patch->added_sets[row - rows];
		counts[l->set[i]]++;
	}
}

/* Local. Finds the set of each row. counts[0..sets) becomes the number of rows of each set. */
static gemp_code count_sets(label_state *l)
{
	/* at least one array of counts, even if there are no rows */
	size_t ranges = gemp_range_count(l->p->surviving_count) + 1;
	l->old = l->p->from->label_set_count;
	l->sets = l->old + l->p->patch->sets.list.count;
	l->stride = l->sets + 8;
	GEMP_TRY(GEMP_NEW(l->counts, ranges * l->stride));
	GEMP_TRY(GEMP_NEW_UNSET(l->set, l->p->surviving_count));
	gemp_for_ranges(l->p->surviving_count, set_range, l);
	for (size_t r = 1; r < ranges; r++)
		for (size_t set = 0; set < l->sets; set++)
			l->counts[set] += l->counts[r * l->stride + set];
	return GEMP_OK;
}

/* Collective. Returns whether the new graph has the same label sets as the old graph. counts[0..old) becomes the sums
 * over all ranks. */
static bool sets_stay(label_state *l)
{
	uint64_t others = 0;
	bool stay = true;
	for (size_t s = l->old; s < l->sets; s++)
		others += l->counts[s];
	others = gemp_comm_sum1(l->p->comm, others);
	gemp_comm_sum(l->p->comm, l->counts, (int)l->old);
	for (size_t s = 0; s < l->old; s++)
		stay &= l->counts[s] > 0;
	return others == 0 && stay;
}

/* Collective. Returns whether no vertex is added, deleted or relabelled. */
static bool all_stay(const gemp_patch_state *p)
{
	uint64_t relabels = p->patch->label_set != NULL;
	gemp_comm_max(p->comm, &relabels, 1);
	return !p->new_vertices && !p->id_map.some_deleted && !relabels;
}

/* Local. The text of a set of the graph is made from the names of its labels. A set of the patch is a text already. */
static gemp_code print_set(const label_state *l, size_t s, gemp_text *out)
{
	const gemp_shard *from = l->p->from;
	gemp_text_clear(out);
	if (s >= l->old) {
		const gemp_string text = gemp_bytes_at(&l->p->patch->sets.list, s - l->old);
		gemp_text_add(out, text.bytes, text.size);
		return gemp_text_status(out);
	}
	const gemp_label_set *set = &from->label_sets[s];
	for (size_t i = 0; i < set->count; i++)
		gemp_text_print(out, "%s%s", i ? ";" : "", from->labels[set->labels[i]]);
	return gemp_text_status(out);
}

/* Local. Lists the texts of the sets that rows of this rank have. number[s] becomes the index of set s in the list. */
static gemp_code list_sets(label_state *l, const uint64_t *here, gemp_bytes *texts)
{
	GEMP_OWNED_BY(gemp_text_free) gemp_text text = { 0 };
	GEMP_TRY(GEMP_NEW(l->number, l->sets));
	for (size_t s = 0; s < l->sets; s++) {
		if (!here[s])
			continue;
		GEMP_TRY(print_set(l, s, &text));
		l->number[s] = (uint32_t)texts->count;
		GEMP_TRY(gemp_bytes_add(texts, text.data, text.size));
	}
	return GEMP_OK;
}

/* Collective. Sets number[] for the sets that rows of some rank have. */
static gemp_code number_sets(label_state *l, const uint64_t *here)
{
	GEMP_OWNED_BY(gemp_bytes_free) gemp_bytes texts = { 0 };
	GEMP_OWNED uint32_t *set_of = NULL;
	gemp_code code = list_sets(l, here, &texts);
	GEMP_THEN(GEMP_NEW(set_of, texts.count));
	GEMP_TRY(gemp_comm_agree(l->p->comm, code));
	GEMP_TRY(gemp_builder_label_sets(l->p->comm, &texts, l->p->to, set_of));
	for (size_t s = 0; s < l->sets; s++)
		l->number[s] = here[s] ? set_of[l->number[s]] : 0;
	return GEMP_OK;
}

/* Replaces the numbers of sets in the patch by the numbers in the new graph. */
static void number_range(void *context, size_t begin, size_t end)
{
	const label_state *l = context;
	for (size_t i = begin; i < end; i++)
		l->set[i] = l->number[l->set[i]];
}

/* Collective. Gives the sets new numbers, because some set is new or has become empty. */
static gemp_code rebuild_sets(label_state *l, const uint64_t *here)
{
	GEMP_OWNED uint64_t *counts = NULL;
	gemp_shard *to = l->p->to;
	GEMP_TRY(number_sets(l, here));
	GEMP_TRY(gemp_comm_agree(l->p->comm, GEMP_NEW(counts, to->label_set_count)));
	for (size_t s = 0; s < l->sets; s++)
		if (here[s])
			counts[l->number[s]] += here[s];
	gemp_comm_sum(l->p->comm, counts, (int)to->label_set_count);
	for (size_t s = 0; s < to->label_set_count; s++)
		to->label_sets[s].vertex_count = counts[s];
	gemp_for_elements(l->p->surviving_count, number_range, l);
	return GEMP_OK;
}

/* The counts of this rank are copied before sets_stay replaces them by the sums over all ranks. */
gemp_code gemp_patch_labels(gemp_patch_state *p)
{
	label_state l = { .p = p };
	uint64_t *here = NULL;
	if (all_stay(p)) {
		p->to->label_set_of = p->from->label_set_of;
		p->from->label_set_of = NULL;
		return gemp_comm_agree(p->comm, gemp_shard_copy_labels(p->to, p->from));
	}
	gemp_code code = count_sets(&l);
	GEMP_THEN(GEMP_NEW(here, l.sets));
	GEMP_TRY_DONE(gemp_comm_agree(p->comm, code));
	memcpy(here, l.counts, l.sets * sizeof *here);
	if (sets_stay(&l)) {
		GEMP_TRY_DONE(gemp_comm_agree(p->comm, gemp_shard_copy_labels(p->to, p->from)));
		for (size_t s = 0; s < l.old; s++)
			p->to->label_sets[s].vertex_count = l.counts[s];
	} else {
		GEMP_TRY_DONE(rebuild_sets(&l, here));
	}
	p->to->label_set_of = l.set;
	l.set = NULL;
done:
	gemp_free_all(here, l.set, l.counts, l.number);
	return code;
}
