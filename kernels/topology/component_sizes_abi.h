/* component_sizes_abi: the figures of components that the host shares with the kernels that count them. */
#ifndef GEMP_KERNELS_COMPONENT_SIZES_ABI_H
#define GEMP_KERNELS_COMPONENT_SIZES_ABI_H

/* Places of the figures: first the numbers of components of 2^(k-1) to 2^k - 1 vertices, for k < COMPONENT_CLASSES. */
#define COMPONENT_CLASSES 34
#define COMPONENT_WITH_EDGES COMPONENT_CLASSES         /* number of components with an edge, even if it is a loop */
#define COMPONENT_LARGEST (COMPONENT_CLASSES + 1)      /* number of vertices of a largest component */
#define COMPONENT_LARGEST_ROW (COMPONENT_CLASSES + 2)  /* the smallest row that names a largest component */
#define COMPONENT_FIGURES (COMPONENT_CLASSES + 3)

#endif
