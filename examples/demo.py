"""What rocsvm does, in seconds: train on all pairs, prove how good the fit is, choose where to cut."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

from rocsvm import LinearROCSVM, certify
from rocsvm.inspection import auc

N_SIMULATED = 1_000_000


def main() -> None:
    X, y = load_breast_cancer(return_X_y=True)
    # Malignant, the smaller class, is what a screening must find: label 0 in this table.
    show("Breast cancer, a table that scikit-learn brings along", StandardScaler().fit_transform(X), y == 0, alpha=1e-2)
    show(f"{N_SIMULATED:,} simulated rows, four in five negative", *simulate(N_SIMULATED), alpha=1e-3)


def simulate(n_rows: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the paper's linear model: the sign of two features' sum plus noise, a fifth positive."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_rows, 2))
    response = X.sum(axis=1) + rng.normal(size=n_rows)
    return X, response > np.quantile(response, 0.8)


def show(title: str, X: np.ndarray, y: np.ndarray, alpha: float) -> None:
    X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.3, stratify=y, random_state=0)
    n_pairs = int(y_train.sum()) * int((~y_train).sum())
    print(f"\n{title}")
    print(f"  {len(y_train):,} rows to train on, {X.shape[1]} features; {n_pairs:,} pairs of a positive and a negative")

    model = LinearROCSVM(alpha=alpha, operating_point={"sensitivity": 0.95}, random_state=0)
    # A few rows first, so that compiling the loops is not counted.
    model.fit(X_train[:500], y_train[:500])
    seconds = clock(model.fit, X_train, y_train)
    rival = LogisticRegression()
    seconds_rival = clock(rival.fit, X_train, y_train)

    print(f"  {'':22}{'seconds':>9}{'test AUC':>10}{'objective over all pairs':>26}{'proved within':>15}")
    for name, fitted, taken in (("LinearROCSVM", model, seconds), ("LogisticRegression", rival, seconds_rival)):
        proof = certify(fitted, X_train, y_train, alpha=alpha)
        test_auc = auc(y_test, fitted.decision_function(X_test))
        row = f"{taken:>9.3f}{test_auc:>10.4f}{proof.objective:>26.5f}{proof.relative_gap:>14.2%}"
        print(f"  {name:22}{row} of the best")

    found = model.predict(X_test)
    print(
        f"  cut for 95 % sensitivity: on the test rows it finds {found[y_test].mean():.1%} of the positives "
        f"and clears {1.0 - found[~y_test].mean():.1%} of the negatives"
    )


def clock(fit: Callable[..., object], X: np.ndarray, y: np.ndarray) -> float:
    start = time.perf_counter()
    fit(X, y)
    return time.perf_counter() - start


if __name__ == "__main__":
    main()
