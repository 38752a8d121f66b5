"""The classifiers."""

from rocsvm.estimators._linear import LinearROCSVM

__all__ = ["LinearROCSVM"]
