//===- Dlpack.h - DLPack's binary interface ---------------------*- C++ -*-===//
//
// Version 1 of the structures that libraries share arrays by, and what came
// before it.
//
//===----------------------------------------------------------------------===//

#ifndef JAXLIB_PY_DLPACK_H
#define JAXLIB_PY_DLPACK_H

#include "xla/support/Shape.h"

#include <cstdint>

namespace jaxlib::dlpack {

constexpr int32_t deviceCpu = 1;

struct DlpackDevice {
  int32_t type;
  int32_t id;
};

struct DataType {
  uint8_t code;
  uint8_t bits;
  uint16_t lanes;
};

struct Tensor {
  void *data;
  DlpackDevice device;
  int32_t rank;
  DataType type;
  int64_t *shape;
  int64_t *strides; ///< in elements; null: dense and row-major
  uint64_t byteOffset;
};

struct Managed {
  Tensor tensor;
  void *context;
  void (*deleter)(Managed *); ///< may be null: nothing to do
};

struct ManagedVersioned {
  uint32_t major;
  uint32_t minor;
  void *context;
  void (*deleter)(ManagedVersioned *); ///< may be null: nothing to do
  uint64_t flags;
  Tensor tensor;
};

constexpr uint64_t flagReadOnly = 1;
constexpr uint64_t flagIsCopied = 2;

// Names of capsules, before and after somebody took what they hold.
constexpr const char *plainName = "dltensor";
constexpr const char *versionedName = "dltensor_versioned";
constexpr const char *usedPlainName = "used_dltensor";
constexpr const char *usedVersionedName = "used_dltensor_versioned";

struct TypeCode {
  xla::ElementType type;
  uint8_t code;
  uint8_t bits;
};

constexpr TypeCode typeCodes[] = {
    {xla::ElementType::Pred, 6, 8},
    {xla::ElementType::S8, 0, 8},
    {xla::ElementType::S16, 0, 16},
    {xla::ElementType::S32, 0, 32},
    {xla::ElementType::S64, 0, 64},
    {xla::ElementType::U8, 1, 8},
    {xla::ElementType::U16, 1, 16},
    {xla::ElementType::U32, 1, 32},
    {xla::ElementType::U64, 1, 64},
    {xla::ElementType::F16, 2, 16},
    {xla::ElementType::F32, 2, 32},
    {xla::ElementType::F64, 2, 64},
    {xla::ElementType::BF16, 4, 16},
    {xla::ElementType::C64, 5, 64},
    {xla::ElementType::C128, 5, 128},
    // Since version 1.1.
    {xla::ElementType::F8E3M4, 7, 8},
    {xla::ElementType::F8E4M3, 8, 8},
    {xla::ElementType::F8E4M3B11FNUZ, 9, 8},
    {xla::ElementType::F8E4M3FN, 10, 8},
    {xla::ElementType::F8E4M3FNUZ, 11, 8},
    {xla::ElementType::F8E5M2, 12, 8},
    {xla::ElementType::F8E5M2FNUZ, 13, 8},
    {xla::ElementType::F8E8M0FNU, 14, 8},
};

} // namespace jaxlib::dlpack

#endif // JAXLIB_PY_DLPACK_H
