import UWBDSP
