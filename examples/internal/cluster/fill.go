package cluster

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"strings"

	"github.com/elastic/go-elasticsearch/v8/esapi"
)

// An Index is what is made on a cluster.
type Index struct {
	Name string

	// Mapping is the body that makes it. Its mappings._meta.made_by tells the example's
	// index from another of that name.
	Mapping []byte

	// Documents are its documents, by their ids, as JSON writes them.
	Documents iter.Seq2[string, any]
}

// ErrTaken is matched by the error of [Fill] where the cluster has an index of a name
// that is not the example's.
var ErrTaken = errors.New("is not the example's: delete it, or take another cluster")

// Fill makes the indices, with their documents, that the cluster does not have. One that
// is there is left as it is, unless it lacks documents, as after a start that was
// interrupted.
func Fill(ctx context.Context, cluster esapi.Transport, indices ...Index) error {
	for _, index := range indices {
		if err := index.fill(ctx, cluster); err != nil {
			return err
		}
	}
	return nil
}

func (i Index) fill(ctx context.Context, cluster esapi.Transport) error {
	var bulk bytes.Buffer
	n := 0
	for id, d := range i.Documents {
		text, err := json.Marshal(d)
		if err != nil {
			return fmt.Errorf("a document of %s: %w", i.Name, err)
		}
		fmt.Fprintf(&bulk, "{\"index\":{\"_id\":%q}}\n%s\n", id, text)
		n++
	}
	made, err := i.create(ctx, cluster)
	if err != nil {
		return err
	}
	if !made {
		var there struct {
			Count int `json:"count"`
		}
		if _, err := do(ctx, cluster, esapi.CountRequest{Index: []string{i.Name}}, &there); err != nil || there.Count >= n {
			return err
		}
	}
	var told struct {
		Errors bool `json:"errors"`
	}
	_, err = do(ctx, cluster, esapi.BulkRequest{Index: i.Name, Body: &bulk, Refresh: "true"}, &told)
	if err == nil && told.Errors {
		err = fmt.Errorf("the cluster did not take all documents of %s", i.Name)
	}
	return err
}

// create makes the index, and reports whether it was not there.
func (i Index) create(ctx context.Context, cluster esapi.Transport) (bool, error) {
	status, err := do(ctx, cluster, esapi.IndicesCreateRequest{Index: i.Name, Body: bytes.NewReader(i.Mapping)}, nil)
	if err == nil || status != http.StatusBadRequest {
		return err == nil, err
	}
	type mappings struct {
		Meta struct {
			MadeBy string `json:"made_by"`
		} `json:"_meta"`
	}
	var own struct {
		Mappings mappings `json:"mappings"`
	}
	if err := json.Unmarshal(i.Mapping, &own); err != nil {
		return false, fmt.Errorf("the mapping of %s: %w", i.Name, err)
	}
	var there map[string]struct {
		Mappings mappings `json:"mappings"`
	}
	if _, gone := do(ctx, cluster, esapi.IndicesGetMappingRequest{Index: []string{i.Name}}, &there); gone != nil {
		return false, err // it was not because it is there already
	}
	for _, one := range there {
		if one.Mappings != own.Mappings {
			return false, fmt.Errorf("the index %s %w", i.Name, ErrTaken)
		}
	}
	return false, nil
}

type request interface {
	Do(context.Context, esapi.Transport) (*esapi.Response, error)
}

// do sends a request and reads its answer into a value.
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
		return resp.StatusCode, &refusal{resp.StatusCode, reason(raw)}
	case into == nil:
		return resp.StatusCode, nil
	}
	if err := json.Unmarshal(raw, into); err != nil {
		return resp.StatusCode, fmt.Errorf("what answers there is no cluster: %w", err)
	}
	return resp.StatusCode, nil
}

// A refusal is an answer that is an error.
type refusal struct {
	status int
	reason string
}

func (r *refusal) Error() string {
	if r.reason == "" {
		return fmt.Sprintf("the cluster answers %d", r.status)
	}
	return fmt.Sprintf("the cluster answers %d: %s", r.status, r.reason)
}

// reason returns what a cluster says of an error, or how its answer begins.
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
