// Search answers questions about the folders and documents of a small company from
// Elasticsearch or OpenSearch, and prints every step: the plan, each search as the
// model wrote it and as it ran, what was refused and corrected, and the answer.
//
// Without a cluster it replays a recording of Elasticsearch, and without a model a
// recorded conversation: planning, checking and formatting really run. With
// ELASTICSEARCH_URL it makes an index of its own on that cluster and searches there;
// with a model it takes any question.
//
//	go run ./examples/search                       # the recorded questions, or your own
//	go run ./examples/search "What is in ...?"     # one question
//	ELASTICSEARCH_URL=http://localhost:9200 go run ./examples/search
//
// The same index holds the documents of another company. No search finds them, or
// documents with card data, or the taxpayer id of a document, whatever the model
// writes.
//
// OPENAI_API_KEY, OPENAI_BASE_URL or ANTHROPIC_API_KEY, in the environment or in a
// .env file, name the model. See .env.example for all settings.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/esquery/estest"
	"github.com/qedkit/qed/examples/folders"
	"github.com/qedkit/qed/examples/internal/cluster"
	"github.com/qedkit/qed/internal/command"
	"github.com/qedkit/qed/internal/command/chat"
	"github.com/qedkit/qed/internal/command/provider"
	"github.com/qedkit/qed/internal/command/settings"
	"github.com/qedkit/qed/llm/llmtest"
	"github.com/qedkit/qed/searchagent"
	"github.com/qedkit/qed/store"
)

func main() { command.Main("search", run) }

const usage = `Usage: search [question]

Without a question: the recorded questions, or your own if a model is configured.
ELASTICSEARCH_URL: the cluster to search instead of a recording.
OPENAI_API_KEY, OPENAI_BASE_URL, ANTHROPIC_API_KEY: the model to ask instead of a recording.`

func run(ctx context.Context, args []string, in io.Reader, out io.Writer) error {
	flags := flag.NewFlagSet("search", flag.ContinueOnError)
	flags.Usage = func() { fmt.Fprintln(flags.Output(), usage) }
	if err := command.Parse(flags, args); err != nil {
		return err
	}
	question := strings.Join(flags.Args(), " ")
	conf, err := settings.Load(".env")
	if err != nil {
		return err
	}
	show := chat.NewPrinter(out)
	model, live, err := provider.OrReplay(conf, show.Note, llmtest.New(folders.Replay(folders.Transcript())...))
	if err != nil {
		return err
	}
	client, note, err := cluster.Open(ctx, conf.Search, folders.Recording, folders.Fill)
	if err != nil {
		return err
	}
	defer client.Close()
	show.Note("%s", note)
	agent, err := folders.NewAgent(model, client, &searchagent.Options{
		Settings: conf.Agent.Settings,
		Store:    &store.InMemory{},
	})
	if err != nil {
		return err
	}

	ask := func(text string) (open bool, err error) {
		answer, err := chat.Ask(ctx, agent, show, qed.Turn{Thread: "search", Text: text})
		if errors.Is(err, estest.ErrNotRecorded) {
			err = errors.New("this search was not recorded: set ELASTICSEARCH_URL to run it on a cluster")
		}
		return len(answer.Questions) > 0, err
	}
	if live {
		return chat.Converse(ctx, in, show, question, ask)
	}
	turns, err := folders.Recorded(question)
	if err != nil {
		return err
	}
	for _, t := range turns {
		show.Question(t.Text)
		if _, err := ask(t.Text); err != nil {
			return err
		}
	}
	return nil
}
