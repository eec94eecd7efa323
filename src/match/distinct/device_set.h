/* device_set: a set of classes of embeddings in the memory of a device, which drops rows of known classes before the
 * host reads them (kernels/match/device_set.clh).
 *
 * After a launch that listed matches, the filter makes the packed form of each row by the steps of packed_form.h, adds
 * it to the set, and compacts the rows whose form was not in the set. A row is dropped only if its class was passed on
 * before, so the answer does not depend on the set: some rows of a known class may pass, above all when the set is
 * full, and match/distinct/distinct removes them. The set must be cleared where the host forgets rows, at the begin of
 * each pass. Local.
 *
 * A set that counts knows all classes of its rows, so no row passes: `counted` is the number of its classes. Rows that
 * find no slot end the counting. They pass, and so do all later rows of new classes; the host must then read the forms
 * of the set (gemp_device_set_forms) to know all classes.
 *
 * The environment variable GEMP_DEVICE_SET serves tests and measurements: "on" gives CPU devices a set, too, and "off"
 * gives no device one. "late" is like "on", but all rows that the set may know wait for a second launch, as if another
 * work-item were adding their classes. */

#ifndef GEMP_MATCH_DISTINCT_DEVICE_SET_H
#define GEMP_MATCH_DISTINCT_DEVICE_SET_H

#include "device/program.h"
#include "match/distinct/packed_form.h"

typedef struct gemp_device_set {
	gemp_device *device; /* borrowed */
	gemp_program program;
	cl_kernel kernel;
	size_t vertices, words; /* of a row; of a packed form */
	size_t slots;           /* a power of two */
	gemp_buffer table;      /* [slots][words] numbers of 64 bits */
	gemp_buffer kept;       /* [rows][vertices] the rows of a launch that pass */
	gemp_buffer counts;     /* [3] numbers of rows that pass, of new rows and of rows that wait */
	gemp_buffer waiting[2]; /* [rows] rows that wait, of this launch and of the one before; empty: never counts */
	bool counts_classes;    /* the set counts until it is full */
	bool counting;          /* since the set was cleared, all rows have found a slot */
	uint64_t counted;       /* classes that the set has added while it counted */
	double seconds;         /* of the kernel so far */
} gemp_device_set;

/* Makes an empty set for result buffers of `rows` rows. `expected` is about the number of classes; 0: it is unknown.
 * `counts`: the set counts.
 * *out becomes NULL if the device cannot have a set: it has no atomic operations on 64 bits, or too little memory. */
gemp_code gemp_device_set_new(gemp_device_set **out, gemp_device *device, const gemp_packed_form *form, double expected,
                              size_t rows, bool counts);
void gemp_device_set_free(gemp_device_set *set);
GEMP_RELEASE(gemp_device_set_free, gemp_device_set *)
gemp_code gemp_device_set_clear(gemp_device_set *set);
/* Leaves only rows that pass in the buffer. *rows becomes their number, and *added that of the classes which the set
 * has counted. */
gemp_code gemp_device_set_filter(gemp_device_set *set, const gemp_buffer *buffer, size_t *rows, size_t *added);
/* Copies the forms in the next slots to records[GEMP_DEVICE_SET_READ][words], and *count becomes their number. *slot is
 * the first slot, 0 at first, and advances to set->slots. */
enum { GEMP_DEVICE_SET_READ = 1 << 16 };
gemp_code gemp_device_set_forms(const gemp_device_set *set, size_t *slot, uint64_t *records, size_t *count);

#endif
