// Search answers questions about the folders and documents of a small company from
// Elasticsearch or OpenSearch, and shows every step on the way: the plan, each search
// as the model wrote it and as it ran, what was refused and corrected, and the answer.
//
// Without an engine it replays a recording of Elasticsearch, and without a model a
// transcript: planning, checking and formatting really run. With ELASTICSEARCH_URL it
// makes an index of its own on that cluster, with the company's documents, and searches
// there; with a provider it takes any question.
//
//	go run ./examples/search                       # the whole transcript, or your own questions
//	go run ./examples/search "What is in ...?"     # one question
//	ELASTICSEARCH_URL=http://localhost:9200 go run ./examples/search
//
// The documents of another company lie in the same index. No search reaches them, nor
// documents with card data, nor the taxpayer's id in any document, whatever the model writes.
//
// OPENAI_API_KEY, OPENAI_BASE_URL or ANTHROPIC_API_KEY, in the environment or in a .env
// file, make it talk to a model. See .env.example for everything that can be set.
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
	"github.com/qedkit/qed/examples/internal/chat"
	"github.com/qedkit/qed/examples/internal/cluster"
	"github.com/qedkit/qed/examples/internal/settings"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/llm/llmtest"
	"github.com/qedkit/qed/searchagent"
	"github.com/qedkit/qed/store"
)

func main() { chat.Main("search", run) }

const usage = `Usage: search [question]

Without a question: the whole transcript, or your own questions where there is a model.
ELASTICSEARCH_URL: the cluster to search instead of a recording.
OPENAI_API_KEY, OPENAI_BASE_URL, ANTHROPIC_API_KEY: the model to ask instead of a transcript.`

func run(ctx context.Context, args []string, in io.Reader, out io.Writer) error {
	flags := flag.NewFlagSet("search", flag.ContinueOnError)
	flags.Usage = func() { fmt.Fprintln(flags.Output(), usage) }
	if err := chat.Parse(flags, args); err != nil {
		return err
	}
	question := strings.Join(flags.Args(), " ")
	conf, err := settings.Load(".env")
	if err != nil {
		return err
	}
	model, live, err := conf.Provider()
	if err != nil {
		return err
	}
	show := chat.NewPrinter(out)
	turns := []folders.Turn{{Text: question}}
	if live {
		show.Note("Talking to %s.", conf.Model)
	} else {
		show.Note("No model is configured (OPENAI_API_KEY, OPENAI_BASE_URL or ANTHROPIC_API_KEY), so this replays a transcript:\nthe model's words are replayed; planning, checking and formatting really run.")
		if turns, err = recorded(question); err != nil {
			return err
		}
		model = llmtest.New(folders.Replay(turns)...)
	}
	client, where, err := cluster.Open(ctx, conf.Search, folders.Recording, folders.Fill)
	if err != nil {
		return err
	}
	defer client.Close()
	if where == "" {
		show.Note("No cluster is configured (ELASTICSEARCH_URL), so this replays a recording of Elasticsearch.")
	} else {
		show.Note("Searching %s on %s.", folders.Index, where)
	}
	agent, err := folders.NewAgent(model, client, &store.InMemory{}, &searchagent.Options{
		Settings: llm.Settings{Temperature: conf.Agent.Temperature, JSONMode: conf.Agent.JSONMode},
	})
	if err != nil {
		return err
	}
	ask := func(text string) error {
		_, err := chat.Ask(ctx, agent, show, qed.Turn{Thread: "search", Text: text})
		if errors.Is(err, estest.ErrNotRecorded) {
			return errors.New("this search was not recorded: set ELASTICSEARCH_URL to have a cluster answer it")
		}
		return err
	}
	if live && question == "" {
		show.Note("Ask a question; an empty line ends.")
		return chat.Converse(ctx, in, show, ask)
	}
	for _, t := range turns {
		show.Question(t.Text)
		if err := ask(t.Text); err != nil {
			return err
		}
	}
	return nil
}

// recorded returns the transcript's turns: all of them, or those of one question.
func recorded(question string) ([]folders.Turn, error) {
	if question == "" {
		return folders.Transcript(), nil
	}
	if turns := folders.Asked(question); turns != nil {
		return turns, nil
	}
	var known strings.Builder
	for _, t := range folders.Transcript() {
		if !t.IsReply() {
			known.WriteString("\n  " + t.Text)
		}
	}
	return nil, fmt.Errorf("no model is configured, and the transcript does not have this question.\n"+
		"Set OPENAI_API_KEY, OPENAI_BASE_URL or ANTHROPIC_API_KEY to ask anything, or ask one of:%s", known.String())
}
