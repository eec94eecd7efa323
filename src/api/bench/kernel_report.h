/* kernel_report: the field `kernels` of bench shuffle and bench analytics, and a table of it. */

#ifndef GEMP_API_BENCH_KERNEL_REPORT_H
#define GEMP_API_BENCH_KERNEL_REPORT_H

#include "api/report.h"
#include "primitive/toolbox.h"

/* Local. Reports the resources of the kernels of the newest programs of a toolbox. A number that the driver does not
 * tell is null. On an NVIDIA GPU each program is compiled once more for its registers. */
gemp_code gemp_report_kernels(gemp_report *report, gemp_toolbox *box);

#endif
