#include "rewrite/apply.h"

#include "core/memory.h"
#include "partition/resident.h"
#include "rewrite/apply_parts.h"
#include "rewrite/relabel.h"
#include "rewrite/schema.h"

/* Local. */
static gemp_code fill(gemp_applying *a, const gemp_apply_options *options)
{
	gemp_code code = GEMP_OK;
	const gemp_frame *frame = a->fresh->frame;
	GEMP_TRY(gemp_schema_find(&a->patch->vertices, a->graph, options->rules, a->rule, frame, false));
	GEMP_TRY(gemp_schema_find(&a->patch->edges, a->graph, options->rules, a->rule, frame, true));
	GEMP_TRY(gemp_apply_deletions(a));
	GEMP_TRY(gemp_apply_values(a));
	GEMP_TRY(gemp_apply_creations(a));
	code = gemp_relabel(a->patch, a->graph, a->fresh, a->changes);
done:
	return code;
}

gemp_code gemp_apply(gemp_graph **graph, gemp_context *context, const gemp_fresh *fresh,
                     const gemp_apply_options *options, gemp_patched *done)
{
	gemp_code code = GEMP_OK;
	gemp_changes changes = { 0 };
	gemp_patch patch = { .string_keys = options->string_keys, .want_origins = done != NULL,
		.want_changed = done != NULL };
	gemp_applying a = { .graph = *graph, .rule = fresh->rule, .fresh = fresh, .changes = &changes, .patch = &patch };
	GEMP_TRY(gemp_graph_need_all_once(*graph));
	GEMP_TRY(gemp_changes_send(&changes, context->comm, *graph, fresh));
	GEMP_TRY(gemp_comm_agree(context->comm, fill(&a, options)));
	gemp_changes_free(&changes);
	gemp_resident_forget(context);
	code = gemp_graph_patch(graph, context->comm, &patch, done);
done:
	gemp_changes_free(&changes);
	gemp_patch_free(&patch);
	return code;
}
