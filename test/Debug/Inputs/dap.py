"""A client of the Debug Adapter Protocol, small enough to read."""
import base64
import json
import subprocess


class Refused(Exception):
    pass


class Client:
    def __init__(self, *words):
        self.process = subprocess.Popen(words or ("ptoscope", "debug", "--dap"), stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE)
        self.sequence = 0
        self.events = []

    def send_bytes(self, data):
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, message):
        body = json.dumps(message).encode()
        self.send_bytes(b"Content-Length: %d\r\n\r\n" % len(body) + body)

    def receive(self):
        length = None
        while True:
            line = self.process.stdout.readline()
            assert line, "the adapter is gone"
            if line in (b"\r\n", b"\n"):
                break
            name, value = line.split(b":")
            if name.lower() == b"content-length":
                length = int(value)
        return json.loads(self.process.stdout.read(length))

    def request(self, command, **arguments):
        self.sequence += 1
        self.send({"seq": self.sequence, "type": "request", "command": command, "arguments": arguments})
        return self.response(self.sequence)

    def response(self, sequence):
        while True:
            message = self.receive()
            if message["type"] == "event":
                self.events.append(message)
                continue
            assert message["request_seq"] == sequence, message
            if not message["success"]:
                raise Refused(message["message"])
            return message.get("body", {})

    def wait(self, name):
        while True:
            for i, event in enumerate(self.events):
                if event["event"] == name:
                    del self.events[: i + 1]
                    return event["body"]
            message = self.receive()
            assert message["type"] == "event", message
            self.events.append(message)

    def launch(self, program, args, lines=(), **more):
        self.request("initialize", adapterID="ptoscope")
        self.request("launch", program=program, args=args, **more)
        self.wait("initialized")
        shown = self.request("setBreakpoints", source={"path": program},
                             breakpoints=[{"line": line} for line in lines])["breakpoints"]
        self.request("setExceptionBreakpoints", filters=["findings"])
        self.request("configurationDone")
        return shown

    def line(self, thread):
        frames = self.request("stackTrace", threadId=thread)["stackFrames"]
        return frames[0]["line"] if frames else None

    def variables(self, thread, scope):
        frame = self.request("stackTrace", threadId=thread)["stackFrames"][0]["id"]
        for each in self.request("scopes", frameId=frame)["scopes"]:
            if each["name"] == scope:
                found = self.request("variables", variablesReference=each["variablesReference"])["variables"]
                return {v["name"]: v for v in found}
        raise KeyError(scope)

    def items(self, variable):
        found = self.request("variables", variablesReference=variable["variablesReference"])["variables"]
        return [[float(x) for x in v["value"].split()] for v in found]

    def memory(self, reference, count, offset=0):
        return base64.b64decode(self.request("readMemory", memoryReference=reference, offset=offset,
                                             count=count).get("data", ""))

    def evaluate(self, text, **more):
        return self.request("evaluate", expression=text, context="repl", **more)["result"]

    def close(self):
        self.request("disconnect")
        self.process.stdin.close()
        return self.process.wait(10)
