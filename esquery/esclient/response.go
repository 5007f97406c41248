package esclient

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/qedkit/qed/esquery"
)

// A searchResponse is the JSON that both engines return for a search.
type searchResponse struct {
	Took            *int64      `json:"took"`
	TimedOut        bool        `json:"timed_out"`
	TerminatedEarly bool        `json:"terminated_early"`
	PIT             string      `json:"pit_id"` // for the next page; empty without a point in time
	Shards          *shardsJSON `json:"_shards"`
	Hits            *struct {
		Total *struct {
			Value    int64  `json:"value"`
			Relation string `json:"relation"`
		} `json:"total"`
		Hits []hitJSON `json:"hits"`
	} `json:"hits"`
	Aggregations json.RawMessage `json:"aggregations"`
}

// hitJSON is an [esquery.Hit] with the engine's names.
type hitJSON struct {
	Index          string          `json:"_index"`
	ID             string          `json:"_id"`
	Score          *float64        `json:"_score"`
	Source         json.RawMessage `json:"_source"`
	Fields         json.RawMessage `json:"fields"`
	Highlight      json.RawMessage `json:"highlight"`
	Sort           json.RawMessage `json:"sort"`
	MatchedQueries []string        `json:"matched_queries"`
}

type shardsJSON struct {
	Total      int `json:"total"`
	Successful int `json:"successful"`
	Skipped    int `json:"skipped"`
	Failed     int `json:"failed"`
	Failures   []struct {
		Index  string `json:"index"`
		Reason cause  `json:"reason"`
	} `json:"failures"`
}

// readResult returns the result of s, without what is hidden from its author, and
// the point in time to read the next page from.
func (c *Client) readResult(r *response, s *esquery.Search) (result *esquery.Result, pit string, err error) {
	var in searchResponse
	if err := json.Unmarshal(r.body, &in); err != nil {
		return nil, "", err
	}
	if in.Took == nil || in.Shards == nil || in.Hits == nil {
		return nil, "", errNotEngine
	}
	result = &esquery.Result{
		Took:            time.Duration(*in.Took) * time.Millisecond,
		TimedOut:        in.TimedOut,
		TerminatedEarly: in.TerminatedEarly,
		Aggregations:    in.Aggregations,
		Hits:            make([]esquery.Hit, len(in.Hits.Hits)),
	}
	c.addShards(result, in.Shards)
	for i, hit := range in.Hits.Hits {
		result.Hits[i] = esquery.Hit(hit)
	}
	if err := redact(s, result.Hits); err != nil {
		return nil, "", err
	}
	if total := in.Hits.Total; total != nil {
		result.Total = esquery.Total{Value: total.Value, Exact: total.Relation == "eq"}
	} else {
		result.Total.Value = int64(len(result.Hits)) // the search turned counting off
	}
	return result, in.PIT, nil
}

// redact removes hidden fields. The engine was asked to leave them out already.
func redact(s *esquery.Search, hits []esquery.Hit) error {
	for i := range hits {
		h := &hits[i]
		for _, part := range []*json.RawMessage{&h.Source, &h.Fields, &h.Highlight} {
			if *part == nil {
				continue
			}
			visible, err := s.Redact(*part)
			if err != nil {
				return err
			}
			*part = visible
		}
	}
	return nil
}

// maxFailures is how many different failures of shards are kept.
const maxFailures = 10

func (c *Client) addShards(result *esquery.Result, in *shardsJSON) {
	result.Shards = esquery.Shards{Total: in.Total, Successful: in.Successful, Skipped: in.Skipped, Failed: in.Failed}
	for _, f := range in.Failures {
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

var errNotEngine = errors.New("the response lacks members that both engines return")

// incomplete returns the error of a result that lacks something, or nil.
func incomplete(r *response, index string, result *esquery.Result) error {
	if !result.Partial() {
		return nil
	}
	e := &esquery.EngineError{Kind: esquery.ErrPartial, Status: r.status, Index: index, Partial: result}
	switch {
	case len(result.Failures) > 0:
		first := result.Failures[0]
		e.Type, e.Reason = first.Type, "shards failed: "+first.Reason
	case result.TimedOut:
		e.Reason = "the engine ran out of time (Options.Timeout)"
	default:
		e.Reason = fmt.Sprintf("%d of %d shards returned a result", result.Shards.Successful, result.Shards.Total)
	}
	return e
}
