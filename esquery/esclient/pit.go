package esclient

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/elastic/go-elasticsearch/v8/esapi"
)

// openPIT opens a point in time: a view of an index that does not change while
// pages are read from it. tiebreak is what makes the order of hits strict in this
// view. Without it, hits that are equal in order could be lost between two pages.
func (c *Client) openPIT(
	ctx context.Context, index string, keepAlive time.Duration,
) (id string, tiebreak []string, err error) {
	server, err := c.Server(ctx)
	if err != nil {
		return "", nil, err
	}
	elastic := server.Distribution == Elasticsearch
	err = c.do(ctx, &call{
		index: index,
		request: func(time.Duration) esapi.Request {
			if elastic {
				return esapi.OpenPointInTimeRequest{Index: path(index), KeepAlive: duration(keepAlive)}
			}
			return rawRequest{
				method: http.MethodPost, path: "/" + url.PathEscape(index) + "/_search/point_in_time",
				query: url.Values{"keep_alive": {duration(keepAlive)}, "allow_partial_pit_creation": {"false"}},
			}
		},
		read: func(r *response) error {
			var in struct {
				ID     string      `json:"id"`
				PIT    string      `json:"pit_id"` // the name in OpenSearch
				Shards *shardsJSON `json:"_shards"`
			}
			if err := json.Unmarshal(r.body, &in); err != nil {
				return err
			}
			id = in.ID + in.PIT
			if id == "" {
				return errNotEngine
			}
			switch {
			case elastic:
				tiebreak = []string{"_shard_doc"}
			case in.Shards != nil && in.Shards.Total == 1:
				tiebreak = []string{"_doc"}
			default: // _doc is not unique across shards
				tiebreak = []string{"_id", "_index"}
			}
			return nil
		},
	})
	return id, tiebreak, err
}

// closePIT closes a point in time, even if ctx is done. It waits for a short time
// only. If it fails, the engine closes the view when its time has passed.
func (c *Client) closePIT(ctx context.Context, id string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeTime)
	defer cancel()
	_ = c.do(ctx, &call{once: true, request: func(time.Duration) esapi.Request {
		if server := c.server.Load(); server.Distribution == Elasticsearch {
			body, _ := json.Marshal(map[string]string{"id": id})
			return esapi.ClosePointInTimeRequest{Body: bytes.NewReader(body)}
		}
		body, _ := json.Marshal(map[string][]string{"pit_id": {id}})
		return rawRequest{method: http.MethodDelete, path: "/_search/point_in_time", body: body}
	}})
}

const closeTime = 5 * time.Second

// duration returns a duration in the form that both engines read.
func duration(d time.Duration) string { return strconv.FormatInt(d.Milliseconds(), 10) + "ms" }

// A rawRequest is a request of OpenSearch that esapi does not have.
type rawRequest struct {
	method, path string
	query        url.Values
	body         []byte
}

func (r rawRequest) Do(ctx context.Context, transport esapi.Transport) (*esapi.Response, error) {
	req, err := http.NewRequestWithContext(ctx, r.method, "http://"+r.path+"?"+r.query.Encode(), bytes.NewReader(r.body))
	if err != nil {
		return nil, err
	}
	if r.body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := transport.Perform(req)
	if err != nil {
		return nil, err
	}
	return &esapi.Response{StatusCode: resp.StatusCode, Header: resp.Header, Body: resp.Body}, nil
}
