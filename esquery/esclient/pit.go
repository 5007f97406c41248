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

// A point in time is the engine's view of an index that stays as it is while pages
// are read from it. The two engines have it under other paths and names.

// openView opens a point in time, and returns what makes an order of hits strict in
// it: without that, hits that are equal in order would be lost between two pages.
func (c *Client) openView(ctx context.Context, index string, keepAlive time.Duration) (id string, tiebreak []string, err error) {
	server, err := c.Server(ctx)
	if err != nil {
		return "", nil, err
	}
	elastic := server.Distribution == Elasticsearch
	whole := false
	err = c.do(ctx, &call{
		index: index,
		request: func(time.Duration) esapi.Request {
			if elastic {
				return esapi.OpenPointInTimeRequest{Index: path(index), KeepAlive: duration(keepAlive)}
			}
			return raw{method: http.MethodPost, path: "/" + url.PathEscape(index) + "/_search/point_in_time",
				query: url.Values{"keep_alive": {duration(keepAlive)}, "allow_partial_pit_creation": {strconv.FormatBool(whole)}}}
		},
		read: func(r *reply) error {
			var answer struct {
				ID     string      `json:"id"`
				PIT    string      `json:"pit_id"` // as OpenSearch has it
				Shards *wireShards `json:"_shards"`
			}
			if err := json.Unmarshal(r.body, &answer); err != nil {
				return err
			}
			id = answer.ID + answer.PIT
			if id == "" {
				return errNotTheirs
			}
			switch {
			case elastic:
				tiebreak = []string{"_shard_doc"}
			case answer.Shards != nil && answer.Shards.Total == 1:
				tiebreak = []string{"_doc"}
			default: // _doc counts anew in each shard
				tiebreak = []string{"_id", "_index"}
			}
			return nil
		},
	})
	return id, tiebreak, err
}

// closeView gives a point in time back, also when ctx is done. Nobody waits for it
// for long, and where it fails the engine closes it by itself.
func (c *Client) closeView(ctx context.Context, id string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeTime)
	defer cancel()
	_ = c.do(ctx, &call{once: true, request: func(time.Duration) esapi.Request {
		if server := c.server.Load(); server.Distribution == Elasticsearch {
			body, _ := json.Marshal(map[string]string{"id": id})
			return esapi.ClosePointInTimeRequest{Body: bytes.NewReader(body)}
		}
		body, _ := json.Marshal(map[string][]string{"pit_id": {id}})
		return raw{method: http.MethodDelete, path: "/_search/point_in_time", body: body}
	}})
}

const closeTime = 5 * time.Second

// duration is a duration as both engines read it.
func duration(d time.Duration) string { return strconv.FormatInt(d.Milliseconds(), 10) + "ms" }

// raw is a request that Elasticsearch, and so esapi, does not have.
type raw struct {
	method, path string
	query        url.Values
	body         []byte
}

func (r raw) Do(ctx context.Context, transport esapi.Transport) (*esapi.Response, error) {
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
