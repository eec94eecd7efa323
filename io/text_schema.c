#include "io/text_schema.h"

#include "core/memory.h"
#include "io/text_scalar.h"

#include <string.h>

static gemp_code find_or_add(gemp_schema *schema, const char *name, size_t *column)
{
	gemp_code code = GEMP_OK;
	for (size_t i = 0; i < schema->count; i++)
		if (strcmp(schema->columns[i].name, name) == 0) {
			*column = i;
			return GEMP_OK;
		}
	GEMP_TRY(GEMP_RESERVE(schema->columns, schema->capacity, schema->count + 1));
	GEMP_TRY(GEMP_RESERVE(schema->evidence, schema->evidence_capacity, schema->count + 1));
	*column = schema->count++;
	schema->columns[*column] = (gemp_schema_column){ .name = name };
	schema->evidence[*column] = 0;
done:
	return code;
}

static gemp_code state(gemp_schema_column *column, gemp_type type, const char *path)
{
	if (column->stated && column->type != type)
		return gemp_fail(GEMP_EDATA, "column '%s' is stated as %s here and as %s in %s; state one type",
		                 column->name, gemp_type_name[type], gemp_type_name[column->type], column->stated);
	column->stated = path;
	column->type = type;
	return GEMP_OK;
}

gemp_code gemp_schema_join(gemp_schema *schema, gemp_header *header, const char *path)
{
	gemp_code code = GEMP_OK;
	for (size_t i = 0; i < header->count; i++) {
		gemp_field *field = &header->fields[i];
		if (!gemp_field_is_attribute(field))
			continue;
		GEMP_TRY(find_or_add(schema, field->name, &field->column));
		if (field->stated)
			GEMP_TRY(state(&schema->columns[field->column], field->type, path));
	}
done:
	return code;
}

void gemp_schema_free(gemp_schema *schema)
{
	gemp_free(schema->columns);
	gemp_free(schema->evidence);
	*schema = (gemp_schema){ 0 };
}

void gemp_schema_see(gemp_schema *schema, size_t column, const gemp_cell *cell)
{
	uint32_t *evidence = &schema->evidence[column];
	if (cell->null || (*evidence & GEMP_LOOKS_ALL) == GEMP_LOOKS_ALL || schema->columns[column].stated)
		return;
	*evidence |= GEMP_HAS_VALUE | (GEMP_LOOKS_ALL & ~gemp_scalar_looks(cell->bytes, cell->size));
}

static gemp_type decide(uint32_t evidence)
{
	if (!(evidence & GEMP_HAS_VALUE))
		return GEMP_STRING;
	if (!(evidence & GEMP_LOOKS_INTEGER))
		return GEMP_INTEGER;
	if (!(evidence & GEMP_LOOKS_FLOAT))
		return GEMP_FLOAT;
	return evidence & GEMP_LOOKS_BOOLEAN ? GEMP_STRING : GEMP_BOOLEAN;
}

void gemp_schema_resolve(gemp_schema *schema)
{
	for (size_t i = 0; i < schema->count; i++)
		if (!schema->columns[i].stated)
			schema->columns[i].type = decide(schema->evidence[i]);
}
