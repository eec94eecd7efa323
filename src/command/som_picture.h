/* som_picture: parts of a map's picture, each the units in their places, coloured by a value (viridis), with a title and a
 * legend of its values. */
#ifndef GEMP_COMMAND_SOM_PICTURE_H
#define GEMP_COMMAND_SOM_PICTURE_H

#include "som/grid.h"

#include <stddef.h>

typedef struct gemp_som_panel {
	const char *title;          /* borrowed, as all here */
	const double *values;       /* [units] */
	const char *const *labels;  /* [units], NULL: none of a unit; NULL: of no unit */
} gemp_som_panel;

/* Local. .svg or .png, by the ending; GEMP_EUSAGE for another one, and for an SVG of very many units. */
gemp_code gemp_som_picture_check(const char *path, const gemp_som_grid *grid, size_t panels);
gemp_code gemp_som_picture_write(const char *path, const gemp_som_grid *grid, const gemp_som_panel *panels, size_t count);

#endif
