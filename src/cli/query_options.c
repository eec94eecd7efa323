#include "cli/query_options.h"

#include "core/status.h"

gemp_code gemp_checkpoint_options_check(const gemp_options *options)
{
	static const char *const dependent[] = { "resume", "max-time" };
	for (size_t i = 0; i < sizeof dependent / sizeof *dependent && !options->checkpoint; i++)
		if (gemp_options_has(options, dependent[i]))
			return gemp_fail(GEMP_EUSAGE, "--%s needs --checkpoint FOLDER, for what is finished", dependent[i]);
	return GEMP_OK;
}

gemp_checkpoint_settings gemp_checkpoint_options(const gemp_options *options)
{
	return (gemp_checkpoint_settings){ options->checkpoint, options->resume, options->max_time };
}

/* Enumerations of options have the order of those of the library. */
gemp_query_settings gemp_query_options(const gemp_options *options)
{
	gemp_query_settings settings;
	gemp_query_settings_init(&settings);
	settings.semantics = (gemp_semantics)options->semantics;
	settings.distinct = (gemp_distinct)options->distinct;
	settings.distinct_given = gemp_options_has(options, "distinct");
	settings.limit = options->limit;
	settings.lenient = options->lenient;
	settings.explain = options->explain;
	settings.profile = options->profile;
	settings.dry_run = options->dry_run;
	settings.checkpoint = gemp_checkpoint_options(options);
	settings.order = options->order;
	settings.conditions = (gemp_condition_phase)options->attributes;
	settings.exchange = (gemp_exchange_mode)options->exchange;
	settings.replicate = options->replicate;
	settings.combinations = options->combinations;
	settings.lanes = options->lanes;
	settings.launch_factor = options->launch_factor;
	settings.symmetry_by_hash = options->symmetry == 1;
	settings.count_by_search = options->count_by == 1;
	settings.first_vertex_pivot = options->pivot == 1;
	return settings;
}
