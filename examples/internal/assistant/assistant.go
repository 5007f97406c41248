// Package assistant is the agent of the examples that hold conversations: a router over a
// database and documents, with the store of its conversations and a recorded conversation.
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
	"github.com/qedkit/qed/internal/command/settings"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/rag"
	"github.com/qedkit/qed/router"
	"github.com/qedkit/qed/sqlagent"
	"github.com/qedkit/qed/store"
)

// New returns a router over the database, the documents, more routes, and the model alone.
// The documents are those of the folder docs; the example company has its own.
func New(
	ctx context.Context, model llm.Model, src *database.Source, docs string, conf *settings.Settings, st store.Store,
	durable *qed.DurableOptions, more ...router.Route,
) (qed.Agent, error) {
	opt := conf.Agent
	opt.InterruptForJoins = true
	opt.MaxHistoryMessages = allMessages
	records, err := sqlagent.New(model, src.DB, src.Guard, src.Schema, &opt)
	if err != nil {
		return nil, err
	}
	routes := []router.Route{{
		Name:        "sql",
		Description: "figures, lists and records from the company's database, such as " + tables(src),
		Agent:       records,
	}}
	files := fs.FS(nil)
	switch {
	case docs != "":
		files = os.DirFS(docs)
	case src.IsExample():
		files = fieldservice.Manual()
	}
	if files != nil {
		documents, err := newDocuments(ctx, model, files, conf)
		if err != nil {
			return nil, err
		}
		routes = append(routes, router.Route{
			Name:        "documents",
			Description: "rules, explanations and how things are done, from the company's manuals",
			Agent:       documents,
		})
	}
	return router.New(model, append(routes, more...), &router.Options{
		Store:    st,
		Durable:  durable,
		Settings: opt.Settings,
	})
}

// allMessages is the history limit of the agents: they send all messages that they
// get, because qed.Memory has already chosen them.
const allMessages = 1000

func newDocuments(ctx context.Context, model llm.Model, files fs.FS, conf *settings.Settings) (qed.Agent, error) {
	embedder, err := conf.OpenEmbedder()
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

// Memory returns which messages of a conversation the model gets.
func Memory(conf *settings.Conversations, model llm.Model) *qed.Memory {
	m := &qed.Memory{Messages: conf.Messages}
	if conf.Tiered {
		m.Summarizer = model
	}
	return m
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
