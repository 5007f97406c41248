package query

import (
	"bytes"
	"encoding/json"
	"strings"
)

// A given query is one that came as an argument.
type given struct {
	query    json.RawMessage
	language string // empty: it does not say
	source   string // empty: it does not say
}

// read takes a query as it is, or out of what has one: a result of query_builder, a
// [qed.QueryMetadata], or a finding with such metadata.
func read(raw json.RawMessage) given {
	var in struct {
		Query     json.RawMessage `json:"query"`
		Language  string          `json:"language"`
		QueryType string          `json:"query_type"`
		Source    string          `json:"source"`
		Metadata  json.RawMessage `json:"query_metadata"`
	}
	if json.Unmarshal(raw, &in) == nil {
		switch {
		case !absent(in.Metadata) && absent(in.Query):
			return read(in.Metadata)
		case !absent(in.Query) && in.Language+in.QueryType != "":
			return given{in.Query, in.Language + in.QueryType, in.Source}
		}
	}
	return given{query: raw}
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
