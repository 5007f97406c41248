package todoagent_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/budget"
	"github.com/qedkit/qed/internal/qedtest"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/llm/llmtest"
	"github.com/qedkit/qed/question"
	"github.com/qedkit/qed/store"
	"github.com/qedkit/qed/store/usermemory"
	"github.com/qedkit/qed/todoagent"
	"github.com/qedkit/qed/tools"
)

// spied returns a model that records the request of each plan.
func spied(requests *[]string, model llm.Model) llm.Model {
	return llm.ModelFunc(func(ctx context.Context, req *llm.Request, stream func(llm.Delta)) (*llm.Response, error) {
		if req.Name == "reiterate_intention" {
			text := req.Messages[len(req.Messages)-1].Content
			_, text, _ = strings.Cut(text, "<request>\n")
			text, _, _ = strings.Cut(text, "\n</request>")
			*requests = append(*requests, strings.Trim(text, `"`))
		}
		return model.Generate(ctx, req, stream)
	})
}

// nestedAgent returns an agent that is a tool of another agent.
func nestedAgent(t *testing.T, model llm.Model, tools ...qed.Tool) qed.Agent {
	t.Helper()
	agent, err := todoagent.New(model, todoTools(t, tools...), nil)
	if err != nil {
		t.Fatal(err)
	}
	return agent
}

var asTools = map[string]func(name, description string, a qed.Agent) qed.Tool{"FromAgent": tools.FromAgent, "a host's": hostTool}

// hostTool returns an agent as a tool, made as a host makes one.
func hostTool(name, description string, a qed.Agent) qed.Tool {
	type input struct {
		Question string `json:"question"`
	}
	t := qed.NewTool(name, description, func(ctx context.Context, in input) (map[string]string, error) {
		turn := qed.Info(ctx).Turn
		answer, err := qed.Ask(ctx, a, qed.Turn{Text: in.Question, User: turn.User, Tenant: turn.Tenant})
		return map[string]string{"text": answer.Text}, err
	})
	t.Interrupts, t.Nested = true, true
	return t
}

// An agent that is first called in a turn that replies to another question gets
// its own question, and later its own replies.
func TestNestedIsAskedItsQuestion(t *testing.T) {
	for name, as := range asTools {
		t.Run(name, func(t *testing.T) {
			var requests []string
			inner := nestedAgent(t, spied(&requests, plansInTurn("new_request",
				[]todoTask{task("x", "resolve", `{"name":"Miami"}`), task("s", "say", `{"text":{"$result":"x/port"}}`)})))
			outer := plansInTurn("new_request", []todoTask{task("r", "resolve", `{"name":"Miami"}`),
				task("one", "sub", `{"question":"first?"}`), task("two", "sub", `{"question":"second?"}`)})
			talk := newTodoTalk(t, outer, todoTools(t, as("sub", "answers", inner)), nil)
			for _, text := range []string{"go", "1", "2"} {
				if answer := talk.say(text); len(answer.Questions) != 1 {
					t.Fatalf("%s: %+v", text, answer)
				}
			}
			if answer := talk.say("1"); answer.Partial || !strings.Contains(answer.Text, "MCT") || !strings.HasSuffix(answer.Text, "POM") {
				t.Errorf("answer = %q", answer.Text)
			}
			if diff := cmp.Diff([]string{"first?", "second?"}, requests); diff != "" {
				t.Errorf("requests (-want +got):\n%s", diff)
			}
		})
	}
}

// The same holds for agents in a graph, and if the host asks the user first.
func TestAfterAnotherQuestion(t *testing.T) {
	var requests []string
	plan := []todoTask{task("s", "say", `{"text":"done"}`)}
	todo := nestedAgent(t, spied(&requests, plansInTurn("new_request", plan)))
	host := qed.AgentFunc(func(ctx context.Context, turn qed.Turn) (qed.Answer, error) {
		year, err := qed.Interrupt[string](ctx, question.Question{Text: "Which year?", Choices: []question.Choice{{ID: "2024", Text: "last year"}, {ID: "2025", Text: "this year"}}})
		if err != nil {
			return qed.Answer{}, err
		}
		return qed.Ask(ctx, todo, qed.Turn{Thread: "t", Text: "late shipments in " + year})
	})
	type outputs struct{ Text string }
	g := qed.NewGraph[outputs]("two")
	for _, agent := range []struct {
		name string
		qed.Agent
	}{{"first", nestedAgent(t, plansInTurn("new_request", []todoTask{task("r", "resolve", `{"name":"Miami"}`)}))}, {"second", todo}} {
		g.Node(agent.name, func(ctx context.Context, s outputs) (outputs, error) {
			answer, err := qed.Ask(ctx, agent, qed.Turn{Thread: "t", Text: "of " + agent.name})
			s.Text += answer.Text + ";"
			return s, err
		}, nil)
	}
	g.Edge(qed.Start, "first")
	g.Edge("first", "second")
	g.Edge("second", qed.End)
	graph := qed.NewAgent(compile(t, g, nil), func(context.Context, outputs, qed.Turn) (outputs, error) { return outputs{}, nil },
		func(_ context.Context, s outputs) (qed.Answer, error) { return qed.Answer{Text: s.Text}, nil }, nil)
	for name, test := range map[string]struct {
		agent    qed.Agent
		requests []string
		answer   string
	}{
		"a host that asks": {host, []string{"late shipments in 2024", "late shipments in 2024"}, "done"},
		"a graph of two":   {graph, []string{"of second", "of second"}, "Resolved POM;done;"},
	} {
		t.Run(name, func(t *testing.T) {
			requests = nil
			durable := qed.Durable(test.agent, &store.InMemory{}, nil)
			for range 2 {
				for i, text := range []string{"go", "1"} {
					answer, err := qed.Ask(t.Context(), durable, qed.Turn{Thread: "t", Text: text})
					if err != nil || (len(answer.Questions) == 1) != (i == 0) || i == 1 && answer.Text != test.answer {
						t.Fatalf("%s: %+v, %v", text, answer, err)
					}
				}
			}
			if diff := cmp.Diff(test.requests, requests); diff != "" {
				t.Errorf("requests (-want +got):\n%s", diff)
			}
		})
	}
}

// While the question of an agent that is a task is open, a message about the
// plan repeats the question, and no task that needs the reply runs.
func TestNestedQuestionStaysOpen(t *testing.T) {
	for name, as := range asTools {
		for _, said := range []string{"continue", "go ahead", "skip last", "retry c"} {
			t.Run(name+"/"+said, func(t *testing.T) {
				l := &qedtest.Ledger{}
				inner := nestedAgent(t, plansInTurn("continue", []todoTask{task("x", "resolve", `{"name":"Miami"}`)}))
				outer := plansInTurn("continue", []todoTask{task("c", "sub", `{"question":"which?"}`), task("p", "pay", `{"k":"p","text":{"$result":"c/text"}}`), task("last", "say", `{"text":"x"}`)})
				talk := newTodoTalk(t, outer, todoTools(t, as("sub", "answers", inner), payTool(l)), nil)
				talk.say("go")
				if answer := talk.say(said); len(answer.Questions) != 1 || len(l.Count()) != 0 {
					t.Fatalf("answer = %+v, paid %v", answer, l.Count())
				}
				if answer := talk.say("1"); answer.Questions != nil || l.Count()["p"] != 1 {
					t.Errorf("answer = %+v, paid %v", answer, l.Count())
				}
			})
		}
	}
}

// The failure of an agent that is a task is an error of the task: no task that needs it runs.
func TestNestedFailure(t *testing.T) {
	for name, test := range map[string]struct {
		inner []todoTask
		opt   *todoagent.Options
		say   []string
		calls string // the tool whose calls are approved
	}{
		"a task of it fails":        {[]todoTask{task("f", "fail", `{}`)}, nil, []string{"go"}, ""},
		"it has no plan":            {[]todoTask{task("f", "none", `{}`)}, nil, []string{"go", "any way"}, ""},
		"its plan is not approved":  {[]todoTask{task("s", "say", `{"text":"x"}`)}, &todoagent.Options{ApprovePlan: true}, []string{"go", "reject"}, ""},
		"its call is not approved":  {[]todoTask{task("s", "say", `{"text":"x"}`)}, nil, []string{"go", "reject"}, "say"},
		"it has nothing to do this": {[]todoTask{}, nil, []string{"go"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			l := &qedtest.Ledger{}
			inner, err := todoagent.New(plansInTurn("new_request", test.inner), approving(t, todoTools(t), test.calls), test.opt)
			if err != nil {
				t.Fatal(err)
			}
			outer := plansInTurn("new_request", []todoTask{task("c", "sub", `{"question":"which?"}`), task("p", "pay", `{"k":"p","text":{"$result":"c/text"}}`)})
			talk := newTodoTalk(t, outer, todoTools(t, tools.FromAgent("sub", "answers", inner), payTool(l)), nil)
			var answer qed.Answer
			for _, text := range test.say {
				turn := qed.Turn{Thread: "t", Text: text}
				if len(answer.Questions) > 0 {
					turn.Text, turn.Replies = "", []question.Reply{qedtest.Reply(answer.Questions[0], `"`+text+`"`)}
				}
				if answer, err = qed.Ask(talk.ctx, talk.agent, turn); err != nil {
					t.Fatal(err)
				}
			}
			if !answer.Partial || len(answer.Questions) > 0 || len(l.Count()) != 0 {
				t.Errorf("answer = %+v, paid %v", answer, l.Count())
			}
			if len(answer.Plan) == 0 || answer.Plan[0].Key != "c" || answer.Plan[0].Status == qed.TodoComplete {
				t.Errorf("plan = %+v", answer.Plan)
			}
		})
	}
}

// An agent that failed after an at-most-once call is called again only if the user asks for it.
func TestNestedDoesNothingTwice(t *testing.T) {
	for name, pays := range map[string]bool{"it paid": true, "it only read": false} {
		t.Run(name, func(t *testing.T) {
			l := &qedtest.Ledger{}
			tasks := []todoTask{task("f", "fail", `{}`)}
			if pays {
				tasks = append([]todoTask{task("p", "pay", `{"k":"p"}`)}, tasks...)
			} else {
				tasks = append([]todoTask{task("p", "resolve", `{"name":"Oslo"}`)}, tasks...)
			}
			inner := nestedAgent(t, plansInTurn("new_request", tasks), payTool(l))
			talk := newTodoTalk(t, plansInTurn("new_request", []todoTask{task("c", "sub", `{"question":"which?"}`)}), todoTools(t, tools.FromAgent("sub", "answers", inner)), nil)
			talk.say("go")
			answer := talk.say("continue")
			if again := strings.Contains(answer.Text, "To run it again"); again != pays || l.Count()["p"] > 1 {
				t.Errorf("answer = %q, paid %v", answer.Text, l.Count())
			}
			if talk.say("retry c"); pays && l.Count()["p"] != 2 {
				t.Errorf("paid %v", l.Count())
			}
		})
	}
}

// "retry" of a task does not repeat the at-most-once calls of tasks that need its result.
func TestRetryBelowWhatWasPaid(t *testing.T) {
	for name, fails := range map[string]string{"it is done": "", "it failed": `,"fail":true`} {
		t.Run(name, func(t *testing.T) {
			l := &qedtest.Ledger{}
			plan := planned(task("a", "say", `{"text":"x"}`), task("p", "pay", `{"k":"p","text":{"$result":"a/text"}`+fails+`}`), task("f", "fail", `{}`))
			talk := newTodoTalk(t, todoModel(t, map[string][]llmtest.Reply{"plan_todos": {plan}}), todoTools(t, payTool(l)), nil)
			for _, text := range []string{"go", "retry a", `edit a: {"text":"y"}`} {
				talk.say(text)
			}
			if l.Count()["p"] != 1 {
				t.Errorf("paid %v", l.Count())
			}
			if talk.say("retry p"); l.Count()["p"] != 2 {
				t.Errorf("paid %v", l.Count())
			}
		})
	}
}

// An error of a tool's own budget or store is an error of its task, and does not end the turn.
func TestToolsOwnLimits(t *testing.T) {
	for name, err := range map[string]error{"conflict": store.ErrConflict, "asked": qed.ErrInterrupted, "budget": nil} {
		t.Run(name, func(t *testing.T) {
			tool := repeatable(qed.NewTool("own", "has limits", func(ctx context.Context, _ struct{}) (string, error) {
				if err == nil {
					ctx = budget.With(ctx, budget.Limits{Rows: 1})
					return "", budget.Spend(ctx, budget.Limits{Rows: 5})
				}
				return "", err
			}))
			talk := newTodoTalk(t, todoModel(t, map[string][]llmtest.Reply{"plan_todos": {planned(task("a", "own", `{}`), task("b", "say", `{"text":"x"}`))}}), todoTools(t, tool), nil)
			answer := talk.say("go")
			if !strings.HasPrefix(answer.PartialReason, "This step did not work: Do a") {
				t.Errorf("answer = %+v", answer)
			}
			talk.remembers("1 a error -> a")
			if answer := talk.say("skip a"); answer.Text != "x" {
				t.Errorf("answer = %+v", answer)
			}
		})
	}
}

// Plans do not use a tool that is registered later, and a call of a tool that is gone is an error.
func TestToolsOfItsOwnTime(t *testing.T) {
	tools := todoTools(t)
	later := task("a", "later", `{}`)
	model := todoModel(t, map[string][]llmtest.Reply{"plan_todos": {planned(later), planned(task("a", "say", `{"text":"x"}`))}})
	talk := newTodoTalk(t, model, tools, nil)
	if err := tools.Add(qed.NewTool("later", "came later", func(context.Context, struct{}) (string, error) { return "", errors.New("called") })); err != nil {
		t.Fatal(err)
	}
	if answer := talk.say("go"); answer.Text != "x" {
		t.Errorf("answer = %+v", answer)
	}
}

// A tool's own members are not read as members of a finding.
func TestOtherMembers(t *testing.T) {
	odd := repeatable(qed.NewTool("odd", "updates", func(context.Context, struct{}) (map[string]any, error) {
		return map[string]any{"text": "updated", "rows": map[string]int{"updated": 5}, "query_metadata": map[string]int{"took_ms": 3},
			"entities": []any{map[string]int{"ports": 1}}, "queries": []any{map[string]int{"n": 1}}, "artifacts": []any{map[string]int{"n": 1}}}, nil
	}))
	model := todoModel(t, map[string][]llmtest.Reply{"plan_todos": {planned(task("q", "run", `{}`), task("u", "odd", `{}`))}})
	talk := newTodoTalk(t, model, todoTools(t, queryTool("run"), odd), nil)
	answer := talk.say("go")
	if answer.Table == nil || len(answer.Table.Rows) != 142 || len(answer.Queries) != 1 || len(answer.Artifacts) != 0 {
		t.Errorf("answer = %+v", answer)
	}
	entries, err := todoagent.Entries(talk.ctx, talk.store, "t", 1)
	if err != nil || entries[0].QueryMetadata != nil {
		t.Errorf("entries = %+v, %v", entries, err)
	}
}

// A task that the plan does not allow to ask may ask when the user retries it.
func TestRetryMayAsk(t *testing.T) {
	no := false
	mute := task("r", "resolve", `{"name":"Miami"}`)
	mute.CanClarify = &no
	for _, text := range []string{"retry", "continue", `edit r: {"name":"Miami"}`} {
		talk := newTodoTalk(t, todoModel(t, map[string][]llmtest.Reply{"plan_todos": {planned(mute)}}), todoTools(t), nil)
		if answer := talk.say("go"); len(answer.Questions) != 0 || !answer.Partial {
			t.Errorf("answer = %+v", answer)
		}
		if answer := talk.say(text); len(answer.Questions) != 1 {
			t.Errorf("%s: answer = %+v", text, answer)
		}
	}
}

// Agents that run at the same time number their own entries, and the plan of
// each is in the memory of the user.
func TestAgentsBesideOthers(t *testing.T) {
	users := &usermemory.Memory{Store: &store.InMemory{}}
	type parts struct{ Texts []string }
	branch := func(name string) qed.Branch[parts, string] {
		tools := todoTools(t, queryTool("run"))
		if err := tools.Add(todoagent.NewRetrievalTool(tools, nil)); err != nil {
			t.Fatal(err)
		}
		agent, err := todoagent.New(plansInTurn("continuation", []todoTask{task("run", "run", `{}`), task("s", "say", `{"text":"`+name+`"}`)},
			[]todoTask{task("get", "retrieve_query_metadata", `{"turn_id":1}`)}), tools, &todoagent.Options{User: users})
		if err != nil {
			t.Fatal(err)
		}
		return qed.Branch[parts, string]{Name: name, Run: func(ctx context.Context, _ parts) (string, error) {
			answer, err := qed.Ask(ctx, agent, qed.Turn{Thread: "t", User: "u", Text: "go with " + name})
			return answer.Text, err
		}}
	}
	g := qed.NewGraph[parts]("both")
	qed.FanOut(g, "both", func(s parts, texts []string) (parts, error) { return parts{texts}, nil }, branch("one"), branch("two"))
	g.Edge(qed.Start, "both")
	g.Edge("both", qed.End)
	agent := qed.Durable(qed.NewAgent(compile(t, g, nil), func(context.Context, parts, qed.Turn) (parts, error) { return parts{}, nil },
		func(_ context.Context, s parts) (qed.Answer, error) {
			return qed.Answer{Text: strings.Join(s.Texts, "; ")}, nil
		}, nil), &store.InMemory{}, nil)
	for _, want := range []string{"142 shipments found\n\none; 142 shipments found\n\ntwo", "142 shipments found; 142 shipments found"} {
		answer, err := qed.Ask(t.Context(), agent, qed.Turn{Thread: "t", User: "u", Text: "go"})
		if err != nil || answer.Text != want {
			t.Errorf("answer = %q, %v, want %q", answer.Text, err, want)
		}
	}
	turns, err := users.Turns(t.Context(), usermemory.User{ID: "u"}, 0)
	if err != nil || len(turns) != 4 {
		t.Errorf("%d turns are remembered, want 4: %v", len(turns), err)
	}
}
