/* train: epochs of a self-organising map (Kohonen 1982) on the devices of all ranks; docs/som.md says what they
 * compute.
 *
 * Every rank has samples of its own and the whole codebook. The sums of an epoch (batch) or its affine maps (online)
 * are combined over all ranks. If there are few samples for each unit, each rank has replicas of all samples
 * (som/train/rank_exchange.h): then only best units are gathered, and each rank adds up all sums, or makes the affine
 * maps of some rows.
 *
 * If there is one rank, it enqueues epochs ahead of its device, a tenth of a second of them or one epoch: the device
 * then waits neither for callbacks nor for errors to be read.
 */

#ifndef GEMP_SOM_TRAIN_TRAIN_H
#define GEMP_SOM_TRAIN_TRAIN_H

#include "som/train/trainer.h"

typedef struct gemp_som_epoch {
	uint32_t epoch;
	double radius, rate;
	double quantisation,
		topographic; /* errors of all ranks' samples, by the codebook before the epoch; NAN: not wanted */
} gemp_som_epoch;

/* The course of a training. */
typedef struct gemp_som_report {
	gemp_som_epoch *epochs; /* [count] */
	uint32_t count;
	bool stopped;          /* by the callback */
	bool units;            /* ranks exchanged best units, not sums */
	double prepare, train; /* seconds */
} gemp_som_report;

/* Called on all ranks for each epoch in turn: if there is one rank, when the epoch has ended; with several, soon
 * after it was enqueued. If *stop is set on any rank the training ends: no epoch is begun afterwards, except that
 * several ranks begin one more, and the callback is called for every epoch that was begun. A failure on any rank
 * is a failure of all.
 *
 * book: after every snapshot_every epochs the codebook on the device (gemp_som_codebook_read) as this epoch has
 * left it: all ranks call at the same time, and *stop takes effect before another epoch begins. Otherwise NULL. */
typedef gemp_code gemp_som_callback(void *context, const gemp_som_epoch *done, const gemp_som_codebook *book,
                                    bool *stop);

/* The radius and the learning rate of an epoch. */
double gemp_som_radius(const gemp_som_training *how, uint32_t epoch);
double gemp_som_rate(const gemp_som_training *how, uint32_t epoch);

/* Local. GEMP_EUSAGE for settings with which no map can be trained. */
gemp_code gemp_som_training_check(const gemp_som_training *how);

/* Collective. x: [count][dims], this rank's samples; NAN: missing. w: [units][dims], the codebook before and after
 * the training, the same on all ranks. every and report may be NULL; the caller frees the report with
 * gemp_som_report_free. */
gemp_code gemp_som_train(const gemp_comm *comm, gemp_device *device, const gemp_som_training *how, const float *x,
                         size_t count, uint32_t dims, float *w, gemp_som_callback *every, void *context,
                         gemp_som_report *report);
void gemp_som_report_free(gemp_som_report *report);

#endif
