"""Python imports this by itself where PYTHONPATH names the folder. Parts of NumPy that few tests use are loaded when they are: at
every start they take as long as a small test does."""
import importlib
import sys
import types


class Later(types.ModuleType):
    def __getattr__(self, name):
        if sys.modules.get(self.__name__) is self:
            del sys.modules[self.__name__]
        return getattr(importlib.import_module(self.__name__), name)


for part in ("ctypeslib", "fft", "ma", "polynomial", "random"):
    sys.modules["numpy." + part] = Later("numpy." + part)
