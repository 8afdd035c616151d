//===- SarifRendererTest.cpp - snapshots of the SARIF form ----------------===//
//
// One finding with every field set, compared as a whole.
//
//===----------------------------------------------------------------------===//

#include "ptoscope/Support/SarifRenderer.h"
#include "Samples.h"

#include <nlohmann/json.hpp>

using namespace ptoscope;
using Json = nlohmann::ordered_json;

namespace {

Json sarif(const FindingList &list) { return Json::parse(renderSarif(list, {"ptoscope", "0.1.0"})); }

TEST(SarifRenderer, EveryField) {
  FindingList list;
  list.add(sampleRace());
  Json json = sarif(list);
  // The page of the rule is checked apart from the rest.
  Json &rule = json["runs"][0]["tool"]["driver"]["rules"][0];
  EXPECT_EQ(rule["help"]["text"], std::string(findCode("race-raw")->page.text));
  rule["help"]["text"] = "PAGE";
  EXPECT_EQ(json.dump(1), R"({
 "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
 "version": "2.1.0",
 "runs": [
  {
   "tool": {
    "driver": {
     "name": "ptoscope",
     "version": "0.1.0",
     "rules": [
      {
       "id": "race-raw",
       "shortDescription": {
        "text": "a read may come before the write it needs"
       },
       "help": {
        "text": "PAGE"
       },
       "defaultConfiguration": {
        "level": "error"
       },
       "properties": {
        "category": "program"
       }
      }
     ]
    }
   },
   "invocations": [
    {
     "executionSuccessful": true
    }
   ],
   "columnKind": "unicodeCodePoints",
   "results": [
    {
     "ruleId": "race-raw",
     "ruleIndex": 0,
     "level": "error",
     "message": {
      "text": "`vadd` reads `x` while `mte_gm_ub` may still be writing it\nnote: both belong to block 0\nhelp: after line 27 set a flag from MTE2 to V and wait for it before line 31"
     },
     "locations": [
      {
       "physicalLocation": {
        "artifactLocation": {
         "uri": "add.pto"
        },
        "region": {
         "startLine": 31,
         "startColumn": 5
        }
       }
      }
     ],
     "relatedLocations": [
      {
       "id": 0,
       "physicalLocation": {
        "artifactLocation": {
         "uri": "add.pto"
        },
        "region": {
         "startLine": 27,
         "startColumn": 5
        }
       },
       "message": {
        "text": "the write is issued here on MTE2, unordered with V"
       }
      }
     ],
     "fixes": [
      {
       "description": {
        "text": "after line 27 set a flag from MTE2 to V and wait for it before line 31"
       },
       "artifactChanges": [
        {
         "artifactLocation": {
          "uri": "add.pto"
         },
         "replacements": [
          {
           "deletedRegion": {
            "startLine": 28,
            "startColumn": 1,
            "endLine": 28,
            "endColumn": 1
           },
           "insertedContent": {
            "text": "pto.set_flag[\"PIPE_MTE2\", \"PIPE_V\", \"EVENT_ID2\"]\n"
           }
          },
          {
           "deletedRegion": {
            "startLine": 31,
            "startColumn": 1,
            "endLine": 31,
            "endColumn": 1
           },
           "insertedContent": {
            "text": "pto.wait_flag[\"PIPE_MTE2\", \"PIPE_V\", \"EVENT_ID2\"]\n"
           }
          }
         ]
        }
       ]
      }
     ],
     "occurrenceCount": 4,
     "properties": {
      "category": "program",
      "bytes": {
       "space": "ub",
       "begin": 0,
       "end": 1024
      },
      "iterations": [
       2
      ]
     }
    }
   ]
  }
 ]
})");
}

TEST(SarifRenderer, RulesAndLevels) {
  FindingList list;
  list.add(makeFinding("transfer-empty", {"a.pto", 1, 0}, "r"));
  list.add(makeFinding("flag-leftover", {"a.pto", 0, 0}, "w"));
  list.add(makeFinding("file-error", {"/tmp/x y.npy", 0, 0}, "f"));
  list.add(makeFinding("transfer-empty", {}, "r2"));
  Json run = sarif(list)["runs"][0];
  const Json &rules = run["tool"]["driver"]["rules"], &results = run["results"];
  ASSERT_EQ(rules.size(), 3u);
  for (const Json &result : results)
    EXPECT_EQ(rules[result["ruleIndex"].get<size_t>()]["id"], result["ruleId"]);
  EXPECT_EQ(results[0]["level"], "note");
  EXPECT_EQ(results[1]["level"], "warning");
  EXPECT_EQ(results[2]["level"], "error");
  EXPECT_EQ(results[0]["locations"][0]["physicalLocation"]["region"].dump(), R"({"startLine":1})");
  EXPECT_FALSE(results[1]["locations"][0]["physicalLocation"].contains("region"));
  EXPECT_EQ(results[2]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"], "file:///tmp/x%20y.npy");
  EXPECT_TRUE(results[3]["locations"].empty());
  EXPECT_EQ(run["invocations"][0]["executionSuccessful"], false);
}

TEST(SarifRenderer, ReplacedWords) {
  FindingList list;
  Finding finding = makeFinding("deadlock", {"none.pto", 4, 1}, "m");
  finding.edits = {{{"none.pto", 3, 7}, false, "EVENT_ID10", "EVENT_ID5"}};
  list.add(finding);
  const Json change = sarif(list)["runs"][0]["results"][0]["fixes"][0]["artifactChanges"][0]["replacements"][0];
  EXPECT_EQ(change["deletedRegion"].dump(), R"({"startLine":3,"startColumn":7,"endLine":3,"endColumn":16})");
  EXPECT_EQ(change["insertedContent"]["text"], "EVENT_ID10");
}

TEST(SarifRenderer, Empty) {
  Json run = sarif(FindingList())["runs"][0];
  EXPECT_TRUE(run["results"].is_array());
  EXPECT_TRUE(run["results"].empty());
  EXPECT_EQ(run["invocations"][0]["executionSuccessful"], true);
}

} // namespace
