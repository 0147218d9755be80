"""The element types of StableHLO's text: PJRT's numbers for them, and NumPy's dtypes."""

import ml_dtypes
import numpy as np

TYPES = {
    "i1": (1, np.bool_),
    "i8": (2, np.int8),
    "i16": (3, np.int16),
    "i32": (4, np.int32),
    "i64": (5, np.int64),
    "ui8": (6, np.uint8),
    "ui16": (7, np.uint16),
    "ui32": (8, np.uint32),
    "ui64": (9, np.uint64),
    "f16": (10, np.float16),
    "f32": (11, np.float32),
    "f64": (12, np.float64),
    "bf16": (13, ml_dtypes.bfloat16),
    "complex<f32>": (14, np.complex64),
    "complex<f64>": (15, np.complex128),
    "f8E5M2": (16, ml_dtypes.float8_e5m2),
    "f8E4M3FN": (17, ml_dtypes.float8_e4m3fn),
    "f8E4M3B11FNUZ": (18, ml_dtypes.float8_e4m3b11fnuz),
    "f8E5M2FNUZ": (19, ml_dtypes.float8_e5m2fnuz),
    "f8E4M3FNUZ": (20, ml_dtypes.float8_e4m3fnuz),
    "i4": (21, ml_dtypes.int4),
    "ui4": (22, ml_dtypes.uint4),
    "i2": (24, ml_dtypes.int2),
    "ui2": (25, ml_dtypes.uint2),
    "f8E4M3": (26, ml_dtypes.float8_e4m3),
    "f8E3M4": (27, ml_dtypes.float8_e3m4),
    "f8E8M0FNU": (28, ml_dtypes.float8_e8m0fnu),
    "f4E2M1FN": (29, ml_dtypes.float4_e2m1fn),
}
