package joingraph_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed/joinpath"
	"github.com/qedkit/qed/joinpath/joingraph"
	"github.com/qedkit/qed/llm"
)

type verdict struct {
	ID         int     `json:"id"`
	Confidence float64 `json:"confidence"`
	Role       string  `json:"role,omitempty"`
	Reason     string  `json:"reason"`
}

var listed = regexp.MustCompile(`(?m)^(\d+)\. "([^"]+)" =`)

// reviewer is a scripted model. judge gets each join of the prompt, and returns
// what the reply says about it.
type reviewer struct {
	judge func(id int, join string) []verdict
	fail  error

	mu      sync.Mutex
	prompts []string
}

func (r *reviewer) Generate(_ context.Context, req *llm.Request, _ func(llm.Delta)) (*llm.Response, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	text := req.Messages[len(req.Messages)-1].Content
	r.prompts = append(r.prompts, text)
	if r.fail != nil {
		return nil, r.fail
	}
	said := map[string][]verdict{"verdicts": {}}
	for _, m := range listed.FindAllStringSubmatch(text, -1) {
		id, err := strconv.Atoi(m[1])
		if err != nil {
			return nil, err
		}
		said["verdicts"] = append(said["verdicts"], r.judge(id, m[2])...)
	}
	content, err := json.Marshal(said)
	if err != nil {
		return nil, err
	}
	return &llm.Response{Message: llm.Message{Role: llm.RoleAssistant, Content: string(content)}, Model: "judge-1"}, nil
}

// guessed returns the shop with two guessed joins besides the declared one.
func guessed(t *testing.T) *joinpath.Schema {
	t.Helper()
	s, problems, err := joingraph.Combine(shop(),
		one("names", "orders.billing_id address.id", joinpath.Relationship{Type: joinpath.Inferred, Confidence: 0.8, Evidence: []string{"both are ids"}}),
		one("names", "orders.shipping_id address.id", joinpath.Relationship{Type: joinpath.Inferred, Confidence: 0.8}),
		one("names", "orders.parent_id customer.id", joinpath.Relationship{Type: joinpath.Inferred, Confidence: 0.3}))
	if err != nil || len(problems) > 0 {
		t.Fatal(err, problems)
	}
	return s
}

func sensible(id int, join string) []verdict {
	switch {
	case strings.Contains(join, "billing"):
		return []verdict{{id, 1, "billing address", "the column says so"}}
	case strings.Contains(join, "parent"):
		return []verdict{{id, 0, "", "a parent order\n\x00is no   customer"}}
	}
	return []verdict{{id, 0.8, "", "nothing against it"}}
}

func TestValidate(t *testing.T) {
	s := guessed(t)
	model := &reviewer{judge: sensible}
	verdicts, problems, err := joingraph.Validate(t.Context(), model, s, nil)
	if err != nil || len(problems) > 0 {
		t.Fatal(err, problems)
	}
	if len(model.prompts) != 1 || strings.Contains(model.prompts[0], "\"orders.customer_id\" =") {
		t.Errorf("the prompts: %q", model.prompts)
	}
	got := map[string]joinpath.Relationship{}
	for _, r := range joingraph.Apply(s, verdicts).Relationships {
		got[r.FromColumn] = r
	}
	type judged struct {
		Confidence float64
		Role       string
		Evidence   []string
	}
	want := map[string]judged{
		"billing_id":  {0.95, "billing address", []string{"both are ids", "judge-1: the column says so"}},
		"shipping_id": {0.8, "", []string{"judge-1: nothing against it"}},
		"parent_id":   {0, "", []string{"judge-1: a parent order is no customer"}},
		"customer_id": {1, "", nil},
	}
	for column, w := range want {
		r := got[column]
		if diff := cmp.Diff(w, judged{r.Confidence, r.Role, r.Evidence}); diff != "" {
			t.Errorf("%s (-want +got):\n%s", column, diff)
		}
	}
	if diff := cmp.Diff(guessed(t), s); diff != "" {
		t.Errorf("the schema changed:\n%s", diff)
	}

	// Nothing is asked twice, except what has changed.
	if _, _, err := joingraph.Validate(t.Context(), model, s, &joingraph.ValidateOptions{Known: verdicts}); err != nil || len(model.prompts) != 1 {
		t.Errorf("%v, %d prompts", err, len(model.prompts))
	}
	changed := guessed(t)
	customer := changed.Tables["customer"]
	customer.Columns = append(customer.Columns, "order_id")
	changed.Tables["customer"] = customer
	if _, _, err := joingraph.Validate(t.Context(), model, changed, &joingraph.ValidateOptions{Known: verdicts}); err != nil || len(model.prompts) != 2 {
		t.Fatalf("%v, %d prompts", err, len(model.prompts))
	}
	if p := model.prompts[1]; !strings.Contains(p, "\"orders.parent_id\" =") || strings.Contains(p, "\"orders.billing_id\" =") {
		t.Errorf("asked again: %s", p)
	}
}

// A reply about joins that were not asked about, or twice about one, or about
// none, changes nothing and is reported.
func TestValidateHostileReplies(t *testing.T) {
	for name, judge := range map[string]func(int, string) []verdict{
		"another batch": func(id int, _ string) []verdict { return []verdict{{id + 100, 0, "", "x"}} },
		"twice":         func(id int, _ string) []verdict { return []verdict{{id, 0, "", "x"}, {id, 0.9, "", "y"}} },
		"nothing":       func(int, string) []verdict { return nil },
		"out of range":  func(id int, _ string) []verdict { return []verdict{{id, 7, "", "x"}} },
	} {
		t.Run(name, func(t *testing.T) {
			s := guessed(t)
			verdicts, problems, err := joingraph.Validate(t.Context(), &reviewer{judge: judge}, s, nil)
			if err != nil || len(verdicts) > 0 || len(problems) == 0 {
				t.Errorf("%v, %+v, %v", err, verdicts, problems)
			}
			if diff := cmp.Diff(s, joingraph.Apply(s, verdicts)); diff != "" {
				t.Errorf("changed:\n%s", diff)
			}
		})
	}
	invented := []joingraph.Verdict{{Join: "orders.id -> address.id", Basis: "made up", Confidence: 0.9}}
	s := guessed(t)
	if diff := cmp.Diff(s, joingraph.Apply(s, invented)); diff != "" {
		t.Errorf("an invented verdict changed:\n%s", diff)
	}
}

// What was judged before a failure is kept and saved, and the next call goes on
// from there.
func TestValidateGoesOn(t *testing.T) {
	s := guessed(t)
	down := &llm.Error{Kind: llm.ErrUnavailable}
	model := &reviewer{judge: sensible}
	var saved []joingraph.Verdict
	var progress []string
	opt := &joingraph.ValidateOptions{Batch: 1, Concurrency: 1,
		Save: func(all []joingraph.Verdict) error {
			saved = slices.Clone(all)
			model.fail = down // the server dies after the first batch
			return nil
		},
		Progress: func(done, all int) { progress = append(progress, fmt.Sprint(done, "/", all)) },
	}
	verdicts, _, err := joingraph.Validate(t.Context(), model, s, opt)
	if !errors.Is(err, llm.ErrUnavailable) || len(verdicts) != 1 {
		t.Fatalf("%v, %+v", err, verdicts)
	}
	if diff := cmp.Diff(verdicts, saved); diff != "" {
		t.Errorf("saved (-want +got):\n%s", diff)
	}
	model.fail = nil
	all, _, err := joingraph.Validate(t.Context(), model, s, &joingraph.ValidateOptions{Known: saved})
	if err != nil || len(all) != 3 || !slices.Contains(all, saved[0]) {
		t.Errorf("%v, %+v", err, all)
	}
	if diff := cmp.Diff([]string{"1/3"}, progress); diff != "" {
		t.Errorf("progress: %s", diff)
	}

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := joingraph.Validate(ctx, model, s, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	full := errors.New("disk full")
	_, _, err = joingraph.Validate(t.Context(), model, s, &joingraph.ValidateOptions{Save: func([]joingraph.Verdict) error { return full }})
	if !errors.Is(err, full) {
		t.Errorf("Save: %v", err)
	}
}
