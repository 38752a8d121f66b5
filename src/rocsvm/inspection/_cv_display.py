"""Pictures of a search: held-out scores against alpha, or over the grid of alpha and gamma."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from rocsvm.inspection._axes import check_search, open_axes

Floats = NDArray[np.float64]


class CVResultDisplay:
    """Held-out scores of a search, with their spread over the folds and the choice marked.

    Parameters
    ----------
    alphas : array of shape (n_alphas,)
        Penalties.
    scores : array of shape (n_gammas, n_alphas, n_folds)
        Scores; NaN where a point was left out.
    best_index : int
        Place of the choice, gamma by gamma.
    gammas : array of shape (n_gammas,), optional
        Widths.
    score_name : str, default="AUC"
        What the scores are.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Where it is drawn.
    figure_ : matplotlib Figure
        Its figure.

    Examples
    --------
    >>> from rocsvm import LinearROCSVMCV
    >>> from sklearn.datasets import load_breast_cancer
    >>> model = LinearROCSVMCV(alphas=5, random_state=0).fit(*load_breast_cancer(return_X_y=True))
    >>> display = CVResultDisplay.from_estimator(model)  # doctest: +SKIP
    """

    def __init__(
        self,
        alphas: Floats,
        scores: Floats,
        best_index: int,
        *,
        gammas: Floats | None = None,
        score_name: str = "AUC",
    ) -> None:
        self.alphas = alphas
        self.scores = scores
        self.best_index = best_index
        self.gammas = gammas
        self.score_name = score_name

    @classmethod
    def from_estimator(cls, estimator: Any, *, ax: Any = None, kind: str = "auto") -> Self:
        """Draw the search of a fitted `LinearROCSVMCV` or `KernelROCSVMCV`.

        Parameters
        ----------
        estimator : LinearROCSVMCV or KernelROCSVMCV
            A fitted search.
        ax : matplotlib Axes, optional
            Where to draw; a new figure if None.
        kind : {"auto", "line", "grid"}, default="auto"
            Scores against alpha, a line for each gamma; or a heat map over alpha and gamma, which "auto" is where
            there are several gammas.

        Returns
        -------
        CVResultDisplay
        """
        check_search(estimator, "cv_results_", "LinearROCSVMCV or KernelROCSVMCV")
        results = estimator.cv_results_
        folds = np.stack([results[f"split{fold}_test_score"] for fold in range(estimator.n_splits_)], axis=1)
        scores = folds.reshape(-1, len(estimator.alphas_), estimator.n_splits_)
        scoring = estimator.scoring
        name = "AUC" if scoring in (None, "roc_auc") else str(getattr(scoring, "__name__", scoring)).replace("_", " ")
        gammas = getattr(estimator, "gammas_", None)
        display = cls(estimator.alphas_, scores, estimator.best_index_, gammas=gammas, score_name=name)
        return display.plot(ax=ax, kind=kind)

    def plot(self, *, ax: Any = None, kind: str = "auto") -> Self:
        """Draw the scores.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure if None.
        kind : {"auto", "line", "grid"}, default="auto"
            As in `from_estimator`.

        Returns
        -------
        CVResultDisplay
        """
        if kind not in ("auto", "line", "grid"):
            raise ValueError(f"kind={kind!r} is no picture of a search; write 'auto', 'line' or 'grid'.")
        if kind == "auto":
            kind = "line" if len(self.scores) == 1 else "grid"
        if kind == "grid" and self.gammas is None:
            raise ValueError("kind='grid' needs gammas, of which this search has none. Write kind='line'.")
        self.ax_ = open_axes(ax)
        self.figure_ = self.ax_.figure
        if kind == "line":
            self._draw_lines()
        else:
            self._draw_grid()
        return self

    def _draw_lines(self) -> None:
        ax, n_alphas = self.ax_, len(self.alphas)
        chosen, place = divmod(self.best_index, n_alphas)
        for number, folds in enumerate(self.scores):
            if np.isnan(folds).all():
                continue
            mean, spread = folds.mean(axis=1), _find_error(folds)
            label = None if self.gammas is None else f"gamma {self.gammas[number]:.2g}"
            (line,) = ax.plot(self.alphas, mean, marker="o", markersize=3, label=label)
            if number == chosen:
                ax.fill_between(
                    self.alphas, mean - spread, mean + spread, alpha=0.2, color=line.get_color(), linewidth=0
                )
        color = ax.get_lines()[-1].get_color() if len(self.scores) == 1 else "white"
        ax.plot(
            self.alphas[place],
            self.scores[chosen, place].mean(),
            marker="*",
            markersize=13,
            color=color,
            markeredgecolor="black",
            linestyle="none",
            label=f"chosen: alpha {self.alphas[place]:.2g}",
            zorder=3,
        )
        ax.set(xscale="log", xlabel="alpha", ylabel=f"{self.score_name}, held out (band: one standard error)")
        ax.legend(frameon=False)

    def _draw_grid(self) -> None:
        assert self.gammas is not None
        ax, means = self.ax_, self.scores.mean(axis=2)[:, ::-1]
        # Scores crowd just below the best: shades run from the median up, and all below it look alike.
        shown = np.ma.masked_invalid(means)
        image = ax.imshow(shown, origin="lower", aspect="auto", cmap="viridis", vmin=np.nanmedian(means))
        self.figure_.colorbar(image, ax=ax, label=f"mean {self.score_name}, held out", extend="min")
        decimals = 4 if np.nanmax(means) - np.nanmedian(means) < 0.01 else 3
        middle = 0.5 * (np.nanmax(means) + np.nanmedian(means))
        for (row, column), mean in np.ndenumerate(means):
            text = "left out" if np.isnan(mean) else f"{mean:.{decimals}f}"
            color = "grey" if np.isnan(mean) else "black" if mean > middle else "white"
            ax.text(column, row, text, ha="center", va="center", color=color, fontsize=7)
        gamma, alpha = divmod(self.best_index, len(self.alphas))
        column = len(self.alphas) - 1 - alpha
        outline = {"fill": False, "edgecolor": "red", "linewidth": 2}
        ax.add_patch(_make_rectangle((column - 0.5, gamma - 0.5), **outline))
        ax.set_xticks(range(len(self.alphas)), [f"{alpha:.1e}" for alpha in self.alphas[::-1]], rotation=45, ha="right")
        ax.set_yticks(range(len(self.gammas)), [f"{gamma:.2g}" for gamma in self.gammas])
        ax.set(xlabel="alpha", ylabel="gamma", title="chosen: framed in red")


def _find_error(folds: Floats) -> Floats:
    """Return the standard error of the mean over the folds."""
    if folds.shape[1] < 2:
        return np.zeros(len(folds))
    return np.asarray(folds.std(axis=1, ddof=1) / np.sqrt(folds.shape[1]))


def _make_rectangle(corner: tuple[float, float], **style: Any) -> Any:
    from matplotlib.patches import Rectangle

    return Rectangle(corner, 1.0, 1.0, **style)
