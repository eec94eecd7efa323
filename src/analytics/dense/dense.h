/* dense: the common part of PageRank and SpMV: rounds in which every row gathers from all of its sources.
 *
 * With several ranks a round is two launches: over edges of own sources, whose sums are kept (partial[own]) while
 * values of ghosts travel, and over edges of ghosts, which adds the partial sums and applies them. On a grid of ranks
 * with several columns (analytics/layout/layout.h) a round is four launches: own sources; other ranks' rows, whose sums
 * (other[in_other.rows]) travel then; ghosts; and received sums, which are applied.
 *
 * value[2] alternate: a round reads value[round % 2] and writes the other one.
 */

#ifndef GEMP_ANALYTICS_DENSE_DENSE_H
#define GEMP_ANALYTICS_DENSE_DENSE_H

#include "analytics/dense/binned.h"
#include "analytics/halo/halo.h"
#include "gemp/types.h"
#include "primitive/toolbox.h"

typedef struct gemp_dense_options {
	bool fp64; /* values are double, else float */
	gemp_gather gather;
	gemp_form form;              /* AUTO, GROUPS or ITEMS */
	gemp_dense_pull_shape shape; /* {0}: the device's */
} gemp_dense_options;

/* The cost of one run. */
typedef struct gemp_dense_report {
	uint32_t rounds;
	double build, prepare; /* seconds to build or load programs, and seconds of everything else before the first run */
	double wall;           /* seconds of the run without reading the result */
	double own, ghost;     /* seconds of launches by the device's clock: over own sources; over everything else */
	double halo;           /* seconds in which the host packed and unpacked messages */
	double agree;          /* seconds of the exchange of messages and the agreement, after packing */
	uint64_t bytes;        /* lower bound of what a round reads and writes on this rank: edges, and each value once */
	gemp_traffic traffic;  /* of all rounds, sent by this rank */
	uint64_t sum_bytes;    /* the part of traffic.bytes that is sums */
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
	int part_count; /* one rank: own sources; several ranks: and ghosts; several columns: and others' rows and sums */
	gemp_dense_pull pull[GEMP_DENSE_PARTS];
	gemp_dense_binned binned[GEMP_DENSE_PARTS]; /* with BINNED; `pull` then has hubs alone */
	gemp_buffer value[2];                       /* [gemp_layout_values] before a round and after it */
	gemp_buffer partial;                        /* [own] sums over a part of the edges, of several ranks */
	gemp_buffer other;                          /* [in_other.rows] sums of others' rows */
	gemp_program program;
	cl_kernel kernels[3];                   /* of the application: pull, and with BINNED gather and finish */
	gemp_halo *halo;                        /* of the values; NULL on one rank */
	gemp_comm row;                          /* ranks of this row of the grid; size 0: there is one column */
	gemp_halo *sum_halo;                    /* of the sums, between the ranks of the row; NULL: there is one column */
	gemp_timings timings[GEMP_DENSE_PARTS]; /* of launches */
	gemp_traffic before, sums_before;       /* of the exchanges, when the run began */
	gemp_pinned fetched;                    /* [GEMP_DENSE_FETCH] bytes that the host reads while kernels run */
	cl_event fetching;                      /* the transfer to it; NULL: there is none */
	gemp_dense_report report;
} gemp_dense;

/* Local. name: the application, whose kernels NAME_pull, NAME_gather and NAME_finish are in gas_NAME.cl; defines: more
 * compiler options, each with a space in front. */
gemp_code gemp_dense_new(gemp_dense *out, const gemp_layout *layout, gemp_device *device, const char *name,
                         const char *defines, const gemp_dense_options *options);
void gemp_dense_free(gemp_dense *dense);

/* Collective. Makes the exchanges by which several ranks send each other values. code: what gemp_dense_new and the
 * caller's steps after it have returned on this rank; a failure of any rank is a failure of all. */
gemp_code gemp_dense_connect(gemp_dense *dense, const gemp_comm *comm, gemp_code code);

/* Local. Begins a run: clears its report and the tickets. */
gemp_code gemp_dense_begin(gemp_dense *dense);

/* Local. Launches over a part of the edges; more: the application's arguments. Does not wait. */
gemp_code gemp_dense_gather(gemp_dense *dense, gemp_dense_part part, int from, cl_uint how, const gemp_argument *more,
                            size_t count);

/* Begins to read `size` bytes, at most GEMP_DENSE_FETCH, of a buffer that the last launches have written;
 * gemp_dense_fetched waits for them. *out is valid until the next fetch. For several ranks. */
enum { GEMP_DENSE_FETCH = 1024 };
gemp_code gemp_dense_fetch(gemp_dense *dense, const gemp_buffer *from, size_t at, size_t size);
gemp_code gemp_dense_fetched(gemp_dense *dense, const void **out);

/* The part of an application in the rounds of several ranks. In a round values of ghosts travel while kernels gather
 * over edges of own sources. The numbers of the round before, which say whether it was the last one, travel with the
 * values, so a round may be begun in vain. */
enum { GEMP_DENSE_NUMBERS = 2 };
typedef struct gemp_dense_rounds {
	void *self;
	uint32_t rounds; /* the maximum */
	int numbers;     /* how many numbers the ranks agree on, at most GEMP_DENSE_NUMBERS */
	bool max;        /* they agree on the maxima, else on the sums modulo 2^64 */
	/* Launches over a part of the edges, from the values of side round % 2 to the other side. Does not wait. */
	gemp_code (*launch)(void *self, gemp_dense_part part, uint32_t round, cl_uint how);
	/* Begins to fetch this rank's numbers after `round` rounds (gemp_dense_fetch); `read` then reads them. */
	gemp_code (*fetch)(void *self, uint32_t round);
	gemp_code (*read)(void *self, uint32_t round, uint64_t *numbers);
	/* Takes the numbers of all ranks. True: there is no further round. */
	bool (*agreed)(void *self, uint32_t round, const uint64_t *numbers);
} gemp_dense_rounds;

/* Collective. code: what this rank's steps before have returned. A failure of any rank ends the rounds of all. */
gemp_code gemp_dense_run_ranks(gemp_dense *dense, const gemp_dense_rounds *app, gemp_code code);

/* Local. Ends a run: waits for all launches; their seconds and the traffic go into the report. */
gemp_code gemp_dense_end(gemp_dense *dense);

/* Copies between doubles of the host and the device's numbers of `real` bytes. */
gemp_code gemp_dense_write(gemp_dense *dense, const gemp_buffer *to, const double *values, size_t count);
gemp_code gemp_dense_read(gemp_dense *dense, const gemp_buffer *from, double *values, size_t count);

/* A kernel argument of the kernels' precision; *number holds it until the launch. */
typedef struct gemp_dense_number {
	float narrow;
	double wide;
} gemp_dense_number;
gemp_argument gemp_dense_argument(const gemp_dense *dense, gemp_dense_number *number, double value);

#endif
