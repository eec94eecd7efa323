/* group_table_abi: the words of a record, and the bins in which numbers of rows are counted, for the kernels of
 * group_table.cl and the host (src/primitive/group_table.c).
 *
 * A number below 32 has a bin of its own. Above, the numbers between two powers of two have 32 bins of equal width, so
 * a bin is at most a 32nd of its numbers wide. */
#ifndef GEMP_KERNELS_GROUP_TABLE_ABI_H
#define GEMP_KERNELS_GROUP_TABLE_ABI_H

enum gemp_group_word { GEMP_GROUP_KEY, GEMP_GROUP_ROWS, GEMP_GROUP_VALUES };

/* Words of the buffer of figures. */
enum gemp_group_figure {
	GEMP_GROUP_LISTED, /* records that a kernel has written to its output */
	GEMP_GROUP_ADDED,  /* new groups */
	GEMP_GROUP_FIGURES
};

enum { GEMP_GROUP_BINS = 2048 };

#endif
