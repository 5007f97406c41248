package qed_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"os"
	"strings"
	"testing/fstest"
	"time"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/dates"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/question"
	"github.com/qedkit/qed/store"
	"github.com/qedkit/qed/toolagent"
)

// An agent is a graph of steps on a state. A listener hears of every step; the answer comes last.
func Example() {
	type state struct {
		Question string
		Query    string
		Tries    int
		Rows     qed.Table
	}

	g := qed.NewGraph[state]("crews")
	g.Node("write", func(ctx context.Context, s state) (state, error) {
		s.Tries++
		s.Query = []string{"SELECT nme FROM crew", "SELECT name FROM crew"}[s.Tries-1] // a model would write it
		qed.Emit(ctx, qed.QueryWritten{Language: "sql", Query: s.Query, Attempt: s.Tries})
		return s, nil
	}, nil)
	g.Node("execute", func(ctx context.Context, s state) (state, error) {
		s.Rows = qed.Table{Columns: []qed.Column{{Name: "name"}}}
		err := errors.Join(s.Rows.Append("North"), s.Rows.Append("South")) // a database would give them
		qed.Emit(ctx, qed.QueryExecuted{Query: s.Query, Rows: len(s.Rows.Rows)})
		return s, err
	}, &qed.NodeOptions{Attempts: 2})
	g.Edge(qed.Start, "write")
	g.Route("write", func(s state) string {
		if strings.Contains(s.Query, "nme") {
			return "write"
		}
		return "execute"
	}, "write", "execute")
	g.Edge("execute", qed.End)

	runner, err := g.Compile(nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	agent := qed.NewAgent(runner,
		func(_ context.Context, s state, turn qed.Turn) (state, error) {
			s.Question = turn.Text
			return s, nil
		},
		func(_ context.Context, s state) (qed.Answer, error) {
			return qed.Answer{
				Text:    fmt.Sprintf("There are %d crews.", len(s.Rows.Rows)),
				Table:   &s.Rows,
				Queries: []qed.Query{{Language: "sql", Written: s.Query, Executed: s.Query, Rows: len(s.Rows.Rows)}},
			}, nil
		}, nil)

	for event, err := range agent.Run(context.Background(), qed.Turn{Text: "which crews are there?"}) {
		if err != nil {
			fmt.Println(err)
			return
		}
		switch d := event.Data.(type) {
		case qed.QueryWritten:
			fmt.Printf("%s: %s\n", event.Path, d.Query)
		case qed.QueryExecuted:
			fmt.Printf("%s: %d rows\n", event.Path, d.Rows)
		case qed.Completed:
			fmt.Println(d.Answer.Text)
		}
	}
	// Output:
	// write: SELECT nme FROM crew
	// write: SELECT name FROM crew
	// execute: 2 rows
	// There are 2 crews.
}

func ExampleAsk() {
	echo := qed.AgentFunc(func(ctx context.Context, turn qed.Turn) (qed.Answer, error) {
		return qed.Answer{Text: "You asked: " + turn.Text}, nil
	})
	answer, err := qed.Ask(context.Background(), echo, qed.Turn{Text: "who?"})
	fmt.Println(answer.Text, err)
	// Output: You asked: who? <nil>
}

func ExampleFanOut() {
	type state struct {
		Question string
		Found    []string
	}
	search := func(where string) qed.Branch[state, string] {
		return qed.Branch[state, string]{Name: where, Run: func(_ context.Context, s state) (string, error) {
			return s.Question + " in " + where, nil
		}}
	}
	g := qed.NewGraph[state]("search")
	qed.FanOut(g, "everywhere", func(s state, found []string) (state, error) {
		s.Found = found
		return s, nil
	}, search("manuals"), search("orders"))
	g.Edge(qed.Start, "everywhere")
	g.Edge("everywhere", qed.End)
	runner, err := g.Compile(nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	s, err := runner.Run(context.Background(), state{Question: "pumps"})
	fmt.Println(s.Found, err)
	// Output: [pumps in manuals pumps in orders] <nil>
}

func ExampleEach() {
	double := func(_ context.Context, n int) (int, error) { return 2 * n, nil }
	key := func(n int) string { return fmt.Sprint("item", n) }
	got, err := qed.Each(context.Background(), []int{3, 1, 2}, key, double)
	fmt.Println(got, err)
	// Output: [6 2 4] <nil>
}

func ExampleRegistry() {
	type in struct {
		City string `json:"city" jsonschema_description:"the city's name"`
	}
	weather := qed.NewTool("weather", "says what the weather is like in a city", func(_ context.Context, in in) (string, error) {
		return "rain in " + in.City, nil
	})
	tools := qed.NewRegistry(nil)
	if err := tools.Add(weather); err != nil {
		fmt.Println(err)
		return
	}
	results, err := tools.Do(context.Background(),
		llm.ToolCall{ID: "1", Name: "weather", Arguments: []byte(`{"city": "Oslo"}`)},
		llm.ToolCall{ID: "2", Name: "wether", Arguments: []byte(`{}`)},
	)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, r := range results {
		fmt.Println(r.Message().Content)
	}
	// Output:
	// "rain in Oslo"
	// error: there is no tool "wether"; did you mean weather? The tools are weather
}

func ExampleDates() {
	agent := qed.AgentFunc(func(ctx context.Context, turn qed.Turn) (qed.Answer, error) {
		facts, err := qed.Dates(ctx, turn.Text)
		if err != nil {
			return qed.Answer{}, err
		}
		return qed.Answer{Text: facts.String()}, nil
	})
	ctx := qed.WithClock(context.Background(), func() time.Time { return time.Date(2026, time.November, 23, 9, 0, 0, 0, time.UTC) })
	answer, err := qed.Ask(ctx, agent, qed.Turn{
		Text:     "How many orders came last month?",
		Calendar: &dates.Calendar{Zone: "Europe/Berlin"},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(answer.Text)
	// Output:
	// Today is Monday, 2026-11-23. Days and times are in the time zone Europe/Berlin. A week begins on Monday.
	// Calendar, each from the first day to before the second:
	// - day: last 2026-11-22 to 2026-11-23, this 2026-11-23 to 2026-11-24, next 2026-11-24 to 2026-11-25
	// - week: last 2026-11-16 to 2026-11-23, this 2026-11-23 to 2026-11-30, next 2026-11-30 to 2026-12-07
	// - month: last 2026-10-01 to 2026-11-01, this 2026-11-01 to 2026-12-01, next 2026-12-01 to 2027-01-01
	// - quarter: last 2026-07-01 to 2026-10-01, this 2026-10-01 to 2027-01-01, next 2027-01-01 to 2027-04-01
	// - half: last 2026-01-01 to 2026-07-01, this 2026-07-01 to 2027-01-01, next 2027-01-01 to 2027-07-01
	// - year: last 2025-01-01 to 2026-01-01, this 2026-01-01 to 2027-01-01, next 2027-01-01 to 2028-01-01
}

func ExampleGraph_Compile() {
	g := qed.NewGraph[int]("count")
	g.Node("add", func(_ context.Context, n int) (int, error) { return n + 1, nil }, nil)
	g.Edge(qed.Start, "add")
	g.Route("add", func(n int) string { return "ad" }, "ad")
	_, err := g.Compile(nil)
	fmt.Println(err)
	// Output:
	// qed: graph count: node "add" leads to "ad", which is not a node; add it with Node
}

func ExampleJoin() {
	orders := qed.JoinSide{Table: "orders", Columns: []string{"customer_id"}}
	customer := qed.JoinSide{Table: "customer", Columns: []string{"id"}}
	fmt.Println(qed.Join{Left: orders, Right: customer, Kind: "inner"})

	employee := qed.JoinSide{Table: "employee", Alias: "e", Columns: []string{"company", "manager"}}
	manager := qed.JoinSide{Table: "employee", Alias: "m", Columns: []string{"company", "number"}}
	fmt.Println(qed.Join{Left: employee, Right: manager, Kind: "left"})

	orders.Columns, customer.Columns = nil, nil
	fmt.Println(qed.Join{Left: orders, Right: customer, Kind: "inner", Condition: true})
	fmt.Println(qed.Join{Left: orders, Right: customer, Kind: "inner"})
	// Output:
	// orders.customer_id = customer.id
	// employee e.company = employee m.company AND employee e.manager = employee m.number
	// orders, customer by another condition
	// orders, customer without a condition
}

func ExampleTable() {
	crews := qed.Table{Columns: []qed.Column{{Name: "crew"}, {Name: "people"}}}
	for _, row := range [][]any{{[]byte("North"), 4}, {"South", uint8(12)}} {
		if err := crews.Append(row...); err != nil {
			fmt.Println(err)
		}
	}
	if err := crews.WriteText(os.Stdout); err != nil {
		fmt.Println(err)
	}
	// Output:
	// crew   people
	// -----  ------
	// North       4
	// South      12
	// (2 rows)
}

func ExampleWithTexts() {
	texts, err := qed.ReadTexts(fstest.MapFS{ // a folder, or files of package embed
		"fr.json": {Data: []byte(`{"qed": {"EmptyTurn": "Le message est vide."}}`)},
	})
	if err != nil {
		log.Fatal(err)
	}
	ctx := qed.WithTexts(context.Background(), texts)
	agent := qed.AgentFunc(func(context.Context, qed.Turn) (qed.Answer, error) { return qed.Answer{}, qed.ErrEmptyTurn })
	for event := range agent.Run(ctx, qed.Turn{Language: "fr"}) {
		fmt.Println(event.Data.(qed.Failed).Message)
	}
	// Output: Le message est vide.
}

// A conversation on one thread: the first turn ends with a question, and the
// second one, which may come days later and to another process, has the reply.
// The call before the question is not made again.
func ExampleDurable() {
	agent := qed.AgentFunc(func(ctx context.Context, turn qed.Turn) (qed.Answer, error) {
		cities, err := qed.Step(ctx, "cities", "miami", func(context.Context) ([]string, error) {
			fmt.Println("looking up Miami")
			return []string{"Miami, Florida", "Miami, Ohio"}, nil
		})
		if err != nil {
			return qed.Answer{}, err
		}
		city, err := qed.Interrupt[string](ctx, question.Question{
			Text:    "Which Miami?",
			Choices: []question.Choice{{ID: "FL", Text: cities[0]}, {ID: "OH", Text: cities[1]}},
		})
		if err != nil {
			return qed.Answer{}, err // the run is interrupted: the turn ends here
		}
		return qed.Answer{Text: "There are 3 crews in Miami, " + city + "."}, nil
	})
	st := new(store.InMemory) // package sqlstore has one that outlives the process
	durable := qed.Durable(agent, st, nil)

	ctx := context.Background()
	asked, err := qed.Ask(ctx, durable, qed.Turn{Thread: "42", User: "ann", Text: "How many crews are in Miami?"})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(asked.Text)

	answer, err := qed.Ask(ctx, durable, qed.Turn{Thread: "42", User: "ann", Replies: []question.Reply{
		{Question: asked.Questions[0].ID, Value: json.RawMessage(`2`)},
	}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(answer.Text)

	// Output:
	// looking up Miami
	// Which Miami?
	// 1. Miami, Florida
	// 2. Miami, Ohio
	// There are 3 crews in Miami, OH.
}

// The user approves a call of a tool before it is made, and may edit its arguments. The
// agent needs a store, because the run waits for the reply.
func ExampleTool_needsApproval() {
	type mail struct {
		To string `json:"to"`
	}
	send := qed.NewTool("send_mail", "Sends a mail to a crew.", func(_ context.Context, in mail) (string, error) {
		return "sent to " + in.To, nil
	})
	send.NeedsApproval = true
	tools := qed.NewRegistry(nil, send)
	agent := qed.Durable(qed.AgentFunc(func(ctx context.Context, turn qed.Turn) (qed.Answer, error) {
		// A model would ask for the call: see package toolagent.
		results, err := tools.Do(ctx, llm.ToolCall{ID: "1", Name: "send_mail", Arguments: json.RawMessage(`{"to": "crew-7"}`)})
		if err != nil {
			return qed.Answer{}, err
		}
		return qed.Answer{Text: string(results[0].Output)}, nil
	}), new(store.InMemory), nil)

	ctx := context.Background()
	asked, err := qed.Ask(ctx, agent, qed.Turn{Thread: "7", Text: "Tell crew 7."})
	if err != nil {
		fmt.Println(err)
		return
	}
	q := asked.Questions[0]
	fmt.Println(q.Kind, string(q.Draft))

	answer, err := qed.Ask(ctx, agent, qed.Turn{Thread: "7", Replies: []question.Reply{{Question: q.ID, Value: json.RawMessage(`{"decision": "approve"}`)}}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(answer.Text)
	// Output:
	// approval {"to":"crew-7"}
	// "sent to crew-7"
}

// The price of an answer is the sum of its calls. Prices are per million tokens.
func ExampleAnswer_price() {
	provider := llm.ModelFunc(func(context.Context, *llm.Request, func(llm.Delta)) (*llm.Response, error) {
		return &llm.Response{ // a real one: packages llm/openai and llm/anthropic
			Message: llm.Message{Role: llm.RoleAssistant, Content: "Seven crews."},
			Model:   "gpt-5.4-mini",
			Usage:   llm.Usage{InputTokens: 4000, OutputTokens: 500, Calls: 1},
		}, nil
	})
	model := llm.Wrap(provider, llm.Prices(map[string]llm.Price{"gpt-5.4-mini": {Input: 1, Output: 4}}))
	agent, err := toolagent.New(model, qed.NewRegistry(nil, qed.NewTool("crews", "Counts crews.",
		func(context.Context, struct{}) (int, error) { return 7, nil })), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	answer, err := qed.Ask(context.Background(), agent, qed.Turn{Text: "How many crews are there?"})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s It cost %.4f.\n", answer.Text, answer.Usage.Cost)
	// Output:
	// Seven crews. It cost 0.0060.
}

// The user decides whether a draft may be sent, and in which form.
func ExampleApprove() {
	type mail struct {
		To   string `json:"to"`
		Text string `json:"text"`
	}
	agent := qed.Durable(qed.AgentFunc(func(ctx context.Context, turn qed.Turn) (qed.Answer, error) {
		reply, err := qed.Approve(ctx, "Send this?", mail{"crew-7", "Please check pump 12."})
		if err != nil {
			return qed.Answer{}, err
		}
		if reply.Decision == question.Reject {
			return qed.Answer{Text: "Not sent: " + reply.Reason}, nil
		}
		return qed.Answer{Text: "Sent to " + reply.Value.To + "."}, nil
	}), new(store.InMemory), nil)

	ctx := context.Background()
	asked, err := qed.Ask(ctx, agent, qed.Turn{Thread: "42", Text: "Tell the crew about pump 12."})
	if err != nil {
		fmt.Println(err)
		return
	}
	q := asked.Questions[0]
	fmt.Println(q.Kind, q.Text, string(q.Draft))

	answer, err := qed.Ask(ctx, agent, qed.Turn{Thread: "42", Replies: []question.Reply{
		{Question: q.ID, Value: json.RawMessage(`{"decision": "edit", "value": {"to": "crew-8", "text": "Please check pump 12."}}`)},
	}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(answer.Text)

	// Output:
	// approval Send this? {"to":"crew-7","text":"Please check pump 12."}
	// Sent to crew-8.
}

// A run fails after it paid for something. A turn without a text resumes it,
// and does not pay again.
func ExampleStep() {
	down := true
	agent := qed.Durable(qed.AgentFunc(func(ctx context.Context, turn qed.Turn) (qed.Answer, error) {
		price, err := qed.Step(ctx, "price", turn.Text, func(context.Context) (float64, error) {
			fmt.Println("paying for the price of", turn.Text)
			return 12.5, nil
		})
		if err != nil {
			return qed.Answer{}, err
		}
		stock, err := qed.Step(ctx, "stock", turn.Text, func(context.Context) (int, error) {
			if down {
				return 0, fmt.Errorf("the warehouse does not answer")
			}
			return 4, nil
		})
		if err != nil {
			return qed.Answer{}, err
		}
		return qed.Answer{Text: fmt.Sprintf("%d in stock, at %.2f each", stock, price)}, nil
	}), new(store.InMemory), nil)

	ctx := context.Background()
	_, err := qed.Ask(ctx, agent, qed.Turn{Thread: "42", Text: "pump 12"})
	fmt.Println(err)

	down = false
	answer, err := qed.Ask(ctx, agent, qed.Turn{Thread: "42"})
	fmt.Println(answer.Text, err)

	// Output:
	// paying for the price of pump 12
	// stock: the warehouse does not answer
	// 4 in stock, at 12.50 each <nil>
}

// A fork of a thread tries another reply to the same question. The original is
// not changed.
func ExampleFork() {
	agent := qed.AgentFunc(func(ctx context.Context, turn qed.Turn) (qed.Answer, error) {
		year, err := qed.Interrupt[string](ctx, question.Question{Text: "Of which year?"})
		if err != nil {
			return qed.Answer{}, err
		}
		return qed.Answer{Text: "The costs of " + year + " were low."}, nil
	})
	st := new(store.InMemory)
	durable := qed.Durable(agent, st, nil)

	ctx := context.Background()
	asked, err := qed.Ask(ctx, durable, qed.Turn{Thread: "42", Text: "How were the costs?"})
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := qed.Fork(ctx, st, "42", 0, "42, what if"); err != nil {
		fmt.Println(err)
		return
	}
	for thread, year := range map[string]string{"42": `"2024"`, "42, what if": `"2025"`} {
		answer, err := qed.Ask(ctx, durable, qed.Turn{Thread: thread, Replies: []question.Reply{
			{Question: asked.Questions[0].ID, Value: json.RawMessage(year)},
		}})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%s: %s\n", thread, answer.Text)
	}

	// Unordered output:
	// 42: The costs of 2024 were low.
	// 42, what if: The costs of 2025 were low.
}
