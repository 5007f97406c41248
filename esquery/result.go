package esquery

import (
	"encoding/json"
	"time"
)

// Result is what an engine answered to a [Search]. It survives JSON.
type Result struct {
	Took  time.Duration `json:"took"` // on the engine
	Total Total         `json:"total"`
	Hits  []Hit         `json:"hits,omitempty"`

	Aggregations json.RawMessage `json:"aggregations,omitempty"` // an object; nil: none were asked for
	Suggest      json.RawMessage `json:"suggest,omitempty"`      // an object; nil: none was asked for

	Shards Shards `json:"shards"`
	// Failures are why shards failed, each reason once: see [Result.Partial].
	Failures []ShardFailure `json:"failures,omitempty"`
	TimedOut bool           `json:"timedOut,omitempty"`
	// TerminatedEarly: the search stopped at its own terminate_after.
	TerminatedEarly bool `json:"terminatedEarly,omitempty"`
}

// Partial reports whether something is missing that the search asked for. Engines do
// not count as failed a shard of which no copy is there.
func (r *Result) Partial() bool {
	return r.TimedOut || r.Shards.Failed > 0 || r.Shards.Successful < r.Shards.Total
}

// Total is how many documents match. Engines stop counting at 10,000 where the search has
// no "track_total_hits": true.
type Total struct {
	Value int64 `json:"value"`
	Exact bool  `json:"exact"` // else there are at least so many
}

// Shards counts the shards that a search asked.
type Shards struct {
	Total      int `json:"total"`
	Successful int `json:"successful"`
	Skipped    int `json:"skipped,omitempty"` // they could not hold a match; Successful counts them
	Failed     int `json:"failed,omitempty"`
}

// ShardFailure is why a shard has no part in a [Result].
type ShardFailure struct {
	Index  string `json:"index,omitempty"`
	Type   string `json:"type,omitempty"` // as the engine names it
	Reason string `json:"reason,omitempty"`
}

// Hit is a document that was found, without the fields that are hidden from the
// search's author.
type Hit struct {
	Index string   `json:"index"`
	ID    string   `json:"id"`
	Score *float64 `json:"score,omitempty"` // nil: it was not asked for

	// What was asked for, as JSON; nil: it was not.
	Source    json.RawMessage `json:"source,omitempty"`    // the document, or a part of it
	Fields    json.RawMessage `json:"fields,omitempty"`    // arrays of values by field
	Highlight json.RawMessage `json:"highlight,omitempty"` // arrays of text by field
	InnerHits json.RawMessage `json:"innerHits,omitempty"` // by name
	Sort      json.RawMessage `json:"sort,omitempty"`      // the array of values it was sorted by

	MatchedQueries []string `json:"matchedQueries,omitempty"` // the names of the queries that it matches
}

// PageOptions say how an engine reads all hits of a [Search], page by page. Nil and
// zero fields mean the defaults named at each field.
type PageOptions struct {
	// Size is how many hits a page has: 1,000, and at most 10,000. The engines hold
	// a page in memory, and so does who reads it.
	Size int
	// Max is how many hits are read at most. 0: all.
	Max int
	// KeepAlive is how long the engine keeps its view of the index open between two
	// pages: one minute. A reader that takes longer over a page ends with [ErrExpired].
	KeepAlive time.Duration
}
