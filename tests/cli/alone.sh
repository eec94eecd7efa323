#!/usr/bin/env bash
# Several processes run at the same time without mpirun. No process removes the session folder of another process, and
# no process leaves its own folder behind, however it ends. The next process removes the folder of a process that was
# killed by SIGKILL, and nothing else.
. "$GEMP_SOURCE_DIR/tests/harness/harness.sh"
export TMPDIR=$work/sessions
mkdir "$TMPDIR"

# start NUMBER: makes graphs, one after another, while the other processes make theirs.
start() {
	for turn in 1 2 3 4 5 6 7 8; do
		"$GEMP_MPI" generate uniform --vertices 500 --edges 900 -o "$work/$1.h5" -q 2>>"$work/said" || echo "failed" >>"$work/said"
	done
}
for number in 1 2 3 4; do
	start $number &
done
wait
equal "$(cat "$work/said")" "" "stderr of the processes"
equal "$(ls "$TMPDIR")" "" "remaining session folders"
(
	trap '' XFSZ
	ulimit -f 100
	"$GEMP_MPI" generate uniform --vertices 100000 --edges 100000 -o "$work/large.h5" 2>"$work/err"
	equal $? 74 "exit code on a full disk"
	says "writing failed"
	equal "$(ls "$TMPDIR")" "" "session folders after a failed process"
	exit $failures
)
failures=$((failures + $?))

# wait_for_work: starts $process, which waits until its input pipe is written.
mkfifo "$work/table.npy"
wait_for_work() {
	"$GEMP_MPI" som train "$work/table.npy" -o "$work/map.h5" -q 2>>"$work/said" &
	process=$!
	exec 9>"$work/table.npy"
}
# folders: prints all session folders.
folders() { ls "$TMPDIR"; }

# AddressSanitizer would catch these signals before the program does, and would exit with its own code.
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}handle_segv=0:handle_sigfpe=0:handle_abort=0
for signal in TERM INT USR1 HUP PIPE SEGV ABRT FPE; do
	wait_for_work
	[ -n "$(ls "$TMPDIR")" ] || fail "the process made no session folder"
	kill -$signal $process
	wait $process 2>>"$work/said"
	equal $? $((128 + $(kill -l $signal))) "exit code after SIG$signal"
	equal "$(ls "$TMPDIR")" "" "session folders after SIG$signal"
done
exec 9>&-
says_of_fault=$(grep -c "Signal: Segmentation fault" "$work/said")
equal "$says_of_fault" 1 "number of messages of Open MPI about faults"

wait_for_work
left=$(folders)
kill -KILL $process
wait $process 2>>"$work/said"
[ -d "$TMPDIR/$left" ] || fail "the killed process left no session folder"
# None of the following may be removed: a folder without an owner, a folder of another host, a folder that other users
# may write to, an empty folder of a user, and targets of symbolic links.
cp -r "$TMPDIR/$left" "$TMPDIR/gemp-mpi-session.others"
cp -r "$TMPDIR/$left" "$TMPDIR/gemp-mpi-session.shared"
cp -r "$TMPDIR/$left" "$TMPDIR/gemp-mpi-session.longer-name"
cp -r "$TMPDIR/$left" "$work/apart"
ln -s "$work/apart" "$TMPDIR/gemp-mpi-session.symbol"
mkdir -m 700 "$TMPDIR/gemp-mpi-session.nobody" "$TMPDIR/gemp-mpi-session.ending" "$TMPDIR/gemp-mpi.abcdef" "$work/beside"
mkdir -m 700 "$TMPDIR/gemp-mpi-session.begins" # a folder whose process ended before it wrote its file
(umask 077 && touch "$TMPDIR/gemp-mpi-session.begins/gemp-mpi-owner")
touch "$TMPDIR/gemp-mpi-session.nobody/file" "$work/beside/file"
echo elsewhere >"$TMPDIR/gemp-mpi-session.others/gemp-mpi-owner"
chmod 755 "$TMPDIR/gemp-mpi-session.shared"
ln -s "$work/beside" "$TMPDIR/$left/link"
kept=$(folders | grep -vxF -e "$left" -e gemp-mpi-session.ending -e gemp-mpi-session.begins)
wait_for_work
living=$(folders)
case $living in *$left*) fail "the folder '$left' was not removed; there are $living" ;; esac
"$GEMP_MPI" generate uniform --vertices 500 --edges 900 -o "$work/1.h5" -q
equal "$(folders)" "$living" "session folders beside the folder of a running process"
kill -TERM $process
wait $process 2>>"$work/said"
equal "$(folders)" "$kept" "folders that must not be removed"
[ -f "$work/beside/file" ] && [ -d "$work/apart" ] || fail "the target of a symbolic link was removed"
if [ "$(id -u)" -eq 0 ]; then
	rm -rf "$TMPDIR"/*
	cp -r "$work/apart" "$TMPDIR/gemp-mpi-session.ababab"
	chown -R nobody "$TMPDIR/gemp-mpi-session.ababab"
	"$GEMP_MPI" generate uniform --vertices 500 --edges 900 -o "$work/1.h5" -q
	equal "$(folders)" gemp-mpi-session.ababab "folders of another user"
	chown -R root "$TMPDIR/gemp-mpi-session.ababab"
	"$GEMP_MPI" generate uniform --vertices 500 --edges 900 -o "$work/1.h5" -q
	equal "$(ls "$TMPDIR")" "" "folders of this user"
fi
finish
