#include "cli/checkpoint_options.h"

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
