"""Traces of `run --trace`, decoded by protoc with the schema beside this file."""

import collections
import os
import re
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
TOKEN = re.compile(r'\s*(?:([\w.]+)\s*(?::\s*("(?:[^"\\]|\\.)*"|[^\s{}]+)|\{)|(\}))')

Slice = collections.namedtuple("Slice", "track name start end line args flows_out flows_in")


def decode(path):
    """The whole file as nested dicts of lists; a field that the schema lacks is an error."""
    with open(path, "rb") as file:
        text = subprocess.run(["protoc", "-I", HERE, "--decode=Trace", "perfetto.proto"], stdin=file,
                              stdout=subprocess.PIPE, check=True, timeout=120).stdout.decode()
    root = collections.defaultdict(list)
    stack = [root]
    for match in TOKEN.finditer(text):
        name, value, closed = match.groups()
        if closed:
            stack.pop()
        elif value is None:
            inner = collections.defaultdict(list)
            stack[-1][name].append(inner)
            stack.append(inner)
        else:
            assert not name[0].isdigit(), f"field {name} is not in the schema"
            stack[-1][name].append(value[1:-1].encode().decode("unicode_escape") if value[0] == '"' else value)
    assert len(stack) == 1
    return root


def one(message, name, kind=int):
    assert len(message[name]) == 1, (name, dict(message))
    return kind(message[name][0])


class Trace:
    """Tracks by name ("core 0/MTE2"), slices, counters as lists of (time, value), and flows."""

    def __init__(self, path):
        self.slices, self.counters, self.ranks = [], collections.defaultdict(list), {}
        processes, self.tracks, names, open_slices = {}, {}, collections.defaultdict(dict), {}
        locations, counters = {}, set()
        packets = decode(path)["packet"]
        assert one(packets[0], "sequence_flags") & 1, "the first packet clears what was interned"
        for packet in packets:
            assert one(packet, "trusted_packet_sequence_id") == 1
            for interned in packet["interned_data"]:
                for kind in ("event_names", "debug_annotation_names", "debug_annotation_string_values"):
                    for entry in interned[kind]:
                        assert one(entry, "iid") not in names[kind], "an id is given once"
                        names[kind][one(entry, "iid")] = one(entry, "text", str)
                for entry in interned["source_locations"]:
                    locations[one(entry, "iid")] = (one(entry, "file_name", str), one(entry, "line_number"))
            for descriptor in packet["track_descriptor"]:
                uuid = one(descriptor, "uuid")
                if descriptor["process"]:
                    processes[uuid] = one(descriptor["process"][0], "process_name", str)
                elif descriptor["parent_uuid"]:
                    self.tracks[uuid] = processes[one(descriptor, "parent_uuid")] + "/" + one(descriptor, "name", str)
                    self.ranks[self.tracks[uuid]] = one(descriptor, "sibling_order_rank")
                    if descriptor["counter"]:
                        counters.add(uuid)
                else:
                    self.title = one(descriptor, "name", str)
            for event in packet["track_event"]:
                time, uuid, kind = one(packet, "timestamp"), one(event, "track_uuid"), one(event, "type", str)
                track = self.tracks[uuid]
                if kind == "TYPE_COUNTER":
                    assert uuid in counters
                    self.counters[track].append((time, one(event, "counter_value")))
                elif kind == "TYPE_SLICE_BEGIN":
                    assert uuid not in open_slices and uuid not in counters
                    args = {}
                    for annotation in event["debug_annotations"]:
                        key = names["debug_annotation_names"][one(annotation, "name_iid")]
                        if annotation["string_value_iid"]:
                            args[key] = names["debug_annotation_string_values"][one(annotation, "string_value_iid")]
                        else:
                            args[key] = float((annotation["uint_value"] or annotation["double_value"])[0])
                    location = locations[one(event, "source_location_iid")] if event["source_location_iid"] else None
                    open_slices[uuid] = Slice(track, names["event_names"][one(event, "name_iid")], time, None, location,
                                              args, event["flow_ids"], event["terminating_flow_ids"])
                else:
                    begun = open_slices.pop(uuid)
                    self.slices.append(begun._replace(end=time))
        assert not open_slices, "every slice ends"

    def on(self, track):
        return [s for s in self.slices if s.track == track]

    def flows(self):
        """(from, to) of every arrow."""
        ends = {flow: s for s in self.slices for flow in s.flows_in}
        return [(s, ends[flow]) for s in self.slices for flow in s.flows_out]
