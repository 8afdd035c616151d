"""Unaligned store streams: pushes at consecutive addresses, then a flush; text and model side by side."""
from vecref import StoreState


class Stream:
    """A store stream of elements `t` from address `start` on; `flush` says how it ends."""

    def __init__(self, b, t, start, root="init"):
        self.b, self.t, self.at, self.state = b, t, start, StoreState()
        self.ptr = f"!pto.ptr<{t}, ub>"
        self.pointer = b.ptr(start, t)
        self.align = b.value()
        b(f"{self.align} = pto.init_align : !pto.align")

    def next(self):
        old, self.align = self.align, self.b.value()
        return old

    def push(self, data):
        self.state.push(self.b.ub, self.at, data)
        self.at += len(data)

    # ---- one method a surface; each stores the first `count` elements of v

    def vstus(self, v, data, count):
        """The plain form: the program says where each push starts."""
        old = self.next()
        self.b(f"{self.align} = pto.vstus {old}, {self.b.const(count, 'i32')}, {v}, {self.b.ptr(self.at, self.t)} : "
               f"!pto.align, i32, {self.t.vreg}, {self.ptr} -> !pto.align")
        self.push(data[:count * self.t.bytes])
        self.pointer = self.b.ptr(self.at, self.t)

    def vstus_mode(self, v, data, count, mode="POST_UPDATE"):
        """With a mode the pointer comes back, advanced or not."""
        old, pointer = self.next(), self.b.value()
        self.b(f"{self.align}, {pointer} = pto.vstus {old}, {self.b.const(count, 'i32')}, {v}, {self.pointer}, \"{mode}\" : "
               f"!pto.align, i32, {self.t.vreg}, {self.ptr} -> !pto.align, {self.ptr}")
        self.push(data[:count * self.t.bytes])
        if mode != "POST_UPDATE":
            moved = self.b.value()
            self.b(f"{moved} = pto.addptr {pointer}, {self.b.const(count)} : {self.ptr} -> {self.ptr}")
            pointer = moved
        self.pointer = pointer

    def vstus_post(self, v, data, count):
        """The pointer result alone says that it advances."""
        old, pointer = self.next(), self.b.value()
        self.b(f"{self.align}, {pointer} = pto.vstus {old}, {self.b.const(count, 'i32')}, {v}, {self.pointer} : "
               f"!pto.align, i32, {self.t.vreg}, {self.ptr} -> !pto.align, {self.ptr}")
        self.push(data[:count * self.t.bytes])
        self.pointer = pointer

    def vstus_seed(self, v, data, count):
        """Base before the value, destination and count behind it."""
        old, pointer = self.next(), self.b.value()
        self.b(f"{self.align}, {pointer} = pto.vstus {old}, {self.pointer}, {v}, {self.b.ptr(self.at, self.t)}, {self.b.const(count, 'i32')} : "
               f"!pto.align, {self.ptr}, {self.t.vreg}, {self.ptr}, i32 -> !pto.align, {self.ptr}")
        self.push(data[:count * self.t.bytes])
        self.pointer = pointer

    # ---- ends

    def vstas(self, offset=0):
        """Flush at the end of the stream, written as `offset` elements behind a pointer."""
        base = self.b.ptr(self.at - offset * self.t.bytes, self.t) if offset else self.pointer
        self.b(f"pto.vstas {self.align}, {base}, {self.b.const(offset, 'i32')} : !pto.align, {self.ptr}, i32")
        self.state.flush(self.b.ub)

    def vsta(self, offset=0):
        base = self.b.ptr(self.at - offset * self.t.bytes, self.t) if offset else self.pointer
        self.b(f"pto.vsta {self.align}, {base}[{self.b.const(offset)}] : !pto.align, {self.ptr}, index")
        self.state.flush(self.b.ub)
