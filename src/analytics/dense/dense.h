/* dense: the common part of PageRank and SpMV. In each round every row gathers values from all of its sources.
 *
 * With several ranks a round is two launches. The first runs over edges of own sources, and its sums are kept
 * (partial[own]) while the values of ghosts travel. The second runs over edges of ghosts, adds the partial sums and
 * applies them. On a grid of ranks with several columns (analytics/layout/layout.h) a round is four launches: over own
 * sources; over other ranks' rows, whose sums (other[in_other.rows]) are then sent; over ghosts; and over received
 * sums, which are applied.
 *
 * A round reads value[round % 2] and writes the other element of value[2]. */

#ifndef GEMP_ANALYTICS_DENSE_DENSE_H
#define GEMP_ANALYTICS_DENSE_DENSE_H

#include "analytics/dense/binned.h"
#include "analytics/halo/halo.h"
#include "gemp/types.h"
#include "primitive/toolbox.h"

typedef struct gemp_dense_options {
	bool fp64; /* true: values are double; false: float */
	gemp_gather gather;
	gemp_form form;              /* AUTO, GROUPS or ITEMS */
	gemp_dense_pull_shape shape; /* {0}: the device's default */
} gemp_dense_options;

/* The cost of one run. */
typedef struct gemp_dense_report {
	uint32_t rounds;
	double build, prepare; /* seconds to build or load programs, and seconds of all other steps before the first run */
	double wall;           /* seconds of the run without reading the result */
	double own, ghost;     /* seconds of launches over own sources, and of all other launches, by the device's clock */
	double halo;           /* seconds in which the host packed and unpacked messages, and exchanged sums */
	double agree;          /* seconds in which ranks exchanged values and agreed on numbers, after packing */
	/* lower bound of the bytes that a round reads and writes on this rank: edges, and each value once */
	uint64_t bytes;
	gemp_traffic traffic; /* traffic of all rounds, sent by this rank */
	uint64_t sum_bytes;   /* the part of traffic.bytes that sums take */
} gemp_dense_report;

typedef enum gemp_dense_part {
	GEMP_DENSE_OWN,
	GEMP_DENSE_GHOST,
	GEMP_DENSE_OTHER,
	GEMP_DENSE_SUMS,
	GEMP_DENSE_PARTS
} gemp_dense_part;

typedef struct gemp_dense {
	const gemp_layout *layout; /* borrowed */
	gemp_device *device;       /* borrowed */
	bool groups;               /* the form of kernels for GPUs */
	size_t real;               /* bytes of a value */
	gemp_device_layout rows;
	gemp_gather gather; /* PULL or BINNED */
	/* one rank: 1 (own sources); several ranks: 2 (with ghosts); several columns: 4 (with other ranks' rows, and
	 * sums) */
	int part_count;
	gemp_dense_pull pull[GEMP_DENSE_PARTS];
	gemp_dense_binned binned[GEMP_DENSE_PARTS]; /* with BINNED; `pull` then processes hubs only */
	gemp_buffer value[2];                       /* [gemp_layout_values] values before and after a round */
	gemp_buffer partial;                        /* [own] with several ranks: sums over a part of the edges */
	gemp_buffer other;                          /* [in_other.rows] sums of other ranks' rows */
	gemp_program program;
	cl_kernel kernels[3]; /* the application's kernels: pull, and with BINNED gather and finish */
	gemp_halo *halo;      /* exchange of values; NULL on one rank */
	gemp_comm row;        /* the ranks of this row of the grid; size 0: the grid has one column */
	/* exchange of sums between the ranks of the row; NULL: the grid has one column */
	gemp_halo *sum_halo;
	gemp_timings timings[GEMP_DENSE_PARTS]; /* times of launches over each part */
	gemp_traffic before, sums_before;       /* traffic of the exchanges when the run began */
	gemp_pinned fetched;                    /* [GEMP_DENSE_FETCH] bytes that the host reads while kernels run */
	cl_event fetching;                      /* the transfer to `fetched`; NULL: no transfer */
	gemp_dense_report report;
} gemp_dense;

/* Local. name: the application. The file gas_NAME.cl has its kernels NAME_pull, NAME_gather and NAME_finish. defines:
 * more compiler options, each with a space in front. */
gemp_code gemp_dense_new(gemp_dense *out, const gemp_layout *layout, gemp_device *device, const char *name,
                         const char *defines, const gemp_dense_options *options);
void gemp_dense_free(gemp_dense *dense);

/* Collective. Makes the exchanges by which ranks send each other values. code: the code of gemp_dense_new and of the
 * caller's later steps on this rank. If any rank has failed, all ranks return a failure. */
gemp_code gemp_dense_connect(gemp_dense *dense, const gemp_comm *comm, gemp_code code);

/* Local. Begins a run: clears its report and the tickets. */
gemp_code gemp_dense_begin(gemp_dense *dense);

/* Local. Launches the kernels over a part of the edges, without waiting. more: the application's arguments. */
gemp_code gemp_dense_gather(gemp_dense *dense, gemp_dense_part part, int from, cl_uint how, const gemp_argument *more,
                            size_t count);

/* For several ranks. gemp_dense_fetch begins to read `size` bytes, at most GEMP_DENSE_FETCH, from a buffer that the
 * last launches have written. gemp_dense_fetched waits for these bytes; *out is valid until the next fetch. */
enum { GEMP_DENSE_FETCH = 1024 };
gemp_code gemp_dense_fetch(gemp_dense *dense, const gemp_buffer *from, size_t at, size_t size);
gemp_code gemp_dense_fetched(gemp_dense *dense, const void **out);

/* The functions by which an application takes part in the rounds of several ranks. In a round values of ghosts travel
 * while kernels gather over edges of own sources. The numbers of the previous round travel with the values, and these
 * numbers decide whether the previous round was the last one. So a round may be begun in vain. */
enum { GEMP_DENSE_NUMBERS = 2 };
typedef struct gemp_dense_rounds {
	void *self;
	uint32_t rounds; /* maximum number of rounds */
	int numbers;     /* how many numbers the ranks exchange, at most GEMP_DENSE_NUMBERS */
	bool max;        /* true: the ranks agree on the maxima of the numbers; false: on the sums, modulo 2^64 */
	/* Launches the kernels over a part of the edges, from value[round % 2] to the other values. Does not wait. */
	gemp_code (*launch)(void *self, gemp_dense_part part, uint32_t round, cl_uint how);
	/* Begins to fetch this rank's numbers after `round` rounds (gemp_dense_fetch). `read` waits for them and returns
	 * them. */
	gemp_code (*fetch)(void *self, uint32_t round);
	gemp_code (*read)(void *self, uint32_t round, uint64_t *numbers);
	/* Takes the numbers of all ranks. Returns true if the iteration has ended. */
	bool (*agreed)(void *self, uint32_t round, const uint64_t *numbers);
} gemp_dense_rounds;

/* Collective. code: the code of this rank's previous steps. A failure of any rank ends the rounds of all ranks. */
gemp_code gemp_dense_run_ranks(gemp_dense *dense, const gemp_dense_rounds *app, gemp_code code);

/* Local. Ends a run: waits for all launches, and adds their times and the traffic to the report. */
gemp_code gemp_dense_end(gemp_dense *dense);

/* Copy doubles of the host to the device's numbers of `real` bytes, and back. */
gemp_code gemp_dense_write(gemp_dense *dense, const gemp_buffer *to, const double *values, size_t count);
gemp_code gemp_dense_read(gemp_dense *dense, const gemp_buffer *from, double *values, size_t count);

/* A number as a kernel argument in the kernels' precision. *number must live until the launch. */
typedef struct gemp_dense_number {
	float narrow;
	double wide;
} gemp_dense_number;
gemp_argument gemp_dense_argument(const gemp_dense *dense, gemp_dense_number *number, double value);

#endif
