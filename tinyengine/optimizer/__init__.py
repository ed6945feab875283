"""Ways of changing parameters by their gradients. ``import tinyengine.optimizer as optim``."""

from .adagrad import Adadelta, Adagrad
from .adam import LAMB, Adam, AdamW
from .clip_grad import clip_grad_norm, clip_grad_value
from .lr_scheduler import LRScheduler, MultiStepLR
from .optimizer import Optimizer
from .sgd import SGD

__all__ = [
    "LAMB",
    "SGD",
    "Adadelta",
    "Adagrad",
    "Adam",
    "AdamW",
    "LRScheduler",
    "MultiStepLR",
    "Optimizer",
    "clip_grad_norm",
    "clip_grad_value",
]
