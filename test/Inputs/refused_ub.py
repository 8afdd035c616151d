"""`ub` instructions: for each constraint that the text alone can break, a line that breaks it and nothing else (UBV-1, UBV-2, ADDR-2)."""
import re

SPELLED = {"u16": "ui16", "u32": "ui32"}


def program(line, used):
    """Pointers and numbers of the line are defined before it."""
    head = ["%zero = arith.constant 0 : i64", *used]
    return "\n".join(['module attributes {pto.target_arch = "a3"} {', "func.func @k(%outer: !pto.ptr<f16, gm>) attributes {pto.kernel} {",
                      *head, line, "return", "}", "}", ""])


def cases(records):
    for name, record in records.items():
        if record["family"] != "ub-vector":
            continue
        operands = re.findall(r"%(\w+)", record["syntax"][0].split(" : ")[0])
        count = record["syntax"][0].count("!pto.ptr")
        own = SPELLED.get(record["elements"][0], record["elements"][0])

        def text(numbers, element=own, space="ub", last=None, count=count, operands=operands, name=name):
            elements = [element] * (count - 1) + [last or element]
            used = [f"%{p} = pto.castptr %zero : i64 -> !pto.ptr<{e}, {space}>" for p, e in zip(operands, elements)]
            used += [f"%{n} = arith.constant {numbers.get(n, 1)} : i64" for n in operands[count:]]
            types = [f"!pto.ptr<{e}, {space}>" for e in elements] + ["i64"] * (len(operands) - count)
            return program(f"{name} {', '.join('%' + o for o in operands)} : {', '.join(types)}", used)

        right = text({})
        yield name, "ADDR-2", text({}, space="gm"), right
        yield name, "UBV-1", text({}, element="i8"), right
        if count > 1:
            other = next(SPELLED.get(e, e) for e in record["elements"][1:])
            yield name, "UBV-1", text({}, last=other), right
        wide = 256 if count == 3 else 65536
        for number, value in (("repeat", 256), ("repeat", -1), ("d_block", wide), ("a_block", -1), ("d_repeat", 256)):
            yield name, "UBV-2", text({number: value}), text({number: value - 1 if value > 0 else 0})
