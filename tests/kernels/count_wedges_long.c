/* Runs every sum in every shape; pairs of paths have only the tuned shape. PoCL takes minutes to compile the
 * kernels. */
#define ALL_SHAPES true
#include "kernels/count_wedges.c"
