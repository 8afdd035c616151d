#!/bin/sh
# Runs a command that must end with one exit status, and passes its output on.
#
#   status.sh N COMMAND...
#
# Standard output and standard error both go to standard output, so that FileCheck sees them in one stream. Ends with 0 if the status
# was N, with 1 otherwise. A command that a signal ended has the status 128 + signal.
wanted=$1
shift
"$@" </dev/null 2>&1
status=$?
[ $status -eq "$wanted" ] && exit
printf '\nstatus.sh: status %s, expected %s: %s\n' "$status" "$wanted" "$*" >&2
exit 1
