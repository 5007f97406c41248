// Package assistant is the agent of the examples that hold conversations: a router over a
// database and documents, with the store of its conversations and a recorded conversation.
package assistant

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"time"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/examples/fieldservice"
	"github.com/qedkit/qed/internal/command/chat"
	"github.com/qedkit/qed/internal/command/conversations"
	"github.com/qedkit/qed/internal/command/database"
	"github.com/qedkit/qed/internal/command/provider"
	"github.com/qedkit/qed/internal/command/settings"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/router"
	"github.com/qedkit/qed/store"
	"github.com/qedkit/qed/store/sqlstore"
)

// Options are the options of a program that holds conversations.
type Options struct {
	where database.Options
	docs  string
	store string
}

// Flags defines the flags of the options.
func (o *Options) Flags(flags *flag.FlagSet) {
	o.where.Example = fieldservice.Database()
	o.where.Flags(flags)
	flags.StringVar(&o.docs, "docs", "", "`folder` with your own Markdown documents")
	flags.StringVar(&o.store, "store", "", "where conversations are stored: the `path` of an SQLite file, "+
		"mysql://.. or postgres://..; default: CONVERSATION_DB_PATH")
}

// A Program has what a program that holds conversations has opened.
type Program struct {
	Settings *settings.Settings
	Show     *chat.Printer
	Store    *sqlstore.Store // of the conversations
	Place    string          // where they are stored, for a person
	Model    llm.Model
	Live     bool // the model is not a recorded one
	Example  bool // the data and the documents are those of the example company

	source *database.Source
	docs   string
}

// Open opens the database, the store and the model that the options and the settings name,
// and prints what they are. If no model is configured, the data of the example company is
// used with the model that recorded returns.
func Open(ctx context.Context, o *Options, out io.Writer, recorded func() llm.Model) (*Program, error) {
	p := &Program{Show: chat.NewPrinter(out), docs: o.docs}
	if err := p.open(ctx, o, recorded); err != nil {
		return nil, errors.Join(err, p.Close())
	}
	return p, nil
}

func (p *Program) open(ctx context.Context, o *Options, recorded func() llm.Model) (err error) {
	if p.Settings, err = settings.Load(".env"); err != nil {
		return err
	}
	if p.Store, p.Place, err = conversations.Open(ctx, o.store, &p.Settings.Conversations); err != nil {
		return fmt.Errorf("conversations cannot be stored: %w", err)
	}
	p.source, err = database.OpenSource(ctx, &o.where, p.Settings)
	if p.source != nil {
		p.Show.Source(p.source.Name, p.source.Notes, p.source.Findings)
	}
	if err != nil {
		return err
	}
	var replay llm.Model
	if p.Example = p.source.IsExample() && o.docs == ""; p.Example {
		replay = recorded()
	}
	p.Model, p.Live, err = provider.OrReplay(p.Settings, p.Show.Note, replay)
	return err
}

// Close closes the data and the store.
func (p *Program) Close() error {
	if p.source != nil {
		p.source.Close()
	}
	if p.Store == nil {
		return nil
	}
	return p.Store.Close()
}

// Agent returns a router over the database, the documents, more routes, and the model
// alone, which keeps conversations in st. See [qed.DurableOptions] for the lease.
func (p *Program) Agent(
	ctx context.Context, st store.Store, lease time.Duration, more ...router.Route,
) (qed.Agent, error) {
	conversations := &p.Settings.Conversations
	memory := &qed.Memory{Messages: conversations.Messages}
	if conversations.Tiered {
		memory.Summarizer = p.Model
	}
	routes, err := p.routes(ctx)
	if err != nil {
		return nil, err
	}
	return router.New(p.Model, append(routes, more...), &router.Options{
		Store: st, Durable: &qed.DurableOptions{Memory: memory, Lease: lease}, Settings: p.Settings.Agent.Settings,
	})
}
