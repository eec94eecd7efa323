/* apply_parts: what the files of apply share. */
#ifndef GEMP_REWRITE_APPLY_PARTS_H
#define GEMP_REWRITE_APPLY_PARTS_H

#include "partition/patch.h"
#include "rewrite/changes.h"

typedef struct gemp_applying {
	const gemp_graph *graph;
	const gemp_rule *rule;
	const gemp_fresh *fresh;
	gemp_changes *changes; /* values are taken from it */
	gemp_patch *patch;     /* its columns are known */
} gemp_applying;

/* Local, each. What is deleted, merged or gets another type; new values of what is matched; what is created. */
gemp_code gemp_apply_deletions(gemp_applying *a);
gemp_code gemp_apply_values(gemp_applying *a);
gemp_code gemp_apply_creations(gemp_applying *a);

/* Local. Room for one put more. */
gemp_code gemp_apply_put(gemp_patch_columns *all, size_t relation, size_t column, gemp_put **out);
/* Local. A column of the update's constant, or NULL, of a type that goes with the attribute's. */
gemp_code gemp_apply_constant(gemp_column *out, const gemp_update *u, gemp_type type);

#endif
