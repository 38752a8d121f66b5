"""The paper's theorem, term by term, beside what it bounds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import linalg
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted, check_X_y

from rocsvm.estimators import KernelROCSVM
from rocsvm.estimators._base import resolve_pairs
from rocsvm.features import ExactKernelFeatures, NystroemFeatures
from rocsvm.losses import LOSSES, AbstractLoss, Hinge
from rocsvm.pairs import AbstractPairs, AllPairs, IncompletePairs
from rocsvm.pairs._incomplete import IncompletePairSums
from rocsvm.theory._sampling import check_delta
from rocsvm.threads import use_one_thread
from rocsvm.validation import resolve_part, split_labels

Floats = NDArray[np.float64]


@dataclass(frozen=True, repr=False)
class ErrorBound:
    """The paper's theorem for two models on given rows.

    Parameters
    ----------
    loss_full : float
        Mean loss over all pairs of the model of the whole kernel fitted to them, ``U_n(f)``.
    loss_approximate : float
        Mean loss over the drawn pairs of the Nyström model fitted to them, ``U_B(f_B)``.
    norm_full, norm_incomplete, norm_approximate : float
        Norms of the model of the whole kernel over all pairs; of the one of the whole kernel over the drawn pairs,
        which the proof goes by way of; of the Nyström model over the drawn pairs.
    k_max : float
        Root of the largest similarity of a row to itself.
    kernel_error : float
        Spectral norm of the kernel matrix minus that of the Nyström features, ``||K - K~||_2``.
    lambda_min, lambda_min_approximate : float
        Least eigenvalue of the kernel matrix, and the least one of the Nyström features' that is not zero. What
        rounding could have made is zero.
    n_max : int
        How often the row drawn most is among the drawn pairs.
    n_rows, n_pairs : int
        Numbers of rows, n, and of drawn pairs, B.
    alpha : float
        Penalty weight, the paper's lambda.
    delta : float
        Probability with which the theorem lets the bound fail.
    """

    loss_full: float
    loss_approximate: float
    norm_full: float
    norm_incomplete: float
    norm_approximate: float
    k_max: float
    kernel_error: float
    lambda_min: float
    lambda_min_approximate: float
    n_max: int
    n_rows: int
    n_pairs: int
    alpha: float
    delta: float

    @property
    def measured(self) -> float:
        """What the theorem bounds, ``|U_n(f) - U_B(f_B)|``. Neither loss exceeds 1, which f = 0 has."""
        return abs(self.loss_full - self.loss_approximate)

    @property
    def a1(self) -> float:
        """The theorem's A_1, ``(1 + 2 K_max sqrt(C_max)) / sqrt(2)``, C_max the larger norm squared."""
        return float((1.0 + 2.0 * self.k_max * self._longest) / np.sqrt(2.0))

    @property
    def a2(self) -> float:
        """The theorem's A_2, ``sqrt(C_B / lambda~_min)``."""
        return float(self.norm_approximate / np.sqrt(self.lambda_min_approximate))

    @property
    def a3(self) -> float:
        """The theorem's A_3, ``K_max sqrt(2 / lambda) sqrt(sqrt(C / lambda_min) + sqrt(C_B / lambda~_min))``.

        C is read as C_max: the proof needs it of both norms.
        """
        inverse = self._longest / np.sqrt(self.lambda_min) if self.lambda_min > 0.0 else np.inf
        return float(self.k_max * np.sqrt(2.0 / self.alpha) * np.sqrt(inverse + self.a2))

    @property
    def sampling_term(self) -> float:
        """The theorem's first term, ``A_1 sqrt(log(4 / delta) / B)``."""
        return float(self.a1 * np.sqrt(np.log(4.0 / self.delta) / self.n_pairs))

    @property
    def kernel_term(self) -> float:
        """The theorem's second term, ``N_max / B (A_2 E sqrt(n) + A_3 sqrt(N_max E n**1.5 / B))``."""
        share = self.n_max / self.n_pairs
        straight = self.a2 * self.kernel_error * np.sqrt(self.n_rows)
        return float(share * (straight + self.a3 * np.sqrt(share * self.kernel_error * self.n_rows**1.5)))

    @property
    def bound(self) -> float:
        """The theorem's right-hand side."""
        return self.sampling_term + self.kernel_term

    @property
    def _longest(self) -> float:
        return max(self.norm_full, self.norm_incomplete)

    def __repr__(self) -> str:
        """Return the two sides and each term, a line each."""
        losses = f"|U_n(f) {self.loss_full:.4g} - U_B(f_B) {self.loss_approximate:.4g}|"
        terms = f"sampling {self.sampling_term:.4g} + kernel {self.kernel_term:.4g}"
        kernel = f"||K - K~||_2 {self.kernel_error:.4g}   lambda_min {self.lambda_min:.4g}"
        norms = f"||f|| {self.norm_full:.4g}   ||f_B|| {self.norm_incomplete:.4g} by the whole kernel"
        return (
            f"measured  {self.measured:.4g} = {losses}, never above 1\n"
            f"bound     {self.bound:.4g} = {terms}, with probability {1.0 - self.delta:g} by the theorem\n"
            f"  A_1 {self.a1:.4g}   A_2 {self.a2:.4g}   A_3 {self.a3:.4g}\n"
            f"  n {self.n_rows:,}   B {self.n_pairs:,}   N_max {self.n_max:,}   lambda {self.alpha:g}\n"
            f"  {kernel}   lambda~+_min {self.lambda_min_approximate:.4g}   K_max {self.k_max:.4g}\n"
            f"  {norms}, {self.norm_approximate:.4g} by the Nyström features"
        )


def error_bound(
    full: KernelROCSVM, approximate: KernelROCSVM, X: Any, y: ArrayLike, *, delta: float = 0.05
) -> ErrorBound:
    """Return the paper's bound on what sampled pairs and Nyström features change, beside the change as measured.

    Where the theorem leaves constants open, they are the least that it allows: norms as they are, not bounds on them.
    Two further fits are made on the way: the approximate model again, to learn its pairs, and one of the whole kernel
    to the same pairs. The kernel matrix and its eigenvalues take memory of order n**2 and time of order n**3.

    The bound is the theorem as printed; ``docs/theory.md`` says where its proof needs mending and why the bound is no
    guide. `rocsvm.certify` with ``against="full"`` proves what a model at hand lacks.

    Parameters
    ----------
    full : KernelROCSVM
        With ``features="exact"`` and ``pairs="all"``, fitted to these rows.
    approximate : KernelROCSVM
        With Nyström features and pairs drawn with replacement, as ``pairs="incomplete"`` has them, fitted to these
        rows with a whole number as ``random_state``; kernel and ``alpha`` as ``full``.
    X : array, sparse array or data frame of shape (n_samples, n_features)
        The rows that both were fitted to.
    y : array of shape (n_samples,)
        Their labels.
    delta : float, default=0.05
        Probability with which the theorem lets the bound fail.

    Returns
    -------
    ErrorBound
        With ``measured``, ``bound`` and every term.

    Examples
    --------
    >>> from rocsvm.datasets import make_roc_radial
    >>> X, y = make_roc_radial(60, random_state=0)
    >>> full = KernelROCSVM(1e-2, kernel="laplacian", features="exact").fit(X, y)
    >>> approximate = KernelROCSVM(1e-2, kernel="laplacian", n_landmarks=20, pairs="incomplete", random_state=0).fit(
    ...     X, y
    ... )
    >>> found = error_bound(full, approximate, X, y)
    >>> found.measured < 1.0 < found.bound
    True
    """
    delta = check_delta(delta)
    check_is_fitted(full)
    check_is_fitted(approximate)
    kept = KeptPairs(check_pair(full, approximate))
    rows, labels = check_X_y(X, y, accept_sparse=("csr", "csc"), dtype=(np.float64, np.float32))
    _, positive = split_labels(labels)
    if not np.array_equal(clone(approximate).set_params(pairs=kept).fit(X, y).coef_, approximate.coef_):
        raise ValueError(
            "The approximate model fitted again is another one, so that the pairs it was fitted to are not known. Fit "
            "it to these X and y, without weights and with a whole number as random_state, such as random_state=0."
        )
    drawn = kept.find_drawn()
    incomplete = clone(full).set_params(pairs=kept).fit(X, y)
    loss_full = AllPairs().bind(positive, None, np.random.default_rng(0)).value(Hinge(), full.decision_function(X))
    norm_full, norm_incomplete, norm_approximate = (
        float(np.linalg.norm(model.coef_)) for model in (full, incomplete, approximate)
    )
    if not np.isclose(loss_full + 0.5 * full.alpha * norm_full**2, full.objective_, rtol=1e-6):
        raise ValueError("The full model was fitted to other rows; fit it to these X and y, without weights.")
    with use_one_thread():
        K = full.features_.kernel_.compare(rows, rows)
        Z = approximate.features_.compute(rows).astype(np.float64)
        lambda_min = find_least(linalg.eigvalsh(K))
        lambda_min_approximate = find_least(linalg.eigvalsh(Z.T @ Z), above_zero=True)
        kernel_error = float(np.abs(linalg.eigvalsh(K - Z @ Z.T)).max())
    return ErrorBound(
        loss_full=loss_full,
        loss_approximate=drawn.value(Hinge(), approximate.decision_function(X)),
        norm_full=norm_full,
        norm_incomplete=norm_incomplete,
        norm_approximate=norm_approximate,
        k_max=float(np.sqrt(K.diagonal().max())),
        kernel_error=kernel_error,
        lambda_min=lambda_min,
        lambda_min_approximate=lambda_min_approximate,
        n_max=int(np.bincount(np.append(drawn.first, drawn.second)).max()),
        n_rows=len(K),
        n_pairs=drawn.size,
        alpha=float(full.alpha),
        delta=delta,
    )


@dataclass
class KeptPairs(AbstractPairs):
    """Pairs drawn once by another scheme, and the same ones ever after."""

    scheme: IncompletePairs

    def __post_init__(self) -> None:
        self._drawn: IncompletePairSums | None = None

    def bind(self, positive: NDArray[np.bool_], weights: Floats | None, rng: np.random.Generator) -> IncompletePairSums:
        """Return the pairs, drawn at the first call."""
        if self._drawn is None:
            self._drawn = self.scheme.bind(positive, weights, rng)
        return self._drawn

    def find_drawn(self) -> IncompletePairSums:
        """Return the pairs drawn."""
        assert self._drawn is not None
        return self._drawn


def check_pair(full: KernelROCSVM, approximate: KernelROCSVM) -> IncompletePairs:
    """Return the scheme that the approximate model's pairs were drawn by; raise ValueError if it is not such a pair."""
    for name, model, kind in (("full", full, ExactKernelFeatures), ("approximate", approximate, NystroemFeatures)):
        if not isinstance(model, KernelROCSVM) or not isinstance(model.features_, kind):
            features = "exact" if kind is ExactKernelFeatures else "nystroem"
            raise ValueError(f"The {name} model is no KernelROCSVM(features={features!r}); the theorem compares such.")
        if not isinstance(resolve_part("loss", model.loss, LOSSES, AbstractLoss), Hinge):
            raise ValueError(f"The {name} model has loss={model.loss!r}; the theorem is about loss='hinge'.")
    if not isinstance(resolve_pairs(full.pairs), AllPairs):
        raise ValueError(f"The full model has pairs={full.pairs!r}; the theorem compares with pairs='all'.")
    scheme = resolve_pairs(approximate.pairs)
    if not isinstance(scheme, IncompletePairs) or not scheme.replace:
        raise ValueError(
            f"The approximate model has pairs={approximate.pairs!r}; the theorem is about pairs drawn with "
            "replacement. Write pairs='incomplete', or a number of pairs."
        )
    if full.alpha != approximate.alpha:
        raise ValueError(f"The models have alpha={full.alpha!r} and {approximate.alpha!r}; fit both with the same.")
    landmarks = approximate.features_.landmarks_
    own, other = (model.features_.kernel_.compare(landmarks, landmarks) for model in (full, approximate))
    if not np.allclose(own, other, rtol=1e-9, atol=0.0):
        raise ValueError("The models have different kernels; give both the same kernel, gamma, degree and coef0.")
    return scheme


def find_least(eigenvalues: Floats, *, above_zero: bool = False) -> float:
    """Return the least of ascending eigenvalues, or the least that is not zero; what may be rounding is zero."""
    floor = len(eigenvalues) * np.finfo(np.float64).eps * eigenvalues[-1]
    kept = np.where(eigenvalues > floor, eigenvalues, 0.0)
    return float((kept[kept > 0.0] if above_zero else kept).min())
