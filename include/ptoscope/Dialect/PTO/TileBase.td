//===- TileBase.td - what views, tiles and scalar storage share -----------===//
// docs/isa/31-tile-ir.md. The instructions that compute on tiles are no records
// here: they are those of the tile API (include/pto/detail/records).

#ifndef PTOSCOPE_PTO_TILE_BASE
#define PTOSCOPE_PTO_TILE_BASE

include "ptoscope/Dialect/PTO/PTOBase.td"

/// Operands that are views may be GM memrefs in the text (TIR-8).
def PTO_TakesViews : NativeOpTrait<"TakesViews"> { let cppNamespace = "::ptoscope::pto"; }

// Memrefs stand for views and pointers until pto-resolve-types has run.
def PTO_ViewOrMemref : Type<Or<[PTO_AnyView.predicate, AnyMemRef.predicate]>, PTO_AnyView.summary>;
def PTO_PtrOrMemref : Type<Or<[PTO_AnyPtr.predicate, AnyMemRef.predicate]>, PTO_AnyPtr.summary>;

class PTO_TileHandling<string mnemonic, string parser, string printer, list<Trait> traits>
    : PTO_CustomOp<mnemonic, parser, printer, traits> {
  let family = "tile";
  let pipe = "S";
  let footprint = "none";
  let definedness = "none";
  let timing = "scalar";
  let hasVerifier = 1;
}

/// `%a, %i, ... : T -> R`: the other operands are of type `rest`.
class PTO_OnTileOp<string mnemonic, list<Trait> traits, string rest = "Index">
    : PTO_TileHandling<mnemonic, "parseOnTile(parser, result, parser.getBuilder().get" # rest # "Type())",
                       "printOnTile(printer, *this)", traits>;

#endif // PTOSCOPE_PTO_TILE_BASE
