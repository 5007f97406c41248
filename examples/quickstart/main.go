// Quickstart answers questions about a database and prints every step: the tables,
// the join path, the SQL as the model wrote it and as it ran, what was refused and
// corrected, the rows, and the answer.
//
// It makes the database of a field-service company and replays recorded questions: the
// model's words are recorded, everything else really runs. It needs no model and no
// server, and links neither.
//
//	go run ./examples/quickstart                    # three recorded questions
//	go run ./examples/quickstart -all               # all recorded questions
//	go run ./examples/quickstart "Which crews ..."  # one of them
//
// The next step is a model that answers what you like, about this company or your own
// database:
//
//	go run ./examples/quickstart -keep company      # its database, policy and join graph
//	go run ./cmd/qed-ask -dsn company/company.db -policy company/policy.json -graph company/graph.json
//	go run ./cmd/qed-ask -h
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/examples/fieldservice"
	"github.com/qedkit/qed/examples/internal/replay"
	"github.com/qedkit/qed/internal/command"
	"github.com/qedkit/qed/internal/command/chat"
	"github.com/qedkit/qed/internal/command/database"
	"github.com/qedkit/qed/internal/command/settings"
	"github.com/qedkit/qed/llm/llmtest"
	"github.com/qedkit/qed/sqlagent"
	"github.com/qedkit/qed/store"
)

func main() { command.Main("quickstart", run) }

func run(ctx context.Context, args []string, _ io.Reader, out io.Writer) error {
	flags := command.Flags("quickstart", "[question]", "To ask a model, or another database: go run ./cmd/qed-ask -h\n")
	all := flags.Bool("all", false, "ask all recorded questions")
	folder := flags.String("keep", "", "write the database, its policy and its join graph to this `folder`, and end")
	if err := command.Parse(flags, args); err != nil {
		return err
	}
	question := strings.Join(flags.Args(), " ")
	switch {
	case *all && question != "":
		return errors.New("-all asks all recorded questions: leave out the question")
	case *folder != "" && (*all || question != ""):
		return errors.New("-keep asks no question: leave out the rest")
	case *folder != "":
		return keep(ctx, *folder, out)
	}
	recorded, err := recordedQuestions(question, *all)
	if err != nil {
		return err
	}

	// The database, with its join graph and the guard that checks every statement.
	show := chat.NewPrinter(out)
	src, err := database.OpenSource(ctx, &database.Options{Example: fieldservice.Database()}, &settings.Settings{})
	if err != nil {
		return err
	}
	defer src.Close()
	show.Source(src.Name, src.Notes, nil)
	show.Note("The model's words are recorded; everything else really runs. To ask a model: go run ./cmd/qed-ask -h")

	// The agent. The store keeps what was said before on a thread. If a question can
	// mean several joins, the agent that asks interrupts the turn for the user's choice.
	model := llmtest.New(replay.Rules(fieldservice.Questions("sqlite"))...)
	options := &sqlagent.Options{Store: &store.InMemory{}}
	agent, err := sqlagent.New(model, src.DB, src.Guard, src.Schema, options)
	if err != nil {
		return err
	}
	options.InterruptForJoins = true
	asking, err := sqlagent.New(model, src.DB, src.Guard, src.Schema, options)
	if err != nil {
		return err
	}
	if err := askAll(ctx, agent, asking, show, recorded); err != nil {
		return err
	}
	if question == "" && !*all {
		show.Note("\nThe other recorded questions: go run ./examples/quickstart -all")
	}
	return nil
}

// keep writes what qed-ask needs to ask about the company.
func keep(ctx context.Context, folder string, out io.Writer) error {
	example := fieldservice.Database()
	policy, err := json.MarshalIndent(example.Policy, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	path := func(name string) string { return filepath.Join(folder, name) }
	if _, err := os.Stat(path("company.db")); err == nil {
		return fmt.Errorf("%s exists already", path("company.db"))
	}
	if err := example.Create(ctx, path("company.db")); err != nil {
		return err
	}
	if err := os.WriteFile(path("policy.json"), append(policy, '\n'), 0o600); err != nil {
		return err
	}
	if err := os.WriteFile(path("graph.json"), []byte(example.Graph), 0o600); err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "Ask a model about it:\ngo run ./cmd/qed-ask -dsn %s -policy %s -graph %s\n",
		path("company.db"), path("policy.json"), path("graph.json"))
	return err
}

// askAll asks recorded questions. One with a choice goes to the agent that asks back.
func askAll(ctx context.Context, agent, asking qed.Agent, show *chat.Printer, recorded []fieldservice.Question) error {
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
	return nil, notRecorded(texts)
}

// notRecorded is the error for a question that the recording does not have.
func notRecorded(questions []string) error {
	return fmt.Errorf("this question is not recorded: ask a model with go run ./cmd/qed-ask (-h says how),\n"+
		"or ask one of the recorded questions:\n  %s", strings.Join(questions, "\n  "))
}
