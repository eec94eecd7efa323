/* rule_report: parts of the report of steps and rules. */

#ifndef GEMP_API_RULE_REPORT_H
#define GEMP_API_RULE_REPORT_H

#include "api/report.h"
#include "transform/transform.h"

/* Local. Sets the fields of an object for a step or a rule. */
void gemp_select_json(json_t *object, const gemp_select_report *select);
void gemp_effects_json(json_t *object, const gemp_effects *effects);
/* Collective. Reports where the steps of this job have resolved conflicts, and sets the field `exchange` to what the
 * ranks sent for that. */
void gemp_resolution_report(gemp_report *report, const gemp_select_report *sum);

#endif
