"""What is proved of sampled pairs and Nyström features: the paper's theorem, and a corrected bound."""

from rocsvm.theory._sampling import SamplingBound, sampling_bound
from rocsvm.theory._theorem import ErrorBound, error_bound

__all__ = ["ErrorBound", "SamplingBound", "error_bound", "sampling_bound"]
