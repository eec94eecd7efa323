#include "transform/overlay.h"

#include "core/memory.h"

enum { PLACE_BITS = 40 };

static gemp_code lay(gemp_overlay *o, size_t update, uint64_t first)
{
	gemp_code code = GEMP_OK;
	const gemp_change *change = &o->changes->changes[update];
	size_t column = gemp_schema_place(o->schema, o->changes->rule->updates[update].names[0]);
	if (column == o->schema->count)
		return GEMP_OK; /* removed where nothing has it */
	for (size_t i = 0; i < change->count; i++) {
		if (change->elements[i] < first || change->elements[i] - first >= o->rows)
			continue;
		if (!o->last[column])
			GEMP_TRY(GEMP_NEW(o->last[column], o->rows));
		o->last[column][change->elements[i] - first] = (uint64_t)(update + 1) << PLACE_BITS | i;
	}
done:
	return code;
}

gemp_code gemp_overlay_new(gemp_overlay *out, const gemp_changes *changes, const gemp_schema_columns *schema,
                           bool edges, uint64_t first, size_t rows)
{
	gemp_code code = GEMP_OK;
	const gemp_rule *rule = changes->rule;
	*out = (gemp_overlay){ .changes = changes, .schema = schema, .rows = rows };
	GEMP_TRY(GEMP_NEW(out->last, schema->count));
	for (size_t i = 0; i < rule->update_count; i++) {
		const gemp_update *u = &rule->updates[i];
		bool about = u->kind == GEMP_SET_ATTRIBUTE || u->kind == GEMP_REMOVE_ATTRIBUTE;
		if (about && !u->element.created && u->element.edge == edges)
			GEMP_TRY(lay(out, i, first));
	}
done:
	if (code != GEMP_OK)
		gemp_overlay_free(out);
	return code;
}

void gemp_overlay_free(gemp_overlay *overlay)
{
	for (size_t c = 0; overlay->last && c < overlay->schema->count; c++)
		gemp_free(overlay->last[c]);
	gemp_free(overlay->last);
	*overlay = (gemp_overlay){ 0 };
}

gemp_value gemp_overlay_value(const gemp_overlay *overlay, size_t column, size_t row, gemp_value old)
{
	uint64_t last = overlay->last[column] ? overlay->last[column][row] : 0;
	if (!last)
		return old;
	size_t update = (size_t)(last >> PLACE_BITS) - 1, place = (size_t)(last & (((uint64_t)1 << PLACE_BITS) - 1));
	const gemp_update *u = &overlay->changes->rule->updates[update];
	if (u->kind == GEMP_REMOVE_ATTRIBUTE)
		return (gemp_value){ .null = true };
	return u->constant ? u->literal : gemp_column_get(&overlay->changes->changes[update].values, place);
}
