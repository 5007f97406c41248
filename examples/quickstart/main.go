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
	"io"
	"strings"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/examples/internal/chat"
	"github.com/qedkit/qed/examples/internal/settings"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/sqlagent"
)

func main() { chat.Main("quickstart", run) }

func run(ctx context.Context, args []string, in io.Reader, out io.Writer) error {
	flags := flag.NewFlagSet("quickstart", flag.ContinueOnError)
	var where chat.Where
	where.Flags(flags)
	if err := chat.Parse(flags, args); err != nil {
		return err
	}
	conf, err := settings.Load(".env")
	if err != nil {
		return err
	}
	if err := where.Complete(conf); err != nil {
		return err
	}
	model, live, err := conf.Provider()
	if err != nil {
		return err
	}

	question := strings.Join(flags.Args(), " ")
	turns := []turn{{question: question}}
	if !live && where.DSN == "" {
		model = replay()
		if turns, err = recorded(question); err != nil {
			return err
		}
	}

	src, err := chat.Open(ctx, where)
	if err != nil {
		return err
	}
	defer src.Close()
	show := chat.NewPrinter(out)
	show.Source(src)
	if len(src.Findings) > 0 && !where.UnsafeAccount {
		return chat.ErrAccount
	}
	if model == nil {
		return errors.New("the database is readable, but no model is configured: set OPENAI_API_KEY or OPENAI_BASE_URL")
	}
	agent, err := sqlagent.New(model, src.DB, src.Guard, src.Schema, &conf.Agent)
	if err != nil {
		return err
	}
	switch {
	case live && question == "":
		show.Note("Talking to %s. Ask a question; an empty line ends.", conf.Model)
		return converse(ctx, agent, show, in)
	case !live:
		show.Note("No model is configured (OPENAI_API_KEY or OPENAI_BASE_URL), so this replays a transcript:\nthe model's words are replayed, everything else really runs.")
	}
	return askAll(ctx, agent, show, turns)
}

// askAll asks one question after the other.
func askAll(ctx context.Context, agent qed.Agent, show *chat.Printer, turns []turn) error {
	var history []llm.Message
	for _, t := range turns {
		if !t.goesOn {
			history = nil
		}
		show.Question(t.question)
		answer, err := ask(ctx, agent, show, t.question, history)
		if err != nil {
			return err
		}
		history = remember(history, t.question, answer)
	}
	return nil
}

// ask asks a question and shows the turn.
func ask(ctx context.Context, agent qed.Agent, show *chat.Printer, question string, history []llm.Message) (qed.Answer, error) {
	return chat.Ask(ctx, agent, show, qed.Turn{Thread: "quickstart", Text: question, History: history})
}

func remember(history []llm.Message, question string, answer qed.Answer) []llm.Message {
	said := answer.Text
	for _, q := range answer.Queries {
		said += "\n(" + q.Language + ": " + q.Written + ")"
	}
	return append(history,
		llm.Message{Role: llm.RoleUser, Content: question},
		llm.Message{Role: llm.RoleAssistant, Content: said})
}
