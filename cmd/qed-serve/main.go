// Qed-serve answers questions about a database over HTTP, with the SQL agent and the
// handler of package serve: as server-sent events, for front ends of the AI SDK and
// AG-UI, and for clients of OpenAI.
//
//	qed-serve -dsn mysql://reader@127.0.0.1:3306/app -policy policy.json
//
// The policy says what may be read. Without one, -all-tables has to open every table.
//
// OPENAI_API_KEY, OPENAI_BASE_URL or ANTHROPIC_API_KEY, in the environment or in a .env
// file, choose the model. It gets a short question at the start, and the log says what
// it answered. Conversations are stored in the database of -store. The default
// is the SQLite file that CONVERSATION_DB_PATH names, or data/conversations.db. A turn
// continues when its reader leaves, and can be read again, also from another process with
// the same store.
//
// Without QED_SERVE_TOKEN only this machine is served. With it, requests need the header
// "Authorization: Bearer TOKEN". They must come from a service that has authenticated its
// own users, and that names the user and the company: see serve.Caller.Backend.
//
// An interrupt or SIGTERM waits for the running turns, at most the time of -wait. Turns
// that have not ended by then can be resumed. Standard error says why the server ends. The
// exit status is 0 after a signal, and 1 after an error. A log whose reader has left does
// not end the server. -h lists all flags.
package main

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/qedkit/qed/internal/command"
	"github.com/qedkit/qed/internal/command/conversations"
	"github.com/qedkit/qed/internal/command/database"
	_ "github.com/qedkit/qed/internal/command/database/servers"
	"github.com/qedkit/qed/internal/command/provider"
	"github.com/qedkit/qed/internal/command/server"
	"github.com/qedkit/qed/internal/command/settings"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/serve"
	"github.com/qedkit/qed/sqlagent"
)

func main() { command.Main("qed-serve", run) }

func run(ctx context.Context, args []string, _ io.Reader, out io.Writer) (err error) {
	out = command.Log(out)
	flags := flag.NewFlagSet("qed-serve", flag.ContinueOnError)
	var where database.Options
	where.Flags(flags)
	listen := flags.String("listen", "localhost:8080", "the `address` to listen on")
	at := flags.String("store", "", "where conversations are stored: the `path` of an SQLite file, mysql://.. or postgres://..")
	wait := flags.Duration("wait", 30*time.Second, "how long turns may take after an interrupt")
	flags.Usage = func() {
		fmt.Fprint(flags.Output(), "Usage: qed-serve [flags]\n\n")
		flags.PrintDefaults()
		fmt.Fprint(flags.Output(), "\n", settings.ModelHelp,
			"QED_SERVE_TOKEN is the token of the services that may ask; without it only this machine is served.\n")
	}
	if err := command.Parse(flags, args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	conf, err := settings.Load(".env")
	if err != nil {
		return err
	}
	model, found, err := provider.Open(conf)
	if err != nil {
		return err
	}
	if !found {
		return settings.ErrNoModel
	}
	src, err := database.OpenSource(ctx, &where, conf)
	if src != nil {
		defer src.Close()
		for _, note := range src.Notes {
			fmt.Fprintln(out, command.Visible(note))
		}
		for _, f := range src.Findings {
			fmt.Fprintf(out, "%s: %s\n", f.Kind, command.Visible(f.Message))
		}
	}
	if err != nil {
		return err
	}
	store, place, err := conversations.Open(ctx, *at, &conf.Conversations)
	if err != nil {
		return fmt.Errorf("conversations cannot be stored: %w", err)
	}
	defer func() { err = errors.Join(err, store.Close()) }()

	options := conf.Agent
	options.Store = store
	agent, err := sqlagent.New(model, src.DB, src.Guard, src.Schema, &options)
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", *listen)
	if err != nil {
		return err
	}
	opt := &serve.Options{Store: store, Rejoin: true}
	if token := os.Getenv("QED_SERVE_TOKEN"); token != "" {
		opt.Caller = backend(token)
	}
	fmt.Fprintf(out, "%s is served on http://%s by %s. Conversations are stored in %s.\n", src.Name, l.Addr(), conf.Model, place)
	fmt.Fprint(out, paths)
	var tried sync.WaitGroup
	tried.Go(func() { try(ctx, model, conf.Model) })
	defer tried.Wait()

	handler := serve.New(agent, opt)
	mux := http.NewServeMux()
	mux.Handle("/", handler)
	mux.HandleFunc("GET /{$}", about)
	return server.Run(ctx, l, mux, *wait, handler.Shutdown)
}

// paths are those of package serve that start a conversation or read one.
const paths = `POST /internal/chat/stream     server-sent events with flat fields
POST /api/chat                 the UI message stream of the AI SDK
POST /agui                     AG-UI
POST /v1/chat/completions      OpenAI chat completions
GET  /v1/models                the model of OpenAI clients
GET  /conversations            the conversations of the caller
`

// about answers a person who opens the address in a browser.
func about(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	io.WriteString(w, "qed-serve answers questions about a database. It has no page of its own.\n\n"+paths+
		"\nTo ask a question:\ncurl -H 'Content-Type: application/json' "+
		`-d '{"input": {"message": "How many ...?"}}' http://ADDRESS/internal/chat/stream`+"\n")
}

// try asks the model a short question and logs what came. A model that does not answer
// ends nothing: it may be back before the first turn.
func try(ctx context.Context, model llm.Model, name string) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	start := time.Now()
	reply, err := model.Generate(ctx, &llm.Request{
		Name: "try", Messages: []llm.Message{{Role: llm.RoleUser, Content: "Answer with the word OK."}},
	}, nil)
	switch {
	case errors.Is(ctx.Err(), context.Canceled): // the program ends
	case err != nil:
		slog.Error("the model does not answer", "model", name, "err", err)
	default:
		text := []rune(strings.TrimSpace(reply.Message.Content))
		slog.Info("the model answers", "model", name, "reply", string(text[:min(40, len(text))]),
			"time", time.Since(start).Round(time.Millisecond))
	}
}

var errToken = errors.New("the header Authorization has no valid token")

// backend returns who sends a request with a token: a service of the host.
func backend(token string) func(*http.Request) (context.Context, serve.Caller, error) {
	want := sha256.Sum256([]byte(token))
	return func(r *http.Request) (context.Context, serve.Caller, error) {
		given, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		got := sha256.Sum256([]byte(given))
		if subtle.ConstantTimeCompare(got[:], want[:]) == 0 {
			return nil, serve.Caller{}, errToken
		}
		return r.Context(), serve.Caller{Backend: true}, nil
	}
}
