//===- TmemLifetimes.cpp - tensor memory is given back once ---------------===//

#include "Rules.h"

using namespace mlir;
using namespace tirx::ir;
using namespace tirx::passes;

static LogicalResult verifyTmem(TmemAllocOp alloc) {
  SmallVector<Operation *> deallocs;
  for (Operation *user : alloc.getResult().getUsers())
    if (isa<TmemDeallocOp>(user))
      deallocs.push_back(user);
  if (deallocs.empty())
    return alloc.emitOpError("is never deallocated: tensor memory outlives "
                             "the kernel and must be given back (PTX ISA, "
                             "tcgen05.dealloc)");
  if (deallocs.size() > 1) {
    InFlightDiagnostic diagnostic = alloc.emitOpError("is deallocated ")
                                    << deallocs.size() << " times";
    for (Operation *dealloc : deallocs)
      diagnostic.attachNote(dealloc->getLoc()) << "here";
    return diagnostic;
  }
  // Views of the tile are the tile.
  SmallVector<Value> aliases{alloc.getResult()};
  for (size_t i = 0; i < aliases.size(); ++i)
    for (Operation *user : aliases[i].getUsers()) {
      Operation *top = alloc->getBlock()->findAncestorOpInBlock(*user);
      if (top != deallocs.front() && deallocs.front()->isBeforeInBlock(top)) {
        InFlightDiagnostic diagnostic =
            user->emitOpError("uses a TMEM tile after it was deallocated");
        diagnostic.attachNote(deallocs.front()->getLoc()) << "here";
        return diagnostic;
      }
      if (isView(user))
        aliases.push_back(user->getResult(0));
    }
  return success();
}

LogicalResult tirx::passes::verifyTmemLifetimes(LaunchOp launch) {
  bool ok = true;
  launch.walk([&](TmemAllocOp alloc) { ok &= succeeded(verifyTmem(alloc)); });
  return success(ok);
}
