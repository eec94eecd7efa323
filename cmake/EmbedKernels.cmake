# Run as a script, cmake -DFOLDER=kernels -DTUNING=configs/tuning -DOUT=embedded.c -P EmbedKernels.cmake: a C table of every
# .cl, .clh and .h file of FOLDER and every .conf file of TUNING (which may be left out), as byte arrays since string literals
# longer than 65,535 bytes are not portable. See src/device/embedded.h.
file(GLOB files ${FOLDER}/*.cl ${FOLDER}/*.clh ${FOLDER}/*.h)
if(TUNING)
	file(GLOB confs ${TUNING}/*.conf)
	list(APPEND files ${confs})
endif()
list(SORT files)
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
	string(APPEND table "\t{ \"${name}\", file_${count}, ${size} },\n")
	math(EXPR count "${count} + 1")
endforeach()
file(WRITE ${OUT}
	"#include \"device/embedded.h\"\n\n${arrays}\n"
	"const gemp_embedded gemp_embedded_files[] = {\n${table}\t{ 0, 0, 0 },\n};\n"
	"const size_t gemp_embedded_count = ${count};\n")
