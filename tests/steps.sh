# Shared by ./check and ./try: missing packages, and steps that show their progress. It is sourced, not run, and does not decide
# what is built or tested.

install=yes # no with --no-install
shown_at=0

missing_packages() { # LIST...: prints the packages whose file does not exist, in one line
	cat "$@" | while read -r package file; do
		case $package in '' | '#'*) continue ;; esac
		compgen -G "$file" >/dev/null || printf '%s ' "$package"
	done
}

packages() { # LIST...: installs missing packages, or prints them
	local missing
	if [ $install = yes ]; then
		cmake/install-packages "$@"
		return
	fi
	missing=$(missing_packages "$@")
	[ -z "$missing" ] && return
	echo "these packages are missing; install them, or call this without --no-install: $missing"
	return 1
}

# On a terminal, one line that is overwritten; otherwise a new line at most every 15 seconds.
progress() { # TEXT
	if [ -t 1 ]; then
		printf '\r\033[K%s' "${1:0:$((${COLUMNS:-80} - 1))}"
	elif [ $((SECONDS - shown_at)) -ge 15 ]; then
		shown_at=$SECONDS
		echo "    $1"
	fi
}

progress_over() {
	[ -t 1 ] && printf '\r\033[K'
	shown_at=$SECONDS
}

# The last count of steps, [n/m], that ninja or a compiler loop wrote into a log.
far() { # LOG
	tail -c 2000 "$1" 2>/dev/null | grep -o '\[[0-9]*/[0-9]*\]' | tail -n 1
}

# The shared libraries that are being linked in this session: the longest steps of a build, during which the count stands still.
linking() {
	local found
	found=$(pgrep -s 0 -fa -- ' -o [^ ]*[.]so ' 2>/dev/null | grep -o -- '-o [^ ]*[.]so ' | sed 's/.*[ /]\([^ ]*\) $/\1/' | sort -u)
	[ -z "$found" ] || echo "(linking ${found//$'\n'/, })"
}

await() { # PID LOG NAME START: shows the progress of a job until it ends; returns its status
	local asked=0 now=
	while kill -0 "$1" 2>/dev/null; do
		[ $((SECONDS - asked)) -ge 5 ] && asked=$SECONDS now=$(linking)
		[ $((SECONDS - $4)) -ge 2 ] && progress "$3 $(far "$2") $((SECONDS - $4)) s $now"
		sleep 0.2
	done
	progress_over
	wait "$1"
}
