"""Drives the adapter as an editor does: abs.pto with an input of known values."""
import os
import sys

import numpy as np

from dap import Client, Refused

program, broken = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
text = open(program).read().splitlines()


def line_of(part):
    return next(i + 1 for i, line in enumerate(text) if part in line)


VABS, VSTS, STORE = line_of("pto.vabs"), line_of("pto.vsts"), line_of("pto.copy_ubuf_to_gm")
x = (np.arange(1024, dtype=np.float32) - 512).reshape(32, 32)
np.save("x.npy", x)
ARGS = ["x.npy", "zeros:f32:32x32"]


def test_registers_and_memory():
    client = Client()
    shown = client.launch(program, ARGS, [VABS, STORE - 1, 10000])
    assert [b["verified"] for b in shown] == [True, True, False], shown
    assert shown[0]["line"] == VABS and shown[1]["line"] in (STORE - 1, STORE)
    for turn in range(16):
        stop = client.wait("stopped")
        assert stop["reason"] == "breakpoint" and stop["hitBreakpointIds"] == [shown[0]["id"]], stop
        thread = stop["threadId"]
        assert client.line(thread) == VABS
        if turn in (0, 7, 15):
            values = client.variables(thread, "Locals")
            got = np.array(client.items(values["%x"]), np.float32).ravel()
            np.testing.assert_array_equal(got, x.ravel()[64 * turn: 64 * turn + 64])
            assert np.array(client.items(values["%mask"])).sum() == 64
            assert values["%remaining"]["value"] == str(1024 - 64 * turn)
            # One instruction on, the result is there; the store has not happened.
            client.request("stepIn", threadId=thread)
            client.wait("stopped")
            assert client.line(thread) == VSTS
            y = np.array(client.items(client.variables(thread, "Locals")["%y"]), np.float32).ravel()
            np.testing.assert_array_equal(y, np.abs(x.ravel()[64 * turn: 64 * turn + 64]))
            ub = client.variables(thread, "Memories")["UB"]["memoryReference"]
            out = np.frombuffer(client.memory(ub, 256, 8192 + 256 * turn), np.float32)
            assert not out.any()
            client.request("stepIn", threadId=thread)
            client.wait("stopped")
            out = np.frombuffer(client.memory(ub, 256, 8192 + 256 * turn), np.float32)
            np.testing.assert_array_equal(out, y)
        client.request("continue", threadId=thread)
    stop = client.wait("stopped")
    assert client.line(stop["threadId"]) == shown[1]["line"]
    dst = client.variables(stop["threadId"], "Arguments")["%dst"]
    assert not np.frombuffer(client.memory(dst["memoryReference"], 4096), np.float32).any()
    client.request("continue", threadId=stop["threadId"])
    assert client.wait("exited")["exitCode"] == 0
    client.wait("terminated")
    assert client.close() == 0


def state(client, thread):
    ub = client.memory("mem 0 1 6 0", 16384)
    values = {name: v["value"] for name, v in client.variables(thread, "Locals").items()}
    return client.line(thread), values, ub


def test_back_shows_what_was():
    client = Client()
    client.launch(program, ARGS, stopOnEntry=True)
    thread = client.wait("stopped")["threadId"]
    seen = []
    for _ in range(40):
        client.request("stepIn", threadId=thread)
        thread = client.wait("stopped")["threadId"]
        seen.append((thread, state(client, thread)))
    for thread, known in reversed(seen[:-1]):
        vector = thread if thread % 16 != 1 else thread + 1  # of every unit, as stepIn went
        client.request("stepBack", threadId=vector)
        at = client.wait("stopped")["threadId"]
        now = state(client, at)
        assert at == thread and now == known, (now[:2], known[:2], now[2] == known[2])
    # A breakpoint backwards, from the end of the steps.
    client.request("setFunctionBreakpoints", breakpoints=[{"name": "vlds"}, {"name": "flag MTE2 V 0"}, {"name": "no"}])
    client.request("continue", threadId=thread)
    first = client.wait("stopped")
    client.request("continue", threadId=thread)
    client.wait("stopped")
    client.request("reverseContinue", threadId=thread)
    assert client.wait("stopped")["description"] == first["description"]
    assert client.close() == 0


def test_data_breakpoint():
    client = Client()
    client.launch(program, ARGS, stopOnEntry=True)
    thread = client.wait("stopped")["threadId"]
    info = client.request("dataBreakpointInfo", name="UB 0x2400 4")
    assert info["accessTypes"] == ["write"]
    client.request("setDataBreakpoints", breakpoints=[{"dataId": info["dataId"]}, {"dataId": "9 UB"}])
    client.request("continue", threadId=thread)
    stop = client.wait("stopped")
    assert stop["reason"] == "data breakpoint" and f":{VSTS}" in stop["text"], stop
    # Byte 0x400 of the output is element 256, which turn 4 stored.
    y = client.items(client.variables(stop["threadId"], "Locals")["%y"])
    np.testing.assert_array_equal(np.ravel(y), np.abs(x.ravel()[256:320]))
    assert f":{VSTS}" in client.evaluate("who UB 0x2400 4")
    assert "nothing" in client.evaluate("who UB 0x20000 4")
    assert client.request("dataBreakpointInfo", name="UB 0x40000 4")["dataId"] is None
    assert client.close() == 0


def test_finding_stops():
    client = Client()
    client.launch(broken, ["auto"])
    stop = client.wait("stopped")
    assert stop["reason"] == "exception", stop
    info = client.request("exceptionInfo")
    assert info["exceptionId"].startswith("race"), info
    assert client.close() == 0


def test_refusals():
    client = Client()
    for command in ("next", "threads", "nonsense", "readMemory"):
        try:
            client.request(command)
            raise AssertionError(command)
        except Refused as refused:
            assert command in str(refused)
    client.request("initialize")
    for wrong, part in (({}, "program"), ({"program": "no-such.pto"}, "no-such.pto"),
                        ({"program": program, "args": ["1"]}, "2 arguments"),
                        ({"program": program, "args": 3}, "args"),
                        ({"program": program, "args": ARGS, "schedule": "fast"}, "schedule")):
        try:
            client.request("launch", **wrong)
            raise AssertionError(wrong)
        except Refused as refused:
            assert part in str(refused), refused
    client.request("launch", program=program, args=ARGS, stopOnEntry=True)
    # Nothing has happened yet.
    assert client.request("evaluate", expression="list", context="repl")["result"].splitlines()[0].endswith(text[0])
    try:
        client.request("evaluate", expression="where", context="repl")
        raise AssertionError("where")
    except Refused as refused:
        assert "has not begun" in str(refused)
    client.request("configurationDone")
    thread = client.wait("stopped")["threadId"]
    for command, arguments in (("variables", {"variablesReference": 10 ** 9}), ("stackTrace", {"threadId": -5}),
                               ("readMemory", {"memoryReference": "mem 0 1 6 0", "count": -1}),
                               ("readMemory", {"memoryReference": "x", "count": 4}),
                               ("next", {"threadId": 2 ** 62}), ("evaluate", {"expression": "print UB 0 f32 9999x9999"})):
        try:
            client.request(command, **arguments)
            raise AssertionError(command)
        except Refused:
            pass
    assert client.request("readMemory", memoryReference="mem 0 1 6 0", offset=2 ** 62,
                          count=4)["unreadableBytes"] == 4
    # A number beyond 64 bits comes back as it can; the session goes on.
    client.send({"seq": 10 ** 30, "type": "request", "command": "threads"})
    assert client.receive()["success"]
    assert client.line(thread) > 0
    assert client.close() == 0


def test_garbage():
    client = Client()
    client.send_bytes(b"hello\r\n\r\nContent-Length: 3\r\n\r\n{]}Content-Length: 2\r\n\r\n[]")
    client.send({"type": "response"})
    assert client.request("initialize")["supportsStepBack"]
    assert sum(e["event"] == "output" for e in client.events) >= 2, client.events
    assert client.close() == 0


def test_client_goes_away():
    client = Client()
    client.request("initialize")
    client.request("launch", program=program, args=ARGS, stopOnEntry=True)
    client.request("configurationDone")
    client.process.stdin.close()
    assert client.process.wait(10) == 2


def test_requests_while_it_runs(endless):
    client = Client()
    client.launch(endless, ["zeros:i32:64"])
    assert client.request("threads")["threads"]
    client.request("setBreakpoints", source={"path": endless}, breakpoints=[])
    client.request("pause", threadId=1)
    stop = client.wait("stopped")
    assert stop["reason"] == "pause"
    client.request("continue", threadId=stop["threadId"])
    client.process.stdin.close()  # in the middle of the run
    assert client.process.wait(10) == 2


if __name__ == "__main__":
    for name, test in list(globals().items()):
        if name.startswith("test_"):
            test(*([os.path.abspath(sys.argv[3])] if name == "test_requests_while_it_runs" else []))
            print("passed", name)
