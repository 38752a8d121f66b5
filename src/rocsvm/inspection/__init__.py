"""What labels and scores alone say of a ranking: its AUC, and where to cut it into two classes."""

from rocsvm.inspection._auc import auc
from rocsvm.inspection._cv_display import CVResultDisplay
from rocsvm.inspection._operating_point import OperatingPoint, check_operating_point, find_threshold
from rocsvm.inspection._path_display import RocPathDisplay

__all__ = ["CVResultDisplay", "OperatingPoint", "RocPathDisplay", "auc", "check_operating_point", "find_threshold"]
