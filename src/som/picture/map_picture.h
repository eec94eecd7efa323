/* map_picture: a map as a picture, SVG or PNG: panels with all units in their places, each coloured by a value, with a title and a
 * legend. Panels are arranged so that the picture is about half as wide again as high.
 */

#ifndef GEMP_SOM_PICTURE_MAP_PICTURE_H
#define GEMP_SOM_PICTURE_MAP_PICTURE_H

#include "som/map/grid.h"

#include <stddef.h>

typedef enum gemp_som_shade {
	GEMP_SOM_SHADE_VALUES,  /* viridis, from the least to the greatest */
	GEMP_SOM_SHADE_COUNTS,  /* the same from 1 on; 0 is grey */
	GEMP_SOM_SHADE_COLOURS, /* three values are red, green and blue */
} gemp_som_shade;

/* Of a unit. */
typedef struct gemp_som_label {
	char text[32]; /* "": none */
	size_t others; /* vectors there with another name */
} gemp_som_label;

typedef struct gemp_som_panel {
	const char *title; /* borrowed, as all here */
	gemp_som_shade shade;
	const double *values[3];      /* [units]; the second and third of colours alone */
	const gemp_som_label *labels; /* [units]; NULL: none */
} gemp_som_panel;

/* Local. .svg or .png, by the ending; GEMP_EUSAGE for another one, and for an SVG of very many units. */
gemp_code gemp_som_picture_check(const char *path, const gemp_som_grid *grid, const gemp_som_panel *panels,
                                 size_t count);
gemp_code gemp_som_picture_write(const char *path, const gemp_som_grid *grid, const gemp_som_panel *panels,
                                 size_t count);

#endif
