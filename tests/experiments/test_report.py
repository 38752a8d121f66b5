from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

from rocsvm.experiments import Cell, Finding, Result, Summary, list_cells, list_questions, summarise, write_report
from rocsvm.experiments import _pictures as pictures
from rocsvm.experiments._report import convert, show, show_penalties, show_printed
from rocsvm.experiments._verdicts import find_population

MACHINE = {"processor": "Abacus 3000", "cores": "2"}
POPULATION = {"linear": 90.8, "radial": 96.47}
VOID = {"meta", "br", "img", "hr", "link", "input"}


def invent(cells: list[Cell], n_repeats: int = 3) -> list[Result]:
    rng = np.random.default_rng(0)
    return [
        Result(cell.key, k, rng.uniform(0.1, 9.0), 1.0, 0.1, rng.uniform(0.8, 0.9), 0.91, 1e-4, 7)
        for cell in cells
        for k in range(n_repeats)
    ]


FINDINGS = [Finding(*question, excess=0.5, auc=0.9, seconds=1.0) for question in list_questions(quick=True)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report of invented results, complete."""
    folder = tmp_path_factory.mktemp("report")
    cells = list_cells()
    write_report(folder, cells, invent(cells), FINDINGS, machines=[MACHINE])
    return folder


def read_markdown(folder: Path) -> str:
    """Return the Markdown as flowing text."""
    return re.sub(r"\s+", " ", (folder / "report.md").read_text(encoding="utf-8"))


def report(folder: Path, cells: list[Cell], results: list[Result], **options: bool) -> str:
    write_report(folder, cells, results, [], machines=[MACHINE], **options)
    return read_markdown(folder)


class Page(HTMLParser):
    """Notes what a page refers to, its tags in order, and whether each is closed."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.links: list[str] = []
        self.stack: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.links += [value or "" for name, value in attrs if name in ("href", "src", "xlink:href", "data")]
        if tag not in VOID:
            self.stack.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.stack.pop()

    def handle_endtag(self, tag: str) -> None:
        assert self.stack.pop() == tag


def test_the_page_has_everything_inside(folder: Path) -> None:
    text = (folder / "report.html").read_text(encoding="utf-8")
    page = Page(text)
    assert page.stack == []
    assert page.tags.count("svg") == 5
    assert page.tags.count("table") == 3
    assert not {"img", "script", "link", "iframe", "object"} & set(page.tags)
    assert page.links
    assert all(link.startswith("#") for link in page.links)
    # Addresses that name the language of a picture are fetched by no one.
    assert set(re.findall(r"https?://[^\s\"'<>]+", text)) <= {
        "http://www.w3.org/2000/svg",
        "http://www.w3.org/1999/xlink",
        "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
        "http://creativecommons.org/ns#",
        "http://purl.org/dc/elements/1.1/",
    }
    assert "url(http" not in text
    assert "@import" not in text


def test_pictures_of_the_page_say_what_they_show(folder: Path) -> None:
    text = (folder / "report.html").read_text(encoding="utf-8")
    labels = re.findall(r'<svg role="img" aria-label="([^"]+)"', text)
    assert labels[0] == "Seconds to train against rows"
    assert len(labels) == 5


def test_the_markdown_shows_pictures_that_are_there(folder: Path) -> None:
    shown = re.findall(r"!\[[^\]]+\]\(([^)]+)\)", read_markdown(folder))
    assert shown == ["growth.svg", "trade.svg", "real.svg", "pairs.svg", "landmarks.svg"]
    for name in shown:
        assert (folder / name).read_text(encoding="utf-8").rstrip().endswith("</svg>")


def test_tables_have_a_row_for_each_cell_with_the_printed_figures(folder: Path) -> None:
    text = (folder / "report.md").read_text(encoding="utf-8")
    rows = [line for line in text.splitlines() if re.match(r"\| [0-9a-z]", line) and "---" not in line]
    assert len(rows) == len(list_cells()) + 3
    for figures in ("| 196.10 (7.75) |", "| 90.370 (0.88) |", "| 46.33 (9.61) |", "| 89.92 (21.61) |"):
        assert figures in text
    assert "| 1,000,000 | ours |" in text


def test_the_report_says_what_a_reader_must_know(folder: Path) -> None:
    text = read_markdown(folder)
    for words in (
        "indicator reversed",
        "Only 51,433 of all rows are distinct",
        "`duration` is known only after the call",
        "19 predictors of the paper's text; its table says 18",
        "positive is activity 0",
        "{linear:.2f} % (linear) and {radial:.2f} % (radial)".format(**find_population()),
        "at most 50,000 steps",
        "Ran on: processor Abacus 3000, cores 2.",
    ):
        assert words in text
    assert "quick run" not in text


def test_each_of_our_cells_with_a_printed_figure_beside_it_has_a_verdict(folder: Path) -> None:
    text = read_markdown(folder)
    assert text.count("as printed: ") == 4 + 4 + 12
    assert "- linear model, 5,000 rows: " in text
    assert "- bank, 18 predictors, unscaled, radial kernel, 28,831 rows: " in text


def test_a_report_of_one_table_has_no_other(tmp_path: Path) -> None:
    cells = list_cells((1,))
    text = report(tmp_path, cells, invent(cells, 1))
    assert "## Table 1" in text
    assert "Table 2" not in text
    assert "landmarks.svg" not in text
    assert not (tmp_path / "real.svg").exists()


def test_a_quick_report_says_so(tmp_path: Path) -> None:
    cells = list_cells((3,), quick=True)
    text = report(tmp_path, cells, invent(cells), quick=True)
    assert "**A quick run**" in text
    assert "as printed: " not in text


def test_data_that_could_not_be_had_is_told_once(tmp_path: Path) -> None:
    cells = list_cells((3,), quick=True)
    text = report(tmp_path, cells, [Result(cell.key, 0, fault="There is no network.") for cell in cells])
    assert text.count("Not run: There is no network.") == 1
    assert "| skin | linear | 4,200 | paper | – | 8.38 (2.09) | – | 94.64 (1.96) | – | – | – | – | 0 |" in text


def test_a_report_of_nothing_is_no_error(tmp_path: Path) -> None:
    assert "Table 1" not in report(tmp_path, list_cells(), [])


def test_two_machines_are_told(tmp_path: Path) -> None:
    cells = list_cells((1,), quick=True)
    write_report(tmp_path, cells, invent(cells), [], machines=[MACHINE, {"processor": "Slide rule"}])
    text = read_markdown(tmp_path)
    assert "Not all of this ran on one machine" in text
    assert "Slide rule" in text


def test_the_same_results_give_the_same_files(folder: Path, tmp_path: Path) -> None:
    cells = list_cells()
    write_report(tmp_path, cells, invent(cells), FINDINGS, machines=[MACHINE])
    for name in ("report.md", "report.html"):
        assert (tmp_path / name).read_text() == (folder / name).read_text()


def test_markdown_becomes_html() -> None:
    text = '# A "title"\n\nSome **bold** `a < b`.\n\n- one\n  and on\n- two\n\n| a | b |\n|---|---|\n| 1 | < 2 |\n'
    page = convert(text, {})
    assert "<h1>A &quot;title&quot;</h1>" in page or '<h1>A "title"</h1>' in page
    assert "<p>Some <strong>bold</strong> <code>a &lt; b</code>.</p>" in page
    assert "<ul><li>one\n  and on</li><li>two</li></ul>" in page
    assert "<thead><tr><th>a</th><th>b</th></tr></thead><tbody><tr><td>1</td><td>&lt; 2</td></tr></tbody>" in page


def test_figures_are_shown_with_their_errors_where_known() -> None:
    assert show(1.0, 0.25) == "1.000 (0.250)"
    assert show(1.0, float("nan")) == "1.000"
    assert show(-1e-9, 0.0) == "0.000 (0.000)"
    assert show(float("nan"), float("nan")) == "–"
    assert show_printed(None, "seconds") == "–"


def test_penalties_are_shown_with_their_range_where_they_differ() -> None:
    cell = list_cells((1,))[0]
    results = [Result(cell.key, k, alpha=alpha, gap=0.1, n_iter=9) for k, alpha in enumerate([0.1, 1.0, 1e-3, 0.1])]
    (several,), (one,) = summarise([cell], results), summarise([cell], results[:1])
    assert (show_penalties(several), show_penalties(one)) == ("1e-01 (1e-03 to 1e+00)", "1e-01")
    assert show_penalties(Summary(cell, 0)) == "–"


def test_growth_is_drawn_on_log_axes_with_the_printed_seconds_beside() -> None:
    cells = list_cells((1, 2))
    figure = pictures.draw_growth(summarise(cells, invent(cells)))
    assert [ax.get_title() for ax in figure.axes] == ["linear model (table 1)", "radial model (table 2)"]
    left = figure.axes[0]
    assert (left.get_xscale(), left.get_yscale()) == ("log", "log")
    labels = [text.get_text() for text in left.get_legend().get_texts()]
    assert labels.count("ours, here") == 1
    for method in ("paper, full", "paper, incomplete"):
        assert {f"{method}, here", f"{method}, as printed"} <= set(labels)
    assert len(labels) == 5
    printed = next(line for line in left.lines if line.get_label() == "paper, incomplete, as printed")
    assert printed.get_ydata().tolist() == [2.69, 3.02, 8.03, 10.26]


def test_auc_is_drawn_against_seconds_beside_that_of_the_population() -> None:
    cells = list_cells((2,))
    (ax,) = pictures.draw_trade(summarise(cells, invent(cells)), POPULATION).axes
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("seconds to train", "AUC without the luck of test rows, %")
    (population,) = [line for line in ax.lines if line.get_label() == "population AUC" and len(line.get_xdata()) == 0]
    assert population.get_linestyle() == "--"
    assert any(list(line.get_ydata()) == [96.47, 96.47] for line in ax.lines)
    assert "1,000,000 rows" in [text.get_text() for text in ax.get_legend().get_texts()]


def test_studies_are_drawn_against_pairs_and_landmarks() -> None:
    pairs = pictures.draw_pairs([one for one in FINDINGS if one.study == "pairs"])
    assert [tick.get_text() for tick in pairs.axes[1].get_xticklabels()] == ["n/4", "n", "4n", "16n", "64n"]
    landmarks = pictures.draw_landmarks([one for one in FINDINGS if one.study == "landmarks"])
    assert [ax.get_ylabel() for ax in landmarks.axes] == [
        "objective above the best of the whole kernel, %",
        "test AUC, %",
    ]
    assert len(landmarks.axes[0].get_legend().get_texts()) == 5
