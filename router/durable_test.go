package router_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/llm/llmtest"
	"github.com/qedkit/qed/question"
	"github.com/qedkit/qed/router"
	"github.com/qedkit/qed/store"
)

// shipments returns an agent that asks which Miami is meant, and repeats the reply.
func shipments(name string) qed.Agent {
	return qed.AgentFunc(func(ctx context.Context, turn qed.Turn) (qed.Answer, error) {
		if !strings.Contains(turn.Text, "Miami") {
			return qed.Answer{Text: name + ": " + turn.Text}, nil
		}
		port, err := qed.Interrupt[string](ctx, question.Question{Text: "Which Miami?", Choices: []question.Choice{
			{ID: "USMIA", Text: "Port of Miami"}, {ID: "MCT", Text: "Miami Container Terminal"},
		}})
		if err != nil {
			return qed.Answer{}, err
		}
		return qed.Answer{Text: fmt.Sprint(name, ": ", turn.Text, ": ", port)}, nil
	})
}

// asker returns a durable router with two routes that ask the same question.
func asker(t *testing.T, model llm.Model, opt *router.Options) qed.Agent {
	t.Helper()
	a, err := router.New(model, []router.Route{
		{Name: "search", Description: "shipments", Agent: shipments("search")},
		{Name: "report", Description: "reports", Agent: shipments("report")},
	}, opt)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// ask asks in thread t1 and returns the answer and the chosen routes.
func ask(t *testing.T, a qed.Agent, turn qed.Turn) (answer qed.Answer, taken []string) {
	t.Helper()
	turn.Thread = "t1"
	for event, err := range a.Run(t.Context(), turn) {
		if err != nil {
			t.Fatal(err)
		}
		switch d := event.Data.(type) {
		case qed.RouteDecision:
			taken = append(taken, d.Route)
		case qed.QuestionClosed:
			taken = append(taken, string(d.Intent))
		case qed.Completed:
			answer = d.Answer
		}
	}
	return answer, taken
}

var shownID = regexp.MustCompile(`\nid "(\w+)", `)

// naming returns a model that replies with the ID of the first question in the prompt.
func naming(m llm.Model) llm.Model {
	return llm.ModelFunc(func(ctx context.Context, req *llm.Request, stream func(llm.Delta)) (*llm.Response, error) {
		resp, err := m.Generate(ctx, req, stream)
		if shown := shownID.FindStringSubmatch(req.Messages[0].Content); shown != nil && err == nil {
			resp.Message.Content = strings.ReplaceAll(resp.Message.Content, `"ID"`, strconv.Quote(shown[1]))
		}
		return resp, err
	})
}

// One of two routes that ask the same question interrupts the run, and gets its
// reply in every form.
func TestRouteThatAsks(t *testing.T) {
	const first = "Show shipments to Miami"
	reads := func(reply map[string]any) llmtest.Rule {
		return llmtest.Rule{Name: "read_reply", Replies: []llmtest.Reply{{JSON: reply}}}
	}
	for _, tt := range []struct {
		name   string
		reply  func(open question.Question) qed.Turn
		rules  []llmtest.Rule
		taken  []string // by the second turn
		answer string
	}{
		{
			name: "by a reply",
			reply: func(q question.Question) qed.Turn {
				return qed.Turn{Replies: []question.Reply{{Question: q.ID, Value: json.RawMessage(`"MCT"`)}}}
			},
			taken: []string{"report"}, answer: "report: " + first + ": MCT",
		},
		{
			name:  "exactly",
			reply: func(question.Question) qed.Turn { return qed.Turn{Text: "Port of Miami"} },
			taken: []string{"report"}, answer: "report: " + first + ": USMIA",
		},
		{
			name:  "in other words",
			reply: func(question.Question) qed.Turn { return qed.Turn{Text: "the terminal"} },
			rules: []llmtest.Rule{reads(map[string]any{"intent": "exact_answer", "answers": []map[string]any{map[string]any{"question": "ID", "value": "2"}}})},
			taken: []string{"report"}, answer: "report: " + first + ": MCT",
		},
		{
			name:  "with a modification",
			reply: func(question.Question) qed.Turn { return qed.Turn{Text: "the port, but also include arrival date"} },
			rules: []llmtest.Rule{reads(map[string]any{"intent": "modification"}), routes("search")},
			taken: []string{"modification", "search"}, answer: "search: the port, but also include arrival date",
		},
		{
			name:  "with something else",
			reply: func(question.Question) qed.Turn { return qed.Turn{Text: "forget it, show me container status instead"} },
			rules: []llmtest.Rule{reads(map[string]any{"intent": "new_request"}), routes("search")},
			taken: []string{"new_request", "search"}, answer: "search: forget it, show me container status instead",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			st := &store.InMemory{}
			model := naming(llmtest.Scripted(t, append([]llmtest.Rule{routes("report")}, tt.rules...)...))
			answer, taken := ask(t, asker(t, model, &router.Options{Store: st}), qed.Turn{Text: first})
			if len(answer.Questions) != 1 || !cmp.Equal(taken, []string{"report"}) {
				t.Fatalf("answered %+v by %v", answer, taken)
			}
			// Another process resumes.
			answer, taken = ask(t, asker(t, model, &router.Options{Store: st}), tt.reply(answer.Questions[0]))
			if answer.Text != tt.answer || !cmp.Equal(taken, tt.taken) || !answer.Saved {
				t.Errorf("answered %+v by %v", answer, taken)
			}
		})
	}
}

func TestRouteThatAsksInVain(t *testing.T) {
	model := llmtest.Scripted(t, routes("report"), llmtest.Rule{Name: "read_reply", Replies: []llmtest.Reply{
		{Err: &llm.Error{Kind: llm.ErrUnavailable}},
		{JSON: map[string]any{"intent": "exact_answer", "answers": []map[string]any{}}},
	}})
	a := asker(t, model, &router.Options{Store: &store.InMemory{}})
	ask(t, a, qed.Turn{Text: "Show shipments to Miami"})
	// The model fails: nothing is lost.
	if _, err := qed.Ask(t.Context(), a, qed.Turn{Thread: "t1", Text: "the one in Florida"}); !errors.Is(err, llm.ErrUnavailable) {
		t.Fatalf("error = %v", err)
	}
	// The model's reply cannot be used: the question is asked again.
	answer, _ := ask(t, a, qed.Turn{Text: "the one in Florida"})
	if len(answer.Questions) != 1 || answer.Questions[0].Problem == "" {
		t.Fatalf("answered %+v", answer)
	}
	// The same for a number that is not a choice; then the question is answered.
	if answer, _ = ask(t, a, qed.Turn{Text: "2"}); answer.Text != "report: Show shipments to Miami: MCT" {
		t.Errorf("answered %+v", answer)
	}
}

func TestAbort(t *testing.T) {
	model := llmtest.Scripted(t, routes("report", "search"))
	a := asker(t, model, &router.Options{Store: &store.InMemory{}})
	ask(t, a, qed.Turn{Text: "Show shipments to Miami"})
	answer, taken := ask(t, a, qed.Turn{Text: "never mind"})
	if len(answer.Questions) > 0 || !cmp.Equal(taken, []string{"abort"}) {
		t.Fatalf("answered %+v by %v", answer, taken)
	}
	if answer, _ := ask(t, a, qed.Turn{Text: "and now?"}); answer.Text != "search: and now?" {
		t.Errorf("answered %+v", answer)
	}
}

// Each turn gets the conversation, and the host's ParseReplies is called if set.
func TestRouterRemembers(t *testing.T) {
	model := llmtest.Scripted(t, routes("search", "report", "general"), llmtest.Rule{Name: "general", Replies: []llmtest.Reply{{Text: "Hello."}}})
	a := asker(t, model, &router.Options{Store: &store.InMemory{}, Durable: &qed.DurableOptions{Memory: &qed.Memory{Messages: 3}}})
	for _, text := range []string{"one", "two", "three"} {
		ask(t, a, qed.Turn{Text: text})
	}
	sent := model.Requests()
	last := sent[len(sent)-1]
	var got []string
	for _, m := range last.Messages[1:] {
		got = append(got, string(m.Role)+" "+m.Content)
	}
	if diff := cmp.Diff([]string{"user two", "assistant report: two", "user three"}, got); diff != "" {
		t.Error(diff)
	}

	host := func(context.Context, []question.Question, string) (question.Parsed, error) {
		return question.Parsed{Intent: question.IntentAbort}, nil
	}
	a = asker(t, llmtest.Scripted(t, routes("search")), &router.Options{Store: &store.InMemory{}, Durable: &qed.DurableOptions{ParseReplies: host}})
	ask(t, a, qed.Turn{Text: "to Miami"})
	if _, taken := ask(t, a, qed.Turn{Text: "2"}); !cmp.Equal(taken, []string{"abort"}) {
		t.Errorf("read by %v", taken)
	}
}

// Several turns use the same route: no record of an earlier turn is taken for one
// of this turn.
func TestTwoTurnsOnOneRoute(t *testing.T) {
	model := llmtest.Scripted(t, routes("search", "search", "search"))
	a := asker(t, model, &router.Options{Store: &store.InMemory{}})
	for _, port := range []string{"1", "2", "1"} {
		if answer, _ := ask(t, a, qed.Turn{Text: "to Miami, " + port}); len(answer.Questions) != 1 {
			t.Fatalf("answered %+v", answer)
		}
		want := "search: to Miami, " + port + ": " + map[string]string{"1": "USMIA", "2": "MCT"}[port]
		if answer, _ := ask(t, a, qed.Turn{Text: port}); answer.Text != want {
			t.Errorf("answered %q, want %q", answer.Text, want)
		}
	}
}

// A Summarizer works when a run begins and fails when it resumes, or the reverse:
// the model must get the same request, or the run would be nondeterministic.
func TestResumedRunIsToldTheSame(t *testing.T) {
	for _, down := range [][]bool{{false, true}, {true, false}} {
		t.Run(fmt.Sprint(down), func(t *testing.T) {
			now := false
			summarizer := llm.ModelFunc(func(context.Context, *llm.Request, func(llm.Delta)) (*llm.Response, error) {
				if now {
					return nil, &llm.Error{Kind: llm.ErrUnavailable}
				}
				return &llm.Response{Message: llm.Message{Role: llm.RoleAssistant, Content: "much was said"}, FinishReason: llm.FinishStop}, nil
			})
			rule := routes("report")
			rule.Repeat = true
			model := llmtest.New(rule)
			a := asker(t, model, &router.Options{Store: &store.InMemory{}, Durable: &qed.DurableOptions{
				Memory: &qed.Memory{Summarizer: summarizer, Messages: 2},
			}})
			for i := range 10 {
				now = i%2 == 1
				ask(t, a, qed.Turn{Text: fmt.Sprint("question ", i)})
			}
			now = down[0]
			ask(t, a, qed.Turn{Text: "Show shipments to Miami"})
			asked := len(model.Requests())
			now = down[1]
			if answer, _ := ask(t, a, qed.Turn{Text: "2"}); answer.Text != "report: Show shipments to Miami: MCT" || len(model.Requests()) != asked {
				t.Errorf("answered %+v after %d requests more", answer, len(model.Requests())-asked)
			}
			if !slices.ContainsFunc(model.Requests()[asked-1].Messages, func(m llm.Message) bool { return strings.Contains(m.Content, "much was said") }) {
				t.Error("no summary is told")
			}
		})
	}
}
