# What ./check and ./try share: missing packages, and steps that show how far they are. Sourced, not run; it decides nothing about
# what is built or tested.

install=yes # no with --no-install
shown_at=0

missing_packages() { # LIST...: those whose file is not there, in one line
	cat "$@" | while read -r package file; do
		case $package in '' | '#'*) continue ;; esac
		compgen -G "$file" >/dev/null || printf '%s ' "$package"
	done
}

packages() { # LIST...: installs what is missing, or says what it is
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

# One line that changes on a terminal, a new one now and then elsewhere.
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

await() { # PID LOG NAME START: shows how far a job is until it ends; its status
	while kill -0 "$1" 2>/dev/null; do
		[ $((SECONDS - $4)) -ge 2 ] && progress "$3 $(far "$2") $((SECONDS - $4)) s"
		sleep 0.2
	done
	progress_over
	wait "$1"
}
