// Qed-serve answers questions over HTTP: from a database, from documents, and general
// ones. A model chooses the agent of each question. It is the handler of package serve,
// which documents the paths, the bodies and the events, for front ends of the AI SDK and
// AG-UI, for clients of OpenAI, and for services of your own.
//
//	qed-serve -dsn mysql://reader@127.0.0.1:3306/app -policy policy.json -graph graph.json -docs manual/
//
// The policy says what may be read. Without one, -all-tables has to open every table. The
// graph has the joins that the database does not declare: qed-joingraph makes it.
//
// OPENAI_API_KEY, OPENAI_BASE_URL or ANTHROPIC_API_KEY, in the environment or in a .env
// file, choose the model. It gets a short question at the start, and the log says what
// it answered. .env.example in the repository lists all variables.
//
// # Conversations
//
// They are stored in the database of -store. The default is the SQLite file that
// CONVERSATION_DB_PATH names, or data/conversations.db. A turn continues when its reader
// leaves, and can be read again, also from another process with the same store. The model
// gets the last MAX_CONVERSATION_MESSAGES messages, and summaries of those before if
// CONVERSATION_MEMORY_STRATEGY is tiered. Conversations without a message for
// CONVERSATION_MAX_AGE_HOURS are deleted at the start, and then each
// CONVERSATION_CLEANUP_INTERVAL_HOURS.
//
// # Who may ask
//
// Without QED_SERVE_TOKEN only this machine is served. With it, requests need the header
// "Authorization: Bearer TOKEN". They must come from a service that has authenticated its
// own users, and that names the user and the company: see serve.Caller.Backend. With
// -trust-local a service on this machine needs no token. Every program of this machine can
// then ask in the name of every user.
//
// # What a user may read
//
// Secure views, row-level security and the filters of the policy read settings of the
// session. -session sets one, for each statement, to what the request says:
//
//	-session company=company_id -session customerIds=header:X-Customer-Ids
//
// is SET @company, to the company_id of the request, and SET @customerIds, to the header
// that the service sends. In PostgreSQL settings have names such as app.company. A request
// that lacks one of them is refused. Other settings that the policy names are NULL, and the
// key is DB_ENCRYPT_KEY. A filter such as "customer_id IN (:customerIds)" has the value
// in every database, also in SQLite, and fails without one.
//
// # More for the model
//
//   - -values keeps the values of text columns: a question for "Kestrel" finds Kestrel
//     Logistics. All users may see them, so it cannot be used with -session.
//   - -verified is a file of lines {"question": "..", "sql": ".."} that a person approved.
//   - -user-memory remembers users across their conversations.
//
// # The end
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
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/qedkit/qed/internal/command"
	"github.com/qedkit/qed/internal/command/assistant"
	_ "github.com/qedkit/qed/internal/command/database/servers"
	"github.com/qedkit/qed/internal/command/server"
	"github.com/qedkit/qed/internal/command/settings"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/serve"
)

func main() { command.Main("qed-serve", run) }

// options is the command line.
type options struct {
	assistant.Options
	listen     string
	wait       time.Duration
	trustLocal bool
	session    session
}

func parse(args []string) (*options, error) {
	o := &options{session: session{}}
	flags := command.Flags("qed-serve", "", settings.ModelHelp+
		"QED_SERVE_TOKEN is the token of the services that may ask; without it only this machine is served.\n")
	o.Flags(flags)
	flags.StringVar(&o.listen, "listen", "localhost:8080", "the `address` to listen on")
	flags.DurationVar(&o.wait, "wait", 30*time.Second, "how long turns may take after an interrupt")
	flags.BoolVar(&o.trustLocal, "trust-local", false, "let services of this machine name users without a token")
	flags.Func("session", "a `setting=source` of the session: user_id, company_id or header:NAME of the request; can be repeated",
		o.session.add)
	if err := command.Parse(flags, args); err != nil {
		return nil, err
	}
	if flags.NArg() > 0 {
		return nil, fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	if len(o.session) > 0 {
		o.Database.Settings = o.session.values
	}
	return o, nil
}

func run(ctx context.Context, args []string, _ io.Reader, out io.Writer) (err error) {
	o, err := parse(args)
	if err != nil {
		return err
	}
	out = command.Log(out)
	p, err := assistant.Open(ctx, &o.Options, out, nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	opt := &serve.Options{Store: p.Store, Rejoin: true}
	if opt.Caller, err = o.caller(p.Settings.ServeToken); err != nil {
		return err
	}
	agent, err := p.Agent(ctx, p.Store, 0)
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", o.listen)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%s is served on http://%s by %s. Conversations are stored in %s.\n",
		command.Visible(p.Name()), l.Addr(), p.Settings.Model, p.Place)
	fmt.Fprint(out, paths)
	var tried sync.WaitGroup
	tried.Go(func() { try(ctx, p.Model, p.Settings.Model) })
	defer tried.Wait()

	handler := serve.New(o.session.required(agent), opt)
	mux := http.NewServeMux()
	mux.Handle("/", handler)
	mux.HandleFunc("GET /{$}", about)
	return server.Run(ctx, l, mux, o.wait, handler.Shutdown)
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
	io.WriteString(w, "qed-serve answers questions about a database and documents. It has no page of its own.\n\n"+paths+
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

// caller returns who sends a request. It is a service of the host if the request has the
// token, or comes from this machine with -trust-local.
func (o *options) caller(token string) (func(*http.Request) (context.Context, serve.Caller, error), error) {
	var check func(*http.Request) error
	switch {
	case token != "" && o.trustLocal:
		return nil, errors.New("-trust-local and QED_SERVE_TOKEN exclude each other: with a token, every request needs it")
	case token != "":
		check = hasToken(token)
	case o.trustLocal:
		check = serve.Local
	case len(o.session) > 0:
		return nil, errors.New("-session needs QED_SERVE_TOKEN or -trust-local: the values come from a service that has " +
			"authenticated its users")
	default:
		return nil, nil
	}
	return func(r *http.Request) (context.Context, serve.Caller, error) {
		err := check(r)
		if err == nil && r.Method == http.MethodPost {
			err = o.session.checkHeaders(r)
		}
		if err != nil {
			return nil, serve.Caller{}, err
		}
		return o.session.context(r), serve.Caller{Backend: true}, nil
	}, nil
}

// hasToken returns a function that checks the token of a request.
func hasToken(token string) func(*http.Request) error {
	want := sha256.Sum256([]byte(token))
	return func(r *http.Request) error {
		given, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		got := sha256.Sum256([]byte(given))
		if subtle.ConstantTimeCompare(got[:], want[:]) == 0 {
			return &serve.Error{Status: http.StatusUnauthorized, Code: "unauthorized",
				Message: "the request is not authenticated: send the header Authorization: Bearer TOKEN, with the QED_SERVE_TOKEN of this server"}
		}
		return nil
	}
}
