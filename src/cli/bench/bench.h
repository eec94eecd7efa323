/* bench: what the words behind `gemp-mpi bench` share. */

#ifndef GEMP_CLI_BENCH_BENCH_H
#define GEMP_CLI_BENCH_BENCH_H

#include "cli/report/report.h"
#include "query/query.h"

gemp_code gemp_bench_tune(gemp_report *report, gemp_comm *comm, const gemp_options *options);
gemp_code gemp_bench_shuffle(gemp_report *report, gemp_comm *comm, const gemp_options *options);

/* Collective. The device and budgets that the options choose. */
gemp_code gemp_bench_context(gemp_runtime **out, gemp_comm *comm, const gemp_options *options);
/* How `match --count` would search. */
gemp_prepared_options gemp_bench_how(const gemp_options *options);

#endif
