package main

import (
	"bytes"
	"context"
	"embed"
	"io/fs"

	"github.com/qedkit/qed/rag"
	"github.com/qedkit/qed/references"
)

// The documents of an invented port: orders, rules, manuals and tables in German and
// English. An order refers to rules, these to a manual, and that to a table. Some
// references are wrong: to documents that do not exist, to sections that do not
// exist, or with a misspelled name.
//
//go:embed documents registry.json
var files embed.FS

// A base is the documents that can be searched, and their names.
type base struct {
	index     *rag.Index
	registry  *references.Registry
	documents int
}

// openBase reads the documents into an index in memory. Their collection is their
// language.
func openBase(ctx context.Context) (*base, error) {
	raw, err := files.ReadFile("registry.json")
	if err != nil {
		return nil, err
	}
	registry, err := references.ReadRegistry(bytes.NewReader(raw))
	if err != nil {
		return nil, err
	}
	collections := map[string]string{}
	for _, d := range registry.Documents() {
		collections[d.ID] = d.Collection
	}
	documents, err := fs.Sub(files, "documents")
	if err != nil {
		return nil, err
	}
	chunks, err := rag.Read(ctx, documents, nil)
	if err != nil {
		return nil, err
	}
	names := map[string]bool{}
	for i := range chunks {
		names[chunks[i].Document] = true
		chunks[i].Metadata = map[string]string{"collection": collections[chunks[i].Document]}
	}
	index, err := rag.NewIndex(rag.NewMemory(), &rag.IndexOptions{Analyzer: rag.Analyzers(rag.English, rag.German)})
	if err != nil {
		return nil, err
	}
	return &base{index, registry, len(names)}, index.Put(ctx, chunks)
}
