/* som_shade: the colours of units, and what a legend says of them. */
#ifndef GEMP_COMMAND_SOM_SHADE_H
#define GEMP_COMMAND_SOM_SHADE_H

#include "command/canvas.h"
#include "command/som_picture.h"

/* From which value to which the colours go. */
typedef struct gemp_som_range {
	double least[3], most[3]; /* of colours one for each of red, green and blue, else the first */
} gemp_som_range;

/* Of counts the least is at least 1. Colours go from 0 to 1 if all three values do, or from 0 to 255, else each value
 * from its least to its greatest. */
gemp_som_range gemp_som_range_of(const gemp_som_panel *panel, uint32_t units);

gemp_colour gemp_som_colour(const gemp_som_panel *panel, const gemp_som_range *range, uint32_t unit);
/* Of a bar: at this share of its width; of colours the bar of red (0), green or blue. */
gemp_colour gemp_som_bar_colour(const gemp_som_panel *panel, int bar, double share);

#endif
