package cluster

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"net/http"
	"strings"

	"github.com/elastic/go-elasticsearch/v8/esapi"
)

// Index is an index that an example makes on a cluster.
type Index struct {
	Name string

	// Mapping is the body of the request that creates it.
	Mapping []byte

	// Documents are its documents, by their ids. They are encoded as JSON.
	Documents iter.Seq2[string, any]
}

// Fill creates the indices that the cluster does not have, with their documents. It
// leaves an existing index unchanged: delete one that an interrupted start left half
// filled.
func Fill(ctx context.Context, cluster esapi.Transport, indices ...Index) error {
	for _, index := range indices {
		if err := index.fill(ctx, cluster); err != nil {
			return err
		}
	}
	return nil
}

func (i Index) fill(ctx context.Context, cluster esapi.Transport) error {
	var there map[string]json.RawMessage
	status, err := do(ctx, cluster, esapi.IndicesGetMappingRequest{Index: []string{i.Name}}, &there)
	if status != http.StatusNotFound {
		return err
	}
	if _, err := do(ctx, cluster, esapi.IndicesCreateRequest{Index: i.Name, Body: bytes.NewReader(i.Mapping)}, nil); err != nil {
		return err
	}
	var bulk bytes.Buffer
	for id, d := range i.Documents {
		text, err := json.Marshal(d)
		if err != nil {
			return fmt.Errorf("a document of %s: %w", i.Name, err)
		}
		fmt.Fprintf(&bulk, "{\"index\":{\"_id\":%q}}\n%s\n", id, text)
	}
	var answered struct {
		Errors bool `json:"errors"`
	}
	_, err = do(ctx, cluster, esapi.BulkRequest{Index: i.Name, Body: &bulk, Refresh: "true"}, &answered)
	if err == nil && answered.Errors {
		err = fmt.Errorf("the cluster did not accept all documents of %s", i.Name)
	}
	return err
}

type request interface {
	Do(context.Context, esapi.Transport) (*esapi.Response, error)
}

// do sends a request and decodes the answer.
func do(ctx context.Context, cluster esapi.Transport, r request, into any) (status int, err error) {
	resp, err := r.Do(ctx, cluster)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(io.LimitReader(resp.Body, 8<<20))
	switch {
	case err != nil:
		return resp.StatusCode, err
	case resp.IsError():
		return resp.StatusCode, &refusal{status: resp.StatusCode, reason: reason(raw)}
	case into == nil:
		return resp.StatusCode, nil
	}
	if err := json.Unmarshal(raw, into); err != nil {
		return resp.StatusCode, fmt.Errorf("the server is not a cluster: %w", err)
	}
	return resp.StatusCode, nil
}

// refusal is an answer with an error status.
type refusal struct {
	status int
	reason string
}

func (r *refusal) Error() string {
	if r.reason == "" {
		return fmt.Sprintf("the cluster answered %d", r.status)
	}
	return fmt.Sprintf("the cluster answered %d: %s", r.status, r.reason)
}

// reason returns the reason in an error of a cluster, or the beginning of the answer.
func reason(body []byte) string {
	var said struct {
		Error struct {
			Reason string `json:"reason"`
		} `json:"error"`
	}
	if json.Unmarshal(body, &said) == nil && said.Error.Reason != "" {
		body = []byte(said.Error.Reason)
	}
	return strings.TrimSpace(string(body[:min(len(body), 300)]))
}
