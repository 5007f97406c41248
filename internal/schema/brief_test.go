package schema_test

import (
	"encoding/json"
	"testing"

	"github.com/qedkit/qed/internal/schema"
)

func TestBrief(t *testing.T) {
	for text, want := range map[string]string{
		`{"type":"object","properties":{"a":{"type":"string","description":"the a"},"b":{"enum":["x",2],"description":"the b"}},"required":["b"]}`: `{a?: string, b: "x"|2 /* the b */}`,
		`{"type":"object","properties":{"list":{"type":"array","items":{"type":"object","properties":{"n":{"type":"integer"}}}},"any":{}}}`:        `{list?: {n?: integer}[], any?: any}`,
		`{"type":"object","properties":{"a":{"type":"string","description":"ends */ here"}},"required":["a"]}`:                                     `{a: string /* ends * / here */}`,
		`{"type":"object"}`: `object`,
		// What has no such form stays as it is.
		`{"type":"object","properties":{"a":{"anyOf":[{"type":"string"},{"type":"null"}]}}}`: `{"type":"object","properties":{"a":{"anyOf":[{"type":"string"},{"type":"null"}]}}}`,
		`{"type":"object","properties":{"a":{"$ref":"#/$defs/a"}}}`:                          `{"type":"object","properties":{"a":{"$ref":"#/$defs/a"}}}`,
		`no schema`: `no schema`,
	} {
		if got := schema.Brief(json.RawMessage(text)); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

func TestLongest(t *testing.T) {
	for text, closed := range map[string]bool{
		`{"type":"object","properties":{"route":{"type":"string","enum":["sql","docs"]},"why":{"type":"string","description":"one sentence why"}}}`: true,
		`{"type":"object","properties":{"yes":{"type":"boolean"},"n":{"type":"integer"}}}`:                                                          true,
		`{"type":"object","properties":{"tables":{"type":"array","maxItems":3,"items":{"enum":["a","b"]}}}}`:                                        true,
		`{"type":"object","properties":{"tables":{"type":"array","items":{"enum":["a","b"]}}}}`:                                                     false,
		`{"type":"object","properties":{"sql":{"type":"string"}}}`:                                                                                  false,
		`{"type":"object","properties":{"route":{"enum":["sql"]},"more":{}}}`:                                                                       false,
		`{"type":"object","properties":{"route":{"enum":["sql"]},"more":null}}`:                                                                     false,
		`{"type":"object","properties":{"route":{"enum":["sql"]},"more":true}}`:                                                                     false,
		`{"type":"object"}`: false,
		`no schema`:         false,
	} {
		if got := schema.Longest(json.RawMessage(text)); (got > 0) != closed || got > 1000 {
			t.Errorf("%s: %d", text, got)
		}
	}
}
