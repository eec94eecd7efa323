/* dense: rounds in which every row gathers from all of its sources; what PageRank and SpMV have in common.
 *
 * With several ranks a round is two launches: over edges of own sources, whose sums are kept (partial[own]) while values of
 * ghosts travel, and over edges of ghosts, which adds the partial sums and applies them. On a grid of ranks with several columns
 * (analytics/layout/layout.h) it is four: own sources; other ranks' rows, whose sums (other[in_other.rows]) travel then;
 * ghosts; and sums that have come, which are applied.
 *
 * value[2] alternate: a round reads value[round % 2] and writes the other one.
 */

#ifndef GEMP_ANALYTICS_DENSE_DENSE_H
#define GEMP_ANALYTICS_DENSE_DENSE_H

#include "analytics/dense/gather.h"
#include "analytics/halo/halo.h"
#include "gemp/types.h"
#include "primitive/toolbox.h"

typedef struct gemp_dense_options {
	bool fp64; /* values are double, else float */
	gemp_gather gather;
	gemp_form form;              /* AUTO, GROUPS or ITEMS */
	gemp_dense_pull_shape shape; /* {0}: the device's */
} gemp_dense_options;

/* Of one run. */
typedef struct gemp_dense_report {
	uint32_t rounds;
	double build, prepare; /* seconds that programs took to be built or loaded, and all else before the first run */
	double wall;           /* seconds of the run without reading the result */
	double own, ghost;     /* seconds of launches by the device's clock: over own sources; over all else */
	double halo,
		agree; /* seconds that the host packed and unpacked, and that the exchange and agreement took from there on */
	uint64_t bytes;       /* of a round on this rank, at least: edges, and each value once */
	gemp_traffic traffic; /* of all rounds, sent by this rank */
	uint64_t sum_bytes;   /* of these the bytes of sums */
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
	bool groups;               /* the form */
	size_t real;               /* bytes of a value */
	gemp_device_layout rows;
	gemp_gather gather; /* PULL or BINNED */
	int part_count;     /* own sources; ghosts, of several ranks; others' rows and sums, of several columns */
	gemp_dense_pull pull[GEMP_DENSE_PARTS];
	gemp_dense_binned binned[GEMP_DENSE_PARTS]; /* with BINNED; `pull` then has hubs alone */
	gemp_buffer value[2];                       /* [gemp_layout_values] before a round and after it */
	gemp_buffer partial, other;                 /* [own] sums of a part of the edges; of others' rows */
	gemp_program program;
	cl_kernel kernels[3];                   /* of the application: pull, and with BINNED gather and finish */
	gemp_halo *halo;                        /* of several ranks */
	gemp_comm row;                          /* ranks of this row; size 0: there is one column */
	gemp_halo *sum_halo;                    /* between them */
	gemp_timings timings[GEMP_DENSE_PARTS]; /* of launches */
	gemp_traffic before, sums_before;       /* of the exchanges, when the run began */
	gemp_pinned fetched;                    /* what the host reads beside launches */
	cl_event fetching;                      /* NULL: nothing is on its way */
	gemp_dense_report report;
} gemp_dense;

/* Local. name: of the application, whose kernels NAME_pull, NAME_gather and NAME_finish are in gas_NAME.cl; defines: more
 * options, each with a space in front. */
gemp_code gemp_dense_new(gemp_dense *out, const gemp_layout *layout, gemp_device *device, const char *name,
                         const char *defines, const gemp_dense_options *options);
void gemp_dense_free(gemp_dense *dense);

/* Collective. What several ranks need to send each other values; nothing for one. */
gemp_code gemp_dense_connect(gemp_dense *dense);

/* Before the launches of a run. */
gemp_code gemp_dense_begin(gemp_dense *dense);

/* The launches over a part of the edges; more: the application's arguments. Does not wait. */
gemp_code gemp_dense_gather(gemp_dense *dense, gemp_dense_part part, int from, cl_uint how, const gemp_argument *more,
                            size_t count);

/* Of several ranks: size bytes of a buffer that the last launches have written, for the host, which goes on; then it waits, and
 * has them until the next ones. At most GEMP_DENSE_FETCH bytes. */
enum { GEMP_DENSE_FETCH = 1024 };
gemp_code gemp_dense_fetch(gemp_dense *dense, const gemp_buffer *from, size_t at, size_t size);
gemp_code gemp_dense_fetched(gemp_dense *dense, const void **out);

/* What an application does in the rounds of several ranks. In a round values of ghosts travel while edges of own sources are
 * gone through; the numbers of the round before, of which depends whether it is the last, travel with them, so that a round
 * may be begun in vain. */
enum { GEMP_DENSE_NUMBERS = 2 };
typedef struct gemp_dense_rounds {
	void *self;
	uint32_t rounds; /* at most */
	int numbers;     /* that the ranks agree on, at most GEMP_DENSE_NUMBERS */
	bool max;        /* on the largest of all ranks, else on the sum modulo 2^64 */
	/* Launches over a part of the edges, from the values of side round % 2 to the other side. Does not wait. */
	gemp_code (*launch)(void *self, gemp_dense_part part, uint32_t round, cl_uint how);
	/* Begins to fetch the numbers that `round` rounds have left (gemp_dense_fetch); then they are read: this rank's. */
	gemp_code (*fetch)(void *self, uint32_t round);
	gemp_code (*read)(void *self, uint32_t round, uint64_t *numbers);
	/* Takes those of all ranks. True: no further round. */
	bool (*agreed)(void *self, uint32_t round, const uint64_t *numbers);
} gemp_dense_rounds;

/* Collective; code: of this rank so far. A failure of any rank ends the rounds of all. */
gemp_code gemp_dense_run_ranks(gemp_dense *dense, const gemp_dense_rounds *app, gemp_code code);

/* Waits for all launches; the seconds of the run that ends go into the report. */
gemp_code gemp_dense_end(gemp_dense *dense);

/* Between doubles of the host and the device's numbers of `real` bytes. */
gemp_code gemp_dense_write(gemp_dense *dense, const gemp_buffer *to, const double *values, size_t count);
gemp_code gemp_dense_read(gemp_dense *dense, const gemp_buffer *from, double *values, size_t count);

/* A number of the kernels' precision as argument. */
typedef struct gemp_dense_number {
	float narrow;
	double wide;
} gemp_dense_number;
gemp_argument gemp_dense_argument(const gemp_dense *dense, gemp_dense_number *room, double value);

#endif
