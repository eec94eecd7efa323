/* frontier_tuples: tuples of a frontier's edges, put in the order of ranges of targets and gathered there: `--pass shuffle`. */
#ifndef GEMP_GAS_FRONTIER_TUPLES_H
#define GEMP_GAS_FRONTIER_TUPLES_H

#include "gas/frontier.h"
#include "shuffle/shuffle.h"

/* How values reach the targets of edges: straight away, by atomic operations, or by tuples. AUTO: straight. */
typedef enum gemp_gas_pass { GEMP_GAS_PASS_AUTO, GEMP_GAS_PASS_PUSH, GEMP_GAS_PASS_SHUFFLE } gemp_gas_pass;

typedef struct gemp_frontier_tuples {
	gemp_frontier *frontier; /* borrowed; NULL: not in use */
	gemp_toolbox *box;
	gemp_shuffle how;
	cl_uint ranges;
	size_t most;             /* tuples */
	gemp_buffer target, value, target_out, value_out, begin, extent;
} gemp_frontier_tuples;

/* Options of the program, GAS_SHUFFLE and GAS_RANGE, for values of this size. */
enum { GEMP_TUPLES_OPTIONS_SIZE = 48 };
void gemp_frontier_tuples_options(char options[GEMP_TUPLES_OPTIONS_SIZE], size_t value_size);

/* Local. To be freed also after a failure. GEMP_EUSAGE: this rank has too many edges or vertices. */
gemp_code gemp_frontier_tuples_new(gemp_frontier_tuples *out, gemp_frontier *frontier, size_t value_size);
void gemp_frontier_tuples_free(gemp_frontier_tuples *tuples);

/* GAS_TUPLES_PARAMETERS of kernels/gas_tuples.clh. */
enum { GEMP_TUPLES_ARGUMENT_COUNT = 3 };
#define GEMP_TUPLES_ARGUMENTS(tuples) \
	GEMP_ARG(&(tuples)->target.mem), GEMP_ARG(&(tuples)->value.mem), GEMP_ARG(&(tuples)->extent.mem)

/* Before the first launch of a round; does not wait. */
gemp_code gemp_frontier_tuples_clear(gemp_frontier_tuples *tuples);
/* After the last one: decode, and the kernel that gathers, whose arguments follow those of the tuples. */
gemp_code gemp_frontier_tuples_gather(gemp_frontier_tuples *tuples, int kernel, const gemp_argument *arguments, size_t count);

#endif
