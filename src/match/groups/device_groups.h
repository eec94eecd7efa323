/* device_groups: groups of the rows of matches in the memory of a device. After a launch that listed matches, a kernel
 * makes records of the rows (kernels/match/row_records.clh), and the table of groups takes them
 * (primitive/group_table.h), so that no row reaches the host. In a second search rows are looked up in this table, and
 * the rows of groups with enough rows reach the host. Local.
 *
 * The environment variable GEMP_DEVICE_GROUPS serves tests and measurements: "on" lets CPU devices group rows, too, and
 * "off" lets no device do so. */

#ifndef GEMP_MATCH_GROUPS_DEVICE_GROUPS_H
#define GEMP_MATCH_GROUPS_DEVICE_GROUPS_H

#include "match/groups/group_key.h"
#include "primitive/group_table.h"

typedef struct gemp_device_groups gemp_device_groups;

/* Is called for groups that find no place in the table. records[count][2] are keys and numbers of rows. */
typedef gemp_code gemp_groups_lost(void *self, const uint64_t *records, size_t count);

struct gemp_device_groups {
	gemp_device *device;       /* borrowed */
	const gemp_group_key *key; /* borrowed */
	gemp_toolbox *box;
	gemp_group_table *table;
	gemp_program program;
	cl_kernel kernel, filter;
	gemp_buffer classes[GEMP_MAX_PATTERN_VERTICES]; /* [digit] the classes of the vertices, by id, or {0} */
	gemp_buffer records;                            /* of a launch, or from the host */
	gemp_buffer kept;                               /* the rows of a launch that pass */
	bool filters;      /* the table is complete, and rows of later launches are looked up in it */
	uint64_t min_rows; /* rows pass whose group has so many rows; 0: all rows pass */
	gemp_buffer count;
	uint64_t rows; /* that were added */
	gemp_groups_lost *lost;
	void *self;
};

/* True if the device shall group rows of so many vertices, of launches with so many rows: it has atomic operations
 * on 64 bits and memory for records, and is a GPU, or the limit device_group_slots is set. */
bool gemp_device_groups_suit(const gemp_device *device, size_t vertices, size_t rows);
/* Makes an empty table. `vertices` is the number of vertices of the graph, and `expected` about that of rows. key and
 * self are borrowed. */
gemp_code gemp_device_groups_new(gemp_device_groups **out, gemp_device *device, const gemp_group_key *key,
                                 uint64_t vertices, double expected, gemp_groups_lost *lost, void *self);
void gemp_device_groups_free(gemp_device_groups *groups);
GEMP_RELEASE(gemp_device_groups_free, gemp_device_groups *)

/* Leaves only the rows of a result buffer that pass, at its begin. *rows becomes their number. */
gemp_code gemp_device_groups_filter(gemp_device_groups *groups, const gemp_buffer *ids, size_t *rows);
/* Adds the first `rows` rows of a result buffer on the device. */
gemp_code gemp_device_groups_add(gemp_device_groups *groups, const gemp_buffer *ids, size_t rows);
/* Adds records[count][2] of the host, which stand for `rows` rows of matches. */
gemp_code gemp_device_groups_add_records(gemp_device_groups *groups, const uint64_t *records, size_t count,
                                         uint64_t rows);
/* Passes the groups in table->left[0] to `lost`; a gemp_group_lost. */
gemp_code gemp_device_groups_lose(void *groups, size_t count);
/* Copies the groups with at least min_rows rows of some slots from *slot on to records[*count][2], which the caller
 * frees, as for gemp_group_table_take. */
gemp_code gemp_device_groups_read(gemp_device_groups *groups, size_t *slot, uint64_t min_rows, uint64_t **records,
                                  size_t *count);

#endif
