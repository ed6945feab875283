"""Widgets that show the engine at work in JupyterLab.

>>> GraphPlayer()
GraphPlayer(0 steps)
"""

from .catalogue import get_language, set_language
from .player import GraphPlayer

__all__ = ["GraphPlayer", "get_language", "set_language"]
