/* gemp/gemp.h: includes all headers of libgemp. */

#ifndef GEMP_GEMP_H
#define GEMP_GEMP_H

#include <gemp/analytics.h>
#include <gemp/assembly.h>
#include <gemp/bench.h>
#include <gemp/columns.h>
#include <gemp/context.h>
#include <gemp/euler.h>
#include <gemp/file.h>
#include <gemp/graph.h>
#include <gemp/index.h>
#include <gemp/log.h>
#include <gemp/primitives.h>
#include <gemp/query.h>
#include <gemp/report.h>
#include <gemp/rules.h>
#include <gemp/som.h>
#include <gemp/status.h>
#include <gemp/types.h>

#endif
