//===- TIRxTypes.cpp - buffers, barriers, tensor maps ---------------------===//

#include "EnumSyntax.h"

#include "tirx/Layout/HardwareLimits.h"
#include "tirx/Layout/Proofs.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tirx::ir;
namespace layout = tirx::layout;

unsigned tirx::ir::getSwizzleBytes(SwizzleMode mode) {
  // Both 128-byte modes span the same; they differ in what they move.
  unsigned width = std::min((unsigned)mode, (unsigned)SwizzleMode::swizzle128B);
  return width ? 16u << width : 0;
}

static void printShape(AsmPrinter &printer, llvm::ArrayRef<int64_t> shape,
                       Type elementType) {
  for (int64_t extent : shape) {
    if (ShapedType::isDynamic(extent))
      printer << "?x";
    else
      printer << extent << 'x';
  }
  printer << elementType;
}

//===----------------------------------------------------------------------===//
// BufferType
//===----------------------------------------------------------------------===//

Type BufferType::parse(AsmParser &parser) {
  SmallVector<int64_t> shape;
  Type elementType;
  LayoutAttr layout;
  SMLoc location = parser.getCurrentLocation();
  if (parser.parseLess() || parser.parseDimensionList(shape) ||
      parser.parseType(elementType) || parser.parseComma())
    return {};
  // Layouts are aliases or written out; memory spaces are keywords.
  MemorySpace space;
  llvm::StringRef spaceName;
  SMLoc spaceLocation = parser.getCurrentLocation();
  if (succeeded(parser.parseOptionalKeyword(&spaceName))) {
    if (resolveEnumKeyword(parser, spaceLocation, spaceName, space))
      return {};
  } else if (parser.parseAttribute(layout) || parser.parseComma() ||
             parseEnumKeyword(parser, space)) {
    return {};
  }
  if (parser.parseGreater())
    return {};
  return parser.getChecked<BufferType>(location, parser.getContext(),
                                       ArrayRef<int64_t>(shape), elementType,
                                       layout, space);
}

void BufferType::print(AsmPrinter &printer) const {
  printer << '<';
  printShape(printer, getShape(), getElementType());
  if (getLayout())
    printer << ", " << getLayout();
  printer << ", " << stringifyMemorySpace(getSpace()) << '>';
}

/// Bytes are what memory and TMA count in.
static LogicalResult
verifyElementType(llvm::function_ref<InFlightDiagnostic()> emitError,
                  Type elementType) {
  if (!elementType.isIntOrFloat())
    return emitError() << "element type must be an integer or a float, not "
                       << elementType;
  unsigned bits = elementType.getIntOrFloatBitWidth();
  if (bits % 8 || bits > 64)
    return emitError()
           << "elements of " << bits
           << " bits are not supported: they must fill 1 to 8 bytes";
  return success();
}

static LogicalResult
verifyTmemLayout(llvm::function_ref<InFlightDiagnostic()> emitError,
                 LayoutAttr attr, unsigned elementBits) {
  const layout::Layout &value = attr.getValue();
  if (value.swizzle)
    return emitError() << "layout " << attr
                       << " of tensor memory may not be swizzled";
  for (layout::Axis axis : layout::axes(value.tile))
    if (axis != layout::Axis::TLane && axis != layout::Axis::TCol)
      return emitError() << "layout " << attr << " of tensor memory uses axis "
                         << layout::toString(axis)
                         << "; tensor memory has TLane and TCol";
  layout::AxisValues bounds;
  bounds.set(layout::Axis::TLane, layout::kTmemLanes);
  bounds.set(layout::Axis::TCol, layout::kTmemColumns * 32 / elementBits);
  auto inBounds = layout::proveInBounds(value, bounds);
  if (!inBounds || !*inBounds)
    return emitError() << "layout " << attr << ": "
                       << (inBounds ? inBounds->witness->message
                                    : inBounds.error().message)
                       << " (tensor memory has 128 lanes and 512 columns of 32 "
                          "bits)";
  return success();
}

LogicalResult
BufferType::verify(llvm::function_ref<InFlightDiagnostic()> emitError,
                   llvm::ArrayRef<int64_t> shape, Type elementType,
                   LayoutAttr attr, MemorySpace space) {
  if (shape.empty())
    return emitError() << "a buffer needs at least one dimension";
  if (failed(verifyElementType(emitError, elementType)))
    return failure();
  unsigned bits = elementType.getIntOrFloatBitWidth();
  int64_t elements = 1;
  for (int64_t extent : shape) {
    if (ShapedType::isDynamic(extent))
      continue;
    if (extent <= 0)
      return emitError() << "extent " << extent << " must be positive";
    if (llvm::MulOverflow(elements, extent, elements) ||
        elements > layout::kMaxSize)
      return emitError() << "a buffer has at most 2^40 elements";
  }
  if (space == MemorySpace::global) {
    if (attr)
      return emitError() << "a global buffer has no layout: its strides are "
                            "known at launch";
    return success();
  }
  if (!attr)
    return emitError() << "a " << stringifyMemorySpace(space)
                       << " buffer needs a layout";
  if (ShapedType::isDynamicShape(shape))
    return emitError() << "a " << stringifyMemorySpace(space)
                       << " buffer needs static extents";
  const layout::Layout &value = attr.getValue();
  if (auto covers = layout::checkCovers(value, shape); !covers)
    return emitError() << "layout " << attr << ": " << covers.error().message;
  if (space == MemorySpace::tmem) {
    if (failed(verifyTmemLayout(emitError, attr, bits)))
      return failure();
  } else {
    for (layout::Axis axis : layout::axes(value.tile))
      if (axis != layout::Axis::m)
        return emitError() << "layout " << attr
                           << " of shared memory uses axis "
                           << layout::toString(axis)
                           << "; shared memory has only m";
    if (layout::range(value.tile, layout::Axis::m).min < 0)
      return emitError() << "layout " << attr
                         << " reaches below the start of the buffer";
  }
  auto injective = layout::proveInjective(value);
  if (!injective || !*injective)
    return emitError() << "layout " << attr << ": "
                       << (injective ? injective->witness->message
                                     : injective.error().message);
  return success();
}

bool BufferType::hasStaticShape() const {
  return !ShapedType::isDynamicShape(getShape());
}

int64_t BufferType::getNumElements() const {
  return ShapedType::getNumElements(getShape());
}

unsigned BufferType::getElementBits() const {
  return getElementType().getIntOrFloatBitWidth();
}

int64_t BufferType::getStorageBytes() const {
  if (!getLayout())
    return getTileBytes();
  const layout::Layout &value = getLayout().getValue();
  int64_t elements = layout::span(value.tile, layout::Axis::m);
  // A swizzle permutes whole periods.
  if (value.swizzle)
    elements = llvm::alignTo(elements, value.swizzle->period());
  return elements * getElementBits() / 8;
}

int64_t BufferType::getTileBytes() const {
  return getNumElements() * getElementBits() / 8;
}

//===----------------------------------------------------------------------===//
// BarrierType
//===----------------------------------------------------------------------===//

LogicalResult
BarrierType::verify(llvm::function_ref<InFlightDiagnostic()> emitError,
                    int64_t slots) {
  if (slots < 1)
    return emitError() << "a barrier array needs at least one slot, not "
                       << slots;
  return success();
}

//===----------------------------------------------------------------------===//
// PipelineType
//===----------------------------------------------------------------------===//

Type PipelineType::parse(AsmParser &parser) {
  int64_t stages;
  SmallVector<BufferType> tiles;
  SMLoc location = parser.getCurrentLocation();
  auto parseTile = [&]() -> ParseResult {
    SMLoc where = parser.getCurrentLocation();
    Type type;
    if (parser.parseType(type))
      return failure();
    auto buffer = dyn_cast<BufferType>(type);
    if (!buffer)
      return parser.emitError(where) << "a stage holds buffers, not " << type;
    tiles.push_back(buffer);
    return success();
  };
  if (parser.parseLess() || parser.parseInteger(stages) ||
      parser.parseKeyword("x") || parser.parseCommaSeparatedList(parseTile) ||
      parser.parseGreater())
    return {};
  return parser.getChecked<PipelineType>(location, parser.getContext(), stages,
                                         ArrayRef<BufferType>(tiles));
}

void PipelineType::print(AsmPrinter &printer) const {
  printer << '<' << getStages() << " x ";
  llvm::interleaveComma(getTiles(), printer,
                        [&](BufferType tile) { printer << tile; });
  printer << '>';
}

LogicalResult
PipelineType::verify(llvm::function_ref<InFlightDiagnostic()> emitError,
                     int64_t stages, llvm::ArrayRef<BufferType> tiles) {
  if (stages < 1)
    return emitError() << "a pipeline needs at least one stage, not " << stages;
  // Two mbarriers of 8 bytes a stage: no CTA has shared memory for more (CUDA
  // programming guide, compute capabilities: 227 KB).
  constexpr int64_t maxStages = 16384;
  if (stages > maxStages)
    return emitError() << "a pipeline has at most " << maxStages
                       << " stages, whose mbarriers fill the shared memory of "
                          "a CTA, not "
                       << stages;
  if (tiles.empty())
    return emitError() << "a pipeline needs at least one tile a stage";
  for (BufferType tile : tiles) {
    if (tile.isGlobal())
      return emitError() << "a stage lies in shared or tensor memory, not in "
                            "global memory";
    if (tile.getSpace() != tiles.front().getSpace())
      return emitError() << "the tiles of a stage lie in one memory space";
  }
  return success();
}

int64_t PipelineType::getStageBytes() const {
  int64_t bytes = 0;
  for (BufferType tile : getTiles())
    bytes += tile.getTileBytes();
  return bytes;
}

//===----------------------------------------------------------------------===//
// ScheduleType
//===----------------------------------------------------------------------===//

LogicalResult
ScheduleType::verify(llvm::function_ref<InFlightDiagnostic()> emitError,
                     int64_t rank) {
  if (rank < 1 || rank > 3)
    return emitError() << "a schedule deals out 1 to 3 coordinates, not "
                       << rank;
  return success();
}

//===----------------------------------------------------------------------===//
// TensorMapType
//===----------------------------------------------------------------------===//

Type TensorMapType::parse(AsmParser &parser) {
  SmallVector<int64_t> box;
  Type elementType;
  SwizzleMode swizzle;
  SMLoc location = parser.getCurrentLocation();
  if (parser.parseLess() ||
      parser.parseDimensionList(box, /*allowDynamic=*/false) ||
      parser.parseType(elementType) || parser.parseComma() ||
      parseEnumKeyword(parser, swizzle) || parser.parseGreater())
    return {};
  return parser.getChecked<TensorMapType>(location, parser.getContext(),
                                          ArrayRef<int64_t>(box), elementType,
                                          swizzle);
}

void TensorMapType::print(AsmPrinter &printer) const {
  printer << '<';
  printShape(printer, getBox(), getElementType());
  printer << ", " << stringifySwizzleMode(getSwizzle()) << '>';
}

/// The limits of cuTensorMapEncodeTiled that do not depend on the tensor.
LogicalResult
TensorMapType::verify(llvm::function_ref<InFlightDiagnostic()> emitError,
                      llvm::ArrayRef<int64_t> box, Type elementType,
                      SwizzleMode swizzle) {
  if (box.empty() || box.size() > 5)
    return emitError() << "a tensor map has 1 to 5 dimensions, not "
                       << box.size() << " (cuTensorMapEncodeTiled, tensorRank)";
  for (auto [axis, extent] : llvm::enumerate(box))
    if (extent < 1 || extent > 256)
      return emitError() << "box extent " << extent << " of axis " << axis
                         << " is outside [1, 256] (cuTensorMapEncodeTiled, "
                            "boxDim)";
  if (failed(verifyElementType(emitError, elementType)))
    return failure();
  int64_t inner = box.back() * elementType.getIntOrFloatBitWidth() / 8;
  if (inner % 16)
    return emitError() << "innermost box extent of " << inner
                       << " bytes is not a multiple of 16 "
                          "(cuTensorMapEncodeTiled, boxDim)";
  if (unsigned width = getSwizzleBytes(swizzle); width && inner > width)
    return emitError() << "innermost box extent of " << inner
                       << " bytes exceeds the swizzle width of " << width
                       << " (cuTensorMapEncodeTiled, swizzle)";
  return success();
}
