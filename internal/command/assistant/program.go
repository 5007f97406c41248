// Package assistant has the agent of the programs that hold conversations: a router over
// a database, documents and the model alone, with the store of its conversations.
package assistant

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"time"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/command/chat"
	"github.com/qedkit/qed/internal/command/conversations"
	"github.com/qedkit/qed/internal/command/database"
	"github.com/qedkit/qed/internal/command/provider"
	"github.com/qedkit/qed/internal/command/settings"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/router"
	"github.com/qedkit/qed/sqlagent/verified"
	"github.com/qedkit/qed/store"
	"github.com/qedkit/qed/store/sqlstore"
	"github.com/qedkit/qed/store/usermemory"
)

// Options are the options of a program that holds conversations.
type Options struct {
	Database database.Options

	// Manual has the documents of the example database. Nil means none.
	Manual fs.FS

	docs, store      string
	values, verified string
	remember         bool
}

// Flags defines the flags of the options.
func (o *Options) Flags(flags *flag.FlagSet) {
	o.Database.Flags(flags)
	flags.StringVar(&o.docs, "docs", "", "`folder` with documents: Markdown, text, HTML and PDF files")
	flags.StringVar(&o.store, "store", "", "where conversations are stored: the `path` of an SQLite file, "+
		"mysql://.. or postgres://..; default: CONVERSATION_DB_PATH")
	flags.StringVar(&o.values, "values", "", "`file` in which the values of text columns are kept, so that questions need not "+
		"spell them exactly; they are read from the database once a day")
	flags.StringVar(&o.verified, "verified", "", "`file` with questions and their approved SQL, which become examples for the model")
	flags.BoolVar(&o.remember, "user-memory", false, "remember users across their conversations, in the store of conversations")
}

// A Program has what a program that holds conversations has opened.
type Program struct {
	Settings *settings.Settings
	Show     *chat.Printer
	Store    *sqlstore.Store // of the conversations
	Place    string          // where they are stored, for a person
	Model    llm.Model
	Live     bool // the model is not a recorded one
	Example  bool // the data and the documents are those of the example

	options  *Options
	source   *database.Source
	embedder llm.Embedder // nil: none is configured
	user     *usermemory.Memory
	verified *verified.Set
	values   *dictionary // nil without -values
}

// Open opens what the options and the settings name, and prints what they are. If no
// model is configured, the example is used with the model that recorded returns; a nil
// recorded returns none.
func Open(ctx context.Context, o *Options, out io.Writer, recorded func() llm.Model) (*Program, error) {
	p := &Program{Show: chat.NewPrinter(out), options: o}
	if err := p.open(ctx, recorded); err != nil {
		return nil, errors.Join(err, p.Close())
	}
	return p, nil
}

func (p *Program) open(ctx context.Context, recorded func() llm.Model) (err error) {
	o := p.options
	if p.Settings, err = settings.Load(".env"); err != nil {
		return err
	}
	p.source, err = database.OpenSource(ctx, &o.Database, p.Settings)
	if p.source != nil {
		p.Show.Source(p.source.Name, p.source.Notes, p.source.Findings)
	}
	if err != nil {
		return err
	}
	if p.Store, p.Place, err = conversations.Open(ctx, o.store, &p.Settings.Conversations); err != nil {
		return fmt.Errorf("conversations cannot be stored: %w", err)
	}
	var replay llm.Model
	if p.Example = p.source.IsExample() && o.docs == ""; p.Example {
		replay = recorded()
	}
	if p.Model, p.Live, err = provider.OrReplay(p.Settings, p.Show.Note, replay); err != nil {
		return err
	}
	if p.embedder, err = provider.OpenEmbedder(p.Settings); err != nil {
		return err
	}
	if o.remember {
		p.user = &usermemory.Memory{Store: p.Store, Embedder: p.embedder, EmbedderModel: p.Settings.EmbeddingModel}
	}
	if o.verified != "" {
		if p.verified, err = verified.Open(o.verified, &verified.Options{Embedder: p.embedder}); err != nil {
			return err
		}
	}
	if o.values != "" {
		p.values, err = openDictionary(ctx, o.values, p.source, p.Show.Note)
	}
	return err
}

// Name returns the name of the database, for a person.
func (p *Program) Name() string { return p.source.Name }

// Close closes the data and the store.
func (p *Program) Close() error {
	var errs []error
	if p.values != nil {
		p.values.close()
	}
	if p.verified != nil {
		errs = append(errs, p.verified.Close())
	}
	if p.source != nil {
		p.source.Close()
	}
	if p.Store != nil {
		errs = append(errs, p.Store.Close())
	}
	return errors.Join(errs...)
}

// Agent returns a router over the database, the documents, more routes, and the model
// alone, which keeps conversations in st. See [qed.DurableOptions] for the lease; 0 means
// the default.
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
		User:  p.user,
		Store: st, Durable: &qed.DurableOptions{Memory: memory, Lease: lease}, Settings: p.Settings.Agent.Settings,
	})
}
