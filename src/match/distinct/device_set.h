/* device_set: a set of classes of embeddings in the memory of a device, which drops rows of known classes before the
 * host reads them (kernels/match/device_set.clh).
 *
 * After a launch that listed matches, the filter makes the packed form of each row by the steps of packed_form.h, adds
 * it to the set, and compacts the rows whose form was not in the set. A row is dropped only if its class was passed on
 * before, so the answer does not depend on the set: some rows of a known class may pass, above all when the set is
 * full, and match/distinct/distinct removes them. The set must be cleared where the host forgets rows, at the begin of
 * each pass. Local.
 *
 * The environment variable GEMP_DEVICE_SET serves tests and measurements: "on" gives CPU devices a set, too, and "off"
 * gives no device one. */

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
	gemp_buffer count;      /* the number of these rows */
	uint64_t dropped;       /* rows dropped so far */
	double seconds;         /* of the kernel so far */
} gemp_device_set;

/* Makes an empty set for result buffers of `rows` rows. `expected` is about the number of classes; 0: it is unknown.
 * *out becomes NULL if the device cannot have a set: it has no atomic operations on 64 bits, or too little memory. */
gemp_code gemp_device_set_new(gemp_device_set **out, gemp_device *device, const gemp_packed_form *form, double expected,
                              size_t rows);
void gemp_device_set_free(gemp_device_set *set);
GEMP_RELEASE(gemp_device_set_free, gemp_device_set *)
gemp_code gemp_device_set_clear(gemp_device_set *set);
/* Leaves only rows of new classes in the buffer. *rows becomes their number. */
gemp_code gemp_device_set_filter(gemp_device_set *set, const gemp_buffer *buffer, size_t *rows);

#endif
