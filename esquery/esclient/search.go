package esclient

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/elastic/go-elasticsearch/v8/esapi"

	"github.com/qedkit/qed/esquery"
)

// Search runs s. Its errors are [*esquery.EngineError], or match [context.Canceled]
// where ctx was cancelled: then the engine stops searching as well.
func (c *Client) Search(ctx context.Context, s *esquery.Search) (*esquery.Result, error) {
	if err := unchecked(s); err != nil {
		return nil, err
	}
	body, partial := s.Body(), true
	var result *esquery.Result
	err := c.do(ctx, &call{
		index: s.Index(),
		request: func(engineTime time.Duration) esapi.Request {
			return esapi.SearchRequest{
				Index: path(s.Index()), Body: bytes.NewReader(body),
				Timeout: engineTime, AllowPartialSearchResults: &partial,
			}
		},
		read: func(r *reply) (err error) {
			answer, err := c.readAnswer(r, s)
			if err != nil {
				return err
			}
			result = answer.result
			if c.allowPartial {
				return nil
			}
			return incomplete(r, s.Index(), result)
		},
	})
	if err != nil {
		return nil, err
	}
	return result, nil
}

// Count returns how many documents match the query of s. Its errors are those of
// [Client.Search]; a count of some shards only is always an error.
func (c *Client) Count(ctx context.Context, s *esquery.Search) (int64, error) {
	if err := unchecked(s); err != nil {
		return 0, err
	}
	query := s.Query()
	var count int64
	err := c.do(ctx, &call{
		index: s.Index(),
		request: func(time.Duration) esapi.Request {
			return esapi.CountRequest{Index: path(s.Index()), Body: bytes.NewReader(query)}
		},
		read: func(r *reply) error {
			var answer struct {
				Count  *int64      `json:"count"`
				Shards *wireShards `json:"_shards"`
			}
			if err := json.Unmarshal(r.body, &answer); err != nil {
				return err
			}
			if answer.Count == nil || answer.Shards == nil {
				return errNotTheirs
			}
			count = *answer.Count
			result := &esquery.Result{Total: esquery.Total{Value: count}}
			c.addShards(result, answer.Shards)
			return incomplete(r, s.Index(), result)
		},
	})
	if err != nil {
		return 0, err
	}
	return count, nil
}

// Validate has the engine itself check the query of s, without running it. The error
// of a query that the engine does not take matches [esquery.ErrBadRequest]. What
// stands beside the query, such as sort and aggregations, the engine does not check.
func (c *Client) Validate(ctx context.Context, s *esquery.Search) error {
	if err := unchecked(s); err != nil {
		return err
	}
	query, explain := s.Query(), true
	return c.do(ctx, &call{
		index: s.Index(),
		request: func(time.Duration) esapi.Request {
			return esapi.IndicesValidateQueryRequest{Index: path(s.Index()), Body: bytes.NewReader(query), Explain: &explain}
		},
		read: func(r *reply) error {
			var answer struct {
				Valid        *bool  `json:"valid"`
				Error        string `json:"error"`
				Explanations []struct {
					Valid bool   `json:"valid"`
					Error string `json:"error"`
				} `json:"explanations"`
			}
			if err := json.Unmarshal(r.body, &answer); err != nil {
				return err
			}
			if answer.Valid == nil {
				return errNotTheirs
			}
			if *answer.Valid {
				return nil
			}
			why := answer.Error
			for _, e := range answer.Explanations {
				if why == "" && !e.Valid {
					why = e.Error
				}
			}
			return &esquery.EngineError{Kind: esquery.ErrBadRequest, Status: r.status, Index: s.Index(), Reason: c.clean(why, maxReason)}
		},
	})
}

// unchecked is the error of a search that no validator made: a zero one has no index and
// no filter, and would be one of everything.
func unchecked(s *esquery.Search) error {
	if s == nil || s.Index() == "" {
		return errors.New("esclient: the Search is nil or empty: one comes from Report.Search, where that has no error")
	}
	return nil
}

var errNotTheirs = errors.New("the answer lacks what both engines put into it")

// incomplete is the error of a result that lacks something; nil: it does not.
func incomplete(r *reply, index string, result *esquery.Result) error {
	if !result.Partial() {
		return nil
	}
	e := &esquery.EngineError{Kind: esquery.ErrPartial, Status: r.status, Index: index, Partial: result}
	switch {
	case len(result.Failures) > 0:
		first := result.Failures[0]
		e.Type, e.Reason = first.Type, "shards failed: "+first.Reason
	case result.TimedOut:
		e.Reason = "the engine ran out of time (Config.Timeout)"
	default:
		e.Reason = fmt.Sprintf("of %d shards %d answered", result.Shards.Total, result.Shards.Successful)
	}
	return e
}
