package todoagent_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/finding"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/llm/llmtest"
	"github.com/qedkit/qed/todoagent"
)

// runs returns a tool that runs queries in a language.
func runs(name, language string) qed.Tool {
	t := repeatable(qed.NewTool(name, "runs a query", func(context.Context, struct{}) (finding.Finding, error) {
		return finding.Finding{Text: name}, nil
	}))
	t.Language = language
	return t
}

// Single entities come from GraphQL, several and aggregations from
// Elasticsearch, and SQL is right for both. The last try of a model is
// accepted.
func TestDataSource(t *testing.T) {
	es, gql, sql := runs("es", "elasticsearch"), runs("gql", "graphql"), runs("sql", "sql")
	plan := func(retrieval string, tools ...string) llmtest.Reply {
		var tasks []todoTask
		for i, tool := range tools {
			tasks = append(tasks, task(fmt.Sprint("t", i), tool, `{}`))
		}
		return llmtest.Reply{JSON: map[string]any{"tasks": tasks, "retrieval": retrieval}}
	}
	for name, test := range map[string]struct {
		tools  []qed.Tool
		plans  []llmtest.Reply
		source string
	}{
		"one thing from GraphQL":                 {[]qed.Tool{es, gql}, []llmtest.Reply{plan("single_entity", "gql")}, "graphql"},
		"several from Elasticsearch":             {[]qed.Tool{es, gql}, []llmtest.Reply{plan("multi_entity", "es")}, "elasticsearch"},
		"both":                                   {[]qed.Tool{es, gql}, []llmtest.Reply{plan("aggregation", "es", "gql")}, "hybrid"},
		"neither":                                {[]qed.Tool{es, gql}, []llmtest.Reply{plan("aggregation", "say")}, "none"},
		"SQL for one thing":                      {[]qed.Tool{es, gql, sql}, []llmtest.Reply{plan("single_entity", "sql")}, "sql"},
		"SQL for figures":                        {[]qed.Tool{es, sql}, []llmtest.Reply{plan("aggregation", "sql")}, "sql"},
		"what there is, where there is no other": {[]qed.Tool{gql}, []llmtest.Reply{plan("aggregation", "gql")}, "graphql"},
		"figures from GraphQL go back":           {[]qed.Tool{es, gql}, []llmtest.Reply{plan("aggregation", "gql"), plan("aggregation", "es")}, "elasticsearch"},
		"one thing from Elasticsearch goes back": {[]qed.Tool{es, gql}, []llmtest.Reply{plan("single_entity", "es"), plan("single_entity", "gql")}, "graphql"},
		"a model that insists":                   {[]qed.Tool{es, gql}, []llmtest.Reply{plan("single_entity", "es"), plan("single_entity", "es"), plan("single_entity", "es")}, "elasticsearch"},
	} {
		t.Run(name, func(t *testing.T) {
			talk := newTodoTalk(t, todoModel(t, map[string][]llmtest.Reply{"plan_todos": test.plans}), todoTools(t, test.tools...), nil)
			if answer := talk.say("go"); answer.Partial {
				t.Errorf("answer = %+v", answer)
			}
			entries, err := todoagent.Entries(talk.ctx, talk.store, "t", 1)
			if err != nil || len(entries) != 1 || entries[0].ActiveTodoListSnapshot.DataSource != test.source {
				t.Errorf("entries = %+v, %v", entries, err)
			}
		})
	}
}

// A plan that cannot be used goes back with the reason.
func TestRefusesPlans(t *testing.T) {
	many := make([]todoTask, 16)
	for i := range many {
		many[i] = task(fmt.Sprint("t", i), "say", `{}`)
	}
	first := task("a", "resolve", `{"name":"Shanghai"}`)
	analyse := repeatable(qed.NewTool("analyse", "analyses rows", func(context.Context, struct {
		Rows finding.RowsRef `json:"rows"`
	}) (finding.Finding, error) {
		return finding.Finding{}, nil
	}))
	for name, test := range map[string]struct {
		tasks []todoTask
		says  string // of the reason
	}{
		"too many tasks":              {many, "at most 15"},
		"an unknown tool":             {[]todoTask{task("a", "resolv", `{}`)}, "did you mean resolve"},
		"a key twice":                 {[]todoTask{task("a", "say", `{}`), task("a", "say", `{}`)}, "another task"},
		"a bad key":                   {[]todoTask{task("A-1", "say", `{}`)}, "lower-case"},
		"no description":              {[]todoTask{{Key: "a", Tool: "say", Arguments: `{}`}}, "no description"},
		"arguments that are no JSON":  {[]todoTask{task("a", "say", `{`)}, "arguments"},
		"arguments of another tool":   {[]todoTask{task("a", "resolve", `{"text":"x"}`)}, "arguments"},
		"an argument of another type": {[]todoTask{task("a", "say", `{"text":5}`)}, "arguments"},
		"after an unknown task":       {[]todoTask{{Key: "a", Description: "d", Tool: "say", Arguments: `{}`, After: []string{"z"}}}, "not a task before"},
		"the result of a later task":  {[]todoTask{task("a", "say", `{"text":{"$result":"b"}}`), task("b", "say", `{}`)}, "not a task before"},
		"the result of itself":        {[]todoTask{task("a", "say", `{"text":{"$result":"a"}}`)}, "not a task before"},
		"a member that no result has": {[]todoTask{task("a", "say", `{"text":"x"}`), task("b", "say", `{"text":{"$result":"a/words"}}`)}, `no \"words\"`},
		"rows of the model's own":     {[]todoTask{task("a", "analyse", `{"rows":{"count":1,"sample":{"columns":[{"name":"port"}],"rows":[["Miami"]]}}}`)}, "cannot be written out"},
	} {
		t.Run(name, func(t *testing.T) {
			model := todoModel(t, map[string][]llmtest.Reply{"plan_todos": {planned(test.tasks...), planned(first)}})
			if answer := newTodoTalk(t, model, todoTools(t, analyse), nil).say("go"); answer.Text != "Shanghai" {
				t.Errorf("answer = %+v", answer)
			}
			requests := model.Requests()
			last := requests[len(requests)-1].Messages
			if text := last[len(last)-1].Content; !strings.Contains(text, test.says) {
				t.Errorf("the model did not get %q", test.says)
			}
		})
	}
}

// A reply that is no plan goes back with the reason too, not with the same prompt.
func TestReplyThatIsNoPlan(t *testing.T) {
	model := todoModel(t, map[string][]llmtest.Reply{"plan_todos": {
		{Err: &llm.Error{Kind: llm.ErrTruncated, Message: "cut"}}, {Err: &llm.Error{Kind: llm.ErrTruncated, Message: "cut"}},
		planned(task("a", "resolve", `{"name":"Shanghai"}`)),
	}})
	if answer := newTodoTalk(t, model, todoTools(t), nil).say("go"); answer.Text != "Shanghai" {
		t.Errorf("answer = %+v", answer)
	}
	requests := model.Requests()
	last := requests[len(requests)-1].Messages
	if text := last[len(last)-1].Content; len(last) != 1 || !strings.Contains(text, "was not a plan") {
		t.Errorf("the model got %q", text)
	}
}
