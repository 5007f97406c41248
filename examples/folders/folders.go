// Package folders is the document store of a small company, for examples and
// tests: folders, the documents in them, and their versions. The same index holds
// the documents of another company.
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
)

// Index is the name of the index.
const Index = "qed-folders"

// about describes the index to the model.
const about = "folders and the documents in them; entityType is FOLDER or DOCUMENT; " +
	"a document's systemAttributes.parentId is the systemAttributes.id of its folder"

//go:embed data/mapping.json
var mapping []byte

//go:embed data/documents.jsonl
var documents []byte

// Recording holds the answers of Elasticsearch to the transcript, for package estest.
//
//go:embed data/recording.jsonl
var Recording []byte

// NewValidator returns the validator of searches. The company's users see only
// their own company's documents, none with card data, and no taxpayer id.
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

// NewAgent returns the search agent of the index. A nil opt means the agent's
// defaults; its About is replaced.
func NewAgent(model llm.Model, engine searchagent.Engine, opt *searchagent.Options) (qed.Agent, error) {
	validator, err := NewValidator()
	if err != nil {
		return nil, err
	}
	var o searchagent.Options
	if opt != nil {
		o = *opt
	}
	o.About = map[string]string{Index: about}
	return searchagent.New(model, engine, validator, &o)
}

// Fill creates the index with its documents if the cluster does not have it.
func Fill(ctx context.Context, transport esapi.Transport) error {
	var all []line
	for text := range bytes.Lines(documents) {
		var l line
		if err := json.Unmarshal(text, &l); err != nil {
			return fmt.Errorf("folders: %w", err)
		}
		all = append(all, l)
	}
	each := func(yield func(string, any) bool) {
		for _, l := range all {
			if !yield(l.ID, l.Document) {
				return
			}
		}
	}
	return cluster.Fill(ctx, transport, cluster.Index{Name: Index, Mapping: mapping, Documents: each})
}

// line is a line of documents.jsonl.
type line struct {
	ID       string          `json:"id"`
	Document json.RawMessage `json:"document"`
}
