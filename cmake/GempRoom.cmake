# gemp_room(NAME FOLDER [PUBLIC libs...] [PRIVATE libs...]): a room is a folder, and its library is every .c file there,
# and what flex and bison make of lexer.l and the grammar, parser.y and parser_*.y, where it has them.
function(gemp_room name folder)
	cmake_parse_arguments(ROOM "" "" "PUBLIC;PRIVATE" ${ARGN})
	file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${folder}/*.c)
	if(EXISTS ${PROJECT_SOURCE_DIR}/${folder}/parser.y)
		gemp_grammar(${folder} grammar)
	endif()
	if(NOT sources AND NOT grammar)
		file(WRITE ${PROJECT_BINARY_DIR}/empty.c "")
		set(sources ${PROJECT_BINARY_DIR}/empty.c)
	endif()
	add_library(gemp_${name} STATIC ${sources} ${grammar})
	target_include_directories(gemp_${name} PUBLIC ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR})
	if(grammar)
		target_include_directories(gemp_${name} PRIVATE ${PROJECT_BINARY_DIR}/generated)
	endif()
	target_link_libraries(gemp_${name} PUBLIC ${ROOM_PUBLIC} PRIVATE ${ROOM_PRIVATE} gemp_warnings)
endfunction()

# gemp_grammar(FOLDER VARIABLE): generated/ROOM/parser.[ch] and lexer.[ch] in the build folder, included as
# "ROOM/parser.h" and "ROOM/lexer.h"; the sources go to VARIABLE.
function(gemp_grammar folder variable)
	find_package(FLEX REQUIRED)
	find_package(BISON 3.4 REQUIRED)
	get_filename_component(room ${folder} NAME)
	set(from ${PROJECT_SOURCE_DIR}/${folder})
	set(to ${PROJECT_BINARY_DIR}/generated/${room})
	file(MAKE_DIRECTORY ${to})
	file(GLOB parts CONFIGURE_DEPENDS ${from}/parser_*.y)
	add_custom_command(OUTPUT ${to}/parser.y DEPENDS ${from}/parser.y ${parts}
		COMMAND ${CMAKE_COMMAND} -E cat ${from}/parser.y ${parts} > ${to}/parser.y VERBATIM)
	bison_target(${room}_parser ${to}/parser.y ${to}/parser.c DEFINES_FILE ${to}/parser.h COMPILE_FLAGS -Wall)
	flex_target(${room}_lexer ${from}/lexer.l ${to}/lexer.c DEFINES_FILE ${to}/lexer.h)
	add_flex_bison_dependency(${room}_lexer ${room}_parser)
	# Generated code is not held to -Wconversion.
	set_source_files_properties(${to}/parser.c ${to}/lexer.c PROPERTIES
		COMPILE_OPTIONS "-Wno-conversion;-Wno-sign-conversion;-Wno-unused-function;-Wno-unused-but-set-variable")
	set(${variable} ${to}/parser.c ${to}/lexer.c PARENT_SCOPE)
endfunction()
