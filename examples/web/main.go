// Web serves a page for conversations with one agent: a router over a database and
// documents, with an analyst, a planner and a research as further routes. The page shows
// the answer as it is written, the queries and passages behind it, the plan, tables,
// charts and questions. The tasks of a research can be changed before they run.
//
//	go run ./examples/web                  # then open http://localhost:8080
//	go run ./examples/web -address localhost:9000
//	go run ./examples/web -dsn app.db -policy policy.json -docs handbook/
//
// Without a model it replays recorded conversations, which the page offers: the
// model's words are recorded, everything else really runs. OPENAI_API_KEY,
// OPENAI_BASE_URL or ANTHROPIC_API_KEY, in the environment or in a .env file, name the
// model. See .env.example for all settings.
//
// Only this machine is served. Conversations are stored in the SQLite file
// data/conversations.db below the working directory, in the file that
// CONVERSATION_DB_PATH names, or where -store says: in a file, or in a MySQL, MariaDB or
// PostgreSQL database. They are kept for ever, unless CONVERSATION_MAX_AGE_HOURS says
// after how many hours an answered one is deleted. A turn continues when the page is
// closed, and after a restart of the program. An interrupt or SIGTERM ends the program
// with status 0, an error with status 1. Standard error says which.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"golang.org/x/time/rate"

	"github.com/qedkit/qed/analyst"
	"github.com/qedkit/qed/analyst/analysthttp"
	"github.com/qedkit/qed/examples/analyst/orders"
	"github.com/qedkit/qed/examples/fieldservice"
	"github.com/qedkit/qed/examples/internal/transcript"
	"github.com/qedkit/qed/examples/research/port"
	"github.com/qedkit/qed/internal/command"
	"github.com/qedkit/qed/internal/command/assistant"
	"github.com/qedkit/qed/internal/command/server"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/serve"
)

func main() { command.Main("web", run) }

// lease is the time without a heartbeat after which a turn is treated as cut off.
const lease = 5 * time.Second

// patience is how long running turns may take when the program is asked to end.
const patience = 5 * time.Second

// maxUpload limits an uploaded file, in bytes. The page has it too, in app.js.
const maxUpload = 16 << 20

// options is the command line.
type options struct {
	assistant.Options
	address string
	pause   time.Duration
}

func parse(args []string) (*options, error) {
	o := &options{}
	o.Database.Example, o.Manual = fieldservice.Database(), fieldservice.Manual()
	flags := flag.NewFlagSet("web", flag.ContinueOnError)
	o.Flags(flags)
	flags.StringVar(&o.address, "address", "localhost:8080", "the `address` of the page")
	flags.DurationVar(&o.pause, "pause", 400*time.Millisecond, "the `time` before each reply of a replayed model")
	if err := command.Parse(flags, args); err != nil {
		return nil, err
	}
	if flags.NArg() > 0 {
		return nil, fmt.Errorf("unexpected argument %q, which is no flag: type questions in the page", flags.Arg(0))
	}
	return o, nil
}

func run(ctx context.Context, args []string, _ io.Reader, out io.Writer) (err error) {
	o, err := parse(args)
	if err != nil {
		return err
	}
	p, err := assistant.Open(ctx, &o.Options, command.Log(out), func() llm.Model {
		_, recorded := transcript.Replay(o.pause, rules()...)
		return orders.Model(port.Model(recorded))
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	more := &extras{}
	defer func() { err = errors.Join(err, more.close()) }()
	var questions [][]string
	if p.Example {
		if err := more.open(ctx, p.Model, p.Settings, p.Store); err != nil {
			return err
		}
		if !p.Live {
			questions = suggestions
		}
	}
	agent, err := p.Agent(ctx, p.Store, lease, more.routes...)
	if err != nil {
		return err
	}
	kept := keeper{agent, p.Store}
	handler := serve.New(kept, &serve.Options{Store: p.Store, Rejoin: true, Turns: rate.Inf})
	files, err := analysthttp.New(p.Model, &analysthttp.Options{
		Analyst: analyst.Options{Settings: p.Settings.Agent.Settings}, MaxUpload: maxUpload,
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, files.Close()) }()
	listener, err := net.Listen("tcp", o.address)
	if err != nil {
		return err
	}
	p.Show.Note("Conversations are stored in %s.\nOpen http://%s in a browser; Ctrl-C ends.", p.Place, listener.Addr())
	all := http.NewServeMux()
	all.Handle("/", kept.serve(handler, nil))
	all.Handle("/api/", files)
	return server.Run(ctx, listener, newSite(all, questions), patience, handler.Shutdown, files.Shutdown)
}
