/* train: epochs of a self-organising map (Kohonen 1982) on the devices of all ranks; docs/som.md says what they compute.
 *
 * Every rank has samples of its own and the whole codebook. The sums of an epoch (batch) or its affine maps (online) are combined
 * over all ranks. Where samples are few beside units, each rank has replicas of all samples (som/train/rank_exchange.h): then only
 * best units are gathered, and each rank adds up all sums, or makes the affine maps of some rows.
 *
 * One rank alone enqueues epochs ahead of its device, a tenth of a second of them or one epoch, so that neither callbacks nor
 * qualities make the device wait.
 */

#ifndef GEMP_SOM_TRAIN_TRAIN_H
#define GEMP_SOM_TRAIN_TRAIN_H

#include "som/train/trainer.h"

typedef struct gemp_som_epoch {
	uint32_t epoch;
	double radius, rate;
	double quantisation, topographic; /* of all ranks' samples, by the codebook before the epoch; NAN: not asked */
} gemp_som_epoch;

/* What a training did. */
typedef struct gemp_som_report {
	gemp_som_epoch *epochs; /* [count] */
	uint32_t count;
	bool stopped;          /* by the callback */
	bool units;            /* ranks exchanged best units, not sums */
	double prepare, train; /* seconds */
} gemp_som_report;

/* Called on all ranks for each epoch in turn, once it is over on one rank, and soon after it was enqueued on several. *stop on
 * any of them ends the training: no more epochs are begun, but for one of several ranks, and those that were are heard of, too. A
 * failure of any is agreed on.
 *
 * book: NULL but after epochs that settle: then the codebook on the device (gemp_som_codebook_read) is as this epoch has left
 * it, ranks call at the same time, and *stop is heard of before another epoch begins. */
typedef gemp_code gemp_som_callback(void *context, const gemp_som_epoch *done, const gemp_som_codebook *book,
                                    bool *stop);

/* Of epoch `epoch`. */
double gemp_som_radius(const gemp_som_training *how, uint32_t epoch);
double gemp_som_rate(const gemp_som_training *how, uint32_t epoch);

/* GEMP_EUSAGE for what cannot be trained. */
gemp_code gemp_som_training_check(const gemp_som_training *how);

/* Collective. x: [count][dims], this rank's samples; NAN: missing. w: [units][dims], in and out, the same on all ranks. every,
 * report: NULL where not wanted; the report is freed with gemp_som_report_free. */
gemp_code gemp_som_train(const gemp_comm *comm, gemp_device *device, const gemp_som_training *how, const float *x,
                         size_t count, uint32_t dims, float *w, gemp_som_callback *every, void *context,
                         gemp_som_report *report);
void gemp_som_report_free(gemp_som_report *report);

#endif
