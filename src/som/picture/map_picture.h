/* map_picture: draws a map as SVG or PNG. A picture has panels. A panel has a title, all units of the map in their
 * places, coloured by a value, and a legend. Panels are arranged to make the picture about 1.5 times as wide as
 * high. */

#ifndef GEMP_SOM_PICTURE_MAP_PICTURE_H
#define GEMP_SOM_PICTURE_MAP_PICTURE_H

#include "som/map/units.h"

#include <stddef.h>

typedef enum gemp_som_shade {
	GEMP_SOM_SHADE_VALUES,  /* viridis, from the minimum to the maximum */
	GEMP_SOM_SHADE_COUNTS,  /* viridis from 1 on; 0 is grey */
	GEMP_SOM_SHADE_COLOURS, /* three values of a unit are its red, green and blue */
} gemp_som_shade;

/* The label of a unit. */
typedef struct gemp_som_label {
	char text[32]; /* empty if the unit has no label */
	size_t others; /* number of the unit's vectors that have another name */
} gemp_som_label;

typedef struct gemp_som_panel {
	const char *title; /* borrowed, like the other pointers of a panel */
	gemp_som_shade shade;
	const double *values[3];      /* [units] each; only SHADE_COLOURS uses elements 1 and 2 */
	const gemp_som_label *labels; /* [units]; NULL if the panel has no labels */
} gemp_som_panel;

/* Local. The ending of path gives the format, .svg or .png. Returns GEMP_EUSAGE for another ending, for an SVG with too
 * many units, and for a picture with too long a side. gemp_som_picture_write does not repeat the check. */
gemp_code gemp_som_picture_check(const char *path, const gemp_som_grid *grid, const gemp_som_panel *panels,
                                 size_t count);
gemp_code gemp_som_picture_write(const char *path, const gemp_som_grid *grid, const gemp_som_panel *panels,
                                 size_t count);

#endif
