package main

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/examples/fieldservice"
	"github.com/qedkit/qed/examples/internal/chat"
	"github.com/qedkit/qed/examples/internal/settings"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/rag"
	"github.com/qedkit/qed/router"
	"github.com/qedkit/qed/sqlagent"
	"github.com/qedkit/qed/store"
)

// newAgent returns who answers: a router over the database, the documents and the
// model alone. The example company has documents; a database of the user's own has
// those of the folder docs, if he names one.
func newAgent(ctx context.Context, model llm.Model, src *chat.Source, docs string, conf *settings.Settings, st store.Store, durable *qed.DurableOptions) (qed.Agent, error) {
	opt := conf.Agent
	opt.AskJoins = true
	opt.MaxHistoryMessages = allMessages
	database, err := sqlagent.New(model, src.DB, src.Guard, src.Schema, &opt)
	if err != nil {
		return nil, err
	}
	routes := []router.Route{{Name: "sql", Description: "figures, lists and records from the company's database, such as " + tables(src), Agent: database}}
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
		routes = append(routes, router.Route{Name: "documents", Description: "rules, explanations and how things are done, from the company's manuals", Agent: documents})
	}
	return router.New(model, routes, &router.Options{
		Store:    st,
		Durable:  durable,
		Settings: llm.Settings{Temperature: opt.Temperature, MaxOutputTokens: opt.MaxOutputTokens, JSONMode: opt.JSONMode},
	})
}

// allMessages has agents tell the model all of the conversation that they are given:
// what that is, memory has chosen.
const allMessages = 1000

func newDocuments(ctx context.Context, model llm.Model, files fs.FS, conf *settings.Settings) (qed.Agent, error) {
	embedder, _, err := conf.Embedder()
	if err != nil {
		return nil, err
	}
	chunks, err := rag.Read(files, nil)
	if err != nil {
		return nil, err
	}
	index, err := rag.NewIndex(ctx, chunks, &rag.IndexOptions{Embedder: embedder})
	if err != nil {
		return nil, err
	}
	return rag.New(model, index, &rag.Options{
		Settings: llm.Settings{Temperature: conf.Agent.Temperature, MaxOutputTokens: conf.Agent.MaxOutputTokens, JSONMode: conf.Agent.JSONMode},

		MaxHistoryMessages: allMessages,
	})
}

// memory says what of a conversation the model is told.
func memory(conf *settings.Conversations, model llm.Model) *qed.Memory {
	m := &qed.Memory{Messages: conf.Messages}
	if conf.Tiered {
		m.Summarizer = model
	}
	return m
}

const tablesInRoute = 40

// tables names what the database is about, for who chooses a route.
func tables(src *chat.Source) string {
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
