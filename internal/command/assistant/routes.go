package assistant

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/ascii"
	"github.com/qedkit/qed/internal/command/database"
	"github.com/qedkit/qed/rag"
	"github.com/qedkit/qed/rag/pdf"
	"github.com/qedkit/qed/router"
	"github.com/qedkit/qed/sqlagent"
)

// routes returns the routes to the database and to the documents.
func (p *Program) routes(ctx context.Context) ([]router.Route, error) {
	opt := p.Settings.Agent
	opt.InterruptForJoins = true
	opt.MaxHistoryMessages = allMessages
	opt.User, opt.Verified = p.user, p.verified
	if p.values != nil {
		opt.Values = p.values.get
	}
	records, err := sqlagent.New(p.Model, p.source.DB, p.source.Guard, p.source.Schema, &opt)
	if err != nil {
		return nil, err
	}
	routes := []router.Route{{
		Name:        "sql",
		Description: "figures, lists and records from the company's database, such as " + tables(p.source),
		Agent:       records,
	}}
	var files fs.FS
	switch {
	case p.options.docs != "":
		files = os.DirFS(p.options.docs)
	case p.source.IsExample():
		files = p.options.Manual
	}
	if files == nil {
		return routes, nil
	}
	documents, err := p.documents(ctx, files)
	if err != nil {
		return nil, fmt.Errorf("the documents %s cannot be used: %w", p.options.docs, err)
	}
	return append(routes, router.Route{
		Name:        "rag",
		Description: "rules, explanations and how things are done, from the company's manuals",
		Agent:       documents,
	}), nil
}

// allMessages is the history limit of the agents: they send all messages that they
// get, because qed.Memory has already chosen them.
const allMessages = 1000

// documents returns an agent that answers from files. A file that cannot be read is left
// out, and noted.
func (p *Program) documents(ctx context.Context, files fs.FS) (qed.Agent, error) {
	var opt rag.ReadOptions
	if hasPDF(files) { // opening a reader takes seconds
		reader, err := pdf.Open()
		if err != nil {
			return nil, err
		}
		defer reader.Close()
		opt.Loaders = map[string]rag.Loader{".pdf": reader.Load}
	}
	chunks, err := rag.Read(ctx, files, &opt)
	if len(chunks) == 0 {
		return nil, err
	}
	if err != nil {
		p.Show.Note("Documents that are left out: %v", err)
	}
	index, err := rag.NewIndex(rag.NewMemory(), &rag.IndexOptions{Embedder: p.embedder})
	if err != nil {
		return nil, err
	}
	if err := index.Put(ctx, chunks); err != nil {
		return nil, err
	}
	return rag.New(p.Model, index, &rag.Options{
		Settings:           p.Settings.Agent.Settings,
		MaxHistoryMessages: allMessages,
	})
}

// hasPDF reports whether a folder has a PDF file. Other problems are reported by the
// reader of the files.
func hasPDF(files fs.FS) (found bool) {
	_ = fs.WalkDir(files, ".", func(name string, _ fs.DirEntry, _ error) error {
		if found = ascii.EqualFold(path.Ext(name), ".pdf"); found {
			return fs.SkipAll
		}
		return nil
	})
	return found
}

const tablesInRoute = 40

// tables lists tables of the database, for the description of a route.
func tables(src *database.Source) string {
	var names []string
	all := src.Guard.Tables()
	for _, t := range all[:min(len(all), tablesInRoute)] {
		names = append(names, t.Name)
	}
	if more := len(all) - len(names); more > 0 {
		names = append(names, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(names, ", ")
}
