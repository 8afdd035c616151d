"""JSON and SARIF of one error agree with each other and with what is expected.

    check_formats.py FILE.json FILE.sarif PROGRAM CODE LINE COLUMN
"""

import json
import sys


def main():
    json_path, sarif_path, program, code, line, column = sys.argv[1:]
    with open(json_path, encoding="utf-8") as file:
        report = json.load(file)
    with open(sarif_path, encoding="utf-8") as file:
        sarif = json.load(file)

    assert report["schema"] == 1 and report["tool"]["name"] == "ptoscope" and report["tool"]["version"]
    errors = [finding for finding in report["findings"] if finding["severity"] == "error"]
    assert len(errors) == report["summary"]["errors"] == 1, report
    error = errors[0]
    assert error["code"] == code and error["category"] == "program" and error["message"]
    place = error["place"]
    assert place["file"].endswith(program) and (place["line"], place["column"]) == (int(line), int(column)), place
    assert error["notes"], "the other place is told"
    for key in ("help", "edits", "bytes", "iterations", "count"):
        assert key in error, f"{key} is missing"

    assert sarif["version"] == "2.1.0" and "sarif-2.1.0" in sarif["$schema"]
    run, = sarif["runs"]
    assert run["tool"]["driver"]["name"] == "ptoscope"
    rules = {rule["id"] for rule in run["tool"]["driver"]["rules"]}
    results = [result for result in run["results"] if result["level"] == "error"]
    assert len(results) == 1, results
    result = results[0]
    assert result["ruleId"] == code and code in rules
    assert error["message"] in result["message"]["text"]
    location = result["locations"][0]["physicalLocation"]
    assert location["artifactLocation"]["uri"].endswith(program)
    assert (location["region"]["startLine"], location["region"]["startColumn"]) == (int(line), int(column))


main()
