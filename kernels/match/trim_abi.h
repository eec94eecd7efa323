/* trim_abi: constants that trim.cl and the host share. */
#ifndef GEMP_KERNELS_TRIM_ABI_H
#define GEMP_KERNELS_TRIM_ABI_H

#define TRIM_CHUNK 256  /* rows that are placed by one worker */
#define TRIM_ANY (~0u)  /* no set: all slots */

#endif
