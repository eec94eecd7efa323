/* overlay: changes laid over what a rank owns: for each element and column the update that has the last word. */
#ifndef GEMP_TRANSFORM_OVERLAY_H
#define GEMP_TRANSFORM_OVERLAY_H

#include "transform/changes.h"
#include "transform/schema.h"

/* Of own vertices, or own edges of one relation: for each column, NULL or the last update of each row's value. */
typedef struct gemp_overlay {
	const gemp_changes *changes;
	const gemp_schema_columns *schema;
	size_t rows;
	uint64_t **last; /* [schema->count][rows] 0: none; else update and place in it */
} gemp_overlay;

/* Local. Of elements [first, first + rows). */
gemp_code gemp_overlay_new(gemp_overlay *out, const gemp_changes *changes, const gemp_schema_columns *schema,
                           bool edges, uint64_t first, size_t rows);
void gemp_overlay_free(gemp_overlay *overlay);
/* The value that it has now; old: what it had. */
gemp_value gemp_overlay_value(const gemp_overlay *overlay, size_t column, size_t row, gemp_value old);

#endif
