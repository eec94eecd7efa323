#include "cli/settings.h"

#include "core/status.h"

gemp_edge_selection gemp_edge_options(const gemp_options *options)
{
	return (gemp_edge_selection){ .size = sizeof(gemp_edge_selection),
		                          .edge_types = options->only_relations.items,
		                          .edge_type_count = options->only_relations.count,
		                          .direction = (gemp_edge_direction)options->direction,
		                          .weight = options->weight };
}

gemp_code gemp_checkpoint_options_check(const gemp_options *options)
{
	if (options->checkpoint)
		return GEMP_OK;
	return gemp_options_refuse(options, "resume|max-time", "needs --checkpoint FOLDER, where finished work is saved");
}

gemp_checkpoint_settings gemp_checkpoint_options(const gemp_options *options)
{
	return (gemp_checkpoint_settings){ options->checkpoint, options->resume, options->max_time };
}

/* The second choice of --symmetry, --count-by, --pivot and --attribute-copies turns an optimisation off. */
gemp_query_settings gemp_query_options(const gemp_options *options)
{
	gemp_query_settings settings;
	gemp_query_settings_init(&settings);
	settings.distinct_given = gemp_options_has(options, "distinct");
	if (gemp_options_has(options, "semantics"))
		settings.semantics = (gemp_semantics)options->semantics;
	if (settings.distinct_given)
		settings.distinct = (gemp_distinct)options->distinct;
	settings.limit = options->limit;
	settings.lenient = options->lenient;
	settings.explain = options->explain;
	settings.profile = options->profile;
	settings.dry_run = options->dry_run;
	settings.checkpoint = gemp_checkpoint_options(options);
	settings.order = options->order;
	settings.conditions = (gemp_condition_phase)options->attributes;
	settings.copy_each = options->attribute_copies == 1;
	settings.exchange = (gemp_exchange_mode)options->exchange;
	settings.replicate = options->replicate;
	settings.combinations = options->combinations;
	settings.lanes = options->lanes;
	settings.launch_factor = options->launch_factor;
	settings.symmetry_by_hash = options->symmetry == 1;
	settings.count_by_search = options->count_by == 1;
	settings.place = (gemp_placement)options->on;
	settings.first_vertex_pivot = options->pivot == 1;
	return settings;
}
