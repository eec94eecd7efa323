#include "io/edge_columns.h"

#include "core/memory.h"

#include <string.h>

/* The relations' tables and how far each is taken. */
typedef struct merge {
	size_t relations;
	const gemp_table **props; /* [relations]; those not wanted have no columns */
	size_t *next;             /* [relations] its first column not yet taken */
} merge;

static size_t find(const gemp_table *props, const char *name)
{
	for (size_t c = 0; c < props->count; c++)
		if (strcmp(props->columns[c].name, name) == 0)
			return c;
	return SIZE_MAX;
}

/* Does some relation have the column behind another that is still to come? */
static bool must_wait(const merge *m, const char *name)
{
	for (size_t r = 0; r < m->relations; r++) {
		size_t at = find(m->props[r], name);
		if (at != SIZE_MAX && at > m->next[r])
			return true;
	}
	return false;
}

/* The next column of all. Relations made together have their columns in one order, so there is one that need not wait;
 * else any will do. NULL: no more. */
static const gemp_column *choose(const merge *m)
{
	const gemp_column *any = NULL;
	for (size_t r = 0; r < m->relations; r++) {
		if (m->next[r] == m->props[r]->count)
			continue;
		any = &m->props[r]->columns[m->next[r]];
		if (!must_wait(m, any->name))
			return any;
	}
	return any;
}

static bool is_taken(const gemp_edge_columns *all, const char *name)
{
	for (size_t c = 0; c < all->count; c++)
		if (strcmp(all->columns[c].name, name) == 0)
			return true;
	return false;
}

static gemp_code take(gemp_edge_columns *all, const merge *m, const gemp_column *chosen)
{
	gemp_code code = GEMP_OK;
	gemp_edge_column *column = &all->columns[all->count++];
	*column = (gemp_edge_column){ .name = gemp_strdup(chosen->name), .type = chosen->type };
	if (!column->name)
		return GEMP_ENOMEM;
	GEMP_TRY(GEMP_NEW(column->at, m->relations));
	for (size_t r = 0; r < m->relations; r++) {
		column->at[r] = find(m->props[r], column->name);
		if (column->at[r] == SIZE_MAX)
			continue;
		gemp_type type = m->props[r]->columns[column->at[r]].type;
		if (type != column->type)
			return gemp_fail(GEMP_EDATA, "edges have a column '%s' of %ss in one type and of %ss in another; take one "
			                 "type after the other", column->name, gemp_type_name[column->type], gemp_type_name[type]);
		while (m->next[r] < m->props[r]->count && is_taken(all, m->props[r]->columns[m->next[r]].name))
			m->next[r]++;
	}
done:
	return code;
}

gemp_code gemp_edge_columns_new(gemp_edge_columns *out, const gemp_graph *graph, const char *only)
{
	static const gemp_table none;
	gemp_code code = GEMP_OK;
	gemp_edge_columns all = { 0 };
	merge m = { .relations = graph->relation_count };
	size_t most = 0;
	GEMP_TRY(GEMP_NEW(m.props, m.relations));
	GEMP_TRY(GEMP_NEW(m.next, m.relations));
	for (size_t r = 0; r < m.relations; r++) {
		bool wanted = !only || strcmp(only, graph->relations[r].name) == 0;
		m.props[r] = wanted ? &graph->relations[r].props : &none;
		most += m.props[r]->count;
	}
	GEMP_TRY(GEMP_NEW(all.columns, most));
	for (const gemp_column *chosen; (chosen = choose(&m));)
		GEMP_TRY(take(&all, &m, chosen));
	*out = all;
	all = (gemp_edge_columns){ 0 };
done:
	gemp_edge_columns_free(&all);
	gemp_free(m.props);
	gemp_free(m.next);
	return code;
}

void gemp_edge_columns_free(gemp_edge_columns *columns)
{
	for (size_t c = 0; c < columns->count; c++) {
		gemp_free(columns->columns[c].name);
		gemp_free(columns->columns[c].at);
	}
	gemp_free(columns->columns);
	*columns = (gemp_edge_columns){ 0 };
}

gemp_value gemp_edge_value(const gemp_graph *graph, const gemp_edge_column *column, size_t relation, size_t row)
{
	if (column->at[relation] == SIZE_MAX)
		return (gemp_value){ .type = column->type, .null = true };
	return gemp_column_get(&graph->relations[relation].props.columns[column->at[relation]], row);
}
