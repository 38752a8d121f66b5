"""The paper's experiments: its tables cell by cell, its method beside ours, and a report."""

from rocsvm.experiments._cells import QUICK_REPEATS, REPEATS, TABLES, Cell, list_cells
from rocsvm.experiments._machine import describe_machine
from rocsvm.experiments._problems import RealSets
from rocsvm.experiments._report import write_report
from rocsvm.experiments._results import Ledger, Result, Summary, summarise
from rocsvm.experiments._run import Pace, Task, find_open, list_tasks, run_task, warm_up
from rocsvm.experiments._studies import Finding, answer, find_unanswered, list_questions, name_kind

__all__ = [
    "QUICK_REPEATS",
    "REPEATS",
    "TABLES",
    "Cell",
    "Finding",
    "Ledger",
    "Pace",
    "RealSets",
    "Result",
    "Summary",
    "Task",
    "answer",
    "describe_machine",
    "find_open",
    "find_unanswered",
    "list_cells",
    "list_questions",
    "list_tasks",
    "name_kind",
    "run_task",
    "summarise",
    "warm_up",
    "write_report",
]
