package query

import (
	"encoding/json"

	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/internal/strictjson"
)

// A given query came as an argument.
type given struct {
	query    json.RawMessage
	language string // empty if not known
	source   string // empty if not known
}

// read returns the query in an argument. The argument is the query itself, or
// contains it: a result of query_builder or of an executor, a
// [finding.QueryMetadata], or a finding with such metadata.
func read(raw json.RawMessage) given {
	var in struct {
		Query     json.RawMessage `json:"query"`
		Language  string          `json:"language"`
		QueryType string          `json:"query_type"`
		Source    string          `json:"source"`
		Metadata  json.RawMessage `json:"query_metadata"`
		Arguments json.RawMessage `json:"arguments"` // of the executor that ran it
	}
	if json.Unmarshal(raw, &in) == nil {
		switch {
		case !strictjson.Absent(in.Metadata) && strictjson.Absent(in.Query):
			g := read(in.Metadata)
			if g.language != "" && in.Source != "" {
				g.source = in.Source
			}
			return g
		case !strictjson.Absent(in.Query) && in.Language+in.QueryType != "":
			if in.Source == "" {
				in.Source = ranOn(in.Arguments)
			}
			return given{in.Query, in.Language + in.QueryType, in.Source}
		}
	}
	return given{query: raw}
}

// ranOn returns the source in the arguments of an executor, or in the query in
// them. It returns "" if there is none.
func ranOn(arguments json.RawMessage) string {
	var in struct {
		Source string          `json:"source"`
		Query  json.RawMessage `json:"query"`
	}
	if strictjson.Absent(arguments) || json.Unmarshal(arguments, &in) != nil {
		return ""
	}
	if in.Source == "" && !strictjson.Absent(in.Query) {
		return read(in.Query).source
	}
	return in.Source
}

// checkSource returns an error if the query was written for another source.
func (g *given) checkSource(source Source) error {
	if g.source == "" || g.source == source.Name() {
		return nil
	}
	return &SourceError{Written: prompt.Clip(g.source, maxName), Given: source.Name()}
}

// value returns a query that a model wrote as JSON: the object or string that it
// is, or a string with any other text.
func value(written string) json.RawMessage {
	if raw := []byte(written); json.Valid(raw) && (raw[0] == '{' || raw[0] == '"') {
		return raw
	}
	raw, _ := json.Marshal(written) // a string always has a JSON form
	return raw
}
