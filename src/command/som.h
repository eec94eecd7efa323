/* som: what som train, som apply and som draw have in common. */
#ifndef GEMP_COMMAND_SOM_H
#define GEMP_COMMAND_SOM_H

#include "command/report.h"
#include "io/som_file.h"
#include "io/vectors.h"
#include "som/grid.h"
#include "som/search.h"

/* Collective. Each opens what it needs and adds to the report. */
gemp_code gemp_som_run_train(gemp_report *report, gemp_comm *comm, const gemp_options *options);
gemp_code gemp_som_run_apply(gemp_report *report, gemp_comm *comm, const gemp_options *options);
gemp_code gemp_som_run_draw(gemp_report *report, gemp_comm *comm, const gemp_options *options);

/* GEMP_EDATA if vectors of `place` have more numbers than a map may have. */
gemp_code gemp_som_check_dims(const char *place, uint32_t dims);
gemp_som_grid gemp_som_grid_of(const gemp_som_map *map);

/* Collective. Sets offset and factor of the map from all ranks' vectors, by map->scaling. */
gemp_code gemp_som_scale_find(gemp_som_map *map, const gemp_comm *comm, const gemp_vectors *vectors);
/* Collective. In place; missing values stay missing. GEMP_EDATA if a value is then too large for distances in floats. */
gemp_code gemp_som_scale_apply(const gemp_som_map *map, const gemp_comm *comm, const char *place, gemp_vectors *vectors);
/* In the units of the user's columns. */
double gemp_som_value(const gemp_som_map *map, uint32_t unit, uint32_t column);

/* Of the errors, as a line and as fields. */
void gemp_som_report_errors(gemp_report *report, double quantisation, double topographic);

#endif
