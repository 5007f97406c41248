package qed_test

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/question"
	"github.com/qedkit/qed/store"
)

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
