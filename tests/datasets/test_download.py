"""Downloads from a server that answers well, in part, wrongly, late or not at all."""

from __future__ import annotations

import threading

import pytest

from rocsvm.datasets import DatasetError
from rocsvm.datasets import _download as module
from rocsvm.datasets._download import download
from tests.datasets.server import Answer, serve

BODY = bytes(range(256)) * 1000
TAGGED = {"ETag": '"one"'}


@pytest.fixture(autouse=True)
def no_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PAUSE", 0.0)


def ignore(done: int, total: int | None) -> None:
    pass


def rest(start: int, **changes: object) -> Answer:
    """Return the answer to a request for all bytes from one on."""
    headers = TAGGED | {"Content-Range": f"bytes {start}-{len(BODY) - 1}/{len(BODY)}"}
    return Answer(**{"body": BODY[start:], "status": 206, "headers": headers, **changes})  # type: ignore[arg-type]


def test_a_file_comes_whole_and_progress_is_told() -> None:
    told: list[tuple[int, int | None]] = []
    with serve(Answer(BODY)) as server:
        assert download(server.url, lambda done, total: told.append((done, total))) == BODY
    assert told[-1] == (len(BODY), len(BODY))
    assert [done for done, _ in told] == sorted({done for done, _ in told})


def test_a_file_of_untold_length_comes_whole() -> None:
    told: list[int | None] = []
    with serve(Answer(BODY, says_length=False)) as server:
        assert download(server.url, lambda _, total: told.append(total)) == BODY
    assert set(told) == {None}


def test_a_broken_transfer_is_resumed_where_it_broke_off() -> None:
    with serve(Answer(BODY, headers=TAGGED, sent=100_000), rest(100_000, sent=1_000), rest(101_000)) as server:
        assert download(server.url, ignore) == BODY
    assert server.ranges == [None, "bytes=100000-", "bytes=101000-"]


def test_a_broken_transfer_starts_again_where_the_file_has_changed() -> None:
    changed = BODY[::-1]
    with serve(Answer(BODY, headers=TAGGED, sent=100_000), Answer(changed, headers={"ETag": '"two"'})) as server:
        assert download(server.url, ignore) == changed
    assert server.ranges == [None, "bytes=100000-"]


@pytest.mark.parametrize("headers", [{}, {"ETag": 'W/"one"'}])
def test_a_broken_transfer_starts_again_where_nothing_vouches_for_the_file(headers: dict[str, str]) -> None:
    with serve(Answer(BODY, headers=headers, sent=100_000), Answer(BODY)) as server:
        assert download(server.url, ignore) == BODY
    assert server.ranges == [None, None]


def test_a_wrong_part_is_discarded() -> None:
    with serve(Answer(BODY, headers=TAGGED, sent=100_000), rest(50_000), Answer(BODY)) as server:
        assert download(server.url, ignore) == BODY
    assert server.ranges == [None, "bytes=100000-", None]


def test_a_refused_range_starts_again() -> None:
    with serve(Answer(BODY, headers=TAGGED, sent=100_000), Answer(status=416), Answer(BODY)) as server:
        assert download(server.url, ignore) == BODY
    assert server.ranges == [None, "bytes=100000-", None]


def test_a_transfer_that_always_breaks_off_is_told() -> None:
    with serve(Answer(BODY, sent=100_000)) as server, pytest.raises(DatasetError) as caught:
        download(server.url, ignore)
    assert f"{server.url} could not be downloaded: the connection broke off after 100,000 of 256,000 bytes" in str(
        caught.value
    )
    assert len(server.ranges) == module.TRIES


def test_a_missing_file_is_told_at_once() -> None:
    with serve(Answer(status=404)) as server, pytest.raises(DatasetError, match="HTTP status 404, Not Found"):
        download(server.url, ignore)
    assert len(server.ranges) == 1


def test_a_busy_server_is_asked_again() -> None:
    with serve(Answer(status=503), Answer(BODY)) as server:
        assert download(server.url, ignore) == BODY


def test_a_silent_server_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "TIMEOUT", 0.05)
    monkeypatch.setattr(module, "TRIES", 2)
    with (
        serve(Answer(BODY, waits=threading.Event())) as server,
        pytest.raises(DatasetError, match=r"no byte came within 0\.05 seconds"),
    ):
        download(server.url, ignore)


def test_a_slow_answer_is_waited_for() -> None:
    late = threading.Event()
    threading.Timer(0.2, late.set).start()
    with serve(Answer(BODY, waits=late)) as server:
        assert download(server.url, ignore) == BODY


def test_a_server_that_is_not_there_is_told() -> None:
    with serve(Answer(BODY)) as server:
        pass
    with pytest.raises(DatasetError, match=r"could not be downloaded: .*[Rr]efused"):
        download(server.url, ignore)


def test_without_a_network_nothing_is_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PAUSE", 1e9)
    with pytest.raises(DatasetError, match="could not be downloaded"):
        download("http://nowhere.invalid/small.zip", ignore)
