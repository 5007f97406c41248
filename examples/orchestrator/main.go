// Orchestrator is a chat that hands each question to whoever can answer it: the SQL
// agent, the documents, or the model alone. It keeps its conversations: end it,
// interrupt it or kill it at any moment, and the same command goes on.
//
// Without arguments it asks the database of a field-service company, and the manual
// of its software. With no model configured it replays a conversation: the model's
// words are replayed, at a pace that can be interrupted, and everything else really runs.
//
//	go run ./examples/orchestrator                 # goes on with the last conversation, or begins one
//	go run ./examples/orchestrator -thread audit   # one with a name of its own
//	go run ./examples/orchestrator -crash-at 9     # dies in the middle: run it again without
//	go run ./examples/orchestrator -dsn app.db -policy policy.json -docs handbook/
//	go run ./examples/orchestrator -store postgres://user:password@127.0.0.1:5432/chats
//	go run ./examples/orchestrator -budget tokens=20000,calls=12,time=1m
//
// OPENAI_API_KEY or OPENAI_BASE_URL, in the environment or in a .env file, make it
// talk to a model; with EMBEDDING_MODEL the documents are searched by meaning, without
// it by their words. See .env.example for everything that can be set.
//
// Conversations are kept in the SQLite file data/conversations.db below the folder
// that the program is started from, in the file that CONVERSATION_DB_PATH names, or
// where -store says: a file, or a MySQL, MariaDB or PostgreSQL database. They are
// deleted a day after their last word, unless CONVERSATION_MAX_AGE_HOURS says otherwise.
//
// # What can be typed
//
// A question, or a reply to a question that is open: the number of an option, its
// text, other words, or something else that is wanted instead. "Never mind" drops the
// question. An empty line goes on with what was interrupted or failed. /help lists
// the commands.
//
// A turn that was cut off, because the program was killed or the machine went down,
// goes on by itself; what it had done and recorded is not done again. As nobody
// can tell a dead program from a slow one, that takes up to ten seconds.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"time"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/examples/internal/chat"
	"github.com/qedkit/qed/examples/internal/settings"
)

func main() { chat.Main("orchestrator", run) }

// options are the command line.
type options struct {
	where   chat.Where
	docs    string
	store   string
	thread  string
	crashAt int
	limits  qed.Limits
}

func parse(args []string) (*options, error) {
	o := &options{}
	flags := flag.NewFlagSet("orchestrator", flag.ContinueOnError)
	o.where.Flags(flags)
	flags.StringVar(&o.docs, "docs", "", "`folder` with your own Markdown documents")
	flags.StringVar(&o.store, "store", "", "where conversations are kept: the `path` of an SQLite file, mysql://.. or postgres://..; without it, CONVERSATION_DB_PATH")
	flags.StringVar(&o.thread, "thread", "", "the `name` of the conversation; without it, the last one that was used")
	flags.IntVar(&o.crashAt, "crash-at", 0, "die as if killed, once `n` records of a turn are kept: to see how the next start goes on")
	flags.Func("budget", "what one turn may cost at most: a `list` such as tokens=20000,calls=12,rows=500,time=1m", func(text string) (err error) {
		o.limits, err = readBudget(text)
		return err
	})
	if err := chat.Parse(flags, args); err != nil {
		return nil, err
	}
	switch {
	case flags.NArg() > 0:
		return nil, fmt.Errorf("%q is no flag: type questions when the program has started", flags.Arg(0))
	case o.crashAt < 0:
		return nil, errors.New("-crash-at is negative: it is the number of records after which the program dies")
	}
	return o, checkThread(o.thread)
}

func run(ctx context.Context, args []string, in io.Reader, out io.Writer) (err error) {
	o, err := parse(args)
	if err != nil {
		return err
	}
	conf, err := settings.Load(".env")
	if err != nil {
		return err
	}
	if err := o.where.Complete(conf); err != nil {
		return err
	}
	model, live, err := conf.Provider()
	if err != nil {
		return err
	}
	store, place, err := openStore(ctx, o.store, &conf.Conversations)
	if err != nil {
		return fmt.Errorf("conversations cannot be kept: %w", err)
	}
	defer func() { err = errors.Join(err, store.Close()) }()

	src, err := chat.Open(ctx, o.where)
	if err != nil {
		return err
	}
	defer src.Close()
	show := chat.NewPrinter(out)
	show.Source(src)
	if len(src.Findings) > 0 && !o.where.UnsafeAccount {
		return chat.ErrAccount
	}
	var script []string
	switch {
	case live:
		show.Note("Talking to %s.", conf.Model)
	case o.where.DSN == "" && o.docs == "":
		script, model = replay(pause(out))
		show.Note("No model is configured (OPENAI_API_KEY or OPENAI_BASE_URL), so this replays a conversation:\nthe model's words are replayed, everything else really runs.")
	default:
		return errors.New("what is to be asked can be read, but no model is configured: set OPENAI_API_KEY or OPENAI_BASE_URL")
	}
	show.Note("Conversations are kept in %s.", place)
	durable := &qed.DurableOptions{Memory: memory(&conf.Conversations, model), Lease: lease}
	agent, err := newAgent(ctx, model, src, o.docs, conf, crashing(store, o.crashAt), durable)
	if err != nil {
		return err
	}
	c := &conversation{agent: agent, store: store, durable: durable, names: names{store}, show: show, limits: o.limits}
	return c.hold(ctx, o.thread, script, chat.Lines(ctx, in, show))
}

// pause is how long a replayed model thinks: so long that a person can follow, and
// interrupt it.
func pause(out io.Writer) time.Duration {
	if chat.IsTerminal(out) {
		return 400 * time.Millisecond
	}
	return 0
}

// lease is after which time without a sign of life a turn counts as cut off.
const lease = 10 * time.Second
