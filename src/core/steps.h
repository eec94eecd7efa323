/* steps: seconds of the steps of a long work, such as an import, in their order. */
#ifndef GEMP_CORE_STEPS_H
#define GEMP_CORE_STEPS_H

#include <stddef.h>

enum { GEMP_MOST_STEPS = 16 };

/* {0} before the first step. */
typedef struct gemp_steps {
	size_t count, current;
	struct {
		const char *name; /* borrowed */
		double seconds;
	} step[GEMP_MOST_STEPS];
	double since; /* 0: none runs */
} gemp_steps;

/* Ends the step that runs and begins the next one; NULL: none follows. A name that was there before goes on. Works that
 * nobody times have no steps: NULL. */
void gemp_steps_next(gemp_steps *steps, const char *name);

#endif
