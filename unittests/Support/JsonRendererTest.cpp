//===- JsonRendererTest.cpp - snapshots of the JSON form ------------------===//
//
// One finding with every field set, compared as a whole.
//
//===----------------------------------------------------------------------===//

#include "ptoscope/Support/JsonRenderer.h"
#include "Samples.h"
#include "ptoscope/Support/JsonReader.h"

#include <nlohmann/json.hpp>

using namespace ptoscope;

namespace {

TEST(JsonRenderer, EveryField) {
  FindingList list;
  list.add(sampleRace());
  EXPECT_EQ(renderJson(list, {"ptoscope", "0.1.0"}), R"({
  "schema": 1,
  "tool": {
    "name": "ptoscope",
    "version": "0.1.0"
  },
  "findings": [
    {
      "code": "race-raw",
      "severity": "error",
      "category": "program",
      "place": {
        "file": "add.pto",
        "line": 31,
        "column": 5
      },
      "message": "`vadd` reads `x` while `mte_gm_ub` may still be writing it",
      "notes": [
        {
          "place": {
            "file": "add.pto",
            "line": 27,
            "column": 5
          },
          "message": "the write is issued here on MTE2, unordered with V"
        },
        {
          "place": null,
          "message": "both belong to block 0"
        }
      ],
      "help": "after line 27 set a flag from MTE2 to V and wait for it before line 31",
      "edits": [
        {
          "place": {
            "file": "add.pto",
            "line": 27,
            "column": 1
          },
          "after": true,
          "insertText": "pto.set_flag[\"PIPE_MTE2\", \"PIPE_V\", \"EVENT_ID2\"]"
        },
        {
          "place": {
            "file": "add.pto",
            "line": 31,
            "column": 1
          },
          "after": false,
          "insertText": "pto.wait_flag[\"PIPE_MTE2\", \"PIPE_V\", \"EVENT_ID2\"]"
        }
      ],
      "bytes": {
        "space": "ub",
        "parameter": "",
        "begin": 0,
        "end": 1024
      },
      "iterations": [
        2
      ],
      "otherIterations": [],
      "cores": [],
      "count": 4
    }
  ],
  "summary": {
    "errors": 1,
    "warnings": 0,
    "remarks": 0,
    "notListed": 0
  }
}
)");
}

TEST(JsonRenderer, EmptyFieldsArePresent) {
  FindingList list;
  list.add(makeFinding("usage", {}, "m"));
  EXPECT_EQ(toJson(list.all()[0]).dump(),
            R"({"code":"usage","severity":"error","category":"usage","place":null,"message":"m","notes":[],)"
            R"("help":"","edits":[],"bytes":null,"iterations":[],"otherIterations":[],"cores":[],"count":1})");
  EXPECT_EQ(toJson(FindingList(), {"ptoscope", "1"}).dump(),
            R"({"schema":1,"tool":{"name":"ptoscope","version":"1"},"findings":[],)"
            R"("summary":{"errors":0,"warnings":0,"remarks":0,"notListed":0}})");
}

TEST(JsonRenderer, ReplacementsStandApartFromLines) {
  Finding finding = makeFinding("deadlock", {"a.pto", 4, 1}, "m");
  finding.edits = {{{"a.pto", 3, 7}, false, "EVENT_ID0", "EVENT_ID5"}};
  const nlohmann::ordered_json json = toJson(finding);
  EXPECT_TRUE(json["edits"].empty());
  EXPECT_EQ(json["replacements"].dump(),
            R"([{"place":{"file":"a.pto","line":3,"column":7},"oldText":"EVENT_ID5","newText":"EVENT_ID0"}])");
  const std::optional<Finding> read = findingFromJson(json);
  ASSERT_TRUE(read);
  ASSERT_EQ(read->edits.size(), 1u);
  EXPECT_EQ(read->edits[0].replaces, "EVENT_ID5");
  EXPECT_EQ(read->edits[0].insertText, "EVENT_ID0");
  EXPECT_EQ(read->edits[0].place.column, 7u);
}

TEST(JsonRenderer, BytesThatAreNoUtf8) {
  FindingList list;
  list.add(makeFinding("parse-error", {"\xff.pto", 1, 1}, "bad \xc3 byte \x01"));
  std::string text = renderJson(list, {"ptoscope", "1"});
  EXPECT_NE(text.find("\"\xef\xbf\xbd.pto\""), std::string::npos);
  EXPECT_NE(text.find("bad \xef\xbf\xbd byte \\u0001"), std::string::npos);
}

} // namespace
