import os
from pathlib import Path

import pytest

from zhaifei.solver.machine import user_directories as directories
from zhaifei.solver.machine.user_directories import (
    NoUserDirectory,
    make_data_directory,
    user_directory,
)


def test_directories_are_where_the_environment_says(monkeypatch, tmp_path):
    for kind, variable in (("data", "XDG_DATA_HOME"), ("cache", "XDG_CACHE_HOME")):
        monkeypatch.setenv(variable, str(tmp_path / kind))
        assert user_directory(kind) == tmp_path / kind / "zhaifei"
        monkeypatch.setenv(variable, "")
        monkeypatch.setenv("HOME", str(tmp_path))
        assert user_directory(kind).is_relative_to(tmp_path)


def test_without_a_home_there_are_none(homeless):
    with pytest.raises(NoUserDirectory, match=r"no home directory: HOME is not set$"):
        user_directory("cache")
    with pytest.raises(NoUserDirectory, match=r"results: you have no home .*; name a file with"):
        make_data_directory()


def test_a_home_that_is_not_known_is_not_a_relative_one(monkeypatch):
    unexpanded = {"data": lambda *_, **__: Path("~/.local/share/zhaifei")}
    monkeypatch.setattr(directories, "_PATHS", unexpanded)
    with pytest.raises(NoUserDirectory, match=r"no home directory: HOME is not set$"):
        user_directory("data")


def test_a_directory_that_cannot_be_made_is_named(monkeypatch, tmp_path):
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "file"))
    with pytest.raises(NoUserDirectory, match=rf"results: .*{tmp_path}.*; name a file with --out"):
        make_data_directory()


def test_a_directory_is_made(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "deep" / "data"))
    assert make_data_directory() == make_data_directory() == tmp_path / "deep/data/zhaifei"
    assert os.listdir(tmp_path / "deep" / "data" / "zhaifei") == []
