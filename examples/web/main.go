// Web serves a page for conversations with one agent: the router of the example
// orchestrator, with an analyst, a planner and a research as further routes. The page
// shows the answer as it is written, the queries and passages behind it, the plan, tables,
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
// Only this machine is served. Conversations are stored as those of the orchestrator
// are. A turn continues when the page is closed, and after a restart of the program.
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

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/analyst"
	"github.com/qedkit/qed/analyst/analysthttp"
	"github.com/qedkit/qed/examples/fieldservice"
	"github.com/qedkit/qed/examples/internal/assistant"
	"github.com/qedkit/qed/examples/internal/chat"
	"github.com/qedkit/qed/examples/research/port"
	"github.com/qedkit/qed/internal/command"
	"github.com/qedkit/qed/internal/command/database"
	"github.com/qedkit/qed/internal/command/settings"
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
	where   database.Options
	docs    string
	store   string
	address string
	pause   time.Duration
}

func parse(args []string) (*options, error) {
	o := &options{where: database.Options{Example: fieldservice.Database()}}
	flags := flag.NewFlagSet("web", flag.ContinueOnError)
	o.where.Flags(flags)
	flags.StringVar(&o.docs, "docs", "", "`folder` with your own Markdown documents")
	flags.StringVar(&o.store, "store", "", "where conversations are stored: the `path` of an SQLite file, mysql://.. or postgres://..; default: CONVERSATION_DB_PATH")
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
	conf, err := settings.Load(".env")
	if err != nil {
		return err
	}
	store, place, err := database.OpenStore(ctx, o.store, &conf.Conversations)
	if err != nil {
		return fmt.Errorf("conversations cannot be stored: %w", err)
	}
	defer func() { err = errors.Join(err, store.Close()) }()

	show := chat.NewPrinter(out)
	src, err := database.OpenSource(ctx, &o.where, conf)
	if src != nil {
		defer src.Close()
		show.Source(src.Name, src.Notes, src.Findings)
	}
	if err != nil {
		return err
	}
	var recorded llm.Model
	var questions []string
	example := src.IsExample() && o.docs == ""
	if example {
		_, recorded = assistant.Replay(o.pause, rules()...)
		recorded = port.Model(recorded)
		questions = suggestions
	}
	model, _, err := chat.OpenModel(conf, show, recorded)
	if err != nil {
		return err
	}

	more := &extras{}
	defer func() { err = errors.Join(err, more.close()) }()
	if example {
		if err := more.open(ctx, model, conf, store); err != nil {
			return err
		}
	}
	durable := &qed.DurableOptions{Memory: assistant.Memory(&conf.Conversations, model), Lease: lease}
	agent, err := assistant.New(ctx, model, src, o.docs, conf, store, durable, more.routes...)
	if err != nil {
		return err
	}
	handler := serve.New(agent, &serve.Options{Store: store, Rejoin: true, Turns: rate.Inf})
	files, err := analysthttp.New(model, &analysthttp.Options{
		Analyst: analyst.Options{Settings: conf.Agent.Settings}, MaxUpload: maxUpload,
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, files.Close()) }()
	listener, err := net.Listen("tcp", o.address)
	if err != nil {
		return err
	}
	show.Note("Conversations are stored in %s.\nOpen http://%s in a browser; Ctrl-C ends.", place, listener.Addr())
	return listen(ctx, listener, handler, files, questions)
}

// listen serves the page and the agent until ctx is done. Turns that run then have some
// time to end; the next start resumes the others.
func listen(ctx context.Context, listener net.Listener, agent *serve.Handler, files *analysthttp.Handler, questions []string) error {
	all := http.NewServeMux()
	all.Handle("/", agent)
	all.Handle("/api/", files)
	server := &http.Server{Handler: newSite(all, questions), ReadHeaderTimeout: 10 * time.Second}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	_ = agent.Shutdown(ending) // turns that are cut off can be resumed
	_ = files.Shutdown(ending) // explorations of uploaded files are not kept
	err := server.Close()      // the streams have ended
	<-failed
	return err
}
