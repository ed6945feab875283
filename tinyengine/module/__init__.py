"""Models and their layers, under MegEngine's names. ``import tinyengine.module as M``."""

from . import init
from .activations import GELU, LeakyReLU, PReLU, ReLU, Sigmoid, SiLU, Softmax
from .attention import MultiHeadAttention
from .conv import Conv1d, Conv2d, Conv3d, ConvTranspose2d, ConvTranspose3d
from .linear import Dropout, Embedding, Identity, Linear
from .module import Module
from .normalization import BatchNorm1d, BatchNorm2d, GroupNorm, InstanceNorm, LayerNorm
from .pooling import AdaptiveAvgPool2d, AdaptiveMaxPool2d, AvgPool2d, MaxPool2d
from .rearranging import Pad, PixelShuffle, SlidingWindow
from .recurrent import LSTM, RNN, LSTMCell, RNNCell
from .sequential import Sequential

__all__ = [
    "GELU",
    "LSTM",
    "RNN",
    "AdaptiveAvgPool2d",
    "AdaptiveMaxPool2d",
    "AvgPool2d",
    "BatchNorm1d",
    "BatchNorm2d",
    "Conv1d",
    "Conv2d",
    "Conv3d",
    "ConvTranspose2d",
    "ConvTranspose3d",
    "Dropout",
    "Embedding",
    "GroupNorm",
    "Identity",
    "InstanceNorm",
    "LSTMCell",
    "LayerNorm",
    "LeakyReLU",
    "Linear",
    "MaxPool2d",
    "Module",
    "MultiHeadAttention",
    "PReLU",
    "Pad",
    "PixelShuffle",
    "RNNCell",
    "ReLU",
    "Sequential",
    "SiLU",
    "Sigmoid",
    "SlidingWindow",
    "Softmax",
    "init",
]
