/* vector: loops that the compiler vectorises for the widest registers of the processor that runs them.
 *
 * A program is built for the oldest processor of its architecture. GEMP_VECTOR_LOOP compiles a loop three times on
 * x86-64 (AVX-512, AVX2, SSE2), and a call takes the widest version that the processor has. Other architectures have
 * one version. GCC's target_clones would do the same, but its resolvers run before the sanitizers are ready. */

#ifndef GEMP_CORE_VECTOR_H
#define GEMP_CORE_VECTOR_H

#include <stdbool.h>

/* GEMP_VECTOR_LOOP(f, (parameters), (arguments)) defines the static function f(parameters), which calls
 * f_loop(arguments). f_loop is declared before with GEMP_VECTOR_BODY and calls only inline functions. */
#define GEMP_VECTOR_BODY static inline __attribute__((always_inline))

/* True if calls take the version for registers of 512 bits. */
static inline bool gemp_vector_is_wide(void)
{
#if defined(__x86_64__)
	return __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
	       __builtin_cpu_supports("avx512bw");
#else
	return false;
#endif
}

#if defined(__x86_64__)
#define GEMP_VECTOR_LOOP(name, parameters, arguments)                                                            \
	__attribute__((                                                                                              \
		target("avx512f,avx512bw,avx512dq,avx512vl,prefer-vector-width=512"))) static void name##_512 parameters \
	{                                                                                                            \
		name##_loop arguments;                                                                                   \
	}                                                                                                            \
	__attribute__((target("avx2"))) static void name##_256 parameters                                            \
	{                                                                                                            \
		name##_loop arguments;                                                                                   \
	}                                                                                                            \
	static void name parameters                                                                                  \
	{                                                                                                            \
		if (gemp_vector_is_wide())                                                                               \
			name##_512 arguments;                                                                                \
		else if (__builtin_cpu_supports("avx2"))                                                                 \
			name##_256 arguments;                                                                                \
		else                                                                                                     \
			name##_loop arguments;                                                                               \
	}
#else
#define GEMP_VECTOR_LOOP(name, parameters, arguments) \
	static void name parameters                       \
	{                                                 \
		name##_loop arguments;                        \
	}
#endif

#endif
