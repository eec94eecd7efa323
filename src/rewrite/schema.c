#include "rewrite/schema.h"

#include "core/memory.h"

#include <string.h>

size_t gemp_schema_place(const gemp_patch_columns *columns, const char *name)
{
	size_t i = 0;
	while (i < columns->count && strcmp(columns->columns[i].name, name) != 0)
		i++;
	return i;
}

static bool numbers(gemp_type a, gemp_type b)
{
	return (a == GEMP_INTEGER || a == GEMP_FLOAT) && (b == GEMP_INTEGER || b == GEMP_FLOAT);
}

/* *fits: the type goes with what the column has. */
static gemp_code add(gemp_patch_columns *all, const char *name, gemp_type type, bool *fits)
{
	gemp_code code = GEMP_OK;
	size_t at = gemp_schema_place(all, name);
	*fits = true;
	if (at == all->count) {
		GEMP_TRY(GEMP_RESERVE(all->columns, all->capacity, at + 1));
		all->columns[at] = (gemp_patch_column){ gemp_strdup(name), type };
		code = all->columns[at].name ? GEMP_OK : GEMP_ENOMEM;
		all->count++;
	} else if (all->columns[at].type != type) {
		*fits = numbers(all->columns[at].type, type);
		all->columns[at].type = *fits ? GEMP_FLOAT : all->columns[at].type;
	}
done:
	return code;
}

static gemp_code add_table(gemp_patch_columns *all, const gemp_table *table)
{
	gemp_code code = GEMP_OK;
	for (size_t c = 0; c < table->count; c++) {
		bool fits;
		GEMP_TRY(add(all, table->columns[c].name, table->columns[c].type, &fits));
		if (!fits)
			return gemp_fail(GEMP_EDATA, "edges have a column '%s' of %ss in one type and of %ss in another, which no "
			                 "rule can rewrite; import one of them under another name", table->columns[c].name,
			                 gemp_type_name[all->columns[gemp_schema_place(all, table->columns[c].name)].type],
			                 gemp_type_name[table->columns[c].type]);
	}
done:
	return code;
}

static gemp_code add_update(gemp_patch_columns *all, const gemp_rules *rules, const gemp_update *u,
                            const gemp_frame *frame)
{
	gemp_code code = GEMP_OK;
	bool fits;
	gemp_type type = u->constant ? u->literal.type : frame->columns[u->column].values.type;
	if (u->constant && u->literal.null)
		return GEMP_OK;
	if (type == GEMP_LIST)
		return gemp_rules_fail(rules, u->line, u->place, "'%s' cannot hold a list; set it to a number, a string or a "
		                       "boolean", u->names[0]);
	GEMP_TRY(add(all, u->names[0], type, &fits));
	if (!fits)
		code = gemp_rules_fail(rules, u->line, u->place, "'%s' has values of type %s, and this one is of type %s; take "
		                       "another name", u->names[0],
		                       gemp_type_name[all->columns[gemp_schema_place(all, u->names[0])].type],
		                       gemp_type_name[type]);
done:
	return code;
}

gemp_code gemp_schema_find(gemp_patch_columns *out, const gemp_graph *graph, const gemp_rules *rules,
                           const gemp_rule *rule, const gemp_frame *frame, bool edges)
{
	gemp_code code = GEMP_OK;
	if (!edges)
		GEMP_TRY(add_table(out, &graph->attributes));
	for (size_t r = 0; r < graph->relation_count && edges; r++)
		GEMP_TRY(add_table(out, &graph->relations[r].props));
	for (size_t i = 0; i < rule->update_count; i++)
		if (rule->updates[i].kind == GEMP_SET_ATTRIBUTE && rule->updates[i].element.edge == edges)
			GEMP_TRY(add_update(out, rules, &rule->updates[i], frame));
done:
	return code;
}
