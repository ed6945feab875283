"""Functions of neural networks: activations, layers, normalisation; and the losses."""

from ..loss import *
from ..math.linalg import normalize as normalize
from ..names import _offer_functions
from .activations import *
from .attention import *
from .classes import *
from .dropout import *
from .layers import *
from .linear import *
from .normalization import *
from .padding import *
from .pooling import *
from .rearranging import *
from .response import *
from .softmax import *

_offer_functions(globals())
