#include "io/found_columns.h"

#include "core/memory.h"
#include "core/text.h"

#include <string.h>

gemp_code gemp_found_columns_see(gemp_found_columns *columns, const char *name, uint32_t seen)
{
	gemp_code code = GEMP_OK;
	size_t known = columns->mine.list.count;
	uint32_t index;
	GEMP_TRY(GEMP_RESERVE(columns->seen, columns->seen_capacity, known + 1));
	GEMP_TRY(gemp_dictionary_add(&columns->mine, name, strlen(name), &index));
	if (index == known)
		columns->seen[index] = 0;
	columns->seen[index] |= seen;
done:
	return code;
}

gemp_code gemp_found_columns_join(gemp_found_columns *columns, const gemp_comm *comm,
                                  gemp_type (*type_of)(uint32_t seen))
{
	gemp_code code = GEMP_OK;
	uint32_t *seen = NULL;
	GEMP_TRY(gemp_bytes_union(comm, &columns->mine.list, &columns->all));
	code = GEMP_NEW(seen, columns->all.count);
	if (code == GEMP_OK)
		code = GEMP_NEW(columns->types, columns->all.count);
	GEMP_TRY(gemp_comm_agree(comm, code));
	for (size_t i = 0; i < columns->mine.list.count; i++) {
		size_t size;
		const char *name = gemp_bytes_at(&columns->mine.list, i, &size);
		seen[gemp_bytes_find(&columns->all, name, size)] = columns->seen[i];
	}
	if (columns->all.count > 0)
		GEMP_MPI(MPI_Allreduce(MPI_IN_PLACE, seen, (int)columns->all.count, MPI_UINT32_T, MPI_BOR, comm->world));
	for (size_t i = 0; i < columns->all.count; i++)
		columns->types[i] = type_of(seen[i]);
done:
	gemp_free(seen);
	return code;
}

gemp_code gemp_found_columns_declare(const gemp_found_columns *columns, gemp_builder *builder,
                                     gemp_code (*declare)(gemp_builder *, const char *, gemp_type, size_t *))
{
	gemp_code code = GEMP_OK;
	gemp_text name = { 0 };
	for (size_t i = 0; i < columns->all.count; i++) {
		size_t size, column;
		const char *bytes = gemp_bytes_at(&columns->all, i, &size);
		gemp_text_clear(&name);
		gemp_text_add(&name, bytes, size);
		GEMP_TRY(gemp_text_status(&name));
		GEMP_TRY(declare(builder, name.data, columns->types[i], &column));
	}
done:
	gemp_text_free(&name);
	return code;
}

size_t gemp_found_columns_at(const gemp_found_columns *columns, const char *name)
{
	return gemp_bytes_find(&columns->all, name, strlen(name));
}

void gemp_found_columns_free(gemp_found_columns *columns)
{
	gemp_dictionary_free(&columns->mine);
	gemp_free(columns->seen);
	gemp_bytes_free(&columns->all);
	gemp_free(columns->types);
	*columns = (gemp_found_columns){ 0 };
}
