// Package folders is the document store of a small company, for examples and
// tests: folders, the documents in them, their versions, and what not everybody
// may see. Another company's documents lie in the same index.
package folders

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"

	"github.com/elastic/go-elasticsearch/v8/esapi"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/esquery"
	"github.com/qedkit/qed/examples/internal/cluster"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/searchagent"
	"github.com/qedkit/qed/store"
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
func NewAgent(model llm.Model, engine searchagent.Engine, st store.Store, opt *searchagent.Options) (qed.Agent, error) {
	validator, err := NewValidator()
	if err != nil {
		return nil, err
	}
	var o searchagent.Options
	if opt != nil {
		o = *opt
	}
	o.About, o.Store = map[string]string{Index: about}, st
	return searchagent.New(model, engine, validator, &o)
}

// Fill makes the index, with its documents, where the cluster does not have it.
func Fill(ctx context.Context, transport esapi.Transport) error {
	var all []line
	for text := range bytes.Lines(documents) {
		var l line
		if err := json.Unmarshal(text, &l); err != nil {
			return fmt.Errorf("folders: %w", err)
		}
		all = append(all, l)
	}
	return cluster.Fill(ctx, transport, cluster.Index{Name: Index, Mapping: mapping, Documents: func(yield func(string, any) bool) {
		for _, l := range all {
			if !yield(l.ID, l.Document) {
				return
			}
		}
	}})
}

// A line is one of the documents.
type line struct {
	ID       string          `json:"id"`
	Document json.RawMessage `json:"document"`
}
