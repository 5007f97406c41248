package assistant

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/examples/fieldservice"
	"github.com/qedkit/qed/internal/command/database"
	"github.com/qedkit/qed/internal/command/provider"
	"github.com/qedkit/qed/internal/command/settings"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/rag"
	"github.com/qedkit/qed/router"
	"github.com/qedkit/qed/sqlagent"
)

// routes returns the routes to the database and to the documents.
func (p *Program) routes(ctx context.Context) ([]router.Route, error) {
	opt := p.Settings.Agent
	opt.InterruptForJoins = true
	opt.MaxHistoryMessages = allMessages
	records, err := sqlagent.New(p.Model, p.source.DB, p.source.Guard, p.source.Schema, &opt)
	if err != nil {
		return nil, err
	}
	routes := []router.Route{{
		Name:        "sql",
		Description: "figures, lists and records from the company's database, such as " + tables(p.source),
		Agent:       records,
	}}
	files := fs.FS(nil)
	switch {
	case p.docs != "":
		files = os.DirFS(p.docs)
	case p.source.IsExample():
		files = fieldservice.Manual()
	}
	if files == nil {
		return routes, nil
	}
	documents, err := newDocuments(ctx, p.Model, files, p.Settings)
	if err != nil {
		return nil, err
	}
	return append(routes, router.Route{
		Name:        "documents",
		Description: "rules, explanations and how things are done, from the company's manuals",
		Agent:       documents,
	}), nil
}

// allMessages is the history limit of the agents: they send all messages that they
// get, because qed.Memory has already chosen them.
const allMessages = 1000

func newDocuments(ctx context.Context, model llm.Model, files fs.FS, conf *settings.Settings) (qed.Agent, error) {
	embedder, err := provider.OpenEmbedder(conf)
	if err != nil {
		return nil, err
	}
	chunks, err := rag.Read(ctx, files, nil)
	if err != nil {
		return nil, err
	}
	index, err := rag.NewIndex(rag.NewMemory(), &rag.IndexOptions{Embedder: embedder})
	if err != nil {
		return nil, err
	}
	if err := index.Put(ctx, chunks); err != nil {
		return nil, err
	}
	return rag.New(model, index, &rag.Options{
		Settings:           conf.Agent.Settings,
		MaxHistoryMessages: allMessages,
	})
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
