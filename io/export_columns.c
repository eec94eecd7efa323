#include "io/export_parts.h"

#include "core/memory.h"

#include <string.h>

bool gemp_export_takes(const gemp_exporting *e, size_t relation)
{
	return !e->options->type || strcmp(e->options->type, e->graph->relations[relation].name) == 0;
}

static size_t find(const gemp_table *props, const char *name)
{
	for (size_t c = 0; c < props->count; c++)
		if (strcmp(props->columns[c].name, name) == 0)
			return c;
	return SIZE_MAX;
}

/* Is the column to come later in some relation than where that one is now? next[r]: its first column not yet taken. */
static bool must_wait(const gemp_exporting *e, const size_t *next, const char *name)
{
	for (size_t r = 0; r < e->graph->relation_count; r++) {
		size_t at = gemp_export_takes(e, r) ? find(&e->graph->relations[r].props, name) : SIZE_MAX;
		if (at != SIZE_MAX && at > next[r])
			return true;
	}
	return false;
}

/* The next column of all: one that no relation has after another that is still to come. Relations made together have
 * their columns in one order, so there is one; else any will do. NULL: no more. */
static const gemp_column *choose(const gemp_exporting *e, const size_t *next)
{
	const gemp_column *any = NULL;
	for (size_t r = 0; r < e->graph->relation_count; r++) {
		const gemp_table *props = &e->graph->relations[r].props;
		if (!gemp_export_takes(e, r) || next[r] == props->count)
			continue;
		any = &props->columns[next[r]];
		if (!must_wait(e, next, any->name))
			return any;
	}
	return any;
}

static bool is_taken(const gemp_exporting *e, const char *name)
{
	for (size_t c = 0; c < e->column_count; c++)
		if (strcmp(e->columns[c].name, name) == 0)
			return true;
	return false;
}

static gemp_code take(gemp_exporting *e, const gemp_column *chosen, size_t *next)
{
	gemp_code code = GEMP_OK;
	gemp_export_column *column = &e->columns[e->column_count++];
	*column = (gemp_export_column){ .name = gemp_strdup(chosen->name), .type = chosen->type };
	if (!column->name)
		return GEMP_ENOMEM;
	GEMP_TRY(GEMP_NEW(column->at, e->graph->relation_count));
	for (size_t r = 0; r < e->graph->relation_count; r++) {
		const gemp_table *props = &e->graph->relations[r].props;
		column->at[r] = gemp_export_takes(e, r) ? find(props, chosen->name) : SIZE_MAX;
		if (column->at[r] == SIZE_MAX)
			continue;
		if (props->columns[column->at[r]].type != chosen->type)
			return gemp_fail(GEMP_EDATA, "%s: edges have a column '%s' of %ss in one type and of %ss in another; "
			                 "convert one type after the other with --type", e->options->path, chosen->name,
			                 gemp_type_name[chosen->type], gemp_type_name[props->columns[column->at[r]].type]);
		while (next[r] < props->count && is_taken(e, props->columns[next[r]].name))
			next[r]++;
	}
done:
	return code;
}

gemp_code gemp_export_columns(gemp_exporting *e)
{
	gemp_code code = GEMP_OK;
	size_t most = 0, *next = NULL;
	for (size_t r = 0; r < e->graph->relation_count; r++)
		most += e->graph->relations[r].props.count;
	GEMP_TRY(GEMP_NEW(next, e->graph->relation_count));
	GEMP_TRY(GEMP_NEW(e->columns, most));
	for (const gemp_column *chosen; (chosen = choose(e, next));)
		GEMP_TRY(take(e, chosen, next));
done:
	gemp_free(next);
	return code;
}

gemp_value gemp_export_edge_value(const gemp_exporting *e, const gemp_export_edge *edge, size_t column)
{
	size_t at = e->columns[column].at[edge->relation];
	if (at == SIZE_MAX)
		return (gemp_value){ .type = e->columns[column].type, .null = true };
	return gemp_column_get(&e->graph->relations[edge->relation].props.columns[at], edge->row);
}

void gemp_export_labels(const gemp_exporting *e, size_t row, gemp_text *out)
{
	const gemp_label_set *set = &e->graph->label_sets[e->graph->label_set[row]];
	for (size_t l = 0; l < set->count; l++)
		gemp_text_print(out, "%s%s", l ? ";" : "", e->graph->labels[set->labels[l]]);
}

/* FAILURES */

static void add_shortened(gemp_text *out, const gemp_value *key)
{
	enum { LONGEST = 60 };
	gemp_value shown = *key;
	if (key->type == GEMP_STRING && key->string.size > LONGEST)
		shown.string.size = LONGEST;
	gemp_value_print(&shown, out);
	gemp_text_print(out, "%s", key->type == GEMP_STRING && key->string.size > LONGEST ? "..." : "");
}

static gemp_code in_place(gemp_code code, const gemp_exporting *e, gemp_text *place, const char *column)
{
	if (column)
		gemp_text_print(place, ", column '%s'", column);
	if (code == GEMP_EDATA && gemp_text_status(place) == GEMP_OK)
		code = gemp_fail_in(code, "%s: %s: ", e->options->path, place->data);
	gemp_text_free(place);
	return code;
}

gemp_code gemp_export_in_vertex(gemp_code code, const gemp_exporting *e, size_t row, const char *column)
{
	gemp_text place = { 0 };
	gemp_value key = gemp_column_get(&e->graph->key, row);
	gemp_text_print(&place, "vertex ");
	add_shortened(&place, &key);
	return in_place(code, e, &place, column);
}

gemp_code gemp_export_in_edge(gemp_code code, const gemp_exporting *e, const gemp_export_edge *edge, const char *column)
{
	gemp_text place = { 0 };
	gemp_text_print(&place, "edge ");
	add_shortened(&place, &edge->source);
	gemp_text_print(&place, " -[:%s]-> ", e->graph->relations[edge->relation].name);
	add_shortened(&place, &edge->target);
	return in_place(code, e, &place, column);
}
