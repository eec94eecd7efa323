# gemp_layer(NAME FOLDER [PUBLIC libs...] [PRIVATE libs...]) makes a static library of a layer. It contains every .c file in the
# folder and below it, and the code that flex and bison generate from syntax/lexer.l and the grammar (syntax/parser.y and
# syntax/parser_*.y).
function(gemp_layer name folder)
	cmake_parse_arguments(LAYER "" "" "PUBLIC;PRIVATE" ${ARGN})
	file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${folder}/*.c)
	if(EXISTS ${PROJECT_SOURCE_DIR}/${folder}/syntax/parser.y)
		gemp_grammar(${folder} grammar)
	endif()
	add_library(gemp_${name} STATIC ${sources} ${grammar})
	target_include_directories(gemp_${name} PUBLIC ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR})
	if(grammar)
		target_include_directories(gemp_${name} PRIVATE ${PROJECT_BINARY_DIR}/generated)
	endif()
	set_property(GLOBAL APPEND PROPERTY GEMP_LAYERS ${name})
	target_link_libraries(gemp_${name} PUBLIC ${LAYER_PUBLIC} PRIVATE ${LAYER_PRIVATE} gemp_warnings)
endfunction()

# gemp_grammar(FOLDER VARIABLE) generates LAYER/parser.[ch] and LAYER/lexer.[ch] in the folder `generated` of the build. They are
# included as "LAYER/parser.h" and "LAYER/lexer.h". VARIABLE becomes the list of the sources.
function(gemp_grammar folder variable)
	find_package(FLEX REQUIRED)
	find_package(BISON 3.4 REQUIRED)
	get_filename_component(layer ${folder} NAME)
	set(from ${PROJECT_SOURCE_DIR}/${folder}/syntax)
	set(to ${PROJECT_BINARY_DIR}/generated/${layer})
	file(MAKE_DIRECTORY ${to})
	file(GLOB parts CONFIGURE_DEPENDS ${from}/parser_*.y)
	add_custom_command(OUTPUT ${to}/parser.y DEPENDS ${from}/parser.y ${parts}
		COMMAND ${CMAKE_COMMAND} -E cat ${from}/parser.y ${parts} > ${to}/parser.y VERBATIM)
	bison_target(${layer}_parser ${to}/parser.y ${to}/parser.c DEFINES_FILE ${to}/parser.h COMPILE_FLAGS -Wall)
	flex_target(${layer}_lexer ${from}/lexer.l ${to}/lexer.c DEFINES_FILE ${to}/lexer.h)
	add_flex_bison_dependency(${layer}_lexer ${layer}_parser)
	# The generated code has implicit conversions, so their warnings are switched off.
	set_source_files_properties(${to}/parser.c ${to}/lexer.c PROPERTIES
		COMPILE_OPTIONS "-Wno-conversion;-Wno-sign-conversion;-Wno-unused-function;-Wno-unused-but-set-variable")
	set(${variable} ${to}/parser.c ${to}/lexer.c PARENT_SCOPE)
endfunction()
