"""Compile kernels that others inline, without machine code of their own.

numba turns each compiled function into machine code and keeps its LLVM code beside it, for
functions that inline it. Hot kernels that kernels call need nothing but the latter. Machine code
for them is a large part of what compiling takes.
"""

from __future__ import annotations

from typing import Any

import llvmlite.binding as llvm
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler

# numba's types differ between the versions we support.
_Library: Any = JITCodeLibrary
_Compiler: Any = Compiler

_ENVIRONMENT = "_ZN08NumbaEnv"
"""How the names of variables begin that numba sets when it has loaded a function."""


class _InlinedLibrary(_Library):  # type: ignore[misc]
    """The code of one function: LLVM code to link, and machine code of its variables alone."""

    _final_module: Any
    """numba's LLVM module of the function and of all that it calls."""

    def _finalize_final_module(self) -> None:
        whole = self._final_module
        self._finalized = True  # else asking for the code to link would finalize again
        self._get_module_for_linking()
        self._finalized = False
        kept = [str(one) for one in whole.global_variables if one.name.startswith(_ENVIRONMENT)]
        empty = str(self._codegen._create_empty_module(self.name))
        self._final_module = llvm.parse_assembly("\n".join([empty, *kept]))
        self._final_module.name = whole.name
        super()._finalize_final_module()


class _LateLibrary(_InlinedLibrary):
    """The same, for code that is optimized only where it has been inlined."""

    def _optimize_final_module(self) -> None:
        """Leave the code as it is."""


class InlinedCompiler(_Compiler):  # type: ignore[misc]
    """numba's compiler, for functions that only other compiled functions call, which inline
    them."""

    library: type = _InlinedLibrary

    def compile_extra(self, function: Any) -> Any:
        """Compile `function`, as numba's compiler does."""
        codegen = self.state.targetctx.codegen()
        self.state.library = self.library(codegen, function.__qualname__)
        self.state.library.enable_object_caching()
        return super().compile_extra(function)


class LateCompiler(InlinedCompiler):
    """The same, but optimize a function only where it has been inlined. Otherwise what functions
    inline is optimized again at each level of calls."""

    library = _LateLibrary
