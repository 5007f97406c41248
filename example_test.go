package qed_test

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/llm"
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

func ExampleRunner_Mermaid() {
	g := qed.NewGraph[int]("count")
	g.Node("add", func(_ context.Context, n int) (int, error) { return n + 1, nil }, nil)
	g.Edge(qed.Start, "add")
	g.Route("add", func(n int) string {
		if n < 3 {
			return "add"
		}
		return qed.End
	}, "add", qed.End)
	runner, err := g.Compile(nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(runner.Mermaid())
	// Output:
	// flowchart TD
	//   n0(["start"])
	//   n1["add"]
	//   last(["end"])
	//   n0 --> n1
	//   n1 -.-> n1
	//   n1 -.-> last
}
