// Quickstart answers questions about a database, and shows every step on the
// way: the tables, the join path, the SQL before and after it was secured, what
// was refused and corrected, the rows, and the answer.
//
// Without arguments it makes the database of a field-service company. With no
// model configured it replays a recorded conversation: the model's words are
// replayed, everything else really runs.
//
//	go run ./examples/quickstart                        # the whole transcript, or your own questions
//	go run ./examples/quickstart "Which crews ..."      # one question
//	go run ./examples/quickstart -dsn app.db "..."      # over your own SQLite file
//	go run ./examples/quickstart -dsn 'mysql://user:password@127.0.0.1:3306/app' "..."
//	go run ./examples/quickstart -dsn 'postgres://user:password@127.0.0.1:5432/app?schema=public' "..."
//
// OPENAI_API_KEY or OPENAI_BASE_URL, in the environment or in a .env file, make
// it talk to a model. DB_NAME, DB_HOST, DB_PORT, DB_USER and DB_PWD name a MySQL
// or MariaDB database without showing the password to whoever lists processes.
// See .env.example for everything that can be set.
//
// The account on a server should do nothing but read what the policy lists. What
// it may do beyond that is shown, with the statement that takes it away; then the
// program ends, unless -unsafe-account says to go on.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/examples/internal/settings"
	"github.com/qedkit/qed/examples/internal/terminal"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/sqlagent"
)

func main() {
	// A reader of the output that goes away ends the program like an interrupt:
	// nothing more is asked, and the example's database is removed.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGPIPE)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdin, os.Stdout); err != nil {
		if !errors.Is(err, flag.ErrHelp) {
			fmt.Fprintln(os.Stderr, "quickstart:", terminal.Visible(err.Error()))
		}
		stop()
		os.Exit(1)
	}
}

var errAccount = errors.New("the account is not as it should be, as shown above: rather than take rights from one that others need, " +
	"make one that can only read what the policy lists (examples/secureviews does); or go on with -unsafe-account")

func run(ctx context.Context, args []string, in io.Reader, out io.Writer) error {
	flags := flag.NewFlagSet("quickstart", flag.ContinueOnError)
	dsn := flags.String("dsn", "", "your own `database`: the path of an SQLite file, mysql://.. or postgres://..; without it, that of DB_NAME, or the example company")
	policy := flags.String("policy", "", "`file` of the policy for -dsn: what may be read, and through which views")
	manual := flags.String("graph", "", "`file` of relationships that the database does not declare, for -dsn")
	unsafe := flags.Bool("unsafe-account", false, "go on with an account that may do more than read what the policy lists")
	if err := flags.Parse(args); err != nil {
		return err
	}
	conf, err := settings.Load(".env")
	if err != nil {
		return err
	}
	if *dsn == "" {
		*dsn = conf.Database
	}
	if *dsn == "" && (*policy != "" || *manual != "") {
		return errors.New("-policy and -graph go with -dsn: the example company has its own")
	}
	model, live, err := conf.Provider()
	if err != nil {
		return err
	}

	question := strings.Join(flags.Args(), " ")
	turns := []turn{{question: question}}
	if !live && *dsn == "" {
		model = replay()
		if turns, err = recorded(question); err != nil {
			return err
		}
	}

	src, err := open(ctx, where{*dsn, *policy, *manual, conf.EncryptKey, conf.ColumnsInMessages})
	if err != nil {
		return err
	}
	defer src.close()
	show := newPrinter(out)
	show.source(src)
	if len(src.findings) > 0 && !*unsafe {
		return errAccount
	}
	if model == nil {
		return errors.New("the database is readable, but no model is configured: set OPENAI_API_KEY or OPENAI_BASE_URL")
	}
	agent, err := sqlagent.New(model, src.db, src.guard, src.schema, &conf.Agent)
	if err != nil {
		return err
	}
	switch {
	case live && question == "":
		show.note("Talking to %s. Ask a question; an empty line ends.", conf.Model)
		return converse(ctx, agent, show, in)
	case !live:
		show.note("No model is configured (OPENAI_API_KEY or OPENAI_BASE_URL), so this replays a transcript:\nthe model's words are replayed, everything else really runs.")
	}
	return askAll(ctx, agent, show, turns)
}

// askAll asks one question after the other.
func askAll(ctx context.Context, agent qed.Agent, show *printer, turns []turn) error {
	var history []llm.Message
	for _, t := range turns {
		if !t.goesOn {
			history = nil
		}
		answer, err := ask(ctx, agent, show, t.question, history)
		if err != nil {
			return err
		}
		history = remember(history, t.question, answer)
	}
	return nil
}

// ask shows one turn as it happens and returns its answer.
func ask(ctx context.Context, agent qed.Agent, show *printer, question string, history []llm.Message) (qed.Answer, error) {
	show.question(question)
	var answer qed.Answer
	for event, err := range agent.Run(ctx, qed.Turn{Thread: "quickstart", Text: question, History: history}) {
		if err != nil {
			show.hush()
			return answer, err
		}
		show.event(event)
		if done, ok := event.Data.(qed.Completed); ok {
			answer = done.Answer
		}
	}
	show.answer(answer)
	return answer, nil
}

func remember(history []llm.Message, question string, answer qed.Answer) []llm.Message {
	said := answer.Text
	for _, q := range answer.Queries {
		said += "\n(" + q.Language + ": " + q.Written + ")"
	}
	return append(history,
		llm.Message{Role: llm.User, Content: question},
		llm.Message{Role: llm.Assistant, Content: said})
}
