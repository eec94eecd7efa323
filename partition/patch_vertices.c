/* Columns of vertices, and which vertices have changed. */
#include "core/memory.h"
#include "core/threads.h"
#include "graph/column_bulk.h"
#include "partition/patch_parts.h"

gemp_code gemp_patch_keep(const gemp_patching *p, gemp_column *to, gemp_column *column)
{
	gemp_code code = GEMP_OK;
	GEMP_TRY(gemp_column_grow(column, p->from->rows + p->patch->added));
	if (p->kept) {
		GEMP_TRY(gemp_column_gather(to, column, NULL, p->kept, p->kept_count));
		gemp_column_free(column);
	} else {
		*to = *column;
		*column = (gemp_column){ 0 };
	}
done:
	return code;
}

static gemp_code patch_column(gemp_patching *p, size_t c, gemp_column *out)
{
	gemp_code code = GEMP_OK;
	const gemp_patch_columns *all = &p->patch->vertices;
	gemp_table *table = &p->from->attributes;
	gemp_column new = { 0 }, *column = c < table->count ? &table->columns[c] : &new;
	if (c >= table->count)
		GEMP_TRY(gemp_column_init(&new, all->columns[c].name, all->columns[c].type));
	if (c < all->count && column->type != all->columns[c].type)
		GEMP_TRY(gemp_column_widen(column));
	GEMP_TRY(gemp_column_grow(column, p->from->rows + p->patch->added));
	for (size_t i = 0; i < all->put_count; i++)
		if (all->puts[i].column == c)
			GEMP_TRY(gemp_column_put(column, all->puts[i].rows, all->puts[i].count, &all->puts[i].values));
	code = gemp_patch_keep(p, out, column);
done:
	gemp_column_free(&new);
	return code;
}

/* Local. */
static gemp_code patch_columns(gemp_patching *p)
{
	gemp_code code = GEMP_OK;
	gemp_table *to = &p->to->attributes;
	size_t count = p->from->attributes.count > p->patch->vertices.count ? p->from->attributes.count
	                                                                    : p->patch->vertices.count;
	GEMP_TRY(GEMP_RESERVE(to->columns, to->capacity, count));
	for (; to->count < count; to->count++)
		GEMP_TRY(patch_column(p, to->count, &to->columns[to->count]));
	to->rows = p->to->rows;
done:
	return code;
}

/* CHANGED */

typedef struct noting {
	const gemp_patching *p;
	const uint64_t *rows; /* [count] as a put has them; NULL: vertices whose labels differ */
	size_t count;
} noting;

static void note_piece(void *context, unsigned thread, size_t piece)
{
	(void)thread;
	const noting *n = context;
	const gemp_patching *p = n->p;
	const gemp_graph *from = p->from;
	for (size_t i = piece * GEMP_PATCH_PIECE; i < gemp_patch_end(piece, n->count); i++) {
		size_t row = n->rows ? (size_t)n->rows[i] : i;
		if (row < from->rows && (n->rows || p->patch->label_set[row] != from->label_set[row]))
			gemp_patch_note(p, gemp_moved_id(&p->moved, (gemp_vertex)(from->first + row)));
	}
}

static void note_rows(const gemp_patching *p, const uint64_t *rows, size_t count)
{
	gemp_parallel_for(gemp_patch_pieces(count), note_piece, &(noting){ p, rows, count });
}

void gemp_patch_note_vertices(const gemp_patching *p)
{
	const gemp_patch *patch = p->patch;
	for (size_t i = 0; i < patch->vertices.put_count; i++)
		note_rows(p, patch->vertices.puts[i].rows, patch->vertices.puts[i].count);
	if (patch->label_set)
		note_rows(p, NULL, p->from->rows);
	for (size_t i = 0; i < patch->added; i++)
		gemp_patch_note(p, (gemp_vertex)(p->to->first + p->survivors + i));
}

gemp_code gemp_patch_attributes(gemp_patching *p)
{
	return gemp_comm_agree(p->comm, patch_columns(p));
}
