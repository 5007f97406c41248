package esquery

import (
	"encoding/json"
	"time"
)

// A Result is the answer of an engine to a [Search]. It can be stored as JSON.
type Result struct {
	Took  time.Duration `json:"took"` // on the engine
	Total Total         `json:"total"`
	Hits  []Hit         `json:"hits,omitempty"`

	Aggregations json.RawMessage `json:"aggregations,omitempty"` // an object; nil: none were asked for

	Shards Shards `json:"shards"`
	// Failures are the reasons why shards failed, each reason once. See
	// [Result.Partial].
	Failures []ShardFailure `json:"failures,omitempty"`
	TimedOut bool           `json:"timedOut,omitempty"`
	// TerminatedEarly reports that the search ended at its terminate_after.
	TerminatedEarly bool `json:"terminatedEarly,omitempty"`
}

// Partial reports whether a part of the result is missing. Engines do not count
// a shard without any copy as failed, so Successful is compared too.
func (r *Result) Partial() bool {
	return r.TimedOut || r.Shards.Failed > 0 || r.Shards.Successful < r.Shards.Total
}

// Total is the number of matching documents. Engines stop counting at 10,000
// unless the search has "track_total_hits": true.
type Total struct {
	Value int64 `json:"value"`
	Exact bool  `json:"exact"` // if false, Value is a lower bound
}

// Shards counts the shards of a search.
type Shards struct {
	Total      int `json:"total"`
	Successful int `json:"successful"`
	Skipped    int `json:"skipped,omitempty"` // they could not hold a match; Successful counts them
	Failed     int `json:"failed,omitempty"`
}

// A ShardFailure is the reason why a shard is missing from a [Result].
type ShardFailure struct {
	Index  string `json:"index,omitempty"`
	Type   string `json:"type,omitempty"` // as the engine names it
	Reason string `json:"reason,omitempty"`
}

// A Hit is a document that was found, without the fields that are hidden from
// the author of the search.
type Hit struct {
	Index string   `json:"index"`
	ID    string   `json:"id"`
	Score *float64 `json:"score,omitempty"` // nil: it was not asked for

	// Parts that the search asked for, as JSON. Others are nil.
	Source    json.RawMessage `json:"source,omitempty"`    // the document, or a part of it
	Fields    json.RawMessage `json:"fields,omitempty"`    // arrays of values by field
	Highlight json.RawMessage `json:"highlight,omitempty"` // arrays of text by field
	Sort      json.RawMessage `json:"sort,omitempty"`      // the array of values it was sorted by

	MatchedQueries []string `json:"matchedQueries,omitempty"` // the names of the queries that it matches
}

// PageOptions configure reading all hits of a [Search] page by page. A nil
// PageOptions and zero fields mean the defaults.
type PageOptions struct {
	// Size is the number of hits of a page. The default is 1,000, the maximum
	// 10,000. The engine and the caller hold a page in memory.
	Size int
	// Max is the maximum number of hits. The default is all.
	Max int
	// KeepAlive is how long the engine keeps its view of the index between two
	// pages. The default is one minute. If reading a page takes longer, the
	// error matches [ErrExpired].
	KeepAlive time.Duration
}
