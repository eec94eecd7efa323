/* train: epochs of a self-organising map (Kohonen 1982) on the devices of all ranks. docs/som.md says what an epoch
 * computes.
 *
 * Every rank has its own samples and the whole codebook. The ranks combine the sums (batch) or the affine maps (online)
 * of an epoch. With few samples for each unit, each rank has replicas of all samples (som/train/rank_exchange.h). Then
 * the ranks gather only best units, and each rank adds up all sums or makes the affine maps of some rows.
 *
 * A single rank enqueues up to a tenth of a second of epochs, at most GEMP_SOM_SLOTS, ahead of its device. The device
 * then waits neither for callbacks nor for the host to read errors. It does wait after the first epoch, at snapshots,
 * and after an epoch that takes longer than a tenth of a second. */

#ifndef GEMP_SOM_TRAIN_TRAIN_H
#define GEMP_SOM_TRAIN_TRAIN_H

#include "som/train/trainer.h"

typedef struct gemp_som_epoch {
	uint32_t epoch;
	double radius, rate;
	/* errors over all ranks' samples with the codebook before the epoch; NAN if not wanted */
	double quantisation, topographic;
} gemp_som_epoch;

/* The course of a training. */
typedef struct gemp_som_report {
	gemp_som_epoch *epochs; /* [count] */
	uint32_t count;
	bool stopped;          /* the callback has stopped the training */
	bool units;            /* ranks have exchanged best units, not sums */
	double prepare, train; /* seconds */
} gemp_som_report;

/* Called on all ranks for each epoch, in order. A single rank calls when the epoch has ended, and several ranks call
 * soon after the epoch was enqueued. If *stop is set on any rank, the training ends: a single rank begins no further
 * epoch, and several ranks begin one more. The callback is called for every epoch that has begun. If the callback fails
 * on any rank, the training fails on all ranks.
 *
 * book: the codebook after this epoch, on the device (gemp_som_codebook_read), if epoch + 1 is a multiple of
 * snapshot_every; otherwise NULL. All ranks make a call with a codebook at the same time, and *stop then takes effect
 * before another epoch begins. */
typedef gemp_code gemp_som_callback(void *context, const gemp_som_epoch *done, const gemp_som_codebook *book,
                                    bool *stop);

/* Return the radius and the learning rate of an epoch. */
double gemp_som_radius(const gemp_som_training *how, uint32_t epoch);
double gemp_som_rate(const gemp_som_training *how, uint32_t epoch);

/* Local. Returns GEMP_EUSAGE for settings with which no map can be trained. */
gemp_code gemp_som_training_check(const gemp_som_training *how);

/* Collective. x: [count][dims], this rank's samples; NAN for a missing value. w: [units][dims], the codebook before and
 * after the training, the same on all ranks. `every` and `report` may be NULL. The caller frees the report with
 * gemp_som_report_free. */
gemp_code gemp_som_train(const gemp_comm *comm, gemp_device *device, const gemp_som_training *how, const float *x,
                         size_t count, uint32_t dims, float *w, gemp_som_callback *every, void *context,
                         gemp_som_report *report);
void gemp_som_report_free(gemp_som_report *report);

#endif
