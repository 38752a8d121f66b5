"""Rivals side by side: one command per kind of model, one file per job."""
