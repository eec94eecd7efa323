/* New values of old edges. */
#include "core/memory.h"
#include "graph/column_bulk.h"
#include "partition/patch_relations.h"

#include <string.h>

static size_t place_of(const gemp_table *table, const char *name)
{
	size_t c = 0;
	while (c < table->count && (!table->columns[c].name || strcmp(table->columns[c].name, name) != 0))
		c++;
	return c;
}

static bool has_puts(const gemp_patch_columns *all, size_t relation, size_t column)
{
	for (size_t i = 0; i < all->put_count; i++)
		if (all->puts[i].relation == relation && all->puts[i].column == column)
			return true;
	return false;
}

/* Column c, if the relation has or gets it. */
static gemp_code put_column(const gemp_patch_columns *all, size_t relation, size_t c, size_t edges, gemp_table *old,
                            gemp_table *out)
{
	gemp_code code = GEMP_OK;
	size_t at = place_of(old, all->columns[c].name);
	if (at == old->count && !has_puts(all, relation, c))
		return GEMP_OK;
	gemp_column *column = &out->columns[out->count++];
	*column = (gemp_column){ 0 };
	if (at < old->count) {
		*column = old->columns[at];
		old->columns[at] = (gemp_column){ 0 };
	} else {
		GEMP_TRY(gemp_column_init(column, all->columns[c].name, all->columns[c].type));
	}
	if (column->type != all->columns[c].type)
		GEMP_TRY(gemp_column_widen(column));
	GEMP_TRY(gemp_column_grow(column, edges));
	for (size_t i = 0; i < all->put_count; i++)
		if (all->puts[i].relation == relation && all->puts[i].column == c)
			GEMP_TRY(gemp_column_put(column, all->puts[i].rows, all->puts[i].count, &all->puts[i].values));
done:
	return code;
}

gemp_code gemp_patch_put_edges(gemp_patching *p)
{
	gemp_code code = GEMP_OK;
	const gemp_patch_columns *all = &p->patch->edges;
	for (size_t r = 0; r < p->from->relation_count && all->count; r++) {
		gemp_relation *relation = &p->from->relations[r];
		gemp_table made = { .rows = relation->props.rows };
		code = GEMP_RESERVE(made.columns, made.capacity, all->count);
		for (size_t c = 0; c < all->count && code == GEMP_OK; c++)
			code = put_column(all, r, c, (size_t)relation->out_begin[p->from->rows], &relation->props, &made);
		gemp_table_free(&relation->props);
		relation->props = made;
		GEMP_TRY(code);
	}
done:
	return code;
}
