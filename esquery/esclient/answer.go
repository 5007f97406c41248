package esclient

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/qedkit/qed/esquery"
)

// answer is what the engine says to a search.
type answer struct {
	result *esquery.Result
	pit    string // the point in time to go on with; empty: none was used
}

type wireAnswer struct {
	Took            *int64      `json:"took"`
	TimedOut        bool        `json:"timed_out"`
	TerminatedEarly bool        `json:"terminated_early"`
	PIT             string      `json:"pit_id"`
	Shards          *wireShards `json:"_shards"`
	Hits            *struct {
		Total *struct {
			Value    int64  `json:"value"`
			Relation string `json:"relation"`
		} `json:"total"`
		Hits []wireHit `json:"hits"`
	} `json:"hits"`
	Aggregations json.RawMessage `json:"aggregations"`
	Suggest      json.RawMessage `json:"suggest"`
}

// wireHit is an [esquery.Hit] by the engine's names.
type wireHit struct {
	Index          string          `json:"_index"`
	ID             string          `json:"_id"`
	Score          *float64        `json:"_score"`
	Source         json.RawMessage `json:"_source"`
	Fields         json.RawMessage `json:"fields"`
	Highlight      json.RawMessage `json:"highlight"`
	InnerHits      json.RawMessage `json:"inner_hits"`
	Sort           json.RawMessage `json:"sort"`
	MatchedQueries []string        `json:"matched_queries"`
}

type wireShards struct {
	Total      int `json:"total"`
	Successful int `json:"successful"`
	Skipped    int `json:"skipped"`
	Failed     int `json:"failed"`
	Failures   []struct {
		Index  string `json:"index"`
		Reason cause  `json:"reason"`
	} `json:"failures"`
}

// readAnswer reads the answer to s, without what is hidden from its author.
func (c *Client) readAnswer(r *reply, s *esquery.Search) (*answer, error) {
	var wire wireAnswer
	if err := json.Unmarshal(r.body, &wire); err != nil {
		return nil, err
	}
	if wire.Took == nil || wire.Shards == nil || wire.Hits == nil {
		return nil, errNotTheirs
	}
	result := &esquery.Result{
		Took:            time.Duration(*wire.Took) * time.Millisecond,
		TimedOut:        wire.TimedOut,
		TerminatedEarly: wire.TerminatedEarly,
		Aggregations:    wire.Aggregations,
		Suggest:         wire.Suggest,
		Hits:            make([]esquery.Hit, len(wire.Hits.Hits)),
	}
	c.addShards(result, wire.Shards)
	for i := range wire.Hits.Hits {
		result.Hits[i] = esquery.Hit(wire.Hits.Hits[i])
	}
	if err := redact(s, result.Hits); err != nil {
		return nil, err
	}
	if total := wire.Hits.Total; total != nil {
		result.Total = esquery.Total{Value: total.Value, Exact: total.Relation == "eq"}
	} else {
		result.Total.Value = int64(len(result.Hits)) // the search did not want it counted
	}
	return &answer{result, wire.PIT}, nil
}

// redact takes out what the engine was told to leave out.
func redact(s *esquery.Search, hits []esquery.Hit) error {
	for i := range hits {
		h := &hits[i]
		for _, part := range []*json.RawMessage{&h.Source, &h.Fields, &h.Highlight} {
			if *part == nil {
				continue
			}
			kept, err := s.Redact(*part)
			if err != nil {
				return err
			}
			*part = kept
		}
	}
	return nil
}

// maxFailures bounds what is kept of the reasons of hundreds of shards.
const maxFailures = 10

func (c *Client) addShards(result *esquery.Result, wire *wireShards) {
	result.Shards = esquery.Shards{Total: wire.Total, Successful: wire.Successful, Skipped: wire.Skipped, Failed: wire.Failed}
	for _, f := range wire.Failures {
		failure := esquery.ShardFailure{
			Index:  c.clean(f.Index, maxType),
			Type:   c.clean(f.Reason.Type, maxType),
			Reason: c.clean(f.Reason.reason(), maxReason),
		}
		if len(result.Failures) < maxFailures && !slices.Contains(result.Failures, failure) {
			result.Failures = append(result.Failures, failure)
		}
	}
}
