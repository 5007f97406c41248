// Research answers questions by a research in the documents of an invented port. It
// follows references from orders to rules, manuals and tables, shows its progress, and
// writes a report as Markdown and HTML with links to its sources.
//
//	go run ./examples/research                                  # the recorded questions, or your own
//	go run ./examples/research "Which lines does a ship need?"  # one question, with a model
//	go run ./examples/research -clarify 3 "What about waste?"   # asks before it begins, with a model
//	go run ./examples/research -db research.db -resume          # resumes one that was stopped
//
// Reply "yes" or "no" to the tasks of a research, or type "draft" to see how to change
// them.
//
// A research takes minutes. As a job of River it outlives the request: workers share a
// queue in the PostgreSQL database of the conversations, and replace one that died.
//
//	go run ./examples/research -worker -store postgres://user:password@127.0.0.1:5432/research
//	go run ./examples/research -submit -store postgres://.. "Which lines does a ship need?"
//	go run ./examples/research -watch 1 -store postgres://..     # and -cancel 1
//
// The number is that of the research: it also works after a worker has died and its job
// was replaced. An interrupt or SIGTERM ends a worker with status 0, an error with status 1.
//
// A list of tasks waits for your approval: reply yes, no, or "edit:" and a changed
// list. The report and the documents that it cites are written to the folder of
// -out. With -db the researches are saved in a file of SQLite, so that one that was
// stopped or killed is resumed, without the calls that it has made.
//
// Without a model it replays recorded researches: the model's words are recorded,
// everything else really runs. OPENAI_API_KEY, OPENAI_BASE_URL or ANTHROPIC_API_KEY, in
// the environment or in a .env file, name the model.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/examples/internal/replay"
	"github.com/qedkit/qed/examples/research/port"
	"github.com/qedkit/qed/internal/command"
	"github.com/qedkit/qed/internal/command/chat"
	"github.com/qedkit/qed/internal/command/provider"
	"github.com/qedkit/qed/internal/command/settings"
	"github.com/qedkit/qed/llm/llmtest"
	"github.com/qedkit/qed/research"
	"github.com/qedkit/qed/store"
	"github.com/qedkit/qed/store/sqlitestore"
)

func main() { command.Main("research", run) }

func run(ctx context.Context, args []string, in io.Reader, out io.Writer) error {
	flags := command.Flags("research", "[question]")
	folder := flags.String("out", "reports", "the `folder` for reports")
	rounds := flags.Int("clarify", 0, "the largest number of `rounds` of questions before a research")
	var jobs jobsCommand
	jobs.flags(flags)
	db := flags.String("db", "", "the `file` that saves researches; empty means that they are in memory")
	resume := flags.Bool("resume", false, "resume the research that was stopped, from -db")
	if err := command.Parse(flags, args); err != nil {
		return err
	}
	conf, err := settings.Load(".env")
	if err != nil {
		return err
	}
	question := strings.Join(flags.Args(), " ")
	if jobs.wanted() {
		return jobs.run(ctx, question, out, conf)
	}
	docs, err := port.Open(ctx)
	if err != nil {
		return err
	}
	show := chat.NewPrinter(out)
	show.Source("The port of Nordsund", []string{fmt.Sprintf("%d documents in German and English", docs.Documents)}, nil)
	model, live, err := provider.OrReplay(conf, show.Note, port.Model(llmtest.New(port.Transcript()...)))
	if err != nil {
		return err
	}
	if jobs.think > 0 {
		model = thinking(model, jobs.think, io.Discard)
	}
	st, closeStore, err := openStore(*db)
	if err != nil {
		return err
	}
	defer closeStore()
	agent, err := research.New(model, docs.Index, &research.Options{
		Registry:    docs.Registry,
		TopK:        2,
		MinPassages: 1,
		MaxRounds:   *rounds,
		ApprovePlan: true,
		Settings:    conf.Agent.Settings,
		Store:       st,
		Durable:     &qed.DurableOptions{Lease: 5 * time.Second}, // of a process that was killed
	})
	if err != nil {
		return err
	}
	c := &conversation{agent: agent, show: show, folder: *folder}
	switch {
	case *resume:
		return c.line(ctx, "")
	case live:
		return chat.Converse(ctx, in, show, question, func(line string) (bool, error) {
			err := c.line(ctx, line)
			return c.open, err
		})
	}
	recorded := port.Recorded()
	if question != "" {
		i := slices.IndexFunc(recorded, func(q string) bool { return strings.EqualFold(q, strings.TrimSpace(question)) })
		if i < 0 {
			return replay.NotRecorded(recorded)
		}
		recorded = recorded[i : i+1]
	}
	for _, question := range recorded {
		for _, line := range []string{question, "yes"} {
			show.Question(line)
			if err := c.line(ctx, line); err != nil {
				return err
			}
		}
	}
	return nil
}

// openStore opens the store in a file, or one in memory.
func openStore(file string) (store.Store, func() error, error) {
	if file == "" {
		return new(store.InMemory), func() error { return nil }, nil
	}
	st, err := sqlitestore.Open(file, nil)
	if err != nil {
		return nil, nil, err
	}
	return st, st.Close, nil
}

// A conversation is a thread of researches.
type conversation struct {
	agent  qed.Agent
	show   *chat.Printer
	folder string
	number int             // of the report
	open   bool            // a question waits for a reply
	draft  json.RawMessage // of the tasks, if they wait for an approval
}

// progress returns what a task has read and found.
func progress(p research.Progress) string {
	text := fmt.Sprintf("%s, for %s: %s and %s so far", p.Passage.Location, p.Task,
		chat.Count(p.Documents, "document"), chat.Count(p.Findings, "finding"))
	if p.Depth > 0 {
		text += ", by " + chat.Count(p.Depth, "reference")
	}
	return text
}

// line runs a turn, shows its progress, and writes its report.
func (c *conversation) line(ctx context.Context, line string) error {
	if line == "draft" && c.draft != nil {
		c.show.Note("%s\nTo change the tasks, reply \"edit: \" and the changed JSON, on one line.", c.draft)
		return nil
	}
	var answer qed.Answer
	for event, err := range c.agent.Run(ctx, qed.Turn{Thread: "research", Text: line}) {
		if err != nil {
			return err
		}
		switch d := event.Data.(type) {
		case qed.CustomEvent:
			var p research.Progress
			if err := json.Unmarshal(d.JSON, &p); err != nil {
				return err
			}
			c.show.Step("read", progress(p))
		case qed.Completed:
			answer = d.Answer
		default:
			c.show.Event(event)
		}
	}
	c.show.Answer(answer)
	c.open, c.draft = len(answer.Questions) > 0, nil
	if c.open {
		c.draft = answer.Questions[0].Draft
		return nil
	}
	report, err := research.ReportOf(answer)
	if errors.Is(err, research.ErrNoReport) { // the user dropped the question
		return nil
	}
	if err != nil {
		return err
	}
	c.references(report)
	c.number++
	return c.write(fmt.Sprintf("report-%d", c.number), report.Question, answer)
}

// references shows what became of the references.
func (c *conversation) references(r *research.Report) {
	for _, task := range r.Tasks {
		for _, ref := range task.References {
			outcome := "not followed"
			switch {
			case ref.Scoped:
				outcome = fmt.Sprintf("%s (%s)", ref.Resolved, ref.Tier)
			case ref.Followed:
				outcome = "searched for everywhere"
			}
			c.show.Step("reference", fmt.Sprintf("%s in %s: %s: %s", ref.Text, ref.Document, outcome, ref.Reason))
		}
	}
}
