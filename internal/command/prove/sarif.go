package prove

import (
	"encoding/json"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/qedkit/qed/sqlproof/proof"
)

// The parts of SARIF 2.1.0 that code review tools show.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool    sarifTool     `json:"tool"`
		Columns string        `json:"columnKind"`
		Results []sarifResult `json:"results"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name string `json:"name"`
		URI  string `json:"informationUri"`
	}
	sarifResult struct {
		RuleID    string          `json:"ruleId"`
		Level     string          `json:"level"`
		Message   sarifMessage    `json:"message"`
		Locations []sarifLocation `json:"locations"`
	}
	sarifMessage struct {
		Text string `json:"text"`
	}
	sarifLocation struct {
		Physical sarifPhysical `json:"physicalLocation"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   sarifRegion   `json:"region"`
	}
	sarifArtifact struct {
		URI string `json:"uri"`
	}
	sarifRegion struct {
		Line   int `json:"startLine"`
		Column int `json:"startColumn"`
	}
)

var sarifLevels = map[proof.Severity]string{proof.Error: "error", proof.Question: "warning", proof.Note: "note"}

func writeSARIF(out io.Writer, answers []Answer) error {
	results := []sarifResult{}
	for _, a := range answers {
		uri := string(a.ID)
		var name string
		if json.Unmarshal(a.ID, &name) == nil {
			uri = name
		}
		for _, f := range a.Findings {
			text := f.Message
			if f.Fix != "" {
				text += ". " + strings.ToUpper(f.Fix[:1]) + f.Fix[1:] + "."
			}
			line, column := place(a.source, f.At)
			results = append(results, sarifResult{
				RuleID: string(f.Code), Level: sarifLevels[f.Severity], Message: sarifMessage{text},
				Locations: []sarifLocation{{sarifPhysical{sarifArtifact{uri}, sarifRegion{line, column}}}},
			})
		}
	}
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(sarifLog{
		Schema: "https://json.schemastore.org/sarif-2.1.0.json", Version: "2.1.0",
		Runs: []sarifRun{{
			Tool:    sarifTool{sarifDriver{"qed-prove", "https://github.com/qedkit/qed"}},
			Columns: "unicodeCodePoints", Results: results,
		}},
	})
}

// place returns the line and the column of an offset in a text, both from 1.
func place(text string, at int) (line, column int) {
	before := text[:min(max(at, 0), len(text))]
	last := strings.LastIndexByte(before, '\n') + 1
	return 1 + strings.Count(before, "\n"), 1 + utf8.RuneCountInString(before[last:])
}
