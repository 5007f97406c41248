package question_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed/question"
)

type visitForm struct {
	City  string `json:"city"`
	Days  int    `json:"days"`
	Notes string `json:"notes,omitempty"`
}

type colour string

// asked is a question that is completed for a type.
type asked struct {
	question.Question
	read func(json.RawMessage) (any, error)
	err  error
}

func ask[T any](q question.Question) asked {
	q, read, err := question.For[T](q)
	return asked{q, func(value json.RawMessage) (any, error) { return read(value) }, err}
}

func TestFor(t *testing.T) {
	choice := question.Question{Text: "Which Miami?", Choices: []question.Choice{{ID: "m1", Text: "Miami, Florida"}, {ID: "m2", Text: "Miami Beach"}, {ID: "3", Text: "Miami, Ohio"}}}
	alike := question.Question{Text: "Which?", Choices: []question.Choice{{ID: "a", Text: "Twin"}, {ID: "b", Text: "twin"}, {ID: "c", Text: "Twin"}}}
	unnamed := question.Question{Text: "Which?", Choices: []question.Choice{{Text: "red"}, {Text: "2"}}}
	crossed := question.Question{Text: "Which?", Choices: []question.Choice{{ID: "2", Text: "the first"}, {ID: "1", Text: "the second"}}}
	spaced := question.Question{Text: "Which?", Choices: []question.Choice{{ID: "a", Text: "without"}, {ID: " a", Text: "with"}}}
	draft := question.Question{Text: "Send it?", Draft: json.RawMessage(`{"city":"Rome","days":3}`)}
	for _, test := range []struct {
		name  string
		asked asked
		reply string
		want  string // the JSON of the value; empty if the reply is refused
	}{
		{"text", ask[string](question.Question{Text: "Who?"}), `" Ann "`, `" Ann "`},
		{"text of a named type", ask[colour](question.Question{Text: "Which colour?"}), `"red"`, `"red"`},
		{"text: a number", ask[string](question.Question{Text: "Who?"}), `7`, ""},
		{"text: empty", ask[string](question.Question{Text: "Who?"}), `" "`, ""},
		{"text: null", ask[string](question.Question{Text: "Who?"}), `null`, ""},
		{"text: an object", ask[string](question.Question{Text: "Who?"}), `{"a":"b"}`, ""},
		{"choice: number", ask[string](choice), `1`, `"m1"`},
		{"choice: number as text", ask[string](choice), `"2"`, `"m2"`},
		{"choice: an id before a number", ask[string](choice), `"3"`, `"3"`},
		{"choice: text", ask[string](choice), `"Miami Beach"`, `"m2"`},
		{"choice: text in another case", ask[string](choice), `" miami beach "`, `"m2"`},
		{"choice: id", ask[string](choice), `"m1"`, `"m1"`},
		{"choice of a named type", ask[colour](choice), `"m1"`, `"m1"`},
		{"choice: zero", ask[string](choice), `0`, ""},
		{"choice: too high", ask[string](choice), `4`, ""},
		{"choice: fraction", ask[string](choice), `1.5`, ""},
		{"choice: huge", ask[string](choice), `99999999999999999999`, ""},
		{"choice: negative", ask[string](choice), `-1`, ""},
		{"choice: none of them", ask[string](choice), `"Rome"`, ""},
		{"choice: null", ask[string](choice), `null`, ""},
		{"choice: list", ask[string](choice), `[1]`, ""},
		{"choice: ambiguous text", ask[string](alike), `"Twin"`, ""},
		{"choice: number of alike", ask[string](alike), `3`, `"c"`},
		{"choice: exact text of alike", ask[string](alike), `"twin"`, `"b"`},
		{"choice: an id that is the number of another", ask[string](crossed), `"1"`, `"1"`},
		{"choice: a number that is the id of another", ask[string](crossed), `1`, `"2"`},
		{"choice: number as in a message", ask[string](crossed), `"option 1"`, `"2"`},
		{"choice: an id with spaces", ask[string](spaced), `" a"`, `" a"`},
		{"choice without ids", ask[string](unnamed), `"red"`, `"red"`},
		{"choice without ids: a text that is a number", ask[string](unnamed), `"2"`, `"2"`},
		{"approve", ask[question.Approval[visitForm]](draft), `{"decision":"approve"}`, `{"decision":"approve","value":{"city":"Rome","days":3}}`},
		{"approve as a word", ask[question.Approval[visitForm]](draft), `" Approve"`, `{"decision":"approve","value":{"city":"Rome","days":3}}`},
		{"approve with a value", ask[question.Approval[visitForm]](draft), `{"decision":"approve","value":{"city":"Oslo","days":1}}`, ""},
		{"edit", ask[question.Approval[visitForm]](draft), `{"decision":"edit","value":{"city":"Oslo","days":1},"reason":"cold"}`,
			`{"decision":"edit","value":{"city":"Oslo","days":1},"reason":"cold"}`},
		{"reject", ask[question.Approval[visitForm]](draft), `{"decision":"reject","reason":"too far"}`, `{"decision":"reject","value":{"city":"","days":0},"reason":"too far"}`},
		{"reject as a word", ask[question.Approval[visitForm]](draft), `"reject"`, `{"decision":"reject","value":{"city":"","days":0}}`},
		{"edit without a value", ask[question.Approval[visitForm]](draft), `{"decision":"edit"}`, ""},
		{"edit as a word", ask[question.Approval[visitForm]](draft), `"edit"`, ""},
		{"edit: null", ask[question.Approval[visitForm]](draft), `{"decision":"edit","value":null}`, ""},
		{"edit: another type", ask[question.Approval[visitForm]](draft), `{"decision":"edit","value":{"city":7}}`, ""},
		{"edit: an unknown field", ask[question.Approval[visitForm]](draft), `{"decision":"edit","value":{"city":"Oslo","days":1,"when":"now"}}`, ""},
		{"edit: a missing field", ask[question.Approval[visitForm]](draft), `{"decision":"edit","value":{"city":"Oslo"}}`, ""},
		{"another decision", ask[question.Approval[visitForm]](draft), `{"decision":"maybe"}`, ""},
		{"no decision", ask[question.Approval[visitForm]](draft), `{}`, ""},
		{"another word", ask[question.Approval[visitForm]](draft), `"sure, whatever"`, ""},
		{"an unknown field next to the decision", ask[question.Approval[visitForm]](draft), `{"decision":"approve","extra":1}`, ""},
		{"true", ask[question.Approval[visitForm]](draft), `true`, ""},
		{"a decision in another case", ask[question.Approval[visitForm]](draft), `{"DECISION":"approve"}`, ""},
		{"form", ask[visitForm](question.Question{Text: "Where to?"}), `{"city":"Rome","days":3}`, `{"city":"Rome","days":3}`},
		{"form: a missing field", ask[visitForm](question.Question{Text: "Where to?"}), `{"city":"Rome"}`, ""},
		{"form: another type", ask[visitForm](question.Question{Text: "Where to?"}), `{"city":"Rome","days":"three"}`, ""},
		{"form: an unknown field", ask[visitForm](question.Question{Text: "Where to?"}), `{"city":"Rome","days":3,"x":1}`, ""},
		{"form: a text", ask[visitForm](question.Question{Text: "Where to?"}), `"Rome"`, ""},
		{"form: null", ask[visitForm](question.Question{Text: "Where to?"}), `null`, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			if test.asked.err != nil {
				t.Fatal(test.asked.err)
			}
			v, err := test.asked.read(json.RawMessage(test.reply))
			if test.want == "" {
				if err == nil {
					t.Errorf("read %+v, want an error", v)
				}
			} else if got, _ := json.Marshal(v); err != nil || string(got) != test.want {
				t.Errorf("read %s, %v, want %s", got, err, test.want)
			}
			// A server has only the JSON of the question.
			data, _ := json.Marshal(test.asked.Question)
			var q question.Question
			if err := json.Unmarshal(data, &q); err != nil {
				t.Fatal(err)
			}
			if err := q.Check(json.RawMessage(test.reply)); (err == nil) != (test.want != "") {
				t.Errorf("Check returns %v", err)
			}
			if !q.Same(test.asked.Question) {
				t.Errorf("%+v is another question than %+v", q, test.asked.Question)
			}
		})
	}
}

// An edited value that is no object has no schema: only the agent's type knows
// it.
func TestEditedValueThatIsNoObject(t *testing.T) {
	list := ask[question.Approval[[]string]](question.Question{Text: "Send to these?", Draft: json.RawMessage(`["ann"]`)})
	for value, ok := range map[string]bool{`["bob"]`: true, `[7]`: false} {
		edit := json.RawMessage(`{"decision":"edit","value":` + value + `}`)
		if _, err := list.read(edit); (err == nil) != ok {
			t.Errorf("%s: %v", value, err)
		}
		if err := list.Check(edit); err != nil {
			t.Errorf("Check %s: %v", value, err)
		}
	}
}

func TestCheckOfAQuestionThatIsNotComplete(t *testing.T) {
	for name, q := range map[string]question.Question{
		"no kind":        {Text: "Who?"},
		"another kind":   {Kind: "colour", Text: "Which?"},
		"invalid schema": {Kind: question.KindForm, Text: "When?", Schema: json.RawMessage(`{"type":7}`)},
	} {
		if err := q.Check(json.RawMessage(`"x"`)); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestForRefuses(t *testing.T) {
	type hidden struct{ C chan int }
	for name, asked := range map[string]asked{
		"no text":              ask[string](question.Question{Text: " "}),
		"options and a form":   ask[visitForm](question.Question{Text: "?", Choices: []question.Choice{{Text: "a"}}}),
		"option without text":  ask[string](question.Question{Text: "?", Choices: []question.Choice{{ID: "a"}}}),
		"options of one id":    ask[string](question.Question{Text: "?", Choices: []question.Choice{{ID: "a", Text: "a"}, {ID: "a", Text: "b"}}}),
		"no draft":             ask[question.Approval[visitForm]](question.Question{Text: "?"}),
		"invalid draft":        ask[question.Approval[visitForm]](question.Question{Text: "?", Draft: json.RawMessage(`{"city":7}`)}),
		"draft for a text":     ask[string](question.Question{Text: "?", Draft: json.RawMessage(`{}`)}),
		"type that has a chan": ask[hidden](question.Question{Text: "?"}),
		"number":               ask[int](question.Question{Text: "?"}),
		"list":                 ask[[]string](question.Question{Text: "?"}),
	} {
		if asked.err == nil {
			t.Errorf("%s: no error for %+v", name, asked.Question)
		}
	}
}

// For sets what the agent may not, and does not change the caller's choices.
func TestForCompletes(t *testing.T) {
	choices := []question.Choice{{Text: "red"}, {ID: "b", Text: "blue"}}
	before := slices.Clone(choices)
	got := ask[string](question.Question{ID: "mine", Kind: question.KindForm, Text: "Which?", Choices: choices,
		Schema: json.RawMessage(`{}`), Problem: "mine", Resumable: true})
	want := question.Question{Kind: question.KindChoice, Text: "Which?", Choices: []question.Choice{{ID: "red", Text: "red"}, {ID: "b", Text: "blue"}}}
	if diff := cmp.Diff(want, got.Question); diff != "" || got.err != nil {
		t.Errorf("%v: %s", got.err, diff)
	}
	if diff := cmp.Diff(before, choices); diff != "" {
		t.Errorf("the choices of the caller: %s", diff)
	}
}

func TestSame(t *testing.T) {
	q := ask[question.Approval[visitForm]](question.Question{Text: "Send?", Draft: json.RawMessage(`{"city":"Rome","days":1}`)}).Question
	for name, tt := range map[string]struct {
		change func(*question.Question)
		want   bool
	}{
		"nothing":         {func(*question.Question) {}, true},
		"asked again":     {func(q *question.Question) { q.ID, q.Problem, q.Resumable = "q7", "it is too long", true }, true},
		"spaces":          {func(q *question.Question) { q.Draft = json.RawMessage(`{ "city": "Rome", "days": 1 }`) }, true},
		"another schema":  {func(q *question.Question) { q.Schema = nil }, true},
		"another draft":   {func(q *question.Question) { q.Draft = json.RawMessage(`{"city":"Oslo","days":1}`) }, false},
		"another text":    {func(q *question.Question) { q.Text = "Delete?" }, false},
		"another kind":    {func(q *question.Question) { q.Kind = question.KindText }, false},
		"another choices": {func(q *question.Question) { q.Choices = []question.Choice{{ID: "y", Text: "yes"}} }, false},
	} {
		other := q
		tt.change(&other)
		if got := q.Same(other); got != tt.want || other.Same(q) != got {
			t.Errorf("%s: Same = %v", name, got)
		}
	}
}

// A null is no edited text or number: it would become an empty one.
func TestEditToNull(t *testing.T) {
	check := func(name string, err error, refused bool) {
		if (err != nil) != refused {
			t.Errorf("%s: %v", name, err)
		}
	}
	edit := json.RawMessage(`{"decision":"edit","value":null}`)
	_, number, err := question.For[question.Approval[int]](question.Question{Text: "pay?", Draft: json.RawMessage("5")})
	if err != nil {
		t.Fatal(err)
	}
	_, err = number(edit)
	check("a number", err, true)
	_, text, err := question.For[question.Approval[string]](question.Question{Text: "send?", Draft: json.RawMessage(`"x"`)})
	if err != nil {
		t.Fatal(err)
	}
	_, err = text(edit)
	check("a text", err, true)
	_, list, err := question.For[question.Approval[[]int]](question.Question{Text: "which?", Draft: json.RawMessage("[5]")})
	if err != nil {
		t.Fatal(err)
	}
	_, err = list(edit)
	check("a list", err, false)
}
