#include "io/som_names.h"

#include "io/h5_column.h"

#include <stdio.h>

/* GROUP/NAME, if it is there. */
static gemp_code read_column(gemp_column *out, const gemp_h5 *h5, const char *group, const char *name, bool *known)
{
	gemp_code code = GEMP_OK;
	uint64_t rows;
	char place[16];
	*known = false;
	snprintf(place, sizeof place, "%s/%s", group, name);
	GEMP_TRY(gemp_h5_exists(h5, group, known));
	if (*known)
		GEMP_TRY(gemp_h5_exists(h5, place, known));
	if (!*known)
		return GEMP_OK;
	GEMP_TRY(gemp_h5_length(h5, place, &rows));
	code = gemp_h5_column(out, h5, place, name, 0, (size_t)rows, known);
done:
	return code;
}

static gemp_code read_columns(gemp_column *keys, gemp_column *units, gemp_column *null, const gemp_h5 *h5)
{
	gemp_code code = GEMP_OK;
	bool known[3];
	GEMP_TRY(read_column(keys, h5, "/rows", "key", &known[0]));
	GEMP_TRY(read_column(units, h5, "/rows", "unit", &known[1]));
	GEMP_TRY(read_column(null, h5, "/null", "unit", &known[2]));
	if (!known[0] || !known[1] || (keys->type != GEMP_STRING && keys->type != GEMP_INTEGER) ||
	    units->type != GEMP_INTEGER || keys->rows != units->rows)
		GEMP_TRY(gemp_fail(GEMP_EDATA, "%s: has no /rows/key and /rows/unit of keys and units; give what som apply wrote",
		                   h5->path));
	if (known[2] && null->type == GEMP_BOOLEAN && null->rows == units->rows && !units->null) {
		units->null = null->booleans;
		null->booleans = NULL;
	}
done:
	return code;
}

gemp_code gemp_som_names_read(gemp_column *keys, gemp_column *units, const char *path)
{
	gemp_comm alone;
	gemp_h5 h5 = { 0 };
	gemp_column null = { 0 };
	gemp_comm_new(&alone, MPI_COMM_SELF);
	gemp_code code = gemp_h5_open(&h5, &alone, path);
	if (code == GEMP_OK)
		code = read_columns(keys, units, &null, &h5);
	gemp_h5_close(&h5);
	gemp_column_free(&null);
	gemp_comm_free(&alone);
	return code;
}
