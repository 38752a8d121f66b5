"""The command `rocsvm` and its subcommands."""

from __future__ import annotations

import typer

from rocsvm import __version__
from rocsvm.cli._paper import paper

app = typer.Typer(
    help="Classifiers that maximise the area under the ROC curve.", no_args_is_help=True, pretty_exceptions_enable=False
)
app.command()(paper)


def show_version(wanted: bool) -> None:
    """Print the version and leave."""
    if wanted:
        typer.echo(__version__)
        raise typer.Exit


@app.callback()
def start(
    version: bool = typer.Option(False, "--version", callback=show_version, is_eager=True, help="Print the version."),
) -> None:
    """Classifiers that maximise the area under the ROC curve."""
