/* som: what som train, som apply and som draw have in common. */

#ifndef GEMP_CLI_SOM_SOM_H
#define GEMP_CLI_SOM_SOM_H

#include "api/report_state.h"
#include "cli/options/options.h"

/* Collective. Each opens what it needs and adds to the report. */
gemp_code gemp_som_run_train(gemp_report *report, gemp_comm *comm, const gemp_options *options);
gemp_code gemp_som_run_apply(gemp_report *report, gemp_comm *comm, const gemp_options *options);
gemp_code gemp_som_run_draw(gemp_report *report, gemp_comm *comm, const gemp_options *options);

/* Of the errors, as a line and as fields. */
void gemp_som_report_errors(gemp_report *report, double quantisation, double topographic);

#endif
