// Package folders is the document store of a small company, for examples and
// tests: folders, the documents in them, their versions, and what not everybody
// may see. Another company's documents lie in the same index.
package folders

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/elastic/go-elasticsearch/v8/esapi"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/esquery"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/searchagent"
)

// Index is the name of the index.
const Index = "qed-folders"

// about says what the index holds.
const about = "folders and the documents in them; entityType is FOLDER or DOCUMENT; a document's systemAttributes.parentId is the systemAttributes.id of its folder"

//go:embed data/mapping.json
var mapping []byte

//go:embed data/documents.jsonl
var documents []byte

// Recording is what Elasticsearch answers to the transcript, for package estest.
//
//go:embed data/recording.jsonl
var Recording []byte

// NewValidator returns what stands before the index: the company's users see its
// own documents alone, none with card data, and of no document the taxpayer's id.
func NewValidator() (*esquery.Validator, error) {
	m, err := esquery.ParseMapping(mapping)
	if err != nil {
		return nil, err
	}
	return esquery.NewValidator(map[string]*esquery.Mapping{Index: m}, &esquery.Options{
		Filter:    json.RawMessage(`{"bool":{"filter":[{"term":{"tenantId":"harbour"}},{"term":{"isPci":false}}]}}`),
		Sensitive: []string{"tenantId", "isPci", "commonAttributes.taxpayerId"},
	})
}

// NewAgent returns the search agent over the index. It keeps conversations in store;
// a nil opt means the agent's defaults.
func NewAgent(model llm.Model, engine searchagent.Engine, store qed.Store, opt *searchagent.Options) (qed.Agent, error) {
	validator, err := NewValidator()
	if err != nil {
		return nil, err
	}
	var o searchagent.Options
	if opt != nil {
		o = *opt
	}
	o.About, o.Store = map[string]string{Index: about}, store
	return searchagent.New(model, engine, validator, &o)
}

// ErrTaken is matched by the error of [Fill] where the cluster has an index of the
// name that is not the example's.
var ErrTaken = errors.New("the cluster has an index " + Index + " that is not the example's: delete it, or take another cluster")

// Fill makes the index, with its documents, where the cluster does not have it. An
// index that is there is left as it is.
func Fill(ctx context.Context, cluster esapi.Transport) error {
	made, err := create(ctx, cluster)
	if err != nil || !made {
		return err
	}
	var bulk bytes.Buffer
	for line := range bytes.Lines(documents) {
		var d struct {
			ID       string          `json:"id"`
			Document json.RawMessage `json:"document"`
		}
		if err := json.Unmarshal(line, &d); err != nil {
			return fmt.Errorf("folders: %w", err)
		}
		fmt.Fprintf(&bulk, "{\"index\":{\"_id\":%q}}\n%s\n", d.ID, d.Document)
	}
	var told struct {
		Errors bool `json:"errors"`
	}
	_, err = do(ctx, cluster, esapi.BulkRequest{Index: Index, Body: &bulk, Refresh: "true"}, &told)
	if err == nil && told.Errors {
		err = errors.New("folders: the cluster did not take all documents")
	}
	return err
}

// create makes the index, and reports whether it was not there.
func create(ctx context.Context, cluster esapi.Transport) (bool, error) {
	status, err := do(ctx, cluster, esapi.IndicesCreateRequest{Index: Index, Body: bytes.NewReader(mapping)}, nil)
	if err == nil || status != http.StatusBadRequest {
		return err == nil, err
	}
	var there map[string]struct {
		Mappings struct {
			Meta struct {
				MadeBy string `json:"made_by"`
			} `json:"_meta"`
		} `json:"mappings"`
	}
	if _, gone := do(ctx, cluster, esapi.IndicesGetMappingRequest{Index: []string{Index}}, &there); gone != nil {
		return false, err // it was not because it is there already
	}
	for _, index := range there {
		if index.Mappings.Meta.MadeBy != "qed/examples/folders" {
			return false, ErrTaken
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
		return 0, fmt.Errorf("folders: %w", err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	switch {
	case err != nil:
		return resp.StatusCode, fmt.Errorf("folders: %w", err)
	case resp.IsError():
		return resp.StatusCode, fmt.Errorf("folders: the cluster answers %d: %s", resp.StatusCode, strings.TrimSpace(string(raw[:min(len(raw), 300)])))
	case into == nil:
		return resp.StatusCode, nil
	}
	return resp.StatusCode, json.Unmarshal(raw, into)
}
