/* Two ways to find types. Tables have texts: each value rules out types (evidence), and the narrowest that
 * is left is taken. JSON and GXL have typed values: the types that were seen are collected, and the
 * format's own rule says which type holds them all. Either is joined over threads and ranks by a bitwise
 * or, so that the order of reading does not matter. */

#include "io/import/column_inference.h"

#include "core/memory.h"
#include "core/text.h"
#include "io/text/text_scalar.h"

#include <string.h>

/* Tables have few columns; a linear search keeps them in the order of the headers. */
static gemp_code find_or_add(gemp_schema *schema, const char *name, size_t *column)
{
	for (size_t i = 0; i < schema->count; i++)
		if (strcmp(schema->columns[i].name, name) == 0) {
			*column = i;
			return GEMP_OK;
		}
	GEMP_PROPAGATE(GEMP_RESERVE(schema->columns, schema->capacity, schema->count + 1));
	GEMP_PROPAGATE(GEMP_RESERVE(schema->evidence, schema->evidence_capacity, schema->count + 1));
	*column = schema->count++;
	schema->columns[*column] = (gemp_schema_column){ .name = name };
	schema->evidence[*column] = 0;
	return GEMP_OK;
}

/* Two files of one import feed one column, which has one type. */
static gemp_code state(gemp_schema_column *column, gemp_type type, const char *path)
{
	if (column->stated && column->type != type)
		return gemp_fail(GEMP_EDATA, "column '%s' is stated as %s here and as %s in %s; state one type", column->name,
		                 gemp_type_name[type], gemp_type_name[column->type], column->stated);
	column->stated = path;
	column->type = type;
	return GEMP_OK;
}

/* Fields keep the number of their column, so that records need no search by name. */
gemp_code gemp_schema_join(gemp_schema *schema, gemp_header *header, const char *path)
{
	for (size_t i = 0; i < header->count; i++) {
		gemp_field *field = &header->fields[i];
		if (!gemp_field_is_attribute(field))
			continue;
		GEMP_PROPAGATE(find_or_add(schema, field->name, &field->column));
		if (field->stated)
			GEMP_PROPAGATE(state(&schema->columns[field->column], field->type, path));
	}
	return GEMP_OK;
}

void gemp_schema_free(gemp_schema *schema)
{
	gemp_free_all(schema->columns, schema->evidence);
	*schema = (gemp_schema){ 0 };
}

/* Once all types but string are ruled out nothing more can be learnt from a value. */
void gemp_schema_observe(gemp_schema *schema, size_t column, const gemp_text_cell *cell)
{
	uint32_t *evidence = &schema->evidence[column];
	if (cell->null || (*evidence & GEMP_LOOKS_ALL) == GEMP_LOOKS_ALL || schema->columns[column].stated)
		return;
	*evidence |= GEMP_HAS_VALUE | (GEMP_LOOKS_ALL & ~gemp_scalar_looks(cell->bytes, cell->size));
}

/* The order is from the narrowest type to the widest: a column of 0 and 1 is of integers. */
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

/* Stated types stay. */
void gemp_schema_resolve(gemp_schema *schema)
{
	for (size_t i = 0; i < schema->count; i++)
		if (!schema->columns[i].stated)
			schema->columns[i].type = decide(schema->evidence[i]);
}

/* Columns appear while records are read, in any order and on any rank. */
gemp_code gemp_inferred_columns_observe(gemp_inferred_columns *columns, const char *name, uint32_t seen)
{
	size_t known = columns->local.list.count;
	uint32_t index;
	GEMP_PROPAGATE(GEMP_RESERVE(columns->seen, columns->seen_capacity, known + 1));
	GEMP_PROPAGATE(gemp_dictionary_add(&columns->local, name, strlen(name), &index));
	if (index == known)
		columns->seen[index] = 0;
	columns->seen[index] |= seen;
	return GEMP_OK;
}

/* The union is sorted by name, so that columns have the same numbers on all ranks. */
gemp_code gemp_inferred_columns_merge(gemp_inferred_columns *columns, const gemp_comm *comm,
                                      gemp_type (*type_of)(uint32_t seen))
{
	gemp_code code = GEMP_OK;
	GEMP_OWNED uint32_t *seen = NULL;
	GEMP_PROPAGATE(gemp_bytes_union(comm, &columns->local.list, &columns->names));
	code = GEMP_NEW(seen, columns->names.count);
	GEMP_THEN(GEMP_NEW(columns->types, columns->names.count));
	GEMP_PROPAGATE(gemp_comm_agree(comm, code));
	for (size_t i = 0; i < columns->local.list.count; i++) {
		size_t size;
		const char *name = gemp_bytes_at(&columns->local.list, i, &size);
		seen[gemp_bytes_find(&columns->names, name, size)] = columns->seen[i];
	}
	if (columns->names.count > 0)
		GEMP_MPI(MPI_Allreduce(MPI_IN_PLACE, seen, (int)columns->names.count, MPI_UINT32_T, MPI_BOR, comm->world));
	for (size_t i = 0; i < columns->names.count; i++)
		columns->types[i] = type_of(seen[i]);
	return GEMP_OK;
}

/* The builder copies the name. */
gemp_code gemp_inferred_columns_declare(const gemp_inferred_columns *columns, gemp_builder *builder,
                                        gemp_code (*declare)(gemp_builder *, const char *, gemp_type, size_t *))
{
	GEMP_OWNED_BY(gemp_text_free) gemp_text name = { 0 };
	for (size_t i = 0; i < columns->names.count; i++) {
		size_t size, column;
		const char *bytes = gemp_bytes_at(&columns->names, i, &size);
		gemp_text_clear(&name);
		gemp_text_add(&name, bytes, size);
		GEMP_PROPAGATE(gemp_text_status(&name));
		GEMP_PROPAGATE(declare(builder, name.data, columns->types[i], &column));
	}
	return GEMP_OK;
}

size_t gemp_inferred_columns_find(const gemp_inferred_columns *columns, const char *name)
{
	return gemp_bytes_find(&columns->names, name, strlen(name));
}

/* Takes columns that were never merged. */
void gemp_inferred_columns_free(gemp_inferred_columns *columns)
{
	gemp_dictionary_free(&columns->local);
	gemp_free(columns->seen);
	gemp_bytes_free(&columns->names);
	gemp_free(columns->types);
	*columns = (gemp_inferred_columns){ 0 };
}
