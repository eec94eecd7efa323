#include "cypher/clause/procedure.h"

#include "core/memory.h"
#include "cypher/check/check.h"
#include "cypher/clause/analysis_call.h"
#include "cypher/clause/project.h"
#include "cypher/function/procedure.h"

#include <stdlib.h>
#include <string.h>

typedef struct name_list {
	const char **names; /* [count] borrowed */
	size_t count;
} name_list;

static gemp_code add_table(name_list *list, const gemp_table *table)
{
	for (size_t c = 0; c < table->count; c++)
		GEMP_TRY(GEMP_APPEND(list->names, list->count, &table->columns[c].name));
	return GEMP_OK;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The names in ascending order, each once. */
static gemp_code find_names(const gemp_shard *graph, gemp_cypher_procedure_number procedure, name_list *list)
{
	for (size_t i = 0; procedure == GEMP_CY_DB_LABELS && i < graph->label_count; i++)
		GEMP_TRY(GEMP_APPEND(list->names, list->count, &graph->labels[i]));
	for (size_t i = 0; procedure == GEMP_CY_DB_TYPES && i < graph->relation_count; i++)
		GEMP_TRY(GEMP_APPEND(list->names, list->count, &graph->relations[i].name));
	if (procedure == GEMP_CY_DB_KEYS) {
		GEMP_TRY(add_table(list, &graph->attributes));
		for (size_t i = 0; i < graph->relation_count; i++)
			GEMP_TRY(add_table(list, &graph->relations[i].props));
	}
	size_t kept = 0;
	if (list->count)
		qsort(list->names, list->count, sizeof *list->names, compare_names);
	for (size_t i = 0; i < list->count; i++)
		if (kept == 0 || strcmp(list->names[kept - 1], list->names[i]) != 0)
			list->names[kept++] = list->names[i];
	list->count = kept;
	return GEMP_OK;
}

static gemp_code add_names(const gemp_cypher_engine *engine, const gemp_cypher_clause *clause,
                           gemp_cypher_procedure_number procedure, const gemp_cypher_table *in, gemp_cypher_table *out)
{
	name_list list = { 0 };
	const bool yields = clause->width_out > clause->width_in;
	gemp_code code = find_names(engine->graph, procedure, &list);
	for (size_t r = 0; r < in->rows; r++)
		for (size_t i = 0; i < list.count && code == GEMP_OK; i++) {
			gemp_datum *cells;
			code = gemp_cypher_table_add(out, &cells);
			if (code != GEMP_OK)
				break;
			if (out->with_origin)
				out->origin[out->rows - 1] = in->origin[r];
			if (in->width)
				memcpy(cells, gemp_cypher_table_row(in, r), in->width * sizeof *cells);
			if (yields)
				code = gemp_datum_string(&cells[in->width], &out->arena, list.names[i], strlen(list.names[i]));
		}
	gemp_free(list.names);
	return code;
}

gemp_code gemp_cypher_call_procedure(gemp_cypher_engine *engine, const gemp_cypher_clause *clause,
                                     gemp_cypher_table *in, gemp_cypher_table *out)
{
	const gemp_cypher_procedure *procedure = gemp_cypher_procedure_find(clause->name.bytes);
	out->width = (size_t)clause->width_out;
	out->with_origin = in->with_origin;
	if (gemp_cypher_is_analysis(procedure))
		GEMP_TRY(gemp_cypher_call_analysis(engine, clause, procedure, in, out));
	else
		GEMP_TRY(add_names(engine, clause, procedure->number, in, out));
	gemp_arena_join(&out->arena, &in->arena);
	if (!clause->where)
		return GEMP_OK;
	return gemp_cypher_filter(engine, clause->where, (size_t)gemp_cypher_clause_slots(clause), NULL, NULL, out);
}
