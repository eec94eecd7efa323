cmake_policy(VERSION 3.25)
# A script: cmake -DFOLDER=kernels -DTUNING=configs/tuning -DOUT=embedded.c -P EmbedKernels.cmake
# It writes a C table of every .cl, .clh and .h file in FOLDER and every .conf file in TUNING. TUNING may be left out. Each file
# becomes a byte array, since a C compiler need not accept string literals of more than 4,095 characters. src/device/program.h
# declares the table.
file(GLOB_RECURSE files ${FOLDER}/*.cl ${FOLDER}/*.clh ${FOLDER}/*.h)
if(TUNING)
	file(GLOB confs ${TUNING}/*.conf)
	list(APPEND files ${confs})
endif()
list(SORT files COMPARE FILE_BASENAME)
set(arrays "")
set(table "")
set(count 0)
foreach(file IN LISTS files)
	get_filename_component(name ${file} NAME)
	file(READ ${file} hex HEX)
	string(LENGTH "${hex}" digits)
	math(EXPR size "${digits} / 2")
	string(REGEX REPLACE "(................................)" "\\1\n" hex "${hex}")
	string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," hex "${hex}")
	string(APPEND arrays "static const char file_${count}[] = { /* ${name} */\n${hex}0 };\n")
	set(path ${name})
	string(FIND ${file} ${FOLDER}/ at)
	if(at EQUAL 0)
		cmake_path(RELATIVE_PATH file BASE_DIRECTORY ${FOLDER} OUTPUT_VARIABLE path)
	endif()
	if(name IN_LIST names)
		message(FATAL_ERROR "${file}: another kernel file is called ${name}; includes and programs name files without folders")
	endif()
	list(APPEND names ${name})
	string(APPEND table "\t{ \"${name}\", \"${path}\", file_${count}, ${size} },\n")
	math(EXPR count "${count} + 1")
endforeach()
file(WRITE ${OUT}
	"#include \"device/program.h\"\n\n${arrays}\n"
	"const gemp_embedded gemp_embedded_files[] = {\n${table}\t{ 0, 0, 0, 0 },\n};\n"
	"const size_t gemp_embedded_count = ${count};\n")
