/* forecast: how long a prepared match will take, before it runs. The sampled work of the plan's order (or, if nothing
 * was sampled, the planner's estimate) is multiplied by measured rates. The rates are within a factor of about three of
 * most runs, so a forecast tells seconds from hours, and not more. */

#ifndef GEMP_MATCH_FORECAST_H
#define GEMP_MATCH_FORECAST_H

#include "match/planner/match_options.h"

#include <stdint.h>

typedef struct gemp_forecast {
	bool sampled;  /* the numbers come from samples and not from the planner's estimate */
	double rows;   /* matches that the search finds, before conditions on whole matches and the removal of duplicates */
	double search; /* seconds on the devices, of all passes */
	double host;   /* seconds in which the host takes, tests and compares the matches, of all passes */
	double classes_bytes; /* maximum bytes of all ranks for the matches that are compared; 0: none are compared */
	double passes; /* maximum number of searches, if the matches that are compared do not fit into memory at once */
} gemp_forecast;

/* Collective, and equal on all ranks. The match was prepared to run, and not as an estimate. */
gemp_forecast gemp_match_forecast(const gemp_match *match);

#endif
