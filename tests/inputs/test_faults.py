"""Programs killed while they write, disks that are full, two programs that write one file."""

import signal
import subprocess
import sys
from pathlib import Path
from time import sleep

import pytest

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals and limits are of Unix")
# Each writes one letter, a million times, again and again; each file that is seen must be of one.
WRITER = """
import sys
from pathlib import Path
from calibrant.inputs.paths import write_whole
content = sys.argv[2].encode() * 10**6
while True:
    write_whole(Path(sys.argv[1]), content)
    print(flush=True)
"""
LIMITED = """
import resource, signal, sys
from pathlib import Path
from calibrant.inputs.paths import write_whole
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
try:
    write_whole(Path(sys.argv[1]), b"x" * 10**6)
except OSError as error:
    print(error)
"""


def writer(target: Path, letter: str) -> subprocess.Popen[bytes]:
    """A program that writes the file until it is ended, and has written it once."""
    command = [sys.executable, "-c", WRITER, str(target), letter]
    program = subprocess.Popen(command, stdout=subprocess.PIPE)
    assert program.stdout is not None
    program.stdout.readline()
    return program


def end(program: subprocess.Popen[bytes]) -> None:
    program.kill()
    program.communicate()
    assert program.returncode == -signal.SIGKILL


def is_whole(target: Path) -> bool:
    content = target.read_bytes()
    return content in (b"a" * 10**6, b"b" * 10**6)


def test_a_program_that_is_killed_leaves_a_whole_file(tmp_path: Path) -> None:
    target = tmp_path / "map"
    for kill in range(12):
        program = writer(target, "ab"[kill % 2])
        sleep(0.001 * kill)
        end(program)
        assert is_whole(target)
    # What was being written then is out of the way of patterns, by its name.
    assert [path.name for path in tmp_path.glob("[!.]*")] == ["map"]


def test_two_programs_that_write_one_file_leave_one_of_theirs(tmp_path: Path) -> None:
    target = tmp_path / "map"
    programs = [writer(target, letter) for letter in "ab"]
    seen = {is_whole(target) for _ in range(300)}
    for program in programs:
        assert program.poll() is None
        end(program)
    assert seen == {True}


def test_a_disk_that_is_full_leaves_the_old_file_alone(tmp_path: Path) -> None:
    target = tmp_path / "map"
    target.write_bytes(b"old")
    command = [sys.executable, "-c", LIMITED, str(target)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == f"[Errno 27] File too large: '{target}'\n"
    assert target.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [target]
