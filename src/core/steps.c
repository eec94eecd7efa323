#include "core/steps.h"

#include "core/log.h"
#include "core/status.h"
#include "core/timer.h"

#include <string.h>

static size_t find_or_add(gemp_steps *steps, const char *name)
{
	for (size_t i = 0; i < steps->count; i++)
		if (strcmp(steps->step[i].name, name) == 0)
			return i;
	GEMP_CHECK(steps->count < GEMP_MOST_STEPS);
	steps->step[steps->count].name = name;
	return steps->count++;
}

void gemp_steps_next(gemp_steps *steps, const char *name)
{
	if (!steps)
		return;
	double now = gemp_now();
	if (steps->since > 0)
		steps->step[steps->current].seconds += now - steps->since;
	steps->since = name ? now : 0;
	gemp_progress_end();
	if (name)
		steps->current = find_or_add(steps, name);
}
