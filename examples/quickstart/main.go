// Quickstart answers questions about a database and prints every step: the tables,
// the join path, the SQL as the model wrote it and as it ran, what was refused and
// corrected, the rows, and the answer.
//
// Without arguments it makes the database of a field-service company. Without a
// model it replays recorded questions: the model's words are recorded, everything
// else really runs.
//
//	go run ./examples/quickstart                        # three recorded questions, or your own
//	go run ./examples/quickstart -all                   # all recorded questions
//	go run ./examples/quickstart "Which crews ..."      # one question
//	go run ./examples/quickstart -dsn app.db "..."      # about your own SQLite file
//	go run ./examples/quickstart -dsn 'mysql://user:password@127.0.0.1:3306/app' "..."
//	go run ./examples/quickstart -dsn 'postgres://user:password@127.0.0.1:5432/app?schema=public' "..."
//
// OPENAI_API_KEY, OPENAI_BASE_URL or ANTHROPIC_API_KEY, in the environment or in a
// .env file, name the model. DB_NAME, DB_HOST, DB_PORT, DB_USER and DB_PWD name a
// MySQL or MariaDB database, and keep the password out of the list of processes.
// See .env.example for all settings.
//
// The account on a server should have no more rights than the policy needs. If it
// has, the program shows them with the statements that revoke them, and ends;
// -unsafe-account makes it continue.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/examples/fieldservice"
	"github.com/qedkit/qed/examples/internal/chat"
	"github.com/qedkit/qed/internal/command"
	"github.com/qedkit/qed/internal/command/database"
	"github.com/qedkit/qed/internal/command/settings"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/llm/llmtest"
	"github.com/qedkit/qed/sqlagent"
	"github.com/qedkit/qed/store"
)

func main() { command.Main("quickstart", run) }

func run(ctx context.Context, args []string, in io.Reader, out io.Writer) error {
	flags := flag.NewFlagSet("quickstart", flag.ContinueOnError)
	where := database.Options{Example: fieldservice.Database()}
	where.Flags(flags)
	all := flags.Bool("all", false, "ask all recorded questions")
	flags.Usage = func() {
		fmt.Fprint(flags.Output(), "Usage: quickstart [flags] [question]\n\n")
		flags.PrintDefaults()
	}
	if err := command.Parse(flags, args); err != nil {
		return err
	}
	question := strings.Join(flags.Args(), " ")
	if *all && question != "" {
		return errors.New("-all asks all recorded questions: leave out the question")
	}
	conf, err := settings.Load(".env")
	if err != nil {
		return err
	}

	// The database, with its join graph and the guard that checks every statement.
	show := chat.NewPrinter(out)
	src, err := database.OpenSource(ctx, &where, conf)
	if src != nil {
		defer src.Close()
		show.Source(src.Name, src.Notes, src.Findings)
	}
	if err != nil {
		return err
	}

	// The model: the configured one, or a recorded one.
	var scripted llm.Model
	if src.IsExample() {
		scripted = llmtest.New(chat.Replay(fieldservice.Questions("sqlite"))...)
	}
	model, live, err := chat.OpenModel(conf, show, scripted)
	if err != nil {
		return err
	}

	// The agent. The store keeps what was said before on a thread. If a question can
	// mean several joins, the agent that asks interrupts the turn for the user's choice.
	options := conf.Agent
	options.Store = &store.InMemory{}
	agent, err := sqlagent.New(model, src.DB, src.Guard, src.Schema, &options)
	if err != nil {
		return err
	}
	options.InterruptForJoins = true
	asking, err := sqlagent.New(model, src.DB, src.Guard, src.Schema, &options)
	if err != nil {
		return err
	}

	switch {
	case live && *all:
		return errors.New("-all asks the recorded questions, and a model is configured: ask it your own")
	case live:
		return converse(ctx, asking, show, in, question)
	}
	recorded, err := recordedQuestions(question, *all)
	if err != nil {
		return err
	}
	if err := replay(ctx, agent, asking, show, recorded); err != nil {
		return err
	}
	if question == "" && !*all {
		show.Note("\nThe other recorded questions: go run ./examples/quickstart -all")
	}
	return nil
}

// converse asks the question, if there is one. Without one, or if the agent asks back,
// what is typed follows.
func converse(ctx context.Context, agent qed.Agent, show *chat.Printer, in io.Reader, question string) error {
	ask := func(text string) (qed.Answer, error) {
		return chat.Ask(ctx, agent, show, qed.Turn{Thread: "quickstart", Text: text})
	}
	if question != "" {
		show.Question(question)
		answer, err := ask(question)
		if err != nil || len(answer.Questions) == 0 {
			return err
		}
	}
	return chat.Converse(ctx, in, show, func(text string) error { _, err := ask(text); return err })
}

// replay asks recorded questions. One with a choice goes to the agent that asks back.
func replay(ctx context.Context, agent, asking qed.Agent, show *chat.Printer, recorded []fieldservice.Question) error {
	thread := ""
	for _, q := range recorded {
		if q.Follows == "" { // a new conversation
			thread = q.ID
		}
		to, lines := agent, []string{q.Question}
		if q.Choice != "" {
			to, lines = asking, append(lines, q.Choice)
		}
		for _, line := range lines {
			show.Question(line)
			if _, err := chat.Ask(ctx, to, show, qed.Turn{Thread: thread, Text: line}); err != nil {
				return err
			}
		}
	}
	return nil
}

// first are the questions that are asked if none is named: a plain one, one whose
// statement is corrected, and one that the user must make clear.
var first = []string{"hours-in-a-week", "crew-leads", "invoices-by-region"}

// recordedQuestions returns the first recorded questions, or all of them, or the one with
// the given text after the question that it follows.
func recordedQuestions(text string, every bool) ([]fieldservice.Question, error) {
	all := fieldservice.Questions("sqlite")
	switch {
	case text == "" && every:
		return all, nil
	case text == "":
		return slices.DeleteFunc(all, func(q fieldservice.Question) bool { return !slices.Contains(first, q.ID) }), nil
	}
	var texts []string
	for i, q := range all {
		switch {
		case !strings.EqualFold(strings.TrimSpace(text), q.Question):
			texts = append(texts, q.Question)
		case q.Follows != "":
			return all[i-1 : i+1], nil
		default:
			return all[i : i+1], nil
		}
	}
	return nil, chat.NotRecorded(texts)
}
