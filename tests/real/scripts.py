#!/usr/bin/env python3
"""Shell and perl scripts: pipes, redirections, here documents, background jobs, traps, forks, sockets."""
from _real import calls, need, run_tests, sample, script, transparent

BASH = r"""
set -o pipefail
exec 7>log
find source -type f -print0 | sort -z | xargs -0 cksum | awk '{ n += $2 } END { print n }'
while read -r line; do echo "<$line>" >&7; done < <(ls source)
cat <<END | tr a-z A-Z | tee copy | wc -c
here and there
END
( echo from a subshell; exit 3 ); echo "status $?"
sleep 0.01 & wait $!; echo "waited $?"
coproc cat; echo through >&"${COPROC[1]}"; read -r back <&"${COPROC[0]}"; echo "$back"; eval "exec ${COPROC[1]}>&-"; wait
false | true; echo "${PIPESTATUS[*]} $?"
trap 'echo "caught"; exec 7>&-' USR1; kill -USR1 $$
mapfile -t lines <log; echo "${#lines[@]}"
no-such-command 2>&1 | sed 's/.*line/line/'
echo text >/dev/full || echo "full: $?"
yes | head -n 1000 | md5sum
exec 3<>both; echo one >&3; exec 3>&-
printf '%s\n' source/*/e0 | head -n 2
trap 'echo bye' EXIT
exit 9
"""

PERL = r"""
use strict; use warnings; use Socket; use Fcntl qw(:flock SEEK_SET); use File::Temp; use File::Copy; use IO::Handle;
open(my $f, '+>', 'data') or die; binmode $f; flock($f, LOCK_EX) or die;
syswrite($f, 'x' x 5000) == 5000 or die; sysseek($f, 10, SEEK_SET); print $f "buffered\n"; close $f;
print -s 'data', "\n";
my $pid = fork; if (!$pid) { open(my $g, '>>', 'data'); print $g "child\n"; close $g; exit 4; }
waitpid $pid, 0; print "child ", $? >> 8, "\n";
pipe(my $r, my $w); if (!fork) { close $r; print $w "through a pipe\n"; exit 0 } close $w; print <$r>; wait;
socketpair(my $a, my $b, AF_UNIX, SOCK_STREAM, PF_UNSPEC) or die; $a->autoflush(1);
if (!fork) { close $b; print $a "over a socket\n"; exit 0 } close $a; print scalar <$b>; wait;
print `cat data | wc -l`; system('ls', 'data') == 0 or die;
opendir(my $d, 'source') or die; print join(' ', map { s/\n/?/r } sort grep { !/^\./ } readdir $d), "\n"; closedir $d;
my ($t, $name) = File::Temp::tempfile(DIR => 'tmp', UNLINK => 1); print $t "temporary"; close $t;
copy('data', 'copy') or die; rename 'copy', 'moved' or die; symlink 'moved', 'link'; print readlink 'link', "\n";
open(my $n, '<', 'nothing') or print "$!\n"; local $SIG{ALRM} = sub { print "alarm\n" }; kill ALRM => $$;
my @s = stat 'moved'; print "$s[7]\n"; truncate 'moved', 10; unlink 'data'; mkdir 'made'; rmdir 'made'; warn "done\n"; exit 5;
"""


def with_sample(name, text):
    def prepare(folder):
        sample(folder, 20)
        script(text, name)(folder)
    return prepare


def test_bash():
    need("bash", "xargs", "awk", "find")
    info, _ = transparent(["bash", "script"], ["bash", "cat", "sort", "find", "xargs", "tee", "yes"], status=9,
                          prepare=with_sample("script", BASH))
    assert calls(info, "fork") > 15


def test_perl():
    need("perl")
    info, _ = transparent(["perl", "script.pl"], ["perl", "cat", "wc", "ls"], status=5, PERL_HASH_SEED="0",
                          prepare=with_sample("script.pl", PERL), tidy=lambda text: text)
    assert calls(info, "flock") == 1


run_tests(globals())
