package toolagent_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/finding"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/store"
	"github.com/qedkit/qed/toolagent"
)

// hours are rows of three technicians.
func hours() *qed.Table {
	return &qed.Table{
		Columns: []qed.Column{{Name: "name"}, {Name: "hours"}},
		Rows:    [][]any{{"Ada", 1234.5}, {"Bo", int64(20)}, {"Cy", int64(7)}},
	}
}

// hoursTools return the rows in each form that is a table.
func hoursTools() map[string]qed.Tool {
	return map[string]qed.Tool{
		"finding": tool("hours", func(ctx context.Context) (any, error) {
			rows, err := finding.SaveRows(ctx, hours())
			queries := []qed.Query{{Language: "sql", Written: "select", Executed: "SELECT"}}
			return finding.Finding{Rows: rows, Queries: queries}, err
		}),
		"table":   tool("hours", hours()),
		"objects": tool("hours", json.RawMessage(`[{"name":"Ada","hours":1234.5},{"name":"Bo","hours":20},{"name":"Cy","hours":7}]`)),
		"member":  tool("hours", json.RawMessage(`{"staff":[ {"name":"Ada","hours":1234.5},{"name":"Bo","hours":20},{"name":"Cy","hours":7}]}`)),
	}
}

// heard returns the answer of a turn, and what was streamed on each channel.
func heard(t *testing.T, agent qed.Agent, turn qed.Turn) (answer qed.Answer, streamed map[qed.Channel]string) {
	t.Helper()
	streamed = map[qed.Channel]string{}
	for event, err := range agent.Run(t.Context(), turn) {
		if err != nil {
			t.Fatal(err)
		}
		switch e := event.Data.(type) {
		case qed.Token:
			if e.Discard {
				streamed[e.Channel] = ""
			}
			streamed[e.Channel] += e.Content
		case qed.Completed:
			answer = e.Answer
		}
	}
	return answer, streamed
}

// The values of every form of a table are filled in, also while the text arrives.
func TestFiguresAreLookedUp(t *testing.T) {
	const want = "Ada worked 1,234.5 of 1,261.5 hours; 3 people."
	for name, used := range hoursTools() {
		for _, st := range []store.Store{nil, new(store.InMemory)} {
			model := steps(calls(`hours {}`), says("Ada worked {t1.r1.hours} of {sum t1.hours} hours; {count t1} people."))
			agent := newAgent(t, model, registry(t, used), &toolagent.Options{Store: st})
			answer, streamed := heard(t, agent, qed.Turn{Thread: "t", Text: "Who worked most?"})
			if answer.Text != want || len(answer.Figures) != 3 || answer.Unproved != nil {
				t.Errorf("%s: %+v", name, answer)
			}
			if streamed[qed.ChannelFinal] != want {
				t.Errorf("%s: %q", name, streamed)
			}
			query := -1
			if name == "finding" {
				query = 0
			}
			cell := []qed.FigureSource{{Query: query, Row: 1, Column: "hours"}}
			if diff := cmp.Diff(cell, answer.Figures[0].Sources); diff != "" {
				t.Errorf("%s: %s", name, diff)
			}
			shown := results(model.last())[0]
			if !strings.Contains(shown, "t1.r1 to t1.r3") || strings.Count(shown, "Write no figure yourself") != 1 {
				t.Errorf("%s: %s", name, shown)
			}
		}
	}
}

// Values are written in the language of the turn, else in that of the conversation.
func TestFiguresInTheLanguageOfTheTurn(t *testing.T) {
	const english, german = "Ada: 1,234.5", "Ada: 1.234,5"
	before := []llm.Message{{Role: llm.RoleUser, Content: "Welche Stunden sind geplant?"}, {Role: llm.RoleAssistant, Content: "Keine."}}
	for _, test := range []struct {
		turn qed.Turn
		want string
	}{
		{qed.Turn{Text: "Who worked most?"}, english},
		{qed.Turn{Text: "Wer hat am meisten gearbeitet?"}, german},
		{qed.Turn{Text: "Qui a le plus travaillé pour nous ?"}, german},
		{qed.Turn{Text: "Ada", History: before}, german},
		{qed.Turn{Text: "Who worked most?", Language: "de-AT"}, german},
		{qed.Turn{Text: "Ada", Language: "fr"}, german},
		{qed.Turn{Text: "Ada", Language: "ja"}, english},
		{qed.Turn{Text: "Wer hat am meisten gearbeitet?", Language: "en_GB"}, english},
	} {
		model := steps(calls(`hours {}`), says("Ada: {t1.r1.hours}"))
		agent := newAgent(t, model, registry(t, hoursTools()["finding"]), nil)
		if answer, _ := heard(t, agent, test.turn); answer.Text != test.want {
			t.Errorf("%+v: %q, want %q", test.turn, answer.Text, test.want)
		}
	}
}

// A model that ignores the syntax gets its numbers checked.
func TestTypedFiguresAreChecked(t *testing.T) {
	other := tool("limit", json.RawMessage(`{"limit":38,"unit":"hours"}`))
	for text, wrong := range map[string][]string{
		"Ada worked 1,234.5 hours, Bo 20, more than 40 and the limit of 38.": nil,
		"Ada worked 1,243.5 hours, Bo 20.":                                   {"1,243.5"},
		"Together they worked 1,300 hours.":                                  {"1,300"},
	} {
		model := steps(calls(`hours {}`, `limit {}`), says(text))
		agent := newAgent(t, model, registry(t, hoursTools()["objects"], other), nil)
		answer, _ := heard(t, agent, qed.Turn{Text: "Who worked more than 40 hours?"})
		if wrong != nil {
			text += doubt(wrong...)
		}
		if diff := cmp.Diff(wrong, answer.Unproved); diff != "" || answer.Text != text || answer.Partial != (wrong != nil) {
			t.Errorf("%s: %+v %s", text, answer, diff)
		}
	}
}

// A number that the model wrote in a call is no data, though the result repeats it.
func TestEchoesProveNothing(t *testing.T) {
	for name, test := range map[string]struct {
		result any
		text   string
		proved bool
	}{
		"data":                      {json.RawMessage(`{"total":4242}`), "The total is 4,242.", true},
		"data of a text":            {json.RawMessage(`{"text":"It is 4,242."}`), "The total is 4,242.", true},
		"an error of a call":        {errors.New(`near "4242": syntax error`), "The total is 4,242.", false},
		"an error with other data":  {errors.New("it opens again in 45 minutes"), "It opens in 45 minutes.", true},
		"a failure of a call":       {json.RawMessage(`{"success":false,"code":"other","error":"no order 4242"}`), "The total is 4,242.", false},
		"a failure, in other words": {json.RawMessage(`{"error":"no order 4242", "success" : false}`), "The total is 4,242.", false},
		"a success of another type": {json.RawMessage(`{"success":"false","total":4242}`), "The total is 4,242.", true},
		"a payment without success": {json.RawMessage(`{"id":4242,"success":false}`), "Payment 4242 failed.", true},
		"a row that has no success": {json.RawMessage(`{"rows":[{"success":false,"total":4242}]}`), "The total is 4,242.", true},
		"a failure with other data": {json.RawMessage(`{"success":false,"code":"full","error":"12 seats are left"}`), "12 seats are left.", true},
		"an unproved text":          {json.RawMessage(`{"text":"It is 4,242.","unproved":["4,242"]}`), "The total is 4,242.", false},
		"no number in its place":    {json.RawMessage(`{"text":"It is 4,242.","unproved":["4,242"]}`), "There were 35 orders.", false},
		"beside an unproved text":   {json.RawMessage(`{"text":"42 % of them","total":4242,"unproved":["42 %"]}`), "The total is 4,242.", true},
		"a refuted claim":           {json.RawMessage(`{"report":{"text":"not 77.0 %","finding":"77 %"},"unproved":["77 %"]}`), "It is 77 %.", false},
		"what refutes it":           {json.RawMessage(`{"report":{"finding":"77 %"},"found":[0.314],"unproved":["77 %"]}`), "It is 31.4 %.", true},
		"another way to write it":   {json.RawMessage(`{"text":"It is 4,242.","echo":4242,"unproved":["4,242"]}`), "The total is 4,242.", false},
		"members of its own":        {json.RawMessage(`{"used":4242,"artifacts":35}`), "The total is 4,242, and 35 are left.", true},
		"the name of a chart":       {json.RawMessage(`{"artifacts":[{"name":"4,242 orders","media_type":"image/png","data":"AAAA"}]}`), "The total is 4,242.", false},
	} {
		t.Run(name, func(t *testing.T) {
			tools := registry(t, hoursTools()["objects"], tool("look", test.result))
			agent := newAgent(t, steps(calls(`hours {}`, `look {"order":4242}`), says(test.text)), tools, nil)
			answer, _ := heard(t, agent, qed.Turn{Text: "What is the total?"})
			if answer.Partial == test.proved || (len(answer.Unproved) == 0) != test.proved {
				t.Errorf("%+v", answer)
			}
		})
	}
	t.Run("all calls failed", func(t *testing.T) {
		tools := registry(t, tool("look", json.RawMessage(`{"success":false,"code":"other","error":"no"}`)))
		answer, _ := heard(t, newAgent(t, steps(calls(`look {}`), says("It is 4,242.")), tools, nil), qed.Turn{Text: "What is the total?"})
		if !answer.Partial {
			t.Errorf("%+v", answer)
		}
	})
}

// Without a table, texts are left as they are, and references are nonsense.
func TestNoFiguresWithoutTables(t *testing.T) {
	const text = "It is 99 {count} {r1.hours}."
	for _, output := range []string{`{"degrees":21}`, `[]`, `[1,[]]`, `{"rows":[]}`, `"[{}]"`, `{"list":["a"]}`} {
		model := steps(calls(`look {}`), says(text))
		agent := newAgent(t, model, registry(t, tool("look", json.RawMessage(output))), nil)
		answer, streamed := heard(t, agent, qed.Turn{Text: "q"})
		if answer.Text != text+doubt("{count}", "{r1.hours}") || !answer.Partial || streamed[qed.ChannelFinal] != answer.Text {
			t.Errorf("%s: %+v", output, answer)
		}
		if shown := results(model.last())[0]; strings.Contains(shown, "t1") {
			t.Errorf("%s: %s", output, shown)
		}
	}
}

// An unknown reference goes back to the model once.
func TestUnknownReferences(t *testing.T) {
	for name, test := range map[string]struct {
		replacement string
		text        string
		unproved    []string
	}{
		"corrected": {"t1.r1.hours", "Ada: 1,234.5.", nil},
		"wrong":     {"t1.r9.hours", "Ada: (unknown)." + doubt("{t1.r9.hours}"), []string{"{t1.r9.hours}"}},
	} {
		asked := 0
		model := &mind{think: func(req *llm.Request) reply {
			prompt := req.Messages[len(req.Messages)-1].Content
			switch {
			case req.Name == "correct_figures":
				if asked++; !strings.Contains(prompt, "{t1.r1.hour}") || !strings.Contains(prompt, `"hours"`) {
					t.Errorf("%s: %s", name, prompt)
				}
				return says(`{"corrections":[{"reference":"t1.r1.hour","replacement":"` + test.replacement + `"}]}`)
			case strings.Contains(prompt, "table t1"):
				return says("Ada: {t1.r1.hour}.")
			}
			return calls(`hours {}`)
		}}
		agent := newAgent(t, model, registry(t, hoursTools()["table"]), nil)
		answer, streamed := heard(t, agent, qed.Turn{Text: "q"})
		if answer.Text != test.text || streamed[qed.ChannelFinal] != test.text || asked != 1 {
			t.Errorf("%s: asked %d times: %+v", name, asked, answer)
		}
		if diff := cmp.Diff(test.unproved, answer.Unproved); diff != "" || answer.Usage.Calls != 3 {
			t.Errorf("%s: %d calls %s", name, answer.Usage.Calls, diff)
		}
	}
}

// The answer after a limit has looked up values as well, streamed as the answer.
func TestFiguresAfterALimit(t *testing.T) {
	model := &mind{think: func(req *llm.Request) reply {
		if req.Name != "wrap_up" {
			return calls(`hours {}`)
		}
		if prompt := req.Messages[len(req.Messages)-1].Content; !strings.Contains(prompt, "t1.r1 to t1.r3") {
			t.Error(prompt)
		}
		return says("Ada worked {t1.r1.hours} hours, Bo 21.")
	}}
	opt := &toolagent.Options{MaxSteps: 1}
	answer, streamed := heard(t, newAgent(t, model, registry(t, hoursTools()["finding"]), opt), qed.Turn{Text: "q"})
	want := "Ada worked 1,234.5 hours, Bo 21." + doubt("21")
	if answer.Text != want || streamed[qed.ChannelFinal] != want || !answer.Partial {
		t.Errorf("%+v %q", answer, streamed)
	}
	if diff := cmp.Diff([]string{"21"}, answer.Unproved); diff != "" {
		t.Error(diff)
	}
}

// What a tool's own model typed without proof proves nothing.
func TestUnprovedOfTools(t *testing.T) {
	ask := tool("ask", finding.Finding{
		Text: "  Ada worked 1,234.5 hours in 77 jobs.", Unproved: []string{"77"},
		Figures: []qed.Figure{{Text: "1,234.5", Offset: 13, Reference: "r1.hours", Sources: []qed.FigureSource{{Query: 0, Row: 1, Column: "hours"}}}},
		Queries: []qed.Query{{Language: "sql", Executed: "SELECT"}},
	})
	tools := registry(t, ask, hoursTools()["finding"])
	answer, _ := heard(t, newAgent(t, steps(calls(`hours {}`, `ask {}`), says("77 jobs in 1,234.5 hours")), tools, nil), qed.Turn{Text: "q"})
	if diff := cmp.Diff([]string{"77"}, answer.Unproved); diff != "" {
		t.Error(diff)
	}
}

// Old results keep the names of their tables.
func TestDigestsKeepTables(t *testing.T) {
	big := tool("big", func(context.Context) (any, error) { return strings.Repeat("word ", 1500), nil })
	model := steps(calls(`ports {}`), calls(`big {}`), calls(`big {"n":1}`), says("{t1.r700.ships} ships"))
	opt := &toolagent.Options{Store: new(store.InMemory), MaxResultBytes: 8 << 10, Settings: llm.Settings{ContextTokens: 5334}}
	answer, _ := heard(t, newAgent(t, model, registry(t, portTool(700), big), opt), qed.Turn{Thread: "t", Text: "q"})
	shown := results(model.last())[0]
	if answer.Text != "699 ships" || !strings.Contains(shown, "left of an older result") || !strings.Contains(shown, "t1.r1 to t1.r700") {
		t.Errorf("%q %s", answer.Text, shown)
	}
}

// doubt is the end of a text that has unproved numbers.
func doubt(numbers ...string) string {
	return "\n\nNot proved by the data and possibly wrong: " + strings.Join(numbers, ", ") + "."
}
