# gemp_embed_kernels(TARGET) puts the text of the kernels and of the tuning files (configs/tuning) into TARGET.
function(gemp_embed_kernels target)
	set(folder ${PROJECT_SOURCE_DIR}/kernels)
	set(out ${PROJECT_BINARY_DIR}/generated/kernels_embedded.c)
	set(tuning ${PROJECT_SOURCE_DIR}/configs/tuning)
	file(GLOB_RECURSE files CONFIGURE_DEPENDS ${folder}/*.cl ${folder}/*.clh ${folder}/*.h ${tuning}/*.conf)
	add_custom_command(OUTPUT ${out}
		COMMAND ${CMAKE_COMMAND} -DFOLDER=${folder} -DTUNING=${tuning} -DOUT=${out}
			-P ${PROJECT_SOURCE_DIR}/cmake/EmbedKernels.cmake
		DEPENDS ${files} ${PROJECT_SOURCE_DIR}/cmake/EmbedKernels.cmake
		COMMENT "Embedding kernels" VERBATIM)
	# The arrays have the type char, but their bytes may be above 127.
	set_source_files_properties(${out} PROPERTIES COMPILE_OPTIONS "-Wno-conversion;-Wno-overflow;-Wno-sign-conversion")
	target_sources(${target} PRIVATE ${out})
endfunction()
