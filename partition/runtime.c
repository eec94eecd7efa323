#include "partition/runtime.h"

#include <inttypes.h>

size_t gemp_runtime_device_peak(const gemp_runtime *context)
{
	size_t most = context->device->buffer_peak;
	for (size_t i = 0; i < context->other_count; i++)
		if (context->others[i]->device->buffer_peak > most)
			most = context->others[i]->device->buffer_peak;
	return most;
}

gemp_code gemp_runtime_program(gemp_runtime *context, gemp_program *out, const char *source, const char *options)
{
	double began = gemp_now();
	gemp_code code = gemp_comm_agree(context->comm, gemp_program_new(out, context->device, source, options));
	if (code != GEMP_OK)
		gemp_program_free(out);
	else if (!out->cached)
		context->program_builds++;
	gemp_timers_add(&context->timers, GEMP_PHASE_BUILD, began);
	return code;
}
