# gemp_room(NAME FOLDER [PUBLIC libs...] [PRIVATE libs...]): a room is a folder, and its library is every .c file there.
function(gemp_room name folder)
	cmake_parse_arguments(ROOM "" "" "PUBLIC;PRIVATE" ${ARGN})
	file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${folder}/*.c)
	add_library(gemp_${name} STATIC ${sources})
	target_include_directories(gemp_${name} PUBLIC ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR})
	target_link_libraries(gemp_${name} PUBLIC ${ROOM_PUBLIC} PRIVATE ${ROOM_PRIVATE} gemp_warnings)
endfunction()
