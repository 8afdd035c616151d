"""copy_gm_to_cbuf with the packed outtol1 registers, compared with a plain model of rows and two loops."""
import l1_copies


def size(n1, n2):
    return n1 | n2 << 21


def step(src, dst):
    return src | dst << 40


def set_(p, register, word):
    p(f"pto.set_{register}_outtol1 {p.i64(word)} : i64")


def test(name, settings, copies):
    """`settings`: (register, word) pairs; `copies`: (source, destination, length, count, strides, loops that follow from them)."""
    def emit(p, src, dst, length, n, ss, ds, loops):
        for register, word in settings:
            set_(p, register, word)
        p.copy("copy_gm_to_cbuf", ("gm", "l1"), src, dst, n, length, ss, ds)

    l1_copies.into_l1(name, copies, emit)
