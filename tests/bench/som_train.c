/* som_train: measures whole epochs of training.
 *
 *     bench_som_train [VECTORS [DIMENSIONS [ROWS [COLUMNS [EPOCHS [ONLINE [NEIGHBOURHOOD [RADIUS [RADIUS_END
 *                     [MEMORY [QUALITY [LATTICE [EXCHANGE]]]]]]]]]]]]]
 *
 * Runs under any number of ranks, which share the vectors. ONLINE 0 is batch training and 1 online training.
 * NEIGHBOURHOOD 0 to 3 and LATTICE 0 or 1 are those of include/gemp/types.h. MEMORY is in MiB of the device, 0 for all
 * memory. With QUALITY 1 each epoch computes the errors. EXCHANGE 0 to 2 is that of src/som/train/trainer.h. Values are
 * random. Trains twice, and prints one line about the second training: seconds of the preparation, of all epochs, and
 * of one epoch. */
#include "comm/comm.h"
#include "core/memory.h"
#include "core/random.h"
#include "core/status.h"
#include "device/device.h"
#include "device/open.h"
#include "som/map/smooth.h"
#include "som/map/units.h"
#include "som/train/train.h"
#include "som/train/trainer.h"

#include <stdio.h>
#include <stdlib.h>

static double argument(int argc, char **argv, int at, double otherwise)
{
	return at < argc ? strtod(argv[at], NULL) : otherwise;
}

static gemp_code measure(const gemp_comm *comm, gemp_device *device, int argc, char **argv)
{
	gemp_code code = GEMP_OK;
	const size_t all = (size_t)argument(argc, argv, 1, 12000), ranks = (size_t)comm->size, rank = (size_t)comm->rank;
	const uint32_t dims = (uint32_t)argument(argc, argv, 2, 12);
	const gemp_som_training how = { .grid = { (uint32_t)argument(argc, argv, 3, 200),
		                                      (uint32_t)argument(argc, argv, 4, 200),
		                                      (gemp_som_lattice)argument(argc, argv, 12, 0), false },
		                            .epochs = (uint32_t)argument(argc, argv, 5, 10),
		                            .online = argument(argc, argv, 6, 0) > 0,
		                            .neighbourhood = (gemp_som_neighbourhood)argument(argc, argv, 7, 0),
		                            .radius = argument(argc, argv, 8, 100),
		                            .radius_end = argument(argc, argv, 9, 1),
		                            .rate = .1,
		                            .rate_end = .01,
		                            .quality = argument(argc, argv, 11, 0) > 0,
		                            .exchange = (gemp_som_exchange)argument(argc, argv, 13, 0) };
	const size_t begin = all * rank / ranks, count = all * (rank + 1) / ranks - begin;
	uint64_t random = 9 + rank, same = 4;
	float *x = NULL, *w = NULL;
	gemp_som_report report = { 0 };
	GEMP_TRY_DONE(GEMP_NEW(x, count * dims));
	GEMP_TRY_DONE(GEMP_NEW(w, (size_t)gemp_som_units(&how.grid) * dims));
	for (size_t k = 0; k < count * dims; k++)
		x[k] = (float)gemp_random_unit(&random);
	for (size_t k = 0; k < (size_t)gemp_som_units(&how.grid) * dims; k++)
		w[k] = (float)gemp_random_unit(&same);
	for (int turn = 0; turn < 2; turn++) { /* the first training compiles the kernels */
		gemp_som_report_free(&report);
		GEMP_TRY_DONE(gemp_som_train(comm, device, &how, x, count, dims, w, NULL, NULL, &report));
	}
	if (rank == 0)
		printf("%s, %d ranks%s: prepared %.3f s, %u epochs %.4f s, one %.6f s\n", device->name, comm->size,
		       report.units ? " (units)" : "", report.prepare, report.count, report.train, report.train / report.count);
done:
	gemp_som_report_free(&report);
	gemp_free(x);
	gemp_free(w);
	return code;
}

int main(int argc, char **argv)
{
	gemp_comm comm;
	gemp_device *device = NULL;
	MPI_Init(&argc, &argv);
	gemp_comm_new(&comm, MPI_COMM_WORLD);
	gemp_code code = gemp_device_open(&device, "auto", comm.node_rank, comm.node_size,
	                                  (size_t)argument(argc, argv, 10, 0) << 20);
	if (code == GEMP_OK)
		code = measure(&comm, device, argc, argv);
	if (code != GEMP_OK)
		fprintf(stderr, "%s\n", gemp_message());
	if (device)
		gemp_device_close(device);
	gemp_comm_free(&comm);
	MPI_Finalize();
	return code;
}
