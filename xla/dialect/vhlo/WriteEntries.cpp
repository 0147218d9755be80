//===- WriteEntries.cpp - Attributes and types of artifacts ---------------===//

#include "xla/dialect/vhlo/ArtifactWriter.h"

#include "xla/dialect/stablehlo/StablehloOps.h"

#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace xla::vhlo {

//===----------------------------------------------------------------------===//
// MLIR's own attributes and types
//===----------------------------------------------------------------------===//

bool ArtifactWriter::writeLocation(LocationAttr location, ByteWriter &out) {
  auto builtin = [&](Attribute value) {
    return attribute(value, Form::Builtin);
  };
  return llvm::TypeSwitch<Attribute, bool>(location)
      .Case([&](CallSiteLoc call) {
        out.number(10);
        out.number(builtin(call.getCallee()));
        out.number(builtin(call.getCaller()));
        return true;
      })
      // The end of a range came with 1.9; its start says where to look.
      .Case([&](FileLineColRange range) {
        out.number(11);
        out.number(builtin(range.getFilename()));
        out.number(range.getStartLine());
        out.number(range.getStartColumn());
        return true;
      })
      .Case([&](FusedLoc fused) {
        out.number(fused.getMetadata() ? 13 : 12);
        out.number(fused.getLocations().size());
        for (Location part : fused.getLocations()) {
          out.number(builtin(part));
        }
        if (fused.getMetadata()) {
          out.number(builtin(fused.getMetadata()));
        }
        return true;
      })
      .Case([&](NameLoc name) {
        out.number(14);
        out.number(builtin(name.getName()));
        out.number(builtin(name.getChildLoc()));
        return true;
      })
      .Default([&](Attribute) {
        out.number(15); // unknown
        return true;
      });
}

bool ArtifactWriter::writeBuiltin(Attribute value, ByteWriter &out) {
  auto builtin = [&](Attribute part) { return attribute(part, Form::Builtin); };
  if (auto location = dyn_cast<LocationAttr>(value)) {
    return writeLocation(location, out);
  }
  return llvm::TypeSwitch<Attribute, bool>(value)
      .Case([&](ArrayAttr array) {
        out.number(0);
        out.number(array.size());
        for (Attribute element : array) {
          out.number(builtin(element));
        }
        return true;
      })
      .Case([&](DictionaryAttr dictionary) {
        out.number(1);
        out.number(dictionary.size());
        for (NamedAttribute entry : dictionary) {
          out.number(builtin(entry.getName()));
          out.number(builtin(entry.getValue()));
        }
        return true;
      })
      .Case([&](StringAttr string) {
        out.number(2);
        out.number(text(string.getValue()));
        return true;
      })
      .Case([&](FlatSymbolRefAttr symbol) {
        out.number(4);
        out.number(builtin(symbol.getRootReference()));
        return true;
      })
      .Case([&](TypeAttr held) {
        out.number(6);
        out.number(type(held.getValue(), Form::Builtin));
        return true;
      })
      .Case([&](UnitAttr) {
        out.number(7);
        return true;
      })
      .Case([&](IntegerAttr integer) {
        out.number(8);
        out.number(type(integer.getType(), Form::Builtin));
        out.bits(integer.getValue());
        return true;
      })
      .Case([&](FloatAttr number) {
        out.number(9);
        out.number(type(number.getType(), Form::Builtin));
        out.bits(number.getValue().bitcastToAPInt());
        return true;
      })
      .Default([](Attribute) { return false; });
}

bool ArtifactWriter::writeBuiltin(Type value, ByteWriter &out) {
  if (auto integer = dyn_cast<IntegerType>(value)) {
    out.number(0);
    unsigned sign = integer.isSignless() ? 0 : integer.isSigned() ? 1 : 2;
    out.number(uint64_t(integer.getWidth()) << 2 | sign);
    return true;
  }
  int code = isa<IndexType>(value)      ? 1
             : isa<BFloat16Type>(value) ? 3
             : value.isF16()            ? 4
             : value.isF32()            ? 5
             : value.isF64()            ? 6
             : isa<NoneType>(value)     ? 12
                                        : -1;
  if (code < 0) {
    return false;
  }
  out.number(code);
  return true;
}

//===----------------------------------------------------------------------===//
// VHLO's types
//===----------------------------------------------------------------------===//

static int plainTypeCode(Type type) {
  if (auto integer = dyn_cast<IntegerType>(type)) {
    bool isUnsigned = integer.isUnsigned();
    switch (integer.getWidth()) {
    case 1:
      return isUnsigned ? -1 : 0;
    case 2:
      return isUnsigned ? 32 : 31;
    case 4:
    case 8:
    case 16:
    case 32:
    case 64:
      return (isUnsigned ? 15 : 10) + int(llvm::Log2_32(integer.getWidth())) -
             2;
    default:
      return -1;
    }
  }
  return llvm::TypeSwitch<Type, int>(type)
      .Case([](BFloat16Type) { return 2; })
      .Case([](Float16Type) { return 3; })
      .Case([](Float32Type) { return 4; })
      .Case([](Float64Type) { return 5; })
      .Case([](Float8E4M3FNType) { return 6; })
      .Case([](Float8E5M2Type) { return 7; })
      .Case([](IndexType) { return 9; })
      .Case([](stablehlo::TokenType) { return 22; })
      .Case([](Float8E4M3FNUZType) { return 27; })
      .Case([](Float8E5M2FNUZType) { return 28; })
      .Case([](Float8E4M3B11FNUZType) { return 29; })
      .Case([](NoneType) { return 33; })
      .Case([](FloatTF32Type) { return 34; })
      .Case([](Float8E4M3Type) { return 35; })
      .Case([](Float8E3M4Type) { return 36; })
      .Case([](Float4E2M1FNType) { return 37; })
      .Case([](Float6E2M3FNType) { return 38; })
      .Case([](Float6E3M2FNType) { return 39; })
      .Case([](Float8E8M0FNUType) { return 40; })
      .Default([](Type) { return -1; });
}

/// The minor version 1.x in which a type came.
static int introducedIn(int typeCode) {
  return typeCode == 31 || typeCode == 32   ? 2
         : typeCode == 35 || typeCode == 36 ? 7
         : typeCode >= 37 && typeCode <= 40 ? 8
                                            : 0;
}

bool ArtifactWriter::writeVhlo(Type value, ByteWriter &out) {
  if (int code = plainTypeCode(value); code >= 0) {
    if (isOlder(target, {1, introducedIn(code), 0})) {
      std::string name;
      llvm::raw_string_ostream(name) << value;
      refuse("type " + name + " came with StableHLO 1." +
             llvm::Twine(introducedIn(code)) + ", and the target is " +
             toText(target));
    }
    out.number(code);
    return true;
  }
  auto list = [&](TypeRange parts) {
    out.number(parts.size());
    for (Type part : parts) {
      out.number(type(part));
    }
  };
  return llvm::TypeSwitch<Type, bool>(value)
      .Case([&](ComplexType complex) {
        out.number(1);
        out.number(type(complex.getElementType()));
        return true;
      })
      .Case([&](FunctionType function) {
        out.number(8);
        list(function.getInputs());
        list(function.getResults());
        return true;
      })
      .Case([&](RankedTensorType tensor) {
        out.number(tensor.getEncoding() ? 21 : 20);
        if (tensor.getEncoding()) {
          out.number(attribute(tensor.getEncoding(), Form::Vhlo));
        }
        out.signedNumbers(tensor.getShape());
        out.number(type(tensor.getElementType()));
        return true;
      })
      .Case([&](TupleType tuple) {
        out.number(23);
        list(tuple.getTypes());
        return true;
      })
      .Default([&](Type) {
        std::string name;
        llvm::raw_string_ostream(name) << value;
        refuse("type " + name + " cannot be written to a portable artifact");
        return false;
      });
}

//===----------------------------------------------------------------------===//
// VHLO's attributes
//===----------------------------------------------------------------------===//

bool ArtifactWriter::writeEnum(Attribute value, ByteWriter &out) {
  auto write = [&](uint64_t code, auto symbol) {
    out.number(code);
    out.number(static_cast<uint64_t>(symbol));
    return true;
  };
  return llvm::TypeSwitch<Attribute, bool>(value)
      .Case([&](stablehlo::ComparisonDirectionAttr a) {
        return write(3, a.getValue());
      })
      .Case([&](stablehlo::ComparisonTypeAttr a) {
        return write(4, a.getValue());
      })
      .Case([&](stablehlo::FftTypeAttr a) { return write(7, a.getValue()); })
      .Case([&](stablehlo::PrecisionAttr a) { return write(11, a.getValue()); })
      .Case([&](stablehlo::RngAlgorithmAttr a) {
        return write(12, a.getValue());
      })
      .Case([&](stablehlo::RngDistributionAttr a) {
        return write(13, a.getValue());
      })
      .Case([&](stablehlo::TransposeAttr a) { return write(16, a.getValue()); })
      .Case([&](stablehlo::ResultAccuracyModeAttr a) {
        return write(19, a.getValue());
      })
      .Default([](Attribute) { return false; });
}

/// Row-major bytes; one element of a splat; booleans packed from below.
void ArtifactWriter::writeTensor(DenseElementsAttr value, ByteWriter &out) {
  out.number(15);
  out.number(type(value.getType()));
  if (value.empty()) {
    out.blob("");
    return;
  }
  if (!value.getElementType().isInteger(1)) {
    ArrayRef<char> raw = value.getRawData();
    out.blob(StringRef(raw.data(), raw.size()));
    return;
  }
  std::string packed;
  if (value.isSplat()) {
    packed.push_back(value.getSplatValue<bool>() ? '\xff' : '\0');
  } else {
    packed.resize((value.getNumElements() + 7) / 8);
    for (auto [i, bit] : llvm::enumerate(value.getValues<bool>())) {
      packed[i / 8] = char(packed[i / 8] | (bit << (i % 8)));
    }
  }
  out.blob(packed);
}

bool ArtifactWriter::writeVhlo(Attribute value, ByteWriter &out) {
  auto vhlo = [&](Attribute part) { return attribute(part, Form::Vhlo); };
  if (writeEnum(value, out)) {
    return true;
  }
  return llvm::TypeSwitch<Attribute, bool>(value)
      .Case([&](ArrayAttr array) {
        out.number(1);
        out.number(array.size());
        for (Attribute element : array) {
          out.number(vhlo(element));
        }
        return true;
      })
      .Case<BoolAttr, UnitAttr>([&](auto flag) {
        auto boolean = dyn_cast<BoolAttr>(Attribute(flag));
        out.number(2);
        out.number(!boolean || boolean.getValue());
        return true;
      })
      .Case([&](DictionaryAttr dictionary) {
        out.number(6);
        out.number(dictionary.size());
        for (NamedAttribute entry : dictionary) {
          out.number(vhlo(entry.getName()));
          out.number(vhlo(entry.getValue()));
        }
        return true;
      })
      .Case([&](FloatAttr number) {
        out.number(8);
        out.number(type(number.getType()));
        out.bits(number.getValue().bitcastToAPInt());
        return true;
      })
      .Case([&](IntegerAttr integer) {
        out.number(9);
        out.number(type(integer.getType()));
        out.bits(integer.getValue());
        return true;
      })
      .Case([&](stablehlo::OutputOperandAliasAttr alias) {
        out.number(10);
        out.signedNumbers(alias.getOutputTupleIndices());
        out.signedNumber(alias.getOperandIndex());
        out.signedNumbers(alias.getOperandTupleIndices());
        return true;
      })
      .Case([&](StringAttr string) {
        out.number(14);
        out.number(text(string.getValue()));
        return true;
      })
      .Case([&](FlatSymbolRefAttr symbol) {
        out.number(14);
        out.number(text(symbol.getValue()));
        return true;
      })
      .Case([&](DenseElementsAttr dense) {
        writeTensor(dense, out);
        return true;
      })
      .Case([&](DenseBoolArrayAttr array) {
        writeTensor(DenseElementsAttr::get(
                        RankedTensorType::get({int64_t(array.size())},
                                              array.getElementType()),
                        array.asArrayRef()),
                    out);
        return true;
      })
      .Case([&](DenseArrayAttr array) {
        writeTensor(DenseElementsAttr::getFromRawBuffer(
                        RankedTensorType::get({int64_t(array.size())},
                                              array.getElementType()),
                        array.getRawData()),
                    out);
        return true;
      })
      .Case([&](TypeAttr held) {
        out.number(17);
        out.number(type(held.getValue()));
        return true;
      })
      .Case([&](stablehlo::TypeExtensionsAttr extensions) {
        out.number(18);
        out.signedNumbers(extensions.getBounds());
        return true;
      })
      .Case([&](stablehlo::ResultAccuracyAttr accuracy) {
        out.number(20);
        out.bits(accuracy.getAtol().bitcastToAPInt());
        out.bits(accuracy.getRtol().bitcastToAPInt());
        out.signedNumber(accuracy.getUlps());
        out.number(vhlo(accuracy.getMode()));
        return true;
      })
      .Default([](Attribute) { return false; });
}

//===----------------------------------------------------------------------===//
// Entries
//===----------------------------------------------------------------------===//

bool ArtifactWriter::writeAttribute(AttributeKey key, ByteWriter &out) {
  auto [value, number] = key;
  bool isOurs = !isOfOtherDialect(value);
  if (!isOurs && writeOther(value, out)) {
    return true;
  }
  bool isWritten = false;
  switch (Form(number)) {
  case Form::Builtin:
    isWritten = isOurs && writeBuiltin(value, out);
    break;
  case Form::Vhlo:
    isWritten = isOurs && writeVhlo(value, out);
    break;
  case Form::ApiVersion:
    out.number(5);
    out.number(cast<IntegerAttr>(value).getValue().getZExtValue());
    return true;
  case Form::Mixed: {
    auto dictionary = cast<DictionaryAttr>(value);
    out.number(1);
    out.number(dictionary.size());
    for (NamedAttribute entry : dictionary) {
      out.number(attribute(entry.getName(), Form::Builtin));
      out.number(attribute(entry.getValue(), Form::Vhlo));
    }
    return true;
  }
  }
  if (isWritten) {
    return true;
  }
  // What has no encoding goes as text.
  std::string printed;
  llvm::raw_string_ostream(printed) << value;
  if (isOurs && Form(number) == Form::Vhlo) {
    refuse("attribute " + printed +
           " cannot be written to a portable artifact");
  }
  out.terminated(printed);
  return false;
}

bool ArtifactWriter::writeType(TypeKey key, ByteWriter &out) {
  auto [value, number] = key;
  if (Form(number) == Form::Vhlo) {
    return writeVhlo(value, out);
  }
  if (writeBuiltin(value, out)) {
    return true;
  }
  std::string printed;
  llvm::raw_string_ostream(printed) << value;
  out.terminated(printed);
  return false;
}

} // namespace xla::vhlo
