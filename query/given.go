package query

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/qedkit/qed/internal/prompt"
)

// A given query is one that came as an argument.
type given struct {
	query    json.RawMessage
	language string // empty: it does not say
	source   string // empty: it does not say
}

// read takes a query as it is, or out of what has one: a result of query_builder or of an
// executor, a [qed.QueryMetadata], or a finding with such metadata.
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
		case !absent(in.Metadata) && absent(in.Query):
			g := read(in.Metadata)
			if g.language != "" && in.Source != "" {
				g.source = in.Source
			}
			return g
		case !absent(in.Query) && in.Language+in.QueryType != "":
			if in.Source == "" {
				in.Source = ranOn(in.Arguments)
			}
			return given{in.Query, in.Language + in.QueryType, in.Source}
		}
	}
	return given{query: raw}
}

// ranOn returns the source that the arguments of an executor name, or that of the query in
// them; empty: they name none.
func ranOn(arguments json.RawMessage) string {
	var in struct {
		Source string          `json:"source"`
		Query  json.RawMessage `json:"query"`
	}
	if absent(arguments) || json.Unmarshal(arguments, &in) != nil {
		return ""
	}
	if in.Source == "" && !absent(in.Query) {
		return read(in.Query).source
	}
	return in.Source
}

// elsewhere is the error of a query that was written for another source than the one it was
// given to; nil: it was not, or does not say.
func (g *given) elsewhere(source Source) error {
	if g.source == "" || g.source == source.Name() {
		return nil
	}
	return &SourceError{Written: prompt.Clip(g.source, maxName), Given: source.Name()}
}

// absent reports whether there is no value.
func absent(raw json.RawMessage) bool {
	raw = bytes.TrimSpace(raw)
	return len(raw) == 0 || string(raw) == "null"
}

// text returns a query as people read it: a string without its quotes.
func text(q json.RawMessage) string {
	var s string
	if json.Unmarshal(q, &s) == nil {
		return s
	}
	return string(q)
}

// value returns a query that a model wrote as the JSON value that it is: an object or a
// string where it is one, and a string of any other text.
func value(written string) json.RawMessage {
	if raw := []byte(written); json.Valid(raw) && (raw[0] == '{' || raw[0] == '"') {
		return raw
	}
	raw, _ := json.Marshal(written) // a string always has a JSON form
	return raw
}

// bare takes off what models put around a query: a code fence.
func bare(written string) string {
	written = strings.TrimSpace(written)
	if inner, ok := strings.CutPrefix(written, "```"); ok {
		if first, rest, found := strings.Cut(inner, "\n"); found && !strings.ContainsAny(strings.TrimSpace(first), " {") {
			inner = rest
		}
		written = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(inner), "```"))
	}
	return written
}
