// Package port has the documents of an invented port and recorded researches in them.
//
// The documents are orders, rules, manuals and tables in German and English. An order
// refers to rules, these to a manual, and that to a table. Some references are wrong: to
// documents that do not exist, to sections that do not exist, or with a misspelled name.
package port

import (
	"bytes"
	"context"
	"embed"
	"io/fs"

	"github.com/qedkit/qed/rag"
	"github.com/qedkit/qed/research/references"
)

// Files has the folder documents, and registry.json with the names of the documents.
//
//go:embed documents registry.json
var Files embed.FS

// A Base is the documents that can be searched, and their names.
type Base struct {
	Index     *rag.Index
	Registry  *references.Registry
	Documents int
}

// Open reads the documents into an index in memory. Their collection is their language.
func Open(ctx context.Context) (*Base, error) {
	raw, err := Files.ReadFile("registry.json")
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
	documents, err := fs.Sub(Files, "documents")
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
	return &Base{index, registry, len(names)}, index.Put(ctx, chunks)
}
