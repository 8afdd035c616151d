// Programs that are refused when they are compiled, a function for each reason; -DREPAIRED makes all of them
// right.
#include <pto/comm/pto_comm_inst.hpp>
#include <pto/pto-inst.hpp>

using namespace pto;

#ifdef REPAIRED
#define OR(WRONG, RIGHT) RIGHT
#else
#define OR(WRONG, RIGHT) WRONG
#endif

template <typename T, Layout L>
using View = GlobalTensor<T, TileShape2D<T, 32, 32, L>, BaseShape2D<T, 32, 32, L>, L>;
template <TileType Loc, typename T = float, BLayout B = BLayout::RowMajor>
using Square = Tile<Loc, T, 32, 32, B>;

void layoutPair(float *x) {
  Square<TileType::Vec> tile;
  View<float, Layout::OR(DN, ND)> view(x);
  TLOAD(tile, view);
}
void storedLayout(float *x) {
  Square<TileType::Vec, float, BLayout::OR(ColMajor, RowMajor)> tile;
  View<float, Layout::ND> view(x);
  TSTORE(view, tile);
}
void beyondMemory() {
  Square<TileType::Vec> tile;
  TASSIGN<OR(0x3f020, 0x3f000)>(tile);
}
void largerThanMemory() {
  Tile<TileType::Left, float, 256, OR(128, 64)> tile;
  TASSIGN<0>(tile);
}
void misaligned() {
  Square<TileType::Vec> tile;
  TASSIGN<OR(0x10, 0x20)>(tile);
}
void elementOfFunction() {
  Square<TileType::Vec, OR(int32_t, float)> tile;
  TEXP(tile, tile);
}
void elementWidth(float *x) {
  Square<TileType::Vec, OR(half, float)> tile;
  View<float, Layout::ND> view(x);
  TLOAD(tile, view);
}
void elementOfView(double *x) {
  GlobalTensor<OR(double, float)> view((OR(double, float) *)x);
  (void)view;
}
void validRegion() {
  Tile<TileType::Vec, float, 16, 16, BLayout::RowMajor, OR(17, 16), 16> tile;
  TEXP(tile, tile);
}
void shortRow() {
  Tile<TileType::Vec, float, 16, OR(12, 16), BLayout::RowMajor, 16, 12> tile;
  TEXP(tile, tile);
}
void fixedRegion() {
  Tile<TileType::Vec, float, 16, 16, BLayout::RowMajor, OR(16, DYNAMIC), 16> tile;
  tile.SetValidRow(3);
}
void differentRegions() {
  Tile<TileType::Vec, float, 16, 16, BLayout::RowMajor, OR(8, 16), 16> a;
  Tile<TileType::Vec, float, 16, 16> b;
  TADD(b, b, a);
}
void fewNumbers(float *x) {
  using Rows = Shape<1, 1, 1, DYNAMIC, OR(DYNAMIC, 32)>;
  GlobalTensor<float, Rows> view(x, Rows(32));
  (void)view;
}
void fractalRows(float *x) {
  GlobalTensor<float, TileShape2D<float, OR(40, 48), 32, Layout::NZ>> view(x);
  (void)view;
}
void vectorMemory() {
  Square<TileType::OR(Mat, Vec)> tile;
  TADD(tile, tile, tile);
}
void accumulatorLoad(float *x) {
  Square<TileType::OR(Acc, Mat)> tile;
  View<float, Layout::ND> view(x);
  TLOAD(tile, view);
}
template <typename E, int R, int C>
using ColumnFractals = Tile<TileType::Left, E, R, C, BLayout::ColMajor, R, C, SLayout::ColMajor>;
void leftFactor() {
  TileAcc<float, 32, 32> sum;
  OR(ColumnFractals, TileLeft)<float, 32, 32> left;
  TileRight<float, 32, 32> right;
  TMATMUL(sum, left, right);
}
void unsignedAtomic(float *x) {
  using Element = OR(uint32_t, int32_t);
  Square<TileType::Vec, Element> tile;
  View<Element, Layout::ND> view((Element *)x);
  TSTORE<decltype(tile), decltype(view), AtomicType::AtomicAdd>(view, tile);
}
void eventWithoutPipe() {
  Event<Op::TLOAD, Op::OR(TEXTRACT, TSTORE_VEC)> event;
  event.Record();
}
void waitForRecord() {
  Square<TileType::Vec> tile;
  OR(RecordEvent, decltype(Event<Op::TADD, Op::TADD>())) added = TADD(tile, tile, tile);
  TADD(tile, tile, tile, added);
}
void signalElement(float *x) {
  using Element = OR(float, int32_t);
  comm::TNOTIFY(View<Element, Layout::ND>((Element *)x), 1, comm::NotifyOp::Set);
}
void stagingElement(float *x) {
  View<float, Layout::ND> from(x), to(x + 1024);
  Square<TileType::Vec, OR(int32_t, float)> tile;
  comm::TPUT(to, from, tile);
}
void otherEngine(float *x) {
  View<float, Layout::ND> view(x);
  auto group = comm::ParallelGroup<View<float, Layout::ND>>::Create(&view, 1, 0);
  Square<TileType::Vec> tile;
  comm::TBROADCAST<comm::CollEngine::OR(CCU, AIV)>(group, view, tile);
}
#ifndef REPAIRED
void gridPipe() { GridPipe<Square<TileType::Vec>, 4096, 2> pipe; }
#endif
