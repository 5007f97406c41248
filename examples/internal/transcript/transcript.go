// Package transcript is the recorded conversation of the examples that hold conversations,
// about the database and the manual of the field-service company.
package transcript

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/qedkit/qed/examples/fieldservice"
	"github.com/qedkit/qed/examples/internal/replay"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/llm/llmtest"
)

// A Line is what the user of the transcript types, with the model's replies to it.
type Line struct {
	Text    string
	Follows bool // it refers to the line before
	Model   []llmtest.Rule
}

func follows(l Line) Line {
	l.Follows = true
	return l
}

// Lines returns the recorded conversation: each route, questions that continue
// the ones before, and questions to the user that are answered, replaced by another
// request, and dropped.
func Lines() []Line {
	return []Line{
		data(recorded("overdue")),
		data(recorded("overdue-for-malmo")),
		manual("When does a work order count as overdue, and who hears of it?", "When does a work order count as overdue, and who hears of it?",
			"A work order is overdue when it is open and its due date has passed [c2alss]. The branch manager gets a list of the overdue ones every Monday [c2alss]."),
		follows(manual("And what does it take to move that date?", "What does it take to change the due date of a work order?",
			"Changing the due date needs a note with the reason [c2alss].")),
		data(recorded("invoices-by-region")),
		{Text: "2", Follows: true},
		data(mostWorkOrders("March 2026", "2026-03-01", "2026-04-01")),
		follows(instead(data(worded(recorded("on-order"), "Leave that. Which purchase orders have not arrived yet, from whom, and when are they expected?")))),
		data(mostWorkOrders("2025", "2025-01-01", "2026-01-01")),
		{Text: "Never mind.", Follows: true},
		general("What is the difference between a chiller and a heat pump?",
			"They are one machine in two uses: both move heat from a cold place to a warm one. A chiller is there for its cold side, a heat pump for its warm side, and many heat pumps can be turned round."),
	}
}

// mostWorkOrders means the assigned employee of a work order, or the one who created it.
func mostWorkOrders(period, from, before string) fieldservice.Question {
	by := func(role string) string {
		return `
SELECT CONCAT(e.firstName, ' ', e.lastName) AS employee, COUNT(*) AS orders
FROM workOrder o
JOIN employee e ON e.id = o.` + role + `
WHERE o.createdOn >= '` + from + `' AND o.createdOn < '` + before + `'
GROUP BY e.id, e.firstName, e.lastName
ORDER BY orders DESC, employee
LIMIT 3`
	}
	return fieldservice.Question{
		Question: "Who had the most work orders in " + period + "?",
		Tables:   []string{"workOrder", "employee"},
		Periods:  []fieldservice.Period{{Words: period, From: from, Before: before}},
		Ways: []fieldservice.Way{
			{Column: "assignedTo", Statement: by("assignedTo"),
				Reply: "Of the work orders created in " + period + ", nobody is assigned more than {r1.employee}: {r1.orders}."},
			{Column: "createdBy", Statement: by("createdBy"),
				Reply: "Nobody created more work orders in " + period + " than {r1.employee}: {r1.orders}."},
		},
	}
}

// recorded returns a question about the company by its ID.
func recorded(id string) fieldservice.Question {
	all := fieldservice.Questions("sqlite")
	return all[slices.IndexFunc(all, func(q fieldservice.Question) bool { return q.ID == id })]
}

// worded returns a question with another text.
func worded(q fieldservice.Question, question string) fieldservice.Question {
	q.Question = question
	return q
}

// data is a question for the SQL agent.
func data(q fieldservice.Question) Line {
	return Line{Text: q.Question, Model: append(replay.Rules([]fieldservice.Question{q}), Routed(q.Question, "sql", "it asks for records"))}
}

// manual is a question for the documents. A question that depends on the ones before
// is rewritten before the search: alone is the rewritten text. The answer cites the
// passage by the key that the documents give it.
func manual(question, alone, answer string) Line {
	return Line{Text: question, Model: []llmtest.Rule{
		Routed(question, "rag", "it asks how things are done"),
		replay.Rule("rewrite_question", replay.Asks("The last question: ", question), map[string]string{"question": alone}),
		replay.Rule("answer_from_documents", replay.Asks("Question: ", alone), answer),
	}}
}

func general(question, answer string) Line {
	asks := func(r *llm.Request) bool { return r.Messages[len(r.Messages)-1].Content == question }
	return Line{Text: question, Model: []llmtest.Rule{
		Routed(question, "general", "it asks for general knowledge"),
		replay.Rule("general", asks, answer),
	}}
}

// instead is a line that is no reply to the question before it but a new request.
func instead(l Line) Line {
	reading := map[string]string{"intent": "new_request", "reason": "it asks for something else"}
	l.Model = append(l.Model, replay.Rule("read_reply", replay.Asks("<message>\n", l.Text), reading))
	return l
}

// Routed returns the rule of a model that chooses a route for a question.
func Routed(question, route, reason string) llmtest.Rule {
	return replay.Rule("route", replay.Asks("<question>\n", question), map[string]string{"route": route, "reason": reason})
}

// Replay returns the lines of the transcript, and a model that replies to them, and as
// more rules say, after a pause.
func Replay(pause time.Duration, more ...llmtest.Rule) ([]string, llm.Model) {
	rules := []llmtest.Rule{replay.Rule("summarise", nil, "The user asked about overdue work orders on 31 March 2026.")}
	var texts []string
	for _, l := range Lines() {
		texts = append(texts, l.Text)
		rules = append(rules, l.Model...)
	}
	rules = append(rules, more...)
	for i := range rules {
		rules[i].Replies[0].Delay = pause
	}
	scripted := llmtest.New(rules...)
	return texts, llm.ModelFunc(func(ctx context.Context, req *llm.Request, stream func(llm.Delta)) (*llm.Response, error) {
		resp, err := scripted.Generate(ctx, req, stream)
		if errors.Is(err, llmtest.ErrUnexpected) {
			err = &llm.Error{Kind: llm.ErrBadRequest, Message: "no model is configured, and this question is not recorded: set OPENAI_API_KEY, OPENAI_BASE_URL or ANTHROPIC_API_KEY"}
		}
		return resp, err
	})
}
