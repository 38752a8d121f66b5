"""The command line."""

from __future__ import annotations

INSTALL = "The command needs {}, which is not installed: pip install 'rocsvm[paper]'."


def main() -> None:
    """Run the command line, or say what it lacks."""
    try:
        from rocsvm.cli._app import app
    except ModuleNotFoundError as error:
        raise SystemExit(INSTALL.format(error.name)) from None
    app()
