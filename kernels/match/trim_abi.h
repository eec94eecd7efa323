/* trim_abi: constants that trim.cl and the host share. */
#ifndef GEMP_KERNELS_TRIM_ABI_H
#define GEMP_KERNELS_TRIM_ABI_H

#define TRIM_CHUNK 256  /* rows of a chunk, which one worker places */
#define TRIM_ANY (~0u)  /* stands for a set that contains all slots */

#endif
