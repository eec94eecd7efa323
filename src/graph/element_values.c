#include "graph/element_values.h"

#include "core/memory.h"

#include <string.h>

/* The relations' tables, and how far each is merged. */
typedef struct column_merge {
	size_t relations;
	const gemp_table **props; /* [relations]; an empty table for a relation that is left out */
	size_t *next;             /* [relations] its first column not merged yet */
} column_merge;

static size_t find_column(const gemp_table *props, const char *name)
{
	for (size_t c = 0; c < props->count; c++)
		if (strcmp(props->columns[c].name, name) == 0)
			return c;
	return SIZE_MAX;
}

/* Does some relation have this column behind another one that is not merged yet? */
static bool is_needed_later(const column_merge *m, const char *name)
{
	for (size_t r = 0; r < m->relations; r++) {
		size_t at = find_column(m->props[r], name);
		if (at != SIZE_MAX && at > m->next[r])
			return true;
	}
	return false;
}

/* The next column of the merged order, NULL at the end. It is one that no relation has behind an unmerged column;
 * where the relations' orders contradict one another any column will do. */
static const gemp_column *next_column(const column_merge *m)
{
	const gemp_column *any = NULL;
	for (size_t r = 0; r < m->relations; r++) {
		if (m->next[r] == m->props[r]->count)
			continue;
		any = &m->props[r]->columns[m->next[r]];
		if (!is_needed_later(m, any->name))
			return any;
	}
	return any;
}

static bool has_column(const gemp_edge_columns *all, const char *name)
{
	for (size_t c = 0; c < all->count; c++)
		if (strcmp(all->columns[c].name, name) == 0)
			return true;
	return false;
}

/* Appends a merged column, and advances the relations past all columns that the list has by now. */
static gemp_code append_column(gemp_edge_columns *all, const column_merge *m, const gemp_column *chosen)
{
	gemp_edge_column *column = &all->columns[all->count++];
	*column = (gemp_edge_column){ .name = gemp_strdup(chosen->name), .type = chosen->type };
	if (!column->name)
		return GEMP_ENOMEM;
	GEMP_PROPAGATE(GEMP_NEW(column->column_of, m->relations));
	for (size_t r = 0; r < m->relations; r++) {
		column->column_of[r] = find_column(m->props[r], column->name);
		if (column->column_of[r] == SIZE_MAX)
			continue;
		gemp_type type = m->props[r]->columns[column->column_of[r]].type;
		if (type != column->type)
			return gemp_fail(GEMP_EDATA,
			                 "edges have a column '%s' of %ss in one type and of %ss in another; take one "
			                 "type after the other",
			                 column->name, gemp_type_name[column->type], gemp_type_name[type]);
		while (m->next[r] < m->props[r]->count && has_column(all, m->props[r]->columns[m->next[r]].name))
			m->next[r]++;
	}
	return GEMP_OK;
}

gemp_code gemp_edge_columns_new(gemp_edge_columns *out, const gemp_shard *graph, const char *only)
{
	static const gemp_table none;
	gemp_code code = GEMP_OK;
	gemp_edge_columns all = { 0 };
	column_merge m = { .relations = graph->relation_count };
	size_t capacity = 0;
	GEMP_TRY(GEMP_NEW(m.props, m.relations));
	GEMP_TRY(GEMP_NEW(m.next, m.relations));
	for (size_t r = 0; r < m.relations; r++) {
		bool wanted = !only || strcmp(only, graph->relations[r].name) == 0;
		m.props[r] = wanted ? &graph->relations[r].props : &none;
		capacity += m.props[r]->count;
	}
	GEMP_TRY(GEMP_NEW(all.columns, capacity));
	for (const gemp_column *chosen; (chosen = next_column(&m));)
		GEMP_TRY(append_column(&all, &m, chosen));
	*out = all;
	all = (gemp_edge_columns){ 0 };
done:
	gemp_edge_columns_free(&all);
	gemp_free_all(m.props, m.next);
	return code;
}

void gemp_edge_columns_free(gemp_edge_columns *columns)
{
	for (size_t c = 0; c < columns->count; c++) {
		gemp_free_all(columns->columns[c].name, columns->columns[c].column_of);
	}
	gemp_free(columns->columns);
	*columns = (gemp_edge_columns){ 0 };
}

gemp_value gemp_edge_value(const gemp_shard *graph, const gemp_edge_column *column, size_t relation, size_t row)
{
	if (column->column_of[relation] == SIZE_MAX)
		return (gemp_value){ .type = column->type, .null = true };
	return gemp_column_get(&graph->relations[relation].props.columns[column->column_of[relation]], row);
}

void gemp_vertex_labels_text(const gemp_shard *graph, size_t row, gemp_text *out)
{
	const gemp_label_set *set = &graph->label_sets[graph->label_set_of[row]];
	for (size_t l = 0; l < set->count; l++)
		gemp_text_print(out, "%s%s", l ? ";" : "", graph->labels[set->labels[l]]);
}
