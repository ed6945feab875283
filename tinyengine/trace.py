class Trace: pass
