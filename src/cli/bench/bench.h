/* bench: what the words behind `gemp-mpi bench` share. */

#ifndef GEMP_CLI_BENCH_BENCH_H
#define GEMP_CLI_BENCH_BENCH_H

#include "api/report_state.h"
#include "cli/options/options.h"
#include "query/query.h"

gemp_code gemp_bench_tune(gemp_report *report, gemp_comm *comm, const gemp_options *options);
gemp_code gemp_bench_shuffle(gemp_report *report, gemp_comm *comm, const gemp_options *options);

/* How `match --count` would search. */
gemp_prepared_options gemp_bench_how(const gemp_options *options);

#endif
