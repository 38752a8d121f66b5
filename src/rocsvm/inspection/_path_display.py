"""The picture of a path: weights against alpha."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from rocsvm.inspection._axes import check_search, open_axes

Floats = NDArray[np.float64]

# Features named in the legend: those of the largest weights.
NAMED = 8


class RocPathDisplay:
    """Weights along the penalty, and the AUC that goes with them.

    Parameters
    ----------
    alphas : array of shape (n_alphas,)
        Penalties.
    coefs : array of shape (n_alphas, n_features) or (n_folds, n_alphas, n_features)
        Weights, of folds too: their mean is drawn, and their range as a band.
    aucs : array of shape (n_alphas,), optional
        Areas under the ROC curve, drawn against an axis on the right.
    feature_names : array of shape (n_features,), optional
        Names of the features.
    alpha : float, optional
        A penalty to mark.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Where it is drawn.
    figure_ : matplotlib Figure
        Its figure.
    """

    def __init__(
        self,
        alphas: Floats,
        coefs: Floats,
        *,
        aucs: Floats | None = None,
        feature_names: Any = None,
        alpha: float | None = None,
    ) -> None:
        self.alphas = alphas
        self.coefs = coefs
        self.aucs = aucs
        self.feature_names = feature_names
        self.alpha = alpha

    @classmethod
    def from_path(cls, path: Any, *, ax: Any = None) -> Self:
        """Draw what `rocsvm_path` returned.

        Parameters
        ----------
        path : ROCSVMPath
            Solutions along the penalty.
        ax : matplotlib Axes, optional
            Where to draw; a new figure if None.

        Returns
        -------
        RocPathDisplay
        """
        return cls(path.alphas, path.coefs, aucs=path.aucs, feature_names=path.feature_names).plot(ax=ax)

    @classmethod
    def from_estimator(cls, estimator: Any, *, ax: Any = None) -> Self:
        """Draw the weights of the folds of a fitted `LinearROCSVMCV`, their held-out score, and its choice.

        Parameters
        ----------
        estimator : LinearROCSVMCV
            A fitted search.
        ax : matplotlib Axes, optional
            Where to draw; a new figure if None.

        Returns
        -------
        RocPathDisplay
        """
        check_search(estimator, "coefs_path_", "LinearROCSVMCV")
        names = getattr(estimator, "feature_names_in_", None)
        aucs = estimator.cv_results_["mean_test_score"] if estimator.scoring in (None, "roc_auc") else None
        display = cls(estimator.alphas_, estimator.coefs_path_, aucs=aucs, feature_names=names, alpha=estimator.alpha_)
        return display.plot(ax=ax)

    def plot(self, *, ax: Any = None) -> Self:
        """Draw the weights.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure if None.

        Returns
        -------
        RocPathDisplay
        """
        self.ax_ = ax = open_axes(ax)
        self.figure_ = ax.figure
        folds = self.coefs if self.coefs.ndim == 3 else self.coefs[None]
        means = folds.mean(axis=0)
        n_features = means.shape[1]
        names = (
            [f"feature {place}" for place in range(n_features)] if self.feature_names is None else self.feature_names
        )
        named = set(np.argsort(-np.abs(means).max(axis=0))[:NAMED].tolist())
        for place in range(n_features):
            style: dict[str, Any] = {"color": "lightgrey", "zorder": 1}
            if place in named:
                style = {"label": str(names[place])}
            if len(self.alphas) == 1:
                style["marker"] = "o"
            (line,) = ax.plot(self.alphas, means[:, place], linewidth=1.2, **style)
            if len(folds) > 1 and place in named:
                low, high = folds[:, :, place].min(axis=0), folds[:, :, place].max(axis=0)
                ax.fill_between(self.alphas, low, high, color=line.get_color(), alpha=0.15, linewidth=0)
        ax.axhline(0.0, color="black", linewidth=0.5)
        ax.set(
            xscale="log", xlabel="alpha", ylabel="weight" if len(folds) == 1 else "weight (band: range of the folds)"
        )
        # Small weights at large alphas as well as large ones at small alphas.
        ax.set_yscale("symlog", linthresh=max(float(np.abs(means).max()) * 1e-2, np.finfo(np.float64).tiny))
        if self.alpha is not None:
            ax.axvline(self.alpha, color="black", linestyle=":", label=f"chosen: alpha {self.alpha:.2g}")
        if self.aucs is not None:
            right = ax.twinx()
            right.plot(self.alphas, self.aucs, color="black", linestyle="--", marker="o" * (len(self.alphas) == 1))
            right.set_ylabel("AUC (dashed)")
        ax.legend(frameon=False, fontsize=8, loc="upper center", bbox_to_anchor=(0.5, -0.15), ncols=3)
        return self
