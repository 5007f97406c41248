package esclient

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/elastic/go-elasticsearch/v8/esapi"

	"github.com/qedkit/qed/esquery"
)

// Search runs s. Its errors are [*esquery.EngineError]. If ctx is cancelled, the
// error matches [context.Canceled] and the engine stops searching.
func (c *Client) Search(ctx context.Context, s *esquery.Search) (*esquery.Result, error) {
	if err := requireChecked(s); err != nil {
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
		read: func(r *response) (err error) {
			result, _, err = c.readResult(r, s)
			if err != nil {
				return err
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
// [Client.Search]. A count that lacks shards is an error.
func (c *Client) Count(ctx context.Context, s *esquery.Search) (int64, error) {
	if err := requireChecked(s); err != nil {
		return 0, err
	}
	query := s.Query()
	var count int64
	err := c.do(ctx, &call{
		index: s.Index(),
		request: func(time.Duration) esapi.Request {
			return esapi.CountRequest{Index: path(s.Index()), Body: bytes.NewReader(query)}
		},
		read: func(r *response) error {
			var in struct {
				Count  *int64      `json:"count"`
				Shards *shardsJSON `json:"_shards"`
			}
			if err := json.Unmarshal(r.body, &in); err != nil {
				return err
			}
			if in.Count == nil || in.Shards == nil {
				return errNotEngine
			}
			count = *in.Count
			result := &esquery.Result{Total: esquery.Total{Value: count}}
			c.addShards(result, in.Shards)
			return incomplete(r, s.Index(), result)
		},
	})
	if err != nil {
		return 0, err
	}
	return count, nil
}

// requireChecked returns an error if no validator made s. The zero Search has no
// index and no filter: it would search everything.
func requireChecked(s *esquery.Search) error {
	if s == nil || s.Index() == "" {
		return errors.New("esclient: the Search is nil or empty: Report.Search returns one")
	}
	return nil
}
