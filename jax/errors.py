"""The exceptions that JAX raises."""

from jax._src.base.errors import (
    ConcretizationTypeError as ConcretizationTypeError,
    DeletedArrayError as DeletedArrayError,
    InconclusiveDimensionOperation as InconclusiveDimensionOperation,
    JAXIndexError as JAXIndexError,
    JaxprTypeError as JaxprTypeError,
    JaxRuntimeError as JaxRuntimeError,
    JAXTypeError as JAXTypeError,
    KeyReuseError as KeyReuseError,
    NonConcreteBooleanIndexError as NonConcreteBooleanIndexError,
    RecompilationWarning as RecompilationWarning,
    RepeatedWorkWarning as RepeatedWorkWarning,
    TracerArrayConversionError as TracerArrayConversionError,
    TracerBoolConversionError as TracerBoolConversionError,
    TracerIntegerConversionError as TracerIntegerConversionError,
    UnexpectedCompilationError as UnexpectedCompilationError,
    UnexpectedTracerError as UnexpectedTracerError,
    UnfitArgumentError as UnfitArgumentError,
)
